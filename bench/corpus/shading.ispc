// Pictures in ISPC: a task has a row, or a tile, and lanes are its pixels.
#define FAR 1e17f
typedef const uniform float IN;
typedef uniform float OUT;

static inline unsigned int random_next(unsigned int state) {
    return state * 1664525u + 1013904223u;
}

static inline float fraction(unsigned int state) {
    return (float)((int)(state >> 8)) * (1.0f / 16777216);
}

static inline int hit(IN s[], float ox, float oy, float oz, float dx, float dy, float dz,
                      float &nearest) {
    int what = -1;
    nearest = FAR;
    for (uniform int k = 0; k < 3; k++) {
        float rx = ox - s[4 * k], ry = oy - s[4 * k + 1], rz = oz - s[4 * k + 2];
        float b = rx * dx + ry * dy + rz * dz;
        float c = rx * rx + ry * ry + rz * rz - s[4 * k + 3] * s[4 * k + 3];
        float e = b * b - c;
        if (e > 0.0f) {
            float t = -b - sqrt(e);
            if (t > 0.0f && t < nearest) {
                nearest = t;
                what = k;
            }
        }
    }
    if (abs(dy) > 1e-17f) {
        float t = -(oy + 0.5f) / dy;
        if (t > 0.0f && t < nearest) {
            nearest = t;
            what = 3;
        }
    }
    return what;
}

static inline float occlusion(IN spheres[], int x, int y, uniform int w, uniform int h,
                              uniform int rays) {
    float dx = (x - w * 0.5f) / (w * 0.5f), dy = -(y - h * 0.5f) / (h * 0.5f), dz = -1.0f;
    float length = sqrt(dx * dx + dy * dy + dz * dz), t, light = 0.0f;
    dx /= length; dy /= length; dz /= length;
    int what = hit(spheres, 0.0f, 0.0f, 0.0f, dx, dy, dz, t);
    if (what >= 0) {
        float px = t * dx, py = t * dy, pz = t * dz, nx = 0.0f, ny = 1.0f, nz = 0.0f;
        if (what < 3) {
            nx = px - spheres[4 * what];
            ny = py - spheres[4 * what + 1];
            nz = pz - spheres[4 * what + 2];
            length = sqrt(nx * nx + ny * ny + nz * nz);
            nx /= length; ny /= length; nz /= length;
        }
        px += nx * 1e-3f; py += ny * 1e-3f; pz += nz * 1e-3f;
        float ax = 0.0f, ay = 0.0f, az = 0.0f;
        if (abs(nx) < 0.6f)
            ax = 1.0f;
        else if (abs(ny) < 0.6f)
            ay = 1.0f;
        else
            az = 1.0f;
        float sx = ay * nz - az * ny, sy = az * nx - ax * nz, sz = ax * ny - ay * nx;
        length = sqrt(sx * sx + sy * sy + sz * sz);
        sx /= length; sy /= length; sz /= length;
        float tx = ny * sz - nz * sy, ty = nz * sx - nx * sz, tz = nx * sy - ny * sx;
        unsigned int seed = y * w + x;
        int blocked = 0;
        for (uniform int k = 0; k < rays; k++) {
            seed = random_next(seed);
            float theta = sqrt(fraction(seed));
            seed = random_next(seed);
            float phi = 6.2831853f * fraction(seed), far;
            float u = cos(phi) * theta, v = sin(phi) * theta, up = sqrt(1.0f - theta * theta);
            if (hit(spheres, px, py, pz, u * sx + v * tx + up * nx, u * sy + v * ty + up * ny,
                    u * sz + v * tz + up * nz, far) >= 0)
                blocked++;
        }
        light = (float)(rays - blocked) / rays;
    }
    return light;
}

task void aobench_row(uniform int h, uniform int w, OUT image[], IN spheres[],
                      uniform int rays) {
    uniform int y = taskIndex;
    foreach (x = 0 ... w)
        image[y * w + x] = occlusion(spheres, x, y, w, h, rays);
}

export void aobench(uniform int h, uniform int w, OUT image[], IN spheres[],
                    uniform int rays) {
    launch[h] aobench_row(h, w, image, spheres, rays);
}

static inline float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }
static inline float mix(float t, float a, float b) { return a + t * (b - a); }

static inline float gradient(int h, float x, float y, float z) {
    h &= 15;
    float u = (h < 8 || h == 12 || h == 13) ? x : y, v = (h < 4 || h == 12 || h == 13) ? y : z;
    return ((h & 1) ? -u : u) + ((h & 2) ? -v : v);
}

static inline float noise_at(float x, float y, float z, const uniform int p[]) {
    float fx = floor(x), fy = floor(y), fz = floor(z);
    int ix = (int)fx & 255, iy = (int)fy & 255, iz = (int)fz & 255;
    x -= fx; y -= fy; z -= fz;
    float u = fade(x), v = fade(y), w = fade(z);
    int a = p[ix] + iy, b = p[ix + 1] + iy;
    int aa = p[a] + iz, ab = p[a + 1] + iz, ba = p[b] + iz, bb = p[b + 1] + iz;
    float x1 = x - 1.0f, y1 = y - 1.0f, z1 = z - 1.0f;
    return mix(w, mix(v, mix(u, gradient(p[aa], x, y, z), gradient(p[ba], x1, y, z)),
                      mix(u, gradient(p[ab], x, y1, z), gradient(p[bb], x1, y1, z))),
               mix(v, mix(u, gradient(p[aa + 1], x, y, z1), gradient(p[ba + 1], x1, y, z1)),
                   mix(u, gradient(p[ab + 1], x, y1, z1), gradient(p[bb + 1], x1, y1, z1))));
}

