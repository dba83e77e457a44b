"""Sorting beside ``std::sort(std::execution::par)`` of C++ on oneTBB, and NumPy's.

    python -m bench.sort_tbb [--log2 25] [--rounds 3] [--include FOLDER] [--lib FOLDER]

Needs g++ and oneTBB with its headers (the package tbb-devel puts them below ``sys.prefix``).
Printed are the least times of the rounds, interleaved, and the processors' time. Non-goals: other
algorithms (``bench.algorithms``).
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi import dpl

SOURCE = Path(__file__).with_name("sort_tbb.cpp")
KINDS = (np.dtype(np.uint32), np.dtype(np.int64), np.dtype(np.float32))


def built(include: Path, lib: Path) -> Any:
    """Return the C++ sorts, built and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "sort.so"
        libraries = sorted(lib.glob("libtbb.so*"))
        if not libraries:
            sys.exit(f"there is no libtbb.so in {lib}")
        subprocess.run(("g++", "-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-o", out,
                        SOURCE, f"-I{include}", libraries[-1], f"-Wl,-rpath,{lib}"), check=True)
        return ctypes.CDLL(str(out))


def main() -> None:
    """Print a line for each type."""
    parser = argparse.ArgumentParser(prog="python -m bench.sort_tbb")
    parser.add_argument("--log2", type=int, default=25, help="how many keys, as a power of two")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--include", type=Path, default=Path(sys.prefix) / "include")
    parser.add_argument("--lib", type=Path, default=Path(sys.prefix) / "lib")
    asked = parser.parse_args()
    cpp, q, n = built(asked.include, asked.lib), sycl.queue("cpu"), 1 << asked.log2
    print(f"{n} keys; ms, and ms of all processors\n{'':10}{'ours':>18}{'std::sort(par)':>18}"
          f"{'NumPy':>18}")
    for kind in KINDS:
        source = np.random.default_rng(1).integers(0, 1 << 32, n).astype(kind)
        if kind.kind == "f":
            source = np.random.default_rng(1).standard_normal(n, np.float32)
        x, expected = source.copy(), np.sort(source)
        ways: dict[str, Callable[[], Any]] = {
            "ours": functools.partial(dpl.sort, q, x),
            "C++": functools.partial(getattr(cpp, f"sort_{kind}"), ctypes.c_void_p(x.ctypes.data),
                                     ctypes.c_long(n)),
            "NumPy": x.sort}
        least = dict.fromkeys(ways, (1e9, 1e9))
        for _ in range(asked.rounds):
            for name, run in ways.items():
                x[:] = source
                begin = time.perf_counter(), time.process_time()
                run()
                spent = time.perf_counter() - begin[0], time.process_time() - begin[1]
                least[name] = min(least[name][0], spent[0]), min(least[name][1], spent[1])
                assert np.array_equal(x, expected), name
        print(f"{kind!s:10}" + "".join(f"{1e3 * a:9.1f}{1e3 * b:9.1f}" for a, b in least.values()),
              flush=True)


if __name__ == "__main__":
    main()
