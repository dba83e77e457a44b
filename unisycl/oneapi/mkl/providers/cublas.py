"""BLAS of cuBLAS, for CUDA devices, from NVIDIA's wheels or the system's folders.

Matrices lie column by column there; of rows the transposed problem is asked for where it is one of
the same routine. Non-goals: what the row of a routine cannot say (trmm, rotations, places).
Invariants: commands go to the stream of the queue's command, nobody waits; a handle belongs to one
stream, so that no two streams share its workspace.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.library import Library
from unisycl.oneapi.mkl import names
from unisycl.oneapi.mkl.blas import table
from unisycl.oneapi.mkl.blas.arguments import HALVES, LETTERS, REAL, TYPES, Given
from unisycl.oneapi.mkl.blas.modes import compute_mode
from unisycl.oneapi.mkl.providers.cuda_libraries import Handles, check, found

_REAL_NAMES = {"s": "S", "d": "D", "c": "Sc", "z": "Dz"}
_NUMBERS = {"N": 0, "T": 1, "C": 2, "upper": 1, "lower": 0, "nonunit": 0, "unit": 1, "left": 0,
            "right": 1}
_ROUTINES = frozenset({
    "asum", "axpy", "copy", "dot", "dotc", "dotu", "nrm2", "scal", "swap", "gemv", "gbmv", "ger",
    "gerc", "geru", "sbmv", "hbmv", "symv", "hemv", "spmv", "hpmv", "syr", "her", "syr2", "her2",
    "spr", "hpr", "spr2", "hpr2", "trmv", "trsv", "tbmv", "tbsv", "tpmv", "tpsv", "gemm", "symm",
    "hemm", "syrk", "herk", "syr2k", "her2k", "trsm"})
_BY_ROWS = frozenset({"gemm", "trsm", "symm", "hemm", "syrk", "ger", "geru"})
_RESULTS = frozenset({"asum", "dot", "dotc", "dotu", "nrm2"})
_DEVICE, _HOST = 1, 0
_TYPE_NUMBERS = {"float32": 0, "float16": 2, "bfloat16": 14, "complex64": 4}
_COMPUTE_32F, _DEFAULT_WAY = 68, -1
_SHORTER = {compute_mode.float_to_bf16: 75, compute_mode.float_to_tf32: 77}
"""What ``cublasComputeType_t`` calls shorter forms of factors, the fastest first."""
_FLIPS = {names.uplo.upper: names.uplo.lower, names.uplo.lower: names.uplo.upper,
          names.side.left: names.side.right, names.side.right: names.side.left}


class Routine:
    """One function of cuBLAS for one type."""

    def __init__(self, row: table.Row, letter: str, function: Any, owner: CuBlas) -> None:
        self.row, self.letter, self.function, self.owner = row, letter, function, owner

    def work(self, given: Given, layout: int) -> Callable[..., None]:
        """Return what gives the command to a stream once the addresses of memory are known."""
        named = dict(given.named)
        order = [a.name for a in self.row.arguments]
        if layout == names.layout.row_major.number and self.row.name not in table.LEVEL1:
            named, order = _by_columns(self.row.name, named, order)
        held = {h.name: k for k, h in enumerate(given.held)}
        kept: list[Any] = []
        values: list[Any] = []
        places = [0] * len(held)
        for name in order:
            if name in held:
                places[held[name]] = len(values)
            values += self._passed(name, named, held, kept)
        values += self._more()

        def run(pointed: list[Any], stream: Any, *bound: Any) -> None:
            del pointed
            call = values.copy()
            for place, b in zip(places, bound, strict=True):
                call[place] = ctypes.c_void_p(b.address)
            self.owner.call(self, stream, call)

        return functools.partial(run, kept)

    def _passed(self, name: str, named: dict[str, Any], held: dict[str, int],
                kept: list[Any]) -> list[Any]:
        value = named.get(name)
        if isinstance(value, names.Option):
            return [_NUMBERS.get(value.name, _NUMBERS.get(value.letter, 0))]
        if name in held:
            more = [named[n] for n in (f"ld{name}", f"inc{name}") if n in named]
            return [ctypes.c_void_p(), *map(ctypes.c_int64, more)]
        argument = next(a for a in self.row.arguments if a.name == name)
        if isinstance(argument, table.Number):
            kind = (REAL if argument.real else TYPES)[self.letter]
            kept.append(np.array([value], kind))
            return [ctypes.c_void_p(kept[-1].ctypes.data)]
        return [ctypes.c_int64(int(value or 0))]

    def _more(self) -> list[Any]:
        return []

    def alternate(self, mode: compute_mode, letter: str) -> Routine | None:
        """Return what multiplies numbers of float32 in a shorter form; None if nothing does."""
        if self.row.name != "gemm" or letter not in "sc":
            return None
        ways = [number for way, number in _SHORTER.items() if way & mode]
        return ShorterRoutine(self.row, letter, self.owner, ways[0]) if ways else None


def _by_columns(name: str, named: dict[str, Any],
                order: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the transposed problem, whose matrices lie column by column."""
    swapped: dict[str, dict[str, str]] = {
        "gemm": {"a": "b", "b": "a", "transa": "transb", "transb": "transa", "m": "n", "n": "m"},
        "ger": {"x": "y", "y": "x", "m": "n", "n": "m"}, "syrk": {}}
    change = swapped.get("ger" if name.startswith("ger") else name, {"m": "n", "n": "m"})
    order = [change.get(n, n) for n in order]
    if name == "gemm" or name.startswith("ger"):
        return named, order
    for key in ("upper_lower", "left_right"):
        if key in named:
            named[key] = _FLIPS[named[key]]
    if name == "syrk":
        turned = named["trans"] is names.transpose.nontrans
        named["trans"] = names.transpose.trans if turned else names.transpose.nontrans
    return named, order


