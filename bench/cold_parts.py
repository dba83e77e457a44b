"""``python -m bench.cold_parts``: where compiling a kernel of twenty lines goes, part by part.

By processor time of the thread, in a fresh process whose compiler and pool are loaded; with
``first`` they are not.
With ``sort`` it is the library's first sort of float32, many kernels. Each part is without the
parts inside it. Non-goals: comparing versions
(``bench.starts``). Invariant: the process finds an empty cache.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench import cold_kernel
from bench.fresh import ROOT

_JIT = "unisycl.backends.cpu.compile.jit"
PARTS = {
    "LLVM: parse and verify the text": (_JIT, "_parse"),
    "LLVM: optimise": (_JIT, "optimise"),
    "LLVM: make machine code": (_JIT, "_to_object"),
    "link": (_JIT, "link"),
    "load": (_JIT, "placed"),
    "cache: read": ("unisycl.process.disk_cache", "load"),
    "cache: write": ("unisycl.process.disk_cache", "save"),
    "front end: lower": ("unisycl.frontend.compiling", "compiled"),
    "front end: keep for later processes": ("unisycl.frontend.remembered", "note"),
    "front end: name it": ("unisycl.frontend.remembered", "key_of"),
    "kernel: digest": ("unisycl.ir.digest", "_spelt"),
    "lanes, costs and streams": ("unisycl.backends.cpu.making", "find_facts"),
    "shapes": ("unisycl.passes.simd.shapes", "analyse"),
    "text: write": ("unisycl.backends.cpu.making", "text_of"),
}
_LEAST = 1e-4


class Clock:
    """What each part took, without those inside it, and how often it was asked."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self.count: dict[str, int] = {}
        self._inside: list[float] = []

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is timed."""
        def timed(*given: Any, **named: Any) -> Any:
            self._inside.append(0.0)
            begin = time.thread_time()
            try:
                return function(*given, **named)
            finally:
                took = time.thread_time() - begin
                self.spent[name] = self.spent.get(name, 0.0) + took - self._inside.pop()
                self.count[name] = self.count.get(name, 0) + 1
                if self._inside:
                    self._inside[-1] += took
        return timed


def _watch(clock: Clock) -> None:
    """Time the parts, and each pass."""
    for name, (module, function) in PARTS.items():
        found = importlib.import_module(module)
        setattr(found, function, clock.around(name, getattr(found, function)))
    digest = importlib.import_module("unisycl.ir.digest")
    digest._known._find = digest._spelt
    pipeline = importlib.import_module("unisycl.passes.pipeline")
    seen: set[int] = set()
    for stages in pipeline.TARGETS.values():
        for one in (one for passes in stages.values() for one in passes):
            if id(one) not in seen:
                seen.add(id(one))
                object.__setattr__(one, "run", clock.around(f"pass {one.name}", one.run))


def measured(*, first: bool, sort: bool) -> None:
    """Compile in this process and print the table."""
    import unisycl as sycl  # noqa: PLC0415 - its cache was named by the parent
    from unisycl.oneapi import dpl  # noqa: PLC0415
    queue = sycl.queue(sycl.cpu_selector_v)
    keys = np.random.default_rng(0).random(1 << 20).astype(np.float32)
    height, water, out = np.ones((3, 64, 64), np.float32)
    if not first:
        for array in (out, np.ones((1024, 1024), np.float32)):
            queue.parallel_for(sycl.range(*array.shape), cold_kernel.before, array).wait()
    clock = Clock()
    _watch(clock)
    begin = time.thread_time()
    if sort:
        dpl.sort(queue, keys)
    else:
        queue.parallel_for(sycl.range(64, 64), cold_kernel.relax, height, water, out)
    whole = time.thread_time() - begin
    queue.wait()
    print(f"{'ms of a compilation':40}{whole * 1e3:8.1f}   calls")
    for name, spent in sorted(clock.spent.items(), key=lambda item: -item[1]):
        if spent > _LEAST:
            print(f"  {name:38}{spent * 1e3:8.1f}{clock.count[name]:8}")
    print(f"  {'all else':38}{(whole - sum(clock.spent.values())) * 1e3:8.1f}")


def main() -> None:
    """Run the measurement in a process of its own, with an empty cache."""
    if "here" in sys.argv:
        measured(first="first" in sys.argv, sort="sort" in sys.argv)
        return
    with tempfile.TemporaryDirectory(prefix="unisycl-bench-") as folder:
        subprocess.run([sys.executable, "-m", "bench.cold_parts", "here", *sys.argv[1:]],
                       env={**os.environ, "UNISYCL_CACHE": folder}, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
