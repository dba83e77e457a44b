"""Many ranks of few processors: ``python -m tests.ranks.many --ranks 64``.

Threads of one process are the ranks; most have a row or none. All find the bits that one rank does;
of conjugate gradient, whose sums depend on the number of ranks, all find the same bits.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import unisycl as sycl
from tests.ranks import programs
from unisycl.oneapi import ccl

PROGRAMS = (programs.heat, programs.matmul, programs.nbody, programs.flow)


def main() -> None:
    """Run each program by one rank and by many."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()

    def run(program) -> np.ndarray:
        return program(sycl.ext.unisycl.distr_queue(options.device))
    for program in PROGRAMS:
        one, begin = run(program), time.monotonic()
        for found in ccl.run_threads(options.ranks, lambda c, p=program: run(p), limit=600):
            np.testing.assert_array_equal(found, one)
        tell(program, options.ranks, begin)
    one, begin = run(programs.conjugate_gradient), time.monotonic()
    every = ccl.run_threads(options.ranks, lambda c: run(programs.conjugate_gradient), limit=600)
    for found in every:
        np.testing.assert_array_equal(found, every[0])
        np.testing.assert_allclose(found, one, rtol=1e-9)
    tell(programs.conjugate_gradient, options.ranks, begin)


def tell(program, ranks: int, begin: float) -> None:
    """Print that a program was right, and what it took."""
    print(f"{program.__name__}: {ranks} ranks find what one does, in "
          f"{time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()
