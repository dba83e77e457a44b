
// triad, kernels.py:89:1
__kernel
void triad(__global float *a, const float s, __global float *b, __global float *c)
{
    const long global_id = get_global_id(0);
#line 90 "kernels.py"
    c[global_id] = a[global_id] + s * b[global_id];
}
