// Small cases in OpenCL C: the same work-items as in classes.py, written the better way.
#define IN global const float*
#define OUT global float*
#define X get_global_id(0)
#define Y get_global_id(1)

kernel void polynomial(OUT out, IN a) {
    float x = a[X];
    out[X] = ((x * 0.3f - 0.2f) * x + 0.1f) * x - 0.5f;
}

kernel void table(OUT out, global const int* which, IN weights) { out[X] = weights[which[X]]; }

kernel void blur(OUT out, IN image, IN weights) {
    size_t w = get_global_size(0);
    float total = 0.0f;
    for (int j = 0; j < 7; j++)
        for (int i = 0; i < 7; i++)
            total += weights[7 * j + i] * image[(Y + j) * (w + 6) + X + i];
    out[Y * w + X] = total;
}

kernel void copy(OUT out, IN a) {
    size_t at = Y * get_global_size(0) + X;
    out[at] = a[at];
}

kernel void heat(OUT out, IN a, float alpha) {
    size_t w = get_global_size(0) + 2, c = (Y + 1) * w + X + 1;
    out[c] = a[c] + alpha * (a[c - w] + a[c + w] + a[c - 1] + a[c + 1] - 4.0f * a[c]);
}

kernel void heat_periodic(OUT out, IN a, float alpha, int h, int w) {
    int x = X, y = Y, up = y == 0 ? h - 1 : y - 1, down = y == h - 1 ? 0 : y + 1;
    int left = x == 0 ? w - 1 : x - 1, right = x == w - 1 ? 0 : x + 1;
    out[y * w + x] = a[y * w + x] + alpha * (a[up * w + x] + a[down * w + x] + a[y * w + left]
                                             + a[y * w + right] - 4.0f * a[y * w + x]);
}

kernel void private_vectors(global float4* out, global const float4* points, IN weights,
                            int count) {
    float4 acc[4] = {0, 0, 0, 0};
    for (int j = 0; j < count; j++)
        for (int k = 0; k < 4; k++)
            acc[k] += weights[4 * j + k] * points[X];
    out[X] = acc[0] * acc[1] * acc[2] * acc[3];
}

kernel void power_rows(OUT out, IN a, int n) {
    int i = X, next = i == n - 1 ? 0 : i + 1;
    float total = 0.0f;
    for (int k = 0; k < n; k++)
        total += a[k * n + i] * a[k * n + next];
    out[i] = total;
}
