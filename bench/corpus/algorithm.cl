// RAJAPerf's Algorithm group in OpenCL C: work-items and groups as in algorithm.py.

kernel void partial_sums(global double* parts, global const double* x, int n) {
    double total = 0.0; // a part for each group: steps of the whole range miss pages
    int share = (n + get_num_groups(0) - 1) / get_num_groups(0), first = get_group_id(0) * share;
    for (int i = first + get_local_id(0); i < min(n, first + share); i += get_local_size(0))
        total += x[i];
    total = work_group_reduce_add(total);
    if (get_local_id(0) == 0)
        parts[get_group_id(0)] = total;
}

kernel void finish(global const double* parts, global double* out) {
    double total = 0.0;
    for (int k = 0; k < 64; k++)
        total += parts[k];
    out[0] = total;
}

kernel void scan_sums(global const double* x, global double* sums) {
    double total = work_group_reduce_add(x[get_global_id(0)]);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = total;
}

kernel void scan_group(global double* sums, int n) {
    double total = 0.0;
    for (int k = 0; k < n; k++) {
        double here = sums[k];
        sums[k] = total;
        total += here;
    }
}

kernel void scan_all(global const double* x, global const double* sums, global double* y) {
    size_t i = get_global_id(0);
    y[i] = sums[get_group_id(0)] + work_group_scan_exclusive_add(x[i]);
}

kernel void clear(global long* counts) { counts[get_global_id(0)] = 0; }

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void histogram_local(global long* counts, global const int* bins, local long* own, int n) {
    for (int b = get_local_id(0); b < 100; b += 256)
        own[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int share = (n + get_num_groups(0) - 1) / get_num_groups(0), first = get_group_id(0) * share;
    for (int i = first + get_local_id(0); i < min(n, first + share); i += get_local_size(0))
        atom_add(own + bins[i], 1L);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = get_local_id(0); b < 100; b += 256)
        atom_add(counts + b, own[b]);
}

kernel void copy_keys(global double* keys, global const double* given) {
    keys[get_global_id(0)] = given[get_global_id(0)];
}

kernel void bitonic_halves(global double* keys, int j, int k) {
    int t = get_global_id(0), i = (t / j) * (2 * j) + t % j;
    double one = keys[i], two = keys[i + j], low = fmin(one, two), high = fmax(one, two);
    int up = (i & k) == 0;
    keys[i] = up ? low : high;
    keys[i + j] = up ? high : low;
}
