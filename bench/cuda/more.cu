// The algorithms of bench/cuda/more_cases.py as one writes them in CUDA C++.

extern "C" __global__ void axpy(const double *__restrict__ x, double *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.5 * x[i] + y[i];
}

extern "C" __global__ void gauss(const float *__restrict__ a, float *__restrict__ b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    const float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    float total = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            total += weights[dy + 2] * weights[dx + 2]
                * a[min(max(y + dy, 0), n - 1) * n + min(max(x + dx, 0), n - 1)];
    b[y * n + x] = total;
}

extern "C" __global__ void sobel(const float *__restrict__ a, float *__restrict__ b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    const float *up = a + (y - 1) * n + x, *mid = up + n, *down = mid + n;
    float gx = up[1] - up[-1] + 2.0f * (mid[1] - mid[-1]) + down[1] - down[-1];
    float gy = down[-1] - up[-1] + 2.0f * (down[0] - up[0]) + down[1] - up[1];
    b[y * n + x] = sqrtf(gx * gx + gy * gy);
}

extern "C" __global__ void heat(const float *__restrict__ a, float *__restrict__ b, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
    int i = (z * n + y) * n + x;
    b[i] = a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n]
                          - 6.0f * a[i]);
}

extern "C" __global__ void life(const unsigned char *__restrict__ a, unsigned char *__restrict__ b,
                                int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    int left = (x + n - 1) % n, right = (x + 1) % n, up = (y + n - 1) % n, down = (y + 1) % n;
    int count = a[up * n + left] + a[up * n + x] + a[up * n + right] + a[y * n + left]
        + a[y * n + right] + a[down * n + left] + a[down * n + x] + a[down * n + right];
    b[y * n + x] = count == 3 || (count == 2 && a[y * n + x]);
}

extern "C" __global__ void floyd(const int *__restrict__ a, int *__restrict__ b, int n, int k) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) b[y * n + x] = min(a[y * n + x], a[y * n + k] + a[k * n + x]);
}

extern "C" __global__ void gray(const unsigned char *__restrict__ colours,
                                unsigned char *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char *p = colours + 3 * i;
    out[i] = (unsigned char)((77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8);
}

__device__ float joined(float value, float *sums, bool largest) {
    for (int by = 16; by; by /= 2) {
        float other = __shfl_xor_sync(0xffffffffu, value, by);
        value = largest ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    value = sums[0];
    for (int k = 1; k < 8; k++) value = largest ? fmaxf(value, sums[k]) : value + sums[k];
    return value;
}

extern "C" __global__ void rows(const float *__restrict__ a, const float *__restrict__ x,
                                float *__restrict__ out, int n) {
    __shared__ float sums[8];
    float total = 0;
    for (int k = threadIdx.x; k < n; k += 256) total += a[blockIdx.x * n + k] * x[k];
    total = joined(total, sums, false);
    if (threadIdx.x == 0) out[blockIdx.x] = total;
}

extern "C" __global__ void softmax(const float *__restrict__ a, float *__restrict__ b, int n) {
    __shared__ float sums[8];
    const float *row = a + blockIdx.x * n;
    float most = row[threadIdx.x], total = 0;
    for (int k = threadIdx.x; k < n; k += 256) most = fmaxf(most, row[k]);
    most = joined(most, sums, true);
    for (int k = threadIdx.x; k < n; k += 256) total += expf(row[k] - most);
    total = joined(total, sums, false);
    for (int k = threadIdx.x; k < n; k += 256) b[blockIdx.x * n + k] = expf(row[k] - most) / total;
}

extern "C" __global__ void normalise(const float *__restrict__ a, float *__restrict__ b, int n) {
    __shared__ float sums[8];
    const float *row = a + blockIdx.x * n;
    float total = 0, squares = 0;
    for (int k = threadIdx.x; k < n; k += 256) {
        total += row[k];
        squares += row[k] * row[k];
    }
    float mean = joined(total, sums, false) / (float)n;
    float spread = joined(squares, sums, false) / (float)n - mean * mean;
    float factor = rsqrtf(spread + 1e-5f);
    for (int k = threadIdx.x; k < n; k += 256) b[blockIdx.x * n + k] = (row[k] - mean) * factor;
}

extern "C" __global__ void bitonic(const int *__restrict__ a, int *__restrict__ b, int n, int far) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int mine = a[i], other = a[i ^ far];
    b[i] = (i & far) == 0 ? min(mine, other) : max(mine, other);
}

extern "C" __global__ void collatz(int *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long x = i + 1;
    int steps = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x >> 1;
        steps++;
    }
    out[i] = steps;
}

extern "C" __global__ void darts(int *__restrict__ out, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state = (unsigned)i * 2654435761u + 12345u;
    int inside = 0;
    for (int k = 0; k < count; k++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        float x = (float)(state & 0xffffu) / 65536.0f, y = (float)(state >> 16) / 65536.0f;
        inside += x * x + y * y < 1.0f;
    }
    out[i] = inside;
}

extern "C" __global__ void nearest(const float *__restrict__ points, const float *__restrict__ asked,
                                   int *__restrict__ out, int n) {
    __shared__ float tile[3][256];
    int i = blockIdx.x * 256 + threadIdx.x, k = threadIdx.x, found = 0;
    float x = asked[3 * i], y = asked[3 * i + 1], z = asked[3 * i + 2], least = 1e30f;
    for (int first = 0; first < n; first += 256) {
        for (int d = 0; d < 3; d++) tile[d][k] = points[3 * (first + k) + d];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = tile[0][j] - x, dy = tile[1][j] - y, dz = tile[2][j] - z;
            float far = dx * dx + dy * dy + dz * dz;
            if (far < least) {
                least = far;
                found = first + j;
            }
        }
        __syncthreads();
    }
    out[i] = found;
}

extern "C" __global__ void horner(const float *__restrict__ a, float *__restrict__ b, int n,
                                  int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = x;
    for (int k = 0; k < rounds; k++)
        y = ((((0.1f * y + 0.2f) * y - 0.3f) * y + 0.1f) * y - 0.2f) * y + 0.5f * x;
    b[i] = y;
}

extern "C" __global__ void fir(const float *__restrict__ a, const float *__restrict__ taps,
                               float *__restrict__ b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float total = 0;
    for (int k = 0; k < 32; k++) total += taps[k] * a[i + k];
    b[i] = total;
}

extern "C" __global__ void scatter(const int *__restrict__ places, const float *__restrict__ values,
                                   float *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&out[places[i]], values[i]);
}

extern "C" __global__ void search(const int *__restrict__ sorted, const int *__restrict__ asked,
                                  int *__restrict__ out, int size, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int low = 0, high = size, x = asked[i];
    while (low < high) {
        int middle = (low + high) >> 1;
        if (sorted[middle] < x) low = middle + 1;
        else high = middle;
    }
    out[i] = low;
}
