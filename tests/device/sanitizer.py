"""``python -m tests.device.sanitizer``: NVIDIA's checker of memory and order over some tests.

::

    pip install nvidia-cuda-sanitizer-api     (or a toolkit, whose compute-sanitizer is on PATH)
    python -m tests.device.sanitizer [--tools memcheck,racecheck,initcheck,synccheck] [PYTEST ...]

Each tool runs one pytest over a few conformance tests, without those that plant defects. Printed is
each tool's last lines; the status is the number of tools that found something. Some machines refuse
the checker the device, which it says. Non-goals: checks of unisycl's own (``debug``). Invariant: a
tool that did not start counts as one that found something.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SAMPLE = ("tests/conformance/accessor", "tests/conformance/atomic_ref", "tests/conformance/graph",
          "tests/conformance/group", "tests/conformance/local_accessor",
          "tests/conformance/reduction", "tests/conformance/usm")
PLANTED = "not planted and not race and not beyond and not outside and not unwritten"
FOUND = 86
"""The status that the checker gives where it found something."""


def tool() -> str | None:
    """Return where the checker is: on PATH, in a toolkit, or in a wheel."""
    known = shutil.which("compute-sanitizer")
    if known is not None:
        return known
    places = [Path("/usr/local/cuda/bin")]
    found = importlib.util.find_spec("nvidia")
    for folder in (found.submodule_search_locations or ()) if found is not None else ():
        places += sorted(Path(folder).glob("*/bin"), reverse=True)
    return next((str(p / "compute-sanitizer") for p in places
                 if (p / "compute-sanitizer").exists()), None)


def command(path: str, name: str, device: str, log: str, more: list[str]) -> list[str]:
    """Return what runs a sample by one of the checker's tools, which writes what it finds."""
    tests = [x for x in more if not x.startswith("-")] or list(SAMPLE)
    words = [x for x in more if x.startswith("-")]
    return [path, "--tool", name, "--error-exitcode", str(FOUND),
            "--target-processes", "all", "--print-limit", "20", "--log-file", log,
            sys.executable, "-m", "pytest", "-q", "--tb=line", "--sample", "--device", device,
            "-p", "no:cacheprovider", "-k", PLANTED, *words, *tests]


def main() -> int:
    """Run each tool; return how many found something."""
    parser = argparse.ArgumentParser(prog="tests.device.sanitizer", description=__doc__)
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=560, help="for all of it")
    options, more = parser.parse_known_args()
    path = tool()
    if path is None:
        print("there is no compute-sanitizer: pip install nvidia-cuda-sanitizer-api")
        return len(options.tools.split(","))
    stop, bad = time.monotonic() + options.seconds, 0
    env = {**os.environ, "UNISYCL_BACKENDS": "cuda,cpu,host"}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.tools.split(","):
            log = Path(folder) / f"{name}.log"
            try:
                done = subprocess.run(command(path, name, options.device, str(log), more), cwd=ROOT,
                                      env=env, text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, check=False,
                                      timeout=max(1.0, stop - time.monotonic()))
                status, text = done.returncode, done.stdout
            except subprocess.TimeoutExpired as late:
                status, text = 124, (late.stdout or b"").decode(errors="replace")
            bad += status != 0
            found = log.read_text(errors="replace").strip() if log.exists() else ""
            if status:
                print(f"{text[:2000]}\n...\n{text[-2000:]}\n{found[:6000]}")
            last = [x for part in (text, found) for x in part.strip().splitlines()[-1:]]
            print(f"{name}: status {status}: {' | '.join(last)}", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
