"""Products and solutions with sparse matrices by cuSPARSE, for CUDA devices.

Served are compressed rows that are not turned over, by its algorithms that give the same bits in
every run, and triangles that ``optimize_trsv`` has looked at; our kernels do the rest. What was
described for a call, and what is known of a triangle, lives as long as the matrix's data.
Invariants: commands go to the stream of the queue's command and nobody waits; a stream has room of
its own, which grows and stays, as commands before may still use it.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
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
_ALL, _MOST = 0, 16
_Size, _Long = ctypes.c_size_t, ctypes.c_int64


class _Described:
    """One description of the library's, which is destroyed with this object."""

    def __init__(self, owner: CuSparse, create: str, destroy: str, *arguments: Any) -> None:
        self.at = ctypes.c_void_p()
        owner.call(create, ctypes.byref(self.at), *arguments)
        weakref.finalize(self, owner.call, destroy, self.at).atexit = False


class _Kept:
    """What one call has described: it may come again with other numbers."""

    def __init__(self, size: int, *descriptions: _Described) -> None:
        self.size, self.descriptions = size, descriptions
        self.room: Any = None


class Routine:
    """One routine for one type; ``work`` is what gives its commands to a stream."""

    def __init__(self, name: str, letter: str, owner: CuSparse) -> None:
        self._name = name
        self._body = {"gemv": self._gemv, "gemm": self._gemm, "trsv": self._trsv}[name]
        self._letter, self._owner = letter, owner
        self._kind = ctypes.c_int(TYPE_NUMBERS[letter])

    def work(self, queue: sycl.queue, problem: Problem) -> Callable[..., None]:
        """Return what is called with a stream, row_ptr, col_ind, val, x and y."""
        kind = TYPES[self._letter]
        numbers = [np.array([v], kind) for v in (problem.alpha, problem.beta)]
        p, known = problem, problem.kept
        same = (self._name, p.width, p.by_rows, p.leading, p.trans, p.upper, p.unit)

        def run(stream: Any, *bound: Any) -> None:
            at = [ctypes.c_void_p(b.address) for b in bound]
            key = (*same, int(stream or 0), *(b.address for b in bound))
            with self._owner.handles.lock:
                handle = ctypes.c_void_p(self._owner.handles.of(stream))
                first = key not in known
                if first and len(known) >= _MOST:
                    known.clear()
                known[key] = self._body(
                    p, (queue, int(stream or 0), handle), at,
                    [ctypes.c_void_p(v.ctypes.data) for v in numbers], known.get(key))

        return run

    def _made(self, create: str, destroy: str, *arguments: Any) -> _Described:
        return _Described(self._owner, create, destroy, *arguments)

    def _matrix(self, p: Problem, at: list[Any]) -> _Described:
        index = ctypes.c_int(_INDEX_NUMBERS[p.index])
        return self._made("CreateCsr", "DestroySpMat", _Long(p.rows), _Long(p.columns),
                          _Long(p.count), *at[:3], index, index, ctypes.c_int(p.base), self._kind)

    def _vectors(self, p: Problem, at: list[Any]) -> list[_Described]:
        return [self._made("CreateDnVec", "DestroyDnVec", _Long(n), a, self._kind)
                for n, a in zip((p.columns, p.rows), at[3:], strict=True)]

    def _gemv(self, p: Problem, where: tuple[Any, ...], at: list[Any], numbers: list[Any],
              kept: _Kept | None) -> _Kept:
        made = kept.descriptions if kept else (self._matrix(p, at), *self._vectors(p, at))
        return self._sized(("SpMV", 1, _SPMV_SAME_BITS), where, made, numbers, kept)

    def _gemm(self, p: Problem, where: tuple[Any, ...], at: list[Any], numbers: list[Any],
              kept: _Kept | None) -> _Kept:
        order = ctypes.c_int(_ORDERS[p.by_rows])
        made = kept.descriptions if kept else (self._matrix(p, at), *(self._made(
            "CreateDnMat", "DestroyDnMat", _Long(high), _Long(p.width), _Long(ld), a, self._kind,
            order) for high, ld, a in zip((p.columns, p.rows), p.leading, at[3:], strict=True)))
        return self._sized(("SpMM", 2, _SPMM_SAME_BITS), where, made, numbers, kept)

    def _sized(self, what: tuple[str, int, int], where: tuple[Any, ...],
               made: tuple[_Described, ...], numbers: list[Any], kept: _Kept | None) -> _Kept:
        queue, stream, handle = where
        name, operands, how = what
        matrix, x, y = (d.at for d in made)
        arguments = [handle, *[ctypes.c_int(0)] * operands, numbers[0], matrix, x, numbers[1], y,
                     self._kind, ctypes.c_int(how)]
        if kept is None:
            size = _Size()
            self._owner.call(f"{name}_bufferSize", *arguments, ctypes.byref(size))
            kept = _Kept(size.value, *made)
        self._owner.call(name, *arguments, _address(self._owner.room(queue, stream, kept.size)))
        return kept

    def _trsv(self, p: Problem, where: tuple[Any, ...], at: list[Any], numbers: list[Any],
              kept: _Kept | None) -> _Kept:
        queue, stream, handle = where
        made = kept.descriptions if kept else (
            self._matrix(p, at), *self._vectors(p, at),
            self._made("SpSV_createDescr", "SpSV_destroyDescr"))
        matrix, x, y, plan = (d.at for d in made)
        arguments = [handle, ctypes.c_int(_OPERATIONS[p.trans]), numbers[0], matrix, x, y,
                     self._kind, ctypes.c_int(_SPSV), plan]
        if kept is None:
            for attribute, value in ((_FILL_MODE, p.upper), (_DIAG_TYPE, p.unit)):
                self._owner.call("SpMatSetAttribute", matrix, ctypes.c_int(attribute),
                                 ctypes.byref(ctypes.c_int(int(value))), _Size(4))
            size = _Size()
            self._owner.call("SpSV_bufferSize", *arguments, ctypes.byref(size))
            kept = _Kept(size.value, *made)
            kept.room = self._owner.own_room(queue, stream, kept)
            self._owner.call("SpSV_analysis", *arguments, _address(kept.room))
        else:  # the elements' places are as they were, their values may not be
            self._owner.call("SpSV_updateMatrix", handle, plan, at[2], ctypes.c_int(_ALL))
        self._owner.call("SpSV_solve", *arguments)
        return kept


