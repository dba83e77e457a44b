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
