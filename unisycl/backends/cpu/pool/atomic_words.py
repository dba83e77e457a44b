"""Atomic access of Python's threads to memory that kernels on the CPU change meanwhile.

Non-goals: types, and more than the words' three operations. Invariant: every operation is
sequentially consistent, and holds the GIL, since it is shorter than giving it up.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from ctypes import c_uint8, c_uint16, c_uint32, c_uint64
from typing import Any

from unisycl.backends.cpu.compile import jit
from unisycl.backends.cpu.compile.target import Machine, machine
from unisycl.backends.cpu.emit.text import Module

_TYPES = {1: c_uint8, 2: c_uint16, 4: c_uint32, 8: c_uint64}
_TEXT = """
define i{0} @load{0}(ptr %at) {{
  %now = load atomic i{0}, ptr %at seq_cst, align {1}
  ret i{0} %now
}}
define void @store{0}(ptr %at, i{0} %new) {{
  store atomic i{0} %new, ptr %at seq_cst, align {1}
  ret void
}}
define i{0} @compare{0}(ptr %at, i{0} %old, i{0} %new) {{
  %both = cmpxchg ptr %at, i{0} %old, i{0} %new seq_cst seq_cst, align {1}
  %now = extractvalue {{ i{0}, i1 }} %both, 0
  ret i{0} %now
}}
"""


class CpuWords:
    """The three operations on words of 1, 2, 4 and 8 bytes (``base.shared_words.Words``)."""

    def __init__(self) -> None:
        source, level = text(machine())
        names = [f"{name}{8 * size}" for name in ("load", "store", "compare") for size in _TYPES]
        self._code = jit.load(source, tuple(names), level=level)
        self._load = {size: self._bind("load", size, word) for size, word in _TYPES.items()}
        self._store = {size: self._bind("store", size, None, word) for size, word in _TYPES.items()}
        self._compare = {size: self._bind("compare", size, word, word, word)
                         for size, word in _TYPES.items()}

    def _bind(self, name: str, size: int, result: Any, *arguments: Any) -> Callable[..., Any]:
        address = self._code.addresses[f"{name}{8 * size}"]
        return ctypes.PYFUNCTYPE(result, c_uint64, *arguments)(address)

    def load(self, address: int, size: int) -> int:
        """Return a word."""
        return int(self._load[size](address))

    def store(self, address: int, size: int, word: int) -> None:
        """Write a word."""
        self._store[size](address, word)

    def compare_exchange(self, address: int, size: int, expected: int, desired: int) -> int:
        """Write a word if it is the expected one; return what it was."""
        return int(self._compare[size](address, expected, desired))


def text(found: Machine) -> tuple[str, int]:
    """Return the operations as LLVM IR for a machine, and LLVM's level for them."""
    module = Module(found.triple, found.layout)
    module.functions += [_TEXT.format(8 * size, size) for size in _TYPES]
    return module.text(), 2


@functools.cache
def words() -> CpuWords:
    """Return the operations, compiled on first use."""
    return CpuWords()
