"""Random loops over memory and what else takes its elements one after another.

Loops over slices, rows and private arrays, with zip, enumerate and reversed; sums and searches of
them; ``functools.reduce``; rows taken apart and filled; functions that change a variable around
them; rounding to digits. Non-goals: other loops (``loops``, ``idioms``). Invariant: an item fills
its own row alone.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.property.expressions import FLOATS, GROUP, INTEGERS, ITEM, Variable
from tests.property.idioms import SUMMED, Idioms
from tests.property.statements import Flow

WIDTH, HEIGHT = 3, 8
"""The shape of memory of rows, ``b_...``; items fill rows of ``d_...`` that are as wide."""


class Sequences(Idioms):
    """Statements about the elements of memory."""

    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        ways = super().extra(flow, deep=deep)
        ways += [(1, self.whole), (1, self.folded), (1, self.taken_apart), (1, self.rounded),
                 (1, self.changed)]
        ways += [(1, self.filled)] * (self.linear == "lin")
        if not deep:
            ways += [(3, self.over_memory), (1, self.over_rows), (1, self.summed)]
            ways += [(1, self.own_row)] * (self.linear == "lin")
        return ways

    def stretch(self, dtype: str, rank: int = ITEM) -> str:
        """Return a few elements of memory: part of an array, a row, a private array."""
        arrays = [a.name for a in self.arrays if a.dtype == dtype and rank == ITEM]
        if arrays and self.often(0.4):
            return self.rng.choice(arrays)
        if self.often(0.4):
            row = f"{self.use(f'b_{dtype}')}[{self.small(rank, 2)} % {HEIGHT}]"
            return row + self.pick("", "", "[1:]", "[0:2]")
        first = f"{self.small(rank, 2)} % 20" if self.often(0.5) else str(self.rng.randint(0, 20))
        low = self.fresh("at")
        self.emit(f"{low} = {first}")
        return f"{self.use(f'a_{dtype}')}[{low}:{low} + {self.rng.randint(1, 5)}]"

    def ordered(self, dtype: str) -> str:
        """Return a stretch, forwards or backwards."""
        made = self.stretch(dtype)
        return f"reversed({made})" if self.often(0.3) else made

    def over_memory(self, flow: Flow) -> None:
        """Go over elements, alone, counted, or along with others."""
        rank, dtype, other = self.rank(flow), self.rng.choice(self.dtypes), self.some()
        inner = self.looped(flow, rank, 5)
        v, w, k = self.fresh("v"), self.fresh("v"), self.fresh("k")
        typed, counts = [(v, dtype)], []
        source, way = self.ordered(dtype), self.rng.randint(0, 4)
        if way == 0:
            head = f"{v} in {source}"
        elif way == 1:
            head, counts = f"{k}, {v} in enumerate({source})", [k]
        elif way == 2:
            head, counts = f"{v}, {k} in zip({source}, range({self.bound(rank, 4)}))", [k]
        else:
            head = f"{v}, {w} in zip({source}, {self.ordered(other)})"
            typed.append((w, other))
            if way == 4:
                names, _, pairs = head.partition(" in ")
                start, counts = self.rng.randint(0, 3), [k]
                head = f"{k}, ({names}) in enumerate({pairs}, {start})"
        self.emit(f"for {head}:")
        with self.inside():
            self.weak += [Variable(name, "int", min(flow.level, rank)) for name in counts]
            for name, kind in typed:
                self.declare(name, kind, ITEM)
            self.tail(inner)
        self.otherwise(flow)

    def over_rows(self, flow: Flow) -> None:
        """Go over rows: taken apart at once, or element by element."""
        dtype = self.rng.choice(self.dtypes)
        rows = self.use(f"b_{dtype}")
        inner = self.looped(flow, GROUP, HEIGHT)
        names = [self.fresh("v") for _ in range(WIDTH)]
        apart, row, k = self.often(0.5), self.fresh("row"), self.fresh("k")
        count = self.often(0.4)
        target = ", ".join(names) if apart else row
        self.emit(f"for {k}, {f'({target})' if apart else target} in enumerate({rows}):" if count
                  else f"for {target} in {self.pick(rows, f'reversed({rows})')}:")
        with self.inside():
            self.weak += [Variable(k, "int", flow.level)] * count
            if not apart:
                self.emit(f"{names[0]} = {row}[{self.small(ITEM, 1)} % {WIDTH}]")
                self.emit(f"for {names[1]} in {self.pick(row, f'reversed({row})')}:")
                self.emit(f"    {names[0]} = {names[1]} if {names[1]} > {names[0]} else {names[0]}")
            for name in names if apart else names[:1]:
                self.declare(name, dtype, ITEM)
            self.tail(inner)
        self.otherwise(flow)

    def own_row(self, flow: Flow) -> None:
        """Go over the item's own row while it changes: elements are read when it is their turn."""
        dtype, k, v, row = self.some(), self.fresh("k"), self.fresh("v"), self.fresh("row")
        self.emit(f"{row} = {self.use(f'd_{dtype}')}[lin]")
        self.emit(f"for {k}, {v} in enumerate({row}):")
        with self.inside():
            self.declare(v, dtype, ITEM)
            self.weak.append(Variable(k, "int", min(flow.level, GROUP)))
            if self.often(0.3):
                self.emit(f"if {self.condition(1, ITEM)}:")
                self.emit(f"    {self.pick('break', 'continue')}")
            at = f"({k} + {self.rng.randint(0, 2)}) % {WIDTH}"
            self.emit(f"{row}[{at}] {self.pick('', '+', '^')}= {self.integer(dtype, 1, ITEM)}")

    def summed(self, flow: Flow) -> None:
        """Reduce pairs of elements."""
        dtype, v, x, y = self.some(), self.fresh("v"), self.fresh("x"), self.fresh("x")
        pairs = f"zip({self.ordered(dtype)}, {self.ordered(dtype)})"
        test = f" if {x} {self.pick('<', '!=')} {y}" if self.often(0.4) else ""
        inner = f"{x} {self.pick('*', '+', '^', '-')} {y} for {x}, {y} in {pairs}{test}"
        self.emit(f"{v} = np.{dtype}(sum({inner}))")
        self.declare(v, dtype, ITEM)

    def whole(self, flow: Flow) -> None:
        """Ask memory for its sum, its ends, or whether something is in it."""
        v, way = self.fresh("v"), self.rng.randint(0, 3)
        if way == 0:
            dtype = self.some()
            source = self.stretch(dtype)
            test = f"{self.integer(dtype, 1, ITEM)} {self.pick('in', 'not in')} {source}"
            self.emit(f"{v} = np.bool_({test})")
            self.declare(v, "bool", ITEM)
        elif way == 1:
            self.emit(f"{v} = np.bool_({self.pick('any', 'all')}({self.stretch('bool')}))")
            self.declare(v, "bool", ITEM)
        else:
            dtype = self.rng.choice([t for t in self.dtypes if t in SUMMED] or ["int32"])
            source = self.stretch(dtype)
            self.emit(f"{v} = np.{dtype}({self.pick('sum', 'min', 'max')}({source}))")
            self.declare(v, dtype, ITEM)

    def folded(self, flow: Flow) -> None:
        """Reduce elements by a function."""
        dtype, v = self.some(), self.fresh("v")
        function = self.pick("min", "max", "lambda p, q: p ^ q", "lambda p, q: p * 3 + q",
                             "lambda p, q: q - p")
        if self.often(0.3):
            values = ", ".join(self.integer(dtype, 1, ITEM) for _ in range(3))
            self.emit(f"{v} = functools.reduce({function}, ({values}))")
        else:
            first, source = self.integer(dtype, 1, ITEM), self.stretch(dtype)
            self.emit(f"{v} = functools.reduce({function}, {source}, {first})")
        self.declare(v, dtype, ITEM)

    def taken_apart(self, flow: Flow) -> None:
        """Unpack a row."""
        dtype, rank = self.rng.choice(self.dtypes), self.rng.choice((ITEM, GROUP))
        names = [self.fresh("v") for _ in range(WIDTH)]
        row = f"{self.use(f'b_{dtype}')}[{self.small(rank, 2)} % {HEIGHT}]"
        if self.often(0.3):
            names.pop()
            row += self.pick("[0:2]", "[1:3]")
        self.emit(f"{', '.join(names)} = {row}")
        for name in names:
            self.declare(name, dtype, min(rank, flow.level))

    def filled(self, flow: Flow) -> None:
        """Fill the item's own row, or part of it, from a tuple or with a number."""
        dtype = self.rng.choice(self.dtypes)
        row = f"{self.use(f'd_{dtype}')}[lin]"
        part, count = self.rng.choice((("", WIDTH), ("[1:3]", 2), ("[:]", WIDTH), ("[0:2]", 2)))
        if part and self.often(0.4):
            self.emit(f"{row}{part} = {self.value(dtype, 1)}")
            return
        values = ", ".join(self.value(dtype, 1) for _ in range(count))
        self.emit(f"{row}{part} = {values}")

    def rounded(self, flow: Flow) -> None:
        """Round to digits: what comes out is made whole, so that nothing rounds behind it."""
        dtype, v = self.rng.choice([t for t in self.dtypes if t in FLOATS] or ["float64"]), \
            self.fresh("v")
        x = self.wrapped(dtype, 1, ITEM)
        x = f"float({x})" if self.often(0.5) else x
        way = f"round({x}, {self.rng.randint(0, 2)}) * 64"
        if self.often(0.3):
            way = f"round({self.small(ITEM, 2)}, {self.rng.randint(-2, 1)})"
        self.emit(f"{v} = np.int32({way})")
        self.declare(v, "int32", ITEM)

    def changed(self, flow: Flow) -> None:
        """Call a function that changes a variable of the one around it."""
        mine = [v for v in self.scope if v.name in self.assignable and v.dtype in INTEGERS
                and v.rank <= flow.level and v.name.isidentifier()]
        if not mine:
            self.introduce(flow)
            return
        v, name = self.rng.choice(mine), self.fresh("h")
        self.emit(f"def {name}(by):")
        self.emit(f"    nonlocal {v.name}")
        if self.often(0.4):
            self.emit(f"    if {self.condition(1, v.rank)}:")
            self.emit(f"        {v.name} = {self.integer(v.dtype, 1, v.rank)}")
        self.emit(f"    {v.name} {self.pick('+', '^', '-')}= by")
        if self.often(0.5):
            self.emit(f"    return {v.name} {self.pick('+', '^')} by")
            w, by = self.fresh("v"), self.integer(v.dtype, 1, v.rank)
            self.emit(f"{w} = " + self.pick(
                f"{v.name} - {name}({by})", f"{name}({by}) - {v.name}",
                f"{name}({name}({by}))", f"sum({name}({by}) for _ in range(2))"))
            self.declare(w, v.dtype, v.rank)
        elif self.often(0.5):
            self.emit(f"for _ in range({self.bound(v.rank, 3)}):")
            self.emit(f"    {name}({self.integer(v.dtype, 1, v.rank)})")
        else:
            self.emit(f"{name}({self.integer(v.dtype, 1, v.rank)})")
