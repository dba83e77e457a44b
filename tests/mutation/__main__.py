"""Mutation testing: ``python -m tests.mutation [--jobs N] [--seconds S] [--out FILE]``.

Functions of the compiler's front end, passes and IR are changed in one place at a time; each change
is tried in a forked process, in memory alone, with the tests that run its lines. What no test
notices is printed as a diff. Score: noticed out of all that were tried. The seed decides the order,
so a run with more time tries more of the same list; with ``--out`` it goes on where it ended.
Non-goals: what modules do while they are imported; tests that run programs in other processes.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("unisycl/passes", "unisycl/frontend", "unisycl/ir")
TESTS = ("tests/unit", "tests/conformance", "tests/diagnostics", "tests/property")
IGNORED = ("tests/unit/bench", "tests/unit/tools", "tests/unit/testing", "tests/unit/test_dev.py",
           "tests/unit/backends/opencl", "tests/conformance/interop")


def main() -> int:
    """Collect the tests in this process, and let the session try mutants."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation",
                                     description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--count", type=int, default=0, help="the most mutants to try; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600, help="of the whole run")
    parser.add_argument("--each", type=float, default=15, help="seconds of tests for a mutant")
    parser.add_argument("--out", type=Path, help="results as JSON, read again by a later run")
    parser.add_argument("--map", type=Path, help="the map of lines: read if there, else written")
    parser.add_argument("--places", nargs="+", default=PLACES, help="files and folders to mutate")
    parser.add_argument("--tests", nargs="+", default=TESTS)
    parser.add_argument("--again", action="store_true",
                        help="only those that survived, as --out says, which is rewritten")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ.update(UNISYCL_THREADS="2", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
                      UNISYCL_BACKENDS="cpu,host")
    sys.dont_write_bytecode = True
    random.seed(options.seed)
    from tests.mutation.session import collect  # noqa: PLC0415 - with that environment

    return collect(options, IGNORED)


if __name__ == "__main__":
    sys.exit(main())
