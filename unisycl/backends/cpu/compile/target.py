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
from unisycl.process import disk_cache

_FORMAT = "1"


@dataclass(frozen=True, slots=True)
class Machine:
    """What code generation asks about the processor."""

    triple: str
    layout: str
    cpu: str
    features: str
    vector_bits: int

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.triple, self.cpu, self.features)


def binding() -> Any:
    """Return llvmlite's binding, loaded when the first kernel is compiled and not before."""
    return importlib.import_module("llvmlite.binding")


@functools.cache
def compiler_version() -> str:
    """Return llvmlite's version, without loading LLVM."""
    return str(importlib.import_module("llvmlite").__version__)


@functools.cache
def machine() -> Machine:
    """Return the processor this process runs on; remembered on disk, since asking loads LLVM."""
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
    return Machine(llvm.get_process_triple(), str(tm.target_data), cpu, features.flatten(), wide)


@functools.cache
def threads() -> int:
    """Return the number of worker threads: as asked, or the processors this process may use."""
    asked = settings.THREADS.value()
    if asked:
        return asked
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
