"""The kernel that launches the children of kernels from the card, as text, with these kernels.

It is one warp. It reads the records of kernels that have ended, keeps what they enqueue on a stack,
launches from its top as many as there may be at a time, and itself behind them. Each kernel is
printed as ever, in a namespace of its own, for index spaces of any size. Non-goals: events and
waiting, which are the host's; compiling. Invariants: a command leaves the stack only when its
launch was accepted; the last of the scheduler's launches says why it ended.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from unisycl.backends.cfamily.dialect import Dialect, Head
from unisycl.backends.cfamily.kernel import Source
from unisycl.base.dataclass import replace
from unisycl.ir.enqueue_records import (
    CAPACITY,
    EXTENT,
    KERNEL,
    MOST_GENERATIONS,
    OFFSET,
    STATUS,
    WORDS,
)

NAME = "unisycl_schedule"
"""What the scheduler is called."""
WAVE = 1024
"""How many launches are under way at a time: the card keeps 2048 of all programs' trees."""
TURNS = 20
"""How many times the scheduler launches itself; the host launches it again then. Kernels are nested
at most 24 deep."""
DONE, LEFT, FAILED, AGAIN = 0, 1, 2, 3
"""Why it ended: all is done; records are the host's; no launch was accepted; there is more."""
TOLD = 8
"""Where what it tells has slots that are left, four words each: slot, place, depth, records."""
COUNTS = 16
"""The counters of a slot."""
_PARAMETER = re.compile(r"(\w+)$")
_BLOCKS = {1: (256,), 2: (32, 8), 3: (32, 4, 2)}
_BEGIN = """// children of {names}
struct __align__(16) scheduled_fixed {{ unsigned char bytes[{fixed}]; }};
struct scheduled_head {{
    int used, size, launched, waves;
    int place[{slots}], depth[{slots}];
}};
"""
_KIND = """
static __device__ bool scheduled_fits_{k}(const long long *r)
{{
{fits}
}}
static __device__ int scheduled_launch_{k}(const long long *r, int *counts, long long *records,
    const unsigned char *fixed)
{{
{empty}    const dim3 groups({groups}), items({items});
    scheduled_{k}::{name}<<<groups, items, {dynamic}, cudaStreamFireAndForget>>>({given});
    return (int)cudaGetLastError();
}}
"""
_END = """
static __device__ bool scheduled_fits(const int k, const long long *r)
{{
    switch (k) {{
{fits}
    }}
    return false;
}}
static __device__ int scheduled_child(const int parent, const long long number)
{{
    switch (parent) {{
{children}
    }}
    return -1;
}}
static __device__ bool scheduled_enqueues(const int k)
{{
    switch (k) {{
{enqueues}        default: break;
    }}
    return false;
}}
static __device__ int scheduled_launch(const int k, const long long *r, int *counts,
    long long *records, const unsigned char *fixed)
{{
    switch (k) {{
{launches}
    }}
    return -1;
}}
extern "C" __global__ void __launch_bounds__(32)
{name}(scheduled_head *head, int *counts, long long *records, long long *stack, int *told,
    const int turn, const __grid_constant__ scheduled_fixed fixed)
{{
    const int lane = threadIdx.x;
    if (turn == 0 && lane == 0) {{
        head->used = 1;
        head->size = head->launched = head->waves = head->place[0] = head->depth[0] = 0;
    }}
    __syncwarp();
    const int before = head->used;
    int size = head->size, left = 0;
    for (int slot = 0; slot < before; slot++) {{
        const int count = min({capacity}, max(0, counts[slot * {counts}]));
        const int place = head->place[slot], depth = head->depth[slot];
        const long long *from = records + (long long)slot * {slot_words};
        bool good = depth < {generations} && size + count <= {room};
        for (int k = lane; good && k < count; k += 32) {{
            const long long *r = from + (long long)k * {words};
            const int child = r[{kernel}] < 0 ? -1 : scheduled_child(place, r[{kernel}]);
            good = child >= 0 && r[{status}] == 0 && scheduled_fits(child, r);
        }}
        if (!__all_sync(~0u, good) && count > 0) {{
            if (lane == 0) {{
                int *at = told + {told} + 4 * left;
                at[0] = slot;
                at[1] = place;
                at[2] = depth;
                at[3] = count;
            }}
            left++;
            continue;
        }}
        for (int k = 0; k < count; k++) {{
            long long word = from[(long long)k * {words} + lane];
            if (lane == {kernel}) word = scheduled_child(place, word);
            if (lane == {flags}) word = depth + 1;
            stack[(long long)(size + k) * {words} + lane] = word;
        }}
        size += count;
    }}
    __syncwarp();
    if (lane != 0) return;
    int begun = 0, used = 0, error = 0;
    while (left == 0 && size > 0 && begun < {wave}) {{
        const long long *r = stack + (long long)(size - 1) * {words};
        const int place = (int)r[{kernel}];
        const bool enqueues = scheduled_enqueues(place);
        if (enqueues) {{
            if (used == {slots}) break;
            counts[used * {counts}] = 0;
            head->place[used] = place;
            head->depth[used] = (int)r[{flags}];
        }}
        error = scheduled_launch(place, r, counts + used * {counts},
            records + (long long)used * {slot_words}, fixed.bytes);
        if (error != 0) break;
        used += enqueues;
        begun++;
        size--;
    }}
    head->used = used;
    head->size = size;
    head->launched += begun;
    head->waves++;
    int why = {done};
    if (left > 0) {{
        why = {is_left};
    }} else if (size > 0 && begun == 0) {{
        why = {failed};
    }} else if (size == 0 && used == 0) {{
        counts[0] = 0;  // for the next one that begins
    }} else {{
        why = {again};
        if (turn < {turns}) {{
            {name}<<<1, 32, 0, cudaStreamTailLaunch>>>(head, counts, records, stack, told, turn + 1,
                fixed);
            error = (int)cudaGetLastError();
            if (error == 0) return;
        }}
    }}
    told[1] = error;
    told[2] = size;
    told[3] = left;
    told[4] = head->launched;
    told[5] = head->waves;
    __threadfence_system();
    told[0] = why;
}}
"""


