"""NumPy on all processors: a ufunc on one slice of the operands per thread.

NumPy releases the GIL inside a ufunc. Non-goals: numpy itself, which is each benchmark's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench.harness import Case, Implementation, Work


def threaded(function: Callable[..., Any], work: Callable[[], Work], count: int, block: int = 0
             ) -> dict[str, Implementation]:
    """Return NumPy's implementation: ``function(part, *operands)`` works on one slice.

    Args:
        function: what computes one slice of the result.
        work: gives the operands.
        count: how many elements there are to slice.
        block: elements of a slice; 0 for one slice a thread. Blocks that fit the cache help where
            a function makes several passes.
    """
    def prepare() -> Case:
        given, workers = work(), len(os.sched_getaffinity(0))
        pool = ThreadPoolExecutor(workers)
        share = -(-count // workers)
        shares = [(t * share, min(count, (t + 1) * share)) for t in range(workers)]

        def compute(bounds: tuple[int, int]) -> None:
            step = block or share
            for first in range(*bounds, step):
                function(slice(first, min(first + step, bounds[1])), *given.args)

        def run() -> None:
            list(pool.map(compute, shares))

        return Case(run, given.result, keep=pool)
    return {"numpy": Implementation(prepare)}
