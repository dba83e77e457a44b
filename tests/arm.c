/* Starts the pool with four threads, fills and copies memory, runs a kernel over it, and checks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct Pool {
    uint64_t queue[8];
    int32_t stop, n_threads, max_spinners, next_worker;
    int64_t spin_ns, stack_bytes;
    uint64_t threads;
    int32_t alive, pad;
    uint64_t helpers, table, tail[8];
};
struct Job {
    uint64_t entry, args;
    int64_t units, grain;
    uint64_t pool, edges;
    int32_t n_edges, wanted;
    int64_t error_at;
    char rest[1024];
};
extern void pool_submit(void *), pool_stop(void *, int32_t), pool_acquire(void);
extern int32_t pool_wait(void *, int64_t, int64_t), pool_start(void *), pool_join_all(void *, int64_t);
extern uint64_t pool_sizes(void);
extern void pool_copy(void), pool_fill(void), unisycl_kernel(void);

static _Alignas(64) struct Pool pool;
static uint64_t handles[4];

static void run(void *entry, void *args, int64_t units)
{
    static _Alignas(64) struct Job jobs[8];
    static int used;
    struct Job *j = &jobs[used++];
    j->entry = (uint64_t)entry, j->args = (uint64_t)args, j->units = units, j->grain = 1;
    j->pool = (uint64_t)&pool, j->error_at = -1;
    pool_submit(j);
    for (int turns = 0; !pool_wait(j, 50000000, 20000000); turns++)
        if (turns > 1000) exit(2);
    pool_acquire();
}

int main(void)
{
    const int64_t n = 1000003;
    float *x = aligned_alloc(64, 4 * (n + 64)), *y = aligned_alloc(64, 4 * (n + 64));
    float *z = aligned_alloc(64, 4 * (n + 64)), two = 2.0f;
    if ((pool_sizes() >> 32) != sizeof(struct Pool)) return 3;
    pool.n_threads = 4, pool.max_spinners = 2, pool.spin_ns = 40000, pool.stack_bytes = 16 << 20;
    pool.threads = (uint64_t)handles;
    if (!pool_start(&pool)) return 4;
    int64_t fill[6] = {(int64_t)y, (int64_t)&two, 4, n, 65536, 0};
    run(pool_fill, fill, (n + 65535) / 65536);
    for (int64_t k = 0; k < n; k++) x[k] = (float)(k % 1000);
    int64_t block[] = {BLOCK};
    run(unisycl_kernel, block, UNITS);
    int64_t copy[4] = {(int64_t)z, (int64_t)y, 4 * n, 0};
    run(pool_copy, copy, (4 * n + 262143) / 262144);
    for (int64_t k = 0; k < n; k++)
        if (z[k] != 2.0f + 3.0f * x[k]) {
            printf("element %ld is %g\n", (long)k, z[k]);
            return 1;
        }
    pool_stop(&pool, 1);
    if (pool_join_all(&pool, 5000000000)) return 5;
    puts("4 threads on aarch64 filled, computed and copied as they should");
    return 0;
}
