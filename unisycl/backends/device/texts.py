"""The text of a kernel for a device whose compiler reads C, and what of a launch it depends on.

Non-goals: compiling it. Invariant: the text depends on the kernel, the dialect, the facts, the key
and the variant only.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar

from unisycl.backends.base import Geometry, Launch, LocalSize
from unisycl.backends.cfamily.dialect import Dialect
from unisycl.backends.cfamily.kernel import Form, Source, print_kernel
from unisycl.backends.device import shapes, unchecked
from unisycl.backends.device.facts import Facts
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View
from unisycl.passes import pipeline
from unisycl.passes.checks import uninitialised
from unisycl.passes.clike import apart, positions

_NESTED = 100  # branches one in another; Clang takes 256 brackets
_SMALL = 1 << 30  # so that twice an id, and one beside another, are numbers of 32 bits
_SMALL_SIDE = 1 << 26  # of several dimensions: so that products with sizes of groups are, too
_SHORT = 1 << 31
_TEXTS = 256
_VARIANTS = 16  # of one kernel for what its views are
LocalShapes = tuple[tuple[int, tuple[int, ...]], ...]


class Variant(NamedTuple):
    """What of the views of a launch the text depends on.

    ``shapes``: the extents of local memory by its parameters' numbers; ``wide``: a view spans so
    much that positions need 64 bits, or a number that is given; ``same``: views that have the
    pitches of an earlier one, and that one; ``meet``: views may overlap that most launches have
    apart; ``below``: parameters whose numbers are below 0, divisors that are 0 among them.
    """

    shapes: LocalShapes = ()
    wide: bool = False
    same: tuple[tuple[int, int], ...] = ()
    meet: bool = False
    below: tuple[int, ...] = ()


PLAIN = Variant()


class Watched(NamedTuple):
    """The parameters that decide about a kernel's variant: see ``local_memory`` and the others.

    ``most``: the bytes of local memory up to which its extents matter, 0 for any; ``apart``: pairs
    that must not overlap in the plain text; ``divisors``: those of ``numbers`` that divide.
    """

    locals: tuple[int, ...] = ()
    spans: tuple[int, ...] = ()
    alike: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    flat: tuple[int, ...] = ()
    most: int = 0
    apart: tuple[tuple[int, int], ...] = ()
    divisors: tuple[int, ...] = ()

    def any(self) -> bool:
        """Say whether a launch has to be looked at."""
        return bool(self.locals or self.spans or self.alike or self.numbers or self.flat
                    or self.apart)

    def variant(self, launch: Launch) -> Variant:
        """Return what a launch asks for by its views.

        Those are parameters: ``locals``, ``spans``, and ``alike`` whose pitches are compared.
        """
        values, wide = launch.values, False
        for i in self.spans:
            view = values[i]
            if sum(map(abs, map(operator.mul, view.shape, view.pitches))) >= positions.SPAN:
                wide = True
        for i in self.numbers:
            if not -_SMALL <= int(values[i]) < _SMALL:
                wide = True
        below = tuple([i for i in self.numbers if values[i] < (i in self.divisors)]
                      ) if not wide else ()
        for i in self.flat:
            if _elements(values[i].memory) >= positions.SPAN:
                wide = True
        shapes = tuple([(i, values[i].shape) for i in self.locals])
        if self.most and sum(math.prod(x.shape) * x.itemsize for x in values
                             if type(x) is LocalSize) > self.most:
            shapes = ()
        if not self.alike:
            return Variant(shapes, wide, (), bool(self.apart) and self.meet(values), below)
        first: dict[tuple[int, ...], int] = {}
        owners = [(i, first.setdefault(values[i].pitches, i)) for i in self.alike]
        return Variant(shapes, wide, tuple([(i, k) for i, k in owners if i != k]),
                       bool(self.apart) and self.meet(values), below)

    def meet(self, values: Sequence[Any]) -> bool:
        """Say whether memories that the plain text has apart may overlap."""
        known: dict[int, tuple[int, int]] = {}
        for i, k in self.apart:
            low, high = known.get(i) or known.setdefault(i, _reach(values[i].memory))
            first, last = known.get(k) or known.setdefault(k, _reach(values[k].memory))
            if low < last and first < high:
                return True
        return False


UNWATCHED = Watched()


def _elements(memory: Any) -> int:
    """Return how many elements the allocation has that memory is of; very many if nobody knows."""
    owner = getattr(memory, "owner", None)
    if owner is None:  # another library's array may refuse to be true or false
        owner = getattr(memory, "allocation", None)
    nbytes = getattr(owner, "nbytes", None)
    return positions.SPAN if nbytes is None else nbytes // memory.dtype.itemsize


def _reach(memory: Any) -> tuple[int, int]:
    """Return the addresses that an index may lead to: of all the allocation that memory is of.

    A pointer knows no bounds, and whoever made one into the middle may go back from there.
    """
    owner: Any = getattr(memory, "owner", None)
    if owner is None:
        owner = getattr(memory, "allocation", None)
    start: int | None = getattr(owner, "address", None)
    if start is None:
        return 0, 1 << 64
    return start, start + int(owner.nbytes)


class Varied(Protocol):
    """A compiled kernel, with those that were compiled for the views of some launches."""

    @property
    def watched(self) -> Watched: ...
    @property
    def variants(self) -> dict[Variant, Any]: ...


V = TypeVar("V", bound=Varied)


def variant_of(executable: V, launch: Launch, compiled: Callable[[Variant], V]) -> V:
    """Return a kernel compiled for the local memory and the views of a launch."""
    known = executable.watched.variant(launch)
    if known == PLAIN:
        return executable
    found: V | None = executable.variants.get(known)
    if found is None:
        if len(executable.variants) >= _VARIANTS:
            if not (known.wide or known.meet or known.below):
                return executable
            known = Variant(wide=known.wide or bool(known.below), meet=known.meet)
        found = executable.variants.setdefault(known, compiled(known))
    return found


class Key(NamedTuple):
    """What of a geometry the text depends on.

    ``guards``: padded dimensions; ``small``: ids are few (``below``); ``items``: those that one
    takes in one go; ``offset``: ids begin elsewhere than at 0, which the text has to add; ``flat``:
    there are more work-groups along a dimension than a launch may have, so they form one; ``far``:
    ids do not fit in 32 bits, which compilers rely on (``Facts.short_ids``).
    """

    guards: tuple[int, ...]
    small: bool
    items: int = 1
    offset: bool = False
    flat: bool = False
    far: bool = False


def key_of(kernel: n.Kernel, geometry: Geometry, facts: Facts) -> Key:
    """Return the key of a launch."""
    key = _near(kernel, geometry, facts)
    if facts.short_ids and not key.small and max(
            map(operator.add, geometry.global_, geometry.offset or (0, 0, 0))) > _SHORT:
        return key._replace(far=True)
    return key


def _near(kernel: n.Kernel, geometry: Geometry, facts: Facts) -> Key:
    """Return the key of a launch whose ids fit in 32 bits."""
    small = sum(geometry.global_) + sum(geometry.offset) < below(kernel)
    offset = facts.starts and any(geometry.offset)
    if kernel.index_kind == "range" and kernel.reducers:
        return Key((), small, shapes.items_of_round(kernel, facts), offset)
    if kernel.index_kind == "range":
        items = shapes.items_side_by_side(kernel, geometry, facts)
        if items > 1:
            return Key((), small, items, offset)
        shape = shapes.shape_of_range(geometry, facts, kernel)
        if shapes.beyond(shape, facts):
            return Key((), small, 1, offset, flat=True)
        return Key(shape.guards, small, items, offset)
    flat = kernel.index_kind == "nd_range" and shapes.beyond(
        shapes.shape_of_groups(geometry, flat=False), facts)
    return Key((), small and kernel.index_kind != "work_group", 1, offset, flat)


def below(kernel: n.Kernel) -> int:
    """Return what ids are below in a text that computes in 32 bits."""
    return _SMALL if kernel.ndim == 1 else _SMALL_SIDE


def key_of_any(kernel: n.Kernel) -> Key:
    """Return the key of a text for index spaces of any shape, whose ids are few (``below``)."""
    guards = tuple(range(kernel.ndim)) if kernel.index_kind == "range" else ()
    return Key(guards, True, 1, kernel.index_kind != "single")


class Texts:
    """What was compiled last, by kernel and key: the code that runs, as launches asked for it."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Key], tuple[n.Kernel, str]] = {}

    def note(self, kernel: n.Kernel, key: Key, source: Source) -> Source:
        """Keep a text, for some hundred kernels."""
        if len(self._known) >= _TEXTS:
            self._known.clear()
        self._known[id(kernel), key] = kernel, source.text
        return source

    def of(self, kernel: n.Kernel, key: Key) -> str | None:
        """Return the text of a kernel; None if there was none or it is forgotten."""
        known = self._known.get((id(kernel), key))
        return known[1] if known is not None and known[0] is kernel else None


