// Sorting by exchanges in ISPC: a task has some pairs.
#define PART 4096

task void copy_part(uniform int n, uniform double keys[], const uniform double given[]) {
    uniform int begin = (uniform int)taskIndex * PART;
    foreach (i = begin ... min(begin + PART, n))
        keys[i] = given[i];
}

export void copy_keys(uniform int n, uniform double keys[], const uniform double given[]) {
    launch[(n + PART - 1) / PART] copy_part(n, keys, given);
}

task void exchange_part(uniform int n, uniform double keys[], uniform int j, uniform int k) {
    uniform int begin = (uniform int)taskIndex * PART;
    uniform int end = min(begin + PART, n);
    if (j < programCount) {
        foreach (t = begin ... end) {
            int i = 2 * t - (t & (j - 1));
            double one = keys[i], two = keys[i + j];
            double low = min(one, two), high = max(one, two);
            bool up = (i & k) == 0;
            keys[i] = up ? low : high;
            keys[i + j] = up ? high : low;
        }
        return;
    }
    for (uniform int t = begin; t < end; t += j) {  // j is a power of two, as is PART
        uniform int first = 2 * t - (t & (j - 1));
        uniform bool up = (first & k) == 0;
        foreach (i = first ... first + min(j, end - t)) {
            double one = keys[i], two = keys[i + j];
            double low = min(one, two), high = max(one, two);
            keys[i] = up ? low : high;
            keys[i + j] = up ? high : low;
        }
    }
}

export void bitonic_halves(uniform int n, uniform double keys[], uniform int j,
                           uniform int k) {
    launch[(n + PART - 1) / PART] exchange_part(n, keys, j, k);
}
