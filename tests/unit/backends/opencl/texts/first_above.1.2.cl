
// first_above, kernels.py:16:1
__kernel
void first_above(const long last_0, __global int *out, __global float *x, long x_n0, __global float *limit)
{
    const long global_id = get_global_id(0);
    if ((long)(get_global_id(0) - get_local_id(0) + get_local_size(0)) > last_0 && global_id >= last_0) return;
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
