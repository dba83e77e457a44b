"""``python -m tests.cuda_nothing``: what a launch on a card costs but for the driver, without one.

The backend runs over a library whose functions return at once, built by gcc; kernels are compiled
and never run. Non-goals: results. Invariant: it is a process of its own.
"""

from __future__ import annotations

import cProfile
import ctypes
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.device import cuda
from unisycl.backends.cuda import api
from unisycl.backends.cuda.discovery import library

ROUNDS, LAUNCHES = 25, 150


def source() -> str:
    """Return the library's text: what it does, and all else that the backend asks for."""
    known = Path(__file__).with_name("driver.c").read_text()
    return known + "".join(f"int {name}(void) {{ return 0; }}\n" for name in (
        dict.fromkeys((*api._FUNCTIONS, *api._QUICK))) if f"{name}," not in known
        and f"({name})" not in known)


def least(ways: dict[str, tuple[Callable[[], Any], Callable[[], Any]]], library: Any) -> None:
    """Print the least processor time of the thread that launches take: submitted, and waited for.

    Other processes disturb it less than they do the clock. By the clock is what of a launch that is
    waited for a card spends idle, before it, and what passes while the card works, behind it.
    """
    found = {name: [float("inf")] * 4 for name in ways}
    before, behind = (ctypes.c_double.in_dll(library, name) for name in (
        "before_launches", "behind_launches"))
    for _ in range(ROUNDS):
        for name, (submit, wait) in ways.items():
            for _ in range(20):
                submit()
            wait()
            begin = time.thread_time()
            for _ in range(LAUNCHES):
                submit()
            given = time.thread_time()
            wait()
            before.value = behind.value = 0
            ended = time.thread_time()
            for _ in range(LAUNCHES):
                submit()
                wait()
            each = time.thread_time() - ended
            found[name] = [*map(min, found[name], (
                (given - begin) / LAUNCHES, each / LAUNCHES,
                before.value / LAUNCHES / 1e9, behind.value / LAUNCHES / 1e9))]
    print(f"{'us a launch':32} submitted  wait each  before it  behind it")
    for name, times in found.items():
        print(f"{name:32} " + " ".join(f"{x * 1e6:9.2f} " for x in times))


def main() -> int:
    """Print what launches take; with a name of one, where its time goes."""
    with tempfile.TemporaryDirectory() as folder:
        built, text = Path(folder) / "libcuda.so.1", Path(folder) / "driver.c"
        text.write_text(source())
        subprocess.run(("gcc", "-O2", "-shared", "-fPIC", "-w", "-o", built, text), check=True)
        library.LIBRARY = str(built)
        opened = ctypes.CDLL(str(built))
        import unisycl as sycl  # noqa: PLC0415
        from unisycl.testing import find_device  # noqa: PLC0415

        ways = cuda.ways_of(sycl.queue(find_device("cuda")))
        if len(sys.argv) == 1:
            least(ways, opened)
            return 0
        submit, wait = ways[sys.argv[1]]
        for _ in range(1000):
            submit()
        wait()
        with cProfile.Profile() as profile:
            for _ in range(20000):
                submit()
            wait()
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)
    return 0


if __name__ == "__main__":
    sys.exit(main())
