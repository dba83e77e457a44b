
// halo, kernels.py:24:1
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void halo(__global float *x, __local float *own, __global float *out)
{
    const long global_id = get_global_id(0);
    const long local_id = get_local_id(0);
#line 25 "kernels.py"
    int g = (int)global_id;
    int k = (int)local_id;
    int t = k;
#line 26
    own[t] = x[g];
#line 27
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool t_2 = k > 0;
    float t_3;
#line 28
    if (t_2) {
        t_3 = own[(long)k - 1L];
    } else {
        t_3 = 0.0f;
    }
    float left = t_3;
    int t_4 = g;
#line 29
    out[t_4] = left + own[k];
}
