// NAS in OpenCL C: the same work-items and groups as in nas.py.
#define IN global const double*
#define OUT global double*

kernel void cg_start(OUT z, OUT r, OUT p, IN x) {
    size_t i = get_global_id(0);
    z[i] = 0.0;
    r[i] = x[i];
    p[i] = x[i];
}

kernel void cg_multiply(global const int* starts, global const int* columns, IN values, IN p,
                        OUT q) {
    size_t row = get_global_id(0);
    double total = 0.0;
    for (int k = starts[row]; k < starts[row + 1]; k++)
        total += values[k] * p[columns[k]];
    q[row] = total;
}

kernel void cg_dot(OUT parts, IN a, IN b, int n) {
    double sum = 0.0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i] * b[i];
    sum = work_group_reduce_add(sum);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = sum;
}

kernel void finish(IN parts, OUT out) {
    double sum = 0.0;
    for (int i = 0; i < 64; i++)
        sum += parts[i];
    out[0] = sum;
}

kernel void cg_step(OUT z, OUT r, IN p, IN q, IN rho, IN pq) {
    size_t i = get_global_id(0);
    double alpha = rho[0] / pq[0];
    z[i] += alpha * p[i];
    r[i] -= alpha * q[i];
}

kernel void cg_direction(OUT p, IN r, IN rho, IN rho0) {
    size_t i = get_global_id(0);
    p[i] = r[i] + rho[0] / rho0[0] * p[i];
}

#define MASK ((1UL << 46) - 1)
#define FACTOR 1220703125UL

kernel void ep(global int* counts, OUT sums, int pairs) {
    int mine[10] = {0};
    double sx = 0.0, sy = 0.0, scale = 1.0 / (1UL << 46);
    ulong state = 271828183, base = FACTOR;
    for (ulong k = 2 * get_global_id(0) * pairs; k > 0; k >>= 1) {
        if (k & 1)
            state = (state * base) & MASK;
        base = (base * base) & MASK;
    }
    for (int n = 0; n < pairs; n++) {
        state = (state * FACTOR) & MASK;
        double x = 2.0 * (state * scale) - 1.0;
        state = (state * FACTOR) & MASK;
        double y = 2.0 * (state * scale) - 1.0, t = x * x + y * y;
        if (t <= 1.0) {
            double f = sqrt(-2.0 * log(t) / t), gx = x * f, gy = y * f;
            mine[(int)fmax(fabs(gx), fabs(gy))]++;
            sx += gx;
            sy += gy;
        }
    }
    size_t g = get_group_id(0);
    for (int b = 0; b < 10; b++) {
        int total = work_group_reduce_add(mine[b]);
        if (get_local_id(0) == 0)
            counts[g * 10 + b] = total;
    }
    sx = work_group_reduce_add(sx);
    sy = work_group_reduce_add(sy);
    if (get_local_id(0) == 0) {
        sums[g * 2] = sx;
        sums[g * 2 + 1] = sy;
    }
}

kernel void is_clear(global int* counts) { counts[get_global_id(0)] = 0; }

kernel void is_count(global int* counts, global const int* keys) {
    atomic_inc(counts + keys[get_global_id(0)]);
}

kernel void is_scan(global const int* counts, global int* ranks, int n) {
    int total = 0;
    for (int i = 0; i < n; i++)
        ranks[i] = total += counts[i];
}

kernel void mg_resid(IN u, IN v, OUT r, double a0, double a2, double a3) {
    size_t w = get_global_size(0) + 2, p = w * (get_global_size(1) + 2);
    size_t c = (get_global_id(2) + 1) * p + (get_global_id(1) + 1) * w + get_global_id(0) + 1;
    double edges = u[c - p - w] + u[c - p + w] + u[c - p - 1] + u[c - p + 1] + u[c + p - w]
        + u[c + p + w] + u[c + p - 1] + u[c + p + 1] + u[c - w - 1] + u[c - w + 1] + u[c + w - 1]
        + u[c + w + 1];
    double corners = u[c - p - w - 1] + u[c - p - w + 1] + u[c - p + w - 1] + u[c - p + w + 1]
        + u[c + p - w - 1] + u[c + p - w + 1] + u[c + p + w - 1] + u[c + p + w + 1];
    r[c] = v[c] - a0 * u[c] - a2 * edges - a3 * corners;
}