def source_of(kernel: n.Kernel, key: Key, dialect: Dialect, facts: Facts,
              variant: Variant = PLAIN) -> Source:
    """Return the text of a kernel."""
    extents = dict(variant.shapes)
    if key.far:
        dialect = replace(dialect, queries={**dialect.queries, "global_id": dialect.far_id})
    # without extents these are of another text
    if kernel.checks and (extents or not local_memory(kernel, facts)):
        unchecked.tell(kernel, facts, uninitialised.left(kernel, extents, facts.local_size))
    small = key.small and not variant.wide and not kernel.reducers
    kernel = pipeline.run(kernel, "clike", "text", pipeline.Facts(
        ids_below=below(kernel) if key.small else 1 << 63, deepest=_NESTED, spans=small,
        few=small and facts.few, below=variant.below,
        divisors=positions.divisors(kernel) if small and facts.few else (), extents=extents,
        room=facts.local_size, together=dialect.lockstep, named=dialect.members is not None))
    local: tuple[int, ...] = ()
    if kernel.index_kind == "nd_range":
        local = kernel.local
    elif kernel.index_kind == "work_group":
        local = (shapes.items_of_hierarchy(kernel.local, facts),)
    elif kernel.reducers:
        local = (shapes.group_of_rounds(key.items, facts),)
    elif kernel.index_kind == "single":
        local = (1,)
    distinct = () if variant.meet or not dialect.distinct else apart.views(kernel)
    return print_kernel(kernel, dialect, Form(
        key.guards, local, key.items, variant.shapes, small, variant.same, distinct, key.offset,
        key.flat))


