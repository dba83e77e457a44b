"""What ``import unisycl`` costs beyond NumPy's import."""

from __future__ import annotations

from bench.fresh import seconds_of
from bench.harness import OURS, Benchmark, Case, Implementation

PROGRAM = """
import time, {first}
begin = time.perf_counter()
import {second}
{then}
print(time.perf_counter() - begin)
"""


def _case(first: str, second: str, then: str = "") -> Case:
    program = PROGRAM.format(first=first, second=second, then=then)
    return Case(lambda: seconds_of("-c", program))


BENCHMARK = Benchmark(
    title="import in a fresh process; unisycl's and Numba's beyond NumPy's own",
    implementations={
        OURS: Implementation(lambda: _case("numpy", "unisycl")),
        "unisycl-and-a-queue": Implementation(
            lambda: _case("numpy", "unisycl", "unisycl.queue()")),
        "numpy": Implementation(lambda: _case("sys", "numpy")),
        "numba": Implementation(lambda: _case("numpy", "numba"), ("numba",)),
    },
    bars={OURS: 0.1},
    single=True,
)
