/* What ISPC's `launch` and `sync` call: tasks by OpenMP's threads, as many at a time as there are. */
#include <stdint.h>
#include <stdlib.h>
#include <omp.h>

typedef void (*Task)(void *data, int thread, int threads, int index, int count, int index0,
                     int index1, int index2, int count0, int count1, int count2);

struct block {
    struct block *next;
};

void *ISPCAlloc(void **handle, int64_t size, int32_t alignment) {
    int64_t head = alignment < 64 ? 64 : alignment;
    struct block *made = aligned_alloc(head, (head + size + head - 1) / head * head);
    made->next = *handle;
    *handle = made;
    return (char *)made + head;
}

void ISPCLaunch(void **handle, void *task, void *data, int count0, int count1, int count2) {
    int count = count0 * count1 * count2;
    (void)handle;
#pragma omp parallel for schedule(dynamic, 1)
    for (int k = 0; k < count; k++)
        ((Task)task)(data, omp_get_thread_num(), omp_get_num_threads(), k, count, k % count0,
                     k / count0 % count1, k / count0 / count1, count0, count1, count2);
}

void ISPCSync(void *handle) {
    for (struct block *at = handle; at;) {
        struct block *next = at->next;
        free(at);
        at = next;
    }
}
