typedef struct __attribute__((packed, aligned(8))) {
    float real;
    float imag;
} rotate_record;
float exact_sub_float(float a, float b)
{
    #pragma OPENCL FP_CONTRACT OFF
    return a - b;
}
float exact_add_float(float a, float b)
{
    #pragma OPENCL FP_CONTRACT OFF
    return a + b;
}

// rotate, kernels.py:64:1
__kernel
void rotate_(const long last_0, __global rotate_record *z, __global rotate_record *w, __global rotate_record *out)
{
    const long global_id = get_global_id(0);
    if ((long)(get_global_id(0) - get_local_id(0) + get_local_size(0)) > last_0 && global_id >= last_0) return;
#line 65 "kernels.py"
    __global const float *at = &z[global_id].real;
    float real = at[0];
    float imag = at[1];
    __global const float *at_2 = &w[global_id].real;
    float real_2 = at_2[0];
    float imag_2 = at_2[1];
    float p = exact_sub_float(real * real_2, imag * imag_2);
    float p_2 = exact_add_float(real * imag_2, imag * real_2);
    const float part = p;
    const float part_2 = p_2;
    __global float *at_3 = &out[global_id].real;
    at_3[0] = part;
    at_3[1] = part_2;
}
