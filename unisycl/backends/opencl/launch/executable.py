"""A kernel compiled for an OpenCL device: text, program, and how a launch calls it.

Non-goals: queues and events (``driver``). Invariants: the text depends on the kernel, the device
and the key only; a kernel object is used under its lock.
"""

from __future__ import annotations

import math
import operator
import threading
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from unisycl.backends.base import BoundView, Geometry, Launch
from unisycl.backends.cfamily.dialect import Dialect
from unisycl.backends.cfamily.kernel import Form, Source, print_kernel
from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.launch import arguments, shapes, unchecked
from unisycl.backends.opencl.launch.pace import Habit
from unisycl.backends.opencl.launch.shapes import Shape
from unisycl.backends.opencl.memory.objects import DeviceArray
from unisycl.backends.opencl.memory.shared import follows_pointers
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.enums import address_space
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import LentView, View
from unisycl.passes import pipeline
from unisycl.passes.checks import uninitialised

_PLANS = 256
_STACK = 6 << 20  # bytes; a thread of PoCL's has 8 MiB
_NESTED = 100  # branches one in another; Clang takes 256 brackets
_SMALL = 1 << 30  # so that twice an id, and one beside another, are numbers of 32 bits
_SPAN = 1 << 31
LocalShapes = tuple[tuple[int, tuple[int, ...]], ...]


class Variant(NamedTuple):
    """What of the views of a launch the text depends on.

    ``shapes``: the extents of local memory by its parameters' numbers; ``wide``: a view of several
    dimensions spans so much that positions need 64 bits; ``same``: views that have the pitches of
    an earlier one, and that one.
    """

    shapes: LocalShapes = ()
    wide: bool = False
    same: tuple[tuple[int, int], ...] = ()


PLAIN = Variant()
_TEXTS = 256


class Key(NamedTuple):
    """What of a geometry the text depends on.

    ``guards``: padded dimensions; ``small``: ids are below 2**30; ``items``: those that one takes
    in one go.
    """

    guards: tuple[int, ...]
    small: bool
    items: int = 1


def key_of(kernel: n.Kernel, geometry: Geometry, traits: Traits) -> Key:
    """Return the key of a launch."""
    small = sum(geometry.global_) + sum(geometry.offset) < _SMALL
    if kernel.index_kind == "range" and kernel.reducers:
        return Key((), small, shapes.items_of_round(kernel, traits))
    if kernel.index_kind == "range":
        items = shapes.items_side_by_side(kernel, geometry, traits)
        guards = () if items > 1 else shapes.shape_of_range(geometry, traits, kernel).guards
        return Key(guards, small, items)
    return Key((), small and kernel.index_kind != "work_group")


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


def source_of(kernel: n.Kernel, key: Key, dialect: Dialect, traits: Traits,
              variant: Variant = PLAIN) -> Source:
    """Return the text of a kernel."""
    extents, room = dict(variant.shapes), traits.number_of("local_mem_size")
    # without extents these are of another text
    if kernel.checks and (extents or not local_memory(kernel, traits)):
        unchecked.tell(kernel, traits, uninitialised.left(kernel, extents, room))
    small = key.small and not variant.wide and not kernel.reducers
    kernel = pipeline.run(kernel, "clike", "text", pipeline.Facts(
        ids_below=_SMALL if key.small else 1 << 63, deepest=_NESTED, spans=small,
        extents=extents, room=room, together=dialect.lockstep))
    local: tuple[int, ...] = ()
    if kernel.index_kind == "nd_range":
        local = kernel.local
    elif kernel.index_kind == "work_group":
        local = (shapes.items_of_hierarchy(kernel.local, traits),)
    elif kernel.reducers:
        local = (shapes.group_of_rounds(key.items, traits),)
    elif kernel.index_kind == "single":
        local = (1,)
    return print_kernel(kernel, dialect, Form(
        key.guards, local, key.items, variant.shapes, small, variant.same))


