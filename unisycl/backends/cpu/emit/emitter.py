"""The state of emitting one kernel: current mask, where locals live, queries, argument slots.

Non-goals: how each node is emitted (emit_expr, emit_memory, emit_stmt, regions). Invariant:
``mask`` is None while every lane is on; otherwise the SSA name of the lanes that are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from unisycl.backends.cpu.abi import Layout
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.emit.text import Function, llvm_type
from unisycl.backends.reports import Site
from unisycl.base.dataclass import dataclass, field
from unisycl.ir import nodes as n
from unisycl.ir.stack_statements import Stack
from unisycl.passes.simd import shapes as sh
from unisycl.passes.simd.shapes import Shapes
from unisycl.passes.simd.streams import Stream

FORM_OF_RANK = {sh.GROUP: UNIFORM, sh.LANES: UNIFORM, sh.LINEAR: LINEAR, sh.VARYING: VECTOR}


@dataclass(slots=True)
class Loop:
    """Where break and continue go; ``exec`` and ``cont`` are masks in memory if lanes part ways."""

    head: str
    exit: str
    exec: str = ""
    cont: str = ""


@dataclass(slots=True)
class ScopeState:
    """Where return goes; ``gone`` is the mask of lanes that took it, '' if all do together.

    ``here``: where the mask of lanes goes that get to its end, if some break or continue a loop
    around it. ``spanning``: barriers lie in it; ``left`` then says whether all the group returned.
    """

    exit: str
    gone: str = ""
    here: str = ""
    spanning: bool = False
    left: str = ""


@dataclass(slots=True)
class Home:
    """Where a local lives: the address and the form of its value."""

    address: str
    form: int
    stride: int = 0


@dataclass(frozen=True, slots=True)
class Own:
    """Where a call's own sums of a memory lie, and of how many elements; of none if they do not."""

    base: str
    limit: str


class SharedStack(NamedTuple):
    """Where a stack of all lanes lies: its numbers, whose they are, its height, who is present."""

    values: str
    lanes: str
    height: str
    present: str


@dataclass(frozen=True, slots=True)
class Lists:
    """What a body reads from lists: rows of memory that lanes read side by side.

    ``runs``: locals that are read so and index two loads or more, so that their numbers may be runs
    (one is as often a look at a table). ``once``: those that one expression alone asks for.
    ``bases``: memories that lanes read side by side, too: lists of them are mostly of neighbours.
    """

    runs: frozenset[n.Local]
    once: frozenset[n.Local]
    bases: frozenset[n.Base]


