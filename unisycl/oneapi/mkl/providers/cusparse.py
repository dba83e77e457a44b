"""Products and solutions with sparse matrices by cuSPARSE, for CUDA devices.

Served are compressed rows that are not turned over, by its algorithms that give the same bits in
every run, and triangles that ``optimize_trsv`` has looked at; our kernels do the rest.
Invariants: commands go to the stream of the queue's command and nobody waits; a stream has room of
its own, which grows and stays, as commands before may still use it.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.call import empty
from unisycl.oneapi.frame.library import Library
from unisycl.oneapi.mkl.blas.arguments import LETTERS, TYPES
from unisycl.oneapi.mkl.providers.cuda_libraries import TYPE_NUMBERS, Handles, check, found
from unisycl.oneapi.mkl.sparse.matrices import Problem

_SPMV_SAME_BITS, _SPMM_SAME_BITS, _SPSV = 3, 12, 0
_INDEX_NUMBERS = {4: 2, 8: 3}
_ORDERS = {False: 1, True: 2}
_OPERATIONS = {"N": 0, "T": 1, "C": 2}
_FILL_MODE, _DIAG_TYPE = 0, 1
_Size, _Long = ctypes.c_size_t, ctypes.c_int64


class Routine:
    """One routine for one type; ``work`` is what gives its commands to a stream."""

    def __init__(self, name: str, letter: str, owner: CuSparse) -> None:
        self._body = {"gemv": self._gemv, "gemm": self._gemm, "trsv": self._trsv}[name]
        self._letter, self._owner = letter, owner
        self._kind = ctypes.c_int(TYPE_NUMBERS[letter])

    def work(self, queue: sycl.queue, problem: Problem) -> Callable[..., None]:
        """Return what is called with a stream, row_ptr, col_ind, val, x and y."""
        kind = TYPES[self._letter]
        alpha, beta = (np.array([v], kind) for v in (problem.alpha, problem.beta))
        numbers = [ctypes.c_void_p(v.ctypes.data) for v in (alpha, beta)]

        def run(stream: Any, *bound: Any) -> None:
            at = [ctypes.c_void_p(b.address) for b in bound]
            with self._owner.handles.lock, contextlib.ExitStack() as kept:
                kept.callback(lambda: (alpha, beta))  # which numbers point at
                handle = ctypes.c_void_p(self._owner.handles.of(stream))
                matrix = kept.enter_context(self._matrix(problem, at))
                self._body(problem, handle, (matrix, at, numbers),
                           lambda size: self._owner.room(queue, int(stream or 0), size), kept)

        return run

    @contextlib.contextmanager
    def _made(self, create: str, destroy: str, *arguments: Any) -> Iterator[ctypes.c_void_p]:
        """Return a description inside a ``with`` statement."""
        out = ctypes.c_void_p()
        self._owner.call(create, ctypes.byref(out), *arguments)
        try:
            yield out
        finally:
            self._owner.call(destroy, out)

    def _matrix(self, p: Problem, at: list[Any]) -> Any:
        index = ctypes.c_int(_INDEX_NUMBERS[p.index])
        return self._made("CreateCsr", "DestroySpMat", _Long(p.rows), _Long(p.columns),
                          _Long(p.count), *at[:3], index, index, ctypes.c_int(p.base), self._kind)

    def _vectors(self, p: Problem, at: list[Any], kept: Any) -> list[Any]:
        return [kept.enter_context(self._made("CreateDnVec", "DestroyDnVec", _Long(n), a,
                                              self._kind))
                for n, a in zip((p.columns, p.rows), at[3:], strict=True)]

    def _gemv(self, p: Problem, handle: Any, given: tuple[Any, ...], room: Any, kept: Any) -> None:
        matrix, at, (alpha, beta) = given
        x, y = self._vectors(p, at, kept)
        arguments = [handle, ctypes.c_int(0), alpha, matrix, x, beta, y, self._kind,
                     ctypes.c_int(_SPMV_SAME_BITS)]
        self._sized("SpMV", arguments, room)

    def _gemm(self, p: Problem, handle: Any, given: tuple[Any, ...], room: Any, kept: Any) -> None:
        matrix, at, (alpha, beta) = given
        order = ctypes.c_int(_ORDERS[p.by_rows])
        x, y = (kept.enter_context(self._made(
            "CreateDnMat", "DestroyDnMat", _Long(high), _Long(p.width), _Long(ld), a, self._kind,
            order)) for high, ld, a in zip((p.columns, p.rows), p.leading, at[3:], strict=True))
        arguments = [handle, ctypes.c_int(0), ctypes.c_int(0), alpha, matrix, x, beta, y,
                     self._kind, ctypes.c_int(_SPMM_SAME_BITS)]
        self._sized("SpMM", arguments, room)

    def _sized(self, name: str, arguments: list[Any], room: Any) -> None:
        size = _Size()
        self._owner.call(f"{name}_bufferSize", *arguments, ctypes.byref(size))
        self._owner.call(name, *arguments, room(size.value))

    def _trsv(self, p: Problem, handle: Any, given: tuple[Any, ...], room: Any, kept: Any) -> None:
        matrix, at, (alpha, _) = given
        for attribute, value in ((_FILL_MODE, p.upper), (_DIAG_TYPE, p.unit)):
            self._owner.call("SpMatSetAttribute", matrix, ctypes.c_int(attribute),
                             ctypes.byref(ctypes.c_int(int(value))), _Size(4))
        x, y = self._vectors(p, at, kept)
        plan = kept.enter_context(self._made("SpSV_createDescr", "SpSV_destroyDescr"))
        arguments = [handle, ctypes.c_int(_OPERATIONS[p.trans]), alpha, matrix, x, y, self._kind,
                     ctypes.c_int(_SPSV), plan]
        size = _Size()
        self._owner.call("SpSV_bufferSize", *arguments, ctypes.byref(size))
        self._owner.call("SpSV_analysis", *arguments, room(size.value))
        self._owner.call("SpSV_solve", *arguments)


class CuSparse:
    """The routines gemv, gemm and trsv."""

    def __init__(self, library: Library | None = None) -> None:
        self._library = library or Library(found("cusparse"), "cusparse{}")
        self.handles = Handles(self._library, "cusparseCreate", "cusparseSetStream")
        self._rooms: dict[int, list[Any]] = {}

    def version(self) -> str:
        """Return the library's file."""
        return self._library.path.name

    def serves(self, device: sycl.device) -> bool:
        """Say whether it is a CUDA device."""
        return device.get_backend() is sycl.backend.cuda

    def routine(self, name: str, dtype: np.dtype[Any]) -> Routine | None:
        """Return a routine for a type; what is turned over or of blocks has a name of its own."""
        letter = LETTERS.get(dtype, "")
        return Routine(name, letter, self) if letter and name in ("gemv", "gemm", "trsv") else None

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; raise the error of one that failed."""
        check(f"cusparse{name}", self._library.find(name, None, ctypes.c_int)(*arguments))

    def room(self, queue: sycl.queue, stream: int, size: int) -> ctypes.c_void_p:
        """Return room on a device for the commands of a stream, one after the other."""
        rooms = self._rooms.setdefault(stream, [])
        if not rooms or rooms[-1][0] < size:
            count = max(size, 2 * rooms[-1][0] if rooms else 1 << 16)
            rooms.append((count, empty(queue, count, np.dtype(np.uint8))))
        memory = rooms[-1][1]
        return ctypes.c_void_p(
            memory.address() if hasattr(memory, "address") else memory.ctypes.data)


def load(name: str) -> CuSparse:
    """Return the provider."""
    del name
    return CuSparse()
