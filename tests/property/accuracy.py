"""The largest errors of mathematical functions: ``python -m tests.property.accuracy``.

``--count N`` operands for each function and type (float64, judged in 200 bits, gets a hundredth),
``--device NAME``, names of functions; ``--docs`` writes docs/builtins.md with what was measured,
for the functions named or for all.
Non-goals: pinned special values, which tests/conformance/language has.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import unisycl as sycl
from tests.conformance.language.arithmetic import edges, make
from tests.property import accuracy_page, reference
from unisycl.ir.builtins import BUILTINS, Builtin
from unisycl.testing.devices import device_names, find_device

TYPES = ("float16", "float32", "float64")
BATCH = 1 << 16
# Where a function is defined and does more than overflow; others take all numbers.
DOMAIN = {
    "acos": (-1, 1), "asin": (-1, 1), "acospi": (-1, 1), "asinpi": (-1, 1), "atanh": (-1, 1),
    "acosh": (1, np.inf), "log": (0, np.inf), "log2": (0, np.inf), "log10": (0, np.inf),
    "log1p": (-1, np.inf), "sqrt": (0, np.inf), "rsqrt": (0, np.inf), "pow": (0, np.inf),
    "powr": (0, np.inf), "rootn": (0, np.inf)}
# Multiples of these are where a function's digits cancel, or its parts meet.
KNOTS = {"sin": np.pi / 4, "cos": np.pi / 4, "tan": np.pi / 4, "sinpi": 0.25, "cospi": 0.25,
         "tanpi": 0.25, "tgamma": 0.5, "lgamma": 0.5}


def measured() -> list[Builtin]:
    """Return the rows whose error is measured, in the table's order."""
    return [row for row in BUILTINS.values() if row.name in reference.NAMES or (
        row.section == "4.17.6")]


def types_of(row: Builtin) -> tuple[str, ...]:
    """Return the types a row is measured in."""
    return ("float32",) if "s" in row.operands else TYPES


def _one(row: Builtin, kind: np.dtype[Any], size: int, rng: np.random.Generator,
         part: int) -> np.ndarray:
    """Return operands of one way of choosing them."""
    stem = row.name.rpartition("_")[2]
    low, high = DOMAIN.get(stem, (-np.inf, np.inf))
    match part % 5:
        case 0:
            bits = {2: np.uint16, 4: np.uint32, 8: np.uint64}[kind.itemsize]
            x = rng.integers(0, np.iinfo(bits).max, size, bits, endpoint=True).view(kind)
        case 1:
            x = rng.uniform(max(low, -20), min(high, 20), size).astype(kind)
        case 2:
            x = (rng.choice([-1, 1], size) * np.exp2(rng.uniform(-8, 8, size))).astype(kind)
        case 3:  # next to 1 and to the ends of the domain
            steps = rng.integers(-2000, 2000, size) * np.finfo(kind).eps
            x = (rng.choice([1, -1, 0.5, 0.75, 1.5], size) + steps).astype(kind)
        case _:  # next to the knots
            knot = KNOTS.get(stem, 0.25) * rng.integers(-400, 400, size)
            x = (knot * (1 + rng.integers(-3, 4, size) * np.finfo(kind).eps)).astype(kind)
    if stem in ("pow", "powr", "rootn"):
        x = np.abs(x)
    if row.bound.high < np.inf:
        with np.errstate(invalid="ignore"):
            x = np.where(np.abs(x) <= row.bound.high, x, kind.type(1))
    return x


