"""The process that forks for programs of tests: ``python -m tests.children.server SOCKET``.

It imports what programs of unisycl import, opens no device and starts no thread. Each program is
run by a grandchild, as ``python`` would run it; the child between waits for it and tells whoever
asked how it ended. Non-goals: what programs are. Invariant: it ends when its standard input does.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import threading
import types
import warnings
from pathlib import Path
from typing import Any, NoReturn

from unisycl.backends.cpu.compile import jit
from unisycl.base import start_folder

ROOT = Path(__file__).parents[2]
LEFT = ("examples", "oneapi", "ranks", "testing", "tools", "__main__")
"""Parts of unisycl that few programs import, or that do something then."""


def load() -> None:
    """Import what programs import, each module but those that lack something here."""
    for file in sorted((ROOT / "unisycl").rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        if not any(part in LEFT for part in parts):
            with contextlib.suppress(ImportError):
                importlib.import_module(".".join(p for p in parts if p != "__init__"))
    jit._llvm()


def serve(place: str) -> dict[str, Any]:
    """Return, in a process of its own, what each program is that is asked for."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(place)
        door.listen(64)
        print("listening", flush=True)
        while True:
            ready, _, _ = select.select([door, 0], [], [])
            if 0 in ready:
                os._exit(0)
            line, _ = door.accept()
            if os.fork() == 0:
                break
            line.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return answered(line)


def answered(line: socket.socket) -> dict[str, Any]:
    """Return in a child what was asked for; this process tells how it ended, and ends."""
    _, numbers, _, _ = socket.recv_fds(line, 1, 3)
    with line.makefile("rb") as words:
        asked: dict[str, Any] = json.loads(words.read(int.from_bytes(words.read(8), "little")))
    child = os.fork()
    if child == 0:
        line.close()
        for k, number in enumerate(numbers):
            os.dup2(number, k)
        os.closerange(3, max(numbers) + 1)
        return asked
    for number in (0, 1, 2, *numbers):
        os.close(number)
    line.sendall(f"{child}\n".encode())
    _, status, used = os.wait4(child, 0)
    line.sendall(f"{os.waitstatus_to_exitcode(status)} {used.ru_utime + used.ru_stime}\n".encode())
    os._exit(0)


def run(asked: dict[str, Any]) -> NoReturn:
    """Run a program as the interpreter does, and end as it does, but for taking all apart."""
    os.chdir(asked["cwd"])
    start_folder.FOLDER = asked["cwd"]
    os.environ.clear()
    os.environ.update(asked["env"])
    words: list[str] = asked["argv"]
    sys.orig_argv[:] = words
    at = 1
    while words[at] == "-W":
        sys.warnoptions.append(words[at + 1])
        at += 2
    warnings._processoptions(sys.warnoptions)  # type: ignore[attr-defined]
    way, rest = (words[at], words[at + 1:]) if words[at] in ("-c", "-m") else ("", words[at:])
    sys.argv[:] = ["-c", *rest[1:]] if way == "-c" else rest
    sys.path[0] = {"-c": "", "-m": asked["cwd"]}.get(way, str(Path(rest[0]).resolve().parent))
    status = 0
    try:
        main(way, rest[0])
    except SystemExit as asked_for:
        status = told(asked_for.code)
    except BaseException as error:  # noqa: BLE001 - as the interpreter, whatever it is
        status = -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
        trace = from_program(error)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def told(code: object) -> int:
    """Return the exit status that ``sys.exit`` was given; a text is printed."""
    if code is None or isinstance(code, int):
        return (code or 0) & 255
    print(code, file=sys.stderr)
    return 1


def main(way: str, what: str) -> None:
    """Run a text, a module or a file as ``__main__``."""
    if way == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
        return
    module = types.ModuleType("__main__")
    module.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = module
    if not way:
        module.__file__ = what
    text = what if way == "-c" else Path(what).read_bytes()
    name = "<string>" if way == "-c" else what
    exec(compile(text, name, "exec"), module.__dict__)  # noqa: S102 - this is what it is for


def from_program(error: BaseException) -> types.TracebackType | None:
    """Return an error's traceback from the program on."""
    trace = error.__traceback__
    while trace and (trace.tb_frame.f_code in (main.__code__, run.__code__)
                     or "runpy" in trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


if __name__ == "__main__":
    load()
    gc.freeze()
    KEPT = sys.modules["__main__"]  # this module's names are needed while the program runs
    run(serve(sys.argv[1]))
