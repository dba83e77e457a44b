"""BLAS by libraries with its C interface.

Non-goals: checks (``blas.arguments``). Invariant: a function is called with exactly what the row of
its routine says, and the lock of Python is free meanwhile.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.native import Bound
from unisycl.oneapi.mkl import names
from unisycl.oneapi.mkl.blas import table
from unisycl.oneapi.mkl.blas.arguments import HALVES, LETTERS, REAL, TYPES, Given, names_of
from unisycl.oneapi.mkl.providers.clibraries import Interface, interface

_C = {"float32": ctypes.c_float, "float64": ctypes.c_double, "int64": ctypes.c_size_t}
_REAL_NAMES = {"s": "s", "d": "d", "c": "sc", "z": "dz"}
_MIXED_NAMES = {"s": "s", "d": "d", "c": "cs", "z": "zd"}


class _Pair(ctypes.Structure):
    """A complex number, by whose address C takes it."""

    _fields_ = (("real", ctypes.c_double), ("imag", ctypes.c_double))


class _FloatPair(ctypes.Structure):
    _fields_ = (("real", ctypes.c_float), ("imag", ctypes.c_float))


class Routine:
    """One function of CBLAS for one type."""

    def __init__(self, row: table.Row, letter: str, function: Any, source: Interface) -> None:
        self.row, self.letter, self.function = row, letter, function
        self.layout = row.name not in table.LEVEL1
        self.threads = source.threads
        self.inner = names_of(row).index("k") if row.name == "gemm" else None
        kinds = self._kinds(source.integer)
        self.result: Any = None
        if row.result:
            self.result = self._type(row.result)
            kinds.pop()
            function.restype = self.result
        else:
            function.restype = None
        function.argtypes = kinds

    def _type(self, text: str) -> Any:
        kind = {"t": TYPES[self.letter], "r": REAL[self.letter]}.get(text) or np.dtype(text)
        return _C[kind.name]

    def _kinds(self, integer: Any) -> list[Any]:
        kinds: list[Any] = [ctypes.c_int] if self.layout else []
        for argument in self.row.arguments:
            if isinstance(argument, table.Option):
                kinds.append(ctypes.c_int)
            elif isinstance(argument, table.Size):
                kinds.append(integer)
            elif isinstance(argument, table.Number):
                real = argument.real or self.letter in "sd"
                kinds.append(_C[REAL[self.letter].name] if real else ctypes.c_void_p)
            elif isinstance(argument, table.Memory):
                kinds.append(ctypes.c_void_p)
            else:
                kinds += [ctypes.c_void_p, integer]
        return kinds

    def prepare(self, given: Given, layout: int) -> tuple[list[Any], list[int], Any]:
        """Return the arguments, where addresses belong among them, and what they point to."""
        kept: list[Any] = []
        values = [self._passed(v, kept) for v in given.values]
        if self.inner is not None and given.named["alpha"] == 0:
            values[self.inner] = 0  # some kernels of OpenBLAS multiply what is not to be read by 0
        slots = list(given.slots)
        if self.layout:
            values.insert(0, layout)
            slots = [s + 1 for s in slots]
        return values, slots, kept

    def _passed(self, value: Any, kept: list[Any]) -> Any:
        if not isinstance(value, complex):
            return value
        pair = (_FloatPair if self.letter == "c" else _Pair)(value.real, value.imag)
        kept.append(pair)
        return ctypes.addressof(pair)

    def work(self, given: Given, layout: int) -> Callable[..., None]:
        """Return what does the work once the addresses of memory are known."""
        values, slots, kept = self.prepare(given, layout)

        def run(pointed: Any, queue: Any, *bound: Any) -> None:
            del pointed, queue
            call = list(values)
            for slot, memory in zip(slots, bound, strict=True):
                call[slot] = memory.address
            if self.result is None:
                self.function(*call)
            else:
                target = call.pop()
                self.result.from_address(target).value = self.function(*call)

        return functools.partial(run, kept)


class Halves:
    """A product of halves: they become float32 first, and the result is rounded once."""

    def __init__(self, wide: Routine) -> None:
        self._wide = wide
        self.threads = wide.threads

    def work(self, given: Given, layout: int) -> Callable[..., None]:
        """Return what does the work once the addresses of memory are known."""
        m, n, ld = (given.named[x] for x in ("m", "n", "ldc"))
        lying, count = (n, m) if layout == names.layout.row_major.number else (m, n)
        keeps = given.named["beta"] != 0
        inner = self._wide.work(dataclasses.replace(given, letter="s"), layout)

        def run(native: Any, *bound: Bound) -> None:
            *read, written = map(_seen, bound)
            wide = [x.astype(np.float32) for x in read]
            wide.append(written.astype(np.float32) if keeps else np.empty(written.size, np.float32))
            inner(native, *(Bound(x.ctypes.data, x.size, x.dtype) for x in wide))
            if lying and count:
                _columns(written, count, lying, ld)[:] = _columns(wide[-1], count, lying, ld)

        return run


def _seen(bound: Bound) -> np.ndarray[Any, Any]:
    """Return the elements at an address."""
    size = bound.count * bound.dtype.itemsize
    raw: Any = (ctypes.c_uint8 * size).from_address(bound.address) if size else b""
    return np.frombuffer(raw, np.uint8).view(bound.dtype)


def _columns(x: np.ndarray[Any, Any], count: int, lying: int, ld: int) -> np.ndarray[Any, Any]:
    """Return elements as columns, or rows, that lie so far apart."""
    return np.lib.stride_tricks.as_strided(x, (count, lying), (ld * x.itemsize, x.itemsize))


class CBlas:
    """All routines of one library."""

    def __init__(self, source: Interface) -> None:
        self._source = source
        self._known: dict[tuple[str, str], Routine | None] = {}

    def version(self) -> str:
        """Return the library's name and version."""
        return self._source.version

    def serves(self, device: sycl.device) -> bool:
        """Say that it works in the host's memory."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Routine | Halves | None:
        """Return a routine for a type."""
        if str(dtype) in HALVES:
            found = table.ROUTINES.get(name.partition(".")[0])
            wide = self._of(name, TYPES["s"]) if found is not None and found.halves else None
            return None if wide is None else Halves(wide)
        return self._of(name, dtype)

    def _of(self, name: str, dtype: np.dtype[Any]) -> Routine | None:
        letter, name = LETTERS.get(dtype, ""), name.partition(".")[0]
        row = table.ROUTINES.get(name)
        if row is None or not letter or letter not in row.types:
            return None
        key = name, letter
        if key not in self._known:
            c = row.c.format(t=letter, n=name, r=_REAL_NAMES[letter], m=_MIXED_NAMES[letter])
            function = self._source.library.find(f"cblas_{c}")
            self._known[key] = None if function is None else Routine(
                row, letter, function, self._source)
        return self._known[key]


def load(name: str) -> CBlas:
    """Return the routines of a library by the name of its provider."""
    return CBlas(interface(name))
