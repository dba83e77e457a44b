"""ISPC as a peer: a family's kernels in ISPC beside its module, compiled by ``ispc`` and gcc.

A kernel ``NAME`` is an exported function of that name, which takes the index space's sizes and then
the step's arguments, without local memory. Tasks run on OpenMP's threads. Non-goals: building
ISPC. Invariant: no fast mathematics, as for ours.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.corpus.frame import Entry, Local, Nd, Step
from bench.harness import Missing

WHERE = "CORPUS_ISPC"  # the compiler's path, in the environment; else it is looked for
_HERE = Path(__file__).parent
_TARGETS = {"ispc": ("avx2-i32x8", "avx512skx-x16"), "ispc_wide": ("avx2-i32x16", "avx512skx-x32")}
_NUMBERS = {"i": ctypes.c_int32, "f": ctypes.c_float, "d": ctypes.c_double}


def lacks() -> str:
    """Return what is not there; nothing if ISPC is."""
    return "" if _compiler() else f"no ispc: {WHERE}, --ispc PATH"


def _compiler() -> str:
    return shutil.which(os.environ.get(WHERE, "ispc")) or ""


def target(peer: str) -> str:
    """Return the target of a peer on this processor."""
    flags = Path("/proc/cpuinfo").read_text(encoding="ascii")
    return _TARGETS[peer]["avx512dq" in flags]


@functools.cache
def exported(family: str) -> frozenset[str]:
    """Return the functions that a family's file exports; none where there is no file."""
    file = Path(family).with_suffix(".ispc")
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return frozenset(re.findall(r"^export void (\w+)\(", text, re.MULTILINE))


def steps_of(entry: Entry, family: Any, operands: Any, form: str) -> Sequence[Any]:
    """Return the launches that do in ISPC what a form does; none if they are not written.

    They are those in OpenCL C, whose arguments are plain, the form's own, or the authors' form's.
    """
    there = exported(family.__file__)
    if not there:
        return ()
    ways = [entry.opencl] if callable(entry.opencl) else [entry.forms[form]]
    if form not in (entry.twin or ()):
        ways.append(next(iter(entry.forms.values())))
    for way in ways:
        steps = way(operands)
        if all(name_of(step) in there for step in steps):
            return steps
    return ()


def name_of(step: Any) -> str:
    """Return what a step's kernel is called."""
    if not isinstance(step, Step):
        return ""
    return step.kernel if isinstance(step.kernel, str) else str(step.kernel.__name__)


def written(entry: Entry, family: Any, form: str) -> bool:
    """Say whether a form is written in ISPC."""
    return bool(steps_of(entry, family, entry.make(entry.small), form))


@functools.cache
def library(family: str, peer: str) -> ctypes.CDLL:
    """Compile a family for a peer and load it."""
    folder = Path(tempfile.mkdtemp(prefix="corpus-ispc-"))
    made, shared = folder / "kernels.o", folder / "kernels.so"
    subprocess.run([_compiler(), str(Path(family).with_suffix(".ispc")), "-O3", "--pic",
                    f"--target={target(peer)}", "-o", str(made), "--woff"], check=True)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-fopenmp", str(made),
                    str(_HERE / "ispc_tasks.c"), "-o", str(shared), "-lm"], check=True)
    return ctypes.CDLL(str(shared))


def calls(entry: Entry, family: Any, operands: Any, form: str, peer: str) -> Any:
    """Return what runs a form over NumPy arrays in place."""
    if why := lacks():
        raise Missing(why)
    steps = steps_of(entry, family, operands, form)
    if not steps:
        raise Missing("not written in ISPC")
    loaded = library(family.__file__, peer)
    bound = [(loaded[name_of(step)], _arguments(step)) for step in steps]

    def run() -> None:
        for function, given in bound:
            function(*given)

    return run


def _arguments(step: Step) -> list[Any]:
    extent = step.space.extent if isinstance(step.space, Nd) else step.space
    given: list[Any] = [ctypes.c_int32(n) for n in extent]
    for argument in step.args:
        if isinstance(argument, np.ndarray):
            given.append(ctypes.c_void_p(argument.ctypes.data))
        elif not isinstance(argument, Local):
            number = np.int32(argument) if isinstance(argument, int) else argument
            given.append(_NUMBERS[np.dtype(number.dtype).char](number.item()))
    return given
