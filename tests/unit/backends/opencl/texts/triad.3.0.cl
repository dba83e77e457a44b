#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// triad, kernels.py:89:1
__kernel
void triad(const long last_0, __global float *a, long a_at, const float s, __global float *b, long b_at, __global float *c, long c_at)
{
    a += a_at;
    b += b_at;
    c += c_at;
    const long stride = get_local_size(0);
    const long first = get_global_offset(0) + get_group_id(0) * (stride * 4) + get_local_id(0);
    if (first + stride * 3 < last_0) {
        const long global_id = first;
        const long global_id_2 = first + stride;
        const long global_id_3 = first + stride * 2;
        const long global_id_4 = first + stride * 3;
#line 90 "kernels.py"
        float value = a[global_id] + s * b[global_id];
        float value_2 = a[global_id_2] + s * b[global_id_2];
        float value_3 = a[global_id_3] + s * b[global_id_3];
        float value_4 = a[global_id_4] + s * b[global_id_4];
        c[global_id] = value;
        c[global_id_2] = value_2;
        c[global_id_3] = value_3;
        c[global_id_4] = value_4;
    } else {
        for (long global_id_5 = first; global_id_5 < last_0; global_id_5 += stride) {
            c[global_id_5] = a[global_id_5] + s * b[global_id_5];
        }
    }
}
