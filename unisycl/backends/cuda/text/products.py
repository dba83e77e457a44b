"""Products of work-groups in CUDA C++: ``wgmma`` of 64 x 256 numbers by each four warps.

Tiles are swizzled by 128 bytes: rows of A of so many bytes, and rows of B in four blocks of 64
columns, or columns of B as rows of A are; ``cp.async`` writes them, so a fence stands between that
and ``wgmma``. Non-goals: bulk copies of tensors (``bulk``), warps that copy only. Invariant: stages
begin at multiples of 1024 bytes.
"""

from __future__ import annotations

import re

from unisycl.backends.cfamily.dialect import Helper
from unisycl.backends.cuda.text import bulk

_STAGES = re.compile(r"product_(load|mad|along)_(\w+?)_(row|col)_(\d+)_(\d+)(_aligned)?")
_WAIT = re.compile(r"product_wait_(\d+)")
_BASE = """const unsigned int base =
        ((unsigned int)__cvta_generic_to_shared(memory) + 1023u) & ~1023u;"""
_FINISH = """void NAME()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}"""
_STORE = """void NAME(void *cells, void *target, long long stride)
{
    const SUM *s = (const SUM *)cells;
    const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int lane = me & 31;
    SUM *p = (SUM *)target + (long long)(me / 32 * 16 + lane / 4) * stride + (lane & 3) * 2;
    const bool paired = (((unsigned long long)p | (unsigned long long)(stride * 4)) & 7) == 0;
    #pragma unroll
    for (int j = 0; j < 32; j++)
        #pragma unroll
        for (int h = 0; h < 2; h++) {
            SUM *q = p + 8 * h * stride + 8 * j;
            if (paired) *(SUM2 *)q = make_SUM2(s[4 * j + 2 * h], s[4 * j + 2 * h + 1]);
            else {
                q[0] = s[4 * j + 2 * h];
                q[1] = s[4 * j + 2 * h + 1];
            }
        }
}"""


def helper(name: str) -> Helper | None:
    """Return the function of a name that begins with ``product_``; None for any other."""
    text = {"product_finish": _FINISH, "product_store_float": _STORE.replace("SUM", "float"),
            "product_store_int": _STORE.replace("SUM", "int")}.get(name, "")
    if found := _STAGES.fullmatch(name):
        make = {"load": _load, "mad": _multiply, "along": bulk.along}[found[1]]
        text = make(found[2], int(found[4]), int(found[5]), turned=found[3] == "col")
    elif found := _WAIT.fullmatch(name):
        text = f"""void NAME()
{{
    asm volatile("cp.async.wait_group {found[1]};" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}}"""
    if not text:
        return None
    return Helper(text.replace("{", "{{").replace("}", "}}").replace("NAME", "{name}"))


def _load(kind: str, rows: int, stages: int, *, turned: bool) -> str:
    items, size, bytes = 2 * rows, rows * 128, bulk.BYTES[kind]
    pack, word = 16 // bytes, bulk.WORDS[bytes]

    def parts(memory: str, stride: str, lines: int, each: int, to: str) -> str:
        return f"""#pragma unroll
    for (int k = 0; k < {lines * each // items}; k++) {{
        const int at = me + k * {items}, row = at / {each}, part = at % {each};
        const int to = {to};
        const {word} *from = (const {word} *){memory} + row * {stride} + part * {pack};
        if (lines) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
            :: "r"(base + to), "l"(from) : "memory");
        else for (int e = 0; e < {pack}; e++) (({word} *)(bytes + to))[e] = from[e];
    }}"""
    line = "{} + row * 128 + ((part ^ (row & 7)) * 16)"
    block = "second + part / 8 * 8192 + row * 128 + ((part % 8 ^ (row & 7)) * 16)"
    second = (parts("b", "right", 256, 8, line.format("second")) if turned else
              parts("b", "right", 64, 32, block))
    return f"""void NAME(void *memory, void *a, void *b, long long stage, long long left,
    long long right)
{{
    {_BASE}
    unsigned char *bytes = (unsigned char *)memory
        + (base - (unsigned int)__cvta_generic_to_shared(memory));
    const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int first = (int)stage * {size}, second = {stages * size} + (int)stage * 32768;
    const bool lines = (((unsigned long long)a | (unsigned long long)b
        | (unsigned long long)((left | right) * {bytes})) & 15) == 0;
    {parts("a", "left", rows, 8, line.format("first"))}
    {second}
}}"""


def _multiply(kind: str, rows: int, stages: int, *, turned: bool) -> str:
    begun = bulk.multiply(kind, f"""const unsigned int first = base + (int)stage * {rows * 128}
        + me / 128 * 8192;
    const unsigned int second = base + {stages * rows * 128} + (int)stage * 32768;""",
                          turned=turned)
    cell = bulk.sums(kind)
    return f"""void NAME(void *cells, void *memory, long long stage)
{{
    {_BASE}
    {cell} *s = ({cell} *)cells;
    const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    {begun}
}}"""
