// Polybench in OpenCL C: the same work-items as in polybench.py.
#define IN global const double*
#define OUT global double*
#define X get_global_id(0)
#define Y get_global_id(1)

kernel void gemm(OUT c, IN a, IN b, double alpha, double beta, int n) {
    size_t i = Y, j = X;
    double dot = 0.0;
    for (int k = 0; k < n; k++)
        dot += alpha * a[i * n + k] * b[k * n + j];
    c[i * n + j] = beta * c[i * n + j] + dot;
}

kernel void by_row(OUT out, IN a, IN x, int n) {
    size_t i = X;
    double dot = 0.0;
    for (int j = 0; j < n; j++)
        dot += a[i * n + j] * x[j];
    out[i] = dot;
}

kernel void by_column(OUT out, IN a, IN x, int n) {
    size_t j = X;
    double dot = 0.0;
    for (int i = 0; i < n; i++)
        dot += a[i * n + j] * x[i];
    out[j] = dot;
}

kernel void gesummv(OUT y, IN a, IN b, IN x, double alpha, double beta, int n) {
    size_t i = X;
    double tmpdot = 0.0, ydot = 0.0;
    for (int j = 0; j < n; j++) {
        tmpdot += a[i * n + j] * x[j];
        ydot += b[i * n + j] * x[j];
    }
    y[i] = alpha * tmpdot + beta * ydot;
}

kernel void gemver_1(OUT a, IN b, IN u1, IN v1, IN u2, IN v2) {
    size_t i = Y, j = X, n = get_global_size(0);
    a[i * n + j] = b[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];
}

kernel void gemver_2(OUT x, IN a, IN y, IN z, double beta, int n) {
    size_t i = X;
    double dot = 0.0;
    for (int j = 0; j < n; j++)
        dot += beta * a[j * n + i] * y[j];
    x[i] = dot + z[i];
}

kernel void gemver_3(OUT w, IN a, IN x, double alpha, int n) {
    size_t i = X;
    double dot = 0.0;
    for (int j = 0; j < n; j++)
        dot += alpha * a[i * n + j] * x[j];
    w[i] = dot;
}

kernel void adi_columns(IN u, OUT v, OUT p, OUT q, int n, double a, double b, double c, double d,
                        double f) {
    size_t i = X + 1;
    v[i] = 1.0;
    p[i * n] = 0.0;
    q[i * n] = v[i];
    for (int j = 1; j < n - 1; j++) {
        p[i * n + j] = -c / (a * p[i * n + j - 1] + b);
        q[i * n + j] = (-d * u[j * n + i - 1] + (1.0 + 2.0 * d) * u[j * n + i]
                        - f * u[j * n + i + 1] - a * q[i * n + j - 1]) / (a * p[i * n + j - 1] + b);
    }
    v[(n - 1) * n + i] = 1.0;
    for (int k = n - 2; k > 0; k--)
        v[k * n + i] = p[i * n + k] * v[(k + 1) * n + i] + q[i * n + k];
}

kernel void adi_rows(OUT u, IN v, OUT p, OUT q, int n, double a, double c, double d, double e,
                     double f) {
    size_t i = X + 1;
    u[i * n] = 1.0;
    p[i * n] = 0.0;
    q[i * n] = u[i * n];
    for (int j = 1; j < n - 1; j++) {
        p[i * n + j] = -f / (d * p[i * n + j - 1] + e);
        q[i * n + j] = (-a * v[(i - 1) * n + j] + (1.0 + 2.0 * a) * v[i * n + j]
                        - c * v[(i + 1) * n + j] - d * q[i * n + j - 1])
            / (d * p[i * n + j - 1] + e);
    }
    u[i * n + n - 1] = 1.0;
    for (int k = n - 2; k > 0; k--)
        u[i * n + k] = p[i * n + k] * u[i * n + k + 1] + q[i * n + k];
}

kernel void fdtd_ey(OUT ey, IN hz, double now) {
    size_t i = Y, j = X, n = get_global_size(0);
    if (i == 0)
        ey[j] = now;
    else
        ey[i * n + j] = ey[i * n + j] - 0.5 * (hz[i * n + j] - hz[(i - 1) * n + j]);
}

kernel void fdtd_ex(OUT ex, IN hz) {
    size_t i = Y, j = X, n = get_global_size(0);
    if (j > 0)
        ex[i * n + j] = ex[i * n + j] - 0.5 * (hz[i * n + j] - hz[i * n + j - 1]);
}

kernel void fdtd_hz(OUT hz, IN ex, IN ey) {
    size_t n = get_global_size(0) + 1, c = Y * n + X;
    hz[c] = hz[c] - 0.7 * (ex[c + 1] - ex[c] + ey[c + n] - ey[c]);
}

kernel void heat_3d(IN a, OUT b) {
    size_t w = get_global_size(0) + 2, p = w * (get_global_size(1) + 2);
    size_t c = (get_global_id(2) + 1) * p + (Y + 1) * w + X + 1;
    b[c] = 0.125 * (a[c + p] - 2.0 * a[c] + a[c - p]) + 0.125 * (a[c + w] - 2.0 * a[c] + a[c - w])
        + 0.125 * (a[c + 1] - 2.0 * a[c] + a[c - 1]) + a[c];
}

kernel void jacobi_1d(IN a, OUT b) {
    size_t i = X + 1;
    b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
}

kernel void jacobi_2d(IN a, OUT b) {
    size_t w = get_global_size(0) + 2, c = (Y + 1) * w + X + 1;
    b[c] = 0.2 * (a[c] + a[c - 1] + a[c + 1] + a[c + w] + a[c - w]);
}

kernel void floyd_warshall(OUT paths, int k) {
    size_t i = Y, j = X, n = get_global_size(0);
    double through = paths[i * n + k] + paths[k * n + j], now = paths[i * n + j];
    paths[i * n + j] = now < through ? now : through;
}

kernel void covariance(OUT out, IN data, IN mean, int n) {
    size_t i = Y, j = X;
    double total = 0.0;
    for (int k = 0; k < n; k++)
        total += (data[k * n + i] - mean[i]) * (data[k * n + j] - mean[j]);
    out[i * n + j] = total / (n - 1.0);
}
