"""Many tiny kernels run one after the other by one native call.

Non-goals: kernels that are large enough for several threads. Invariant: they run in the order
given, each to its end before the next, and can neither wait for another command nor fail.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.backends.base import Completion, Launch, Part
from unisycl.backends.cpu.compile import jit
from unisycl.backends.cpu.executable import CpuExecutable
from unisycl.backends.cpu.pool import direct
from unisycl.backends.cpu.pool.pool import NativePool

_ALIGN = 16
_SOURCE = """
define void @run_batch(ptr %table, i64 %begin, i64 %end, i64 %worker) nounwind {
entry:
  %some = icmp slt i64 %begin, %end
  br i1 %some, label %loop, label %done
loop:
  %k = phi i64 [ %begin, %entry ], [ %next, %loop ]
  %at = getelementptr { ptr, ptr }, ptr %table, i64 %k
  %f = load ptr, ptr %at
  %place = getelementptr i8, ptr %at, i64 8
  %block = load ptr, ptr %place
  call void %f(ptr %block)
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


@functools.cache
def _native() -> tuple[int, Callable[[int, int, int, int], None], Any]:
    """Return the loop's address, itself as a Python callable, and what keeps it loaded."""
    source, level = text()
    loaded = jit.load(source, ("run_batch",), level=level)
    address = loaded.addresses["run_batch"]
    kind = ctypes.PYFUNCTYPE(None, ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    return address, kind(address), loaded


def text() -> tuple[str, int]:
    """Return the loop as LLVM IR, and LLVM's level for it."""
    return _SOURCE, 0


def cost(launch: Launch) -> int:
    """Return the vector operations of a launch; 0 if it is not for a batch."""
    executable: CpuExecutable = launch.executable  # type: ignore[assignment]
    if launch.reductions or not executable.small(executable.plan(launch.geometry), launch.values):
        return 0
    steps = direct.at_launch(executable.steps, launch.geometry, launch.values)
    return steps * direct.vectors(launch.geometry, executable.lanes)


class CpuBatch:
    """Launches ready to be run again and again (``backends.base.Batch``)."""

    __slots__ = ("_blocks", "_call", "_count", "_entry", "_keep", "_pool", "_quick", "_table")

    def __init__(self, pool: NativePool, launches: Sequence[Launch]) -> None:
        blocks, starts, entries = bytearray(), [], []
        for launch in launches:
            executable: CpuExecutable = launch.executable  # type: ignore[assignment]
            plan = executable.plan(launch.geometry)
            starts.append(len(blocks))
            blocks += executable.packer.pack(plan.head, launch.values)
            blocks += bytes(-len(blocks) % _ALIGN)
            entries.append(executable.direct_address)
        self._blocks = ctypes.create_string_buffer(bytes(blocks))
        base = ctypes.addressof(self._blocks)
        words = [w for entry, start in zip(entries, starts, strict=True)
                 for w in (entry, base + start)]
        self._table = (ctypes.c_uint64 * len(words))(*words)
        self._entry, self._call, loaded = _native()
        self._count = len(entries)
        self._pool = pool
        self._keep = (tuple(launches), self._blocks, self._table, loaded)
        self._quick = sum(map(cost, launches)) <= direct.MOST_STEPS

    def immediate(self) -> bool:
        """Run all in the calling thread if that takes but a few microseconds, else do nothing."""
        if self._quick:
            self._call(ctypes.addressof(self._table), 0, self._count, 0)
        return self._quick

    def update(self, launches: Sequence[Part], before: Sequence[Sequence[int]]) -> bool:
        """Have another batch made: that costs no more."""
        return False

    def launch(self, deps: Sequence[Completion]) -> Completion:
        """Run all on one thread of the pool, in order."""
        jobs: Any = deps
        return self._pool.submit(self._entry, ctypes.addressof(self._table), self._count,
                                 self._count, jobs, self._keep)