def operands(row: Builtin, kind: np.dtype[Any], size: int, rng: np.random.Generator,
             part: int) -> list[np.ndarray]:
    """Return operands for one batch."""
    if kind.itemsize == 2 and row.operands == "f":  # all of them, or evenly fewer
        step = max(1, (1 << 16) // size) | 1
        return [np.arange(0, 1 << 16, 1 if step < 4 else step, np.uint16).view(np.float16)]
    found = [_one(row, kind, size, rng, part + (0 if k == 0 else part // 5))
             for k in range(row.arity)]
    if row.operands[-1] == "k":
        width = 40 if part % 2 else 2000
        found[-1] = rng.integers(-width, width, size).astype(np.int32)
        found[-1][found[-1] == 0] = 3
    if row.name in ("pow", "powr", "half_powr", "native_powr"):  # exponents that do not overflow
        with np.errstate(all="ignore"):
            limit = np.finfo(kind).maxexp / np.abs(np.log2(found[0].astype(np.float64)))
            scaled = (rng.uniform(-1.05, 1.05, size) * limit).astype(kind)
        found[1] = np.where(np.isfinite(scaled), scaled, kind.type(2))
    return found


def calculate(queue: Any, row: Builtin, xs: list[np.ndarray], kind: np.dtype[Any]) -> np.ndarray:
    """Return a function of arrays, computed by a kernel."""
    out = np.zeros(len(xs[0]), kind)
    names = {f"x{k}": x for k, x in enumerate(xs)}
    called = row.name.replace("native_", "native.").replace("half_", "half_precision.")
    given = ", ".join(f"{k}[i]" for k in names)
    kernel = make(f"def kernel(i):\n    out[i] = sycl.{called}({given})", out=out, sycl=sycl,
                  **names)
    queue.parallel_for(len(out), kernel).wait()
    return out


def defined(row: Builtin, xs: list[np.ndarray]) -> np.ndarray:
    """Say for which operands the bound holds."""
    good = np.ones(len(xs[0]), bool)
    if row.section == "4.17.6":  # rough functions promise nothing at the edges
        for x in xs:
            size = np.abs(x)
            good &= (size >= 2.0 ** -100) & (size <= min(row.bound.high, 2.0 ** 100))
    return good


def batches(row: Builtin, type: str, count: int, size: int) -> Iterator[list[np.ndarray]]:
    """Yield operands: the edges first, then as many as asked for."""
    kind = np.dtype(type)
    rng = np.random.default_rng(sum(row.name.encode()))
    ks = np.array([1, -1, 2, -2, 3, -3, 5, 17, 1 << 20, -(1 << 31)], np.int32)
    grid = np.meshgrid(*[ks if letter == "k" else edges(type) for letter in row.operands])
    yield [g.ravel() for g in grid]
    exhaustive = kind.itemsize == 2 and row.operands == "f"
    for part in range(1 if exhaustive else -(-count // size)):
        yield operands(row, kind, size, rng, part)


def worst(queue: Any, row: Builtin, type: str, count: int,
          size: int = BATCH) -> tuple[float, tuple[Any, ...], Any]:
    """Return the largest error in units in the last place, with its operands and result."""
    kind = np.dtype(type)
    found: tuple[float, tuple[Any, ...], Any] = (0.0, (), None)
    for xs in batches(row, type, count, min(size, count)):
        results = calculate(queue, row, xs, kind)
        with np.errstate(all="ignore"):
            errors = np.where(defined(row, xs), reference.errors(row.name, xs, results), 0)
        at = int(np.argmax(errors))
        if errors[at] > found[0]:
            found = float(errors[at]), tuple(x[at].item() for x in xs), results[at].item()
    return found


def main() -> int:
    """Measure, print, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--device", default="cpu", choices=device_names())
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    queue = sycl.queue(find_device(options.device))
    found: dict[tuple[str, str], float] = {}
    beyond = 0
    for row in measured():
        if options.names and row.name not in options.names:
            continue
        for type in types_of(row):
            if type not in options.types.split(","):
                continue
            count = max(1000, options.count // (100 if type == "float64" else 1))
            error, at, result = worst(queue, row, type, count)
            found[row.name, type] = error
            bound = row.bound.ulp(8 * np.dtype(type).itemsize)
            over = error > max(bound, 0.5)
            beyond += over
            print(f"{row.name:12} {type} {error:10.3f} of {bound:g}{'  BEYOND' if over else ''}"
                  f"   at {at} -> {result}", flush=True)
    if options.docs:
        page = accuracy_page.PAGE.read_text(encoding="utf-8")
        counts = options.count, max(1000, options.count // 100)
        if options.names:  # the others stay as they were measured
            found, counts = accuracy_page.measured(page) | found, accuracy_page.counts(page)
        accuracy_page.write(found, *counts)
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