class Child(NamedTuple):
    """A kernel that is launched: its text, its parameters' names and their places in its bytes.

    ``numbers`` are the words of records by the numbers of parameters; ``memory`` says of a
    parameter for records of the kernel's own whether it is for their counters. ``start``: where its
    bytes begin in those of all; ``below``: what the sum of its ids is below; ``children``: the
    places of what it enqueues.
    """

    source: Source
    parameters: tuple[str, ...]
    kind: str
    ndim: int
    local: tuple[int, ...]
    numbers: dict[int, int]
    memory: dict[int, bool]
    offsets: tuple[int, ...]
    start: int
    dynamic: int
    below: int
    children: tuple[int, ...]


def part_dialect(dialect: Dialect, parameters: list[str]) -> Dialect:
    """Return the dialect of a kernel that is launched, which notes its parameters' names."""
    assert not isinstance(dialect.kernel, str)
    plain = dialect.kernel

    def head(of: Head) -> str:
        given = [] if of.params == "void" else of.params.split(", ")
        for one in given:
            found = _PARAMETER.search(one)
            assert found is not None
            parameters.append(found[1])
        members = "".join(f"    {one};\n" for one in given)
        return (f"struct scheduled_types {{\n{members}}};\n"
                + plain(of).removeprefix('extern "C" '))

    return replace(dialect, kernel=head)


