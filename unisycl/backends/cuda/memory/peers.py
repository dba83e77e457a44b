"""Memory of one card's for another one: which may, who was let, and copies straight between them.

Memory of the driver's pool is lent apart from all else. Non-goals: when data move (``runtime``),
who waits for whom. Invariants: what was asked of the driver is remembered by the one that uses the
memory; a copy goes to the streams of the card that it ends on.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

from unisycl.backends.base import BoundView, Completion
from unisycl.backends.cuda.api import Access
from unisycl.backends.cuda.commands.commands import Commands
from unisycl.backends.cuda.commands.lanes import Lane
from unisycl.backends.cuda.memory.arrays import address_of
from unisycl.backends.cuda.memory.heap import Heap
from unisycl.backends.cuda.session import Session
from unisycl.base.enums import peer_access

_ATOMICS = 3  # CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED
_DEVICE, _READ_WRITE, _NOTHING = 1, 3, 0  # CU_MEM_LOCATION_TYPE, CU_MEM_ACCESS_FLAGS
_ALREADY, _NOT_ENABLED = 704, 705


class Peers:
    """What one card may do with the memory of others, by their numbers."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._able: dict[int, frozenset[str]] = {}
        self._let: set[int] = set()

    def able(self, other: int) -> frozenset[str]:
        """Return what kernels here can do with memory of a card: the values of ``peer_access``."""
        found = self._able.get(other)
        if found is None:
            found = self._able[other] = frozenset(self._asked(other))
        return found

    def _asked(self, other: int) -> list[str]:
        mine = self._session.card.ordinal
        with self._session as api:
            if other == mine or not api.number("cuDeviceCanAccessPeer", mine, other):
                return []
            atomics = api.number("cuDeviceGetP2PAttribute", _ATOMICS, mine, other)
        return [peer_access.access_supported.value] + (
            [peer_access.atomics_supported.value] if atomics else [])

    def let(self, owner: Session, heap: Heap) -> bool:
        """Have kernels and copies here reach a card's memory; say whether that can be.

        The first time nothing may be at work on either card: on two H100 kernels failed that ran
        while their memory was opened (CUDA_ERROR_LAUNCH_FAILED).
        """
        other = owner.card.ordinal
        if other not in self._let:
            if not self.able(other):
                return False
            for session in (owner, self._session):
                with session as api:
                    api.attempt("cuCtxSynchronize")
            with self._session as api:
                result = api.attempt("cuCtxEnablePeerAccess", owner.context, 0)
                if result not in (0, _ALREADY) or not self._open(api, heap, _READ_WRITE):
                    return False
            self._let.add(other)
        return True

    def end(self, owner: Session, heap: Heap) -> None:
        """End what ``let`` began."""
        self._let.discard(owner.card.ordinal)
        with self._session as api:
            result = api.attempt("cuCtxDisablePeerAccess", owner.context)
            self._open(api, heap, _NOTHING)
        if result not in (0, _NOT_ENABLED):
            raise self._session.failed(result, "cuCtxDisablePeerAccess")

    def _open(self, api: Any, heap: Heap, flags: int) -> bool:
        if not heap.pool:
            return True
        access = Access(type=_DEVICE, id=self._session.card.ordinal, flags=flags)
        return not api.attempt("cuMemPoolSetAccess", heap.pool, ctypes.byref(access), 1)


def fetch(commands: Commands, owner: Session, dst: BoundView, src: BoundView,
          deps: Sequence[Any]) -> Completion:
    """Copy from memory of another card's, without gaps, to that of one's own."""
    session = commands.session
    count = math.prod(dst.shape) * dst.memory.dtype.itemsize
    to, start = (address_of(dst), address_of(src)) if count else (0, 0)

    def give(lane: Lane) -> int:
        return session.api.attempt("cuMemcpyPeerAsync", to, session.context, start, owner.context,
                                   count, lane.value) if count else 0

    return commands.begin(give, deps, ("a copy between cards", None), (dst, src))
