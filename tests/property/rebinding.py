"""Random programs that give a name values of several types, one after another or by the path.

Non-goals: names that some path leaves without a value. Invariant: where values of several types
meet, they are only stored and compared, or meet a number that makes them one type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from tests.property.expressions import GROUP, INTEGERS, ITEM, Variable
from tests.property.statements import Flow, Statements

NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32")


class Rebinding(Statements):
    """Statements that bind names anew.

    ``own`` are the names that got their value in the block at hand, on every way through it.
    """

    own: frozenset[str] = frozenset()

    @contextmanager
    def inside(self) -> Iterator[None]:
        kept, self.own = self.own, frozenset()
        with super().inside():
            yield
        self.own = kept

    def introduce(self, flow: Flow) -> None:
        before = len(self.scope)
        super().introduce(flow)
        self.own |= {v.name for v in self.scope[before:]}

    def function(self, flow: Flow, dtype: str, level: int) -> str:
        kept, self.own = self.own, frozenset(f"x{k}" for k in range(2))
        text = super().function(flow, dtype, level)
        self.own = kept
        return text

    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        ways = super().extra(flow, deep=deep)
        ways += [(2, self.rebind), (1, self.meeting), (1, self.absorbed)]
        if not deep:
            ways += [(1, self.apart), (1, self.several_results)]
        return ways

    def rebind(self, flow: Flow) -> None:
        """Give a name a value of another type, made of its old one or not."""
        mine = [k for k, v in enumerate(self.scope) if v.name in self.own
                and v.name in self.assignable and v.dtype in (*INTEGERS, "float32", "float64")]
        if not mine:
            self.introduce(flow)
            return
        k = self.rng.choice(mine)
        v = self.scope[k]
        dtype = self.rng.choice([t for t in self.dtypes if t != "bool"] or ["int16"])
        if v.dtype in INTEGERS and dtype in INTEGERS and self.often(0.6):
            self.emit(f"{v.name} = np.{dtype}({v.name})")
            rank = v.rank
        else:
            rank = self.rng.randint(0, flow.level)
            self.emit(f"{v.name} = {self.value(dtype, self.deep(), rank)}")
        self.scope[k] = replace(v, dtype=dtype, rank=min(rank, flow.level))

    def apart(self, flow: Flow) -> None:
        """Give a name values of other types in branches that never meet."""
        rank = self.rank(flow)
        inner = self.below(flow, rank)
        name = self.fresh("r")
        for head in (f"if {self.condition(1, rank)}:", "else:"):
            dtype = self.rng.choice(self.dtypes)
            self.emit(head)
            with self.inside():
                self.emit(f"{name} = {self.value(dtype, 1, ITEM)}")
                self.scope.append(Variable(name, dtype, ITEM))
                self.store(inner)
                self.assign(inner)
        dtype = self.rng.choice(self.dtypes)
        self.emit(f"{name} = {self.value(dtype, 1, ITEM)}")
        self.declare(name, dtype, ITEM)

    def stored_whole(self, text: str) -> None:
        """Store a whole number of 64 bits at most in an output of integers, or compare it."""
        places = [(name, dtype, at) for name, dtype, at in self.outputs if dtype in INTEGERS
                  and "rows_" not in at]
        if places and self.linear and self.often(0.7):
            name, dtype, at = self.rng.choice(places)
            self.emit(f"{self.use(name)}[{at}] = np.int64({text}).astype(np.{dtype})")
            return
        flag = self.fresh("v")
        self.emit(f"{flag} = np.bool_({text} {self.pick('<', '>=', '==')} "
                  f"{self.rng.randint(-3, 90)})")
        self.declare(flag, "bool", ITEM)

    def meeting(self, flow: Flow) -> None:
        """Let integers of two types meet where no result can depend on which it is."""
        name, rank = self.fresh("m"), self.rank(flow)
        first, second = self.rng.sample(NARROW, 2)
        if self.often(0.4):
            self.emit(f"{name} = {self.value(first, 1)} if {self.condition(1, ITEM)} else "
                      f"{self.value(second, 1)}")
        else:
            begin = self.small(ITEM, 2) if self.often(0.3) else self.value(first, 1)
            self.emit(f"{name} = {begin}")
            self.emit(f"if {self.condition(1, rank)}:")
            self.emit(f"    {name} = {self.value(second, 1)}")
        if self.often(0.3):  # a type that holds both makes it one
            self.emit(f"{name} = {name} + np.int64({self.rng.randint(0, 9)})")
            self.declare(name, "int64", ITEM)
            return
        self.stored_whole(name)
        if self.often(0.5):
            self.stored_whole(name)

    def absorbed(self, flow: Flow) -> None:
        """Start a sum with a literal of Python's."""
        name = self.fresh("v")
        dtype = self.rng.choice([t for t in self.dtypes if t in INTEGERS] or ["int32"])
        self.emit(f"{name} = {self.rng.randint(0, 5)}")
        turns = self.fresh("i")
        self.emit(f"for {turns} in range({self.rng.randint(1, 3)}):")
        self.emit(f"    {name} = {name} {self.pick('+', '^', '|')} {self.leaf(dtype, ITEM)}")
        self.declare(name, dtype, ITEM)

    def several_results(self, flow: Flow) -> None:
        """Write a function that returns integers of two types; store or compare its result."""
        name, x = self.fresh("f"), "x0"
        first, second = self.rng.sample(NARROW, 2)
        self.functions += [
            f"def {name}({x}):", f"    if {x} % 3 == {self.rng.randint(0, 2)}:",
            f"        {x} = np.{first}({x} % 100)", f"        return {x} + {x}",
            f"    return np.{second}({x} % 50)", "", ""]
        self.stored_whole(f"{name}({self.integer('int32', 1, GROUP if self.often(.3) else ITEM)})")
