// The fibers of a block, their barriers and the values that they show one another.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <ucontext.h>
#include <utility>
#include <vector>

struct Index { unsigned int x, y, z; };
extern "C" { Index threadIdx, blockIdx, blockDim, gridDim; unsigned char *shim_dynamic; }

namespace {
enum State { RUNS, MEETS, WARP, ACTIVE, DONE };
struct Fiber {
    ucontext_t context;
    Index at;
    State state = DONE;
    unsigned int members = 0;
    int site = 0;
    int predicate = 0;
    unsigned char value[8];
};
const int SIZE = 1 << 18;
std::vector<Fiber> fibers;
std::vector<char> stacks;
ucontext_t scheduler;
int mine, any_of, all_of;
bool parallel;
long turns;
void (*entry)(void *);
void *entry_of;

void back(State state) {
    Fiber &f = fibers[mine];
    f.state = state;
    swapcontext(&f.context, &scheduler);
    threadIdx = fibers[mine].at;
}
void body() {
    entry(entry_of);
    fibers[mine].state = DONE;
    setcontext(&scheduler);
}
bool release_warps() {  // those all of whose members have come
    bool found = false;
    const int count = (int)fibers.size();
    for (int first = 0; first < count; first += 32) {
        const int last = first + 32 < count ? first + 32 : count;
        std::map<unsigned int, unsigned int> come;
        unsigned int there = 0;
        for (int k = first; k < last; k++) {
            if (fibers[k].state != DONE) there |= 1u << (k - first);
            if (fibers[k].state == WARP) come[fibers[k].members] |= 1u << (k - first);
        }
        for (auto &one : come) {
            if ((one.first & there) != one.second) continue;
            found = true;
            for (int k = first; k < last; k++)
                if (fibers[k].state == WARP && fibers[k].members == one.first)
                    fibers[k].state = RUNS;
        }
    }
    return found;
}
bool release_active() {  // whoever is at the earliest place of each warp
    bool found = false;
    const int count = (int)fibers.size();
    for (int first = 0; first < count; first += 32) {
        const int last = first + 32 < count ? first + 32 : count;
        int site = -1;
        for (int k = first; k < last; k++)
            if (fibers[k].state == ACTIVE && (site < 0 || fibers[k].site < site))
                site = fibers[k].site;
        if (site < 0) continue;
        found = true;
        unsigned int there = 0;
        for (int k = first; k < last; k++)
            if (fibers[k].state == ACTIVE && fibers[k].site == site) there |= 1u << (k - first);
        for (int k = first; k < last; k++)
            if (there >> (k - first) & 1) {
                fibers[k].members = there;
                fibers[k].state = RUNS;
            }
    }
    return found;
}
bool release_block() {
    any_of = 0, all_of = 1;
    bool found = false;
    for (auto &f : fibers) {
        if (f.state == DONE) continue;
        if (f.state != MEETS) return false;
        any_of |= f.predicate, all_of &= f.predicate, found = true;
    }
    for (auto &f : fibers)
        if (f.state == MEETS) f.state = RUNS;
    return found;
}
int in_turns() {
    while (true) {
        bool ran = false, left = false;
        for (mine = 0; mine < (int)fibers.size(); mine++) {
            if (fibers[mine].state != RUNS) continue;
            ran = true;
            threadIdx = fibers[mine].at;
            swapcontext(&scheduler, &fibers[mine].context);
        }
        for (auto &f : fibers) left |= f.state != DONE;
        if (!left) return 0;
        if (++turns > 20000000) return 2;
        if (ran) {
            bool more = false;
            for (auto &f : fibers) more |= f.state == RUNS;
            if (more) continue;
        }
        if (!release_warps() && !release_block() && !release_active()) return 1;
    }
}
}

extern "C" {
void shim_yield() { if (parallel) back(RUNS); }
void shim_barrier() { if (parallel) back(MEETS); }
int shim_vote(int predicate, int any) {
    if (!parallel) return predicate;
    fibers[mine].predicate = predicate;
    back(MEETS);
    return any ? any_of : all_of;
}
unsigned int shim_active(int site) {
    fibers[mine].site = site;
    back(ACTIVE);
    return fibers[mine].members;
}
void shim_warp_barrier(unsigned int members) {
    fibers[mine].members = members;
    back(WARP);
}
void shim_publish(unsigned int members, const void *value, int size) {
    if (!(members >> (mine & 31) & 1)) {
        fprintf(stderr, "lane %d is not of %x\n", mine & 31, members);
        abort();
    }
    memcpy(fibers[mine].value, value, size);
    shim_warp_barrier(members);
}
void shim_look(int lane, void *value, int size) {
    const int k = (mine & ~31) + lane;
    memcpy(value, fibers[k < (int)fibers.size() ? k : mine].value, size);
}
int shim_lane() { return mine & 31; }

int shim_run(void (*call)(void *), void *of, const unsigned int *grid, const unsigned int *block,
             int with, unsigned char *dynamic) {
    gridDim = {grid[0], grid[1], grid[2]}, blockDim = {block[0], block[1], block[2]};
    shim_dynamic = dynamic, parallel = with, entry = call, entry_of = of, turns = 0;
    const unsigned int count = block[0] * block[1] * block[2];
    if (with) {
        fibers.resize(count);
        stacks.resize((size_t)count * SIZE);
    }
    for (blockIdx.z = 0; blockIdx.z < grid[2]; blockIdx.z++)
    for (blockIdx.y = 0; blockIdx.y < grid[1]; blockIdx.y++)
    for (blockIdx.x = 0; blockIdx.x < grid[0]; blockIdx.x++) {
        for (unsigned int k = 0; k < count; k++) {
            const Index at = {k % block[0], k / block[0] % block[1], k / block[0] / block[1]};
            if (!with) {
                threadIdx = at;
                call(of);
                continue;
            }
            Fiber &f = fibers[k];
            f.at = at;
            f.state = RUNS;
            getcontext(&f.context);
            f.context.uc_stack.ss_sp = &stacks[(size_t)k * SIZE];
            f.context.uc_stack.ss_size = SIZE;
            f.context.uc_link = nullptr;
            makecontext(&f.context, body, 0);
        }
        if (with)
            if (const int status = in_turns()) return status;
    }
    return 0;
}
}
