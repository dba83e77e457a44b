"""What a routine of BLAS was given: sizes, leading dimensions, strides, types, overlaps.

Non-goals: who computes. Invariant: everything is checked before anything runs, and a message says
what is wrong in the names of the routine's arguments.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.blas import table
from unisycl.oneapi.mkl.memories import Held

TYPES: dict[str, np.dtype[Any]] = {
    "s": np.dtype(np.float32), "d": np.dtype(np.float64), "c": np.dtype(np.complex64),
    "z": np.dtype(np.complex128)}
LETTERS: dict[Any, str] = {kind: letter for letter, kind in TYPES.items()}
HALVES = ("float16", "bfloat16")
"""Types of what is read where a routine takes halves; the package ml_dtypes has bfloat16."""
REAL = {"s": TYPES["s"], "d": TYPES["d"], "c": TYPES["s"], "z": TYPES["d"]}


@dataclass
class Given:
    """What one call was given, after all checks.

    Args:
        letter: of its type; of float32 where halves are read.
        values: in the order of C; at ``slots`` they are None where memory belongs.
        held: the memory, in order.
        named: all of it by name.
    """

    letter: str
    values: list[Any]
    slots: list[int]
    held: list[Held]
    named: dict[str, Any]
    cost: float


def names_of(row: table.Row) -> list[str]:
    """Return the names of a routine's arguments, in order."""
    found = []
    for argument in row.arguments:
        found.append(argument.name)
        if isinstance(argument, table.Matrix):
            found.append(argument.leading)
        elif isinstance(argument, table.Vector):
            found.append(argument.stride)
    return found


