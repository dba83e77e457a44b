"""A kernel compiled for an OpenCL device: text, program, and how a launch calls it.

Non-goals: queues and events (``driver``). Invariants: the text depends on the kernel, the device
and the key only; a kernel object is used under its lock.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from typing import Any

from unisycl.backends.base import BoundView, Geometry, Launch
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.device.facts import Facts
from unisycl.backends.device.pace import Habit
from unisycl.backends.device.scratch import Call
from unisycl.backends.device.shapes import Shape, private_bytes
from unisycl.backends.device.texts import UNWATCHED, Variant, Watched, shape_of
from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.launch import arguments
from unisycl.backends.opencl.memory.objects import DeviceArray
from unisycl.backends.opencl.memory.shared import follows_pointers
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.ir import nodes as n
from unisycl.ir.types import LentView

_PLANS = 256
_STACK = 6 << 20  # bytes; a thread of PoCL's has 8 MiB


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
    watched: Watched = UNWATCHED
    variants: dict[Variant, ClExecutable] = field(default_factory=dict)
    twins: dict[tuple[bool, ...], ClExecutable] = field(default_factory=dict)
    _shapes: dict[int, tuple[Geometry, Shape, Habit]] = field(default_factory=dict)

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
        size = private_bytes(self.kernel) * count
        if quirks.private_on_stack and size > _STACK:
            raise UnsupportedError(errc.memory_allocation, f"{self.what}: the private arrays of a "
                                   f"work-group of {count} work-items ({shown}) take {size} bytes; "
                                   f"'{traits.name}' has {_STACK} for them; use a smaller local "
                                   "range, smaller arrays, or USM memory with a row for each item")

    def set(self, launch: Launch, call: Call) -> None:
        """Pass the arguments of a launch to the kernel object; under the lock."""
        main = self.main
        if launch.geometry is not self.sized:
            self.sized = None
            for put in self.set_sizes:
                put(main, launch, call)
            self.sized = launch.geometry
        for put in self.set_main:
            put(main, launch, call)

    def shape(self, geometry: Geometry, facts: Facts) -> Shape:
        """Return how a geometry is launched; remembered with the geometry object."""
        known = self._shapes.get(id(geometry))
        if known is None:
            if len(self._shapes) >= _PLANS:
                self._shapes.clear()
            known = self._shapes[id(geometry)] = (
                geometry, shape_of(self.kernel, self.source, geometry, facts, self.most),
                Habit(self.kernel))
        return known[1]

    def habit(self, geometry: Geometry, facts: Facts) -> Habit | None:
        """Return how long launches of a geometry took; None where that tells nothing."""
        if not self.simple and (self.source.sites or not self.kernel.reducers):
            return None
        known = self._shapes.get(id(geometry))
        if known is None:
            self.shape(geometry, facts)
            known = self._shapes.get(id(geometry))
        return None if known is None else known[2]


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