class HalvesRoutine(Routine):
    """A product of halves, added up in float32, by ``cublasGemmEx``."""

    compute = _COMPUTE_32F

    def _passed(self, name: str, named: dict[str, Any], held: dict[str, int],
                kept: list[Any]) -> list[Any]:
        found = super()._passed(name, named, held, kept)
        if name in held:
            kind = str(named[name].memory.dtype)
            found.insert(1, ctypes.c_int(_TYPE_NUMBERS[kind]))
        return found

    def _more(self) -> list[Any]:
        return [ctypes.c_int(self.compute), ctypes.c_int(_DEFAULT_WAY)]


class ShorterRoutine(HalvesRoutine):
    """A product of float32 whose factors the library makes shorter, added up in float32."""

    def __init__(self, row: table.Row, letter: str, owner: CuBlas, compute: int) -> None:
        super().__init__(row, letter, owner.mixed_product(), owner)
        self.compute = compute


class CuBlas:
    """All routines of cuBLAS that rows can say."""

    def __init__(self) -> None:
        self._library = Library(found("cublas"), "cublas{}")
        self._handles = Handles(self._library, "cublasCreate_v2", "cublasSetStream_v2")
        self._mode = self._library.plain("cublasSetPointerMode_v2",
                                         [ctypes.c_void_p, ctypes.c_int], ctypes.c_int)
        self._modes: dict[int, int] = {}
        self._known: dict[tuple[str, str], Routine | None] = {}

    def version(self) -> str:
        """Return the library's file."""
        return self._library.path.name

    def serves(self, device: sycl.device) -> bool:
        """Say whether it is a CUDA device."""
        return device.get_backend() is sycl.backend.cuda

    def routine(self, name: str, dtype: np.dtype[Any]) -> Routine | None:
        """Return a routine for a type; of rows by ``name.rows``."""
        plain, _, rows = name.partition(".")
        row = table.ROUTINES.get(plain)
        if row is not None and row.halves and str(dtype) in HALVES:
            return self._of_halves(row)
        letter = LETTERS.get(dtype, "")
        if plain not in _ROUTINES or row is None or not letter or letter not in row.types or (
                rows and plain not in _BY_ROWS):
            return None
        if (plain, letter) not in self._known:
            first = _REAL_NAMES[letter] if plain in ("asum", "nrm2") else letter.upper()
            function = self._library.find(f"{first}{plain}_v2_64", None, ctypes.c_int)
            self._known[plain, letter] = None if function is None else Routine(
                row, letter, function, self)
        return self._known[plain, letter]

    def _of_halves(self, row: table.Row) -> Routine | None:
        key = row.name, "halves"
        if key not in self._known:
            function = self.mixed_product()
            self._known[key] = None if function is None else HalvesRoutine(row, "s", function, self)
        return self._known[key]

    def mixed_product(self) -> Any:
        """Return the function for products of any types."""
        return self._library.find("GemmEx_64", None, ctypes.c_int)

    def call(self, routine: Routine, stream: int, values: list[Any]) -> None:
        """Give a command to a stream."""
        with self._handles.lock:
            handle = self._handles.of(stream)
            mode = _DEVICE if routine.row.name in _RESULTS else _HOST
            if self._modes.get(handle) != mode:
                check("cublasSetPointerMode", self._mode(handle, mode))
                self._modes[handle] = mode
            check(routine.row.name, routine.function(ctypes.c_void_p(handle), *values))


def load(name: str) -> CuBlas:
    """Return the provider."""
    del name
    return CuBlas()
