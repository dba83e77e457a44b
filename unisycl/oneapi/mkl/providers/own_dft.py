"""Fourier transforms by our own kernels, for devices that no library serves.

Data are brought together, transformed along each dimension by passes of small radices, and put
where they belong. Non-goals: lengths with a prime factor above ``layouts.LARGEST``, left to
libraries. Invariant: the same bits in every run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.mkl.dft.descriptor import Plan
from unisycl.oneapi.mkl.dft.layouts import LARGEST, Side, volume
from unisycl.oneapi.mkl.kernels import transforms

_BITS = np.int64


@functools.lru_cache(maxsize=256)
def radices(n: int) -> tuple[int, ...] | None:
    """Return radices whose product is n; None if a prime factor is too large."""
    found = []
    rest = n
    for r in (4, 2, 3, 5, 7, *range(11, LARGEST + 1, 2)):
        while rest % r == 0:
            found.append(r)
            rest //= r
    return tuple(found) if rest == 1 else None


@functools.lru_cache(maxsize=64)
def _table(n: int, kind: np.dtype[Any]) -> Any:
    """Return roots of one, each rounded once."""
    angle = -2 * np.arange(n, dtype=np.longdouble) / n * np.longdouble(
        "3.14159265358979323846264338327950288")
    return (np.cos(angle) + 1j * np.sin(angle)).astype(kind)


class _Work:
    """One transform while it is submitted."""

    def __init__(self, call: Call, plan: Plan, backward: bool) -> None:
        self.call, self.plan, self.backward = call, plan, backward
        self.shape = (1,) * (3 - len(plan.lengths)) + plan.lengths
        self.count = plan.forward.count
        self.size = volume(plan.lengths) * self.count

    def run(self, found: Sequence[Memory]) -> None:
        """Submit everything."""
        plan, call = self.plan, self.call
        kind = plan.complex_type
        source, target = call.own(self.size, kind), call.own(self.size, kind)
        self._bring(found[0], source)
        n0, n1, n2 = self.shape
        tables = {n: call.table(_table(n, kind)) for n in set(self.shape) - {1}}
        for n, inner in ((n2, 1), (n1, n2), (n0, n1 * n2)):
            if n > 1:
                source, target = self._along(n, inner, tables[n], source, target)
        self._put(source, found[-1])

    def _places(self, memory: Memory, side: Side, kind: np.dtype[Any]) -> Record:
        steps = (0,) * (3 - len(side.strides)) + side.strides
        if memory.dtype != kind:
            memory = self.as_type(memory, kind)
        return Record(transforms.places, memory, *(
            _BITS(x) for x in (side.offset, side.distance, *steps)))

    def as_type(self, memory: Memory, kind: np.dtype[Any]) -> Memory:
        """Return memory of real numbers as complex ones, or the other way round."""
        base = reinterpreted(memory.base, kind)
        size = base.size() if callable(base.size) else base.size
        return Memory(base, 0, int(size))

    def _box(self, last: int) -> Any:
        return transforms.box(*(_BITS(n) for n in (*self.shape[:2], last)))

    def _bring(self, memory: Memory, to: Memory) -> None:
        plan = self.plan
        if plan.real and self.backward:
            place = self._places(memory, plan.backward, plan.complex_type)
            self.call.launch(self.size, transforms.gather_half, place, to,
                             self._box(self.shape[2]))
            return
        side = plan.backward if self.backward else plan.forward
        place = self._places(memory, side, plan.forward_type)
        self.call.launch(self.size, transforms.gather, place, to, self._box(self.shape[2]),
                         plan.complex_type.type)

    def _put(self, source: Memory, memory: Memory) -> None:
        plan = self.plan
        side = plan.forward if self.backward else plan.backward
        last = side.shape[-1]
        kernel: Any = transforms.scatter
        kind = plan.complex_type
        if plan.real and self.backward:
            kernel, kind = transforms.scatter_real, plan.dtype
        self.call.launch(self.size // self.shape[2] * last, kernel, source,
                         self._places(memory, side, kind), self._box(last),
                         _BITS(self.shape[2]), plan.dtype.type(plan.scales[self.backward]))

    def _along(self, n: int, inner: int, table: Memory, source: Memory,
               target: Memory) -> tuple[Memory, Memory]:
        """Submit the passes along one dimension; return where the result is, and the other."""
        m, s = n, 1
        for radix in radices(n) or ():
            m //= radix
            kernel: Any = {2: transforms.radix2, 4: transforms.radix4}.get(radix, transforms.small)
            along = Record(transforms.axis, _BITS(n), _BITS(inner), table.read_only(),
                           self.backward, _BITS(radix))
            self.call.launch(self.size // radix, kernel, source, target, along, _BITS(m), _BITS(s))
            source, target = target, source
            s *= radix
        return source, target


def reinterpreted(base: Any, kind: np.dtype[Any]) -> Any:
    """Return memory as elements of another type, without a copy."""
    if isinstance(base, np.ndarray):
        return base[:base.nbytes // kind.itemsize * kind.itemsize // base.itemsize].view(kind)
    size = int(base.size()) * np.dtype(base.dtype).itemsize // kind.itemsize
    if isinstance(base, sycl.buffer):
        return base.reinterpret(kind, size)
    return type(base)(base.block, kind, (size,), base.offset)


class OwnDft:
    """The routine ``transform``."""

    def version(self) -> str:
        """Return what they are."""
        return "unisycl's kernels"

    def serves(self, device: sycl.device) -> bool:
        """Say that kernels run on every device."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what submits the kernels of a plan."""
        served = name.startswith("transform") and ".large" not in name and dtype.kind == "c"
        return _submit if served else None


def _submit(queue: sycl.queue, plan: Plan, backward: bool, found: Sequence[Memory],
            after: Sequence[sycl.event]) -> sycl.event:
    call = Call("compute_backward" if backward else "compute_forward", queue, list(after))
    _Work(call, plan, backward).run(found)
    return call.done().get_event()


def load(name: str) -> OwnDft:
    """Return the provider."""
    del name
    return OwnDft()
