"""Random structs of the kernel language: classes with nested structs, arrays and methods.

The fields of an object are variables and private arrays like any others (``z1.a``, ``z1.c``).
Non-goals: structured dtypes without a class. Invariant: no two names stand for one object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.property.expressions import GROUP, INTEGERS, ITEM, PrivateArray, Variable
from tests.property.statements import Flow
from tests.property.tuples import Tuples


@dataclass(frozen=True)
class Class:
    """A class: its numbers and its arrays by path, and what its methods take and return."""

    name: str
    numbers: tuple[tuple[str, str], ...]
    arrays: tuple[tuple[str, str, int], ...]
    methods: tuple[tuple[str, str, str], ...] = ()

    def has(self, dtype: str) -> bool:
        return any(t == dtype for _, t in self.numbers) or any(
            t == dtype for _, t, _ in self.arrays)


class Records(Tuples):
    """Statements with structs."""

    def __init__(self, rng: Random, size: int, dtypes: tuple[str, ...]) -> None:
        super().__init__(rng, size, dtypes)
        self.classes: list[Class] = []
        self.objects: dict[str, tuple[Class, int]] = {}
        if self.often(0.4):
            self.define(())
            if self.often(0.5):
                self.define(tuple(self.classes))

    def define(self, inner: tuple[Class, ...]) -> None:
        """Write a class, perhaps with another one's object in it."""
        name, lines = f"S{len(self.classes)}", []
        numbers: list[tuple[str, str]] = []
        arrays: list[tuple[str, str, int]] = []
        for k in range(self.rng.randint(1, 3)):
            dtype = self.rng.choice(self.dtypes)
            numbers.append((f"a{k}", dtype))
            lines.append(f"    a{k}: np.{dtype if dtype != 'bool' else 'bool_'}")
        if self.often(0.6):
            dtype = self.rng.choice([t for t in self.dtypes if t != "bool"])
            arrays.append(("c", dtype, self.rng.randint(1, 4)))
            lines.append(f"    c: (np.{dtype}, {arrays[-1][2]})")
        for one in inner:
            numbers += [(f"s.{path}", t) for path, t in one.numbers]
            arrays += [(f"s.{path}", t, n) for path, t, n in one.arrays]
            lines.insert(self.rng.randint(0, len(lines)), f"    s: {one.name}")
        made = Class(name, tuple(numbers), tuple(arrays))
        methods, text = [], []
        for k in range(self.rng.randint(1, 2)):
            taken, given = (self.rng.choice(self.dtypes) for _ in range(2))
            methods.append((f"m{k}", taken, given))
            text += ["", *self.method(made, f"m{k}", taken, given)]
        self.functions += ["@sycl.is_device_copyable.register", "@dataclass", f"class {name}:",
                           *lines, *text, "", ""]
        self.classes.append(Class(name, made.numbers, made.arrays, tuple(methods)))

    def method(self, of: Class, name: str, taken: str, given: str) -> list[str]:
        """Return the lines of a method that reads and changes its object."""
        kept = (self.lines, self.indent, self.scope, self.weak, self.arrays, self.assignable,
                self.pure)
        self.lines, self.indent, self.scope, self.weak, self.arrays = [], 2, [], [], []
        self.assignable, self.pure = set(), True
        self.fields("self", of, ITEM)
        self.scope.append(Variable("x", taken, ITEM))
        if self.often(0.5):
            self.emit(f"if {self.condition(1, ITEM)}:")
            self.emit(f"    return {self.value(given, 1)}")
        if of.arrays and self.often(0.7):
            path, dtype, count = self.rng.choice(of.arrays)
            self.emit(f"for q in range({count}):")
            self.weak.append(Variable("q", "int", GROUP))
            self.emit(f"    self.{path}[q] = {self.value(dtype, 1)}")
            if self.often(0.5):
                self.emit(f"    if {self.condition(1, ITEM)}:")
                self.emit("        " + self.pick("break", "continue",
                                                 f"return {self.value(given, 0)}"))
            self.weak.pop()
        for path, dtype in of.numbers:
            if self.often(0.5):
                self.emit(f"self.{path} = {self.value(dtype, 1)}")
        self.emit(f"return {self.value(given, 1)}")
        lines = self.lines
        (self.lines, self.indent, self.scope, self.weak, self.arrays, self.assignable,
         self.pure) = kept
        return [f"    def {name}(self, x):", *lines]

    def fields(self, name: str, of: Class, rank: int) -> None:
        """Declare the fields of an object."""
        for path, dtype in of.numbers:
            self.declare(f"{name}.{path}", dtype, rank)
        if rank == ITEM:
            for path, dtype, count in of.arrays:
                self.arrays.append(PrivateArray(f"{name}.{path}", dtype, count))
                self.assignable.add(f"{name}.{path}")

    # ---- values
    def leaf(self, dtype: str, rank: int) -> str:
        having = [c for c in self.classes if c.has(dtype)]
        if self.pure or not having or self.often(0.85):
            return super().leaf(dtype, rank)
        of = self.rng.choice(having)
        return f"{self.use(of.name.lower())}[{self.index(rank)}].{self.part(of, dtype, rank)}"

    def part(self, of: Class, dtype: str, rank: int) -> str:
        """Return the path to a number of a type in an object."""
        ways = [path for path, t in of.numbers if t == dtype]
        ways += [f"{path}[{self.small(rank, 1)} % {n}]" for path, t, n in of.arrays if t == dtype]
        return self.rng.choice(ways)

    # ---- statements
    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        ways = super().extra(flow, deep=deep)
        if self.classes:
            ways += [(3, self.introduce_object), (3, self.call_method), (4, self.store_object)]
        return ways

    def mine(self, level: int) -> list[str]:
        """Return the objects at hand that items of a level may change."""
        return [k for k, (of, rank) in self.objects.items() if rank <= level
                and f"{k}.{of.numbers[0][0]}" in self.assignable]

    def introduce_object(self, flow: Flow) -> None:
        """Copy an object from memory to a name, a new one or not."""
        known = [k for k in self.mine(flow.level) if self.objects[k][1] == ITEM]
        if known and self.often(0.4):
            name = self.rng.choice(known)
            of, rank = self.objects[name]
            self.emit(f"{name} = copy.copy({self.use(of.name.lower())}[{self.index(rank)}])")
            return
        of, rank = self.rng.choice(self.classes), self.rng.randint(0, flow.level)
        name = self.fresh("z")
        self.emit(f"{name} = copy.copy({self.use(of.name.lower())}[{self.index(rank)}])")
        self.objects[name] = of, rank
        self.fields(name, of, rank)

    def call_method(self, flow: Flow) -> None:
        """Call a method of an object of a name or in memory."""
        known = [k for k in self.mine(flow.level) if self.objects[k][1] == ITEM]
        v = self.fresh("v")
        if known and self.often(0.6):
            owner = self.rng.choice(known)
            of = self.objects[owner][0]
        elif self.outputs and self.linear:
            of = self.rng.choice(self.classes)
            owner = f"{self.use(of.name.lower() + 'o')}[{self.linear}]"
        else:
            self.introduce_object(flow)
            return
        name, taken, given = self.rng.choice(of.methods)
        self.emit(f"{v} = {owner}.{name}({self.value(taken, 1)})")
        self.declare(v, given, ITEM)

    def store_object(self, flow: Flow) -> None:
        """Write an object, or a part of one, to memory."""
        if not self.outputs or not self.linear:
            self.introduce_object(flow)
            return
        known = [k for k in self.objects if f"{k}.{self.objects[k][0].numbers[0][0]}" in {
            v.name for v in self.scope}]
        if known and self.often(0.4):
            name = self.rng.choice(known)
            of = self.objects[name][0]
            self.emit(f"{self.use(of.name.lower() + 'o')}[{self.linear}] = {name}")
            return
        of = self.rng.choice(self.classes)
        dtype = self.rng.choice([t for _, t in of.numbers])
        place = f"{self.use(of.name.lower() + 'o')}[{self.linear}].{self.part(of, dtype, ITEM)}"
        if dtype in INTEGERS and self.often(0.4):
            self.emit(f"{place} {self.pick('+', '-', '^')}= {self.integer(dtype, 1, ITEM)}")
        else:
            self.emit(f"{place} = {self.value(dtype, self.deep())}")
