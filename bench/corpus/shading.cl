// Pictures in OpenCL C: the same work-items and groups as in shading.py.
#define FAR 1e17f

uint random_next(uint state) { return state * 1664525u + 1013904223u; }
float as_float_(uint state) { return (float)(state >> 8) * (1.0f / 16777216); }

int hit(global const float* s, float3 o, float3 d, float* nearest) {
    int what = -1;
    *nearest = FAR;
    for (int k = 0; k < 3; k++) {
        float3 r = o - (float3)(s[4 * k], s[4 * k + 1], s[4 * k + 2]);
        float b = r.x * d.x + r.y * d.y + r.z * d.z;
        float c = r.x * r.x + r.y * r.y + r.z * r.z - s[4 * k + 3] * s[4 * k + 3];
        float e = b * b - c;
        if (e > 0.0f) {
            float t = -b - sqrt(e);
            if (t > 0.0f && t < *nearest) {
                *nearest = t;
                what = k;
            }
        }
    }
    if (fabs(d.y) > 1e-17f) {
        float t = -(o.y + 0.5f) / d.y;
        if (t > 0.0f && t < *nearest) {
            *nearest = t;
            what = 3;
        }
    }
    return what;
}

kernel void aobench(global float* image, global const float* spheres, int rays) {
    int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    float3 d = (float3)((x - w * 0.5f) / (w * 0.5f), -(y - h * 0.5f) / (h * 0.5f), -1.0f);
    d /= sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    float t, light = 0.0f;
    int what = hit(spheres, (float3)(0.0f), d, &t);
    if (what >= 0) {
        float3 p = t * d, n = (float3)(0.0f, 1.0f, 0.0f), a = (float3)(0.0f);
        if (what < 3) {
            n = p - (float3)(spheres[4 * what], spheres[4 * what + 1], spheres[4 * what + 2]);
            n /= sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
        }
        p += n * 1e-3f;
        if (fabs(n.x) < 0.6f)
            a.x = 1.0f;
        else if (fabs(n.y) < 0.6f)
            a.y = 1.0f;
        else
            a.z = 1.0f;
        float3 s = cross(a, n);
        s /= sqrt(s.x * s.x + s.y * s.y + s.z * s.z);
        float3 q = cross(n, s);
        uint seed = y * w + x;
        int blocked = 0;
        for (int k = 0; k < rays; k++) {
            seed = random_next(seed);
            float theta = sqrt(as_float_(seed));
            seed = random_next(seed);
            float phi = 6.2831853f * as_float_(seed);
            float u = cos(phi) * theta, v = sin(phi) * theta, up = sqrt(1.0f - theta * theta), far;
            if (hit(spheres, p, u * s + v * q + up * n, &far) >= 0)
                blocked++;
        }
        light = (float)(rays - blocked) / rays;
    }
    image[y * w + x] = light;
}

float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }
float lerp(float t, float a, float b) { return a + t * (b - a); }

float gradient(int h, float x, float y, float z) {
    h &= 15;
    float u = h < 8 || h == 12 || h == 13 ? x : y, v = h < 4 || h == 12 || h == 13 ? y : z;
    return (h & 1 ? -u : u) + (h & 2 ? -v : v);
}

float noise_at(float x, float y, float z, global const int* p) {
    float fx = floor(x), fy = floor(y), fz = floor(z);
    int ix = (int)fx & 255, iy = (int)fy & 255, iz = (int)fz & 255;
    x -= fx, y -= fy, z -= fz;
    float u = fade(x), v = fade(y), w = fade(z);
    int a = p[ix] + iy, b = p[ix + 1] + iy;
    int aa = p[a] + iz, ab = p[a + 1] + iz, ba = p[b] + iz, bb = p[b + 1] + iz;
    float x1 = x - 1.0f, y1 = y - 1.0f, z1 = z - 1.0f;
    return lerp(w, lerp(v, lerp(u, gradient(p[aa], x, y, z), gradient(p[ba], x1, y, z)),
                        lerp(u, gradient(p[ab], x, y1, z), gradient(p[bb], x1, y1, z))),
                lerp(v, lerp(u, gradient(p[aa + 1], x, y, z1), gradient(p[ba + 1], x1, y, z1)),
                     lerp(u, gradient(p[ab + 1], x, y1, z1), gradient(p[bb + 1], x1, y1, z1))));
}

