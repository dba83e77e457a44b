"""Copies between views whose rows do not follow one another: a kernel per element type.

Non-goals: dense blocks (the pool copies those). Invariant: the kernel is plain IR, compiled as any
other.
"""

from __future__ import annotations

import functools
import math

from unisycl.backends.base import BoundView
from unisycl.base.dtypes import DTYPES
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, Scalar, View


def is_dense(view: BoundView) -> bool:
    """Say whether a view's elements follow one another."""
    step = 1
    for extent, pitch in zip(reversed(view.shape), reversed(view.pitches), strict=True):
        if extent != 1 and pitch != step:
            return math.prod(view.shape) == 0
        step *= extent
    return True


def as_scalars(view: BoundView) -> BoundView:
    """Return a view of records, or of any element without a kernel type, as a view of bytes."""
    if view.memory.dtype.name in DTYPES and view.memory.dtype.isnative:
        return view
    size = view.memory.dtype.itemsize
    return BoundView(view.memory.view("u1"), view.offset * size, (*view.shape, size),
                     (*(p * size for p in view.pitches), 1))


@functools.cache
def copy_kernel(dtype: str, ndim: int) -> n.Kernel:
    """Return the kernel ``dst[i, j, ...] = src[i, j, ...]``."""
    elem = Scalar(DTYPES[dtype])
    dst, src = (n.Param(name, View(elem, ndim), k) for k, name in enumerate(("dst", "src")))
    index = tuple(n.Query(WEAK_INT, "global_id", d) for d in range(ndim))
    value = n.Load(elem, n.Place(src, index, elem))
    return n.Kernel("copy", (dst, src), (n.Store(n.Place(dst, index, elem), value),), "range", ndim)


@functools.cache
def fill_kernel(dtype: str, ndim: int) -> n.Kernel:
    """Return the kernel ``dst[i, j, ...] = value``."""
    elem = Scalar(DTYPES[dtype])
    dst, value = n.Param("dst", View(elem, ndim), 0), n.Param("value", elem, 1)
    index = tuple(n.Query(WEAK_INT, "global_id", d) for d in range(ndim))
    store = n.Store(n.Place(dst, index, elem), n.ParamRead(elem, value))
    return n.Kernel("fill", (dst, value), (store,), "range", ndim)
