"""docs/builtins.md, made from the table of builtins and what ``accuracy`` measured.

Non-goals: measuring. Invariant: everything but the measured errors follows from the table.
"""

from __future__ import annotations

import re
from pathlib import Path

from unisycl.ir.builtins import BUILTINS, Builtin

PAGE = Path(__file__).resolve().parents[2] / "docs" / "builtins.md"
TITLES = {"4.17.5": "Mathematical functions", "4.17.6": "`native` and `half_precision`",
          "4.17.7": "Integer functions", "4.17.8": "Common functions",
          "4.17.9": "Geometric functions of numbers", "4.17.10": "Relational functions"}
LETTERS = {"f": "float", "i": "integer", "n": "number", "s": "float32", "j": "32-bit integer",
           "k": "int32", "b": "bool", "u": "unsigned", "w": "twice as wide", "v": "float"}
HEAD = """# Builtin functions

Made by `python -m tests.property.accuracy --docs` from `unisycl/ir/builtins`; do not edit.

A *float* is float16, float32 or float64, one type for all operands of a call; an *integer* has 8
to 64 bits; a *number* is either. Several results are a tuple.

Bounds are what the specification allows for float16 / float32 / float64, in units in the last place
of the exact result's type; *exact* is bit by bit, 0.5 is correctly rounded. Measured are the
largest errors found on the native CPU: all operands of functions of one float16, {count} operands
for float32 and {few} for float64, spread over all bit patterns, the usual range, and the places
where digits cancel. float16 and float32 are judged in 80 bits, float64 in 200.
"""
TABLE = """
## {title}

SYCL 2020 §{section}

| function | operands → results | | bound | measured |
|---|---|---|---|---|
"""
Measured = dict[tuple[str, str], float]


def write(measured: Measured, count: int, few: int) -> None:
    """Write the page."""
    PAGE.write_text(text(measured, count, few), encoding="utf-8")


def text(measured: Measured, count: int, few: int) -> str:
    """Return the page."""
    out = [HEAD.format(count=f"{count:,}", few=f"{few:,}")]
    for section, title in TITLES.items():
        rows = [r for r in BUILTINS.values() if r.section == section and listed(r)]
        out.append(TABLE.format(title=title, section=section))
        out += [line(row, measured) for row in sorted(rows, key=lambda r: r.name)]
    return "".join(out)


def listed(row: Builtin) -> bool:
    """Say whether users can call a row by its own name."""
    return "." not in row.name and row.name not in ("minimum_of", "maximum_of")


def line(row: Builtin, measured: Measured) -> str:
    """Return a row's line."""
    name = row.name.replace("native_", "native.").replace("half_", "half_precision.")
    cells = [measured.get((row.name, t)) for t in ("float16", "float32", "float64")]
    found = " / ".join("–" if c is None else f"{c:.2f}" for c in cells) \
        if any(c is not None for c in cells) else ""
    doc = row.doc.replace("|", "\\|")
    return f"| `{name}` | {signature(row)} | {doc} | {bound(row)} | {found} |\n"


def signature(row: Builtin) -> str:
    """Return the operands and results in words."""
    sides = [", ".join(LETTERS[x] for x in part) for part in (row.operands, row.results)]
    return " → ".join(sides)


def bound(row: Builtin) -> str:
    """Return the bound in words."""
    units = [row.bound.ulp(bits) for bits in (16, 32, 64)]
    if row.bound.absolute:
        return f"absolute {row.bound.absolute:g}"
    if row.parts and row.name in ("sincos", "lgamma_r"):
        return "as the functions it is of"
    if "s" in row.operands and row.section == "4.17.6":
        return f"{units[1]:g}"
    if units[0] == float("inf"):
        return "open"
    return "exact" if not any(units) else " / ".join(f"{u:g}" for u in units)


def described(page: str) -> list[tuple[str, ...]]:
    """Return name, signature, text and bound of each line of a page."""
    return [tuple(m.groups()) for m in re.finditer(
        r"^\| `(\S+)` \| (.*?) \| (.*?) \| ([^|]*) \| [^|]* \|$", page, re.MULTILINE)]


def measured(page: str) -> Measured:
    """Return the errors a page says were measured."""
    found: Measured = {}
    for name, cells in re.findall(r"^\| `(\S+)` \|.*\| ([^|]+) \|$", page, re.MULTILINE):
        row = name.replace("native.", "native_").replace("half_precision.", "half_")
        for type, cell in zip(("float16", "float32", "float64"), cells.split(" / "), strict=False):
            if cell.strip() not in ("", "–"):
                found[row, type] = float(cell)
    return found


def counts(page: str) -> tuple[int, int]:
    """Return how many operands of float32 and of float64 a page says there were."""
    words = re.search(r"([\d,]+) operands\s+for float32 and ([\d,]+) for float64", page)
    assert words is not None
    return int(words[1].replace(",", "")), int(words[2].replace(",", ""))
