"""What the programs share that compute one thing in several ways: run, time, check against NumPy.

Non-goals: kernels; those are in the examples. Invariant: a result that is further from NumPy's than
its bound makes the program end with exit code 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

import unisycl as sycl
from unisycl.examples.program import fail, make_queue, twice

_T = TypeVar("_T")


def rounded_up(size: int, step: int) -> int:
    """Return the least multiple of ``step`` that is not below ``size``.

    A work-group size must divide the global size (``errc.nd_range`` otherwise), so a launch over n
    items in groups covers ``rounded_up(n, group)`` and the kernel guards what it loads and stores.
    """
    return -(-size // step) * step


def command_line(name: str, text: str) -> argparse.ArgumentParser:
    """Return the parser of an example, with ``--device``."""
    parser = argparse.ArgumentParser(prog=f"python -m unisycl.examples.{name}", description=text)
    parser.add_argument("--device", default="default", help="cpu, host, default, ...")
    return parser


def at_least(least: int, **values: int) -> None:
    """End the program with one line if an option is too small."""
    for option, value in values.items():
        if value < least:
            fail(f"--{option} must be at least {least}, got {value}")


def power_of_two(**values: int) -> None:
    """End the program with one line if an option is no power of two."""
    for option, value in values.items():
        if value < 1 or value & (value - 1):
            fail(f"--{option} must be a power of two, got {value}")


def pick_size(queue: sycl.queue, asked: int | None, usual: int, in_python: int) -> int:
    """Return the size asked for, else the usual one, smaller where CPython runs the kernels."""
    if asked is not None:
        return asked
    return in_python if queue.get_device().has(sycl.aspect.host_debuggable) else usual


class Comparison:
    """Runs the forms of one computation on one device and prints how they did.

    Args:
        device: the name given as ``--device``.
    """

    def __init__(self, device: str) -> None:
        self.queue = make_queue(device)
        self.wrong: list[str] = []

    def introduce(self, text: str) -> None:
        """Print the device and what is computed."""
        device = self.queue.get_device()
        print(f"device: {device.get_info(sycl.info.device.name)} [{device.get_backend().name}]")
        print(text)

    def run(self, form: str, work: Callable[[], _T], expected: Any, bound: float = 0.0) -> _T:
        """Run a form, warm unless that is slow, and print its time and its distance from NumPy.

        Args:
            form: the name to print.
            work: computes it.
            expected: what it should give.
            bound: how far from that each element may be.
        """
        result, times = twice(work)
        self.row(form, times[-1], result, expected, bound)
        return result

    def row(self, form: str, spent: float, result: Any, expected: Any, bound: float = 0.0) -> None:
        """Print the line of a form that took ``spent`` milliseconds."""
        gap = distance(result, expected)
        text = "exact" if gap == 0 else f"within {gap:.3g}"
        if not gap <= bound:
            self.wrong.append(form)
            text = f"WRONG by {gap:.3g}, allowed {bound:.3g}"
        print(f"  {form:40}{spent:10.3f} ms   {text}")

    def finish(self) -> int:
        """Return the exit code."""
        print("all equal to NumPy" if not self.wrong else f"wrong: {', '.join(self.wrong)}")
        return 1 if self.wrong else 0


def distance(ours: Any, theirs: Any) -> float:
    """Return the greatest difference of two arrays, infinite if their shapes differ."""
    one, other = np.asarray(ours), np.asarray(theirs)
    if one.shape != other.shape:
        return float("inf")
    wide = np.result_type(one, other, np.int64 if one.dtype.kind in "iu" else np.float64)
    return float(np.max(np.abs(one.astype(wide) - other.astype(wide)), initial=0))
