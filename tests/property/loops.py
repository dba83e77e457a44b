"""Random loops of the forms that the compiler treats in a way of its own.

Counters of loops that lanes leave one by one, values that end with a loop, loops over rows of
scattered memory. Non-goals: loops of any other form (``statements``). Invariant: every loop ends,
whatever its statements do to variables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.property.expressions import GROUP, INTEGERS, ITEM, Variable
from tests.property.statements import Flow
from tests.property.vectors import Vectors


class Loops(Vectors):
    """Statements with more loops."""

    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        ways = super().extra(flow, deep=deep)
        if not deep:
            ways += [(3, self.escaping), (2, self.rows), (1, self.search)]
        return ways

    def escaping(self, flow: Flow) -> None:
        """Iterate a value until it escapes; count the steps; read both afterwards."""
        rank, most = self.rank(flow), self.rng.randint(1, 6)
        dtype, kind = self.rng.choice(self.dtypes), self.rng.choice((*INTEGERS, "int", "int"))
        inner = self.looped(flow, rank, most)
        count, value = self.fresh("n"), self.fresh("v")
        low = self.rng.randint(0, 3)
        start, step = (str(low), "1") if kind == "int" else (f"np.{kind}({low})", "1")
        by, most = self.rng.choice((1, 1, 2, 3)), low + most
        step = str(by)
        self.emit(f"{count} = {start}")
        self.emit(f"{value} = {self.value(dtype, 1, inner.level)}")
        self.declare(value, dtype, inner.level)
        tests = [f"{count} < {most}", self.condition(1, rank)]
        if self.often(0.3):
            tests = [f"{count} < {low} + {self.bound(rank, most - low)}"]
        self.emit(f"while {' and '.join(tests)}:")
        first = self.often(0.5)
        with self.inside():
            number = Variable(count, "int", min(flow.level, rank))
            if first:
                self.emit(f"{count} += {step}")
            if kind == "int":
                self.weak.append(number)
            self.tail(replace(inner, continues=first))
            if self.often(0.7):
                self.emit(f"{value} = {self.value(dtype, self.deep(), inner.level)}")
            if not first:
                self.emit(f"{count} += {step}")
                if self.often(0.3):
                    self.body(replace(inner, level=ITEM, loop=ITEM, breaks=False, returns=None), 1)
        self.otherwise(flow)
        if kind == "int":
            self.weak.append(Variable(count, "int", inner.level))
        else:
            self.scope.append(Variable(count, kind, inner.level))

    def rows(self, flow: Flow) -> None:
        """Add up a row of scattered memory, with bounds of the item's own."""
        if not self.linear:
            self.counted(flow)
            return
        first, last, at, j = (self.fresh(x) for x in ("lo", "hi", "at", "j"))
        dtype, ids = self.rng.choice(self.dtypes), self.use("idx_int32")
        total, most = self.fresh("v"), self.rng.randint(1, 7)
        self.emit(f"{first} = {ids}[{self.linear}] % {self.rng.randint(1, 30)}")
        self.emit(f"{last} = {first} + {ids}[{self.linear} + 1] % {most + 1}")
        self.emit(f"{total} = {self.value(dtype, 0)}")
        self.declare(total, dtype, ITEM)
        inner = replace(self.looped(flow, ITEM, most), level=ITEM, loop=ITEM)
        if self.often(0.5):
            self.emit(f"for {j} in range({first}, {last}):")
            step = ""
        else:
            self.emit(f"{j} = {first}")
            self.emit(f"while {j} < {last}:")
            step = f"{j} += 1"
        with self.inside():
            self.emit(f"{at} = {ids}[{j}]")
            self.weak += [Variable(at, "int", ITEM), Variable(j, "int", ITEM)]
            if step:
                self.emit(step)
            load = f"{self.use(f'a_{dtype}')}[{at}]"
            if dtype in INTEGERS:
                self.emit(f"{total} {self.pick('+', '^', '-')}= {load}")
            else:
                self.emit(f"{total} = {load}")
            self.body(inner, self.rng.randint(0, 3))

    def search(self, flow: Flow) -> None:
        """Look for something in nested loops of a function that returns where it finds it."""
        self.calls += 1
        dtype = self.rng.choice(self.dtypes)
        name, i, j = self.fresh("h"), self.fresh("j"), self.fresh("j")
        result = self.fresh("v")
        self.emit(f"def {name}():")
        kept, reducers, busy = self.assignable, self.reducers, self.busy
        inner = Flow(ITEM, ITEM, dtype, loop=ITEM, depth=flow.depth + 2, cost=flow.cost * 9,
                     repeated=True)
        with self.inside():
            self.assignable, self.reducers = set(), []
            self.busy = {f"i{k}" for k in range(6)}
            self.introduce(Flow(GROUP, GROUP, None))
            self.emit(f"for {i} in range({self.bound(ITEM, 3)}):")
            with self.inside():
                self.weak.append(Variable(i, "int", ITEM))
                if self.often(0.5):
                    self.body(replace(inner, depth=flow.depth + 1), 1)
                self.emit(f"for {j} in range({self.bound(ITEM, 3)}):")
                with self.inside():
                    self.weak.append(Variable(j, "int", ITEM))
                    self.emit(f"if {self.condition(1, ITEM)}:")
                    self.emit(f"    return {self.value(dtype, 1)}")
                    self.body(inner, 2)
                self.body(replace(inner, depth=flow.depth + 1), self.rng.randint(0, 1))
            self.emit(f"return {self.value(dtype, 1)}")
        self.assignable, self.reducers, self.busy = kept, reducers, busy
        self.emit(f"{result} = {name}()")
        self.declare(result, dtype, ITEM)