task void noise_row(uniform int w, OUT image[], const uniform int p[], uniform float step,
                    uniform int octaves) {
    uniform int y = taskIndex;
    foreach (x = 0 ... w) {
        float total = 0.0f;
        uniform float scale = 1.0f, size = 1.0f;
        for (uniform int k = 0; k < octaves; k++) {
            total += size * abs(noise_at(scale * (x * step), scale * (y * step),
                                         scale * 0.6f, p));
            scale *= 1.99f;
            size *= 0.6f;
        }
        image[y * w + x] = total;
    }
}

export void noise(uniform int h, uniform int w, OUT image[], const uniform int p[],
                  uniform float step, uniform int octaves) {
    launch[h] noise_row(w, image, p, step, octaves);
}

static inline float density_at(IN d[], uniform int n, float x, float y, float z) {
    float out = 0.0f;
    if (x >= 0 && x < 1 && y >= 0 && y < 1 && z >= 0 && z < 1) {
        float gx = x * (n - 1), gy = y * (n - 1), gz = z * (n - 1);
        int i = (int)gx, j = (int)gy, k = (int)gz;
        int c = (k * n + j) * n + i;
        uniform int p = n * n;
        float u = gx - i, v = gy - j, w = gz - k;
        float near = mix(v, mix(u, d[c], d[c + 1]), mix(u, d[c + n], d[c + n + 1]));
        float far = mix(v, mix(u, d[c + p], d[c + p + 1]),
                        mix(u, d[c + p + n], d[c + p + n + 1]));
        out = mix(w, near, far);
    }
    return out;
}

task void volume_row(uniform int h, uniform int w, OUT image[], IN density[], uniform int n) {
    uniform int row = taskIndex;
    foreach (column = 0 ... w) {
        float x = (column + 0.5f) / w, y = (row + 0.5f) / h, light = 0.0f, left = 1.0f;
        float dx = (0.5f - x) * 0.01f, dy = (0.5f - y) * 0.01f;
        uniform float z = 0.0f;
        while (z < 1.0f && left > 0.005f) {
            float here = density_at(density, n, x, y, z);
            if (here > 0.01f) {
                float total = 0.0f, sx = x, sy = y;
                while (sy < 1.0f) {
                    total += density_at(density, n, sx, sy, z);
                    sx += 0.02f;
                    sy += 0.08f;
                }
                light += left * here * 0.2f * exp(-total * 0.8f);
                left *= exp(-here * 0.2f);
            }
            x += dx; y += dy; z += 0.02f;
        }
        image[row * w + column] = light;
    }
}

export void volume(uniform int h, uniform int w, OUT image[], IN density[], uniform int n) {
    launch[h] volume_row(h, w, image, density, n);
}

task void mandelbrot_row(uniform int w, uniform int image[], uniform float step,
                         uniform int limit) {
    uniform int row = taskIndex;
    foreach (column = 0 ... w) {
        float cx = -2.0f + column * step, cy = -1.0f + row * step;
        float x = cx, y = cy;
        int n;
        for (n = 0; n < limit; n++) {
            if (x * x + y * y > 4.0f)
                break;
            float t = x * x - y * y + cx;
            y = 2.0f * x * y + cy;
            x = t;
        }
        image[row * w + column] = n;
    }
}

export void mandelbrot(uniform int h, uniform int w, uniform int image[], uniform float step,
                       uniform int limit) {
    launch[h] mandelbrot_row(w, image, step, limit);
}

task void deferred_tile(uniform int w, OUT image[], IN depth[], IN lights[],
                        uniform float scale, uniform int ends[], uniform int n) {
    uniform int which = taskIndex, columns = w / 16;
    uniform int y0 = which / columns * 16, x0 = which % columns * 16;
    float least = FAR, most = 0.0f;
    foreach (y = y0 ... y0 + 16, x = x0 ... x0 + 16) {
        least = min(least, depth[y * w + x]);
        most = max(most, depth[y * w + x]);
    }
    uniform float low = reduce_min(least), high = reduce_max(most);
    uniform float left = x0 * scale, top = y0 * scale, side = 16 * scale;
    uniform int listed[256];
    uniform int count = 0;
    foreach (k = 0 ... n) {
        float lx = lights[5 * k], ly = lights[5 * k + 1], lz = lights[5 * k + 2];
        float reach = lights[5 * k + 3];
        if (lz + reach > low && lz - reach < high && lx + reach > left
            && lx - reach < left + side && ly + reach > top && ly - reach < top + side)
            count += packed_store_active(&listed[count], k);
    }
    foreach (y = y0 ... y0 + 16, x = x0 ... x0 + 16) {
        float here = depth[y * w + x], total = 0.0f;
        for (uniform int m = 0; m < count; m++) {
            uniform int l = 5 * listed[m];
            float dx = lights[l] - x * scale, dy = lights[l + 1] - y * scale;
            float dz = lights[l + 2] - here, near = 0.0f;
            float square = dx * dx + dy * dy + dz * dz;
            if (square < lights[l + 3] * lights[l + 3])
                near = 1.0f - sqrt(square) / lights[l + 3];
            total += lights[l + 4] * (near * near);
        }
        image[y * w + x] = total;
    }
    ends[taskIndex] = count;
}

export void deferred(uniform int h, uniform int w, OUT image[], IN depth[], IN lights[],
                     uniform float scale, uniform int ends[], uniform int n) {
    launch[h / 16 * (w / 16)] deferred_tile(w, image, depth, lights, scale, ends, n);
}
