// The peers' OpenCL C, the same text for every runtime. Macros: REAL, GROUP, TILE.
#ifndef REAL
#define REAL float
#endif
#ifndef GROUP
#define GROUP 256
#endif
#ifndef TILE
#define TILE 16
#endif
#define GLOBAL(T) __global T *restrict
#define READ(T) __global const T *restrict
// A group's part lies together: what a CPU's prefetchers like. The groups divide n.
#define FIRST(n) ((int)get_group_id(0) * ((n) / (int)get_num_groups(0)))

__kernel void copy(READ(REAL) a, GLOBAL(REAL) c)
{
    int i = get_global_id(0);
    c[i] = a[i];
}

__kernel void mul(READ(REAL) a, GLOBAL(REAL) c, REAL s)
{
    int i = get_global_id(0);
    c[i] = s * a[i];
}

__kernel void add(READ(REAL) a, READ(REAL) b, GLOBAL(REAL) c)
{
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}

__kernel void triad(READ(REAL) a, READ(REAL) b, GLOBAL(REAL) c, REAL s)
{
    int i = get_global_id(0);
    c[i] = a[i] + s * b[i];
}

__kernel void dot_product(READ(REAL) a, READ(REAL) b, GLOBAL(REAL) sums, int n)
{
    __local REAL tile[GROUP];
    int mine = get_local_id(0);
    REAL total = 0;
    for (int i = FIRST(n) + mine; i < FIRST(n) + n / (int)get_num_groups(0); i += GROUP)
        total += a[i] * b[i];
    tile[mine] = total;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine < step)
            tile[mine] += tile[mine + step];
    }
    if (mine == 0)
        sums[get_group_id(0)] = tile[0];
}

__kernel void sum_all(READ(float) values, GLOBAL(float) sums, int n)
{
    __local float tile[GROUP];
    int mine = get_local_id(0);
    float total = 0;
    for (int i = FIRST(n) + mine; i < FIRST(n) + n / (int)get_num_groups(0); i += GROUP)
        total += values[i];
    tile[mine] = total;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine < step)
            tile[mine] += tile[mine + step];
    }
    if (mine == 0)
        sums[get_group_id(0)] = tile[0];
}

__kernel void tree_reduction(READ(float) values, GLOBAL(float) sums)
{
    __local float tile[GROUP];
    int mine = get_local_id(0);
    tile[mine] = values[get_global_id(0)];
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine < step)
            tile[mine] += tile[mine + step];
    }
    if (mine == 0)
        sums[get_group_id(0)] = tile[0];
}

__kernel void mandelbrot(GLOBAL(int) image, int limit, float left, float top, float step)
{
    int x = get_global_id(0), y = get_global_id(1);
    float c_re = x * step + left, c_im = y * step + top, re = 0, im = 0;
    int n = 0;
    while (n < limit && re * re + im * im <= 4.0f) {
        float t = re * re - im * im + c_re;
        im = 2.0f * re * im + c_im;
        re = t;
        n++;
    }
    image[y * get_global_size(0) + x] = n;
}

__kernel void nbody(READ(float) x, READ(float) y, READ(float) z, READ(float) m,
                    GLOBAL(float) ax, GLOBAL(float) ay, GLOBAL(float) az, int n)
{
    int i = get_global_id(0);
    float xi = x[i], yi = y[i], zi = z[i], fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; j++) {
        float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
        float near = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
        float pull = m[j] * near * near * near;
        fx += pull * dx;
        fy += pull * dy;
        fz += pull * dz;
    }
    ax[i] = fx;
    ay[i] = fy;
    az[i] = fz;
}

__kernel void matmul(READ(float) left, READ(float) right, GLOBAL(float) out, int n)
{
    int row = get_global_id(1), column = get_global_id(0);
    float total = 0;
    for (int k = 0; k < n; k++)
        total += left[row * n + k] * right[k * n + column];
    out[row * n + column] = total;
}

