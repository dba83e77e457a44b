// Rodinia's kernels on grids in OpenCL C: the same work-items and groups as in rodinia.py.
#define IN global const float*
#define OUT global float*
#define TILE 16

kernel void hotspot(IN temp, IN power, OUT out, float step, float rx, float ry, float rz,
                    float ambient) {
    int c = get_global_id(0), r = get_global_id(1), columns = get_global_size(0);
    int rows = get_global_size(1), at = r * columns + c;
    float here = temp[at];
    float up = r > 0 ? temp[at - columns] : here, down = r < rows - 1 ? temp[at + columns] : here;
    float left = c > 0 ? temp[at - 1] : here, right = c < columns - 1 ? temp[at + 1] : here;
    out[at] = here + step * (power[at] + (down + up - 2.0f * here) * ry
                             + (right + left - 2.0f * here) * rx + (ambient - here) * rz);
}

kernel void srad_1(IN image, OUT c, OUT dn, OUT ds, OUT dw, OUT de, global const int* north,
                   global const int* south, global const int* west, global const int* east,
                   float q0) {
    int j = get_global_id(0), i = get_global_id(1), w_ = get_global_size(0), at = i * w_ + j;
    float here = image[at];
    float n = image[north[i] * w_ + j] - here, s = image[south[i] * w_ + j] - here;
    float w = image[i * w_ + west[j]] - here, e = image[i * w_ + east[j]] - here;
    float g2 = (n * n + s * s + w * w + e * e) / (here * here), laplace = (n + s + w + e) / here;
    float num = 0.5f * g2 - (1.0f / 16) * (laplace * laplace), den = 1.0f + 0.25f * laplace;
    float q = num / (den * den);
    den = (q - q0) / (q0 * (1.0f + q0));
    float out = 1.0f / (1.0f + den);
    if (out < 0.0f)
        out = 0.0f;
    else if (out > 1.0f)
        out = 1.0f;
    c[at] = out;
    dn[at] = n, ds[at] = s, dw[at] = w, de[at] = e;
}

kernel void srad_2(OUT image, IN c, IN dn, IN ds, IN dw, IN de, global const int* south,
                   global const int* east, float weight) {
    int j = get_global_id(0), i = get_global_id(1), w = get_global_size(0), at = i * w + j;
    float here = c[at];
    float change = here * dn[at] + c[south[i] * w + j] * ds[at] + here * dw[at]
        + c[i * w + east[j]] * de[at];
    image[at] = image[at] + 0.25f * weight * change;
}

kernel void first_row(global const int* wall, global int* out) {
    out[get_global_id(0)] = wall[get_global_id(0)];
}

kernel void pathfinder(global const int* wall, global const int* before, global int* after,
                       int row) {
    int x = get_global_id(0), n = get_global_size(0), least = before[x];
    if (x > 0)
        least = min(least, before[x - 1]);
    if (x < n - 1)
        least = min(least, before[x + 1]);
    after[x] = wall[row * n + x] + least;
}

kernel void nw(global int* score, global const int* reference, int block, int first, int penalty,
               local int* tile, int n) {
    int t = get_local_id(0), k = get_group_id(0);
    int top = (first + k) * TILE, left = (block - first - k) * TILE;
    for (int r = 0; r <= TILE; r++)
        tile[r * (TILE + 1) + t + 1] = score[(top + r) * n + left + t + 1];
    tile[(t + 1) * (TILE + 1)] = score[(top + t + 1) * n + left];
    if (t == 0)
        tile[0] = score[top * n + left];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < 2 * TILE - 1; m++) {
        int r = m - t;
        if (r >= 0 && r < TILE) {
            local int* here = tile + (r + 1) * (TILE + 1) + t + 1;
            int diagonal = here[-TILE - 2] + reference[(top + r + 1) * n + left + t + 1];
            *here = max(diagonal, max(here[-1] - penalty, here[-TILE - 1] - penalty));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int r = 0; r < TILE; r++)
        score[(top + r + 1) * n + left + t + 1] = tile[(r + 1) * (TILE + 1) + t + 1];
}

kernel void copy(OUT out, IN given) {
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[at] = given[at];
}

kernel void lud_factors(OUT a, int k, int n) {
    int i = k + 1 + get_global_id(0);
    a[i * n + k] = a[i * n + k] / a[k * n + k];
}

kernel void lud_rest(OUT a, int k, int n) {
    int j = k + 1 + get_global_id(0), i = k + 1 + get_global_id(1);
    a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