def _address(memory: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(
        memory.address() if hasattr(memory, "address") else memory.ctypes.data)


class CuSparse:
    """The routines gemv, gemm and trsv."""

    def __init__(self, library: Library | None = None) -> None:
        self._library = library or Library(found("cusparse"), "cusparse{}")
        self.handles = Handles(self._library, "cusparseCreate", "cusparseSetStream")
        self._rooms: dict[int, list[Any]] = {}
        self._free: dict[int, list[Any]] = {}

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

    def room(self, queue: sycl.queue, stream: int, size: int) -> Any:
        """Return room on a device for the commands of a stream, one after the other."""
        rooms = self._rooms.setdefault(stream, [])
        if not rooms or rooms[-1][0] < size:
            count = max(size, 2 * rooms[-1][0] if rooms else 1 << 16)
            rooms.append((count, empty(queue, count, np.dtype(np.uint8))))
        return rooms[-1][1]

    def own_room(self, queue: sycl.queue, stream: int, kept: _Kept) -> Any:
        """Return room that belongs to a plan as long as it lives; then to another of its stream."""
        free = self._free.setdefault(stream, [])
        at = next((k for k, (size, _) in enumerate(free) if size >= kept.size), None)
        count = max(kept.size, 1)
        found = (count, empty(queue, count, np.dtype(np.uint8))) if at is None else free.pop(at)
        weakref.finalize(kept, free.append, found).atexit = False
        return found[1]


def load(name: str) -> CuSparse:
    """Return the provider."""
    del name
    return CuSparse()
