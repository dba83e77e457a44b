"""The machine kernels are compiled for, and how many lanes a kernel gets on it.

Non-goals: code. Invariant: the choice of lanes depends on the kernel, the machine and the local
size only, so it is part of no run-time decision.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib
import json
import os
import platform
from pathlib import Path
from typing import Any

from unisycl.base import settings
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import UnsupportedError, errc
from unisycl.process import disk_cache, packages

_FORMAT = "2"
_AVX2 = 256
_GATHERS = "+fast-gather"
"""Has LLVM use gathers of AVX2, which it leaves to Intel's processors: elsewhere it makes a branch
for each lane of a mask (decision 0230)."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What code generation asks about the processor."""

    triple: str
    layout: str
    cpu: str
    features: str
    vector_bits: int

    @property
    def fuses(self) -> bool:
        """Say whether the processor adds to a product and rounds once."""
        return not self.triple.startswith("x86_64") or "+fma" in self.features.split(",") \
            or "fma" in _needs(self.cpu)

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.triple, self.cpu, self.features)


LEVELS: dict[str, tuple[int, frozenset[str]]] = {
    "x86-64": (128, frozenset()),
    "x86-64-v2": (128, frozenset(["cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"])),
    "x86-64-v3": (256, frozenset([
        "abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"])),
    "x86-64-v4": (512, frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])),
}
"""Levels of x86-64, each above those before it: bits of vectors, the words of Linux for it."""


def binding() -> Any:
    """Return llvmlite's binding, loaded when the first kernel is compiled and not before."""
    try:
        return importlib.import_module("llvmlite.binding")
    except ImportError as error:
        raise UnsupportedError(
            errc.feature_not_supported, "this has to be compiled for the CPU, which needs "
            "llvmlite: pip install llvmlite. Without it run only kernels that a package brings "
            "(python -m unisycl build), in the forms it declares, on processors it is built for; "
            f"this one is {' '.join(levels()) or platform.machine()}") from error


@functools.cache
def compiler_version() -> str:
    """Return llvmlite's version, without loading LLVM; '' where it is not installed."""
    try:
        return str(importlib.import_module("llvmlite").__version__)
    except ImportError:
        return ""


def _needs(level: str) -> frozenset[str]:
    """Return what processors of a level have, whatever they have it from; nothing for others."""
    names = list(LEVELS)
    upto = names[:names.index(level) + 1] if level in LEVELS else []
    return frozenset().union(*(LEVELS[name][1] for name in upto))


@functools.cache
def levels() -> tuple[str, ...]:
    """Return the levels of x86-64 that this processor has, the highest first."""
    flags: set[str] = set()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines():
            if line.startswith("flags"):
                flags.update(line.partition(":")[2].split())
    found: list[str] = []
    if platform.machine() == "x86_64":
        for name, (_, needs) in LEVELS.items():
            if not needs <= flags:
                break
            found.insert(0, name)
    return tuple(found)


def of_level(name: str, triple: str, layout: str) -> Machine:
    """Return the machine that all processors of a level are."""
    bits = LEVELS[name][0]
    return Machine(triple, layout, name, _GATHERS if bits == _AVX2 else "", bits)


@functools.cache
def machine() -> Machine:
    """Return the processor this process runs on; remembered on disk, since asking loads LLVM.

    Where there is no LLVM, it is the level that installed packages bring code for.
    """
    if not compiler_version():
        known = packages.brings("cpu")
        if known and levels():
            return of_level(levels()[0], *known[0])
    key = disk_cache.key_of("machine", _FORMAT, compiler_version(), _processor())
    kept = disk_cache.load(key)
    if kept is not None:
        with contextlib.suppress(ValueError, TypeError):
            return Machine(**json.loads(kept))
    found = _ask_llvm()
    disk_cache.save(key, json.dumps(dataclasses.asdict(found)).encode())
    return found


def _processor() -> str:
    """Return what tells this processor from another one."""
    names = ("model name", "flags", "CPU part", "CPU implementer", "Features", "stepping")
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
        return platform.machine() + "".join(x for x in lines if x.startswith(names))
    return platform.processor() + platform.platform()


def _ask_llvm() -> Machine:
    llvm = binding()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    cpu = llvm.get_host_cpu_name()
    target = llvm.Target.from_default_triple()
    tm = target.create_target_machine(cpu=cpu, features=features.flatten(), opt=3)
    wide = 512 if features.get("avx512f") and features.get("avx512dq") else \
        256 if features.get("avx2") else 128
    told = features.flatten()
    return Machine(llvm.get_process_triple(), str(tm.target_data), cpu,
                   f"{told},{_GATHERS}" if wide == _AVX2 else told, wide)


@functools.cache
def threads() -> int:
    """Return the number of worker threads: as asked, or the processors this process may use."""
    asked = settings.THREADS.value()
    if asked:
        return asked
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
