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
void every_builtin(const long last_0, __global float *x, __global int *k, __global float *out)
{
    const long global_id = get_global_id(0);
    if ((long)(get_global_id(0) - get_local_id(0) + get_local_size(0)) > last_0 && global_id >= last_0) return;
#line 69 "kernels.py"
    float t = x[global_id];
    int whole_1 = frexp_exponent_float(t);
    float whole_0 = frexp_fraction_float(t);
    float t_2 = x[global_id];
    float part_0 = fraction_float(t_2);
    float part_1 = floor(t_2);
#line 70
    float t_3 = x[global_id];
    float quotient_0 = remainder(t_3, 3.0f);
    int quotient_1 = quotient_float(t_3, 3.0f);
#line 71
    float t_4 = x[global_id];
    float gamma_0 = lgamma(t_4);
    int gamma_1 = gamma_sign_float(t_4);
#line 72
    float t_5 = whole_0 + part_0;
    float t_6 = x[global_id];
    out[global_id] = (float)((double)(t_5 + behind_point_float(t_6)) + (double)quotient_1 + (double)gamma_1 + (double)exponent_float(x[global_id]) + (double)fabs((x[global_id]) - (part_1)) + (double)direction_float(x[global_id]) + (double)((int)abs_diff(k[global_id], 5)) + (double)bitselect(k[global_id], 1, 3) + (double)((k[global_id] > 0) ? part_0 : x[global_id]) + (double)as_float((7u) & 0x7fffffu | 0x7fc00000u));
}
