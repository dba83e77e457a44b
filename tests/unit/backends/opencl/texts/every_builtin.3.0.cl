#pragma OPENCL EXTENSION cl_khr_fp64 : enable
int frexp_exponent_float(float x)
{
    int exponent;
    frexp(x, &exponent);
    return isfinite(x) ? exponent : 0;
}
float frexp_fraction_float(float x)
{
    int exponent;
    return frexp(x, &exponent);
}
float fraction_float(float x)
{
    if (x == 0 || isinf(x)) return copysign((float)0, x);
    const float part = x - floor(x);
    const float most = nextafter((float)1, (float)0);
    return part > most ? most : part;
}
int quotient_float(float x, float y)
{
    if (!isfinite(x) || !isfinite(y) || y == 0) return 0;
    int q;
    remquo(x, y, &q);
    return q < 0 ? -(-q & 127) : q & 127;
}
int gamma_sign_float(float x)
{
    if (x == 0) return signbit(x) ? -1 : 1;
    const float whole = floor(x);
    return x < 0 && isfinite(x) && x != whole && fmod(whole, (float)2) != 0 ? -1 : 1;
}
float behind_point_float(float x)
{
    return copysign(isinf(x) ? (float)0 : x - trunc(x), x);
}
int exponent_float(float x)
{
    if (x == 0 || isnan(x)) return -2147483647 - 1;
    return isinf(x) ? 2147483647 : ilogb(x);
}
float direction_float(float x)
{
    return x == 0 || isnan(x) ? x : copysign((float)1, x);
}

// every_builtin, kernels.py:68:1
__kernel
void every_builtin(const long last_0, __global float *x, long x_at, __global int *k, long k_at, __global float *out, long out_at)
{
    x += x_at;
    k += k_at;
    out += out_at;
    const long global_id = get_global_id(0);
    if (global_id >= last_0) return;
    float t = x[global_id];
    int t_2 = frexp_exponent_float(t);
    float t_3 = frexp_fraction_float(t);
    float t_4 = x[global_id];
    float t_5 = t_3;
    int t_6 = t_2;
    float t_7 = fraction_float(t_4);
    float t_8 = floor(t_4);
    float t_9 = t_5;
    int t_10 = t_6;
#line 69 "kernels.py"
    float whole_0 = t_9;
    int whole_1 = t_10;
    float t_11 = t_7;
    float t_12 = t_8;
    float part_0 = t_11;
    float part_1 = t_12;
    float t_13 = x[global_id];
    float t_14 = remainder(t_13, 3.0f);
    int t_15 = quotient_float(t_13, 3.0f);
#line 70
    float quotient_0 = t_14;
    int quotient_1 = t_15;
    float t_16 = x[global_id];
    float t_17 = lgamma(t_16);
    int t_18 = gamma_sign_float(t_16);
#line 71
    float gamma_0 = t_17;
    int gamma_1 = t_18;
    float t_19 = whole_0 + part_0;
    float t_20 = x[global_id];
#line 72
    out[global_id] = (float)((double)(t_19 + behind_point_float(t_20)) + (double)quotient_1 + (double)gamma_1 + (double)exponent_float(x[global_id]) + (double)fabs((x[global_id]) - (part_1)) + (double)direction_float(x[global_id]) + (double)((int)abs_diff(k[global_id], 5)) + (double)bitselect(k[global_id], 1, 3) + (double)((k[global_id] > 0) ? part_0 : x[global_id]) + (double)as_float((7u) & 0x7fffffu | 0x7fc00000u));
}
