// ISPC's examples in OpenCL C: the same work-items as in examples.py.
#define IN global const float*
#define OUT global float*
#define BINOMIAL 64
#define DEPTH 32

float normal(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float w = (((1.330274429f * k - 1.821255978f) * k + 1.781477937f) * k - 0.356563782f) * k;
    w = (w + 0.319381530f) * k * 0.39894228040f * exp(-x * x * 0.5f);
    return x > 0.0f ? 1.0f - w : w;
}

kernel void options(OUT out, IN sa, IN xa, IN ta, IN ra, IN va) {
    size_t i = get_global_id(0);
    float s = sa[i], x = xa[i], t = ta[i], r = ra[i], v = va[i];
    float d1 = (log(s / x) + (r + v * v * 0.5f) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
    out[i] = s * normal(d1) - x * exp(-r * t) * normal(d2);
}

kernel void binomial(OUT out, IN sa, IN xa, IN ta, IN ra, IN va) {
    size_t i = get_global_id(0);
    float s = sa[i], x = xa[i], v = va[i], dt = ta[i] / BINOMIAL, tree[BINOMIAL];
    float u = exp(v * sqrt(dt)), disc = exp(ra[i] * dt), pu = (disc - 1.0f / u) / (u - 1.0f / u);
    float square = u * u, price = s * exp(-(float)BINOMIAL * v * sqrt(dt));
    for (int j = 0; j < BINOMIAL; j++) {
        tree[j] = fmax(0.0f, x - price);
        price *= square;
    }
    for (int j = BINOMIAL - 1; j >= 0; j--)
        for (int k = 0; k < j; k++)
            tree[k] = ((1.0f - pu) * tree[k] + pu * tree[k + 1]) / disc;
    out[i] = tree[0];
}

kernel void sgemm_rows(IN a, IN b, OUT c, int n) {
    size_t m = get_global_id(1) * 4, k = get_global_id(0);
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int j = 0; j < n; j++) {
        float v = b[j * n + k];
        s0 += a[m * n + j] * v;
        s1 += a[(m + 1) * n + j] * v;
        s2 += a[(m + 2) * n + j] * v;
        s3 += a[(m + 3) * n + j] * v;
    }
    c[m * n + k] = s0;
    c[(m + 1) * n + k] = s1;
    c[(m + 2) * n + k] = s2;
    c[(m + 3) * n + k] = s3;
}

kernel void stencil(OUT new, IN a, IN vsq, float c0, float c1, float c2, float c3) {
    size_t w = get_global_size(0) + 8, p = w * (get_global_size(1) + 8);
    size_t c = (get_global_id(2) + 4) * p + (get_global_id(1) + 4) * w + get_global_id(0) + 4;
    float wave = c0 * a[c]
        + c1 * (a[c + 1] + a[c - 1] + a[c + w] + a[c - w] + a[c + p] + a[c - p])
        + c2 * (a[c + 2] + a[c - 2] + a[c + 2 * w] + a[c - 2 * w] + a[c + 2 * p] + a[c - 2 * p])
        + c3 * (a[c + 3] + a[c - 3] + a[c + 3 * w] + a[c - 3 * w] + a[c + 3 * p] + a[c - 3 * p]);
    new[c] = 2.0f * a[c] - new[c] + vsq[c] * wave;
}

float meets(IN r, float3 o, float3 d, float t) {
    float3 e1 = (float3)(r[3], r[4], r[5]), e2 = (float3)(r[6], r[7], r[8]), p = cross(d, e2);
    float det = dot(e1, p);
    if (fabs(det) > 1e-12f) {
        float inverse = 1.0f / det;
        float3 s = o - (float3)(r[0], r[1], r[2]), q = cross(s, e1);
        float u = dot(s, p) * inverse, v = dot(d, q) * inverse, w = dot(e2, q) * inverse;
        if (u >= 0.0f && v >= 0.0f && u + v <= 1.0f && w > 1e-4f && w < t)
            return w;
    }
    return t;
}

kernel void rt(OUT image, IN box, global const int* first, global const int* count, IN tri) {
    int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0), stack[DEPTH];
    float3 d = (float3)((x + 0.5f) / n - 0.5f, (y + 0.5f) / n - 0.5f, 1.0f);
    float3 o = (float3)(0.5f, 0.5f, -1.0f);
    float3 i = (float3)(1.0f / (d.x + 1e-9f), 1.0f / (d.y + 1e-9f), 1.0f / d.z);
    float t = 1e9f;
    stack[0] = 0;
    int top = 1;
    while (top > 0) {
        int node = stack[--top];
        IN b = box + 6 * node;
        float ax = (b[0] - o.x) * i.x, bx = (b[3] - o.x) * i.x;
        float ay = (b[1] - o.y) * i.y, by = (b[4] - o.y) * i.y;
        float az = (b[2] - o.z) * i.z, bz = (b[5] - o.z) * i.z;
        float near = fmax(fmax(fmin(ax, bx), fmin(ay, by)), fmax(fmin(az, bz), 0.0f));
        float far = fmin(fmin(fmax(ax, bx), fmax(ay, by)), fmin(fmax(az, bz), t));
        if (near <= far) {
            if (count[node] > 0) {
                for (int k = first[node]; k < first[node] + count[node]; k++)
                    t = meets(tri + 9 * k, o, d, t);
            } else {
                stack[top] = first[node] + 1;
                stack[top + 1] = first[node];
                top += 2;
            }
        }
    }
    image[y * n + x] = t;
}

kernel void nbody(OUT force, IN at, int n) {
    size_t i = get_global_id(0);
    float x = at[4 * i], y = at[4 * i + 1], z = at[4 * i + 2], ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float dx = at[4 * j] - x, dy = at[4 * j + 1] - y, dz = at[4 * j + 2] - z;
        float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        float s = at[4 * j + 3] * (inverse * inverse * inverse);
        ax += dx * s;
        ay += dy * s;
        az += dz * s;
    }
    force[3 * i] = ax;
    force[3 * i + 1] = ay;
    force[3 * i + 2] = az;
}
