"""Kernels over a part of an index space: its work-items know where they are in the whole of it.

A non-uniform nd_range is launched as up to eight uniform ones, each with the kernel for its local
size. Ids of groups, and ranges and offset of the whole, come as parameters; everything else, from
barriers to sub-groups, is that of a uniform launch. Non-goals: cutting (``runtime.launch.launch``).
Invariant: ``placed`` returns the same kernel object for the same kernel.
"""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unisycl.backends.base import Geometry
from unisycl.base.later import Later
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.part_parameters import DECLARED, PART
from unisycl.ir.types import INT64

if TYPE_CHECKING:
    from unisycl.passes import pipeline
else:
    pipeline = Later("unisycl.passes.pipeline")

_MOST = 1024
_placed: OrderedDict[tuple[int, bool], tuple[n.Kernel, n.Kernel]] = OrderedDict()
_ALL = (-(1 << 62), 1 << 62)
_ASKED = ("group_id", "group_range", "global_range", "max_local_range", "offset")


@functools.lru_cache(maxsize=1024)
def cut(whole: Geometry) -> tuple[Geometry, ...]:
    """Return the uniform nd_ranges that make up one; itself if it is uniform."""
    if not any(g % s for g, s in zip(whole.global_, whole.local, strict=True)):
        return (whole,)
    cuts = []
    for extent, local, offset in zip(whole.global_, whole.local, whole.offset, strict=True):
        rest = extent % local
        found = (extent - rest, local, offset), (rest, rest, offset + extent - rest)
        cuts.append([one for one in found if one[0]])
    return tuple(_part(whole, chosen) for chosen in itertools.product(*cuts))


def _part(whole: Geometry, chosen: tuple[tuple[int, int, int], ...]) -> Geometry:
    extent, local, offset = zip(*chosen, strict=True)
    return Geometry(whole.kind, extent, local, offset, whole)


def placed(kernel: n.Kernel, *, alone: bool = False) -> n.Kernel:
    """Return a kernel whose queries are answered by parameters that ``places`` gives values to.

    One that is launched ``alone``, and whose bounds are checked, keeps to declared parts, too.
    """
    declares = alone and "bounds" in kernel.checks
    known = _placed.get((id(kernel), declares))
    if known is None:
        while len(_placed) >= _MOST:
            _placed.popitem(last=False)
        made = _place(kernel)
        if declares:
            made = pipeline.run(made, "plain", "declared", pipeline.Facts())
        known = _placed[id(kernel), declares] = kernel, made
    return known[1]


def _place(kernel: n.Kernel) -> n.Kernel:
    params = list(kernel.params)
    known: dict[tuple[str, int], n.Param] = {}

    def whole(x: n.Expr) -> n.Expr:
        if not isinstance(x, n.Query) or x.name not in _ASKED:
            return x
        param = known.get((x.name, x.dim))
        if param is None:
            param = known[x.name, x.dim] = n.Param(f"{x.name}_{x.dim}", INT64, len(params),
                                                   ((PART, x.name), ("dim", x.dim)))
            params.append(param)
        given = n.Cast(x.type, n.ParamRead(INT64, param))
        return n.Binary(x.type, "add", x, given) if x.name == "group_id" else given
    body = visit.rewrite_block(kernel.body, whole)
    return replace(kernel, body=body, params=tuple(params))


def declares(kernel: n.Kernel) -> bool:
    """Say whether ``places`` asks the arguments of each launch for the part that they declare."""
    return any(p.path and p.path[0][0] == DECLARED for p in kernel.params)


def places(kernel: n.Kernel, part: Geometry, raw: Sequence[Any] = ()) -> tuple[Any, ...]:
    """Return the values of the parameters that ``placed`` has added, for one part.

    ``raw`` are the arguments, some of which may know the part that is declared of them.
    """
    whole = part.launched
    values = {"group_id": part.first_group(), "group_range": whole.groups(),
              "global_range": whole.global_, "max_local_range": whole.local,
              "offset": whole.offset}
    found = []
    for p in kernel.params:
        step = p.path[0] if p.path else ("", 0)
        if step[0] == PART:
            found.append(np.int64(values[str(step[1])][int(p.path[1][1])]))
        elif step[0] == DECLARED:
            box = getattr(raw[int(step[1])], "declared", None)
            side, dim = int(p.path[1][1]), int(p.path[2][1])
            found.append(np.int64(_ALL[side] if box is None else box[side][dim]))
    return tuple(found)