def signature_of(row: table.Row) -> inspect.Signature:
    """Return what a program sees of a routine's arguments."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([
        inspect.Parameter("queue", kind), *(inspect.Parameter(n, kind) for n in names_of(row)),
        *([inspect.Parameter("mode", kind, default=None)] if row.name in table.MODES else ()),
        inspect.Parameter("dependencies", kind, default=())])


class Reader:
    """Reads the arguments of one call, in the order of the row."""

    def __init__(self, row: table.Row, given: dict[str, Any], *, rows_lie: bool) -> None:
        self.row, self.rows_lie = row, rows_lie
        self.given, self.widths = memories.with_parts(row.name, given, {
            a.name: a.leading for a in row.arguments if isinstance(a, table.Matrix)},
            rows_lie=rows_lie)
        self.named: dict[str, Any] = {}
        self.values: list[Any] = []
        self.slots: list[int] = []
        self.held: list[Held] = []
        self.kinds: dict[str, np.dtype[Any]] = {}
        self.letter = self._letter()

    def _letter(self) -> str:
        """Return the letter of the type that all memory has; note types of halves."""
        for argument in self.row.arguments:
            main = isinstance(argument, table.Matrix | table.Vector) or (
                isinstance(argument, table.Memory) and argument.type == "t")
            if main:
                kind = memories.flat(self.row.name, argument.name,
                                     self.given[argument.name]).dtype
                if self.row.halves and str(kind) in HALVES:
                    self._note_halves(kind)
                    return "s"
                letter = LETTERS.get(kind, "")
                if not letter or letter not in self.row.types:
                    allowed = ", ".join([*(str(TYPES[t]) for t in self.row.types),
                                         *(HALVES if self.row.halves else ())])
                    self.refuse(f"{argument.name} has elements of {kind}; the routine is for "
                                f"{allowed}")
                return letter
        return self.row.types[0]

    def _note_halves(self, kind: Any) -> None:
        """Note the type of each memory: what is written may be of float32."""
        for argument in self.row.arguments:
            if isinstance(argument, table.Matrix):
                given = memories.flat(self.row.name, argument.name,
                                      self.given[argument.name]).dtype
                wide = argument.writes and given == TYPES["s"]
                self.kinds[argument.name] = TYPES["s"] if wide else kind

    def refuse(self, text: str) -> Any:
        """Raise the error of this routine."""
        raise names.invalid_argument(f"{self.row.name}: {text}")

    def read(self) -> Given:
        """Return everything, checked."""
        for argument in self.row.arguments:
            getattr(self, f"_{type(argument).__name__.lower()}")(argument)
        memories.check_apart(self.row.name, self.held)
        cost = math.prod(float(x) if x.isdigit() else float(self.named.get(x, 1))
                         for x in self.row.cost.split("*"))
        return Given(self.letter, self.values, self.slots, self.held, self.named, cost)

    def _sum(self, text: str) -> int:
        return sum(int(p) if p.isdigit() else int(self.named[p]) for p in text.split("+"))

    def _option(self, argument: table.Option) -> None:
        value = self.given[argument.name]
        if not isinstance(value, names.Option) or value.kind != argument.kind:
            known = ", ".join(sorted({repr(v) for v in vars(names.KINDS[argument.kind]).values()
                                      if isinstance(v, names.Option)}))
            self.refuse(f"{argument.name} must be one of {known}, got {value!r}")
        if argument.name == "trans" and self.letter in "cz":
            wrong = {"herk": "T", "her2k": "T", "syrk": "C", "syr2k": "C"}.get(self.row.name)
            if value.letter == wrong:
                self.refuse(f"trans must not be {value!r} for complex matrices")
        self.named[argument.name] = value
        self.values.append(value.number)

    def _size(self, argument: table.Size) -> None:
        value = names.whole(self.row.name, argument.name, self.given[argument.name])
        self.named[argument.name] = value
        self.values.append(value)

    def _number(self, argument: table.Number) -> None:
        kind = REAL[self.letter] if argument.real else TYPES[self.letter]
        value = memories.number(self.row.name, argument.name, self.given[argument.name], kind)
        self.named[argument.name] = value
        self.values.append(value)

    def _matrix(self, argument: table.Matrix) -> None:
        if argument.square:
            on_left = self.named[argument.square] is names.side.left
            rows = columns = self.named["m" if on_left else "n"]
        else:
            rows, columns = self._sum(argument.rows), self._sum(argument.columns)
        if argument.turned and self.named[argument.turned] is not names.transpose.nontrans:
            rows, columns = columns, rows
        lying, count = (rows, columns)
        if argument.band:
            count = self.named["m"] if self.rows_lie and "m" in self.named else columns
        elif self.rows_lie:
            lying, count = columns, rows
        ld = names.whole(self.row.name, argument.leading, self.given[argument.leading])
        if ld < max(1, lying):
            what = "columns of rows that lie together" if self.rows_lie else "rows"
            self.refuse(f"{argument.leading} is {ld}; {argument.name} needs at least "
                        f"{max(1, lying)} (its {'diagonals' if argument.band else what})")
        memories.check_width(self.row.name, argument.name, lying, self.widths)
        need = (count - 1) * ld + lying if lying and count else 0
        self._hold(argument.name, need, TYPES[self.letter], writes=argument.writes)
        self.named[argument.leading] = ld
        self.values.append(ld)

    def _vector(self, argument: table.Vector) -> None:
        size = argument.size
        if argument.turned and self.named[argument.turned] is not names.transpose.nontrans:
            size = argument.other
        n = self._sum(size)
        step = self.given[argument.stride]
        if isinstance(step, bool) or not hasattr(step, "__index__"):
            self.refuse(f"{argument.stride} must be a whole number, got {step!r}")
        step = int(step.__index__())
        if step == 0:
            self.refuse(f"{argument.stride} must not be 0")
        if step < 0 and argument.order == "forward":
            self.refuse(f"{argument.stride} must be positive, got {step}; places are counted "
                        "forwards")
        step = abs(step) if argument.order == "none" else step
        need = (n - 1) * abs(step) + 1 if n else 0
        self._hold(argument.name, need, TYPES[self.letter], writes=argument.writes)
        self.named[argument.stride] = step
        self.values.append(step)

    def _memory(self, argument: table.Memory) -> None:
        kinds = {"t": TYPES[self.letter], "r": REAL[self.letter]}
        n = self.named.get("n", 0)
        need = n * (n + 1) // 2 if argument.count == "packed" else int(argument.count)
        self._hold(argument.name, need, kinds.get(argument.type) or np.dtype(argument.type),
                   writes=argument.writes)

    def _hold(self, name: str, need: int, kind: np.dtype[Any], *, writes: bool) -> None:
        found = memories.held(self.row.name, name, self.given[name], self.kinds.get(name, kind),
                              need, writes=writes)
        self.named[name] = found
        self.slots.append(len(self.values))
        self.held.append(found)
        self.values.append(None)
