"""Copies of tiles in CUDA C++: ``cp.async``, 16 bytes each, in groups that are waited for.

Copies of ``async_work_group_copy`` are of 16, 8 or 4 bytes each, as both sides lie. Non-goals:
which kernels copy. Invariant: what lies at no such multiples is copied by the threads at once,
element by element.
"""

from __future__ import annotations

import re

from unisycl.backends.cfamily.dialect import Helper

_COPY = re.compile(r"tile_copy_(\d+)_(\d+)_(\d+)_(\d+)(_aligned)?")
_WAIT = re.compile(r"tile_wait_(\d+)")
_LINE = re.compile(r"line_copy_(\d)(_strided)?(_aligned)?")
_WORDS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
_WAIT_ALL = 'void {name}()\n{{\n    asm volatile("cp.async.wait_all;" ::: "memory");\n}}'
_BATCH = 'void {name}()\n{{\n    asm volatile("cp.async.commit_group;" ::: "memory");\n}}'


def helper(name: str) -> Helper | None:
    """Return the function of a name that begins with ``tile_`` or ``line_``; None for others."""
    if name == "tile_batch":
        return Helper(_BATCH)
    if name == "tile_wait_all":
        return Helper(_WAIT_ALL)
    found = _LINE.fullmatch(name)
    if found is not None:
        size = int(found[1])
        text = _strided(size) if found[2] else _line(size, sure=found[3] is not None)
        return Helper(text.replace("{", "{{").replace("}", "}}").replace("NAME", "{name}"))
    found = _WAIT.fullmatch(name)
    if found is not None:
        return Helper(f'void {{name}}()\n{{{{\n    asm volatile("cp.async.wait_group {found[1]};" '
                      '::: "memory");\n}}')
    found = _COPY.fullmatch(name)
    if found is None:
        return None
    size, rows, cols, items = map(int, found.group(1, 2, 3, 4))
    text = _copy(size, rows, cols, items, sure=found[5] is not None)
    return Helper(text.replace("{", "{{").replace("}", "}}").replace("NAME", "{name}"))


def _copy(size: int, rows: int, cols: int, items: int, *, sure: bool) -> str:
    each, type = cols * size // 16, _WORDS[size]
    chunks = rows * each
    guard = "" if chunks % items == 0 else f"if (at < {chunks}) "
    return f"""void NAME(void *target, void *source, long long pitch, long long stride)
{{
    const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const unsigned int there = (unsigned int)__cvta_generic_to_shared(target);
    const char *here = (const char *)source;
    if ((((unsigned long long)here | {"0" if sure else "there"}
            | (unsigned long long)((pitch | stride) * {size})) & 15) == 0) {{
        #pragma unroll
        for (int k = 0; k < {-(-chunks // items)}; k++) {{
            const int at = me + k * {items}, row = at / {each}, column = at % {each};
            {guard}asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                :: "r"(there + row * ((int)pitch * {size}) + column * 16),
                   "l"(here + row * (stride * {size}) + column * 16) : "memory");
        }}
    }} else {{
        for (int at = me; at < {rows * cols}; at += {items})
            (({type} *)target)[at / {cols} * pitch + at % {cols}] =
                (({type} *)source)[at / {cols} * stride + at % {cols}];
    }}
}}"""


_WHO = """const int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int items = blockDim.x * blockDim.y * blockDim.z, count = (int)elements;
    const unsigned int there = (unsigned int)__cvta_generic_to_shared(target);"""


def _line(size: int, *, sure: bool) -> str:
    """Return a function that copies elements that follow one another.

    ``sure``: where they go begins at a multiple of 16 bytes.
    """
    type, least = _WORDS[size], max(4, size)
    parts = []
    for bytes, kind in ((16, "cg"), (least, "ca")):
        parts.append(f"""if ((both & {bytes - 1}) == 0) {{
        done = count * {size} / {bytes} * {bytes};
        for (int at = me * {bytes}; at < done; at += items * {bytes})
            asm volatile("cp.async.{kind}.shared.global [%0], [%1], {bytes};"
                :: "r"(there + at), "l"((const char *)source + at) : "memory");
    }}""")
    return f"""void NAME(void *target, void *source, long long elements)
{{
    {_WHO}
    const unsigned int both = {"" if sure else "there | "}(unsigned int)(unsigned long long)source;
    int done = 0;
    {" else ".join(parts)}
    for (int k = done / {size} + me; k < count; k += items)
        (({type} *)target)[k] = ((const {type} *)source)[k];
}}"""


def _strided(size: int) -> str:
    """Return a function that copies elements that lie apart, one by one."""
    type = _WORDS[size]
    one = f"(({type} *)target)[k] = *from;"
    if size >= 4:
        one = f"""asm volatile("cp.async.ca.shared.global [%0], [%1], {size};"
            :: "r"(there + k * {size}), "l"(from) : "memory");"""
    return f"""void NAME(void *target, void *source, long long elements, long long stride)
{{
    {_WHO if size >= 4 else _WHO.rpartition(chr(10))[0]}
    for (int k = me; k < count; k += items) {{
        const {type} *const from = (const {type} *)source + k * stride;
        {one}
    }}
}}"""
