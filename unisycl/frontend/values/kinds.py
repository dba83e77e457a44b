"""What an expression of the kernel language denotes while it is compiled.

A scalar is an IR expression; everything else here exists at compile time only. Non-goals: types of
the IR. Invariant: values are immutable.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from unisycl.base.dataclass import dataclass, field
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.base.image_formats import image_sampler
from unisycl.frontend.values.kind import Frame, Kind, Path, Value
from unisycl.frontend.values.unsure import Unsure
from unisycl.ir import nodes as n
from unisycl.ir.types import ImageView, Scalar, Struct, View
from unisycl.lang.numbers.elements import elements_type
from unisycl.lang.numbers.swizzle import SIZES
from unisycl.lang.numbers.vec import vec_of


@dataclass(frozen=True, slots=True)
class Several(Kind):
    """Several values under one name: ``kind`` is tuple, id or range."""

    items: tuple[Value, ...]
    kind: str = "tuple"


@dataclass(frozen=True, slots=True)
class Memory(Kind):
    """A view with its leading ``index`` already given (``a[i]`` of a two-dimensional ``a``).

    ``window``: the first element and the number of those of a slice of the next dimension.
    ``pointer``: it is a pointer, declared to point to this address space.
    ``per_item``: it is indexed by the h_item whose element it is (``private_memory``).
    ``reference``: without dimensions it stands for its element, as a device_global does.
    """

    base: n.Param | n.Array
    view: View
    index: tuple[n.Expr, ...] = ()
    name: str = ""
    window: tuple[n.Expr, n.Expr] | None = None
    pointer: address_space | None = None
    per_item: bool = False
    reference: bool = False


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of several memories that are alike: ``which`` of ``options`` is known at run time only.

    ``options`` are names of memories that hold in every round; ``index`` is given to all of them.
    """

    which: n.Expr
    options: tuple[tuple[Any, ...], ...]
    index: tuple[n.Expr, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Record(Kind):
    """A struct, or an array member of one, in memory; ``shape`` is what is left to index.

    ``since``: when it got the name it goes by (``overwrites``); None if it has none.
    """

    base: n.Base
    index: tuple[n.Expr, ...]
    type: Scalar | Struct
    shape: tuple[int, ...] = ()
    offset: int = 0
    inner: tuple[tuple[n.Expr, int], ...] = ()
    writable: bool = True
    readable: bool = True
    name: str = ""
    since: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Vector(Kind):
    """A vec or marray: its elements, one after another.

    ``homes`` are the variables that may hold this very object. ``exact``: the elements are those of
    the object itself (reads of its variables, or loads from its memory), so they can be assigned.
    ``room`` is how many elements' room it takes in memory, if that is more than there are.
    """

    type: Struct
    items: tuple[n.Expr, ...]
    homes: frozenset[Any] = frozenset()
    name: str = ""
    exact: bool = True
    writable: bool = True
    readable: bool = True
    room: int = 0

    @property
    def elem(self) -> Scalar:
        """The type of an element."""
        elem = self.type.fields[0].type
        assert isinstance(elem, Scalar)
        return elem

    @property
    def place(self) -> n.Place | None:
        """Where the elements follow one another in memory; None if they do not."""
        first = self.items[0]
        if not isinstance(first, n.Load) or len(self.items) == 1:
            return None
        for k, x in enumerate(self.items):
            if not isinstance(x, n.Load) or x.place != replace(
                    first.place, offset=first.place.offset + k * self.elem.size):
                return None
        return first.place


@dataclass(frozen=True, slots=True)
class Image(Kind):
    """An image accessor; ``sampler`` is its own or, as SYCL 1.2 has it, one it was called with.

    ``layer`` is the image of an array that was selected; ``index`` what is given of a pixel's
    coordinates so far, x first.
    """

    param: n.Param
    view: ImageView
    name: str = ""
    sampler: image_sampler | None = None
    layer: n.Expr | None = None
    index: tuple[n.Expr, ...] = ()

    @property
    def ndim(self) -> int:
        """How many coordinates a pixel has."""
        return self.view.ndim - self.view.layered


@dataclass(frozen=True, slots=True)
class Instance(Kind):
    """A value of a dataclass: its fields, in order; ``homes`` and ``exact`` as in ``Vector``."""

    cls: Any
    names: tuple[str, ...]
    items: tuple[Value, ...]
    homes: frozenset[Any] = frozenset()
    name: str = ""
    exact: bool = False

    def field(self, name: str) -> Value:
        """Return the value of a field."""
        return self.items[self.names.index(name)]


@dataclass(frozen=True, slots=True)
class Item(Kind):
    """An index object: ``kind`` is item, nd_item, group, sub_group or h_item.

    ``bound``: an h_item of a loop whose logical range is the physical one.
    """

    kind: str
    ndim: int
    bound: bool = False


@dataclass(frozen=True, slots=True)
class Constant(Kind):
    """A Python object known while compiling, and the path it was captured by."""

    object: Any
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Closure(Kind):
    """A function defined inside the kernel, with the frame it sees and the defaults it got."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame = field(compare=False)
    defaults: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Method(Kind):
    """An attribute of a value, about to be called; ``given`` are arguments it has already."""

    owner: Value
    name: str
    given: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Either(Kind):
    """One of two functions, by a condition that nothing changes any more."""

    cond: n.Expr
    then: Value
    orelse: Value


@dataclass(frozen=True, slots=True)
class Partial(Kind):
    """A function with some of its arguments (``functools.partial``)."""

    callee: Value
    args: tuple[Value, ...]
    named: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Atomic(Kind):
    """An ``atomic_ref``."""

    place: n.Place
    order: memory_order
    scope: memory_scope


@dataclass(frozen=True, slots=True)
class Stream(Kind):
    """A stream of text, by its number."""

    number: n.Expr


@dataclass(frozen=True, slots=True)
class Setting(Kind):
    """A manipulator of streams with a number: setw or setprecision."""

    name: str
    value: n.Expr


@dataclass(frozen=True, slots=True)
class Reduction(Kind):
    """A reducer parameter, or with ``cell`` one element of a span of them.

    ``half``: one part of a complex variable, counted by itself.
    """

    index: int
    cell: n.Expr | None = None
    half: bool = False


@dataclass(frozen=True, slots=True)
class KernelHandler(Kind):
    """The kernel_handler parameter."""


@dataclass(frozen=True, slots=True)
class Nothing(Kind):
    """The result of something that returns nothing."""


@dataclass(frozen=True, slots=True)
class Poison(Kind):
    """The value of something already refused; using it says nothing more.

    ``missing``: of a name that has none on this path, and no variable that could be zero.
    """

    missing: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Pending(Kind):
    """What a name stands for that several ways brought different things for; nobody read it yet.

    ``site`` and ``name`` say which variable it is in the next round if somebody does; ``values``
    are what was brought, ``definition`` where.
    """

    site: Any
    name: Any
    values: tuple[Any, ...]
    definition: Any


@dataclass(frozen=True, slots=True)
class Lost(Kind):
    """What a name stands for that turns of a loop leave different kinds of things in.

    ``id`` and ``facts``: the diagnostic for whoever reads it; ``spans``: where it gets values.
    """

    id: str
    facts: tuple[tuple[str, str], ...]
    spans: tuple[Any, ...] = field(default=(), compare=False)


def as_tuple(value: Value) -> Value:
    """Return the plain tuple that a NamedTuple is; any other value as it is."""
    named = isinstance(value, Instance) and issubclass(value.cls, tuple)
    return Several(value.items) if isinstance(value, Instance) and named else value


def own_type(kind: object) -> elements_type | None:
    """Return the vec or marray type of a layout; None for any other type."""
    found = getattr(getattr(kind, "owner", None), "_type", None)
    return found if isinstance(found, elements_type) else None


def record_help(kind: Any, otherwise: str = "") -> str:
    """Say how records that another library keeps vectors in become vectors; else ``otherwise``."""
    if not isinstance(kind, Struct) or kind.owner is not None:
        return otherwise
    count = sum(f.name == f"s{k}" for k, f in enumerate(kind.fields))
    first = kind.fields[0].type if kind.fields else None
    if count not in SIZES or not isinstance(first, Scalar) or any(
            f.type != first or f.shape for f in kind.fields[:count]):
        return otherwise
    name = vec_of(first.dtype.numpy, count).__name__
    return f"to use it as a vector, pass the memory as array.view(np.dtype(sycl.{name}))"


def scalar_help(value: Value) -> str:
    """Return the way out where a number is needed."""
    if isinstance(value, Record):
        return record_help(value.type)
    if isinstance(value, Atomic):
        return "read its value with load()"
    if isinstance(value, Vector):
        return "take one element of it, or ask sycl.any(v) or sycl.all(v) of a condition"
    if isinstance(value, Memory):
        return "index it with one integer for each dimension"
    if getattr(value, "kind", "") in ("item", "nd_item", "h_item", "id", "range"):
        return "take one dimension of it, e.g. index[0] or get_global_id(0)"
    return ""


def describe(value: Value) -> str:
    """Name a value for a message, in the user's words."""
    match value:
        case n.Expr():
            return str(value.type)
        case Several():
            return f"a {value.kind} of {len(value.items)}"
        case Vector():
            return str(value.type)
        case Instance():
            return str(value.cls.__name__)
        case Memory():
            if value.pointer is not None:
                return f"a pointer to {value.view.space.value} {value.view.elem}"
            left = value.view.ndim - len(value.index)
            return f"{left}-dimensional {value.view.space.value} memory of {value.view.elem}"
        case Choice():
            return f"one of {len(value.options)} memories"
        case Record():
            return str(value.type) + ("".join(f"[{e}]" for e in value.shape))
        case Image():
            return f"a {value.view}"
        case Item():
            return "an item" if value.kind in ("item", "global", "logical", "physical") \
                else f"an {value.kind}" if value.kind[0] in "hn" else f"a {value.kind}"
        case Constant():
            if isinstance(value.object, type):
                return f"the type '{value.object.__name__}'"
            if value.object is None or isinstance(value.object, str):
                return repr(value.object)
            name = getattr(value.object, "__name__", None)
            return f"'{name}'" if name else f"an object of type '{type(value.object).__name__}'"
        case Partial():
            held = (*value.args, *(v for _, v in value.named))
            unsure = next((x.type for x in held if isinstance(x, n.Expr)
                           and isinstance(x.type, Unsure)), None)
            return "a function" if unsure is None else f"a function that holds one {unsure}"
        case Closure() | Either():
            return "a function"
        case Method():
            return f"the method '{value.name}'"
        case Atomic():
            return "an atomic_ref"
        case Stream():
            return "a stream"
        case Setting():
            return f"'{value.name}'"
        case Reduction():
            return "a reducer"
        case KernelHandler():
            return "a kernel_handler"
    return "nothing"
