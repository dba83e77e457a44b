// Kernels with private arrays in OpenCL C: work-items as in stacks.py.
#define IN global const float*
#define OUT global float*

kernel void quadtree(IN where, global const int* child, IN points, IN at, float r,
                     global int* out) {
    int q = get_global_id(0), stack[64], top = 1, count = 0;
    float x = at[2 * q], y = at[2 * q + 1];
    stack[0] = 0;
    while (top > 0) {
        int node = stack[--top];
        IN w = where + 3 * node;
        float dx = fmax(fabs(x - w[0]) - w[2], 0.0f), dy = fmax(fabs(y - w[1]) - w[2], 0.0f);
        if (dx * dx + dy * dy <= r * r) {
            int first = child[2 * node], size = child[2 * node + 1];
            if (size >= 0) {
                for (int k = first; k < first + size; k++) {
                    float px = points[2 * k] - x, py = points[2 * k + 1] - y;
                    if (px * px + py * py <= r * r)
                        count++;
                }
            } else {
                for (int k = 0; k < 4; k++)
                    stack[top++] = first + k;
            }
        }
    }
    out[q] = count;
}

kernel void best(IN scores, OUT out, global int* places) {
    int q = get_global_id(0), where[8];
    float found[8];
    for (int k = 0; k < 8; k++) {
        found[k] = -1.0f;
        where[k] = -1;
    }
    for (int j = 0; j < 128; j++) {
        float x = scores[128 * q + j];
        if (x > found[7]) {
            int k = 7;
            while (k > 0 && found[k - 1] < x) {
                found[k] = found[k - 1];
                where[k] = where[k - 1];
                k--;
            }
            found[k] = x;
            where[k] = j;
        }
    }
    for (int k = 0; k < 8; k++) {
        out[8 * q + k] = found[k];
        places[8 * q + k] = where[k];
    }
}

kernel void sort16(IN given, OUT out, int n) {
    size_t i = get_global_id(0);
    float row[16];
    for (int k = 0; k < 16; k++)
        row[k] = given[k * n + i];
    for (int j = 1; j < 16; j++) {
        float x = row[j];
        int k = j;
        while (k > 0 && row[k - 1] > x) {
            row[k] = row[k - 1];
            k--;
        }
        row[k] = x;
    }
    for (int k = 0; k < 16; k++)
        out[k * n + i] = row[k];
}

kernel void bins(global const uchar* data, OUT out, int count, int n) {
    size_t i = get_global_id(0);
    int mine[16];
    for (int k = 0; k < 16; k++)
        mine[k] = 0;
    for (int j = 0; j < count; j++)
        mine[data[j * n + i] >> 4]++;
    for (int k = 0; k < 16; k++)
        out[k * n + i] = (float)mine[k] / (float)count;
}

kernel void inverse(IN given, OUT out) {
    size_t i = get_global_id(0);
    float m[4][4], w[4][4];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            m[r][c] = given[16 * i + 4 * r + c];
            w[r][c] = r == c ? 1.0f : 0.0f;
        }
    for (int c = 0; c < 4; c++) {
        int pivot = c;
        for (int r = c + 1; r < 4; r++)
            if (fabs(m[r][c]) > fabs(m[pivot][c]))
                pivot = r;
        for (int k = 0; k < 4; k++) {
            float a = m[c][k], b = w[c][k];
            m[c][k] = m[pivot][k];
            w[c][k] = w[pivot][k];
            m[pivot][k] = a;
            w[pivot][k] = b;
        }
        float scale = 1.0f / m[c][c];
        for (int k = 0; k < 4; k++) {
            m[c][k] *= scale;
            w[c][k] *= scale;
        }
        for (int r = 0; r < 4; r++)
            if (r != c) {
                float factor = m[r][c];
                for (int k = 0; k < 4; k++) {
                    m[r][k] -= factor * m[c][k];
                    w[r][k] -= factor * w[c][k];
                }
            }
    }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            out[16 * i + 4 * r + c] = w[r][c];
}
