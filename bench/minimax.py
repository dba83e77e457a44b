"""The polynomials of the CPU's mathematical functions: ``python -m bench.minimax [NAME ...]``.

Writes ``unisycl/backends/cpu/maths/coefficients.py``: with names, only those are made anew and the
others are kept. Each row of ``bench/approximants.py`` is fitted by Remez' exchange in 200-bit
arithmetic; then one coefficient after the other, lowest first, is rounded to the type it is used
in and the rest fitted again. Needs mpmath.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import mpmath as mp

from bench import approximants as given
from bench.approximants import TINY, Approximant, Function, Pieces

HOME = Path(__file__).resolve().parents[1] / "unisycl/backends/cpu/maths/coefficients.py"
HEAD = '''"""Coefficients of minimax polynomials, lowest first; made by ``python -m bench.minimax``.

Each comment gives the largest error of the rounded polynomial, weighted as its row says, in bits.
Non-goals: what they are for (``bench/approximants.py`` says). Invariant: not edited by hand.
"""

'''
GRID = 40
ROUNDS = 20
REFITTED = 4  # coefficients after which the rest is no longer fitted again


def fit(f: Function, weight: Function, low: Any, high: Any, degree: int) -> tuple[list[Any], Any]:
    """Return the polynomial nearest to ``f`` on an interval, and the weighted error."""
    count = degree + 2
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle - half * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    grid = [middle - half * mp.cos(mp.pi * (2 * k + 1) / (2 * GRID * count))
            for k in range(GRID * count)]
    samples = [(x, f(x), weight(x)) for x in grid]
    best: tuple[list[Any], Any] = ([], mp.inf)
    for _ in range(ROUNDS):
        made = _interpolate(f, weight, nodes, degree)
        errors = [(w * (y - _value(made, x)), x) for x, y, w in samples]
        worst = max(abs(e) for e, _ in errors)
        if worst < best[1]:
            best = made, worst
        extremes = _extremes(errors, count)
        if len(extremes) < count:
            nodes = _exchanged(nodes, errors, [f(x) > _value(made, x) for x in nodes])
            continue
        nodes = [x for _, x in extremes]
        least = min(abs(e) for e, _ in extremes)
        if worst - least < worst / 1000:
            break
    return best


def _value(coefficients: list[Any], x: Any) -> Any:
    result = mp.mpf(0)
    for c in reversed(coefficients):
        result = result * x + c
    return result


def _interpolate(f: Function, weight: Function, nodes: list[Any], degree: int) -> list[Any]:
    """Return the polynomial whose weighted error alternates with one size over the nodes."""
    width = abs(nodes[-1] - nodes[0])  # a weight may vanish at 0
    rows = mp.matrix(len(nodes), degree + 2)
    right = mp.matrix(len(nodes), 1)
    for k, node in enumerate(nodes):
        x = node if abs(node) > width / 1000 else width / 1000
        for power in range(degree + 1):
            rows[k, power] = weight(x) * x ** power
        rows[k, degree + 1] = (-1) ** k
        right[k] = weight(x) * f(x)
    return list(mp.lu_solve(rows, right))[:degree + 1]


def _extremes(errors: list[tuple[Any, Any]], count: int) -> list[tuple[Any, Any]]:
    """Return the largest error of each run of one sign, no more than ``count`` runs."""
    runs: list[tuple[Any, Any]] = []
    for error in errors:
        if runs and (runs[-1][0] > 0) == (error[0] > 0):
            runs[-1] = max(runs[-1], error, key=lambda r: abs(r[0]))
        else:
            runs.append(error)
    while len(runs) > count:
        if abs(runs[0][0]) < abs(runs[-1][0]):
            runs.pop(0)
        else:
            runs.pop()
    return runs


def _exchanged(nodes: list[Any], errors: list[tuple[Any, Any]], above: list[bool]) -> list[Any]:
    """Return the nodes with the worst point in place of a neighbour whose error has its sign."""
    worst, at = max(errors, key=lambda e: abs(e[0]))
    below = [k for k, x in enumerate(nodes) if x < at]
    after = len(below)
    sides = [k for k in (after - 1, after) if 0 <= k < len(nodes)]
    same = [k for k in sides if above[k] == (worst > 0)]
    if same:
        return [at if k == same[0] else x for k, x in enumerate(nodes)]
    return [at, *nodes[:-1]] if after == 0 else [*nodes[1:], at]


def rounded(value: Any, bits: int) -> Any:
    """Return a number rounded to float32 or float64."""
    if bits == 32:
        return mp.mpf(struct.unpack("<f", struct.pack("<f", float(value)))[0])
    return mp.mpf(float(value))


def parts(value: Any, bits: int, count: int, *, down: bool) -> list[float]:
    """Return floats whose sum is nearly a positive number, each the nearest to what is left.

    ``down``: each the largest that is not above, so that all are positive.
    """
    found = []
    for _ in range(count):
        part = rounded(value, bits)
        if down and part > value:
            part -= mp.mpf(2) ** (mp.floor(mp.log(value, 2)) - (23 if bits == 32 else 52))
        found.append(part)
        value -= part
    return [float(x) for x in found]


def make(row: Approximant, bits: int) -> tuple[list[float], float]:
    """Return a row's coefficients rounded to a type, and the error they leave, in bits."""
    f, low, high = row.function, mp.mpf(row.low), mp.mpf(row.high)
    weight = _size(row.weight)
    made: list[Any] = []
    fitted: list[Any] = []
    for left in range(row.degrees[bits == 64], -1, -1):
        if len(made) < len(row.fixed):
            first = mp.mpf(row.fixed[len(made)])
        elif len(made) - len(row.fixed) >= REFITTED:
            made += [rounded(c, bits) for c in fitted[1:]]
            break
        else:
            again, error = fit(f, weight, low, high, left)
            if not fitted or error < _error(f, weight, fitted[1:], low, high):
                fitted = [mp.mpf(0), *again]
            fitted = fitted[1:]
            first = rounded(fitted[0], bits)
        made.append(first)
        f, weight = _below(f, first), _times(weight)
    worst = _error(row.function, row.weight, made, low, high, 3000)
    return [float(c) for c in made], float(mp.log(worst, 2))