def local_memory(kernel: n.Kernel, facts: Facts) -> tuple[int, ...]:
    """Return the parameters whose extents are worth compiling for.

    On processors, arrays of known size in place of pointers make loops around barriers up to 18
    times as fast (Intel 2026.2). On cards pitches that are known make them a third faster.
    """
    if kernel.index_kind != "nd_range" or (facts.kind != "cpu" and not facts.fixed_local):
        return ()
    least = 2 if facts.fixed_local else 0
    return tuple(p.index for p in kernel.params if isinstance(p.type, View)
                 and p.type.space is address_space.local_space and p.type.ndim >= least)


def wide_views(kernel: n.Kernel, source: Source) -> tuple[int, ...]:
    """Return the parameters that may be too large for a text that computes in 32 bits."""
    used = {a.number for a in source.arguments if a.kind.startswith("small")}
    return tuple(p.index for p in kernel.params if p.index in used and isinstance(p.type, View)
                 and p.type.space is not address_space.local_space)


def alike_views(kernel: n.Kernel, source: Source, facts: Facts) -> tuple[int, ...]:
    """Return the parameters whose pitches are worth comparing, so that equal ones are passed once.

    PoCL keeps what lives across a barrier in memory, for each work-item: one position of two views
    in place of two.
    """
    if facts.kind != "cpu" or kernel.index_kind != "nd_range":
        return ()
    if not any(isinstance(s, n.Barrier) for s in visit.statements(kernel.body)):
        return ()
    stepped = {a.number for a in source.arguments if a.kind.endswith("pitch")}
    return tuple(p.index for p in kernel.params if p.index in stepped) * (len(stepped) > 1)


def watched(kernel: n.Kernel, source: Source, facts: Facts) -> Watched:
    """Return the parameters that decide about the variant of a plain text."""
    found = Watched(local_memory(kernel, facts), wide_views(kernel, source),
                    alike_views(kernel, source, facts), most=facts.fixed_local,
                    apart=source.apart)
    if not facts.few or kernel.reducers:
        return found
    return found._replace(
        numbers=tuple(p.index for p in positions.numbers(kernel)),
        divisors=positions.divisors(kernel),
        flat=tuple(p.index for p in kernel.params if isinstance(p.type, View)
                   and p.type.ndim == 1 and p.type.space is address_space.global_space))


def shape_of(kernel: n.Kernel, source: Source, geometry: Geometry, facts: Facts, most: int = 0,
             ) -> shapes.Shape:
    """Return how a geometry is launched.

    ``most``: the items that a work-group of the kernel may have, 0 if that is not known.
    """
    match kernel.index_kind:
        case "range":
            if kernel.reducers:
                return shapes.shape_of_rounds(geometry, facts, source.items)
            if source.flat:
                return shapes.shape_in_a_row(geometry, facts, most)
            found = shapes.shape_of_range(geometry, facts, kernel, source.items)
            return shapes.within(found, most) if most else found
        case "nd_range":
            return shapes.shape_of_groups(geometry, flat=source.flat)
        case "work_group":
            return shapes.shape_of_hierarchy(geometry, kernel.local, facts)
    return shapes.Shape((1,), (1,), None)
