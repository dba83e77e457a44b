"""NVIDIA's libraries as others do their work in the host's memory: what is asked, and how."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np

from unisycl.oneapi.mkl.blas.table import Memory, Option
from unisycl.oneapi.mkl.lapack import table
from unisycl.oneapi.mkl.providers.clibraries import interface

LETTERS = {0: "s", 1: "d", 4: "c", 5: "z"}
REAL = {"s": "s", "d": "d", "c": "s", "z": "d"}
OPTIONS = {"uplo": "LU", "transpose": "NTC", "job": "NV"}
ROOM, NEAR = 96, 32


class Library:
    """What ``frame.library.Library`` is, with functions in Python."""

    path = Path("libstand_in.so.1")

    def __init__(self) -> None:
        self.calls: list[str] = []

    def plain(self, name, arguments=None, result=None):
        return self._of(name)

    def find(self, name, arguments=None, result=None):
        return self._of(name)

    def _of(self, name):
        made = getattr(self, name, None)
        return made if made is not None else self.other(name)

    def other(self, name):
        return None

    @staticmethod
    def created(out):
        ctypes.cast(out, ctypes.POINTER(ctypes.c_void_p))[0] = 77
        return 0


class Solver(Library):
    """cuSOLVER's interface for 64 bits, by OpenBLAS."""

    cusolverDnCreate = CreateParams = staticmethod(Library.created)

    def cusolverDnSetStream(self, handle, stream):
        assert handle == 77
        return 0

    def other(self, name):
        plain, _, sizes = name[1:].partition("_")
        if name[0] != "X" or plain not in table.ROUTINES:
            return None
        return lambda *args: self.run(plain, bool(sizes), args)

    def run(self, name, sizes, args):
        assert [a.value for a in args[:2]] == [77, 77]
        given = list(args[2:])
        values, letter = [], ""
        for argument in table.ROUTINES[name].arguments:
            if sizes and argument.name == "ipiv":
                continue
            value = given.pop(0)
            if isinstance(argument, Memory) and argument.type in ("t", "r"):
                assert isinstance(value, ctypes.c_int)
                letter = letter or LETTERS[value.value]
                assert LETTERS[value.value] == (letter if argument.type == "t" else REAL[letter])
                value = given.pop(0)
            if isinstance(argument, Option):
                value = chr(value.value) if argument.kind == "jobsvd" else (
                    OPTIONS[argument.kind][value.value])
                values.append(value.encode())
            else:
                assert isinstance(value, ctypes.c_void_p | ctypes.c_int64)
                values.append(value.value)
        if name not in ("getrs", "potrs"):
            assert LETTERS[given.pop(0).value] == letter
            if sizes:
                for out, size in zip(given, (ROOM, NEAR), strict=True):
                    out._obj.value = size
                return 0
            far, far_size, near, near_size = (given.pop(0).value for _ in range(4))
            assert (far_size, near_size) == (ROOM, NEAR)
            for at, size in ((far, ROOM), (near, NEAR)):
                ctypes.memset(at, 255, size)
        (info,) = given
        self.calls.append(name)
        ctypes.c_int.from_address(info.value).value = self.compute(name, letter, values)
        return 0

    def compute(self, name, letter, values):
        name = "heevd" if name == "syevd" and letter in "cz" else name
        kinds = [ctypes.c_int, *(ctypes.c_char if isinstance(a, Option) else ctypes.c_void_p
                                 if isinstance(a, Memory) else ctypes.c_int64
                                 for a in table.ROUTINES[name].arguments)]
        extra = []
        if name == "gesvd":
            assert values[2] >= values[3]  # cuSOLVER's has as many rows as columns at least
            kinds.append(ctypes.c_void_p)
            extra.append(np.empty(values[3] + 1).ctypes.data)
        function = interface("openblas").library.find(f"LAPACKE_{letter}{name}", kinds,
                                                      ctypes.c_int64)
        return function(102, *values, *extra)


def elements(at, count, kind):
    """Return memory at an address as an array."""
    kind = np.dtype(kind)
    raw = (ctypes.c_char * (count * kind.itemsize)).from_address(at.value)
    return np.ndarray(count, kind, raw)


