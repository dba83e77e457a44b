// Rodinia's kernels on points and graphs in OpenCL C: work-items and groups as in points.py.
#define IN global const float*
#define OUT global float*

kernel void kmeans(IN features, IN centres, global int* member, int count, int width) {
    size_t gid = get_global_id(0), n = get_global_size(0);
    int nearest = 0;
    float best = 3.4e38f;
    for (int c = 0; c < count; c++) {
        float distance = 0.0f;
        for (int f = 0; f < width; f++) {
            float d = features[f * n + gid] - centres[c * width + f];
            distance += d * d;
        }
        if (distance < best) {
            best = distance;
            nearest = c;
        }
    }
    member[gid] = nearest;
}

#define SIDE 16

kernel void layer_forward(IN given, IN weights, OUT sums, local float* node, local float* tile) {
    int by = get_group_id(1), ty = get_local_id(1), tx = get_local_id(0), row = SIDE * by + ty;
    if (tx == 0)
        node[ty] = given[row];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[ty * SIDE + tx] = weights[row * SIDE + tx] * node[ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int power = 2; power <= SIDE; power *= 2) {
        if (ty % power == 0)
            tile[ty * SIDE + tx] += tile[(ty + power / 2) * SIDE + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (ty == 0)
        sums[by * SIDE + tx] = tile[tx];
}

kernel void adjust(IN delta, IN given, OUT weights, OUT old) {
    size_t column = get_global_id(0), row = get_global_id(1), at = row * SIDE + column;
    float change = 0.3f * delta[column] * given[row] + 0.3f * old[at];
    weights[at] += change;
    old[at] = change;
}

kernel void bfs_start(global char* mask, global char* updating, global char* visited,
                      global int* cost) {
    size_t i = get_global_id(0);
    mask[i] = i == 0;
    updating[i] = 0;
    visited[i] = i == 0;
    cost[i] = i == 0 ? 0 : -1;
}

kernel void bfs_1(global const int* starts, global const int* edges, global char* mask,
                  global char* updating, global const char* visited, global int* cost) {
    size_t tid = get_global_id(0);
    if (mask[tid]) {
        mask[tid] = 0;
        for (int i = starts[tid]; i < starts[tid + 1]; i++) {
            int other = edges[i];
            if (!visited[other]) {
                cost[other] = cost[tid] + 1;
                updating[other] = 1;
            }
        }
    }
}

kernel void bfs_2(global char* mask, global char* updating, global char* visited) {
    size_t tid = get_global_id(0);
    if (updating[tid]) {
        mask[tid] = 1;
        visited[tid] = 1;
        updating[tid] = 0;
    }
}

#define EACH 32

kernel void lavamd(global const int* around, IN position, IN charge, OUT out, float a2,
                   local float* near, local float* charges, int count) {
    int box = get_group_id(0), t = get_local_id(0), mine = box * EACH + t;
    float x = position[4 * mine], y = position[4 * mine + 1], z = position[4 * mine + 2];
    float v = position[4 * mine + 3], fv = 0, fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < count; k++) {
        int other = around[box * count + k];
        for (int c = 0; c < 4; c++)
            near[4 * t + c] = position[4 * (other * EACH + t) + c];
        charges[t] = charge[other * EACH + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < EACH; j++) {
            local float* q = near + 4 * j;
            float r2 = v + q[3] - (x * q[0] + y * q[1] + z * q[2]);
            float e = exp(-(a2 * r2)), s = 2.0f * e;
            fv += charges[j] * e;
            fx += charges[j] * (s * (x - q[0]));
            fy += charges[j] * (s * (y - q[1]));
            fz += charges[j] * (s * (z - q[2]));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[4 * mine] = fv;
    out[4 * mine + 1] = fx;
    out[4 * mine + 2] = fy;
    out[4 * mine + 3] = fz;
}

kernel void nn(IN places, OUT out, int n, float lat, float lng) {
    int gid = get_global_id(0);
    if (gid < n) {
        float x = places[2 * gid], y = places[2 * gid + 1];
        out[gid] = sqrt((lat - x) * (lat - x) + (lng - y) * (lng - y));
    }
}
