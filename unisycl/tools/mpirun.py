"""``python -m unisycl mpirun -n 4 program.py``: run a program as several ranks, and end it well.

The MPI is that of this environment (``pip install 'unisycl[mpi]'``), or the one on the path. A rank
that fails, dies or is interrupted ends all others; its traceback, or its last command, is told
once. Non-goals: several machines (mpiexec and Slurm start programs there). Invariant: when this
returns, no rank is left.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unisycl.base import settings
from unisycl.ranks.links import last_words

_NOISE = re.compile(r"^(=====+|=   .*|Abort\(\d+\) on node .*|YOUR APPLICATION TERMINATED.*|"
                    r"This typically refers.*|Please see the FAQ.*|\[mpiexec@.*|\[proxy.*|"
                    r"Press Ctrl-C.*|Ctrl-C caught.*|internal_Abort.*)$")
_GRACE = 5.0


def add_command(commands: Any) -> None:
    """Add ``mpirun`` to the command line."""
    parser = commands.add_parser(
        "mpirun", help="run a program as several ranks",
        usage="python -m unisycl mpirun [-n N] [--no-bind] [-m] PROGRAM [ARGUMENTS ...]")
    parser.add_argument("-n", type=int, default=2, metavar="N", help="how many ranks (2)")
    parser.add_argument("--bind", action=argparse.BooleanOptionalAction, default=None,
                        help="give each rank processors of its own, as many as there are for each "
                        "(where there is one for each)")
    parser.add_argument("-m", dest="module", action="store_true",
                        help="the program is the name of a module")
    parser.add_argument("program", help="the program, as program.py")
    parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="its arguments")
    parser.set_defaults(run=run)


def starter() -> str | None:
    """Return mpiexec: that of this environment, else the one on the path."""
    own = Path(sys.executable).parent / "mpiexec"
    return str(own) if own.exists() else shutil.which("mpiexec") or shutil.which("mpirun")


def run(options: argparse.Namespace) -> int:
    """Start the ranks and stay with them; the exit status is that of the first that failed."""
    found = starter()
    if found is None:
        sys.stderr.write("mpirun: there is no mpiexec: pip install 'unisycl[mpi]'\n")
        return 2
    if options.n < 1:
        sys.stderr.write(f"mpirun: expected a number of ranks, got {options.n}\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="unisycl-ranks-") as folder:
        return _Ranks(options, found, Path(folder)).run()


class _Told(KeyboardInterrupt):
    """A signal has asked to end, as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Have what ends a program, as time limits and schedulers do, end its ranks, too."""
    def raised(number: int, _: Any) -> None:
        for other in before:  # for good: whoever sent it may send it twice
            signal.signal(other, signal.SIG_IGN)
        before.clear()
        raise _Told(number)
    before: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
                    before[number] = signal.signal(number, raised)
        yield
    finally:
        for one, known in before.items():
            signal.signal(one, known)


class _Ranks:
    """The processes of one program."""

    def __init__(self, options: argparse.Namespace, mpiexec: str, folder: Path) -> None:
        self.count, self.folder = options.n, folder
        bind = {None: "--bind=few", True: "--bind=all", False: "--bind=none"}[options.bind]
        self.words = [mpiexec, "-n", str(options.n), sys.executable, "-m", "unisycl.tools.rank",
                      bind, *(["-m"] if options.module else []), options.program, *options.rest]
        self.said: list[str] = []
        self.others: list[int] = []
        self.first: int | None = None

    def run(self) -> int:
        """Start, wait, tell, and leave nothing behind."""
        environment = {**os.environ, settings.RANKS_FOLDER: str(self.folder)}
        process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=environment, errors="replace")
        readers = [threading.Thread(target=self._read, args=pair, daemon=True) for pair in (
            (process.stdout, sys.stdout), (process.stderr, sys.stderr))]
        readers.append(threading.Thread(target=self._watch, args=(process,), daemon=True))
        for reader in readers:
            reader.start()
        interrupted: int = 0
        try:
            with _told():
                process.wait()
        except KeyboardInterrupt as told:
            interrupted = told.number if isinstance(told, _Told) else int(signal.SIGINT)
            self._end(process)
        for reader in readers:
            reader.join(_GRACE)
        self._leave_nothing()
        status = process.returncode
        vanished = not status and any(not (self.folder / f"ended{rank}").exists()
                                      for rank in range(self.count))
        if interrupted:
            how = "interrupted" if interrupted == signal.SIGINT else \
                f"ended by {_SIGNALS[interrupted]}"
            sys.stderr.write(f"{how}: {self._last()}\n")
            return 128 + interrupted
        reported = self.folder / "reported"
        if reported.exists():
            sys.stderr.write(reported.read_text(errors="replace"))
        elif status or vanished:
            sys.stderr.write(self._death(status) + "\n")
        return abs(status) & 255 or int(status != 0 or vanished)

    def _read(self, stream: Any, target: Any) -> None:
        """Pass on what the ranks say, without what mpiexec adds when one fails."""
        for line in stream:
            if _NOISE.match(line.rstrip("\n")):
                self.said.append(line.strip())
            else:
                target.write(line)
                target.flush()

    def _end(self, process: subprocess.Popen[str]) -> None:
        """End mpiexec, which ends the ranks; it may have seen Ctrl-C itself."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)
            try:
                process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                continue
            return

    def _leave_nothing(self) -> None:
        """End ranks that are still there: those that told their ids, and are the same yet."""
        for file in self.folder.glob("pid*"):
            told, begun = file.read_text().split()
            end = time.monotonic() + _GRACE
            while _begun(int(told)) == begun and time.monotonic() < end:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(told), signal.SIGKILL)
                time.sleep(0.01)

    def _watch(self, process: subprocess.Popen[str]) -> None:
        """Note which rank is the first to end."""
        poll, known = select.poll(), dict[int, int]()
        gone: list[int] = []  # ended before anybody looked
        while process.poll() is None and self.first is None:
            for file in self.folder.glob("pid*"):
                rank = int(file.name.removeprefix("pid"))
                if rank not in known.values():
                    told = file.read_text().split()
                    try:
                        number = os.pidfd_open(int(told[0]))
                    except ProcessLookupError:
                        gone.append(rank)
                        continue
                    except (OSError, IndexError):
                        continue
                    known[number] = rank
                    poll.register(number, select.POLLIN)
            ended = [known[number] for number, _ in poll.poll(0 if gone else 50)]
            if gone or ended:
                self.first, *self.others = sorted({*gone, *ended})
        for number in known:
            os.close(number)

    def _death(self, status: int) -> str:
        """Return in words which rank died, and of what."""
        text, number = "\n".join(self.said), abs(status)
        how = f"was ended by {_SIGNALS[number]}" if number in _SIGNALS and (
            "(signal " in text or status < 0) else f"ended with exit status {number}"
        if not number:
            how = "ended before its program had, without an error (os._exit)"
        if self.first is None:
            return f"a rank of {self.count} {how}: {self._last()}"
        found = last_words.read(self.folder, self.first)
        last = f"its last command was number {found[0]}, {found[1]}" if found else \
            "it had submitted no command"
        if self.others:  # the launcher ended all but one of them before anybody looked
            which = ", ".join(str(rank) for rank in (self.first, *self.others))
            return f"one of the ranks {which} of {self.count} {how}: {self._last()}"
        return f"rank {self.first} of {self.count} {how}; {last}"

    def _last(self) -> str:
        """Return in words what each rank did last."""
        parts = []
        for rank in range(self.count):
            found = last_words.read(self.folder, rank)
            if found:
                parts.append(f"rank {rank} was at command {found[0]}, {found[1]}")
        return "; ".join(parts) or "no rank had submitted a command"


_SIGNALS = {int(s): s.name for s in signal.Signals}


def _begun(pid: int) -> str:
    """Return when a process began, as the system counts; nothing if it is gone or dead."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