@dataclass(slots=True)
class ClExecutable:
    """What ``compile`` returns.

    ``sized`` is the geometry whose sizes the kernel object has, ``prepared`` how many launches have
    kernel objects of their own; ``simple``: it needs nothing but its launch; ``follows``: it
    follows pointers in memory; ``most``: how many items a work-group may have, 0 if that is not
    known; ``twins`` have kernel objects for memory objects and addresses in other places.
    """

    kernel: n.Kernel
    source: Source
    main: Any
    finish: Any
    set_sizes: tuple[arguments.Setter, ...]
    set_main: tuple[arguments.Setter, ...]
    set_finish: tuple[arguments.Setter, ...]
    program: Any
    what: str
    simple: bool
    follows: bool = False
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    sized: Geometry | None = None
    prepared: int = 0
    locals: tuple[int, ...] = ()
    spans: tuple[int, ...] = ()
    alike: tuple[int, ...] = ()
    variants: dict[Variant, ClExecutable] = field(default_factory=dict)
    twins: dict[tuple[bool, ...], ClExecutable] = field(default_factory=dict)
    _shapes: dict[int, tuple[Geometry, Shape, Habit]] = field(default_factory=dict)

    def variant(self, launch: Launch) -> Variant:
        """Return what a launch asks for by its views.

        Those are parameters: ``locals``, ``spans``, and ``alike`` whose pitches are compared.
        """
        values, wide = launch.values, False
        for i in self.spans:
            view = values[i]
            if sum(map(abs, map(operator.mul, view.shape, view.pitches))) >= _SPAN:
                wide = True
        shapes = tuple([(i, values[i].shape) for i in self.locals])
        if not self.alike:
            return Variant(shapes, wide)
        first: dict[tuple[int, ...], int] = {}
        owners = [(i, first.setdefault(values[i].pitches, i)) for i in self.alike]
        return Variant(shapes, wide, tuple([(i, k) for i, k in owners if i != k]))

    def twin(self, cl: Any, api: Api, launch: Launch) -> ClExecutable:
        """Return one whose kernel object was given memory objects where a launch has these only."""
        views = [*launch.values, *[view for view, _ in launch.reductions]]
        kinds = tuple(isinstance(v.memory, DeviceArray) for v in views if isinstance(v, BoundView))
        found = self.twins.get(kinds)
        if found is None:
            made = self if not self.twins else make_executable(
                cl, api, self.kernel, self.source, self.program)
            made.most = self.most
            found = self.twins.setdefault(kinds, made)
        return found

    def check(self, geometry: Geometry, traits: Traits, quirks: Quirks) -> None:
        """Refuse larger work-groups than the device runs of this kernel."""
        local = geometry.launched.local if self.kernel.index_kind == "nd_range" else (1,)
        count, shown = math.prod(local), " x ".join(map(str, local))
        if 0 < self.most < count:
            raise UsageError(errc.nd_range, f"{self.what}: a work-group of {count} work-items "
                             f"({shown}) exceeds the {self.most} that '{traits.name}' runs of this "
                             "kernel, which needs much memory; use a smaller local range")
        size = shapes.private_bytes(self.kernel) * count
        if quirks.private_on_stack and size > _STACK:
            raise UnsupportedError(errc.memory_allocation, f"{self.what}: the private arrays of a "
                                   f"work-group of {count} work-items ({shown}) take {size} bytes; "
                                   f"'{traits.name}' has {_STACK} for them; use a smaller local "
                                   "range, smaller arrays, or USM memory with a row for each item")

    def set(self, launch: Launch, call: arguments.Call) -> None:
        """Pass the arguments of a launch to the kernel object; under the lock."""
        main = self.main
        if launch.geometry is not self.sized:
            self.sized = None
            for put in self.set_sizes:
                put(main, launch, call)
            self.sized = launch.geometry
        for put in self.set_main:
            put(main, launch, call)

    def shape(self, geometry: Geometry, traits: Traits) -> Shape:
        """Return how a geometry is launched; remembered with the geometry object."""
        known = self._shapes.get(id(geometry))
        if known is None:
            if len(self._shapes) >= _PLANS:
                self._shapes.clear()
            known = self._shapes[id(geometry)] = (geometry, self._shape(geometry, traits),
                                                  Habit(self.kernel))
        return known[1]

    def habit(self, geometry: Geometry, traits: Traits) -> Habit | None:
        """Return how long launches of a geometry took; None where that tells nothing."""
        if not self.simple and (self.source.sites or not self.kernel.reducers):
            return None
        known = self._shapes.get(id(geometry))
        if known is None:
            self.shape(geometry, traits)
            known = self._shapes.get(id(geometry))
        return None if known is None else known[2]

    def _shape(self, geometry: Geometry, traits: Traits) -> Shape:
        match self.kernel.index_kind:
            case "range":
                if self.kernel.reducers:
                    return shapes.shape_of_rounds(geometry, traits, self.source.items)
                found = shapes.shape_of_range(geometry, traits, self.kernel, self.source.items)
                return shapes.within(found, self.most) if self.most else found
            case "nd_range":
                return shapes.shape_of_groups(geometry, flat=self.source.flat)
            case "work_group":
                return shapes.shape_of_hierarchy(geometry, self.kernel.local, traits)
        return Shape((1,), (1,), None)


