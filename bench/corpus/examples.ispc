// Options, sgemm, a wave, rays through a tree and bodies in ISPC.
#define BINOMIAL 64
#define DEPTH 32
#define PART 4096
typedef const uniform float IN;
typedef uniform float OUT;

static inline float normal(float x) {
    float k = 1.0f / (1.0f + 0.2316419f * abs(x));
    float w = (((1.330274429f * k - 1.821255978f) * k + 1.781477937f) * k - 0.356563782f) * k;
    w = (w + 0.319381530f) * k * 0.39894228040f * exp(-x * x * 0.5f);
    return x > 0.0f ? 1.0f - w : w;
}

task void options_part(uniform int n, OUT out[], IN sa[], IN xa[], IN ta[], IN ra[], IN va[]) {
    uniform int begin = (uniform int)taskIndex * PART;
    foreach (i = begin ... min(begin + PART, n)) {
        float s = sa[i], x = xa[i], t = ta[i], r = ra[i], v = va[i];
        float d1 = (log(s / x) + (r + v * v * 0.5f) * t) / (v * sqrt(t));
        float d2 = d1 - v * sqrt(t);
        out[i] = s * normal(d1) - x * exp(-r * t) * normal(d2);
    }
}

export void options(uniform int n, OUT out[], IN sa[], IN xa[], IN ta[], IN ra[], IN va[]) {
    launch[(n + PART - 1) / PART] options_part(n, out, sa, xa, ta, ra, va);
}

task void binomial_part(uniform int n, OUT out[], IN sa[], IN xa[], IN ta[], IN ra[], IN va[]) {
    uniform int begin = (uniform int)taskIndex * 64;
    foreach (i = begin ... min(begin + 64, n)) {
        float s = sa[i], x = xa[i], v = va[i], dt = ta[i] / BINOMIAL, tree[BINOMIAL];
        float u = exp(v * sqrt(dt)), disc = exp(ra[i] * dt);
        float pu = (disc - 1.0f / u) / (u - 1.0f / u);
        float square = u * u, price = s * exp(-(float)BINOMIAL * v * sqrt(dt));
        for (uniform int j = 0; j < BINOMIAL; j++) {
            tree[j] = max(0.0f, x - price);
            price *= square;
        }
        for (uniform int j = BINOMIAL - 1; j >= 0; j--)
            for (uniform int k = 0; k < j; k++)
                tree[k] = ((1.0f - pu) * tree[k] + pu * tree[k + 1]) / disc;
        out[i] = tree[0];
    }
}

export void binomial(uniform int n, OUT out[], IN sa[], IN xa[], IN ta[], IN ra[], IN va[]) {
    launch[(n + 63) / 64] binomial_part(n, out, sa, xa, ta, ra, va);
}

