
// scans, kernels.py:39:1
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void scans(__global int *x, __global int *out)
{
    __local int shared_int32[32];
    const int linear_id = (int)get_local_id(0);
    const int global_id = get_global_id(0);
#line 40 "kernels.py"
    int g = global_id;
#line 41
    shared_int32[linear_id] = x[g];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (linear_id == 0) {
        __attribute__((opencl_unroll_hint(1)))
        for (int stride = 1; stride < 32; stride++)
            shared_int32[stride] = (int)((uint)shared_int32[stride - 1] + (uint)shared_int32[stride]);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int total = shared_int32[linear_id];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#line 42
    int lanes = x[g];
#line 43
    out[g] = (int)((uint)total + (uint)lanes);
}
