"""LAPACK by libraries with its C interface.

Non-goals: checks (``lapack.arguments``). Invariant: its integers have 64 bits, as those that
programs give have; a library with others is refused.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl.blas.arguments import LETTERS, REAL
from unisycl.oneapi.mkl.blas.table import Memory, Option, Row
from unisycl.oneapi.mkl.lapack import table
from unisycl.oneapi.mkl.lapack.arguments import Given
from unisycl.oneapi.mkl.providers.clibraries import Interface, interface

_COLUMNS = 102
Call = Callable[[Any, Given, list[int]], list[int]]


class Lapacke:
    """All routines of one library."""

    def __init__(self, source: Interface) -> None:
        if source.integer is not ctypes.c_int64:
            raise OSError(f"{source.version} has integers of 32 bits")
        self._source = source
        self._known: dict[tuple[str, str], Call | None] = {}

    def version(self) -> str:
        """Return the library's name and version."""
        return self._source.version

    def serves(self, device: sycl.device) -> bool:
        """Say that it works in the host's memory."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Call | None:
        """Return what does the work of a routine for a type."""
        name = name.partition(".")[0]
        letter, row = LETTERS.get(dtype, ""), table.ROUTINES.get(name)
        if row is None or not letter or letter not in row.types:
            return None
        if (name, letter) not in self._known:
            self._known[name, letter] = self._make(row, letter)
        return self._known[name, letter]

    def _make(self, row: Row, letter: str) -> Call | None:
        kinds: list[Any] = [ctypes.c_int]
        kinds += [ctypes.c_char if isinstance(argument, Option) else ctypes.c_void_p
                  if isinstance(argument, Memory) else ctypes.c_int64
                  for argument in row.arguments]
        if row.name == "gesvd":
            kinds.append(ctypes.c_void_p)
        function = self._source.library.find(f"LAPACKE_{letter}{row.name}", kinds, ctypes.c_int64)
        if function is None:
            return None

        def call(queue: Any, given: Given, addresses: list[int]) -> list[int]:
            del queue
            slots = [k for k, v in enumerate(given.values) if v is None]
            extra: tuple[Any, ...] = ()
            if row.name == "gesvd":
                kept = np.empty(max(1, given.named["m"], given.named["n"]), REAL[letter])
                extra = (kept.ctypes.data,)
            infos = []
            for problem in range(given.batch):
                values = list(given.values)
                for slot, address, stride in zip(slots, addresses, given.strides, strict=True):
                    values[slot] = address + problem * stride
                infos.append(int(function(_COLUMNS, *values, *extra)))
            return infos

        return call


def load(name: str) -> Lapacke:
    """Return the routines of a library by the name of its provider."""
    return Lapacke(interface(name))
