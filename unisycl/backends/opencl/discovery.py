"""Which OpenCL devices there are: each runtime asked in a process of its own, answers kept.

Non-goals: loading a runtime into this process (``session``). Invariants: a runtime that crashes,
hangs or is broken is a problem with a reason and takes no other down; what is kept on disk is
asked again when a runtime, PyOpenCL or the machine's set of devices changes, and a problem after
an hour besides.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from unisycl.backends.opencl import runtimes
from unisycl.backends.opencl.traits import Traits
from unisycl.base import disk_cache

_SECONDS = 60.0
_FORMAT = "opencl-devices-3"
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
        return Found(problems={"": f"PyOpenCL {importlib.metadata.version('pyopencl')} is too old; "
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
    answers = ask_all(libraries)
    disk_cache.save(key, json.dumps({"time": time.time(), "answers": answers}).encode())
    return _read(answers)


def _state(libraries: list[Path]) -> list[str]:
    """Return what the answers depend on."""
    parts = [sys.version, str(runtimes.bindings_version())]
    for library in libraries:
        stat = library.stat()
        parts.append(f"{library} {stat.st_size} {stat.st_mtime_ns}")
    for folder in ("/dev/dri", "/proc/driver/nvidia/gpus"):
        try:
            parts.append(" ".join(sorted(p.name for p in Path(folder).iterdir())))
        except OSError:
            parts.append("")
    parts += [f"{k}={v}" for k, v in sorted(os.environ.items())
              if k.startswith(("CL_", "CUDA_VISIBLE", "POCL_DEVICES", "ONEAPI_", "NEO"))]
    return [*parts, str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0)]


def ask_all(libraries: list[Path]) -> dict[str, dict[str, object]]:
    """Ask each runtime in a process of its own, all at once."""
    started = {str(library): _start(library) for library in libraries}
    return {library: _answer(process) for library, process in started.items()}


def _start(library: Path) -> subprocess.Popen[str] | str:
    """Start asking; return the process, or why it cannot be started."""
    code = ("import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
            "from unisycl.backends.opencl import probe; probe.main(sys.argv[2])")
    command = [sys.executable, "-c", code, json.dumps(sys.path), str(library)]
    try:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
    except OSError as error:
        return f"it could not be asked: {error}"


def _answer(process: subprocess.Popen[str] | str) -> dict[str, object]:
    """Return what a runtime said, or what became of it."""
    if isinstance(process, str):
        return {"problem": process}
    try:
        out, err = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {"problem": f"it did not answer within {_SECONDS:.0f} s"}
    lines = out.strip().splitlines()
    with contextlib.suppress(IndexError, ValueError):  # what others print is no answer
        answer = json.loads(lines[-1])
        if isinstance(answer, dict) and answer.keys() & {"devices", "problem"}:
            return answer
    last = err.strip().splitlines()[-1:] or [""]
    how = f"signal {-process.returncode}" if process.returncode < 0 else (
        f"exit status {process.returncode}")
    return {"problem": f"it crashed when asked for its devices ({how}) {last[0]}".strip()}


def _read(answers: dict[str, dict[str, object]]) -> Found:
    """Return the devices of all answers, each once."""
    found, seen = Found(), set()
    for library, answer in answers.items():
        problem = answer.get("problem")
        if problem is not None:
            found.problems[library] = str(problem)
            continue
        devices: list[dict[str, object]] = answer["devices"]  # type: ignore[assignment]
        for plain in devices:
            traits = Traits.from_json(plain)
            same = (traits.platform, traits.platform_version, traits.name, traits.driver_version,
                    traits.number)
            if same not in seen:
                seen.add(same)
                found.devices.append(traits)
    return found

