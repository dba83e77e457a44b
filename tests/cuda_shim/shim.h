// CUDA C++ as far as our texts use it, for a compiler of the host: the items of a block are fibers
// that take turns. Non-goals: speed, memory models, blocks at the same time.
#pragma once
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>
using namespace std;

struct Index { unsigned int x, y, z; };
extern "C" {
extern Index threadIdx, blockIdx, blockDim, gridDim;
extern unsigned char *shim_dynamic;
void shim_yield();
void shim_barrier();
int shim_vote(int predicate, int any);
unsigned int shim_active(int site);
void shim_warp_barrier(unsigned int members);
void shim_publish(unsigned int members, const void *value, int size);
void shim_look(int lane, void *value, int size);
int shim_lane();
int shim_run(void (*call)(void *), void *of, const unsigned int *grid, const unsigned int *block,
             int fibers, unsigned char *dynamic);
}

#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(x)
#define __threadfence()
#define __syncthreads() shim_barrier()
#define __syncthreads_or(x) shim_vote((x) != 0, 1)
#define __syncthreads_and(x) shim_vote((x) != 0, 0)
#define __syncwarp(members) shim_warp_barrier(members)
#define __activemask() shim_active(__COUNTER__)

template<class T> static T shim_from(unsigned int members, T value, int lane, bool inside) {
    shim_publish(members, &value, sizeof value);
    T other = value;
    if (inside) shim_look(lane & 31, &other, sizeof other);
    shim_warp_barrier(members);
    return other;
}
template<class T> static T __shfl_sync(unsigned int members, T x, int lane) {
    return shim_from(members, x, lane, true);
}
template<class T> static T __shfl_up_sync(unsigned int members, T x, unsigned int by) {
    const int lane = shim_lane() - (int)by;
    return shim_from(members, x, lane, lane >= 0 && by < 32);
}
template<class T> static T __shfl_down_sync(unsigned int members, T x, unsigned int by) {
    const int lane = shim_lane() + (int)by;
    return shim_from(members, x, lane, by < 32 && lane < 32);
}
template<class T> static T __shfl_xor_sync(unsigned int members, T x, int mask) {
    return shim_from(members, x, shim_lane() ^ mask, true);
}
template<class T, class F> static T shim_reduce(unsigned int members, T x, F join) {
    shim_publish(members, &x, sizeof x);
    T total{};
    bool first = true;
    for (int k = 0; k < 32; k++) {
        if (!(members >> k & 1)) continue;
        T other;
        shim_look(k, &other, sizeof other);
        total = first ? other : join(total, other);
        first = false;
    }
    shim_warp_barrier(members);
    return total;
}
#define SHIM_REDUCE(word, text) template<class T> static T __reduce_##word##_sync( \
    unsigned int members, T x) { return shim_reduce(members, x, [](T a, T b) { return text; }); }
SHIM_REDUCE(add, (T)(a + b)) SHIM_REDUCE(min, b < a ? b : a) SHIM_REDUCE(max, a < b ? b : a)
SHIM_REDUCE(and, (T)(a & b)) SHIM_REDUCE(or, (T)(a | b)) SHIM_REDUCE(xor, (T)(a ^ b))
static unsigned int __ballot_sync(unsigned int members, int x) {
    return __reduce_or_sync(members, (unsigned int)(x != 0) << shim_lane());
}
template<class T> static unsigned int __match_any_sync(unsigned int members, T x) {
    shim_publish(members, &x, sizeof x);
    unsigned int found = 0;
    for (int k = 0; k < 32; k++) {
        if (!(members >> k & 1)) continue;
        T other;
        shim_look(k, &other, sizeof other);
        if (other == x) found |= 1u << k;
    }
    shim_warp_barrier(members);
    return found;
}
static int __any_sync(unsigned int members, int x) { return __ballot_sync(members, x) != 0; }
static int __all_sync(unsigned int members, int x) {
    return __ballot_sync(members, x) == members;
}

static int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
static int __popc(unsigned int x) { return __builtin_popcount(x); }
static int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static int __ffsll(long long x) { return __builtin_ffsll(x); }
static long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static float __fadd_rn(float a, float b) { return a + b; }
static float __fsub_rn(float a, float b) { return a - b; }
static double __dadd_rn(double a, double b) { return a + b; }
static double __dsub_rn(double a, double b) { return a - b; }
static float rsqrtf(float x) { return (float)(1 / sqrt((double)x)); }
static double rsqrt(double x) { return 1 / sqrt(x); }
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
static double shim_turns(double x, bool cosine) {
    const double whole = nearbyint(x * 2), rest = (x - whole / 2) * 3.14159265358979323846;
    const int quarter = ((int)fmod(whole, 4) + 4 + cosine) % 4;
    const double value = quarter % 2 ? cos(rest) : sin(rest);
    return quarter < 2 ? value : -value;
}
static float sinpi(float x) { return (float)shim_turns(x, false); }
static double sinpi(double x) { return shim_turns(x, false); }
static float cospi(float x) { return (float)shim_turns(x, true); }
static double cospi(double x) { return shim_turns(x, true); }
template<class T> static T atomicAdd(T *p, T x) {
    shim_yield();
    const T old = *p;
    *p += x;
    return old;
}
#undef INFINITY
#undef NAN

template<class... A, size_t... K>
static void shim_apply(void (*f)(A...), void **given, index_sequence<K...>) {
    f(*(remove_reference_t<A> *)given[K]...);
}
template<class... A> static void shim_call(void (*f)(A...), void **given) {
    shim_apply(f, given, index_sequence_for<A...>());
}
