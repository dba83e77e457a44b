
// saxpy, kernels.py:12:1
__kernel
void saxpy(const long last_0, const float a, __global float *x, __global float *y)
{
    const long global_id = get_global_id(0);
    if ((long)(get_global_id(0) - get_local_id(0) + get_local_size(0)) > last_0 && global_id >= last_0) return;
#line 13 "kernels.py"
    y[global_id] = a * x[global_id] + y[global_id];
}
