"""Random programs that keep things in memory: records and vectors that change places, pointers.

Swaps in private, local and global memory, local arrays that change places, atomics of members of
records, of elements of vectors and of pointers kept in memory, names that a loop gives their value,
and programs that have to be refused. Non-goals: what the other writers do. Invariants:
no two items write one place without atomics or barriers; nothing else looks at what an atomic
changes; a program with a line ``# refused: K...`` means nothing and must not compile.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.property.expressions import GROUP, INTEGERS, ITEM
from tests.property.records import Class
from tests.property.sequences import Sequences
from tests.property.statements import RELAXED, Flow
from tests.property.vectors import HEADS, made, parts

CELLS = 8
"""How many elements memory of atomics has."""


class Kept(Sequences):
    """Statements about what is kept in memory."""

    def __init__(self, rng: Random, size: int, dtypes: tuple[str, ...]) -> None:
        super().__init__(rng, size, dtypes)
        self.operators: dict[str, str] = {}

    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        ways = super().extra(flow, deep=deep)
        ways += [(1, self.pointer)] * (self.way != "graph")
        things = self.things()
        if things:
            ways += [(2, self.atomic_part)]
            ways += [(2, self.swap_private)] * (not flow.repeated)
            ways += [(2, self.swap_own)] * bool(self.outputs and self.linear == "lin")
        if self.kind == "nd_range" and flow.level == GROUP:
            ways += [(2, self.swap_local)] * bool(things)
            ways += [(1, self.declared)] * (flow.depth == 0 and flow.returns == "")
            ways += [(2, self.local_ping_pong)] * (not deep and not flow.repeated)
        if not deep:
            ways.append((1, self.perhaps))
        return ways

    # ---- things that are more than a number
    def things(self) -> list[Class | str]:
        """Return the classes and types of vectors of the program."""
        return [*self.classes, *self.vectors]

    def thing(self, of: Class | str, rank: int = ITEM) -> str:
        """Return an expression of a new object."""
        if isinstance(of, str):
            return self.value(of, 1, rank)
        return f"copy.copy({self.use(of.name.lower())}[{self.index(rank)}])"

    def name_of(self, of: Class | str) -> str:
        """Return a thing's part of a parameter's name, and what ends it."""
        if isinstance(of, Class):
            return of.name.lower()
        kind, _, count = parts(of)
        return f"{HEADS[kind]}{count}"

    def memory(self, of: Class | str, suffix: str) -> str:
        """Return a parameter that holds things."""
        end = "" if isinstance(of, Class) else f"_{parts(of)[1]}"
        return self.use(f"{self.name_of(of)}{suffix}{end}")

    def number(self, of: Class | str) -> tuple[str, str]:
        """Return how to read a number of a thing, and its type."""
        if isinstance(of, str):
            return self.element(of, GROUP), parts(of)[1]
        path, dtype = self.rng.choice(of.numbers)
        return f".{path}", dtype

    # ---- swaps
    def swap(self, of: Class | str, memory: str, i: str, j: str, indent: str = "") -> None:
        """Exchange two things in memory, as Python users write it."""
        t = self.fresh("sw")
        copied = (lambda x: f"copy.copy({x})") if isinstance(of, Class) else str
        if self.often(0.4):
            self.emit(f"{indent}{memory}[{i}], {memory}[{j}] = "
                      f"{copied(f'{memory}[{j}]')}, {copied(f'{memory}[{i}]')}")
            return
        self.emit(f"{indent}{t} = {copied(f'{memory}[{i}]')}")
        self.emit(f"{indent}{memory}[{i}] = {memory}[{j}]")
        self.emit(f"{indent}{memory}[{j}] = {t}")

    def read(self, of: Class | str, memory: str, at: str, rank: int) -> None:
        """Read a number of a thing in memory."""
        path, dtype = self.number(of)
        v = self.fresh("v")
        self.emit(f"{v} = {memory}[{at}]{path}")
        self.declare(v, dtype, rank)

    def swap_private(self, flow: Flow) -> None:
        """Exchange things in private memory."""
        of, n = self.rng.choice(self.things()), self.rng.randint(2, 4)
        name, k = self.fresh("pr"), self.fresh("q")
        kind = of.name if isinstance(of, Class) else made(of)
        self.emit(f"{name} = sycl.private_array({kind}, {n})")
        self.emit(f"for {k} in range({n}):")
        self.emit(f"    {name}[{k}] = {self.thing(of)}")
        self.emit(f"for {k} in range({self.bound(ITEM, 3)}):")
        i = self.pick(f"{k} % {n}", f"{self.small(ITEM, 1)} % {n}")
        self.swap(of, name, i, self.pick(f"({k} + 1) % {n}", f"{n - 1}"), "    ")
        self.read(of, name, f"{self.small(ITEM, 1)} % {n}", ITEM)

    def swap_local(self, flow: Flow) -> None:
        """Exchange neighbours in local memory."""
        of, n = self.rng.choice(self.things()), self.threads
        name, lid = self.memory(of, "l"), self.place
        self.emit(f"{name}[{lid}] = {self.thing(of)}")
        self.barrier(flow)
        odd = self.rng.randint(0, 1)
        self.emit(f"if {lid} % 2 == {odd} and {lid} + 1 < {n}:")
        if self.often(0.3):
            self.emit(f"    if {self.condition(1, ITEM)}:")
            self.swap(of, name, lid, f"{lid} + 1", " " * 8)
        else:
            self.swap(of, name, lid, f"{lid} + 1", "    ")
        self.barrier(flow)
        rank = self.rng.choice((ITEM, ITEM, GROUP))
        at = f"({lid} + {self.rng.randint(0, n)}) % {n}" if rank == ITEM else \
            f"{self.small(GROUP, 1)} % {n}"
        self.read(of, name, at, rank)
        self.barrier(flow)

    def swap_own(self, flow: Flow) -> None:
        """Exchange two things in global memory that belong to one item."""
        of = self.rng.choice(self.things())
        self.swap(of, self.memory(of, "oo"), "2 * lin", "2 * lin + 1")

    def local_ping_pong(self, flow: Flow) -> None:
        """Let two local arrays change places between the turns of a loop."""
        dtype, n, lid = self.some(), self.threads, self.place
        a, b = self.use(f"t0_{dtype}"), self.use(f"t1_{dtype}")
        src, dst, k, v = (self.fresh(x) for x in ("src", "dst", "q", "v"))
        self.emit(f"{src}, {dst} = {a}, {b}")
        self.emit(f"{src}[{lid}] = {self.value(dtype, 1)}")
        self.barrier(flow)
        self.emit(f"for {k} in range({self.bound(GROUP, 3)}):")
        step = self.pick(f"({lid} + {k}) % {n}", f"{n - 1} - {lid}", f"max({lid} - 1, 0)")
        self.emit(f"    {dst}[{lid}] = {src}[{step}] {self.pick('+', '^')} "
                  f"{self.leaf(dtype, ITEM)}")
        indent = "    "
        if self.often(0.3):
            self.emit(f"    if {self.condition(1, GROUP)}:")
            indent = " " * 8
        self.emit(f"{indent}{src}, {dst} = {dst}, {src}")
        self.emit("    sycl.group_barrier(it.get_group())")
        self.emit(f"{v} = {src}[({lid} + {self.rng.randint(0, n)}) % {n}]")
        self.declare(v, dtype, ITEM)
        self.barrier(flow)

    def declared(self, flow: Flow) -> None:
        """Declare local memory in the kernel, write it, let some items write it again, read it."""
        dtype, name, v = self.some(), self.fresh("gl"), self.fresh("v")
        n = self.rng.choice((1, 1, 2, 8))
        self.emit(f"{name} = sycl.ext.oneapi.group_local_memory_for_overwrite("
                  f"(np.{dtype}, {n}), it.get_group())")
        at = f"{self.place} % {n}" if self.often(0.3) and n > 1 else "0"
        self.emit(f"{name}[{at}] = {self.constant(dtype)}")
        self.barrier(flow)
        self.emit(f"if {self.condition(1, ITEM)}:")
        self.emit(f"    {name}[{at}] = {self.constant(dtype)}")
        self.barrier(flow)
        self.emit(f"{v} = {name}[{at}]")
        self.declare(v, dtype, ITEM)
        self.barrier(flow)

    # ---- atomics
    def operator(self, place: str, dtype: str) -> str:
        """Return the one operator that changes a place in this program."""
        ways = ("add", "min", "max", "xor", "or", "and") if dtype in INTEGERS else \
            ("min", "max", "add") if dtype != "float16" else ("min", "max")
        return self.operators.setdefault(place, self.rng.choice(ways))

    def atomic_part(self, flow: Flow) -> None:
        """Update a member of a record, or an element of a vector, atomically."""
        of = self.rng.choice(self.things())
        at = f"{self.small(ITEM, 2)} % {CELLS}"
        name = self.memory(of, "c")
        if isinstance(of, str):
            _, dtype, count = parts(of)
            k = self.rng.randrange(count)
            part = f"'{'xyzw'[k]}'" if count <= 4 and "vec" in of and self.often(0.5) else str(k)
            path = str(k)  # 'x' and 0 are one place
        else:
            path, dtype, n = self.rng.choice([*((p, t, 0) for p, t in of.numbers), *of.arrays])
            part = ", ".join(f"'{x}'" for x in path.split("."))
            part += f", {self.rng.randrange(n)}" if n else ""
        if dtype == "bool":
            self.assign(flow)
            return
        op = self.operator(f"{name} {path}", dtype)
        order = f", {RELAXED}" if self.often(0.5) else ""
        if isinstance(of, Class) and part.count(",") == 0 and self.often(0.3):
            target = f"{name}[{at}], {part}"
        else:
            target = f"{name}, ({at}, {part})"
        value = self.value(dtype, 1)
        self.emit(f"sycl.atomic_ref({target}{order}).fetch_{op}({value})")

    def pointer(self, flow: Flow) -> None:
        """Move a pointer in memory, read through one, or update what it points to."""
        dtype = self.some()
        k = f"{self.small(ITEM, 2)} % {CELLS}"
        way = self.rng.randint(0, 2)
        if way == 0:
            self.emit(f"sycl.atomic_ref({self.use(f'hmove_{dtype}')}, {k})"
                      f".fetch_{self.pick('add', 'sub')}({self.rng.randint(1, 3)})")
        elif way == 1:
            v = self.fresh("v")
            self.emit(f"{v} = {self.use(f'hread_{dtype}')}[{k}][{self.small(ITEM, 1)} % 4]")
            self.declare(v, dtype, ITEM)
        else:
            self.emit(f"sycl.atomic_ref({self.use(f'hadd_{dtype}')}[{k}], "
                      f"{self.small(ITEM, 1)} % 4).fetch_add({self.integer(dtype, 1, ITEM)})")

    # ---- names that only the path gives a value
    def perhaps(self, flow: Flow) -> None:
        """Read a name that a loop gives a value in some turn, which no compiler knows."""
        dtype, un, v, k = self.some(), self.fresh("un"), self.fresh("v"), self.fresh("q")
        self.emit(f"for {k} in range(1 + {self.bound(ITEM, 2)}):")
        indent = "    "
        if self.often(0.5):
            self.emit(f"    if {self.condition(1, ITEM)} or {k} == 0:")
            indent = " " * 8
        self.emit(f"{indent}{un} = {self.integer(dtype, 1, ITEM)}")
        self.emit(f"{v} = {un}")
        self.declare(v, dtype, ITEM)

    # ---- what has to be refused
    def refused(self) -> None:
        """Write what means something else than anybody meant."""
        if not self.classes or self.often(0.3):
            self.emit(f"if {self.linear} > 3:")
            self.emit(f"    un = {self.value('int32', 1)}")
            self.emit(f"{self.use('o0_int32')}[{self.linear}] = un  # refused: K031")
            return
        of = self.rng.choice(self.classes)
        name, i, j, way = self.memory(of, "oo"), "2 * lin", "2 * lin + 1", self.rng.randint(0, 2)
        if way:
            n, name = self.rng.randint(2, 4), "pr"
            self.emit(f"{name} = sycl.private_array({of.name}, {n})")
            i, j = (f"{self.small(ITEM, 1)} % {n}" for _ in range(2))
        if way == 2:
            self.emit(f"{name}[{i}], {name}[{j}] = {name}[{j}], {name}[{i}]  # refused: K125")
            return
        self.emit(f"t = {name}[{i}]")
        self.emit(f"{name}[{i}] = {self.pick(f'{name}[{j}]', self.thing(of))}")
        self.emit(f"{name}[{j}] = t  # refused: K125")
