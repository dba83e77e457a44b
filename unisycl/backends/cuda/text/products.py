"""Products of work-groups in CUDA C++: ``wgmma`` of 64 x 256 numbers by each four warps.

Tiles are swizzled by 128 bytes: rows of A of 64 elements, and rows of B in four blocks of 64
columns; ``cp.async`` writes them, so a fence stands between that and ``wgmma``. Non-goals: bulk
copies of tensors (``bulk``), warps that copy only. Invariant: stages begin at multiples of 1024
bytes.
"""

from __future__ import annotations

import re

from unisycl.backends.cfamily.dialect import Helper
from unisycl.backends.cuda.text import bulk

_LOAD = re.compile(r"product_load_(\d+)_(\d+)(_aligned)?")
_MAD = re.compile(r"product_mad_(bf16|fp16)_(\d+)_(\d+)(_aligned)?")
_WAIT = re.compile(r"product_wait_(\d+)")
_ALONG = re.compile(r"product_along_(bf16|fp16)_(\d+)_(\d+)(_aligned)?")
_BASE = """const unsigned int base =
        ((unsigned int)__cvta_generic_to_shared(memory) + 1023u) & ~1023u;"""
_FINISH = """void NAME()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}"""
_STORE = """void NAME(void *cells, void *target, long long stride)
{
    const float *s = (const float *)cells;
    const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int lane = me & 31;
    float *p = (float *)target + (long long)(me / 32 * 16 + lane / 4) * stride + (lane & 3) * 2;
    const bool paired = (((unsigned long long)p | (unsigned long long)(stride * 4)) & 7) == 0;
    #pragma unroll
    for (int j = 0; j < 32; j++)
        #pragma unroll
        for (int h = 0; h < 2; h++) {
            float *q = p + 8 * h * stride + 8 * j;
            if (paired) *(float2 *)q = make_float2(s[4 * j + 2 * h], s[4 * j + 2 * h + 1]);
            else {
                q[0] = s[4 * j + 2 * h];
                q[1] = s[4 * j + 2 * h + 1];
            }
        }
}"""


def helper(name: str) -> Helper | None:
    """Return the function of a name that begins with ``product_``; None for any other."""
    text = {"product_finish": _FINISH, "product_store": _STORE}.get(name, "")
    if found := _LOAD.fullmatch(name):
        text = _load(int(found[1]), int(found[2]))
    elif found := _MAD.fullmatch(name):
        text = _multiply(found[1], int(found[2]), int(found[3]))
    elif found := _ALONG.fullmatch(name):
        text = bulk.along(found[1], int(found[2]), int(found[3]))
    elif found := _WAIT.fullmatch(name):
        text = f"""void NAME()
{{
    asm volatile("cp.async.wait_group {found[1]};" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}}"""
    if not text:
        return None
    return Helper(text.replace("{", "{{").replace("}", "}}").replace("NAME", "{name}"))


def _load(rows: int, stages: int) -> str:
    items, size = 2 * rows, rows * 128
    return f"""void NAME(void *memory, void *a, void *b, long long stage, long long left,
    long long right)
{{
    {_BASE}
    unsigned char *bytes = (unsigned char *)memory
        + (base - (unsigned int)__cvta_generic_to_shared(memory));
    const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int first = (int)stage * {size}, second = {stages * size} + (int)stage * 32768;
    const bool lines = (((unsigned long long)a | (unsigned long long)b
        | (unsigned long long)((left | right) * 2)) & 15) == 0;
    #pragma unroll
    for (int k = 0; k < {rows * 8 // items}; k++) {{
        const int at = me + k * {items}, row = at / 8, part = at % 8;
        const int to = first + row * 128 + ((part ^ (row & 7)) * 16);
        const unsigned short *from = (const unsigned short *)a + row * left + part * 8;
        if (lines) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
            :: "r"(base + to), "l"(from) : "memory");
        else for (int e = 0; e < 8; e++) ((unsigned short *)(bytes + to))[e] = from[e];
    }}
    #pragma unroll
    for (int k = 0; k < {64 * 32 // items}; k++) {{
        const int at = me + k * {items}, row = at / 32, part = at % 32;
        const int to = second + part / 8 * 8192 + row * 128 + ((part % 8 ^ (row & 7)) * 16);
        const unsigned short *from = (const unsigned short *)b + row * right + part * 8;
        if (lines) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
            :: "r"(base + to), "l"(from) : "memory");
        else for (int e = 0; e < 8; e++) ((unsigned short *)(bytes + to))[e] = from[e];
    }}
}}"""


def _multiply(kind: str, rows: int, stages: int) -> str:
    begun = bulk.multiply(kind, f"""const unsigned int first = base + (int)stage * {rows * 128}
        + me / 128 * 8192;
    const unsigned int second = base + {stages * rows * 128} + (int)stage * 32768;""")
    return f"""void NAME(void *cells, void *memory, long long stage)
{{
    {_BASE}
    float *s = (float *)cells;
    const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    {begun}
}}"""
