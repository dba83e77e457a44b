typedef struct __attribute__((packed, aligned(8))) {
    float x;
    float y;
} turn_record_2;
typedef struct __attribute__((packed, aligned(2))) {
    short kind;
    turn_record_2 axis;
} turn_record;
typedef struct __attribute__((packed, aligned(1))) { float value; } loose_float;

// turn, kernels.py:85:1
__kernel
void turn(const long last_0, __global turn_record *things)
{
    const long global_id = get_global_id(0);
    if ((long)(get_global_id(0) - get_local_id(0) + get_local_size(0)) > last_0 && global_id >= last_0) return;
#line 86 "kernels.py"
    __global const loose_float *at = (__global const loose_float *)&things[global_id].axis.x;
    float t = at[0].value;
    float t_2 = at[1].value;
    const float part = t_2;
    const float part_2 = t;
    __global loose_float *at_2 = (__global loose_float *)&things[global_id].axis.x;
    at_2[0].value = part;
    at_2[1].value = part_2;
}
