#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// histogram, kernels.py:32:1
__kernel
void histogram(const long last_0, __global int *x, long x_at, __global int *bins, long bins_at, __global float *weights, long weights_at)
{
    x += x_at;
    bins += bins_at;
    weights += weights_at;
    const long global_id = get_global_id(0);
    if (global_id >= last_0) return;
#line 33 "kernels.py"
    int place = x[global_id] & 15;
#line 34
    int old = atomic_fetch_add_explicit((volatile __global atomic_int *)(&bins[place]), 1, memory_order_relaxed, memory_scope_device);
#line 35
    float old_2 = atomic_fetch_add_explicit((volatile __global atomic_float *)(&weights[place]), 0.5f, memory_order_relaxed, memory_scope_device);
}
