"""Random work of whole groups: scans of memory, tiles, atomics of floats, hierarchical memory.

Non-goals: group functions on values (``programs``). Invariant: parts of memory that a group writes
are its own, and between a write and another item's read lies a barrier.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from tests.property.expressions import FLOATS, GROUP, INTEGERS, ITEM, PrivateArray, Variable
from tests.property.records import Records
from tests.property.statements import RELAXED, Flow

CELLS = 32
"""How many elements of ``j`` memory each work-group has to itself."""


class Groups(Records):
    """Statements with more operations of groups."""

    kind: str
    local: tuple[int, ...]
    threads: int
    place: str
    way = "direct"

    def __init__(self, rng: Random, size: int, dtypes: tuple[str, ...]) -> None:
        super().__init__(rng, size, dtypes)
        self.cells: list[tuple[str, str]] = []
        self.physical = False

    def barrier(self, flow: Flow) -> None:
        """Write a barrier of the work-group."""
        self.emit(self.pick("sycl.group_barrier(it.get_group())", "it.barrier()"))

    def extra(self, flow: Flow, *, deep: bool) -> list[tuple[int, Callable[[Flow], object]]]:
        ways = super().extra(flow, deep=deep) + [(1, self.atomic_float)]
        if not flow.repeated:
            ways.append((1, self.exchanged))
        if self.kind == "nd_range" and flow.level == GROUP:
            ways += [(1, self.joint_scan), (1, self.joint_vote), (2, self.tile), (1, self.fetched)]
        if self.kind == "work_group" and flow.returns == "" and "hi" not in self.handles:
            ways += [(3, self.shared), (4, self.own_cells)]
        if self.physical and self.cells:
            ways += [(3, self.use_cell)]
        return ways

    def function(self, flow: Flow, dtype: str, level: int) -> str:
        kept, self.physical = self.physical, False
        text = super().function(flow, dtype, level)
        self.physical = kept
        return text

    def leaf(self, dtype: str, rank: int) -> str:
        if self.way == "buffers" and dtype in INTEGERS and not self.pure and self.often(0.06):
            x, y = (f"{self.small(rank, 1)} % {n}" for n in (7, 5))
            pixel = f"{self.use('g_image')}.read(sycl.int2({x}, {y})).{self.pick(*'xyzw')}"
            return f"np.{dtype}({pixel})"
        return super().leaf(dtype, rank)

    # ---- atomics
    def atomic_float(self, flow: Flow) -> None:
        """Add exact floats, or take the least or greatest, in any order."""
        dtype, op = self.pick("float32", "float64"), self.pick("add", "sub", "min", "max")
        name = self.use(f"c{op}_{dtype}" if op != "sub" else f"cadd_{dtype}")
        self.emit(f"sycl.atomic_ref({name}, {self.small(ITEM, 1)} % 8, {RELAXED})"
                  f".fetch_{op}({self.wrapped(dtype, 1, ITEM)})")

    def exchanged(self, flow: Flow) -> None:
        """Change an integer by an operator, or by compare-and-exchange until it succeeds."""
        dtype = self.pick("int32", "uint32", "int64", "uint64")
        ref, old, ok = self.fresh("r"), self.fresh("e"), self.fresh("k")
        op, way = self.rng.choice((("+", "add"), ("^", "xor"), ("|", "or")))
        name = self.use(f"c{way}_{dtype}")
        self.emit(f"{ref} = sycl.atomic_ref({name}, {self.small(ITEM, 1)} % 8, {RELAXED})")
        value = self.integer(dtype, 1, ITEM)
        if self.often(0.6):
            self.emit(f"{ref} {op}= {value}")
            return
        more = self.fresh("v")
        self.emit(f"{more} = {value}")
        self.emit(f"{old} = {ref}.load()")
        self.emit("while True:")
        self.emit(f"    {ok}, {old} = {ref}.compare_exchange_{self.pick('strong', 'weak')}("
                  f"{old}, {old} {op} {more})")
        self.emit(f"    if {ok}:")
        self.emit("        break")

    # ---- work-groups
    def joint_scan(self, flow: Flow) -> None:
        """Scan a part of memory together, wait, read what was written."""
        dtype = self.rng.choice([t for t in self.dtypes if t != "bool"])
        lo, at, v = self.fresh("lo"), self.fresh("at"), self.fresh("v")
        count = min(self.rng.randint(1, 19 if dtype in FLOATS else CELLS), self.size)
        self.emit(f"{lo} = {self.small(GROUP, 1)} % {self.size - count + 1}")
        self.emit(f"{at} = it.get_group().get_group_linear_id() * {CELLS}")
        out = self.use(f"j_{dtype}")
        source = f"{self.use(f'a_{dtype}')}[{lo}:{lo} + {count}]"
        target = f"{out}[{at}:{at} + {count}]"
        op = self.pick("plus", "minimum", "maximum") if dtype in FLOATS else \
            self.pick("plus", "minimum", "maximum", "bit_and", "bit_or", "bit_xor", "multiplies")
        group = "it.get_group()"
        init = self.value(dtype, 0, GROUP)
        if self.often(0.5):
            rest = f"sycl.{op}, {init}" if self.often(0.5) else f"sycl.{op}"
            self.emit(f"sycl.joint_inclusive_scan({group}, {source}, {target}, {rest})")
        else:
            rest = f"{init}, sycl.{op}" if self.often(0.5) or dtype in FLOATS else f"sycl.{op}"
            self.emit(f"sycl.joint_exclusive_scan({group}, {source}, {target}, {rest})")
        self.barrier(flow)
        rank = self.rng.choice((ITEM, GROUP))
        self.emit(f"{v} = {out}[{at} + ({self.small(rank, 1)}) % {count}]")
        self.declare(v, dtype, min(rank, flow.level))
        self.barrier(flow)

    def joint_vote(self, flow: Flow) -> None:
        """Ask something of a part of memory together."""
        dtype = self.rng.choice([t for t in self.dtypes if t != "bool"])
        lo, v, e = self.fresh("lo"), self.fresh("v"), self.fresh("e")
        self.emit(f"{lo} = {self.small(GROUP, 1)} % {self.size // 2}")
        data = f"{self.use(f'a_{dtype}')}[{lo}:{lo} + {self.rng.randint(0, 40) % self.size // 2}]"
        test = f"lambda {e}: {e} {self.pick('<', '>=', '!=')} {self.rng.randint(0, 3)}"
        self.emit(f"{v} = np.bool_(sycl.joint_{self.pick('any', 'all', 'none')}_of("
                  f"it.get_group(), {data}, {test}))")
        self.declare(v, "bool", GROUP)

    def tile(self, flow: Flow) -> None:
        """Write a tile of the work-group's shape, wait, read what neighbours wrote, wait."""
        dtype, v = self.rng.choice(self.dtypes), self.fresh("v")
        tile = self.use(f"w{self.rng.randint(0, 1)}_{dtype}")
        ids = [f"it.get_local_id({d})" for d in range(len(self.local))]
        self.emit(f"{tile}[{', '.join(ids)}] = {self.value(dtype, self.deep())}")
        self.barrier(flow)
        near = [self.pick(x, f"({x} + {self.rng.randint(0, n)}) % {n}", f"{n - 1} - {x}",
                          f"max({x} - 1, 0)", f"min({x} + 1, {n - 1})")
                for x, n in zip(ids, self.local, strict=True)]
        at = self.pick(", ".join(near), "][".join(near))
        self.emit(f"{v} = {tile}[{at}]")
        self.declare(v, dtype, ITEM)
        self.barrier(flow)

    def fetched(self, flow: Flow) -> None:
        """Copy a part of memory to local memory with all items of the group."""
        dtype, v, e = self.rng.choice(self.dtypes), self.fresh("v"), self.fresh("e")
        tile, step = self.use(f"u_{dtype}"), self.rng.randint(1, 3)
        lo = f"{self.small(GROUP, 1)} % {self.size // 2 - 16}" if self.size > 40 else "0"
        step = step if self.size > 40 else 1
        many = self.rng.randint(1, 8)
        stride = f", {step}" if step > 1 else ""
        source = self.use(f"a_{dtype}")
        self.emit(f"{e} = it.async_work_group_copy({tile}[0:{many}], "
                  f"{source}[{lo}:{self.size}], {many}{stride})")
        self.emit(self.pick(f"it.wait_for({e})", f"{e}.wait()"))
        rank = self.rng.choice((ITEM, GROUP))
        self.emit(f"{v} = {tile}[({self.small(rank, 1)}) % {many}]")
        self.declare(v, dtype, min(rank, flow.level))
        self.barrier(flow)

    # ---- hierarchical kernels
    def shared(self, flow: Flow) -> None:
        """Declare an array of the group's, or write in one, at group scope."""
        mine = [a for a in self.arrays if a.name in self.assignable and a.name.startswith("ga")]
        if mine and self.often(0.5):
            a = self.rng.choice(mine)
            self.emit(f"{a.name}[{self.small(GROUP, 1)} % {a.size}] = "
                      f"{self.value(a.dtype, 1, GROUP)}")
            return
        if flow.depth or flow.repeated:
            return
        dtype, size = self.rng.choice(self.dtypes), self.rng.randint(1, 6)
        name, k = self.fresh("ga"), self.fresh("q")
        self.emit(f"{name} = sycl.private_array(np.{dtype if dtype != 'bool' else 'bool_'}, "
                  f"{size})")
        self.emit(f"for {k} in range({size}):")
        self.weak.append(Variable(k, "int", GROUP))
        self.emit(f"    {name}[{k}] = {self.value(dtype, 1, GROUP)}")
        self.weak.pop()
        self.arrays.append(PrivateArray(name, dtype, size))
        self.assignable.add(name)

    def own_cells(self, flow: Flow) -> None:
        """Give each physical item a private cell and fill it."""
        if flow.depth or flow.repeated or len(self.cells) > 1:
            return
        dtype, name = self.rng.choice(self.dtypes), self.fresh("pm")
        kind = dtype if dtype != "bool" else "bool_"
        self.emit(f"{name} = sycl.private_memory(np.{kind}, it)")
        fill = self.fresh("body")
        self.emit(f"def {fill}(hi):")
        ids = " + ".join(f"hi.get_local_id({d}) * {math.prod(self.local[d + 1:])}"
                         for d in range(len(self.local)))
        base = f"np.{dtype}({ids})" if dtype in INTEGERS else self.value(dtype, 1, GROUP)
        self.emit(f"    {name}[hi] = {base}")
        self.emit(f"it.parallel_for_work_item({fill})")
        self.cells.append((name, dtype))

    def use_cell(self, flow: Flow) -> None:
        """Read or change the item's own cell."""
        name, dtype = self.rng.choice(self.cells)
        if self.often(0.5):
            v = self.fresh("v")
            self.emit(f"{v} = {name}[hi]")
            self.declare(v, dtype, ITEM)
        elif dtype in INTEGERS and self.often(0.5):
            self.emit(f"{name}[hi] {self.pick('+', '^')}= {self.integer(dtype, 1, ITEM)}")
        else:
            self.emit(f"{name}[hi] = {self.value(dtype, 1)}")
