"""LAPACK of cuSOLVER, for CUDA devices, from NVIDIA's wheels or the system's folders.

Served are the routines of its interface for integers of 64 bits; a library of the host does the
rest. Non-goals: looking for NaN, which LAPACK's own interface does. Invariants: commands go to the
stream of the queue's command and nobody waits; what a routine needs lives until its answer is read.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.call import empty
from unisycl.oneapi.frame.library import Library
from unisycl.oneapi.mkl.blas.arguments import LETTERS
from unisycl.oneapi.mkl.blas.table import Memory, Option, Row
from unisycl.oneapi.mkl.lapack import table
from unisycl.oneapi.mkl.lapack.arguments import Given
from unisycl.oneapi.mkl.providers.cuda_libraries import TYPE_NUMBERS, Handles, check, found

_ROUTINES = {"getrf": "getrf", "getrs": "getrs", "potrf": "potrf", "potrs": "potrs",
             "geqrf": "geqrf", "syevd": "syevd", "heevd": "syevd", "gesvd": "gesvd"}
_WITHOUT_ROOM = frozenset({"getrs", "potrs"})
"""Routines that need no memory besides their own."""
_NUMBERS = {("uplo", "L"): 0, ("uplo", "U"): 1, ("transpose", "N"): 0, ("transpose", "T"): 1,
            ("transpose", "C"): 2, ("job", "N"): 0, ("job", "V"): 1}
_UNUSED_ROWS = {"ldu": "m", "ldvt": "n"}
_REAL = {"s": "s", "d": "d", "c": "s", "z": "d"}
_Size = ctypes.c_size_t


class Routine:
    """One routine for one type; gives its commands to a stream."""

    asynchronous = True

    def __init__(self, row: Row, letter: str, owner: CuSolver) -> None:
        self._row, self._letter, self._owner = row, letter, owner
        self._name = f"X{_ROUTINES[row.name]}"

    def give(self, queue: sycl.queue, stream: Any, given: Given, addresses: list[int],
             info: int) -> list[Any]:
        """Give the commands for all problems; return what has to live until they are done.

        Args:
            queue: whose memory is used.
            stream: where commands go.
            given: what the routine was given.
            addresses: of its memory.
            info: where what becomes of each problem is written.
        """
        if not given.cost:
            return []
        with self._owner.handles.lock:
            head = [ctypes.c_void_p(self._owner.handles.of(stream)), self._owner.params()]
            kept, room = self._room(queue, head, self._values(given, addresses, 0))
            for problem in range(given.batch):
                values = self._values(given, addresses, problem)
                status = self._owner.function(self._name)(
                    *head, *values, *room, ctypes.c_void_p(info + 4 * problem))
                check(f"cusolverDn{self._name}", status)
        return kept

    def _values(self, given: Given, addresses: list[int], problem: int) -> list[Any]:
        """Return the arguments of a problem; before the address of a matrix stands its type."""
        at = (a + problem * s for a, s in zip(addresses, given.strides, strict=True))
        values: list[Any] = []
        for argument, value in zip(self._row.arguments, given.values, strict=True):
            name = argument.name.partition("=")[0]
            if isinstance(argument, Option):
                letter = given.named[name].letter
                values.append(ctypes.c_byte(ord(letter)) if argument.kind == "jobsvd"
                              else ctypes.c_int(_NUMBERS[argument.kind, letter]))
            elif isinstance(argument, Memory):
                if argument.type in ("t", "r"):
                    letter = self._letter if argument.type == "t" else _REAL[self._letter]
                    values.append(ctypes.c_int(TYPE_NUMBERS[letter]))
                values.append(ctypes.c_void_p(next(at) if value is None else None))
            else:
                least = given.named[_UNUSED_ROWS[name]] if name in _UNUSED_ROWS else 0
                values.append(ctypes.c_int64(max(value, least)))
        return values

    def _room(self, queue: sycl.queue, head: list[Any],
              values: list[Any]) -> tuple[list[Any], list[Any]]:
        """Return memory that the routine needs, and how it is passed."""
        if self._row.name in _WITHOUT_ROOM:
            return [], []
        kind = ctypes.c_int(TYPE_NUMBERS[self._letter])
        asked = [v for a, v in zip(self._flat(), values, strict=True) if a != "ipiv"]
        device, host = _Size(), _Size()
        check(f"cusolverDn{self._name}_bufferSize", self._owner.function(
            f"{self._name}_bufferSize")(*head, *asked, kind, ctypes.byref(device),
                                        ctypes.byref(host)))
        near = np.empty(max(host.value, 1), np.uint8)
        far = empty(queue, max(device.value, 1), np.dtype(np.uint8))
        at = far.address() if hasattr(far, "address") else far.ctypes.data
        return [near, far], [kind, ctypes.c_void_p(at), device,
                             ctypes.c_void_p(near.ctypes.data), host]

    def _flat(self) -> list[str]:
        """Return whose argument each of ``_values`` is."""
        found: list[str] = []
        for argument in self._row.arguments:
            typed = isinstance(argument, Memory) and argument.type in ("t", "r")
            found += [argument.name] * (2 if typed else 1)
        return found


class CuSolver:
    """All routines of cuSOLVER that are served."""

    def __init__(self, library: Library | None = None) -> None:
        self._library = library or Library(found("cusolver"), "cusolverDn{}")
        self.handles = Handles(self._library, "cusolverDnCreate", "cusolverDnSetStream")
        self._params: ctypes.c_void_p | None = None
        self._known: dict[tuple[str, str], Routine] = {}

    def version(self) -> str:
        """Return the library's file."""
        return self._library.path.name

    def serves(self, device: sycl.device) -> bool:
        """Say whether it is a CUDA device."""
        return device.get_backend() is sycl.backend.cuda

    def routine(self, name: str, dtype: np.dtype[Any]) -> Routine | None:
        """Return a routine for a type; singular values of matrices with more rows than columns."""
        letter, row = LETTERS.get(dtype, ""), table.ROUTINES.get(name)
        if row is None or name not in _ROUTINES or not letter or letter not in row.types:
            return None
        if self._library.find(f"X{_ROUTINES[name]}", None, ctypes.c_int) is None:
            return None
        if (name, letter) not in self._known:
            self._known[name, letter] = Routine(row, letter, self)
        return self._known[name, letter]

    def function(self, name: str) -> Any:
        """Return a function by its name."""
        return self._library.find(name, None, ctypes.c_int)

    def params(self) -> ctypes.c_void_p:
        """Return the parameters of all calls: the library's own choice."""
        if self._params is None:
            made = ctypes.c_void_p()
            check("cusolverDnCreateParams", self.function("CreateParams")(ctypes.byref(made)))
            self._params = made
        return self._params


def load(name: str) -> CuSolver:
    """Return the provider."""
    del name
    return CuSolver()