kernel void noise(global float* image, global const int* p, float step, int octaves) {
    size_t x = get_global_id(0), y = get_global_id(1);
    float total = 0.0f, scale = 1.0f, size = 1.0f;
    for (int k = 0; k < octaves; k++) {
        total += size * fabs(noise_at(scale * (x * step), scale * (y * step), scale * 0.6f, p));
        scale *= 1.99f;
        size *= 0.6f;
    }
    image[y * get_global_size(0) + x] = total;
}

float density_at(global const float* d, int n, float x, float y, float z) {
    if (!(x >= 0 && x < 1 && y >= 0 && y < 1 && z >= 0 && z < 1))
        return 0.0f;
    float gx = x * (n - 1), gy = y * (n - 1), gz = z * (n - 1);
    int i = (int)gx, j = (int)gy, k = (int)gz, c = (k * n + j) * n + i, p = n * n;
    float u = gx - i, v = gy - j, w = gz - k;
    float near = lerp(v, lerp(u, d[c], d[c + 1]), lerp(u, d[c + n], d[c + n + 1]));
    float far = lerp(v, lerp(u, d[c + p], d[c + p + 1]), lerp(u, d[c + p + n], d[c + p + n + 1]));
    return lerp(w, near, far);
}

kernel void volume(global float* image, global const float* density, int n) {
    size_t w = get_global_size(0), h = get_global_size(1);
    float x = (get_global_id(0) + 0.5f) / w, y = (get_global_id(1) + 0.5f) / h, z = 0.0f;
    float dx = (0.5f - x) * 0.01f, dy = (0.5f - y) * 0.01f, light = 0.0f, left = 1.0f;
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
        x += dx, y += dy, z += 0.02f;
    }
    image[get_global_id(1) * w + get_global_id(0)] = light;
}

kernel void mandelbrot(global int* image, float step, int limit) {
    float cx = -2.0f + get_global_id(0) * step, cy = -1.0f + get_global_id(1) * step;
    float x = cx, y = cy;
    int n = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    image[get_global_id(1) * get_global_size(0) + get_global_id(0)] = n;
}

kernel void deferred(global float* image, global const float* depth, global const float* lights,
                     float scale, local int* listed, local int* count, global int* ends, int n) {
    int mine = get_local_linear_id(), x = get_global_id(0), y = get_global_id(1);
    size_t at = (size_t)y * get_global_size(0) + x;
    float here = depth[at];
    local int least, most; // positive floats are ordered as their bits
    if (mine == 0) {
        count[0] = 0;
        least = as_int(FAR);
        most = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_min(&least, as_int(here));
    atomic_max(&most, as_int(here));
    barrier(CLK_LOCAL_MEM_FENCE);
    float low = as_float(least), high = as_float(most);
    float left = get_group_id(0) * 16 * scale, top = get_group_id(1) * 16 * scale;
    float side = 16 * scale;
    for (int k = mine; k < n; k += 256) {
        global const float* l = lights + 5 * k;
        float reach = l[3];
        if (l[2] + reach > low && l[2] - reach < high && l[0] + reach > left
            && l[0] - reach < left + side && l[1] + reach > top && l[1] - reach < top + side)
            listed[atomic_inc(count)] = k;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float px = x * scale, py = y * scale, total = 0.0f; // in the loop Intel's 2026.2 has y at 0
    for (int m = 0; m < count[0]; m++) {
        global const float* l = lights + 5 * listed[m];
        float dx = l[0] - px, dy = l[1] - py, dz = l[2] - here, near = 0.0f;
        float square = dx * dx + dy * dy + dz * dz;
        near = square < l[3] * l[3] ? 1.0f - sqrt(square) / l[3] : 0.0f;
        total += l[4] * (near * near);
    }
    image[at] = total;
    if (mine == 0)
        ends[get_group_id(1) * get_num_groups(0) + get_group_id(0)] = count[0];
}
