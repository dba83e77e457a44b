// std::sort(std::execution::par) of three types of keys, for bench.sort_tbb.
#include <algorithm>
#include <cstdint>
#include <execution>

extern "C" void sort_uint32(std::uint32_t *x, long n) { std::sort(std::execution::par, x, x + n); }
extern "C" void sort_int64(std::int64_t *x, long n) { std::sort(std::execution::par, x, x + n); }
extern "C" void sort_float32(float *x, long n) { std::sort(std::execution::par, x, x + n); }
