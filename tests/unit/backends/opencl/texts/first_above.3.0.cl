#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// first_above, kernels.py:16:1
__kernel
void first_above(const long last_0, __global int *out, long out_at, __global float *x, long x_at, long x_n0, __global float *limit, long limit_at)
{
    out += out_at;
    x += x_at;
    limit += limit_at;
    const long global_id = get_global_id(0);
    if (global_id >= last_0) return;
#line 17 "kernels.py"
    out[global_id] = -1;
#line 18
    for (long k = 0; k < x_n0; k++) {
#line 19
        if (x[k] > limit[global_id]) {
#line 20
            out[global_id] = (int)k;
#line 21
            return;
        }
    }
}
