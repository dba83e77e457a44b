"""Kernels of the driver that is none: the native CPU runs what was to be compiled for a card.

Every argument is taken from where the driver was told it lies, and compared with what the launch
means; only the index space and the extents of views are known besides. Non-goals: the text of
kernels. Invariant: a view that is not in memory of the driver's is an illegal address.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.cuda_fake.library import FakeCuda
from unisycl.backends.base import BoundView, Geometry, Launch, LocalSize, StridedView
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.cpu.driver import CpuDriver
from unisycl.backends.cuda.launch import arguments
from unisycl.backends.cuda.text import joined
from unisycl.backends.device import printing
from unisycl.backends.device.scratch import Call
from unisycl.ir.nodes import Kernel
from unisycl.ir.types import View

TAKE = printing.take
_BOUNDS = re.compile(r"__launch_bounds__\((\d+)\)\n(\w+)\(")
_TYPES = {"Q": ctypes.c_uint64, "q": ctypes.c_int64, "i": ctypes.c_int32, "I": ctypes.c_uint32}
_CODES = {"view": "Q", "partials": "Q", "flags": "Q", "counter": "Q", "target": "Q", "report": "Q",
          "small extent": "i", "small pitch": "i", "local": "I", "keep": "i"}


@functools.cache
def cpu() -> CpuDriver:
    """Return what runs kernels."""
    return CpuDriver()


class Known:
    """What of a launch its arguments need not tell: shapes of views, and the index space."""

    def __init__(self, launch: Launch, call: Call) -> None:
        self.geometry: Geometry = launch.geometry
        self.values = [_shape_of(v) for v in launch.values]
        self.results = [_shape_of(view) for view, _ in launch.reductions]
        self.fresh = [drop for _, drop in launch.reductions]


def _shape_of(value: Any) -> Any:
    if not isinstance(value, BoundView):
        return value if isinstance(value, LocalSize) else np.asarray(value).dtype
    return type(value), value.memory.dtype, value.shape, value.pitches


def _extents(shape: Any) -> tuple[int, ...]:
    return shape.shape if isinstance(shape, LocalSize) else shape[2]  # type: ignore[no-any-return]


class Kernels:
    """The kernels that were compiled for one fake; ``errors`` are what they ended with."""

    def __init__(self, fake: FakeCuda) -> None:
        self.fake = fake
        self.errors: list[BaseException] = []
        self.made: list[Source] = []
        self._known: dict[int, tuple[Any, Known]] = {}
        self._first: dict[int, tuple[Any, Known, Source, Kernel]] = {}
        self._compiled: dict[Any, Any] = {}
        self._begun: dict[int, dict[Any, Any]] = {}

    def compile(self, source: Source, kernel: Kernel, target: Any) -> bytes:
        """Return code of a kernel, as the compiler does."""
        image = f"code {len(self.made)} of {source.name}".encode()
        self.made.append(source)
        run = self.joined if source.name == joined.NAME else self.launched
        self.fake.kernels[image] = functools.partial(run, source, kernel)
        for most, name in _BOUNDS.findall(source.text):
            self.fake.bounds[image, name.encode()] = int(most)
        return image

    def packed(self, launch: Launch, call: Call, pack: arguments.Pack) -> None:
        """Note what a launch means whose arguments were packed."""
        kernel: Any = launch.executable.kernel
        self._executable(kernel, launch.geometry)  # not in a call of the driver's
        self._known[ctypes.addressof(pack.pointers)] = pack, Known(launch, call)
        self._first[pack.pointers[0]] = pack, Known(launch, call), launch.executable.source, kernel
        if len(self._known) > 1 << 14:
            for key in list(self._known)[:1 << 13]:
                del self._known[key]

    def _executable(self, kernel: Kernel, geometry: Geometry) -> Any:
        """Return a kernel compiled for the CPU, with sub-groups as large as a card's."""
        key = id(kernel), geometry
        known = self._compiled.get(key)
        if known is None:
            like = kernel
            if kernel.index_kind == "nd_range" and not kernel.sub_group:
                like = dataclasses.replace(kernel, sub_group=32)
            known = self._compiled[key] = cpu().compile(like, geometry), kernel
        return known[0]

    def take(self, buffer: Any, kernel: str, sites: Any) -> BaseException | None:
        """Return the error of a kernel in which a check failed: the CPU's own words."""
        return self.errors.pop() if buffer[2] and self.errors else TAKE(buffer, kernel, sites)

    def joined(self, source: Source, kernel: Kernel, name: str, sizes: tuple[int, ...],
               shared: int, params: Any) -> Callable[[], None]:
        """Take the arguments of several kernels that are one; return what runs them side by side.

        Each kernel's own begin where its packed arguments do.
        """
        parts: list[tuple[Any, Any]] = []
        at = 0
        for _ in range(source.text.count("namespace joined_")):
            _, known, own, kernel = self._first[params[at]]
            found = self._arguments(own.arguments, kernel, params, at)
            at += len(own.arguments)
            values = [self._value(kernel, i, known, found) for i in range(len(kernel.params))]
            parts.append((self._executable(kernel, known.geometry), Launch(
                self._executable(kernel, known.geometry), known.geometry, tuple(values))))

        def work() -> None:
            ends = [cpu().launch(launch, ()) for _, launch in parts]
            for end in ends:
                while not end.wait(1.0):
                    continue
            self.errors += [error for end in ends if (error := end.error()) is not None]

        return work

    def _arguments(self, described: Any, kernel: Kernel, params: Any, first: int = 0,
                   ) -> dict[tuple[str, int, int], Any]:
        found: dict[tuple[str, int, int], Any] = {}
        for k, a in enumerate(described, first):
            if a.kind in ("scalar", "record"):
                size = kernel.params[a.number].type.size  # type: ignore[union-attr]
                found[a] = ctypes.string_at(params[k], size)
            else:
                kind = _TYPES[_CODES.get(a.kind, "q")]
                found[a] = kind.from_address(params[k]).value
        return found

    def launched(self, source: Source, kernel: Kernel, name: str, sizes: tuple[int, ...],
                 shared: int, params: Any) -> Callable[[], None]:
        """Take the arguments of a launch; return what runs it."""
        finishes = name == source.finish_name
        assert finishes or name == source.name
        _, known = self._known[ctypes.addressof(params)]
        described = source.finish if finishes else source.arguments
        found = self._arguments(described, kernel, params)
        if finishes:  # it alone knows where the results go
            found = {**self._begun.pop(id(source)), **found}
        else:
            self._check(kernel, known, found, sizes, source)
            context = self.fake._stack()[-1]
            for (kind, *_), value in found.items():
                if kind == "view" and not self.fake.reached(value, context):
                    self.fake.misuse.append("a kernel uses memory of another card")
            if source.finish_name:
                self._begun[id(source)] = found
                return lambda: None

        def work() -> None:
            values = [self._value(kernel, i, known, found) for i in range(len(kernel.params))]
            results = tuple((self._view(known.results[i], found.get(("target", i, 0))), drop)
                            for i, drop in enumerate(known.fresh))
            self.run(kernel, known.geometry, (tuple(values), results),
                     found.get(("report", 0, 0)))

        return work

    def _check(self, kernel: Kernel, known: Known, found: dict[Any, Any], sizes: tuple[int, ...],
               source: Source) -> None:
        """Compare what was passed of shapes and the index space with what is meant."""
        geometry = known.geometry
        meant = {"last": lambda i, d: geometry.global_[d] + (geometry.offset or (0,) * 3)[d],
                 "range": lambda i, d: geometry.global_[d],
                 "start": lambda i, d: geometry.offset[d],
                 "groups": lambda i, d: geometry.global_[d] // kernel.local[d],
                 "extent": lambda i, d: _extents(known.values[i])[d],
                 "small extent": lambda i, d: _extents(known.values[i])[d],
                 "pitch": lambda i, d: known.values[i][3][d],
                 "small pitch": lambda i, d: known.values[i][3][d]}
        for (kind, i, d), value in found.items():
            if kind in meant:
                assert value == meant[kind](i, d), (kind, i, d, value)
        items = math.prod(sizes)
        if kernel.index_kind == "nd_range":
            assert items == math.prod(geometry.global_)
        elif kernel.index_kind == "range" and not kernel.reducers:
            assert items * source.items >= math.prod(geometry.global_)

    def _value(self, kernel: Kernel, i: int, known: Known, found: dict[Any, Any]) -> Any:
        kind = kernel.params[i].type
        shape = known.values[i]
        if isinstance(shape, LocalSize):
            return shape
        if isinstance(kind, View):
            return self._view(shape, found.get(("view", i, 0)), spread=kind.spread)
        raw = found.get(("scalar", i, 0), found.get(("record", i, 0)))
        if raw is None:  # the text does not use it
            return np.zeros((), shape)[()]
        return np.frombuffer(raw, shape)[0]

    def _view(self, shape: Any, address: int | None, *, spread: bool = False) -> BoundView:
        """Return a view of memory at an address; of none where the text does not use it."""
        _, dtype, extents, pitches = shape
        made = StridedView if spread else BoundView
        if 0 in extents or address is None:
            size = max(1, math.prod(extents))
            return made(np.zeros(size, dtype), 0, extents, pitches)
        ends = [(n - 1) * p for n, p in zip(extents, pitches, strict=True)]
        low, high = sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)
        start, size = address + low * dtype.itemsize, (high - low + 1) * dtype.itemsize
        if not self.fake._inside(start, size):
            raise MemoryError
        raw = (ctypes.c_char * size).from_address(start)
        return made(np.frombuffer(raw, dtype), -low, extents, pitches)

    def run(self, kernel: Kernel, geometry: Geometry, given: tuple[Any, Any],
            report: int | None) -> None:
        """Run a kernel to its end; note in its report that it failed."""
        values, results = given
        made = self._executable(kernel, geometry)
        done = cpu().launch(Launch(made, geometry, values, reductions=results), ())
        while not done.wait(1.0):
            continue
        error = done.error()
        if error is not None:
            self.errors.append(error)
            if report is not None:
                ctypes.c_uint32.from_address(report + 8).value = 1
