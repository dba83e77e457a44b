"""Programs of tests in processes of their own, forked from one that has imported unisycl.

``run`` stands for ``subprocess.run`` of this interpreter: a process that has imported what
programs import forks for each, which takes some 20 ms of processor time where a new interpreter
takes half a second until it has a device. Non-goals: programs whose imports, texts given to
``python -c`` or interpreter are what is tested; those take ``subprocess``. Invariant: what cannot
be had so (another ``PYTHONPATH``, options but ``-W``) is run by ``subprocess``.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

PLACE = "TEST_CHILDREN"
"""The environment variable that says where the process that forks listens."""
ROOT = Path(__file__).parents[2]
_KNOWN = {"env", "cwd", "check", "capture_output", "text", "timeout", "input", "stdout"}
SPENT = [0.0]
"""Processor seconds of programs so far; they are children of another process."""


def run(command: Sequence[Any], **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run ``[sys.executable, ...]`` as ``subprocess.run`` does."""
    words = [os.fspath(word) for word in command]
    env = options.get("env")
    if not options.keys() <= _KNOWN or not _can(words, os.environ if env is None else env):
        return subprocess.run(words, **options)
    return _run(words, **options)


def _run(words: list[str], *, env: Mapping[str, str] | None = None, cwd: Any = None,
         check: bool = False, capture_output: bool = False, text: bool = False,
         timeout: float = 300, input: str | None = None,
         stdout: int | None = None) -> subprocess.CompletedProcess[Any]:
    """Have the process that forks run a program."""
    space = dict(os.environ if env is None else env)
    asked = {"argv": words, "env": space, "cwd": os.fspath(cwd or Path.cwd())}
    with contextlib.ExitStack() as files:
        given = files.enter_context(tempfile.TemporaryFile())
        given.write((input or "").encode())
        given.seek(0)
        kept = capture_output or stdout == subprocess.PIPE, capture_output
        said = [files.enter_context(tempfile.TemporaryFile()) if keep else None for keep in kept]
        numbers = [k if file is None else file.fileno() for k, file in enumerate(said, 1)]
        status = _ended(asked, [given.fileno(), *numbers], timeout)
        done = subprocess.CompletedProcess(words, status, *(_read(file, text) for file in said))
    if check:
        done.check_returncode()
    return done


def _can(words: Sequence[str], space: Mapping[str, str]) -> bool:
    """Say whether a fork is what a new interpreter would be."""
    at = 1
    while at < len(words) and words[at] == "-W":
        at += 2
    found = {place for place in space.get("PYTHONPATH", "").split(os.pathsep) if place}
    return (hasattr(os, "fork") and words[0] == sys.executable and at < len(words)
            and (words[at] in ("-c", "-m") or words[at].endswith(".py"))
            and found <= {str(ROOT), *sys.path} and _settings(space) == _settings(os.environ))


def _settings(space: Mapping[str, str]) -> dict[str, str]:
    """Return what the interpreter and the loader read of an environment."""
    return {name: value for name, value in space.items()
            if name.startswith(("PYTHON", "LD_")) and name != "PYTHONPATH"}


def _ended(asked: Mapping[str, Any], numbers: list[int], timeout: float) -> int:
    """Have a program run on some files; return its exit status."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(_place())
        socket.send_fds(line, [b"f"], numbers)
        sent = json.dumps(asked).encode()
        line.sendall(len(sent).to_bytes(8, "little") + sent)
        line.settimeout(timeout)
        with line.makefile("r") as told:
            process = int(told.readline())
            try:
                status, seconds = told.readline().split()
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                raise subprocess.TimeoutExpired(asked["argv"], timeout) from None
    SPENT[0] += float(seconds)
    return int(status)


def _read(file: IO[bytes] | None, text: bool) -> Any:
    """Return what was written into a file; None if there is none."""
    if file is None:
        return None
    file.seek(0)
    found = file.read()
    return found.decode() if text else found


def _place() -> str:
    """Return where the process that forks listens; it is started if there is none."""
    if PLACE not in os.environ:
        start()
    return os.environ[PLACE]


def start() -> None:
    """Start the process that forks, for this one and for those it starts; it ends with this."""
    folder = tempfile.mkdtemp(prefix="unisycl-children-")
    place = str(Path(folder) / "socket")
    server = subprocess.Popen([sys.executable, "-m", "tests.children.server", place], cwd=ROOT,
                              stdout=subprocess.PIPE, stdin=subprocess.PIPE,
                              env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    assert server.stdout is not None
    assert b"listening\n" == server.stdout.readline()
    os.environ[PLACE] = place
    owner = os.getpid()

    def end() -> None:
        if os.getpid() == owner:
            server.terminate()
            server.wait()
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)