task void sgemm_part(IN a[], IN b[], OUT c[], uniform int n) {
    uniform int m = (uniform int)taskIndex * 4;
    foreach (k = 0 ... n) {
        float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
        for (uniform int j = 0; j < n; j++) {
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
}

export void sgemm_rows(uniform int rows, uniform int columns, IN a[], IN b[], OUT c[],
                       uniform int n) {
    launch[rows] sgemm_part(a, b, c, n);
}

task void stencil_plane(uniform int ny, uniform int nx, OUT new_[], IN a[], IN vsq[],
                        uniform float c0, uniform float c1, uniform float c2, uniform float c3) {
    uniform int w = nx + 8, z = taskIndex + 4;
    uniform int p = w * (ny + 8);
    for (uniform int y = 4; y < ny + 4; y++)
        foreach (x = 4 ... nx + 4) {
            int c = z * p + y * w + x;
            float wave = c0 * a[c]
                + c1 * (a[c + 1] + a[c - 1] + a[c + w] + a[c - w] + a[c + p] + a[c - p])
                + c2 * (a[c + 2] + a[c - 2] + a[c + 2 * w] + a[c - 2 * w]
                        + a[c + 2 * p] + a[c - 2 * p])
                + c3 * (a[c + 3] + a[c - 3] + a[c + 3 * w] + a[c - 3 * w]
                        + a[c + 3 * p] + a[c - 3 * p]);
            new_[c] = 2.0f * a[c] - new_[c] + vsq[c] * wave;
        }
}

export void stencil(uniform int nz, uniform int ny, uniform int nx, OUT new_[], IN a[],
                    IN vsq[], uniform float c0, uniform float c1, uniform float c2,
                    uniform float c3) {
    launch[nz] stencil_plane(ny, nx, new_, a, vsq, c0, c1, c2, c3);
}

static inline float meets(IN r[], float dx, float dy, float dz, float t) {
    uniform float e1x = r[3], e1y = r[4], e1z = r[5], e2x = r[6], e2y = r[7], e2z = r[8];
    float px = dy * e2z - dz * e2y, py = dz * e2x - dx * e2z, pz = dx * e2y - dy * e2x;
    float det = e1x * px + e1y * py + e1z * pz;
    if (abs(det) > 1e-12f) {
        float inverse = 1.0f / det;
        uniform float tx = 0.5f - r[0], ty = 0.5f - r[1], tz = -1.0f - r[2];
        uniform float qx = ty * e1z - tz * e1y, qy = tz * e1x - tx * e1z, qz = tx * e1y - ty * e1x;
        float u = (tx * px + ty * py + tz * pz) * inverse;
        float v = (dx * qx + dy * qy + dz * qz) * inverse;
        float w = (e2x * qx + e2y * qy + e2z * qz) * inverse;
        if (u >= 0.0f && v >= 0.0f && u + v <= 1.0f && w > 1e-4f && w < t)
            t = w;
    }
    return t;
}

task void rt_tile(uniform int n, uniform int side, OUT image[], IN box[],
                  const uniform int first[], const uniform int count[], IN tri[]) {
    uniform int which = taskIndex, tiles = (n + side - 1) / side;
    uniform int y0 = which / tiles * side, x0 = which % tiles * side;
    foreach_tiled (y = y0 ... min(y0 + side, n), x = x0 ... min(x0 + side, n)) {
        float dx = (x + 0.5f) / n - 0.5f, dy = (y + 0.5f) / n - 0.5f, dz = 1.0f, t = 1e9f;
        float ix = 1.0f / (dx + 1e-9f), iy = 1.0f / (dy + 1e-9f), iz = 1.0f / dz;
        uniform int stack[DEPTH];
        stack[0] = 0;
        uniform int top = 1;
        while (top > 0) {
            uniform int node = stack[--top];
            IN * uniform b = box + 6 * node;
            float ax = (b[0] - 0.5f) * ix, bx = (b[3] - 0.5f) * ix;
            float ay = (b[1] - 0.5f) * iy, by = (b[4] - 0.5f) * iy;
            float az = (b[2] + 1.0f) * iz, bz = (b[5] + 1.0f) * iz;
            float near = max(max(min(ax, bx), min(ay, by)), max(min(az, bz), 0.0f));
            float far = min(min(max(ax, bx), max(ay, by)), min(max(az, bz), t));
            if (any(near <= far)) {
                if (count[node] > 0) {
                    for (uniform int k = first[node]; k < first[node] + count[node]; k++)
                        t = meets(tri + 9 * k, dx, dy, dz, t);
                } else {
                    stack[top] = first[node] + 1;
                    stack[top + 1] = first[node];
                    top += 2;
                }
            }
        }
        image[y * n + x] = t;
    }
}

export void rt(uniform int n, uniform int columns, OUT image[], IN box[],
               const uniform int first[], const uniform int count[], IN tri[]) {
    uniform int tiles = (n + 15) / 16;
    launch[tiles * tiles] rt_tile(n, 16, image, box, first, count, tri);
}

task void nbody_part(uniform int n, OUT force[], IN at[]) {
    uniform int begin = (uniform int)taskIndex * 64;
    foreach (i = begin ... min(begin + 64, n)) {
        float x = at[4 * i], y = at[4 * i + 1], z = at[4 * i + 2], ax = 0.0f, ay = 0.0f, az = 0.0f;
        for (uniform int j = 0; j < n; j++) {
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
}

export void nbody(uniform int items, OUT force[], IN at[], uniform int n) {
    launch[(n + 63) / 64] nbody_part(n, force, at);
}
