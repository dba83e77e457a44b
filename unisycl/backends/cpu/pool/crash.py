"""The last words of a process that a kernel crashes: which kernel, submitted where, what helps.

A text is made ready for each place that submits a kernel; whoever runs the kernel writes the text's
address beside its thread's number, and ``crash.ll`` looks there when SIGSEGV, SIGBUS, SIGFPE or
SIGILL comes. Non-goals: going on after it. Invariant: other handlers of these signals, such as
``faulthandler``'s, are called as if ours were not there.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import platform
import struct
import sys
from pathlib import Path
from typing import Any

from unisycl.backends.base import Launch
from unisycl.backends.cpu.compile import jit
from unisycl.backends.cpu.compile.code import provide
from unisycl.process.callers import place

_BYTES = 16384
_LINE = 64
_TABLE = mmap.mmap(-1, _BYTES)
_KEPT = ctypes.c_char.from_buffer(_TABLE)
provide("at_work", ctypes.addressof(_KEPT))

here = memoryview(_TABLE)[:_LINE].cast("Q")
"""Its second number is the text of a kernel that is running where it was submitted, or 0."""


@functools.cache
def table() -> int:
    """Return where threads say what they run, and listen to the signals from now on; 0: cannot."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return 0
    source, level = text()
    # Loaded for good: a handler may be called at any time.
    _loaded.append(jit.load(source, ("crash_guard",), level=level))
    guard = ctypes.PYFUNCTYPE(ctypes.c_uint64)(_loaded[0].addresses["crash_guard"])
    return int(guard())


def text() -> tuple[str, int]:
    """Return the handler as LLVM IR, and LLVM's level for it."""
    body = Path(__file__).with_name("crash.ll").read_text(encoding="utf-8")
    return "@at_work = external global [16384 x i8]\n" + body, 0


_loaded: list[Any] = []


def words(executable: Any, launch: Launch) -> int:
    """Return the address of what to say if a launch crashes; the executable keeps the text.

    The launch remembers it as ``words``.
    """
    where = launch.where
    key = None if where is None else (id(where[0]), *where[1:])
    known = executable.last_words.get(key)
    if known is None:
        table()
        known = _made(executable.kernel.name, where, getattr(executable.loaded, "span", (0, 0)))
        executable.last_words[key] = known
    launch.words = int(known[0])
    return launch.words


def _made(kernel: str, where: Any, span: tuple[int, int]) -> tuple[int, Any, Any]:
    at = "" if where is None else f", {where[2]} at {place(where)},"
    text = (f": kernel '{kernel}'{at} crashed this process.\n"
            "  help: run it with UNISYCL_DEBUG=1, or on the host device (UNISYCL_DEVICE=host): "
            "both tell the work-item and the line\n")
    words = struct.pack("<QQ", *span) + text.encode(errors="replace")
    buffer = ctypes.create_string_buffer(words)
    return ctypes.addressof(buffer), buffer, where
