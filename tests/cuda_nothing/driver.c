/* A driver of CUDA's whose functions do nothing at no cost: what is left is our own share. */
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <stdio.h>
#include <time.h>

typedef uint64_t u64;
#define DO(name, ...) int name(__VA_ARGS__)
#define NOTHING(name) int name(void) { return 0; }

static u64 next_handle = 0x1000;

static int attribute(int number) {
    switch (number) {
    case 1: case 2: case 3: case 14: return 1024;
    case 4: return 64;
    case 5: return 2147483647;
    case 6: case 7: return 65535;
    case 8: return 49152;
    case 9: return 65536;
    case 10: case 106: return 32;
    case 13: return 1980000;
    case 16: return 132;
    case 19: case 31: case 32: case 33: case 41: case 83: case 89: case 95: case 115: return 1;
    case 36: return 3201000;
    case 37: return 6144;
    case 38: return 60 << 20;
    case 39: return 2048;
    case 40: return 3;
    case 75: return 9;
    case 97: return 232448;
    default: return 0;
    }
}

DO(cuInit, unsigned f) { return 0; }
DO(cuDriverGetVersion, int *out) { *out = 13000; return 0; }
DO(cuDeviceGetCount, int *out) { *out = 1; return 0; }
DO(cuDeviceGet, int *out, int k) { *out = k; return 0; }
DO(cuDeviceGetName, char *out, int n, int d) { snprintf(out, n, "a card that does nothing"); return 0; }
DO(cuDeviceGetUuid_v2, char *out, int d) { memset(out, 7, 16); return 0; }
DO(cuDeviceGetAttribute, int *out, int a, int d) { *out = attribute(a); return 0; }
DO(cuDeviceTotalMem_v2, size_t *out, int d) { *out = (size_t)1 << 34; return 0; }
DO(cuDeviceGetPCIBusId, char *out, int n, int d) { snprintf(out, n, "0000:01:00.0"); return 0; }
DO(cuDevicePrimaryCtxRetain, u64 *out, int d) { *out = 0x500; return 0; }
NOTHING(cuCtxSetCurrent) NOTHING(cuCtxPushCurrent_v2) NOTHING(cuCtxSynchronize)
DO(cuCtxPopCurrent_v2, u64 *out) { *out = 0; return 0; }
DO(cuStreamCreate, u64 *out, unsigned f) { *out = next_handle += 64; return 0; }
DO(cuStreamCreateWithPriority, u64 *out, unsigned f, int p) { *out = next_handle += 64; return 0; }
DO(cuCtxGetStreamPriorityRange, int *low, int *high) { *low = 0; *high = -5; return 0; }
NOTHING(cuStreamDestroy_v2) NOTHING(cuStreamWaitEvent)
DO(cuStreamGetCtx, u64 s, u64 *out) { *out = 0x500; return 0; }
DO(cuEventCreate, u64 *out, unsigned f) { *out = next_handle += 64; return 0; }
NOTHING(cuEventDestroy_v2) NOTHING(cuEventRecord) NOTHING(cuEventSynchronize)
NOTHING(cuEventQuery)
/* ns between the end of a wait and the next launch, and between a launch and the first look for its end */
double before_launches, behind_launches;
static double ended, launched;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
static int look(void) {
    if (launched) behind_launches += now() - launched;
    launched = 0;
    ended = now();
    return 0;
}
DO(cuStreamQuery, u64 s) { return look(); }
DO(cuStreamSynchronize, u64 s) { return look(); }
DO(cuEventElapsedTime, float *out, u64 a, u64 b) { *out = 1; return 0; }
static int give(u64 *out, size_t n) { *out = (u64)aligned_alloc(512, (n + 511) / 512 * 512); return 0; }
DO(cuMemAlloc_v2, u64 *out, size_t n) { return give(out, n); }
DO(cuMemAllocAsync, u64 *out, size_t n, u64 s) { return give(out, n); }
DO(cuMemHostAlloc, u64 *out, size_t n, unsigned f) { return give(out, n); }
DO(cuMemAllocManaged, u64 *out, size_t n, unsigned f) { return give(out, n); }
DO(cuMemFree_v2, u64 p) { free((void *)p); return 0; }
DO(cuMemFreeAsync, u64 p, u64 s) { free((void *)p); return 0; }
DO(cuMemFreeHost, void *p) { free(p); return 0; }
DO(cuMemGetInfo_v2, size_t *f, size_t *t) { *f = *t = (size_t)1 << 34; return 0; }
DO(cuDeviceGetDefaultMemPool, u64 *out, int d) { *out = 0x600; return 0; }
NOTHING(cuMemPoolSetAttribute) NOTHING(cuMemPoolTrimTo)
DO(cuMemcpyAsync, void *a, void *b, size_t n, u64 s) { memmove(a, b, n); return 0; }
NOTHING(cuMemcpy2DAsync_v2)
DO(cuMemsetD8Async, void *p, unsigned char v, size_t n, u64 s) { memset(p, v, n); return 0; }
NOTHING(cuMemsetD16Async) NOTHING(cuMemsetD32Async) NOTHING(cuMemPrefetchAsync) NOTHING(cuMemAdvise)
DO(cuPointerGetAttribute, int *out, int a, u64 p) { *out = 2; return 0; }
DO(cuModuleLoadData, u64 *out, void *i) { *out = next_handle += 64; return 0; }
NOTHING(cuModuleUnload)
DO(cuModuleGetFunction, u64 *out, u64 m, char *n) { *out = next_handle += 64; return 0; }
DO(cuFuncGetAttribute, int *out, int a, u64 f) { *out = a == 0 ? 1024 : a == 4 ? 32 : 0; return 0; }
NOTHING(cuFuncSetAttribute)
DO(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *out) { *out = 2; return 0; }
int launches;
DO(cuLaunchKernel, u64 f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g,
   unsigned shared, u64 stream, void **args, void **more) { launches++; return 0; }
NOTHING(cuLaunchCooperativeKernel)
DO(cuLaunchKernelEx, void *config, u64 f, void **args, void **more) {
    if (ended) before_launches += now() - ended;
    ended = 0;
    launched = now();
    return 0;
}
DO(cuGraphCreate, u64 *out, unsigned f) { *out = next_handle += 64; return 0; }
DO(cuGraphAddKernelNode_v2, u64 *out) { *out = next_handle += 64; return 0; }
DO(cuGraphInstantiateWithFlags, u64 *out) { *out = next_handle += 64; return 0; }
NOTHING(cuGraphLaunch) NOTHING(cuGraphDestroy) NOTHING(cuGraphExecDestroy)
NOTHING(cuGraphExecKernelNodeSetParams_v2)