def scheduler_text(children: Sequence[Child], root: Sequence[int], names: Sequence[str],
                   most: Sequence[int], *, slots: int, room: int, size: int) -> Source:
    """Return the scheduler and the kernels that it launches.

    Args:
        children: the kernels of a tree but for its first, whose places begin at 1.
        root: the places of what the first enqueues.
        names: what the kernels are called.
        most: how many work-groups a launch has along each dimension.
        slots: how many kernels that enqueue are under way at a time.
        room: how many commands wait at a time.
        size: of the bytes of all kernels' arguments that no record has.
    """
    parts = [_BEGIN.format(names=", ".join(names), fixed=size, slots=slots)]
    for k, child in enumerate(children, 1):
        parts += [f"\nnamespace scheduled_{k} {{\n{child.source.text}}}\n", _kind(k, child, most)]
    every = range(1, len(children) + 1)
    tables = enumerate([root, *(c.children for c in children)])
    parts.append(_END.format(
        name=NAME, capacity=CAPACITY, counts=COUNTS, slot_words=CAPACITY * WORDS, words=WORDS,
        generations=MOST_GENERATIONS, room=room, kernel=KERNEL, flags=1, status=STATUS, told=TOLD,
        wave=WAVE, slots=slots, done=DONE, is_left=LEFT, failed=FAILED, again=AGAIN, turns=TURNS,
        fits="\n".join(f"        case {k}: return scheduled_fits_{k}(r);" for k in every),
        children="\n".join(_row(k, places) for k, places in tables if places),
        enqueues="".join(f"        case {k}: return true;\n" for k, c in enumerate(children, 1)
                         if c.memory),
        launches="\n".join(f"        case {k}: return scheduled_launch_{k}(r, counts, records, "
                           "fixed);" for k in every)))
    return Source("".join(parts), NAME, ())


def _row(parent: int, places: Sequence[int]) -> str:
    """Return what says which kernel of the tree a number in a parent's records means."""
    found = "".join(f" if (number == {n}) return {place};" for n, place in enumerate(places))
    return f"        case {parent}:{found} break;"


def _kind(k: int, child: Child, most: Sequence[int]) -> str:
    """Return what looks at a record of a kernel, and what launches it."""
    groups, items = _shape(child)
    fits, empty = ["    return true;"], ""
    if child.kind != "single":
        ends = [f"r[{EXTENT + d}]" for d in range(child.ndim)]
        starts = [f"r[{OFFSET + d}]" for d in range(child.ndim)]
        fits = [f"    if ({x} < 0 || {x} >= {child.below}) return false;" for x in ends + starts]
        fits += [f"    if ({' + '.join(ends + starts)} >= {child.below}) return false;"]
        fits += [f"    if ({n} > {limit}) return false;"
                 for n, limit in zip(groups, most, strict=False)]
        fits += ["    return true;"]
        empty = f"    if ({' || '.join(f'{x} == 0' for x in ends)}) return 0;\n"
    given = [_given(k, child, at) for at in range(len(child.parameters))]
    return _KIND.format(
        k=k, name=child.source.name, fits="\n".join(fits), empty=empty, dynamic=child.dynamic,
        groups=", ".join(f"(unsigned int)({n})" for n in groups),
        items=", ".join(map(str, items)), given=",\n        ".join(given))


def _shape(child: Child) -> tuple[list[str], tuple[int, ...]]:
    """Return the work-groups along each dimension of C's, as text, and their items."""
    if child.kind == "single":
        return ["1"], (1,)
    dims = [*reversed(range(child.ndim))]
    items = _BLOCKS[child.ndim] if child.kind == "range" else child.local[::-1]
    groups = [f"(r[{EXTENT + d}] + {n - 1}) / {n}" for d, n in zip(dims, items, strict=True)]
    if child.source.flat:
        return [" * ".join(f"({n})" for n in groups)], (math.prod(items),)
    return groups, items


def _given(k: int, child: Child, at: int) -> str:
    """Return an argument of a launch."""
    what, kind = child.source.arguments[at], (
        f"decltype(scheduled_{k}::scheduled_types::{child.parameters[at]})")
    end, start = f"r[{EXTENT + what.dim}]", f"r[{OFFSET + what.dim}]"
    match what.kind:
        case "scalar" if what.number in child.numbers:
            return f"*({kind} *)(r + {child.numbers[what.number]})"
        case "view" if what.number in child.memory:
            return "counts" if child.memory[what.number] else "records"
        case "last":
            return f"({kind})({end} + {start})"
        case "range":
            return f"({kind}){end}"
        case "groups":
            return f"({kind})({end} / {child.local[what.dim]})"
        case "start":
            return f"({kind}){start}"
    return f"*({kind} *)(fixed + {child.start + child.offsets[at]})"


GIVEN = frozenset({"view", "extent", "pitch", "small extent", "small pitch", "scalar", "record",
                   "local", "last", "range", "groups", "start"})
"""The kinds of arguments that kernels launched by the card may have."""
