"""Threads for kernels that wait: for one another, or for others of their own threads.

Non-goals: ordinary kernels, which share the device's pool. Invariant: a kernel that runs here never
waits for a thread that another kernel has; all threads keep to the device's processors.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unisycl.backends.base import PipeEnds
from unisycl.backends.cpu.abi import LOCAL_ALIGN
from unisycl.backends.cpu.executable import CpuExecutable, Plan
from unisycl.backends.cpu.pool.job import NativeJob
from unisycl.backends.cpu.pool.pool import NativePool
from unisycl.base.forward_progress import WEAKEST, forward_progress_guarantee
from unisycl.base.later import Later

if TYPE_CHECKING:
    from unisycl.backends.cpu.compile import plain
    from unisycl.backends.cpu.emit import concurrent_sub_groups
else:
    plain = Later("unisycl.backends.cpu.compile.plain")
    concurrent_sub_groups = Later("unisycl.backends.cpu.emit.concurrent_sub_groups")

MOST_THREADS = 1024


class OwnThreads:
    """The threads of one device beside its pool; started when they are needed, and kept.

    Args:
        pool: the device's.
        make: makes another pool of so many threads on the same processors.
    """

    def __init__(self, pool: NativePool, make: Callable[[int], NativePool]) -> None:
        self._pool, self._make = pool, make
        self._turn = threading.Lock()
        self._last: NativeJob | None = None
        self._pools: list[NativePool] = []
        self._begun: list[tuple[NativeJob, list[PipeEnds]]] = []

    def submitter(self, executable: CpuExecutable, plan: Plan) -> Callable[..., NativeJob]:
        """Return what starts a kernel that waits."""
        kernel = executable.kernel
        count = executable.sub_groups
        if count:
            levels = kernel.progress or WEAKEST
            groups_too = levels[2] is forward_progress_guarantee.concurrent
            needed = plan.units if groups_too else \
                min(plan.units, count * max(1, self._pool.threads // count))
            return functools.partial(self._aside, max(1, needed), alone=False)
        return self._together if kernel.progress else functools.partial(
            self._aside, 1, alone=kernel.index_kind == "single")

    def _together(self, entry: int, args: int, units: int, grain: int, deps: Any,
                  keep: Any, **options: Any) -> NativeJob:
        """Start a kernel whose work-groups run at the same time, one on each thread of the pool.

        Two such kernels would share the threads out between them and wait for ever, so each
        follows the one before. No thread that waits helps: it could be interrupted half-way.
        """
        with self._turn:
            before = self._last
            if before is not None and not before.done():
                deps = (*deps, before)
            self._last = self._pool.submit(entry, args, units, grain, deps, keep,
                                           **{**options, "assisted": False})
            return self._last

    def _aside(self, threads: int, entry: int, args: int, units: int, grain: int, deps: Any,
               keep: Any, *, alone: bool, **options: Any) -> NativeJob:
        """Start a kernel on threads that no other one can need; ``alone``: it is one work-item.

        Units are begun in order, so those of one work-group run at the same time wherever there
        are as many threads as they are.
        """
        ends = [v for v in keep[1] if isinstance(v, PipeEnds)] if alone else []
        with self._turn:
            fit = [p for p in self._pools if p.threads >= threads and not p.pending()]
            if fit:
                pool = min(fit, key=lambda p: p.threads)
            else:
                pool = self._make(1 << (threads - 1).bit_length())
                pool.stuck = self.stuck
                self._pools.append(pool)
            job = pool.submit(entry, args, units, grain, deps, keep,
                              **{**options, "assisted": False})
            self._begun = [b for b in self._begun if not b[0].done()]
            self._begun.append((job, ends))
            return job

    def stuck(self) -> bool:
        """Say whether all that is left waits for packets, or room, that nobody can bring.

        That is certain of kernels that are one work-item each, as long as nothing else can begin.
        """
        left = [(job, ends) for job, ends in list(self._begun)
                if not (job.done() or job.held_back())]
        known = {e.slots()[0]: e for _, ends in left for e in ends}
        waiting = sum(int(e.array()[-1]) for e in known.values())
        if not left or waiting < len(left):
            return False
        first = [job for job, _ in left]
        others = [job for pool in (self._pool, *self._pools) for job in pool.unfinished()]
        return all(job in first or job.held_back() for job in others)


def common_memory(executable: CpuExecutable, plan: Plan, values: Sequence[Any]) -> tuple[Any, int]:
    """Return the memory that sub-groups of each work-group share, zeros, and its address."""
    fixed = concurrent_sub_groups.shared(plain.plain(executable.kernel), executable.lanes).size
    groups = plan.units // max(1, executable.sub_groups)
    size = groups * (fixed + executable.packer.local_bytes(values))
    memory = np.zeros(size + LOCAL_ALIGN, np.uint8)
    return memory, -(-memory.ctypes.data // LOCAL_ALIGN) * LOCAL_ALIGN
