// What `python -m bench.algorithms_card` measures beside unisycl's algorithms: CUB's, called as its
// documentation says. Each function takes temporary memory and its size; without memory it tells
// how much it needs. `p` are pointers: inputs, outputs, and last where a count goes.

#include <cub/cub.cuh>

#define API extern "C" int
using Size = long long;
using Float = float *;
using Word = unsigned int *;

struct Positive {
    __device__ bool operator()(float x) const { return x > 0.0f; }
};

struct ByLowBits {
    __device__ bool operator()(unsigned int a, unsigned int b) const {
        return (a & 0xffffffu) < (b & 0xffffffu);
    }
};

API inclusive_scan(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceScan::InclusiveSum(temp, *bytes, (Float)p[0], (Float)p[1], n, s);
}

API reduce(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceReduce::Sum(temp, *bytes, (Float)p[0], (Float)p[1], n, s);
}

API copy_if(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceSelect::If(temp, *bytes, (Float)p[0], (Float)p[1], (Size *)p[2], n,
                                 Positive(), s);
}

API partition_copy(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DevicePartition::If(temp, *bytes, (Float)p[0], (Float)p[1], (Size *)p[3], n,
                                    Positive(), s);
}

API unique_copy(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceSelect::Unique(temp, *bytes, (Word)p[0], (Word)p[1], (Size *)p[2], n, s);
}

API histogram(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceHistogram::HistogramEven(temp, *bytes, (Word)p[0], (Word)p[1], 257, 0ll,
                                               1ll << 32, n, s);
}

API reduce_by_segment(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceReduce::ReduceByKey(temp, *bytes, (Word)p[0], (Word)p[2], (Float)p[1],
                                          (Float)p[3], (Size *)p[4], cuda::std::plus<>{}, n, s);
}

API scan_by_segment(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceScan::InclusiveSumByKey(temp, *bytes, (Word)p[0], (Float)p[1], (Float)p[2], n,
                                              cuda::std::equal_to<>{}, s);
}

API sort(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceRadixSort::SortKeys(temp, *bytes, (Word)p[0], (Word)p[1], n, 0, 32, s);
}

API sort_by_key(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceRadixSort::SortPairs(temp, *bytes, (Word)p[0], (Word)p[1], (Word)p[2],
                                           (Word)p[3], n, 0, 32, s);
}

API sort_by_function(void *temp, size_t *bytes, void **p, Size n, cudaStream_t s) {
    return cub::DeviceMergeSort::StableSortKeysCopy(temp, *bytes, (Word)p[0], (Word)p[1], n,
                                                    ByLowBits(), s);
}
