"""Which OpenCL devices there are: each runtime asked in a process of its own, answers kept.

Non-goals: loading a runtime into this process (``session``), how one is asked (``asking``).
Invariants: a runtime that crashes, hangs, is broken or compiles nothing is a problem with a reason
and takes no other down; what is kept on disk is asked again when a runtime, PyOpenCL, the processor
or the machine's set of devices changes, and a problem after an hour besides.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from unisycl.backends.opencl.discovery import asking, runtimes
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.process import disk_cache, machine

_FORMAT = "opencl-devices-5"
_PROBLEM_SECONDS = 3600.0


@dataclass(slots=True)
class Found:
    """The devices, and why a runtime that is installed has none; by library."""

    devices: list[Traits] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)


def discover() -> Found:
    """Return the devices of all runtimes; quick when nothing has changed since the last time."""
    if not runtimes.has_python_bindings():
        return Found(problems={"": "PyOpenCL is not installed; pip install 'unisycl[opencl]'"})
    if runtimes.bindings_version() < runtimes.OLDEST:
        oldest = ".".join(map(str, runtimes.OLDEST))
        return Found(problems={"": f"PyOpenCL {runtimes.bindings_text()} is too old; "
                               f"pip install -U 'pyopencl>={oldest}'"})
    libraries = runtimes.libraries()
    if not libraries:
        return Found(problems={"": runtimes.why_none()})
    key = disk_cache.key_of(_FORMAT, *_state(libraries))
    kept = disk_cache.load(key)
    if kept is not None:
        entry = json.loads(kept)
        found = _read(entry["answers"])
        if not found.problems or 0 <= time.time() - entry["time"] < _PROBLEM_SECONDS:
            return found
    answers = asking.ask_all(libraries)
    disk_cache.save(key, json.dumps({"time": time.time(), "answers": answers}).encode())
    return _read(answers)


def _state(libraries: list[Path]) -> list[str]:
    """Return what the answers depend on."""
    parts = [sys.version, str(runtimes.bindings_version()), machine.processor()]
    for library in libraries:
        stat = library.stat()
        parts.append(f"{library} {stat.st_size} {stat.st_mtime_ns}")
    for folder in ("/dev/dri", "/proc/driver/nvidia/gpus"):
        try:
            parts.append(" ".join(sorted(p.name for p in Path(folder).iterdir())))
        except OSError:
            parts.append("")
    parts += [f"{k}={v}" for k, v in sorted(os.environ.items())
              if k.startswith(("CL_", "CUDA_VISIBLE", "POCL_", "ONEAPI_", "NEO", "LD_LIBRARY"))]
    return [*parts, str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0)]


def _read(answers: dict[str, asking.Answer]) -> Found:
    """Return the devices of all answers, each once."""
    found, seen = Found(), set()
    for library, answer in answers.items():
        problem = answer.get("problem")
        if problem is not None:
            found.problems[library] = str(problem)
        for plain in answer.get("devices", ()):
            traits = Traits.from_json(plain)
            same = (traits.platform, traits.platform_version, traits.name, traits.driver_version,
                    traits.number)
            if same not in seen:
                seen.add(same)
                found.devices.append(traits)
    return found

