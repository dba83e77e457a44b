"""Asks OpenCL runtimes for their devices, each in a process of its own: a driver may crash or hang.

A new interpreter does it; where there is none to start (``sys.executable`` of a frozen application
is the application, which would run again) a forked child. Non-goals: the question (``probe``), and
keeping answers (``discovery``). Invariants: what is started imports nothing from the current folder
or the program's; a process that was started to ask starts none.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from unisycl.backends.opencl.discovery import probe
from unisycl.base import settings, start_folder

Answer = dict[str, Any]
SECONDS = 60.0
_FILE = Path(__file__).resolve().with_name("asked.py")
_PACKAGE = _FILE.parents[3]
_LAST_LINES = 8


class Asked(Protocol):
    """A process that was started to ask."""

    def result(self, seconds: float) -> tuple[str, str, int] | None:
        """Return its output, what it complained of and its status; None if it takes longer."""


def ask_all(libraries: list[Path]) -> dict[str, Answer]:
    """Ask each runtime, all at once; return the answers, or problems, by library."""
    if os.environ.get(settings.LOOKING):
        why = ("this process was itself started to look for OpenCL devices, so it does not: "
               f"{sys.executable} is no Python interpreter, though it is called one")
        return {str(library): {"problem": why} for library in libraries}
    started = {str(library): begin(library) for library in libraries}
    return {library: answer(process) for library, process in started.items()}


def begin(library: Path) -> Asked | str:
    """Start asking; return the process, or why it cannot be started."""
    program = interpreter()
    try:
        if program is not None:
            return Spawned([program, "-I", "-S", str(_FILE), json.dumps(
                [_folders(), str(_PACKAGE), str(library)])])
        if hasattr(os, "fork"):
            return Forked(str(library))
    except OSError as error:
        return f"it could not be asked: {error}"
    return ("it could not be asked: this is an application of its own, with no Python interpreter "
            "that could do it without being ended by a driver that crashes; set "
            "UNISYCL_BACKENDS=cpu,host to do without OpenCL")


def interpreter() -> str | None:
    """Return the path of an interpreter of Python, None where there is none to be sure of."""
    if getattr(sys, "frozen", False) or "__compiled__" in globals() or not _FILE.is_file():
        return None
    path = Path(sys.executable or "")
    known = path.name.lower().startswith(("python", "pypy"))
    return str(path) if known and path.is_absolute() and path.is_file() else None


def _folders() -> list[str]:
    """Return where packages are imported from here, without the program's and current folders."""
    ours = sys.modules.get("__main__")
    avoided = {_real(start_folder.FOLDER), _real(os.path.curdir)}
    file = getattr(ours, "__file__", None)
    if file:
        avoided.add(_real(str(Path(file).parent)))
    found = list(_homes("pyopencl", "numpy"))
    found += [p for p in sys.path if Path(p).is_absolute() and _real(p) not in avoided]
    return list(dict.fromkeys(found))


def _homes(*packages: str) -> Iterator[str]:
    """Yield the folders that packages lie in."""
    for name in packages:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin:
            yield str(Path(spec.origin).resolve().parent.parent)


def _real(path: str) -> str:
    return os.path.realpath(path) if path else ""


def answer(process: Asked | str) -> Answer:
    """Return what a runtime said, or what became of it."""
    if isinstance(process, str):
        return {"problem": process}
    result = process.result(SECONDS)
    if result is None:
        return {"problem": f"it did not answer within {SECONDS:.0f} s"}
    out, err, status = result
    with contextlib.suppress(IndexError, ValueError):  # what others print is no answer
        told = json.loads(out.strip().splitlines()[-1])
        if isinstance(told, dict) and told.keys() & {"devices", "problem"}:
            return told
    last = " | ".join(err.strip().splitlines()[-_LAST_LINES:])
    how = f"signal {-status}" if status < 0 else f"exit status {status}"
    return {"problem": f"it crashed when asked for its devices ({how}) {last}".strip()}


class Spawned:
    """A new interpreter."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", env={**os.environ, settings.LOOKING: "1"})

    def result(self, seconds: float) -> tuple[str, str, int] | None:
        """As in ``Asked``; one that takes longer is ended."""
        try:
            out, err = self._process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            return None
        return out, err, self._process.returncode


class Forked:
    """A child with what this process has loaded; complaints and output are one."""

    def __init__(self, library: str) -> None:
        self._file, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of forks while there are threads: it needs none
            self._pid = os.fork()
        if self._pid == 0:
            _ask_here(library, write)
        os.close(write)

    def result(self, seconds: float) -> tuple[str, str, int] | None:
        """As in ``Asked``; one that takes longer is ended."""
        until = time.monotonic() + seconds
        parts: list[bytes] = []
        with open(self._file, "rb", buffering=0) as pipe:  # noqa: PTH123 - a number
            while select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
                part = pipe.read(1 << 16)
                if not part:
                    text = b"".join(parts).decode(errors="replace")
                    return text, text, self._end()
                parts.append(part)
        os.kill(self._pid, signal.SIGKILL)
        self._end()
        return None

    def _end(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


def _ask_here(library: str, write: int) -> None:
    """Ask in a forked child, and end it: nothing of the program runs in it."""
    try:
        os.environ[settings.LOOKING] = "1"
        for stream in (1, 2):
            os.dup2(write, stream)
        probe.main(library)
    finally:
        os._exit(70)
