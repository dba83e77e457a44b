typedef struct __attribute__((packed, aligned(2))) {
    float place[3];
    double mass;
    short kind;
} drift_record;

// drift, kernels.py:50:1
__kernel
void drift(const long last_0, __global drift_record *particles, const float dt)
{
    const long global_id = get_global_id(0);
    if ((long)(get_global_id(0) - get_local_id(0) + get_local_size(0)) > last_0 && global_id >= last_0) return;
#line 51 "kernels.py"
    particles[global_id].place[1L] = (float)((double)particles[global_id].place[1L] + (((double)dt) / particles[global_id].mass));
#line 52
    if (particles[global_id].kind == (short)3) {
#line 53
        particles[global_id].kind = (short)(particles[global_id].kind >> 1);
    }
}
