"""Random numbers beside MKL's and NumPy's: philox, float32, uniform and Gaussian.

    python -m bench.random_mkl [--log2 25] [--rounds 5] [--cores 1,2]

Needs the package mkl. Streams are compared first (``tests/conformance/oneapi/test_rng_mkl.py``
compares more of them). MKL fills memory in one thread; on several processors each thread has a part
of the memory and a stream that was skipped to it, and NumPy's each a generator of its own. Printed
are the least times of the rounds, interleaved. Non-goals: other engines.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.library import of_wheel
from unisycl.oneapi.mkl import rng

_PHILOX = 16 << 20  # VSL_BRNG_PHILOX4X32X10
_SEED = 2026
Run = Callable[[], Any]


def library() -> Any:
    """Return MKL, one thread of it."""
    found = [p for p in of_wheel("mkl", "libmkl_rt.so") if p.exists()]
    if not found:
        sys.exit("the package mkl is not installed")
    loaded = ctypes.CDLL(str(found[0]))
    loaded.MKL_Set_Threading_Layer(1)  # sequential
    return loaded


class Stream:
    """MKL's philox from a position on."""

    def __init__(self, mkl: Any, first: int) -> None:
        self.mkl, self.place = mkl, ctypes.c_void_p()
        assert mkl.vslNewStream(ctypes.byref(self.place), _PHILOX, ctypes.c_uint(_SEED)) == 0
        assert mkl.vslSkipAheadStream(self.place, ctypes.c_longlong(first)) == 0

    def fill(self, call: str, method: int, out: Any, a: float, b: float) -> None:
        """Fill memory with numbers of a distribution of two parameters."""
        assert getattr(self.mkl, call)(method, self.place, out.size, ctypes.c_void_p(
            out.ctypes.data), ctypes.c_float(a), ctypes.c_float(b)) == 0

    def words(self, count: int) -> Any:
        """Return numbers of the engine itself."""
        out = np.zeros(count, np.uint32)
        assert self.mkl.viRngUniformBits(0, self.place, count, ctypes.c_void_p(
            out.ctypes.data)) == 0
        return out


def parts(out: Any, cores: int) -> list[Any]:
    """Return memory in as many parts, of which all but the last are a multiple of 4 long."""
    size = -(-out.size // (4 * cores)) * 4
    return [out[k * size:(k + 1) * size] for k in range(cores)]


def check(mkl: Any, queue: sycl.queue) -> None:
    """Compare the streams themselves."""
    mine = np.zeros(10_000, np.uint32)
    rng.generate(rng.bits(), rng.philox4x32x10(queue, _SEED), mine)
    assert np.array_equal(Stream(mkl, 0).words(mine.size), mine), "the streams differ"


def runs(mkl: Any, queue: sycl.queue, n: int, cores: int) -> dict[str, dict[str, Run]]:
    """Return what fills memory, by distribution and by who does it."""
    out = np.zeros(n, np.float32)
    engine, pool = rng.philox4x32x10(queue, _SEED), ThreadPoolExecutor(cores)
    pieces = parts(out, cores)
    streams = [Stream(mkl, k * pieces[0].size) for k in range(cores)]
    others = [np.random.Generator(np.random.Philox(k)) for k in range(cores)]

    def ours(law: Any) -> Run:
        return lambda: rng.generate(law, engine, out)

    def mkls(*how: Any) -> Run:
        call, method, a, b = how
        return lambda: list(pool.map(lambda s, p: s.fill(call, method, p, a, b), streams, pieces))

    def numpys(name: str) -> Run:
        return lambda: list(pool.map(lambda g, p: getattr(g, name)(p.size, np.float32, p),
                                     others, pieces))

    gaussian = "vsRngGaussian"
    return {
        "uniform": {"ours": ours(rng.uniform()), "MKL": mkls("vsRngUniform", 0, 0.0, 1.0),
                    "NumPy": numpys("random")},
        "gaussian, box_muller2": {"ours": ours(rng.gaussian()),
                                  "MKL": mkls(gaussian, 1, 0.0, 1.0),
                                  "NumPy": numpys("standard_normal")},
        "gaussian, icdf": {"ours": ours(rng.gaussian(method="icdf")),
                           "MKL": mkls(gaussian, 2, 0.0, 1.0),
                           "NumPy": numpys("standard_normal")},
        "a fill": {"ours": lambda: queue.fill(out, np.float32(1), n).wait(),
                   "NumPy": lambda: out.fill(1)},
    }


def measure(found: dict[str, dict[str, Run]], rounds: int) -> None:
    """Print a line for each distribution."""
    print(f"{'ms':24}" + "".join(f"{x:>9}" for x in ("ours", "MKL", "NumPy", "MKL by",
                                                     "NumPy by")), flush=True)
    for name, ways in found.items():
        least = dict.fromkeys(ways, 1e9)
        for turn in range(rounds + 1):
            for who, run in ways.items():
                begin = time.perf_counter()
                run()
                if turn:
                    least[who] = min(least[who], time.perf_counter() - begin)
        cells = [f"{1e3 * least[w]:9.2f}" if w in least else f"{'':9}"
                 for w in ("ours", "MKL", "NumPy")]
        ratios = [f"{least[w] / least['ours']:9.2f}" if w in least else f"{'':9}"
                  for w in ("MKL", "NumPy")]
        print(f"{name:24}" + "".join(cells + ratios), flush=True)


def main() -> None:
    """Measure on so many processors; each number of them in a process of its own."""
    parser = argparse.ArgumentParser(prog="python -m bench.random_mkl")
    parser.add_argument("--log2", type=int, default=25, help="how many numbers, as a power of two")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cores", default="1,2", help="how many processors, one or more numbers")
    asked = parser.parse_args()
    counts = [int(c) for c in asked.cores.split(",")]
    if len(counts) > 1:
        for count in counts:
            subprocess.run((sys.executable, "-m", "bench.random_mkl", "--log2", str(asked.log2),
                            "--rounds", str(asked.rounds), "--cores", str(count)), check=True)
        return
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:counts[0]]))
    mkl, queue = library(), sycl.queue("cpu")
    check(mkl, queue)
    print(f"2**{asked.log2} float32 on {counts[0]} of {os.cpu_count()} processors")
    measure(runs(mkl, queue, 1 << asked.log2, counts[0]), asked.rounds)


if __name__ == "__main__":
    main()
