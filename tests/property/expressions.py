"""Random typed expressions of the kernel language, as text.

Every expression knows its dtype and how it may vary: rank 0 over work-items, 1 over sub-groups, 2
not within a work-group. Non-goals: statements. Invariant: no expression is undefined or inexact:
indices are in range, narrowing goes through integers, floats are multiples of small powers of two.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = (*SIGNED, *UNSIGNED)
FLOATS = ("float32", "float64", "float16")
SCALARS = (*INTEGERS, *FLOATS, "bool")
ITEM, SUB_GROUP, GROUP = range(3)


@dataclass(frozen=True)
class Variable:
    """A variable that certainly has a value; ``dtype`` int is a Python number."""

    name: str
    dtype: str
    rank: int


@dataclass(frozen=True)
class PrivateArray:
    """A private array whose every element has a value; ``rank``: of most that is stored in it."""

    name: str
    dtype: str
    size: int
    rank: int = ITEM


class Expressions:
    """Makes expressions from what is in scope.

    ``weak`` holds Python integers (ids, counters, parameters) that lie in 0 to a few thousand.
    ``pure``: there is no memory but variables.
    """

    def __init__(self, rng: Random, size: int, dtypes: tuple[str, ...]) -> None:
        self.rng = rng
        self.size = size
        self.dtypes = dtypes
        self.scope: list[Variable] = []
        self.weak: list[Variable] = []
        self.arrays: list[PrivateArray] = []
        self.used: set[str] = set()
        self.linear = ""
        self.pure = False

    # ---- helpers
    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    def often(self, chance: float) -> bool:
        return self.rng.random() < chance

    def use(self, name: str) -> str:
        """Note that the kernel takes a parameter."""
        self.used.add(name)
        return name

    def visible(self, dtype: str, rank: int) -> list[str]:
        return [v.name for v in self.scope if v.dtype == dtype and v.rank >= rank]

    # ---- Python integers
    def small(self, rank: int, depth: int = 1) -> str:
        """Return a Python integer of small size, possibly negative."""
        names = [v.name for v in self.weak if v.rank >= rank]
        if not names or depth <= 0 or self.often(0.2):
            return str(self.rng.randint(0, 7)) if not names or self.often(0.4) \
                else self.rng.choice(names)
        a, b = self.small(rank, depth - 1), self.small(rank, depth - 1)
        return self.pick(f"({a} + {b})", f"({a} - {b})", f"({a} % {self.rng.randint(2, 9)})",
                         f"({a} // {self.rng.randint(2, 5)})", f"({a} * {self.rng.randint(2, 3)})",
                         f"({a} ^ {self.rng.randint(1, 7)})", f"min({a}, {b})")

    def bound(self, rank: int, most: int) -> str:
        """Return a loop bound of 0 to ``most``, a Python or a NumPy integer."""
        if self.often(0.35):
            dtype = self.rng.choice(("int32", "int64", "uint8", "int16"))
            return f"{self.integer(dtype, 1, rank)} % {most + 1}"
        if self.often(0.2):
            return str(self.rng.randint(0, most))
        return f"{self.small(rank, 2)} % {most + 1}"

    def index(self, rank: int) -> str:
        """Return an index into memory of the program's size."""
        n, at = self.size, self.linear
        way = self.rng.randint(0, 10 if rank == ITEM and at else 2)
        if way == 0:
            return f"({self.small(rank, 2)}) % {n}"
        if way == 1:
            return str(self.rng.randint(0, n - 1))
        if way == 2:
            return f"np.int64({self.integer(self.pick('int8', 'int32', 'int64'), 1, rank)}) % {n}"
        c = self.rng.randint(1, 9)
        if way <= 5:
            return at
        if way <= 8:
            return (f"{at} + {c}", f"2 * {at} + {c}", f"{n - 1} - {at}")[way - 6]
        return f"{self.use('idx_int32')}[{at}{f' + {c}' if way == 9 else ''}]"

    # ---- typed values
    def value(self, dtype: str, depth: int, rank: int = ITEM) -> str:
        """Return an expression of exactly this dtype."""
        if dtype == "bool":
            return f"np.bool_({self.condition(depth, rank)})"
        if dtype in FLOATS:
            return self.wrapped(dtype, depth, rank)
        return self.integer(dtype, depth, rank)

    def constant(self, dtype: str) -> str:
        info = np.iinfo(dtype)
        x = self.rng.choice((0, 1, 2, 3, 7, 100, info.max, info.min, self.rng.randint(0, 20)))
        if dtype in SIGNED and self.often(0.3):
            x = -min(abs(x), 100)
        return f"np.{dtype}({x})"

    def leaf(self, dtype: str, rank: int) -> str:
        names = self.visible(dtype, rank)
        if names and self.often(0.6):
            return self.rng.choice(names)
        arrays = [a for a in self.arrays if a.dtype == dtype]
        if arrays and rank == ITEM and self.often(0.5):
            a = self.rng.choice(arrays)
            return f"{a.name}[{self.small(rank, 2)} % {a.size}]"
        if self.often(0.5) and not self.pure:
            return f"{self.use(f'a_{dtype}')}[{self.index(rank)}]"
        if dtype == "int32" and self.often(0.3) and not self.pure:
            return self.use(self.pick("n0", "n1"))
        if dtype in INTEGERS:
            return self.constant(dtype) if self.often(0.4) \
                else f"np.{dtype}({self.small(rank, 2)} % 100)"
        return f"np.{dtype}({self.rng.randint(-16, 16) / 8})"

    def integer(self, dtype: str, depth: int, rank: int) -> str:
        """Return an integer expression; overflow wraps."""
        if depth <= 0 or self.often(0.15):
            return self.leaf(dtype, rank)
        a = self.integer(dtype, depth - 1, rank)
        way = self.rng.randint(0, 11)
        if way <= 4:
            b = str(self.rng.randint(0, 9)) if self.often(0.3) else self.integer(
                dtype, depth - 1, rank)
            op = self.pick("+", "-", "*", "&", "|", "^", "+", "-")
            return f"({a} {op} {b})"
        if way == 5:
            return f"({a} {self.pick('<<', '>>')} {self.rng.randint(0, 9)})" if self.often(0.5) \
                else f"({a} {self.pick('<<', '>>')} ({self.integer(dtype, 0, rank)} & 15))"
        if way == 6:
            b = self.pick("2", "3", "4", "5", "7", "8", self.integer(dtype, 0, rank))
            return f"({a} {self.pick('//', '%')} {b})"
        if way == 7:
            other = self.rng.choice(INTEGERS if self.often(0.7) else self.dtypes)
            return f"np.{dtype}({self.source(other, depth - 1, rank)})"
        if way == 8:
            return self.pick(f"(-{a})", f"(~{a})", f"abs({a})", f"(+{a})")
        if way == 9:
            return f"{self.pick('min', 'max')}({a}, {self.integer(dtype, depth - 1, rank)})"
        if way == 10:
            b = self.integer(dtype, depth - 1, rank)
            return f"({a} if {self.condition(depth - 1, rank)} else {b})"
        mixed = self.rng.choice([t for t in INTEGERS if not {t[0], dtype[0]} == {"i", "u"}
                                 or not {t, dtype} & {"int64", "uint64"}])
        return f"np.{dtype}({a} {self.pick('+', '-', '*')} {self.integer(mixed, 0, rank)})"

    def source(self, dtype: str, depth: int, rank: int) -> str:
        """Return something an integer type may be made of."""
        if dtype in FLOATS:
            return f"np.int32({self.exact(dtype, 1, rank)})"
        if dtype == "bool":
            return self.value("bool", depth, rank)
        return self.integer(dtype, depth, rank)

    def exact(self, dtype: str, depth: int, rank: int) -> str:
        """Return a float expression in which nothing rounds."""
        if depth <= 0 or self.often(0.2):
            return self.leaf(dtype, rank)
        a, b = self.exact(dtype, depth - 1, rank), self.exact(dtype, depth - 1, rank)
        way = self.rng.randint(0, 6)
        if way <= 3:
            return f"({a} {self.pick('+', '-', '*')} {b})"
        if way == 4:
            return self.pick(f"(-{a})", f"abs({a})", f"min({a}, {b})", f"max({a}, {b})")
        if way == 5:
            return f"({a} if {self.condition(depth - 1, rank)} else {b})"
        return self.pick(f"({a} % {self.pick('0.75', '2.5', '-1.5')})", f"({a} / 4)",
                         f"np.{dtype}(np.int8({self.small(rank)} % 30))")

    def wrapped(self, dtype: str, depth: int, rank: int) -> str:
        """Return a float between -4 and 4, a multiple of 1/8."""
        if self.often(0.3):
            return self.leaf(dtype, rank)
        inner = self.exact(dtype, min(depth, 2), rank)
        return f"(np.{dtype}(np.int32({inner} * 8) % 65) / 8 - 4)"

    # ---- conditions
    def condition(self, depth: int, rank: int) -> str:
        """Return a condition: a comparison, a bool, or several joined."""
        way = self.rng.randint(0, 9)
        if depth <= 0 or way <= 3:
            return self.comparison(max(depth - 1, 0), rank)
        a, b = self.condition(depth - 1, rank), self.condition(depth - 1, rank)
        if way <= 5:
            return f"({a} {self.pick('and', 'or')} {b})"
        if way == 6:
            return f"(not {a})"
        if way == 7:
            return f"(np.bool_({a}) {self.pick('&', '|', '^')} np.bool_({b}))"
        names = self.visible("bool", rank)
        if names and way == 8:
            return self.rng.choice(names)
        return self.comparison(0, rank) if self.pure else \
            f"{self.use('a_bool')}[{self.index(rank)}]"

    def comparison(self, depth: int, rank: int) -> str:
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        if self.often(0.45):
            return f"{self.small(rank)} % {self.rng.randint(2, 5)} {op} {self.rng.randint(0, 3)}"
        if self.often(0.3):
            return f"{self.small(rank)} {op} {self.small(rank)}"
        if self.often(0.08):
            step = self.pick("", ", 2", ", 3", ", -2")
            return (f"({self.small(rank)} {self.pick('in', 'not in')} "
                    f"range({self.small(rank)}, {self.small(rank)}{step}))")
        dtype = self.rng.choice([t for t in self.dtypes if t != "bool"] or ["int32"])
        make = self.exact if dtype in FLOATS else self.integer
        a, b = make(dtype, depth, rank), make(dtype, depth, rank)
        if self.often(0.12):
            return f"{a} {self.pick('<', '<=')} {b} {self.pick('<', '<=')} {make(dtype, 0, rank)}"
        if dtype in INTEGERS and self.often(0.1):
            return f"{a} in (1, 2, {self.rng.randint(3, 9)})"
        return f"{a} {op} {b}"
