"""BLAS by our own kernels, for devices that no library serves.

Non-goals: special matrices, which libraries have. Invariant: sums are added in an order that
depends on sizes alone, so results are the same in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Record
from unisycl.oneapi.mkl import names, tiles
from unisycl.oneapi.mkl.blas import table
from unisycl.oneapi.mkl.blas.arguments import HALVES, LETTERS, REAL, TYPES, Given
from unisycl.oneapi.mkl.kernels import products

_PARTS = 256
Launch = Callable[[Call, Given, bool], None]


def _numbers(given: Given) -> Any:
    kind = TYPES[given.letter].type
    written = given.named["c"].memory.dtype.type if "c" in given.named else kind
    return products.numbers(kind(given.named.get("alpha", 1)), kind(given.named.get("beta", 0)),
                            kind(0), kind, written)


def _grid(given: Given, name: str, rows_lie: bool, option: str = "") -> Record:
    """Return a matrix as kernels read it; the option says whether it is turned."""
    ld = given.named[f"ld{name}"]
    down, along = (ld, 1) if rows_lie else (1, ld)
    turned = given.named.get(option, names.transpose.nontrans)
    if turned is not names.transpose.nontrans:
        down, along = along, down
    conjugated = turned is names.transpose.conjtrans and given.letter in "cz"
    return Record(products.grid, given.named[name].memory, np.int64(down), np.int64(along),
                  conjugated)


def _line(given: Given, name: str, count: int) -> Record:
    step = given.named[f"inc{name}"]
    first = (1 - count) * step if step < 0 else 0
    return Record(products.line, given.named[name].memory, np.int64(first), np.int64(step))


def _plane(given: Given, name: str, rows_lie: bool, option: str = "") -> Record:
    """Return a matrix as the product reads it."""
    turned = given.named.get(option, names.transpose.nontrans)
    conjugated = turned is names.transpose.conjtrans and given.letter in "cz"
    return tiles.plane(given.named[name].memory, given.named[f"ld{name}"],
                       by_rows=rows_lie is (turned is names.transpose.nontrans),
                       conjugated=conjugated)


def _gemm(call: Call, given: Given, rows_lie: bool) -> None:
    """Compute a product whose lanes go along rows; of columns the transposed one."""
    m, n, k = (given.named[x] for x in "mnk")
    first, second = "a", "b"
    if not rows_lie:
        first, second, m, n = second, first, n, m
    if not given.named["alpha"]:
        k = 0  # nothing is read of the factors, as in other libraries
    tiles.multiply(call, (m, n, k), _plane(given, first, True, f"trans{first}"),
                   _plane(given, second, True, f"trans{second}"), _plane(given, "c", True),
                   _numbers(given))


def _gemv(call: Call, given: Given, rows_lie: bool) -> None:
    rows, columns = given.named["m"], given.named["n"]
    if given.named["trans"] is not names.transpose.nontrans:
        rows, columns = columns, rows
    if rows and columns:
        read = columns if given.named["alpha"] else 0
        call.launch(rows, products.gemv, read, _grid(given, "a", rows_lie, "trans"),
                    _line(given, "x", columns), _line(given, "y", rows), _numbers(given))


def _omatcopy(call: Call, given: Given, rows_lie: bool) -> None:
    rows, columns = given.named["m"], given.named["n"]
    if given.named["trans"] is not names.transpose.nontrans:
        rows, columns = columns, rows
    if rows * columns:
        call.launch(rows * columns, products.combine, np.int64(columns),
                    _grid(given, "a", rows_lie, "trans"), _grid(given, "b", rows_lie),
                    _numbers(given))


def _omatadd(call: Call, given: Given, rows_lie: bool) -> None:
    rows, columns = given.named["m"], given.named["n"]
    if rows * columns:
        call.launch(rows * columns, products.combine_two, np.int64(columns),
                    _grid(given, "a", rows_lie, "transa"), _grid(given, "b", rows_lie, "transb"),
                    _grid(given, "c", rows_lie), _numbers(given))


def _each(kernel: Any, vectors: Sequence[str], *, numbers: bool) -> Launch:
    def launch(call: Call, given: Given, rows_lie: bool) -> None:
        n = given.named["n"]
        more = (_numbers(given),) if numbers else ()
        if n:
            call.launch(n, kernel, *(_line(given, v, n) for v in vectors), *more)

    return launch


def _axpy(call: Call, given: Given, rows_lie: bool) -> None:
    n = given.named["n"]
    found = _numbers(given)
    found.beta = found.kind(1)
    if n and found.alpha:
        call.launch(n, products.axpby, _line(given, "x", n), _line(given, "y", n), found)


def _axpby(call: Call, given: Given, rows_lie: bool) -> None:
    n, found = given.named["n"], _numbers(given)
    if not found.alpha:
        found.alpha = found.beta
        if n and found.alpha:
            call.launch(n, products.scal, _line(given, "y", n), found)
        elif n:
            call.launch(n, products.clear, _line(given, "y", n), found)
    elif n:
        call.launch(n, products.axpby, _line(given, "x", n), _line(given, "y", n), found)


def _sum(of: Any, of_complex: Any = None, *, real: bool = False, second: str = "y") -> Launch:
    def launch(call: Call, given: Given, rows_lie: bool) -> None:
        n = given.named["n"]
        part = max(-(-n // _PARTS), 64)
        parts = -(-n // part)
        kind = (REAL if real else TYPES)[given.letter]
        rule = products.rule(of_complex if given.letter in "cz" and of_complex else of,
                             kind.type(0), n, part)
        partial = call.own(max(parts, 1), kind)
        if parts:
            call.launch(parts, products.dots, _line(given, "x", n),
                        _line(given, second, n), rule, partial)
        call.launch(1, products.total, parts, kind.type(0), partial,
                    given.named["result"].memory)

    return launch


_ROUTINES: dict[str, tuple[str, Launch]] = {
    "gemm": ("sdcz", _gemm),
    "gemv": ("sdcz", _gemv),
    "omatcopy": ("sdcz", _omatcopy),
    "omatadd": ("sdcz", _omatadd),
    "axpy": ("sdcz", _axpy),
    "axpby": ("sdcz", _axpby),
    "scal": ("sdcz", _each(products.scal, "x", numbers=True)),
    "copy": ("sdcz", _each(products.copy, "xy", numbers=False)),
    "swap": ("sdcz", _each(products.swap, "xy", numbers=False)),
    "dot": ("sd", _sum(products.times)),
    "dotu": ("cz", _sum(products.times)),
    "dotc": ("cz", _sum(products.conjugate_times)),
    "asum": ("sdcz", _sum(products.magnitude, products.magnitudes, real=True, second="x")),
}


class Kernel:
    """One routine by our kernels."""

    def __init__(self, name: str, launch: Launch) -> None:
        self._name, self._launch = name, launch

    def launch(self, queue: sycl.queue, given: Given, layout: names.Option,
               after: Sequence[sycl.event]) -> sycl.event:
        """Submit the routine's kernels, and return the event of the last one."""
        call = Call(self._name, queue, list(after))
        for held in given.held:
            held.memory.writable = held.writes and held.memory.writable
        self._launch(call, given, layout is names.layout.row_major)
        return call.done().get_event()


class OwnBlas:
    """All routines of which there are kernels."""

    def version(self) -> str:
        """Return what they are."""
        return "unisycl's kernels"

    def serves(self, device: sycl.device) -> bool:
        """Say that kernels run on every device."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Kernel | None:
        """Return a routine for a type."""
        plain = name.partition(".")[0]
        types, launch = _ROUTINES.get(plain, ("", None))
        if launch and table.ROUTINES[plain].halves and str(dtype) in HALVES:
            return Kernel(name, launch)
        letter = LETTERS.get(dtype, "")
        return Kernel(name, launch) if launch and letter and letter in types else None


def load(name: str) -> OwnBlas:
    """Return the provider."""
    del name
    return OwnBlas()