@dataclass(slots=True)
class Emitter:
    """Everything the emission functions share while one LLVM function is written.

    ``in_group``: the code at hand runs once for a whole work-group, outside its work-item loops.
    ``abort``: where code goes that must not go on. ``meeting``: what the work-group's sub-groups
    share where each has a thread. ``watched`` are the memories whose races are looked for, in cells
    of ``granule`` bytes, ``written`` those of them that the kernel writes; ``twins`` says how far
    behind an array its twin lies. ``lined`` is the element whose lines vectors begin at.
    ``seldom``: the code at hand runs once a row, as the last vector does.
    ``bodies`` are what is emitted, with the shapes of each; ``listed`` is what they read from
    lists, by those shapes; ``own`` are a call's own sums.
    """

    kernel: n.Kernel
    layout: Layout
    shapes: Shapes
    f: Function
    lanes: Lanes
    widest: int
    queries: Callable[[str, int], Val]
    emit: Callable[[Emitter, n.Expr], Val]
    mask: str | None = None
    maybe_empty: bool = False
    dead: str = ""
    in_group: bool = False
    region_exit: str = ""
    homes: dict[n.Local, Home] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    scopes: dict[int, ScopeState] = field(default_factory=dict)
    arrays: dict[n.Array, str] = field(default_factory=dict)
    sub_group: Val | None = None
    cache: dict[tuple[int, str], str] = field(default_factory=dict)
    local_base: str = ""
    stream: Stream | None = None
    streaming: bool = False
    seldom: bool = False
    lined: n.Place | None = None
    work_items: Callable[[n.WorkItems], None] | None = None
    read_locals: frozenset[n.Local] = frozenset()
    reducer_locals: frozenset[n.Local] = frozenset()
    sites: list[Site] = field(default_factory=list)
    jumps: dict[int, tuple[n.Block, tuple[bool, frozenset[int]]]] = field(default_factory=dict)
    abort: str = ""
    meeting: str = ""
    watched: tuple[n.Base, ...] = ()
    written: frozenset[n.Base] = frozenset()
    granule: int = 0
    twins: dict[n.Array, int] = field(default_factory=dict)
    bodies: tuple[tuple[Shapes, n.Block], ...] = ()
    listed: dict[int, Lists] = field(default_factory=dict)
    own: dict[n.Param, Own] = field(default_factory=dict)
    stacks: dict[Stack, SharedStack] = field(default_factory=dict)

    # ---- arguments
    def slot(self, number: int, type: str = "i64") -> str:
        """Return an argument slot, read once at the start of the function."""
        found = self.cache.get((number, type))
        if found is None:
            found = self.cache[number, type] = self.f.argument(number, type)
        return found

    def slot_address(self, number: int) -> str:
        """Return the address of an argument slot."""
        return self.f.gep("i64", "%args", str(number))

    # ---- masks
    @property
    def mask_type(self) -> str:
        return f"<{self.lanes.lanes} x i1>"

    @property
    def mask_bits(self) -> str:
        return f"i{self.lanes.lanes}"

    def full(self) -> str:
        """Return the current mask as a value."""
        return self.mask if self.mask is not None else "splat (i1 true)"

    def and_mask(self, cond: str) -> str:
        """Return the lanes that are on and fulfil a condition."""
        if self.mask is None:
            return cond
        return self.f.op(f"and {self.mask_type} {self.mask}, {cond}")

    def and_not(self, mask: str, cond: str) -> str:
        """Return ``mask`` without the lanes of ``cond``."""
        inverse = self.f.op(f"xor {self.mask_type} {cond}, splat (i1 true)")
        return self.f.op(f"and {self.mask_type} {mask}, {inverse}")

    def bits(self, mask: str) -> str:
        """Return a mask as an integer, lane 0 lowest."""
        return self.f.op(f"bitcast {self.mask_type} {mask} to {self.mask_bits}")

    def any(self, mask: str) -> str:
        """Return whether any lane of a mask is on."""
        return self.f.op(f"icmp ne {self.mask_bits} {self.bits(mask)}, 0")

    def lowest(self, bits: str) -> str:
        """Return the number of the lowest lane that is set, as an index; ``bits`` is not 0."""
        b = self.mask_bits
        self.f.module.declare(f"llvm.cttz.{b}", f"{b} @({b}, i1)")
        lane = self.f.op(f"call {b} @llvm.cttz.{b}({b} {bits}, i1 true)")
        return self.f.op(f"zext {b} {lane} to i64") if self.lanes.lanes < 64 else lane

    # ---- locals
    def home(self, local: n.Local) -> Home:
        """Return where a local lives, reserving memory on first sight."""
        found = self.homes.get(local)
        if found is None:
            found = self.homes[local] = self.new_home(local)
        return found

    def new_form(self, local: n.Local) -> int:
        """Return the form a local's value has."""
        return FORM_OF_RANK[self.shapes.locals.get(local, sh.UNIFORM).rank]

    def new_home(self, local: n.Local) -> Home:
        """Reserve memory for a local in the form its shape asks for."""
        shape = self.shapes.locals.get(local, sh.UNIFORM)
        form = FORM_OF_RANK[shape.rank]
        type = self.lanes.type(local.type.dtype, form)
        address = self.f.alloca(type)
        return Home(address, form, shape.stride)

    def read(self, local: n.Local) -> Val:
        """Return the value of a local."""
        home = self.home(local)
        dtype = local.type.dtype
        ref = self.f.load(self.lanes.type(dtype, home.form), home.address)
        return Val(home.form, dtype, ref, home.stride)

    def write(self, local: n.Local, value: Val, *, blend: bool) -> None:
        """Give a local a value; ``blend`` keeps the old one in lanes that are off."""
        home = self.home(local)
        dtype = local.type.dtype
        if home.form != VECTOR:
            self.f.store(llvm_type(dtype), value.ref, home.address)
            return
        new = self.lanes.vector(value)
        type = llvm_type(dtype, self.lanes.lanes)
        # An accumulator outlives the body: lanes that are off must keep what they have gathered.
        if self.mask is not None and (blend or local in self.reducer_locals):
            old = self.f.load(type, home.address)
            new = self.f.op(f"select {self.mask_type} {self.mask}, {type} {new}, {type} {old}")
        self.f.store(type, new, home.address)

    def scratch(self, bytes: int, align: int = 64) -> str:
        """Reserve bytes in the function's frame."""
        return self.f.alloca(f"[{max(bytes, 1)} x i8]", align)
