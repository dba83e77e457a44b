"""The kernel IR: typed, structured, and free of Python and of any target.

Expressions are pure (a ``Load`` may move only within its statement); everything with an effect is
a statement. Non-goals: how a value varies over work-items (``passes.simd.shapes`` says that).
Invariants: nodes are immutable; spans take no part in equality; every name is a unique ``Local``
or ``Array``; device functions are already inlined, each as a ``Scope``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from unisycl.base.dataclass import dataclass, field
from unisycl.base.dtypes import UINT8
from unisycl.base.enums import memory_order, memory_scope
from unisycl.base.forward_progress import Levels, apart
from unisycl.base.image_formats import image_sampler
from unisycl.base.spans import Span
from unisycl.base.value_text import Shown
from unisycl.ir.foreign_functions import ForeignFunction
from unisycl.ir.types import BOOL, Scalar, Struct, View

if TYPE_CHECKING:
    from unisycl.ir.builtins.row import Builtin


@dataclass(frozen=True, eq=False, slots=True)
class Local:
    """A private scalar variable of a work-item; mutable, compared by identity."""

    name: str
    type: Scalar

    def __repr__(self) -> str:
        return f"%{self.name}:{self.type}"


@dataclass(frozen=True, eq=False, slots=True)
class Param:
    """A kernel parameter: a ``Scalar`` or ``Struct`` by value, or a ``View`` of memory.

    ``path`` says where a launch finds the value, as steps from the user's callable: ("arg", k),
    ("free", name), ("global", name), ("attr", name), ("item", k).
    """

    name: str
    type: Scalar | Struct | View
    index: int
    path: tuple[tuple[str, str | int], ...] = ()

    def __repr__(self) -> str:
        return f"@{self.name}:{self.type}"


@dataclass(frozen=True, eq=False, slots=True)
class Array:
    """Memory the kernel declares itself: private to a work-item or local to a work-group."""

    name: str
    type: View
    shape: tuple[int, ...]
    span: Span | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return math.prod(self.shape) * self.type.elem.size


@dataclass(frozen=True, slots=True)
class Heap:
    """All global memory: what a place lies in whose address the kernel has as a number.

    Such a place has no index; the first of its ``inner`` pairs is the address, by single bytes.
    """

    name: str = "memory"
    type: View = View(Scalar(UINT8), 1)


HEAP = Heap()
ALLOCATIONS = "(allocations)"
"""The parameter of kernels that follow pointers: where each allocation begins and ends, in turn."""
NULL = "a pointer to nothing is followed: test it first, if p:"
ASTRAY = ("the address ", " lies in no allocation of this device and context")
Base: TypeAlias = Param | Array | Heap


@dataclass(frozen=True, slots=True)
class Expr:
    """Base of expressions; ``type`` is what it yields."""

    type: Scalar


@dataclass(frozen=True, slots=True)
class Const(Expr):
    """A literal; ``value`` is a Python bool, int, float or, of a complex type, complex."""

    value: Any


@dataclass(frozen=True, slots=True)
class Read(Expr):
    """The current value of a local."""

    local: Local


@dataclass(frozen=True, slots=True)
class ParamRead(Expr):
    """The value of a scalar parameter."""

    param: Param


@dataclass(frozen=True, slots=True)
class Query(Expr):
    """An id or a range of the work-item: ``name`` is e.g. 'global_id', ``dim`` its dimension.

    Names: global_id local_id group_id global_range local_range group_range offset (per dimension);
    sub_group_id sub_group_local_id sub_group_local_range sub_group_max_local_range
    sub_group_group_range (dim 0); logical_id logical_range (inside ``WorkItems``).
    """

    name: str
    dim: int


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """``op`` is neg, invert or not."""

    op: str
    x: Expr


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """Python's arithmetic on operands already converted to ``type``.

    ``op`` is add sub mul div floordiv mod and or xor shl shr; both operands have ``type``.
    ``exact``: rounded by itself, never fused with the operation that gives an operand.
    """

    op: str
    a: Expr
    b: Expr
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Compare(Expr):
    """``op`` is eq ne lt le gt ge; operands share one type; unordered floats: only ne is true."""

    op: str
    a: Expr
    b: Expr


@dataclass(frozen=True, slots=True)
class Select(Expr):
    """``a`` where ``cond`` is true, else ``b``; both may be evaluated."""

    cond: Expr
    a: Expr
    b: Expr


@dataclass(frozen=True, slots=True)
class Cast(Expr):
    """Conversion as C and NumPy's ``astype``: float to int truncates, int to int wraps."""

    x: Expr