def _error(f: Function, weight: Function, made: list[Any], low: Any, high: Any,
           count: int = 300) -> Any:
    """Return the largest weighted error of a polynomial on an interval."""
    points = [low + (high - low) * (mp.mpf(k) + 0.5) / count for k in range(count)]
    return max(abs(weight(x) * (f(x) - _value(made, x))) for x in points)


def _size(f: Function) -> Function:
    return lambda x: abs(f(x))


def _below(f: Function, first: Any) -> Function:
    return lambda x: (f(x) - first) / x


def _times(weight: Function) -> Function:
    return lambda x: weight(x) * abs(x)


def tabulated(pieces: Pieces) -> str:
    """Return the lines that define a table of polynomials: coefficient by coefficient."""
    made, errors = [], []
    for k in range(pieces.count):
        # The first interval is a half: the operand is a magnitude.
        values, error = make(Approximant(
            pieces.name, _moved(pieces.function, k), _moved(pieces.weight, k),
            mp.mpf(-0.501) if k else TINY, mp.mpf(0.501), (pieces.degree, pieces.degree)),
            pieces.bits)
        made.append(values)
        errors.append(error)
    print(pieces.name, f"{max(errors):.1f} bits", flush=True)
    return columns(pieces.name, zip(*made, strict=True), f"  # {max(errors):.1f} bits")


def _moved(f: Function, k: int) -> Function:
    return lambda t: f(t + k)


def columns(name: str, rows: Iterable[Sequence[float]], remark: str = "") -> str:
    """Return the lines that define a tuple of tuples."""
    text = f"{name} = ({remark}\n"
    for row in rows:
        text += "    (\n" + wrapped(row, 8) + "    ),\n"
    return text + ")\n"


def known() -> dict[str, str]:
    """Return the lines the file has, by name."""
    found, name = {}, ""
    for line in HOME.read_text().splitlines(keepends=True):
        head = line.split(" = ")[0]
        if " = " in line or line.startswith("#"):
            name = head if head.rpartition("_")[2] in ("32", "64") else ""
            found[name] = ""
        if name:
            found[name] += line
    found.pop("", None)
    return found


def spelt(name: str, values: list[float], error: float) -> str:
    """Return the lines that define one polynomial."""
    return f"{name} = (  # {error:.1f} bits\n" + wrapped(values, 4) + ")\n"


def wrapped(values: Iterable[float], indent: int) -> str:
    """Return numbers in lines of a good length."""
    lines, line = [], " " * indent
    for value in values:
        if len(line) + len(repr(value)) > 96:
            lines.append(line.rstrip())
            line = " " * indent
        line += f"{value!r}, "
    return "".join(f"{x}\n" for x in (*lines, line.rstrip()))


def main() -> None:
    """Make the polynomials named on the command line, or those that are missing."""
    mp.mp.prec = 200
    asked = sys.argv[1:]
    lines = known()
    for row in given.ROWS:
        for bits in (32, 64):
            name = f"{row.name}_{bits}"
            if row.degrees[bits == 64] == given.NONE:
                continue
            if row.name in asked or name in asked or (not asked and name not in lines):
                values, error = make(row, bits)
                lines[name] = spelt(name, values, error)
                print(name, f"{error:.1f} bits", flush=True)
    for pieces in given.PIECES:
        if pieces.name in asked or (not asked and pieces.name not in lines):
            lines[pieces.name] = tabulated(pieces)
    for name, value, bits, count, down in given.PARTS:
        numbers = parts(value, bits, count, down=down)
        lines[name] = f"{name} = ({', '.join(map(repr, numbers))})\n"
    for name, rows in given.TABLES.items():
        lines[name] = columns(name, rows)
    names = {*given.TABLES, *(f"{row.name}_{bits}" for row in given.ROWS for bits in (32, 64)
                              if row.degrees[bits == 64] != given.NONE),
             *(row.name for row in given.PIECES), *(row[0] for row in given.PARTS)}
    kept = {k: v for k, v in lines.items() if k in names}
    both = sorted(k[:-3] for k in kept if k.endswith("_64") and f"{k[:-3]}_32" in kept)
    HOME.write_text(HEAD + "".join(kept.values()) + "\n# by the bits of the type\n" + "".join(
        f"{k} = {{32: {k}_32, 64: {k}_64}}\n" for k in both))


if __name__ == "__main__":
    main()
