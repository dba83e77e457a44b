"""Which ranks a program is part of: a thread's group, MPI's processes, or none but itself.

Non-goals: starting them. Invariant: the answer is the same for the whole life of a process, or of
a thread that is a rank.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from types import TracebackType
from typing import Any

from unisycl.base import settings
from unisycl.base.errors import UsageError, errc
from unisycl.ranks.links import mpi, threads
from unisycl.ranks.links.alone import AloneLink
from unisycl.ranks.links.link import Link

_STARTERS = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "MV2_COMM_WORLD_SIZE")
_lock = threading.Lock()
_world: Link | None = None
pretended: Link | None = None
"""What ``simulate`` puts in the place of all others."""


def started_with() -> int:
    """Return how many processes were started together, as their starter says; 1 if none did."""
    for name in _STARTERS:
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    if os.environ.get("SLURM_STEP_ID", "").isdecimal():
        tasks = os.environ.get("SLURM_STEP_NUM_TASKS", "") or os.environ.get("SLURM_NTASKS", "")
        return int(tasks) if tasks.isdecimal() else 1  # of the step, or else of all of the job
    return 1


def limit() -> float:
    """Return the seconds that ranks wait for one another, as the environment says."""
    return settings.RANK_TIMEOUT.value()


def world() -> Link:
    """Return this rank's link to all ranks."""
    global _world
    if pretended is not None:
        return pretended
    here = threads.here()
    if here is not None:
        return here
    with _lock:
        if _world is None:
            if started_with() > 1:
                _world = _processes(limit())
                end_together(_world)
            else:
                _world = AloneLink(limit())
        return _world


def _processes(limit: float) -> Link:
    together = f"this process is one of {started_with()} that were started together, and"
    try:
        found = mpi.world(limit)
    except ImportError as error:
        raise UsageError(errc.invalid, f"{together} mpi4py, by which they reach one another, is "
                         f"not here ({error}): pip install 'unisycl[mpi]'") from error
    if found.size == 1:  # each would take itself for the only one, and for the first
        raise UsageError(errc.invalid, f"{together} mpi4py's MPI ({mpi.called()}) knows of this "
                         "one alone: start the program by that MPI's own mpiexec, or by an srun "
                         "that serves it (srun --mpi=pmi2 or pmix; srun --mpi=list tells which "
                         "there are)")
    return found


def end_together(link: Link) -> None:
    """Have an exception that ends this process end all others, too."""
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> Any:
        sys.stdout.flush()
        if before is sys.__excepthook__:
            sys.stderr.write(f"{link.called()} failed:\n")
            sys.stderr.write("".join(traceback.format_exception(kind, error, trace)))
        else:
            before(kind, error, trace)
        sys.stderr.flush()
        link.abort(error)
    sys.excepthook = hook