__kernel void matmul_tiled(READ(float) left, READ(float) right, GLOBAL(float) out, int n)
{
    __local float tile_l[TILE][TILE], tile_r[TILE][TILE];
    int row = get_global_id(1), column = get_global_id(0);
    int y = get_local_id(1), x = get_local_id(0);
    float total = 0;
    for (int first = 0; first < n; first += TILE) {
        tile_l[y][x] = left[row * n + first + x];
        tile_r[y][x] = right[(first + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            total += tile_l[y][k] * tile_r[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[row * n + column] = total;
}

__kernel void stencil(READ(float) u, GLOBAL(float) new, float alpha)
{
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1, w = get_global_size(0) + 2;
    float here = u[y * w + x];
    new[y * w + x] = here + alpha * (u[(y - 1) * w + x] + u[(y + 1) * w + x] + u[y * w + x - 1]
                                     + u[y * w + x + 1] - 4.0f * here);
}

__kernel void stencil_tiled(READ(float) u, GLOBAL(float) new, float alpha)
{
    __local float tile[TILE + 2][TILE + 2];
    int x = get_global_id(0) + 1, y = get_global_id(1) + 1, w = get_global_size(0) + 2;
    int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
    tile[ly][lx] = u[y * w + x];
    if (ly == 1)
        tile[0][lx] = u[(y - 1) * w + x];
    if (ly == TILE)
        tile[TILE + 1][lx] = u[(y + 1) * w + x];
    if (lx == 1)
        tile[ly][0] = u[y * w + x - 1];
    if (lx == TILE)
        tile[ly][TILE + 1] = u[y * w + x + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    float here = tile[ly][lx];
    new[y * w + x] = here + alpha * (tile[ly - 1][lx] + tile[ly + 1][lx] + tile[ly][lx - 1]
                                     + tile[ly][lx + 1] - 4.0f * here);
}

float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f
                      + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * poly;
    return d > 0.0f ? 1.0f - tail : tail;
}

__kernel void black_scholes(READ(float) price, READ(float) strike, READ(float) years,
                            GLOBAL(float) call, GLOBAL(float) put, float rate, float volatility)
{
    int i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i];
    float spread = volatility * sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    float n1 = normal(d1), n2 = normal(d1 - spread);
    float discounted = x * exp(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

__kernel void sum_groups(READ(int) values, GLOBAL(int) sums, int n)
{
    int i = get_global_id(0), mine = get_local_id(0), total = i < n ? values[i] : 0;
#if __OPENCL_C_VERSION__ >= 300 && defined(__opencl_c_work_group_collective_functions)
    total = work_group_reduce_add(total);
#else
    __local int tile[GROUP];
    tile[mine] = total;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine < step)
            tile[mine] += tile[mine + step];
    }
    total = tile[0];
#endif
    if (mine == 0)
        sums[get_group_id(0)] = total;
}

__kernel void scan_groups(READ(int) values, READ(int) before, GLOBAL(int) out, int n)
{
    int i = get_global_id(0), mine = get_local_id(0), group = get_group_id(0);
    int running = i < n ? values[i] : 0;
#if __OPENCL_C_VERSION__ >= 300 && defined(__opencl_c_work_group_collective_functions)
    running = work_group_scan_inclusive_add(running);
#else
    __local int tile[GROUP];
    tile[mine] = running;
    for (int step = 1; step < GROUP; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int left = mine >= step ? tile[mine - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[mine] += left;
    }
    running = tile[mine];
#endif
    if (group > 0)
        running += before[group - 1];
    if (i < n)
        out[i] = running;
}

__kernel void histogram(READ(uchar) values, volatile __global uint *bins, int n)
{
    __local uint own[GROUP];
    int mine = get_local_id(0);
    own[mine] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = FIRST(n) + mine; i < FIRST(n) + n / (int)get_num_groups(0); i += GROUP)
        atomic_inc(&own[values[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[mine], own[mine]);
}

__kernel void transpose(READ(float) matrix, GLOBAL(float) out)
{
    int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0);
    out[x * n + y] = matrix[y * n + x];
}

__kernel void transpose_tiled(READ(float) matrix, GLOBAL(float) out)
{
    __local float tile[TILE][TILE + 1];
    int lx = get_local_id(0), ly = get_local_id(1), n = get_global_size(0);
    tile[ly][lx] = matrix[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int row = get_group_id(0) * TILE + ly, column = get_group_id(1) * TILE + lx;
    out[row * n + column] = tile[lx][ly];
}

__kernel void spmv(READ(int) starts, READ(int) columns, READ(float) values, READ(float) x,
                   GLOBAL(float) y)
{
    int row = get_global_id(0);
    float total = 0;
    for (int k = starts[row]; k < starts[row + 1]; k++)
        total += values[k] * x[columns[k]];
    y[row] = total;
}

__kernel void gather(READ(float) values, READ(int) index, GLOBAL(float) out)
{
    int i = get_global_id(0);
    out[i] = values[index[i]];
}

__kernel void scatter(READ(float) values, READ(int) index, GLOBAL(float) out)
{
    int i = get_global_id(0);
    out[index[i]] = values[i];
}

__kernel void touch(GLOBAL(float) out)
{
    out[get_global_id(0)] = 1.0f;
}

__kernel void follow(GLOBAL(float) values, int node)
{
    values[node + 1] = values[node] + 1.0f;
}

__kernel void mark(GLOBAL(float) values, int node)
{
    values[node + 1] = node + 1;
}
