"""Random programs in the idioms of Python: functions as values, generators, tables, views.

Steps of ranges known at run time, sums and votes over generator expressions, functions chosen by
conditions and partial functions, match, named tuples, tables of constants, long conditions, names
of memory that change places, arrays with strides, atomics of small types. Non-goals: what the other
writers do. Invariant: every program means something in Python: no step is 0, no sequence empty.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.property.expressions import GROUP, INTEGERS, ITEM, Variable
from tests.property.groups import Groups
from tests.property.statements import RELAXED, Flow

SUMMED = (*INTEGERS, "float32", "float64")


class Idioms(Groups):
    """Statements in the idioms of Python."""

    way = "direct"

    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        ways = super().extra(flow, deep=deep)
        ways += [(2, self.generated), (1, self.looked_up), (1, self.long_condition),
                 (1, self.named_tuple), (2, self.chosen_function), (1, self.small_atomic)]
        if self.way != "buffers":
            ways.append((1, self.viewed))
        if not deep:
            ways += [(2, self.stepped), (2, self.matched)]
            if not flow.repeated:
                ways.append((1, self.ping_pong))
        return ways

    def some(self) -> str:
        """Return a type of integers that the program uses."""
        return self.rng.choice([t for t in self.dtypes if t in INTEGERS] or ["int32"])

    def stepped(self, flow: Flow) -> None:
        """Count with a step that is known at run time, of either sign."""
        rank = self.rank(flow)
        inner = self.looped(flow, rank, 5)
        name, step = self.fresh("k"), self.fresh("st")
        self.emit(f"{step} = 1 + {self.small(rank, 2)} % 3")
        start, stop = f"{self.small(rank, 1)} % 4", f"3 + {self.small(rank, 1)} % 4"
        if self.often(0.3):
            kind = self.pick("uint8", "int32", "int64", "uint32")
            self.emit(f"{step} = np.{kind}({step})")
            if kind[0] == "i" and self.often(0.4):
                self.emit(f"{step} = -{step}")
                start, stop = stop, start
        elif self.often(0.5):
            self.emit(f"if {self.condition(1, rank)}:")
            self.emit(f"    {step} = -{step}")
        self.emit(f"for {name} in range({start}, {stop}, {step}):")
        with self.inside():
            self.weak.append(Variable(name, "int", min(flow.level, rank)))
            self.tail(inner)
        self.otherwise(flow)

    def generated(self, flow: Flow) -> None:
        """Reduce a generator expression."""
        j, v = self.fresh("j"), self.fresh("v")
        turns = f"range(1 + {self.bound(ITEM, 3)})" if self.often(0.7) else \
            f"({', '.join(str(self.rng.randint(0, 9)) for _ in range(3))})"
        if self.often(0.3):
            self.weak.append(Variable(j, "int", ITEM))
            test = self.condition(1, ITEM)
            self.weak.pop()
            self.emit(f"{v} = np.bool_({self.pick('any', 'all')}({test} for {j} in {turns}))")
            self.declare(v, "bool", ITEM)
            return
        dtype = self.rng.choice([t for t in self.dtypes if t in SUMMED] or ["int32"])
        element = f"{self.use(f'a_{dtype}')}[({self.index(ITEM)} + {j}) % {self.size}]"
        if dtype in INTEGERS and self.often(0.5):
            element = f"{element} {self.pick('+', '^', '-')} {self.leaf(dtype, ITEM)}"
        self.emit(f"{v} = {self.pick('sum', 'min', 'max')}({element} for {j} in {turns})")
        self.declare(v, dtype, ITEM)

    def looked_up(self, flow: Flow) -> None:
        """Read a table of constants."""
        table, v, dtype = self.fresh("T"), self.fresh("v"), self.some()
        count = self.rng.choice((5, 33, 40, 90))
        self.functions += [
            f"{table} = ({', '.join(str(self.rng.randint(-99, 99)) for _ in range(count))})", ""]
        rank = self.rng.choice((ITEM, ITEM, GROUP))
        at = f"{self.small(rank, 2)} % {count}{self.pick('', f' - {count}')}"
        self.emit(f"{v} = np.int64({table}[{at}]).astype(np.{dtype})")
        self.declare(v, dtype, min(rank, flow.level))

    def long_condition(self, flow: Flow) -> None:
        """Join many conditions."""
        word, v = self.pick(" and ", " or "), self.fresh("v")
        parts = [f"({self.condition(self.rng.choice((0, 0, 1)), ITEM)})"
                 for _ in range(self.rng.randint(3, 14))]
        self.emit(f"{v} = np.bool_({word.join(parts)})")
        self.declare(v, "bool", ITEM)

    def named_tuple(self, flow: Flow) -> None:
        """Make a tuple with names; read it by name, by place, whole."""
        cls, t = self.fresh("N"), self.fresh("nt")
        one, two = self.rng.choice(self.dtypes), self.some()
        self.functions += [f"class {cls}(NamedTuple):", "    a: object", "    b: object", "", ""]
        self.emit(f"{t} = {cls}({self.value(one, 1)}, b={self.value(two, 1)})")
        a, b = self.fresh("v"), self.fresh("v")
        if self.often(0.4):
            self.emit(f"{a}, {b} = {t}")
        else:
            self.emit(f"{a} = {t}.a")
            self.emit(f"{b} = {t}[1]")
        self.declare(a, one, ITEM)
        self.declare(b, two, ITEM)

    def chosen_function(self, flow: Flow) -> None:
        """Choose a function at run time, and call it."""
        dtype, v, f = self.some(), self.fresh("v"), self.fresh("fn")
        names = []
        for _ in range(3):
            names.append(self.fresh("fc"))
            given = "k, x" if len(names) == 3 else "x"
            other = "k" if len(names) == 3 else self.constant(dtype)
            self.functions += [f"def {names[-1]}({given}):",
                               f"    return x {self.pick('+', '^', '-', '*')} {other}", "", ""]
        # A function that holds a number of one type or another meets no other function (K035).
        partial = f"functools.partial({names[2]}, np.{dtype}({self.integer(dtype, 1, ITEM)}))"
        way = self.rng.randint(0, 3)
        if way == 0:
            self.emit(f"{f} = {names[0]} if {self.condition(1, ITEM)} else {partial}")
        elif way == 1:
            self.emit(f"if {self.condition(1, ITEM)}:")
            self.emit(f"    {f} = {names[0]}")
            self.emit("else:")
            self.emit(f"    {f} = {self.pick(names[1], partial)}")
        elif way == 2:
            self.emit(f"{f} = {partial}")
            self.emit(f"if {self.condition(1, ITEM)}:")
            self.emit(f"    {f} = {self.pick('lambda x: x ^ 1', partial)}")
        else:
            g = self.fresh("fn")
            self.emit(f"{f}, {g} = {names[0]}, {self.pick(names[1], partial)}")
            self.emit(f"for {self.fresh('q')} in range({self.bound(ITEM, 3)}):")
            self.emit(f"    {f}, {g} = {g}, {f}")
        self.emit(f"{v} = {f}({self.integer(dtype, 1, ITEM)})")
        self.declare(v, dtype, ITEM)

    def matched(self, flow: Flow) -> None:
        """Go one of several ways by a match."""
        rank = self.rank(flow)
        inner = self.below(flow, rank)
        x = self.fresh("x")
        self.emit(f"match {self.small(rank, 2)} % 6:")
        cases = ["case 0:", f"case 1 | {self.rng.randint(2, 3)}:",
                 f"case {x} if {x} > {self.rng.randint(2, 5)}:", "case _:"]
        with self.inside():
            for case in cases[:self.rng.randint(1, 3)] + cases[3:] * self.often(0.6):
                self.emit(case)
                self.block(inner)

    def ping_pong(self, flow: Flow) -> None:
        """Let two private arrays change places."""
        dtype, n = self.some(), self.rng.randint(2, 4)
        a, b, src, dst, k, j, v = (self.fresh(x) for x in ("pa", "pa", "src", "dst", "q", "q", "v"))
        for name in (a, b):
            self.emit(f"{name} = sycl.private_array(np.{dtype}, {n})")
            self.emit(f"for {j} in range({n}):")
            self.emit(f"    {name}[{j}] = {self.integer(dtype, 1, ITEM)}")
        self.emit(f"{src}, {dst} = {a}, {b}")
        self.emit(f"for {k} in range({self.bound(ITEM, 3)}):")
        self.emit(f"    for {j} in range({n}):")
        self.emit(f"        {dst}[{j}] = {src}[({j} + 1) % {n}] {self.pick('+', '^')} "
                  f"{self.leaf(dtype, ITEM)}")
        if self.often(0.5):
            self.emit(f"    if {self.condition(1, ITEM)}:")
            self.emit(f"        {src}, {dst} = {dst}, {src}")
        else:
            self.emit(f"    {src}, {dst} = {dst}, {src}")
        self.emit(f"{v} = {src}[{self.small(ITEM, 1)} % {n}]")
        self.declare(v, dtype, ITEM)

    def viewed(self, flow: Flow) -> None:
        """Read or write an array with strides."""
        dtype = self.some()
        if self.linear == "lin" and self.often(0.4):
            name = self.use(f"z{self.pick('back', 'column')}o_{dtype}")
            self.emit(f"{name}[lin] {self.pick('', '^')}= {self.integer(dtype, 1, ITEM)}")
            return
        v, rank = self.fresh("v"), self.rng.choice((ITEM, GROUP))
        name = self.use(f"z{self.pick('back', 'column', 'one')}_{dtype}")
        self.emit(f"{v} = {name}[{self.index(rank)}]")
        self.declare(v, dtype, min(rank, flow.level))

    def small_atomic(self, flow: Flow) -> None:
        """Update integers of 8 and 16 bits atomically."""
        op, dtype = self.pick("add", "min", "max", "xor"), self.pick("int8", "uint8", "int16",
                                                                     "uint16")
        target = f"sycl.atomic_ref({self.use(f'c{op}_{dtype}')}, {self.small(ITEM, 2)} % 8"
        order = f", {RELAXED}" if self.often(0.5) else ""
        self.emit(f"{target}{order}).fetch_{op}({self.integer(dtype, 1, ITEM)})")


