"""Copies and fills as nodes of a graph of CUDA's.

Non-goals: what goes by way of the host, or runs as a kernel: views with gaps of more than one kind,
and elements of 8 bytes. Invariant: a node is of memory that the card reaches, and never empty.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from unisycl.backends import strided
from unisycl.backends.base import Transfer
from unisycl.backends.cuda.api import Api, Copy3D, Fill
from unisycl.backends.cuda.memory.arrays import address_of, is_reached
from unisycl.backends.cuda.memory.transfers import UNIFIED, rows_of
from unisycl.backends.cuda.session import Session

_MOST = 1 << 31
"""The bytes of a row of a copy are fewer."""


class TransferNode:
    """What a graph of CUDA's is told of a copy or a fill; it keeps the memory."""

    __slots__ = ("_context", "_kind", "_params", "_views", "told")

    def __init__(self, kind: str, params: Any, views: Transfer, session: Session) -> None:
        self._kind = kind
        self._params = params
        self._views = views
        self._context = session.context
        self.told = ("a copy" if kind == "Memcpy" else "a fill"), None

    def add(self, api: Api, graph: int, behind: Any, count: int) -> int:
        """Add a node to a graph; return it."""
        return api.address(f"cuGraphAdd{self._kind}Node", graph, behind, count,
                           ctypes.byref(self._params), self._context)

    def put(self, api: Api, ready: int, node: int) -> int:
        """Give a node of a graph that was made these memories; return CUDA's result."""
        return api.attempt(f"cuGraphExec{self._kind}NodeSetParams", ready, node,
                           ctypes.byref(self._params), self._context)

    def replaces(self, old: object) -> bool:
        """Say whether a node may become this one."""
        return isinstance(old, TransferNode) and old._kind == self._kind


def transfer_node(what: Transfer, session: Session) -> TransferNode | None:
    """Return a node; None where a copy or a fill is none."""
    dst, src = what.dst, what.src
    if 0 in dst.shape or not is_reached(dst):
        return None
    if src is None:
        value = np.asarray(what.pattern, dst.memory.dtype)
        if value.itemsize not in (1, 2, 4) or not strided.is_dense(dst):
            return None
        return TransferNode("Memset", Fill(
            dst=address_of(dst), value=int.from_bytes(value.tobytes(), "little"),
            elementSize=value.itemsize, width=math.prod(dst.shape), height=1), what, session)
    if not is_reached(src):
        return None
    if strided.is_dense(dst) and strided.is_dense(src):
        count = math.prod(dst.shape) * dst.memory.dtype.itemsize
        params = _copy(address_of(dst), address_of(src), count, 1, count, count)
    else:
        rows = rows_of(dst, src)
        if rows is None:
            return None
        params = _copy(rows.dstDevice, rows.srcDevice, rows.WidthInBytes, rows.Height,
                       rows.dstPitch, rows.srcPitch)
    return TransferNode("Memcpy", params, what, session) if params.WidthInBytes < _MOST else None


def _copy(to: int, start: int, width: int, height: int, to_pitch: int, pitch: int) -> Copy3D:
    return Copy3D(srcMemoryType=UNIFIED, srcDevice=start, srcPitch=pitch, srcHeight=height,
                  dstMemoryType=UNIFIED, dstDevice=to, dstPitch=to_pitch, dstHeight=height,
                  WidthInBytes=width, Height=height, Depth=1)
