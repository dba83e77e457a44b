"""What a ``distr_queue`` does in a simulation: it plans all, and runs a part of each kernel once.

Non-goals: times of messages (``ranks.network``). Invariant: plans are those of a real run; a
kernel's cost is measured on this rank's part, on this machine's device.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from unisycl.ranks.network.pretended import Group, Program
from unisycl.runtime.launch import launch
from unisycl.runtime.launch.program import label

_TIMES = 5  # after one that takes memory
_MOST = 1 << 22  # items of a part that is run


class Launched(NamedTuple):
    """A kernel as a program launches it."""

    geometry: Any
    function: Any
    arguments: tuple[Any, ...]
    reductions: tuple[Any, ...]


def planned(program: Program, name: str, steps: Sequence[Any]) -> Group:
    """Note a command group and what is sent for it."""
    made = Group(name)
    for buffer, step in steps:
        made.transfers += [(t.source, t.target, buffer.number,
                            t.box.size() * buffer.dtype.itemsize) for t in step.transfers]
    program.groups.append(made)
    return made


def kernel(program: Program, h: Any, parts: Sequence[Any], uses: Any, what: Launched) -> None:
    """Note a kernel and its parts; measure what an item costs, the first time."""
    group = program.groups[-1]
    group.kernel = key = f"{label(what.function)} {getattr(what.function, '__code__', '')!r}"
    reads: list[int] = []
    writes: list[int] = []
    nbytes = [0.0] * program.size
    for one, found in uses.values():
        number, size = one.owner.number, one.dtype.itemsize
        for use in found:
            (writes if use.writes else reads).append(number)
            for rank, box in enumerate(use.parts):
                if box is not None:
                    nbytes[rank] += box.size() * size * (1 + (use.writes and use.reads))
    group.reads, group.writes = tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(writes))
    group.parts = [(rank, float(math.prod(part.extent)), nbytes[rank])
                   for rank, part in enumerate(parts) if part is not None]
    group.combines = tuple((r._variable.owner.number, r.dtype.itemsize) for r in what.reductions)
    if key not in program.costs and parts[0] is not None:
        program.costs[key] = _measured(h, parts[0], what)


def _measured(h: Any, part: Any, what: Launched) -> float:
    """Return the seconds of a work-item: of the middle one of a few runs of this rank's part."""
    rows = max(1, min(part.extent[0], _MOST // max(1, math.prod(part.extent[1:]))))
    geometry = what.geometry
    grain = geometry.local[0] if geometry.local else 1
    rows = max(grain, rows // grain * grain)
    mine = launch.part_geometry(geometry, part.start, (rows, *part.extent[1:]))
    made = launch.build(h.channel, h, what.function, mine, what.arguments, what.reductions)
    spent = []
    for _ in range(1 + _TIMES):
        begin = time.perf_counter()
        end = launch.begin_launch(h.channel, made, what.reductions)(())
        end.wait()
        spent.append(time.perf_counter() - begin)
        error = end.error()
        if error is not None:
            raise error
    return sorted(spent[1:])[_TIMES // 2] / math.prod(mine.global_)
