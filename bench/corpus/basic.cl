// RAJAPerf's Basic group in OpenCL C: the same work-items and groups as in basic.py.
#define TILE 16

kernel void daxpy(global double* y, global const double* x, double a) {
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}

kernel void if_quad(global const double* a, global const double* b, global const double* c,
                    global double* x1, global double* x2) {
    size_t i = get_global_id(0);
    double s = b[i] * b[i] - 4.0 * a[i] * c[i];
    if (s >= 0) {
        s = sqrt(s);
        x2[i] = (-b[i] + s) / (2.0 * a[i]);
        x1[i] = (-b[i] - s) / (2.0 * a[i]);
    } else {
        x2[i] = 0.0;
        x1[i] = 0.0;
    }
}

kernel void init3(global double* o1, global double* o2, global double* o3,
                  global const double* a, global const double* b) {
    size_t i = get_global_id(0);
    o1[i] = o2[i] = o3[i] = -a[i] - b[i];
}

kernel void muladdsub(global double* o1, global double* o2, global double* o3,
                      global const double* a, global const double* b) {
    size_t i = get_global_id(0);
    o1[i] = a[i] * b[i];
    o2[i] = a[i] + b[i];
    o3[i] = a[i] - b[i];
}

kernel void copy8(global double* dst, global const double* src, int n) {
    size_t i = get_global_id(0);
    for (int k = 0; k < 8; k++)
        dst[k * n + i] = src[k * n + i];
}

kernel void nested_init(global double* array) {
    size_t i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    array[i + get_global_size(0) * (j + get_global_size(1) * k)] =
        0.00000001 * (double)i * (double)j * (double)k;
}

kernel void pi_reduce(global double* parts, int n, double dx) {
    double sum = 0.0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        double x = (i + 0.5) * dx;
        sum += dx / (1.0 + x * x);
    }
    sum = work_group_reduce_add(sum);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = sum;
}

kernel void trap_int(global double* parts, int n, double x0, double h, double y, double xp,
                     double yp) {
    double sum = 0.0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        double x = x0 + i * h;
        sum += 1.0 / sqrt((x - xp) * (x - xp) + (y - yp) * (y - yp));
    }
    sum = work_group_reduce_add(sum);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = sum;
}

kernel void finish(global const double* parts, global double* out) {
    double sum = 0.0;
    for (int i = 0; i < 64; i++)
        sum += parts[i];
    out[0] = sum;
}

kernel void mat_mat_shared(global const double* a, global const double* b, global double* c, int n,
                           local double* left, local double* right) {
    int ty = get_local_id(1), tx = get_local_id(0);
    int row = get_group_id(1) * TILE + ty, col = get_group_id(0) * TILE + tx;
    double total = 0.0;
    for (int k = 0; k < (TILE + n - 1) / TILE; k++) {
        left[ty * TILE + tx] = k * TILE + tx < n && row < n ? a[row * n + k * TILE + tx] : 0.0;
        right[ty * TILE + tx] = k * TILE + ty < n && col < n ? b[(k * TILE + ty) * n + col] : 0.0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int m = 0; m < TILE; m++)
            total += left[ty * TILE + m] * right[m * TILE + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && col < n)
        c[row * n + col] = total;
}