class Sparse(Library):
    """cuSPARSE's generic interface, by NumPy."""

    KINDS = {0: "f", 1: "d", 4: "F", 5: "D"}
    INDICES = {2: np.int32, 3: np.int64}

    def __init__(self) -> None:
        super().__init__()
        self.known = {}

    cusparseCreate = staticmethod(Library.created)

    def cusparseSetStream(self, handle, stream):
        return 0

    def made(self, out, what):
        key = len(self.calls) + 1000
        out._obj.value = key
        self.known[key] = what
        self.calls.append("made")
        return 0

    def other(self, name):
        return self.destroyed if name.startswith("Destroy") or "destroy" in name else None

    def destroyed(self, key):
        del self.known[key.value]
        return 0

    def CreateCsr(self, out, rows, columns, count, *more):
        starts, indices, values, first, second, base, kind = more
        assert first.value == second.value
        index = self.INDICES[first.value]
        return self.made(out, [(rows.value, columns.value), elements(
            starts, rows.value + 1, index) - base.value, elements(
            indices, count.value, index) - base.value, elements(
            values, count.value, self.KINDS[kind.value]), {}])

    def CreateDnVec(self, out, size, at, kind):
        return self.made(out, elements(at, size.value, self.KINDS[kind.value])[:, None])

    def CreateDnMat(self, out, rows, columns, ld, at, kind, order):
        high, wide = (rows.value, columns.value)[::1 if order.value == 2 else -1]
        need = (high - 1) * ld.value + wide
        flat = elements(at, need, self.KINDS[kind.value])
        steps = ld.value * flat.itemsize, flat.itemsize
        seen = np.lib.stride_tricks.as_strided(flat, (high, wide), steps)
        return self.made(out, seen if order.value == 2 else seen.T)

    def SpMatSetAttribute(self, matrix, which, value, size):
        assert size.value == 4
        self.known[matrix.value][-1][which.value] = value._obj.value
        return 0

    def SpSV_createDescr(self, out):
        return self.made(out, "plan")

    def dense(self, matrix):
        shape, starts, indices, values, _ = self.known[matrix.value]
        found = np.zeros(shape, values.dtype)
        np.add.at(found, (np.repeat(np.arange(shape[0]), np.diff(starts)), indices), values)
        return found

    def SpMV_bufferSize(self, *args):
        args[-1]._obj.value = ROOM
        return 0

    SpMM_bufferSize = SpSV_bufferSize = SpMV_bufferSize

    def SpMV(self, handle, way, alpha, matrix, x, beta, y, kind, algorithm, room):
        assert (way.value, algorithm.value) == (0, 3)
        return self.product(alpha, matrix, x, beta, y, kind, room)

    def SpMM(self, handle, way, other, alpha, matrix, x, beta, y, kind, algorithm, room):
        assert (way.value, other.value, algorithm.value) == (0, 0, 12)
        return self.product(alpha, matrix, x, beta, y, kind, room)

    def product(self, alpha, matrix, x, beta, y, kind, room):
        ctypes.memset(room, 255, ROOM)
        a, b = (elements(v, 1, self.KINDS[kind.value])[0] for v in (alpha, beta))
        out = self.known[y.value]
        found = a * (self.dense(matrix) @ self.known[x.value])
        out[...] = found + b * out if b else found
        self.calls.append("product")
        return 0

    def SpSV_analysis(self, *args):
        ctypes.memset(args[-1], 255, ROOM)
        return 0

    def SpSV_solve(self, handle, way, alpha, matrix, x, y, kind, algorithm, plan):
        assert way.value < 2 or kind.value > 3  # conjugated only where elements are complex
        upper, unit = (self.known[matrix.value][-1][k] for k in (0, 1))
        a = self.dense(matrix)
        a = np.triu(a) if upper else np.tril(a)
        if unit:
            np.fill_diagonal(a, 1)
        a = (a, a.T, a.conj().T)[way.value]
        self.known[y.value][...] = np.linalg.solve(
            a, elements(alpha, 1, self.KINDS[kind.value])[0] * self.known[x.value])
        self.calls.append("solution")
        return 0
