"""Random statements of the kernel language: nested control flow, jumps, carried values, memory.

``Flow.level`` says which items certainly arrive together: GROUP allows barriers and group
functions, SUB_GROUP sub-group functions. Non-goals: group operations (``groups``). Invariant: no
variable is read before it has a value, no loop runs long, no two items write one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random

from tests.property.calls import Calls
from tests.property.expressions import (
    GROUP,
    INTEGERS,
    ITEM,
    SUB_GROUP,
    PrivateArray,
    Variable,
)

RELAXED = "sycl.memory_order.relaxed, sycl.memory_scope.device"


@dataclass(frozen=True)
class Flow:
    """Where a statement stands: its level, the innermost loop's, the function's, what is left.

    ``loop`` is None outside loops; ``returns`` the dtype a function gives back, '' for a kernel,
    None where nothing may return.
    """

    level: int
    function: int
    returns: str | None
    loop: int | None = None
    depth: int = 0
    cost: int = 1
    breaks: bool = True
    continues: bool = True
    repeated: bool = False


class Statements(Calls):
    """Writes the body of one function after another."""

    def __init__(self, rng: Random, size: int, dtypes: tuple[str, ...]) -> None:
        super().__init__(rng, size, dtypes)
        self.lines: list[str] = []
        self.functions: list[str] = []
        self.indent = 0
        self.count = 0
        self.outputs: list[tuple[str, str, str]] = []
        self.reducers: list[tuple[str, str, str]] = []
        self.assignable: set[str] = set()
        self.counters: set[str] = set()
        self.busy: set[str] = set()
        self.calls = 0
        self.max_depth = 3
        self.handles = ["it"]

    # ---- writing
    def emit(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def fresh(self, head: str) -> str:
        self.count += 1
        return f"{head}{self.count}"

    def deep(self) -> int:
        """Return how deep an expression becomes."""
        return self.rng.choice((0, 1, 1, 2))

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Write a block; what it declares goes out of scope behind it."""
        kept = list(self.scope), list(self.weak), list(self.arrays), set(self.assignable)
        self.indent += 1
        yield
        self.indent -= 1
        self.scope, self.weak, self.arrays, self.assignable = kept

    def declare(self, name: str, dtype: str, rank: int) -> None:
        if not any(v.name == name for v in self.scope):
            self.scope.append(Variable(name, dtype, rank))
        self.assignable.add(name)

    # ---- blocks
    def body(self, flow: Flow, count: int) -> bool:
        """Write up to ``count`` statements; return whether control surely jumps away."""
        start = len(self.lines)
        for _ in range(count):
            self.statement(flow)
        ended = flow.depth > 0 and self.often(0.15) and self.jump(flow)
        if len(self.lines) == start:
            self.emit("pass")
        return ended

    def block(self, flow: Flow, last: Callable[[], None] | None = None) -> bool:
        """Write an indented block; ``last`` adds a statement behind it if control gets there."""
        with self.inside():
            ended = self.body(flow, self.rng.randint(1, 3 if flow.depth < 2 else 2))
            if last is not None and not ended:
                last()
        return ended

    def statement(self, flow: Flow) -> None:
        deep = flow.depth >= self.max_depth or flow.cost > 60 or len(self.lines) > 90
        ways: list[tuple[int, Callable[[Flow], object]]] = [
            (6, self.assign), (4, self.introduce), (5, self.store), (1, self.private)]
        if not deep:
            ways += [(6, self.branch), (2, self.chosen), (4, self.counted), (3, self.whiled),
                     (2, self.unrolled)]
            if self.calls < 3:
                ways.append((2, self.call))
        if flow.loop is not None or flow.returns is not None:
            ways.append((2, self.guard))
        ways += self.extra(flow, deep=deep)
        self.rng.choices([w for _, w in ways], [k for k, _ in ways])[0](flow)

    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        """Return more ways to go on, with their weights."""
        ways: list[tuple[int, Callable[[Flow], object]]] = [(1, self.atomic)]
        if self.reducers:
            ways.append((3, self.reduce))
        return ways

    def passed(self, v: Variable) -> str:
        """Return a variable as an argument of a function that may change it."""
        return v.name

    # ---- values
    def assign(self, flow: Flow) -> None:
        names = [v for v in self.scope if v.rank <= flow.level and v.name in self.assignable]
        if not names:
            self.introduce(flow)
            return
        v = self.rng.choice(names)
        rank = max(v.rank, self.rng.choice((ITEM, ITEM, GROUP)))
        if v.dtype in INTEGERS and self.often(0.4):
            self.emit(f"{v.name} {self.pick('+', '-', '*', '^', '|', '&')}= "
                      f"{self.integer(v.dtype, 1, rank)}")
        else:
            self.emit(f"{v.name} = {self.value(v.dtype, self.deep(), rank)}")

    def introduce(self, flow: Flow) -> None:
        dtype, rank = self.rng.choice(self.dtypes), self.rng.randint(0, flow.level)
        name = self.fresh("v")
        self.emit(f"{name} = {self.value(dtype, self.deep(), rank)}")
        self.declare(name, dtype, rank)

    def store(self, flow: Flow) -> None:
        if not self.outputs or not self.linear:
            self.introduce(flow)
            return
        name, dtype, at = self.rng.choice(self.outputs)
        for part in ("rows_int64",):
            if part in at:
                self.use(part)
        place = f"{self.use(name)}[{at}]"
        if dtype in INTEGERS and self.often(0.3):
            op = self.pick("+", "^", "-")
            self.emit(f"{place} {op}= {self.integer(dtype, self.deep(), ITEM)}")
        elif dtype in INTEGERS and self.often(0.2):
            self.emit(f"{place} = {place} * 3 + {self.integer(dtype, 1, ITEM)}")
        else:
            rank = self.rng.choice((ITEM, ITEM, GROUP))
            self.emit(f"{place} = {self.value(dtype, self.deep(), rank)}")

    def private(self, flow: Flow) -> None:
        """Declare a private array or store in one; unrolled loops cannot declare them."""
        mine = [a for a in self.arrays if a.name in self.assignable]
        if not mine and flow.repeated:
            self.assign(flow)
            return
        if not mine or (not flow.repeated and self.often(0.3)):
            dtype, size = self.rng.choice(self.dtypes), self.rng.randint(1, 6)
            rank = self.rng.choice((ITEM, SUB_GROUP, GROUP))
            name, k, kind = self.fresh("pa"), self.fresh("q"), dtype + "_" * (dtype == "bool")
            self.emit(f"{name} = sycl.private_array(np.{kind}, {size})")
            self.emit(f"for {k} in range({size}):")
            self.weak.append(Variable(k, "int", GROUP))
            self.emit(f"    {name}[{k}] = {self.value(dtype, 1, rank)}")
            self.weak.pop()
            self.arrays.append(PrivateArray(name, dtype, size, rank))
            self.assignable.add(name)
            return
        a = self.rng.choice(mine)
        at = f"{a.name}[{self.small(a.rank or self.rng.choice((ITEM, GROUP)), 2)} % {a.size}]"
        self.emit(f"{at} = {self.value(a.dtype, self.deep(), a.rank)}")

    def atomic(self, flow: Flow) -> None:
        op = self.pick("add", "min", "max", "and", "or", "xor", "sub")
        dtype = self.pick("int32", "uint32", "int64", "uint64")
        name = self.use(f"c{op}_{dtype}")
        rank = self.rng.choice((ITEM, GROUP))
        self.emit(f"sycl.atomic_ref({name}, {self.small(rank, 2)} % 8, {RELAXED})"
                  f".fetch_{op}({self.integer(dtype, 1, self.rng.choice((ITEM, GROUP)))})")

    def reduce(self, flow: Flow) -> None:
        name, dtype, op = self.rng.choice(self.reducers)
        if op == "plus" and self.often(0.5):
            self.emit(f"{name} += {self.value(dtype, 1)}")
        else:
            self.emit(f"{name}.combine({self.value(dtype, 1)})")

    # ---- branches
    def rank(self, flow: Flow) -> int:
        """Return a rank for a condition or bound: often one that keeps the items together."""
        if flow.level == GROUP and self.often(0.55):
            return GROUP
        return self.rng.choice((ITEM, ITEM, ITEM, SUB_GROUP, GROUP))

    def below(self, flow: Flow, rank: int) -> Flow:
        return replace(flow, level=min(flow.level, rank), depth=flow.depth + 1)

    def branch(self, flow: Flow) -> None:
        rank = self.rank(flow)
        inner = self.below(flow, rank)
        self.emit(f"if {self.condition(self.deep(), rank)}:")
        self.block(inner)
        while self.often(0.25):
            self.emit(f"elif {self.condition(self.deep(), rank)}:")
            self.block(inner)
        if self.often(0.5):
            self.emit("else:")
            self.block(inner)

    def chosen(self, flow: Flow) -> None:
        """Give a variable its first value in the branches of an if."""
        rank = self.rank(flow)
        inner = self.below(flow, rank)
        dtype, name = self.rng.choice(self.dtypes), self.fresh("v")
        mine = self.rng.randint(0, inner.level)
        ended = []
        heads = [f"if {self.condition(self.deep(), rank)}:", "else:"]
        if self.often(0.3):
            heads.insert(1, f"elif {self.condition(1, rank)}:")
        for head in heads:
            self.emit(head)
            ended.append(self.block(
                inner, lambda: self.emit(f"{name} = {self.value(dtype, self.deep(), mine)}")))
        if not all(ended):
            self.declare(name, dtype, min(mine, rank))

    # ---- loops
    def looped(self, flow: Flow, rank: int, most: int) -> Flow:
        """Return the flow of a loop's body."""
        level = min(flow.level, rank)
        if level and self.often(0.35):
            level = ITEM
        return replace(flow, level=level, loop=level, depth=flow.depth + 1, breaks=True,
                       continues=True, cost=flow.cost * max(most, 1))

    def counted(self, flow: Flow) -> None:
        rank, most = self.rank(flow), self.rng.randint(1, 5)
        inner = self.looped(flow, rank, most)
        free = [k for k in ("i0", "i1", "i2", "i3", "i4", "i5") if k not in self.busy]
        name = self.rng.choice(free) if free else self.fresh("i")
        bound, after = self.bound(rank, most), self.often(0.35)
        if after:
            bound = f"1 + {bound}"
        span = self.pick(f"range({bound})", f"range({bound})", f"range({bound})",
                         f"range(2, 3 + {bound})", f"range({bound}, -1, -1)",
                         f"range(0, 2 * ({bound}), 2)")
        self.emit(f"for {name} in {span}:")
        counter = Variable(name, "int", min(flow.level, rank))
        self.busy.add(name)
        with self.inside():
            self.weak.append(counter)
            self.carried(inner, f"{name} > {span[6] if span[6] == '2' else 0}", span)
            self.tail(inner)
        self.otherwise(flow)
        self.busy.discard(name)
        if after:
            v = self.fresh("v")
            self.emit(f"{v} = np.int32({name} * 3)")
            self.declare(v, "int32", inner.level)

    def carried(self, flow: Flow, later: str, span: str) -> None:
        """Use a value of the iteration before, first given in the loop itself."""
        if self.often(0.7) or span.endswith(", -1, -1)"):
            return
        dtype, old, new = self.rng.choice(self.dtypes), self.fresh("v"), self.fresh("v")
        rank = self.rng.randint(0, flow.level)
        self.emit(f"if not ({later}):")
        self.emit(f"    {new} = {self.value(dtype, 1, rank)}")
        self.emit(f"{old} = {new}")
        self.declare(old, dtype, rank)
        if self.often(0.5):
            self.emit(f"if {self.condition(1, rank)}:")
            self.emit(f"    {new} = {self.value(dtype, self.deep(), rank)}")
        else:
            self.emit(f"{new} = {self.value(dtype, self.deep(), rank)}")
        self.declare(new, dtype, rank)

    def tail(self, flow: Flow) -> None:
        """Write a loop's body; its end may lose items that only go on to the next iteration."""
        ended = self.body(flow, self.rng.randint(1, 4 - min(flow.depth, 2)))
        if not ended and flow.level > ITEM and self.often(0.4):
            self.body(replace(flow, level=ITEM, loop=ITEM, breaks=False, returns=None), 2)

    def otherwise(self, flow: Flow) -> None:
        """Write what a loop does that no break has left."""
        if self.often(0.12):
            self.emit("else:")
            self.block(replace(flow, level=ITEM, depth=flow.depth + 1))

    def whiled(self, flow: Flow) -> None:
        rank, most = self.rank(flow), self.rng.randint(1, 5)
        inner = self.looped(flow, rank, most)
        name = self.fresh("w")
        self.emit(f"{name} = 0")
        form = self.rng.randint(0, 2)
        if form == 0:
            self.emit("while True:")
        elif form == 1:
            self.emit(f"while {name} < {self.bound(rank, most)}:")
        else:
            self.emit(f"while {name} < {most} and {self.condition(1, rank)}:")
        with self.inside():
            self.emit(f"{name} += 1")
            if form == 0:
                self.emit(f"if {name} > {self.bound(rank, most)}:")
                self.emit("    break")
            self.weak.append(Variable(name, "int", min(flow.level, rank)))
            self.carried(inner, f"{name} > 1", "range(0")
            self.tail(inner)
        self.otherwise(flow)
        if self.often(0.4):
            v = self.fresh("v")
            self.emit(f"{v} = np.int32({name})")
            self.declare(v, "int32", inner.level)

    def unrolled(self, flow: Flow) -> None:
        items = [self.rng.randint(0, 9) for _ in range(self.rng.randint(1, 3))]
        inner = replace(self.looped(flow, GROUP, len(items)), repeated=True)
        a, b = self.fresh("s"), self.fresh("s")
        if self.often(0.3):
            self.emit(f"for {a}, {b} in enumerate(({', '.join(map(str, items))},)):")
        else:
            self.emit(f"for {a} in ({', '.join(map(str, items))},):")
            b = a
        with self.inside():
            self.weak += [Variable(a, "int", GROUP), Variable(b, "int", GROUP)]
            self.tail(inner)
        self.otherwise(replace(flow, repeated=True))

    # ---- jumps
    def allowed(self, flow: Flow, level: int) -> list[str]:
        """Return the jumps items of a level may take."""
        found = []
        if flow.loop is not None and level >= flow.loop:
            found += ["break"] * flow.breaks + ["continue"] * flow.continues
        if flow.returns is not None and level >= flow.function:
            found.append("return")
        return found

    def jump(self, flow: Flow) -> bool:
        found = self.allowed(flow, flow.level)
        if not found:
            return False
        self.write_jump(self.rng.choice(found), flow)
        return True

    def write_jump(self, word: str, flow: Flow) -> None:
        value = f" {self.value(flow.returns, 1)}" if word == "return" and flow.returns else ""
        self.emit(word + value)

    def guard(self, flow: Flow) -> None:
        """Leave the loop or function if a condition holds."""
        rank = self.rank(flow)
        inner = self.below(flow, rank)
        found = self.allowed(inner, inner.level)
        if not found:
            self.assign(flow)
            return
        self.emit(f"if {self.condition(1, rank)}:")
        with self.inside():
            if self.often(0.5):
                self.assign(inner)
            self.write_jump(self.rng.choice(found), inner)

    # ---- functions
    def call(self, flow: Flow) -> None:
        """Write a function, and a call or two of it."""
        self.calls += 1
        dtype = self.rng.choice(self.dtypes)
        result = flow.level if self.often(0.5) else ITEM
        nested = self.often(0.3)
        text = self.closure(flow, dtype, result) if nested else self.function(flow, dtype, result)
        name = self.fresh("v")
        self.emit(f"{name} = {text}")
        self.declare(name, dtype, ITEM)

    def returning(self, flow: Flow, dtype: str, level: int) -> None:
        """Write the body of a function whose items leave together down to a level."""
        inner = Flow(level, level, dtype, depth=flow.depth + 1, cost=flow.cost,
                     repeated=flow.repeated)
        if not self.body(inner, self.rng.randint(1, 3)):
            self.body(replace(inner, level=ITEM, function=ITEM), self.rng.randint(0, 2))
            self.emit(f"return {self.value(dtype, self.deep())}")

    def closure(self, flow: Flow, dtype: str, level: int) -> str:
        """Write a function inside the function at hand; return a call of it."""
        name, x = self.fresh("h"), self.fresh("x")
        self.emit(f"def {name}({x}):")
        kept, reducers, busy = self.assignable, self.reducers, self.busy
        with self.inside():
            self.assignable, self.reducers, self.busy = set(), [], set()
            self.scope.append(Variable(x, "int32", ITEM))
            self.busy = {f"i{k}" for k in range(6)}
            self.returning(flow, dtype, level)
        self.assignable, self.reducers, self.busy = kept, reducers, busy
        return f"{name}({self.integer('int32', 1, ITEM)})"

    def function(self, flow: Flow, dtype: str, level: int) -> str:
        """Write a function of the module; return a call of it."""
        name = self.fresh("f")
        given = self.rng.sample(self.scope, min(len(self.scope), 2))
        weak = [v for v in self.weak if v.name.isidentifier()]
        arrays = [a for a in self.arrays if a.name.isidentifier()][:1]
        kept = (self.lines, self.indent, self.scope, self.weak, self.arrays, self.assignable,
                self.reducers, self.used, self.busy)
        self.lines, self.indent, self.reducers, self.used, self.busy = [], 1, [], set(), set()
        self.scope = [replace(v, name=f"x{k}") for k, v in enumerate(given)]
        self.assignable = {v.name for v in self.scope} | {a.name for a in arrays}
        self.weak, self.arrays = list(self.weak), list(arrays)
        self.returning(flow, dtype, level)
        lines, used = self.lines, self.used
        (self.lines, self.indent, self.scope, self.weak, self.arrays, self.assignable,
         self.reducers, self.used, self.busy) = kept
        self.used |= used
        rest = list(dict.fromkeys([*self.handles, *(v.name for v in weak),
                                   *(a.name for a in arrays),
                                   *sorted(used)]))
        head = ", ".join([*(f"x{k}" for k in range(len(given))), *rest])
        self.functions += [f"def {name}({head}):", *lines, "", ""]
        return f"{name}({', '.join([*map(self.passed, given), *rest])})"