@dataclass(frozen=True, slots=True)
class Narrow(Expr):
    """The same integer in fewer bits; it is known to fit."""

    x: Expr


@dataclass(frozen=True, slots=True)
class Bitcast(Expr):
    """The same bits as another type of equal width."""

    x: Expr


@dataclass(frozen=True, slots=True)
class Complex(Expr):
    """A complex number of its parts."""

    re: Expr
    im: Expr


@dataclass(frozen=True, slots=True)
class Part(Expr):
    """The real or the imaginary part of a complex number."""

    x: Expr
    imaginary: bool


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A pure builtin: see its row for meaning; arguments already have the row's types."""

    builtin: Builtin
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One element or member in memory: ``base[index]`` plus ``offset`` bytes, of type ``type``.

    ``base`` is a ``Param``, an ``Array`` or ``HEAP``; a struct parameter has no index. ``inner``
    indexes an array member: pairs of (expression, bytes per step), added to the address.
    """

    base: Base
    index: tuple[Expr, ...]
    type: Scalar
    offset: int = 0
    inner: tuple[tuple[Expr, int], ...] = ()
    span: Span | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Load(Expr):
    """The value at a place."""

    place: Place


@dataclass(frozen=True, slots=True)
class Address(Expr):
    """Where a place lies, of global memory as a number of 64 bits; nothing is read there."""

    place: Place


@dataclass(frozen=True, slots=True)
class Extent(Expr):
    """How many elements a view has in one dimension."""

    base: Param | Array
    dim: int


@dataclass(frozen=True, slots=True)
class Pitch(Expr):
    """How many elements one step in a dimension of a view spans; not of the last one."""

    base: Param | Array
    dim: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stmt:
    """Base of statements."""

    span: Span | None = field(default=None, compare=False, repr=False)


Block = tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Assign(Stmt):
    """Give a local a value of its own type."""

    local: Local
    value: Expr


@dataclass(frozen=True, slots=True)
class Store(Stmt):
    """Write a value of the place's type."""

    place: Place
    value: Expr


