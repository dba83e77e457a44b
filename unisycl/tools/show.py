"""``python -m unisycl show FILE:KERNEL --stage ir|source|llvm|asm|after:PASS``: what became of it.

The file is run as a program, and the kernels it launches are recorded: a kernel has types only
where it is launched. What the program prints goes to standard error. Non-goals: kernels
never launched.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import functools
import runpy
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import unisycl as sycl
from unisycl.passes import looking, pipeline
from unisycl.runtime.launch import compiled_kernels

STAGES = ("ir", "source", "llvm", "asm")


def add_command(commands: Any) -> None:
    """Add ``show`` to the command line."""
    parser = commands.add_parser("show", help="show what became of a kernel", description=__doc__,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", metavar="FILE:KERNEL",
                        help="a Python file and the name of a kernel it launches")
    parser.add_argument("--stage", type=stage_of, default="ir", metavar="STAGE",
                        help="ir (typed IR, the default), source (C text where the device's "
                             "compiler reads it), llvm (LLVM IR), asm (machine code), or "
                             "after:PASS (IR behind one of the compiler's passes)")
    parser.set_defaults(run=run, arguments=[])


def stage_of(text: str) -> str:
    """Return a stage that there is; ``ArgumentTypeError`` names those there are."""
    word, _, name = text.partition(":")
    known = pipeline.names()
    if word == "after" and name not in known:
        raise argparse.ArgumentTypeError(f"there is no pass '{name}'{likely(name, known)}; the "
                                         f"passes are {', '.join(known)}")
    if word != "after" and text not in STAGES:
        raise argparse.ArgumentTypeError(f"there is no stage '{text}'; the stages are "
                                         f"{', '.join(STAGES)} and after:PASS")
    return text


def run(options: argparse.Namespace) -> int:
    """Print the asked stage of every kernel of that name; exit status 2 if that cannot be."""
    return show(options, options.stage)


def show(options: argparse.Namespace, stage: str) -> int:
    """Print a stage of every kernel of the name that is asked for."""
    file, colon, name = options.kernel.rpartition(":")
    tell = functools.partial(refuse, command="explain" if stage == "explain" else "show")
    if not (colon and file and name):
        return tell(f"expected FILE:KERNEL, got '{options.kernel}'")
    if not Path(file).is_file():
        return tell(f"there is no file '{file}'")
    word, _, one = stage.partition(":")
    try:
        with looking.seen() as front:
            kernels = record_kernels(file, options.arguments)
    except Exception as error:  # noqa: BLE001 - whatever the program raises is the answer
        return tell(f"{file} failed: {type(error).__name__}: {error}")
    chosen = [k for k in kernels if k.name == name]
    if not chosen:
        return tell(unknown_kernel(file, name, [k.name for k in kernels]))
    for kernel in chosen:
        if word == "after":
            passed = kernel.passed(front)
            if one not in passed:
                return tell(f"kernel '{name}' does not come by the pass '{one}' on this device, "
                              f"but by: {', '.join(passed)}")
            print(passed[one])
            continue
        try:
            print(getattr(kernel, f"{stage}_text")())
        except sycl.exception as error:
            return tell(f"kernel '{name}' has no {stage}: {error.what()}"
                          f"{elsewhere(kernel, stage)}")
    return 0


def elsewhere(kernel: Any, stage: str) -> str:
    """Return how to see a stage that this device lacks on another one; else nothing."""
    for device in sycl.device.get_devices():
        with contextlib.suppress(sycl.exception):
            device.state.driver.text(kernel.kernel, kernel.geometry, stage)
            return (f"; '{device.state.name}' has it: set UNISYCL_DEVICE={device.state.name} if "
                    "the program takes the default device")
    return ""


def unknown_kernel(file: str, name: str, known: list[str]) -> str:
    """Return why no kernel of that name can be shown, and what there is instead."""
    if not known:
        return f"{file} launched no kernel"
    names = list(dict.fromkeys(known))
    return f"{file} launched no kernel '{name}', but: {', '.join(names)}{likely(name, names)}"


def likely(name: str, names: Iterable[str]) -> str:
    """Return a question for the most similar name; '' if none is close."""
    close = difflib.get_close_matches(name, list(names), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def record_kernels(file: str, arguments: list[str]) -> list[Any]:
    """Run a file as a program and return the kernels it launched, each once."""
    with compiled_kernels.kernels() as launched, as_program(
            file, arguments), contextlib.suppress(SystemExit):
        runpy.run_path(file, run_name="__main__")
    return list(launched)


@contextlib.contextmanager
def as_program(file: str, arguments: list[str]) -> Iterator[None]:
    """Let a file see what it would see if Python ran it, but for its standard output."""
    argv, path = sys.argv, sys.path[:]
    sys.argv = [file, *arguments]
    sys.path.insert(0, str(Path(file).resolve().parent))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.argv, sys.path[:] = argv, path


def refuse(message: str, command: str = "show") -> int:
    """Print one line and return the exit status of a wrong command line."""
    sys.stderr.write(f"unisycl {command}: " + " ".join(message.split()) + "\n")
    return 2
