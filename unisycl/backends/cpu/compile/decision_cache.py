"""What an earlier process decided about a kernel, so that this one need not emit its text again.

Two small entries of the disk cache, named after the kernel's digest: its lanes and output stream,
and for each key of a geometry the entry that holds its code. Non-goals: the code itself (``jit``).
Invariant: entries belong to one kind of processor that code is made for, one compiler and one state
of unisycl's own sources.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from unisycl.backends.cpu.compile import options
from unisycl.backends.cpu.compile.target import compiler_version
from unisycl.ir import digest
from unisycl.ir.nodes import Kernel
from unisycl.process import disk_cache, source_state

_ROOMS = ("backends/cpu", "passes", "ir", "base", "process")


def _stamp() -> str:
    """Return what changes whenever a source does that code depends on; '' if there are no files."""
    return source_state.of(*_ROOMS)


def _entry(kernel: Kernel, *what: str) -> str | None:
    """Return the name of an entry about a kernel; None if the kernel cannot be named."""
    known = digest.of(kernel)
    if known is None or not _stamp():
        return None
    made_for = options.of(kernel).machine
    return disk_cache.key_of("kernel", compiler_version(), *made_for.key,
                             str(made_for.vector_bits), _stamp(), known, *what)


def recall(kernel: Kernel, *what: str) -> Any:
    """Return what was noted about a kernel; None if nothing was."""
    name = _entry(kernel, *what)
    kept = None if name is None else disk_cache.load(name)
    return None if kept is None else json.loads(kept)


def note(kernel: Kernel, value: Any, *what: str) -> None:
    """Note something about a kernel for later processes: numbers, words, lists of them."""
    name = _entry(kernel, *what)
    if name is not None:
        disk_cache.save(name, json.dumps(value).encode())


def recalled(kernel: Kernel, compute: Callable[[], list[int]], *what: str) -> list[int]:
    """Return what was noted, or compute and note it."""
    found = recall(kernel, *what)
    if found is None:
        found = compute()
        note(kernel, found, *what)
    return list(found)
