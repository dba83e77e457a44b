"""Whole random programs: range, nd_range, single and hierarchical kernels with their launch.

Non-goals: running them (``cases``). Invariant: ``program(seed)`` depends on the seed alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from tests.property.cases import Case
from tests.property.expressions import FLOATS, GROUP, INTEGERS, ITEM, SCALARS, SUB_GROUP, Variable
from tests.property.kept import Kept
from tests.property.statements import RELAXED, Flow
from tests.property.vectors import HEADS, parts

LOCALS: tuple[tuple[int, ...], ...] = (
    (1,), (3,), (5,), (7,), (8,), (16,), (17,), (24,), (32,), (33,), (48,), (64,), (4, 8), (3, 5),
    (2, 16), (16, 16), (2, 3, 4), (1, 1, 40), (5, 1), (1, 7, 3))
RANGES: tuple[tuple[int, ...], ...] = (
    (1,), (2,), (7,), (16,), (31,), (33,), (64,), (100,), (129,), (1000,), (1, 1), (3, 5), (4, 33),
    (17, 16), (5, 1), (2, 3, 4), (1, 1, 40), (3, 2, 17))
WIDE = (*INTEGERS, "float32", "float64")  # float16 does not hold sums of many
OPERATORS = {"plus": WIDE, "minimum": SCALARS[:-1], "maximum": SCALARS[:-1],
             "bit_and": INTEGERS, "bit_or": INTEGERS, "bit_xor": INTEGERS, "multiplies": INTEGERS,
             "own_add": INTEGERS, "own_max": SCALARS[:-1]}
IMPORTS = ("import copy", "import functools", "import math", "from dataclasses import dataclass",
           "from typing import NamedTuple", "",
           "import numpy as np", "", "import unisycl as sycl", "")
OWN = '''
def own_add(a, b):
    return a + b


def own_max(a, b):
    if a > b:
        return a
    return b

'''
Way = tuple[int, Callable[[Flow], object]]


class Kernels(Kept):
    """Statements with the operations of groups, and the frame of a kernel around them."""

    def __init__(self, rng: Random, kind: str, span: tuple[int, ...],
                 local: tuple[int, ...]) -> None:
        many = tuple(g * x for g, x in zip(span, local, strict=True)) if kind == "work_group" \
            else span
        self.items = max(math.prod(many), 64 * math.prod(span) if kind == "work_group" else 1)
        dtypes = tuple(rng.sample(SCALARS, rng.randint(2, 4)))
        super().__init__(rng, 2 * self.items + 40, dtypes)
        self.kind, self.span, self.local = kind, span, local
        self.threads = math.prod(local)
        self.sub_group = 0
        self.place = ""
        self.way = rng.choices(("direct", "bind", "graph", "buffers"), (4, 1, 1, 2))[0]
        if kind in ("single", "work_group") and self.way == "bind":
            self.way = "direct"
        self.constants = (rng.randint(0, 5), rng.randint(-3, 9))[:rng.randint(1, 2)] \
            if self.way != "bind" and self.often(0.12) else ()
        can = kind == "nd_range" or (kind == "range" and self.way != "bind")
        self.offset = tuple(rng.randint(0, 5) for _ in span) if can and self.often(0.1) else ()
        if kind == "nd_range" and self.often(0.6):
            self.sub_group = rng.choice((2, 4, 8, 16, 32))

    # ---- group operations
    def extra(self, flow: Flow, *, deep: bool) -> list[Way]:
        ways = super().extra(flow, deep=deep)
        if self.kind == "nd_range" and flow.level == GROUP:
            ways += [(1, self.barrier), (5, self.exchange), (4, self.together), (2, self.counting),
                     (1, self.joint)]
        if self.sub_group and flow.level >= SUB_GROUP:
            ways += [(3, self.together_small), (2, self.shuffle)]
        if self.kind == "work_group" and "hi" not in self.handles and flow.returns == "":
            ways += [(9, self.work_items)]
        return ways

    def exchange(self, flow: Flow) -> None:
        """Write a tile, wait, read what others wrote, wait."""
        dtype, n, lid = self.rng.choice(self.dtypes), self.threads, self.place
        tile, v = self.use(f"t{self.rng.randint(0, 1)}_{dtype}"), self.fresh("v")
        own = self.pick(lid, lid, f"{n - 1} - {lid}")
        self.emit(f"{tile}[{own}] = {self.value(dtype, self.deep())}")
        apart = Flow(ITEM, GROUP + 1, None, depth=self.max_depth, cost=flow.cost,
                     repeated=flow.repeated)
        if self.often(0.3):
            self.statement(apart)
        self.barrier(flow)
        rank = self.rng.choice((ITEM, ITEM, ITEM, GROUP))
        c = self.rng.randint(0, n)
        at = f"({self.small(rank, 2)}) % {n}" if rank or self.often(0.3) else \
            self.pick(f"({lid} + {c}) % {n}", f"{n - 1} - {lid}", f"({lid} * 2 + {c}) % {n}",
                      f"max({lid} - 1, 0)", f"min({lid} + 1, {n - 1})")
        self.emit(f"{v} = {tile}[{at}]")
        self.declare(v, dtype, min(rank, flow.level))
        if self.often(0.3):
            self.statement(apart)
        self.barrier(flow)

    def together(self, flow: Flow) -> None:
        self.collective("it.get_group()", GROUP, str(self.threads))

    def together_small(self, flow: Flow) -> None:
        sub = "it.get_sub_group()"
        self.collective(sub, SUB_GROUP, f"{sub}.get_local_linear_range()")

    def collective(self, group: str, rank: int, size: str) -> None:
        """Write a group function over a work-group or sub-group."""
        name, dtype = self.fresh("v"), self.rng.choice(self.dtypes)
        way = self.rng.randint(0, 4)
        if way == 0:
            op = self.pick("any", "all", "none")
            self.emit(f"{name} = np.bool_(sycl.{op}_of_group({group}, {self.condition(1, ITEM)}))")
            self.declare(name, "bool", rank)
            return
        if way == 1:
            at = f"{self.small(rank, 1)} % {size}"
            value = self.value(dtype, self.deep())
            self.emit(f"{name} = sycl.group_broadcast({group}, {value}, {at})")
            self.declare(name, dtype, rank)
            return
        if dtype == "bool":
            op = self.pick("logical_and", "logical_or")
        elif dtype in FLOATS:
            op = self.pick("plus", "minimum", "maximum")
            if dtype == "float16" and self.threads > 64 and rank == GROUP:
                op = "maximum"  # 11 bits do not hold the sum of so many
        else:
            op = self.pick("plus", "minimum", "maximum", "bit_and", "bit_or", "bit_xor",
                           "multiplies")
        form = self.pick("reduce_over", "reduce_over", "inclusive_scan_over", "exclusive_scan_over")
        infinite = dtype in FLOATS and form == "exclusive_scan_over" and op != "plus"
        init = f"{self.value(dtype, 1, rank)}, " if self.often(0.3) or infinite else ""
        text = f"sycl.{form}_group({group}, {self.value(dtype, self.deep())}, {init}sycl.{op})"
        self.emit(f"{name} = {'np.bool_' if dtype == 'bool' else ''}({text})")
        self.declare(name, dtype, rank if form == "reduce_over" else ITEM)

    def shuffle(self, flow: Flow) -> None:
        name, dtype, sub = self.fresh("v"), self.rng.choice(self.dtypes), "it.get_sub_group()"
        lane = f"{sub}.get_local_linear_id()"
        at = f"({lane} * 3 + {self.rng.randint(0, 5)}) % {sub}.get_local_linear_range()"
        value = self.value(dtype, self.deep())
        if self.threads % self.sub_group == 0 and self.often(0.4):
            self.emit(f"{name} = sycl.permute_group_by_xor({sub}, {value}, 1)")
        elif self.often(0.4):
            by = self.rng.randint(0, self.sub_group - 1)
            way, there = self.rng.choice((
                ("left", f"{lane} + {by} < {sub}.get_local_linear_range()"),
                ("right", f"{lane} >= {by}")))
            self.emit(f"{name} = sycl.shift_group_{way}({sub}, {value}, {by})")
            self.emit(f"if not ({there}):")
            self.emit(f"    {name} = {self.value(dtype, 0)}")
        else:
            self.emit(f"{name} = sycl.select_from_group({sub}, {value}, {at})")
        self.declare(name, dtype, ITEM)

    def joint(self, flow: Flow) -> None:
        """Reduce a part of memory together, or a bool of it."""
        small = self.sub_group > 0 and self.often(0.5)
        group, rank = ("it.get_sub_group()", SUB_GROUP) if small else ("it.get_group()", GROUP)
        name, dtype = self.fresh("v"), self.rng.choice([t for t in self.dtypes if t != "bool"])
        start, least = self.fresh("lo"), self.rng.randint(int(dtype in FLOATS), 19)
        self.emit(f"{start} = {self.small(rank, 1)} % {self.size // 2}")
        data = f"{self.use(f'a_{dtype}')}[{start}:{start} + {least}]"
        op = self.pick("plus", "minimum", "maximum")
        init = f"{self.value(dtype, 0, rank)}, " if self.often(0.5) else ""
        self.emit(f"{name} = sycl.joint_reduce({group}, {data}, {init}sycl.{op})")
        self.declare(name, dtype, rank)

    def counting(self, flow: Flow) -> None:
        """Count in local memory with atomics."""
        dtype, v, q = self.pick("int32", "uint32", "int64"), self.fresh("v"), self.fresh("q")
        name, op = self.use(f"u_{dtype}"), self.pick("add", "or", "xor", "max")
        self.emit(f"if {self.place} == 0:")
        self.emit(f"    for {q} in range(8):")
        self.emit(f"        {name}[{q}] = {self.rng.randint(0, 3)}")
        self.barrier(flow)
        order = RELAXED.replace("device", "work_group")
        self.emit(f"sycl.atomic_ref({name}, {self.small(ITEM, 2)} % 8, {order})"
                  f".fetch_{op}({self.integer(dtype, 1, ITEM)})")
        self.barrier(flow)
        rank = self.rng.choice((ITEM, GROUP))
        self.emit(f"{v} = {name}[{self.small(rank, 1)} % 8]")
        self.declare(v, dtype, min(rank, flow.level))
        self.barrier(flow)

    def work_items(self, flow: Flow) -> None:
        """Write a work-item loop of a hierarchical kernel."""
        name, own = self.fresh("body"), self.often(0.5)
        logical = self.local if own else tuple(
            self.rng.choice([1, 2, 5, 8, 19][:5 if len(self.local) == 1 else 3])
            for _ in self.local)
        self.emit(f"def {name}(hi):")
        kept = self.assignable, self.reducers, self.busy, self.linear, self.outputs
        with self.inside():
            self.physical = own
            self.assignable, self.busy = set(), {f"i{k}" for k in range(6)}
            self.handles = ["it", "hi"]
            lid = " + ".join(f"hi.get_logical_local_id({d}) * {math.prod(logical[d + 1:])}"
                             for d in range(len(logical)))
            slot = self.fresh("slot")
            self.emit(f"{slot} = it.get_group_linear_id() * 64 + ({lid}) % 64")
            self.linear = slot
            self.weak += [Variable(f"hi.get_logical_local_id({d})", "int", ITEM)
                          for d in range(len(logical))]
            self.weak += [Variable(slot, "int", ITEM),
                          Variable("hi.get_logical_local_range(0)", "int", GROUP)]
            if math.prod(logical) <= 64:
                self.outputs = [("o0_int32", "int32", slot), ("o1_float64", "float64", slot),
                                (f"o2_{self.dtypes[0]}", self.dtypes[0], f"2 * {slot}")]
            self.body(Flow(ITEM, ITEM, "", depth=flow.depth, cost=flow.cost,
                           repeated=flow.repeated), 3)
        self.physical = False
        self.assignable, self.reducers, self.busy, self.linear, self.outputs = kept
        self.handles = ["it"]
        where = "" if own and self.often(0.7) else f"sycl.range({', '.join(map(str, logical))}), "
        self.emit(f"it.parallel_for_work_item({where}{name})")

    # ---- the frame
    def prologue(self) -> None:
        """Name the ids of the kernel and say where an item may write."""
        dims = range(len(self.span))
        self.weak += [Variable(self.use("p0"), "int", GROUP)]
        for k in range(len(self.constants)):
            self.emit(f"sc{k} = kh.get_specialization_constant(K{k})")
            self.scope.append(Variable(f"sc{k}", "int32", GROUP))
            if self.often(0.5):
                self.emit(f"sw{k} = int(sc{k})")
                self.weak.append(Variable(f"sw{k}", "int", GROUP))
        if self.kind == "range":
            self.emit("lin = it.get_linear_id()")
            self.weak += [Variable(f"it.get_id({d})", "int", ITEM) for d in dims]
            self.weak += [Variable("lin", "int", ITEM)]
        elif self.kind == "single":
            self.handles = []
            self.emit("lin = 0")
            self.weak += [Variable("lin", "int", GROUP)]
        elif self.kind == "nd_range":
            self.emit("lin = it.get_global_linear_id()")
            self.emit("lid = it.get_local_linear_id()")
            self.place = "lid"
            self.weak += [Variable(x, "int", ITEM) for x in ("lin", "lid")]
            for d in dims:
                self.weak += [Variable(f"it.get_local_id({d})", "int", ITEM),
                              Variable(f"it.get_global_id({d})", "int", ITEM),
                              Variable(f"it.get_group().get_group_id({d})", "int", GROUP)]
            if self.sub_group:
                sub = "it.get_sub_group()"
                self.weak += [
                    Variable(f"{sub}.get_group_linear_id()", "int", SUB_GROUP),
                    Variable(f"{sub}.get_local_linear_id()", "int", ITEM),
                    Variable(f"{sub}.get_local_linear_range()", "int", SUB_GROUP),
                    Variable(f"{sub}.get_group_linear_id()", "int", SUB_GROUP)]
        else:
            self.weak += [Variable("it.get_group_linear_id()", "int", GROUP)]
            return
        self.linear = "lin"
        self.outputs = [
            ("o0_int32", "int32", "lin"), (f"o1_{self.dtypes[0]}", self.dtypes[0], "lin"),
            (f"o2_{self.dtypes[1]}", self.dtypes[1], f"{self.size - 1} - lin"),
            (f"o3_{self.dtypes[0]}", self.dtypes[0], "2 * lin + 1"),
            (f"o4_{self.dtypes[1]}", self.dtypes[1], "rows_int64[lin]")]
        if self.kind in ("range", "nd_range"):
            word = "get_id" if self.kind == "range" else "get_global_id"
            at = (self.pick("][", ", ")).join(f"it.{word}({d})" for d in dims)
            self.outputs.append(("m_int64", "int64", at))

    def kernel(self) -> str:
        """Write a program."""
        reductions = self.reductions() if self.kind in ("range", "nd_range") else []
        self.indent = 1
        self.prologue()
        if self.linear == "lin" and self.often(0.02):
            self.refused()
        for _ in range(self.rng.randint(1, 3)):
            self.introduce(Flow(GROUP, GROUP, None))
        if self.kind == "work_group":
            self.body(Flow(GROUP, GROUP, ""), 5)
        elif self.kind == "range" and self.often(0.15):
            self.straight()
        else:
            uniform = self.kind == "nd_range" or self.often(0.4)
            level = GROUP if uniform else ITEM
            self.body(Flow(level, level, ""), self.rng.randint(2, 7))
            self.body(Flow(ITEM, ITEM, ""), self.rng.randint(0, 4))
            self.finish()
        return self.text(reductions)

    def straight(self) -> None:
        """Write a kernel without loops that fills one array at its id, moved a little."""
        flow, dtype = Flow(ITEM, ITEM, None), self.pick("float32", "int32", "uint64", "float64")
        self.dtypes = (*self.dtypes, dtype)
        self.max_depth, self.calls = 0, 3
        for _ in range(self.rng.randint(0, 3)):
            self.rng.choice((self.assign, self.introduce))(flow)
        value = self.value(dtype, self.deep())
        if len(self.span) > 1:
            at = ", ".join(f"it.get_id({d})" for d in range(len(self.span)))
            self.emit(f"{self.use('m9_int64')}[{at}] = {self.value('int64', 1)}")
        else:
            self.emit(f"{self.use(f'o8_{dtype}')}[it.get_id(0) + {self.rng.randint(0, 17)}]"
                      f" = {value}")

    def reductions(self) -> list[tuple[str, str, int | None]]:
        found: list[tuple[str, str, int | None]] = []
        while self.often(0.12) and len(found) < 2:
            op = self.rng.choice(list(OPERATORS))
            dtype = self.rng.choice(OPERATORS[op])
            identity = 0 if op == "own_add" and self.often(0.5) else None
            self.reducers.append((f"red{len(found)}", dtype, op))
            found.append((dtype, op, identity))
        return found

    def finish(self) -> None:
        """Store what the variables ended as."""
        for v in self.scope[-4:]:
            name = {"int32": "o0_int32"}.get(v.dtype, f"o9_{v.dtype}")
            if " " in v.dtype:
                kind, element, count = parts(v.dtype)
                name = f"{HEADS[kind]}{count}p_{element}"
            self.emit(f"{self.use(name)}[lin] = {v.name}")
        self.emit(f"{self.use('o0_int32')}[lin] ^= np.int32(lin)")

    def text(self, reductions: list[tuple[str, str, int | None]]) -> str:
        case = Case(self.kind, self.span, self.local, self.size, self.rng.randint(0, 1 << 20),
                    tuple(reductions), 2 if self.often(0.15) else 1,
                    "direct" if reductions and self.way == "bind" else self.way, self.offset,
                    self.constants)
        names = [*(["it"] if self.kind != "single" else []),
                 *(f"red{k}" for k in range(len(reductions))), *sorted(self.used),
                 *(["kh: sycl.kernel_handler"] if self.constants else [])]
        self.functions[:0] = [f"K{k} = sycl.specialization_id(np.int32, {k})"
                              for k in range(len(self.constants))] + ["", ""]
        head = [f"CASE = {vars_of(case)!r}", "", ""]
        kernel = [f"def kernel({', '.join(names)}):", *self.lines]
        if self.sub_group:
            kernel.insert(0, f"@sycl.kernel(reqd_sub_group_size={self.sub_group})")
        own = OWN if any(op.startswith("own") for _, op, _ in reductions) else ""
        return "\n".join([*IMPORTS, *head]) \
            + own + "\n".join([*self.functions, *kernel, ""])


def vars_of(case: Case) -> dict[str, object]:
    """Return the fields of a case by name."""
    return {k: getattr(case, k) for k in case.__dataclass_fields__}


def program(seed: int) -> str:
    """Return the program of a seed."""
    rng = Random(seed)
    kind = rng.choices(("range", "nd_range", "single", "work_group"), (6, 10, 1, 3))[0]
    local: tuple[int, ...] = (1,)
    if kind == "range":
        span = rng.choice(RANGES)
        local = (1,) * len(span)
    elif kind == "single":
        span = (1,)
    else:
        local = rng.choice([x for x in LOCALS if kind == "nd_range" or math.prod(x) <= 64])
        most = max(1, min(3, 200 // math.prod(local)))
        groups = tuple(rng.randint(1, most) if d == len(local) - 1 else rng.randint(1, 2)
                       for d in range(len(local)))
        span = groups if kind == "work_group" else tuple(
            g * x for g, x in zip(groups, local, strict=True))
    return Kernels(rng, kind, span, local).kernel()
