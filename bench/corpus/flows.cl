// Simulations and a path tracer in OpenCL C: the same work-items as in flows.py.
#define IN global const float*
#define OUT global float*

constant int CX[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, CY[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
constant float W[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9,
                       1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

kernel void lbm(IN given, OUT out, int nx, int ny) {
    int x = get_global_id(0), y = get_global_id(1);
    float f[9], rho = 0, ux = 0, uy = 0;
    for (int k = 0; k < 9; k++) {
        int xs = x - CX[k], ys = y - CY[k];
        xs = xs < 0 ? nx - 1 : xs == nx ? 0 : xs;
        ys = ys < 0 ? ny - 1 : ys == ny ? 0 : ys;
        float v = given[(k * ny + ys) * nx + xs];
        f[k] = v;
        rho += v;
        ux += CX[k] * v;
        uy += CY[k] * v;
    }
    ux /= rho;
    uy /= rho;
    float square = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        float cu = 3.0f * (CX[k] * ux + CY[k] * uy);
        float equilibrium = W[k] * rho * (1.0f + cu + 0.5f * cu * cu - square);
        out[(k * ny + y) * nx + x] = f[k] + 1.2f * (equilibrium - f[k]);
    }
}

kernel void sph_density(IN px, IN py, global const int* starts, int cells, OUT rho) {
    int i = get_global_id(0), cx = (int)px[i], cy = (int)py[i];
    float total = 0.0f;
    for (int gy = max(cy - 1, 0); gy < min(cy + 2, cells); gy++)
        for (int gx = max(cx - 1, 0); gx < min(cx + 2, cells); gx++)
            for (int j = starts[gy * cells + gx]; j < starts[gy * cells + gx + 1]; j++) {
                float dx = px[i] - px[j], dy = py[i] - py[j], r2 = dx * dx + dy * dy;
                if (r2 < 1.0f) {
                    float w = 1.0f - r2;
                    total += w * w * w;
                }
            }
    rho[i] = total;
}

kernel void sph_force(IN px, IN py, global const int* starts, int cells, IN rho, OUT fx, OUT fy) {
    int i = get_global_id(0), cx = (int)px[i], cy = (int)py[i];
    float ax = 0.0f, ay = 0.0f, mine = rho[i] - 2.0f;
    for (int gy = max(cy - 1, 0); gy < min(cy + 2, cells); gy++)
        for (int gx = max(cx - 1, 0); gx < min(cx + 2, cells); gx++)
            for (int j = starts[gy * cells + gx]; j < starts[gy * cells + gx + 1]; j++) {
                float dx = px[i] - px[j], dy = py[i] - py[j], r2 = dx * dx + dy * dy;
                if (j != i && r2 < 1.0f) {
                    float r = sqrt(r2) + 1e-3f;
                    float push = (mine + rho[j] - 2.0f) / (2.0f * rho[j]) * (1.0f - r)
                        * (1.0f - r) / r;
                    ax += push * dx;
                    ay += push * dy;
                }
            }
    fx[i] = ax;
    fy[i] = ay;
}

constant int OY[12] = {0, 0, 1, -1, 1, 1, -1, -1, 0, 0, 2, -2};
constant int OX[12] = {1, -1, 0, 0, 1, -1, 1, -1, 2, -2, 0, 0};

kernel void cloth(IN p, IN v, OUT q, OUT w, float dt) {
    int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0);
    int h = get_global_size(1), at = 4 * (y * n + x);
    float px = p[at], py = p[at + 1], pz = p[at + 2], fx = 0.0f, fy = -9.81f, fz = 0.0f;
    for (int k = 0; k < 12; k++) {
        int j = y + OY[k], i = x + OX[k];
        if (0 <= j && j < h && 0 <= i && i < n) {
            IN o = p + 4 * (j * n + i);
            float dx = o[0] - px, dy = o[1] - py, dz = o[2] - pz;
            float length = sqrt(dx * dx + dy * dy + dz * dz);
            float rest = k < 4 ? 1.0f : k < 8 ? 1.41421356f : 2.0f;
            float pull = 40.0f * (length - rest) / length;
            fx += pull * dx;
            fy += pull * dy;
            fz += pull * dz;
        }
    }
    float vx = v[at] + dt * fx, vy = v[at + 1] + dt * fy, vz = v[at + 2] + dt * fz;
    if (y == 0)
        vx = vy = vz = 0.0f;
    w[at] = vx, w[at + 1] = vy, w[at + 2] = vz;
    q[at] = px + dt * vx, q[at + 1] = py + dt * vy, q[at + 2] = pz + dt * vz;
}

uint random_next(uint state) { return state * 1664525u + 1013904223u; }
float as_float_(uint state) { return (float)(state >> 8) * (1.0f / 16777216); }

kernel void path(OUT image, IN s, int samples, int count) {
    int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0);
    uint seed = (y * n + x) * 9781 + 1;
    float sum = 0.0f;
    for (int m = 0; m < samples; m++) {
        seed = random_next(seed);
        float dx = (x + as_float_(seed)) / n - 0.5f;
        seed = random_next(seed);
        float dy = (y + as_float_(seed)) / n - 0.5f, length = sqrt(dx * dx + dy * dy + 1.0f);
        float3 d = (float3)(dx / length, dy / length, 1.0f / length), o = (float3)(0.0f);
        float light = 0.0f, left = 1.0f;
        for (int bounce = 0; bounce < 5; bounce++) {
            float near = 1e20f;
            int k = -1;
            for (int c = 0; c < count; c++) {
                float3 r = (float3)(s[7 * c], s[7 * c + 1], s[7 * c + 2]) - o;
                float b = dot(r, d), e = b * b - dot(r, r) + s[7 * c + 3] * s[7 * c + 3];
                if (e > 0.0f) {
                    float root = sqrt(e), t = b - root;
                    if (t < 1e-3f)
                        t = b + root;
                    if (t > 1e-3f && t < near) {
                        near = t;
                        k = c;
                    }
                }
            }
            if (k < 0) {
                light += left * 0.3f;
                break;
            }
            IN ball = s + 7 * k;
            light += left * ball[4];
            left *= ball[5];
            o += near * d;
            float3 v = (o - (float3)(ball[0], ball[1], ball[2])) / ball[3];
            if (dot(v, d) > 0.0f)
                v = -v;
            if (ball[6] > 0.0f) {
                d -= 2.0f * dot(v, d) * v;
            } else {
                seed = random_next(seed);
                float z = 2.0f * as_float_(seed) - 1.0f;
                seed = random_next(seed);
                float phi = 6.2831853f * as_float_(seed), flat = sqrt(fmax(0.0f, 1.0f - z * z));
                d = v + (float3)(flat * cos(phi), flat * sin(phi), z);
                d /= sqrt(dot(d, d)) + 1e-9f;
            }
        }
        sum += light;
    }
    image[y * n + x] = sum / samples;
}
