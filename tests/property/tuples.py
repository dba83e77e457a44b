"""Random tuples of the kernel language: packed, unpacked, exchanged, returned, gone through.

Non-goals: structs (``records``). Invariant: a tuple's parts are of the type that stands with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.property.expressions import GROUP, INTEGERS, ITEM, Variable
from tests.property.loops import Loops
from tests.property.statements import Flow


class Tuples(Loops):
    """Statements with tuples."""

    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        ways = super().extra(flow, deep=deep)
        ways += [(1, self.unpack), (1, self.exchange_names), (1, self.tuple_name)]
        if not deep:
            ways += [(1, self.through)]
            if self.calls < 4:
                ways.append((1, self.pair))
        return ways

    def unpack(self, flow: Flow) -> None:
        """Declare two names at once."""
        kinds = [self.rng.choice(self.dtypes) for _ in range(2)]
        names = [self.fresh("v") for _ in kinds]
        rank = self.rng.randint(0, flow.level)
        values = [self.value(t, self.deep(), rank) for t in kinds]
        left, right = ", ".join(names), ", ".join(values)
        self.emit(self.pick(f"{left} = {right}", f"({left}) = ({right})"))
        for name, dtype in zip(names, kinds, strict=True):
            self.declare(name, dtype, rank)

    def exchange_names(self, flow: Flow) -> None:
        """Exchange two variables, perhaps changing one on the way."""
        mine = [v for v in self.scope if v.rank <= flow.level and v.name in self.assignable
                and " " not in v.dtype]
        pairs = [(a, b) for a in mine for b in mine
                 if a is not b and (a.dtype, a.rank) == (b.dtype, b.rank)]
        if not pairs:
            self.unpack(flow)
            return
        a, b = self.rng.choice(pairs)
        more = f" {self.pick('+', '-', '^')} {self.integer(a.dtype, 1, a.rank)}" \
            if a.dtype in INTEGERS and self.often(0.5) else ""
        self.emit(f"{a.name}, {b.name} = {b.name}{more}, {a.name}")

    def tuple_name(self, flow: Flow) -> None:
        """Name a tuple; its parts are then values of their own."""
        dtype, rank = self.rng.choice(self.dtypes), self.rng.randint(0, flow.level)
        name, count = self.fresh("t"), self.rng.randint(2, 4)
        parts = ", ".join(self.value(dtype, self.deep(), rank) for _ in range(count))
        self.emit(f"{name} = ({parts})")
        self.scope += [Variable(f"{name}[{k}]", dtype, rank) for k in range(count)]
        if dtype != "bool" and self.often(0.5):
            rank = self.rng.randint(0, flow.level)
            v = self.fresh("v")
            self.emit(f"{v} = {name}[{self.small(rank, 1)} % {count}]")
            self.declare(v, dtype, min(rank, self.scope[-1].rank))

    def through(self, flow: Flow) -> None:
        """Go through values known at run time only."""
        dtype, count = self.rng.choice(self.dtypes), self.rng.randint(1, 3)
        a, b = self.fresh("s"), self.fresh("s")
        values = [self.value(dtype, self.deep()) for _ in range(count)]
        inner = replace(self.looped(flow, GROUP, count), repeated=True)
        tuple_ = f"({', '.join(values)},)"
        form = self.rng.randint(0, 3)
        if form == 0:
            self.emit(f"for {a} in {tuple_}:")
        elif form == 1:
            self.emit(f"for {b}, {a} in enumerate({tuple_}):")
        elif form == 2:
            self.emit(f"for {a} in reversed({tuple_}):")
        else:
            numbers = ", ".join(str(self.rng.randint(0, 9)) for _ in values)
            self.emit(f"for {a}, {b} in zip({tuple_}, ({numbers},)):")
        with self.inside():
            self.scope.append(Variable(a, dtype, ITEM))
            if form in (1, 3):
                self.weak.append(Variable(b, "int", GROUP))
            self.tail(inner)
        self.otherwise(flow)

    def pair(self, flow: Flow) -> None:
        """Write a function that returns two values, early for some items, and take both."""
        self.calls += 1
        kinds = [self.rng.choice(self.dtypes) for _ in range(2)]
        name = self.fresh("f")
        kept = (self.lines, self.indent, self.scope, self.weak, self.arrays, self.pure)
        self.lines, self.indent, self.weak, self.arrays, self.pure = [], 1, [], [], True
        self.scope = [Variable(f"x{k}", t, ITEM) for k, t in enumerate(kinds)]

        def both() -> str:
            return ", ".join(self.value(t, 1) for t in kinds)
        for _ in range(self.rng.randint(0, 2)):
            self.emit(f"if {self.condition(1, ITEM)}:")
            self.emit(f"    return {both()}")
        if self.often(0.4):
            q = self.fresh("q")
            self.emit(f"for {q} in range({self.rng.randint(1, 4)}):")
            self.weak.append(Variable(q, "int", GROUP))
            self.emit(f"    if {self.condition(1, ITEM)}:")
            self.emit(f"        return {both()}")
            self.emit(f"    x0 = {self.value(kinds[0], 1)}")
            self.weak.pop()
        self.emit(f"return {both()}")
        lines = self.lines
        self.lines, self.indent, self.scope, self.weak, self.arrays, self.pure = kept
        self.functions += [f"def {name}(x0, x1):", *lines, "", ""]
        names = [self.fresh("v") for _ in kinds]
        given = ", ".join(self.value(t, self.deep()) for t in kinds)
        self.emit(f"{', '.join(names)} = {name}({given})")
        for v, dtype in zip(names, kinds, strict=True):
            self.declare(v, dtype, ITEM)