@dataclass(frozen=True, slots=True)
class LoadMany(Stmt):
    """Give each local one of the scalars that follow one another in memory, from a place on."""

    results: tuple[Local, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class StoreMany(Stmt):
    """Write values one after another from the place on, ``past`` the caches as a hint."""

    place: Place
    values: tuple[Expr, ...]
    past: bool = False


@dataclass(frozen=True, slots=True)
class ImageRead(Stmt):
    """Read a colour of an image into four locals of its view's colour type.

    Without a sampler ``coordinates`` are the int32 x, y, z of a pixel inside the image; with one
    they are float32. ``layer`` selects an image of an array (int32, inside it). A target without
    images of its own has ``passes.shared.images`` turn this into loads and arithmetic.
    """

    results: tuple[Local, ...]
    image: Param
    coordinates: tuple[Expr, ...]
    sampler: image_sampler | None = None
    layer: Expr | None = None


@dataclass(frozen=True, slots=True)
class ImageWrite(Stmt):
    """Write a colour, four values of the view's colour type, to a pixel inside an image."""

    image: Param
    coordinates: tuple[Expr, ...]
    values: tuple[Expr, ...]
    layer: Expr | None = None


@dataclass(frozen=True, slots=True)
class Atomic(Stmt):
    """One atomic operation on a place; ``result`` receives the old value (or loaded value).

    ``op`` is load store exchange add sub and or xor min max compare_exchange; the last takes
    (expected, desired), gives the old value and leaves success to a comparison with expected.
    """

    result: Local | None
    op: str
    place: Place
    operands: tuple[Expr, ...]
    order: memory_order
    scope: memory_scope


@dataclass(frozen=True, slots=True)
class Foreign(Stmt):
    """Call a function of the device's own language, which may read and write what it points to.

    ``args`` are its arguments' numbers one after another: a value has one for each element, a
    pointer is an ``Address`` or, where the kernel has it as a number, that. ``results`` receive the
    elements of what it returns.
    """

    results: tuple[Local, ...]
    function: ForeignFunction
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class If(Stmt):
    """Branch on a bool."""

    cond: Expr
    then: Block
    orelse: Block = ()


@dataclass(frozen=True, slots=True)
class While(Stmt):
    """Run ``pre``, stop unless ``cond``, run ``body``, repeat; ``continue`` goes to ``pre``."""

    pre: Block
    cond: Expr
    body: Block


@dataclass(frozen=True, slots=True)
class For(Stmt):
    """Python's ``for local in range(start, stop, step)``: bounds are evaluated once.

    ``step`` is not zero if it is a constant; behind ``passes.shared.loop_steps`` any other is
    positive. The local takes each value in turn and keeps the last one. ``controls`` are hints such
    as ("unroll", 4), 0 meaning wholly; they change no result. ``rising``: neither start nor step is
    ever negative.
    """

    local: Local
    start: Expr
    stop: Expr
    step: Expr
    body: Block
    unroll: bool = False
    rising: bool = False
    controls: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Break(Stmt):
    """Leave the innermost loop."""


@dataclass(frozen=True, slots=True)
class Continue(Stmt):
    """Start the innermost loop's next iteration."""


@dataclass(frozen=True, slots=True)
class Scope(Stmt):
    """The body of a function; ``Leave`` of its number jumps behind it. The kernel is scope 0."""

    number: int
    body: Block


@dataclass(frozen=True, slots=True)
class Leave(Stmt):
    """Return from scope ``number``."""

    number: int


@dataclass(frozen=True, slots=True)
class Barrier(Stmt):
    """Every item of the group arrives before any goes on; orders local and global memory.

    ``scope`` is work_group or sub_group.
    """

    scope: memory_scope


@dataclass(frozen=True, slots=True)
class Fence(Stmt):
    """SYCL 2020 §4.15.1 ``atomic_fence``."""

    order: memory_order
    scope: memory_scope


@dataclass(frozen=True, slots=True)
class GroupCall(Stmt):
    """A collective over a work-group or sub-group, reached by all its items together.

    ``op``: broadcast(value, id) any(pred) all(pred) none(pred) reduce(value[, init]) ballot(pred)
    inclusive_scan exclusive_scan; shift_left shift_right permute_xor select match (sub-group).
    ``combine`` names the operator of reduce and scans (plus, minimum, ...).
    """

    result: Local
    op: str
    args: tuple[Expr, ...]
    scope: memory_scope
    combine: str = ""


@dataclass(frozen=True, slots=True)
class Agree(Stmt):
    """Values a group has to give alike to a function; ``passes.checks.collectives`` checks it."""

    values: tuple[Expr, ...]
    what: tuple[str, ...]
    name: str
    scope: memory_scope


@dataclass(frozen=True, slots=True)
class WorkItems(Stmt):
    """``group.parallel_for_work_item``: the body once for each item; barriers at both edges.

    ``extent`` is the logical range, or () for the physical one (SYCL 2020 §4.9.4.2.3).
    """

    extent: tuple[Expr, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class Print(Stmt):
    """Text of each work-item, written as a whole: literal parts and values in turn.

    A ``Shown`` says how the values that follow it are spelt; one without is spelt as Python's
    ``str``. With ``stream``, a number that tells streams apart, the text waits for a flush; ``end``
    marks where the work-item's last text is written.
    """

    pieces: tuple[str | Shown | Expr, ...]
    stream: Expr | None = None
    end: bool = False


@dataclass(frozen=True, slots=True)
class Check(Stmt):
    """A condition that must hold, else the command fails; there in kernels that are debugged.

    ``pieces`` is what to report, as in ``Print``. What follows runs only if the condition held for
    all work-items that run together.
    """

    cond: Expr
    pieces: tuple[str | Shown | Expr, ...]


@dataclass(frozen=True, slots=True)
class Reducer:
    """A reduction variable (SYCL 2020 §4.9.2): a private accumulator combined over all items.

    ``acc`` starts as ``identity``; ``combine`` is ``result = op(left, right)`` as a block over
    these locals; ``op`` names it if it is one of SYCL's function objects. Where no identity is
    known, ``valid`` says whether ``acc`` holds anything yet. A span of variables has ``cells`` in
    place of ``acc``, and ``filled`` in place of ``valid``: private arrays that start likewise.

    A variable of several numbers (complex ones that are not merely added) has one of each local
    and of the identities for each number, and ``cells`` where they lie side by side. ``stored`` is
    how variables lie in memory where that is not as they are combined.
    """

    index: int
    acc: Local
    identity: tuple[Const, ...] | None
    valid: Local | None
    left: tuple[Local, ...]
    right: tuple[Local, ...]
    result: tuple[Local, ...]
    combine: Block
    op: str = ""
    cells: Array | None = None
    filled: Array | None = None
    stored: StoredVariable | None = None

    @property
    def words(self) -> int:
        """How many numbers make a variable."""
        return len(self.left)

    @property
    def extent(self) -> int:
        """How many variables there are."""
        return self.cells.shape[0] // self.words if self.cells is not None else 1


@dataclass(frozen=True, slots=True)
class StoredVariable:
    """How a reduction variable lies in memory: as ``bits``.

    ``load`` is ``left = bits`` and ``store`` is ``bits = result``, of the reducer's locals.
    """

    bits: Local
    load: Block
    store: Block


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel, specialised for its parameter types and captured constants.

    ``index_kind`` is single, range, nd_range or work_group (hierarchical); ``ndim`` its dimensions.
    ``local`` is the work-group's size when it is known while compiling, else (). ``aspects`` names
    what the device must have. ``sub_group`` is a required sub-group size or 0. ``fast_math``
    says that rough functions already stand where they are allowed; there is nothing left to do.
    ``progress`` is what it requires of work-items, sub-groups and work-groups; () if nothing.
    ``waits`` says that it may wait for another kernel, which has to run at the same time.
    ``enqueues`` says that it may enqueue other kernels.
    ``traits`` are properties by name: options of the compiler, hints, limits of launches, which the
    runtime has checked. ``notes`` say what was asked of its memories; they change nothing.
    ``checks`` says what is checked while it runs, in ``base.checked_mode``'s words. ``pointed`` are
    memories whose last index may, through a pointer, pass the end of its row into the next one.
    """

    name: str
    params: tuple[Param, ...]
    body: Block
    index_kind: str
    ndim: int
    local: tuple[int, ...] = ()
    arrays: tuple[Array, ...] = ()
    reducers: tuple[Reducer, ...] = ()
    aspects: frozenset[str] = frozenset()
    sub_group: int = 0
    fast_math: bool = False
    progress: Levels | tuple[()] = ()
    waits: bool = False
    enqueues: bool = False
    traits: tuple[tuple[str, tuple[str | int, ...]], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    pointed: tuple[Param | Array, ...] = ()
    checks: frozenset[str] = frozenset()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def apart(self) -> bool:
        """Whether threads of one work-group may wait for others of it that are no neighbours."""
        return self.index_kind == "nd_range" and apart(self.progress)


def true() -> Const:
    """The constant True."""
    return Const(BOOL, True)
