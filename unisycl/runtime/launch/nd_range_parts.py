"""Kernels over a part of an nd_range: its work-groups know where they are in the whole of it.

A non-uniform nd_range is launched as up to eight uniform ones, each with the kernel for its local
size. Ids of groups, and ranges and offset of the whole, come as parameters; everything else, from
barriers to sub-groups, is that of a uniform launch. Non-goals: cutting (``runtime.launch.launch``).
Invariant: ``placed`` returns the same kernel object for the same kernel.
"""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict
from dataclasses import replace
from typing import Any

import numpy as np

from unisycl.backends.base import Geometry
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import INT64

_MOST = 1024
_placed: OrderedDict[int, tuple[n.Kernel, n.Kernel]] = OrderedDict()
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


def placed(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel whose queries are answered by parameters that ``places`` gives values to."""
    known = _placed.get(id(kernel))
    if known is None:
        while len(_placed) >= _MOST:
            _placed.popitem(last=False)
        known = _placed[id(kernel)] = kernel, _place(kernel)
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
                                                   (("part", x.name), ("dim", x.dim)))
            params.append(param)
        given = n.Cast(x.type, n.ParamRead(INT64, param))
        return n.Binary(x.type, "add", x, given) if x.name == "group_id" else given
    body = visit.rewrite_block(kernel.body, whole)
    return replace(kernel, body=body, params=tuple(params))


def places(kernel: n.Kernel, part: Geometry) -> tuple[Any, ...]:
    """Return the values of the parameters that ``placed`` has added, for one part."""
    whole = part.launched
    values = {"group_id": part.first_group(), "group_range": whole.groups(),
              "global_range": whole.global_, "max_local_range": whole.local,
              "offset": whole.offset}
    return tuple(np.int64(values[str(p.path[0][1])][int(p.path[1][1])]) for p in kernel.params
                 if p.path and p.path[0][0] == "part")
