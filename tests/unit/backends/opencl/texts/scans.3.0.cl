#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// scans, kernels.py:39:1
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void scans(__global int *x, long x_at, __global int *out, long out_at)
{
    x += x_at;
    out += out_at;
    const int global_id = get_global_id(0);
#line 40 "kernels.py"
    int g = global_id;
#line 41
    int total = work_group_scan_inclusive_add(x[g]);
#line 42
    int lanes = sub_group_reduce_max(x[g]);
#line 43
    out[g] = (int)((uint)total + (uint)lanes);
}
