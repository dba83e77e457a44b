"""One rank of ``python -m unisycl mpirun``: runs the program, and ends all others if it fails.

Non-goals: being called by users. Invariant: of several ranks that fail, one tells its traceback.
"""

from __future__ import annotations

import faulthandler
import io
import os
import runpy
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import NoReturn

from unisycl.base import settings
from unisycl.ranks.links import last_words, world

_OURS = (__file__, "<frozen runpy>", runpy.__file__)
"""What tracebacks begin in that is none of the program's."""


def main() -> None:
    """Run the program that the command line names."""
    arguments = sys.argv[1:]
    bind = arguments.pop(0).removeprefix("--bind=")
    module = arguments[:1] == ["-m"]
    program, *rest = arguments[module:]
    rank, size = _number("RANK"), world.started_with()
    folder = Path(os.environ[settings.RANKS_FOLDER])
    ended = folder / f"ended{rank}"
    begun = Path("/proc/self/stat")
    if begun.exists():
        (folder / f"pid{rank}").write_text(
            f"{os.getpid()} {begun.read_text().rpartition(')')[2].split()[19]}")
    if hasattr(os, "sched_setaffinity"):
        own = sorted(os.sched_getaffinity(0))
        if bind == "all" or (bind == "few" and size <= len(own) and not _bound()):
            os.sched_setaffinity(0, _share(own, rank, size))
    faulthandler.enable(all_threads=False)
    last_words.keep(folder, rank)("start")
    _print_whole_lines()
    sys.argv = [program, *rest]
    sys.path[0] = str(Path.cwd() if module else Path(program).resolve().parent)
    try:
        if module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
        ended.touch()
    except SystemExit as end:
        if end.code in (None, 0):
            ended.touch()
            return
        said = end.code if isinstance(end.code, str) else f"exit status {end.code}"
        _fail(folder, rank, size, f"rank {rank} of {size} ended: {said}\n",
              end.code if isinstance(end.code, int) else 1)
    except KeyboardInterrupt:
        os._exit(128 + signal.SIGINT)
    except BaseException as error:  # noqa: BLE001 -- told, and ends all ranks
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in _OURS:
            trace = trace.tb_next
        text = "".join(traceback.format_exception(type(error), error,
                                                  trace or error.__traceback__))
        _fail(folder, rank, size, f"rank {rank} of {size} failed:\n{text}", 1)


def _print_whole_lines() -> None:
    """Write what is printed by lines, so that lines of several ranks are not mixed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(line_buffering=True, write_through=False)


def _number(what: str) -> int:
    names = (f"PMI_{what}", f"OMPI_COMM_WORLD_{what}", f"PMIX_{what}")
    return next((int(os.environ[n]) for n in names if os.environ.get(n, "").isdecimal()), 0)


def _bound() -> bool:
    """Say whether the MPI sees to the processors of ranks itself, as Open MPI does."""
    return "OMPI_COMM_WORLD_RANK" in os.environ


def _share(processors: list[int], rank: int, size: int) -> set[int]:
    """Return a rank's processors: an even share, or one of them in turn if there are few."""
    if len(processors) < size:
        return {processors[rank % len(processors)]}
    return set(processors[rank * len(processors) // size:(rank + 1) * len(processors) // size])


def _fail(folder: Path, rank: int, size: int, text: str, status: int) -> NoReturn:
    """Leave what happened to be told, unless another rank has, and end all ranks.

    Not by this process's own output, which whoever ends it may lose.
    """
    sys.stdout.flush()
    try:
        with (folder / "reported").open("x") as file:
            file.write(text)
    except FileExistsError:
        time.sleep(0.5)  # until the other one has written
    if size > 1 and "mpi4py.MPI" in sys.modules:
        sys.modules["mpi4py.MPI"].COMM_WORLD.Abort(status or 1)
    os._exit(status or 1)


if __name__ == "__main__":
    main()