def local_memory(kernel: n.Kernel, traits: Traits) -> tuple[int, ...]:
    """Return the parameters whose extents are worth compiling for.

    On processors, arrays of known size in place of pointers make loops around barriers up to 18
    times as fast (Intel 2026.2).
    """
    if traits.kind != "cpu" or kernel.index_kind != "nd_range":
        return ()
    return tuple(p.index for p in kernel.params if isinstance(p.type, View)
                 and p.type.space is address_space.local_space)


def wide_views(kernel: n.Kernel, source: Source) -> tuple[int, ...]:
    """Return the parameters that may be too large for a text that computes in 32 bits."""
    used = {a.number for a in source.arguments if a.kind.startswith("small")}
    return tuple(p.index for p in kernel.params if p.index in used and isinstance(p.type, View)
                 and p.type.space is not address_space.local_space)


def alike_views(kernel: n.Kernel, source: Source, traits: Traits) -> tuple[int, ...]:
    """Return the parameters whose pitches are worth comparing, so that equal ones are passed once.

    PoCL keeps what lives across a barrier in memory, for each work-item: one position of two views
    in place of two.
    """
    if traits.kind != "cpu" or kernel.index_kind != "nd_range":
        return ()
    if not any(isinstance(s, n.Barrier) for s in visit.statements(kernel.body)):
        return ()
    stepped = {a.number for a in source.arguments if a.kind.endswith("pitch")}
    return tuple(p.index for p in kernel.params if p.index in stepped) * (len(stepped) > 1)


def make_executable(cl: Any, api: Api, kernel: n.Kernel, source: Source,
                    program: Any) -> ClExecutable:
    """Return an executable of a built program."""
    finish = cl.Kernel(program, source.finish_name) if source.finish_name else None
    lent = any(isinstance(p.type, LentView) for p in kernel.params)
    return ClExecutable(
        kernel, source, cl.Kernel(program, source.name), finish,
        arguments.setters(api, kernel, source.arguments, sizes=True),
        arguments.setters(api, kernel, source.arguments),
        (*arguments.setters(api, kernel, source.finish, sizes=True),
         *arguments.setters(api, kernel, source.finish)),
        program, f"kernel '{kernel.name}'", not source.sites and not kernel.reducers and not lent,
        follows_pointers(kernel))


def groups_of(shape: Shape) -> int:
    """Return how many work-groups a launch has."""
    return math.prod(i // s for i, s in zip(shape.items, shape.local, strict=True))
