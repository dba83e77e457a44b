#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// halo, kernels.py:24:1
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void halo(__global float *x, long x_at, __local float *own, __global float *out, long out_at)
{
    x += x_at;
    out += out_at;
    const int global_id = get_global_id(0);
    const int local_id = get_local_id(0);
#line 25 "kernels.py"
    int g = global_id;
    int k = local_id;
#line 26
    own[k] = x[g];
#line 27
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#line 28
    bool t = k > 0;
    float left;
    if (t) {
        left = own[(long)k - 1L];
    } else {
        left = 0.0f;
    }
#line 29
    out[g] = left + own[k];
}
