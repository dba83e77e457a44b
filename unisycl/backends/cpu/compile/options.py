"""What a kernel's build options are to the CPU: levels of LLVM, processors, flags.

Non-goals: which options there are (``lang.kernels.build_options``). Invariant: code is made only
for processors whose instructions this one has.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

from unisycl.backends.cpu.compile.target import Machine, machine
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import BuildError, errc
from unisycl.ir.nodes import Kernel

_NEEDS: dict[str, tuple[int, tuple[str, ...]]] = {
    "x86-64": (128, ()),
    "x86-64-v2": (128, ("sse4.2", "popcnt", "cx16")),
    "x86-64-v3": (256, ("avx2", "bmi2", "f16c", "fma")),
    "x86-64-v4": (512, ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")),
}


@dataclass(frozen=True, slots=True)
class Options:
    """LLVM's level, the machine compiled for, loose floats, lines in the machine code."""

    level: int
    machine: Machine
    fast: bool
    lines: bool

    def text(self) -> str:
        """Return what these options amount to, for people."""
        words = [f"LLVM level {self.level}", f"processor {self.machine.cpu}",
                 f"vectors of {self.machine.vector_bits} bits"]
        words += ["sums reordered"] * self.fast + ["lines kept"] * self.lines
        return ", ".join(words)


def of(kernel: Kernel) -> Options:
    """Return what a kernel's options ask for; ``errc.build`` for a processor this one is not."""
    words = dict(kernel.traits).get("options", ()) if kernel.traits else ()
    level, found = 2, _others[-1] if _others else machine()
    if not words:
        return Options(level, found, fast=False, lines=False)
    for word in map(str, words):
        if word.startswith("-O"):
            level = int(word[2:])
        elif word.startswith("-march="):
            found = _machine(kernel, word.partition("=")[2])
    return Options(level, found, "-ffast-math" in words, "-g" in words)


_others: list[Machine] = []


@contextlib.contextmanager
def compiling_for(other: Machine) -> Iterator[None]:
    """Make code for another machine in this block: of a process that does nothing else."""
    _others.append(other)
    try:
        yield
    finally:
        _others.pop()


def _machine(kernel: Kernel, name: str) -> Machine:
    mine = _others[-1] if _others else machine()
    if name in ("native", mine.cpu):
        return mine
    has = {f[1:] for f in mine.features.split(",") if f.startswith("+")}
    known = [n for n, (_, needs) in _NEEDS.items() if mine.triple.startswith("x86_64")
             and has.issuperset(needs)]
    if name not in known:
        raise BuildError(errc.build, f"kernel '{kernel.name}': -march={name} is nothing that this "
                         f"processor ({mine.cpu}) can run; it can run native"
                         f"{''.join(', ' + n for n in known)}")
    return dataclasses.replace(mine, cpu=name, features="", vector_bits=_NEEDS[name][0])
