"""Copies of tiles in CUDA C++: ``cp.async``, 16 bytes each, in groups that are waited for.

Non-goals: which kernels copy. Invariant: what does not lie at multiples of 16 bytes is copied by
the threads at once, element by element.
"""

from __future__ import annotations

import re

from unisycl.backends.cfamily.dialect import Helper

_COPY = re.compile(r"tile_copy_(\d+)_(\d+)_(\d+)_(\d+)(_aligned)?")
_WAIT = re.compile(r"tile_wait_(\d+)")
_WORDS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
_BATCH = 'void {name}()\n{{\n    asm volatile("cp.async.commit_group;" ::: "memory");\n}}'


def helper(name: str) -> Helper | None:
    """Return the function of a name that begins with ``tile_``; None for any other."""
    if name == "tile_batch":
        return Helper(_BATCH)
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
