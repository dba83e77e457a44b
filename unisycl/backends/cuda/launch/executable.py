"""A kernel compiled for a card: text, module, functions, and how a launch calls them.

Non-goals: streams (``commands``), compiling (``text``). Invariant: what is here depends on the
kernel, the card, the key and the variant only.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from unisycl.backends.base import Geometry, Launch
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.cuda.api import handle
from unisycl.backends.cuda.discovery.card import Card
from unisycl.backends.cuda.launch.arguments import Pack, Signature
from unisycl.backends.cuda.session import Session
from unisycl.backends.cuda.text.target import OF_RANGES
from unisycl.backends.device.facts import Facts
from unisycl.backends.device.scratch import Call
from unisycl.backends.device.shapes import Shape
from unisycl.backends.device.texts import UNWATCHED, Variant, Watched, shape_of
from unisycl.base.errors import UsageError, errc
from unisycl.base.forward_progress import forward_progress_guarantee
from unisycl.ir.nodes import Kernel
from unisycl.ir.types import LentView

_MAX_THREADS, _STATIC, _MAX_DYNAMIC = 0, 1, 8  # CUfunction_attribute
_PLAIN_SHARED = 48 << 10
_PLANS = 256
_FINISH_ITEMS = 64


class Plan(NamedTuple):
    """How a geometry is launched: groups and items in C's order, as ctypes takes them."""

    geometry: Geometry
    shape: Shape
    sizes: tuple[Any, ...]


class Called(Protocol):
    """How a kernel of C is called."""

    def pack(self, launch: Launch, call: Call) -> Pack:
        """Return the arguments of a launch."""

    def layout(self, launch: Launch) -> tuple[dict[int, int], int]:
        """Return where local accessors begin in a group's dynamic memory, and its size."""


class Function:
    """One kernel of a module."""

    __slots__ = ("_dynamic", "_session", "handle", "most", "signature", "static", "suited")

    def __init__(self, session: Session, module: int, name: str, signature: Called) -> None:
        api = session.api
        value = api.address("cuModuleGetFunction", module, name.encode())
        self._session = session
        self.handle = handle(value)
        self.signature = signature
        self.most = api.number("cuFuncGetAttribute", _MAX_THREADS, value)
        self.suited = self.most
        """The items of a group that a range is best cut into."""
        self.static = api.number("cuFuncGetAttribute", _STATIC, value)
        self._dynamic = _PLAIN_SHARED - self.static

    def suit(self, most: int) -> None:
        """Have ranges cut into smaller groups where a quarter more items are on a unit then.

        A kernel of many registers fills a unit better so. The session is entered.
        """
        api, best = self._session.api, 0
        for size in (most, most // 2, most // 4):
            if size > self.most:
                continue
            items = size * api.number("cuOccupancyMaxActiveBlocksPerMultiprocessor", self.handle,
                                      size, 0)
            if items > best + best // 4:
                best, self.suited = items, size

    def allow(self, nbytes: int, what: str, card: Card) -> None:
        """Have launches with so much dynamic memory for a group; the session is entered."""
        if nbytes <= self._dynamic:
            return
        most = card.number("shared_most", _PLAIN_SHARED) - self.static
        if nbytes > most:
            raise UsageError(errc.memory_allocation, f"{what} is given {nbytes} bytes of local "
                             f"memory per work-group besides {self.static} of its own; "
                             f"'{card.name}' has {most + self.static}; use smaller tiles")
        self._session.api.call("cuFuncSetAttribute", self.handle, _MAX_DYNAMIC, most)
        self._dynamic = most


class Module:
    """Code of the driver's; it is unloaded with the last kernel of it."""

    __slots__ = ("_session", "image", "value")

    def __init__(self, session: Session, image: bytes) -> None:
        self._session = session
        self.image = image
        self.value = 0
        self.value = session.api.address("cuModuleLoadData", ctypes.c_char_p(image))

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        session = self._session
        if not ends() and self.value and session.lost is None and session.is_mine():
            with session as api:
                api.attempt("cuModuleUnload", self.value)


class Code(NamedTuple):
    """What of a kernel the driver has; ``finish`` joins the results of reductions."""

    module: Module
    main: Function
    finish: Function | None


@dataclass(slots=True)
class CuExecutable:
    """What ``compile`` returns.

    ``load`` compiles, if need be, and loads, once somebody asks for what that gives: a kernel whose
    launches all take variants never does. ``simple``: a launch is one call of the driver's;
    ``together``: all its groups run at the same time.
    """

    kernel: Kernel
    source: Source
    load: Callable[[], Code]
    what: str
    simple: bool
    together: bool
    watched: Watched = UNWATCHED
    variants: dict[Variant, CuExecutable] = field(default_factory=dict)
    _plans: dict[int, Plan] = field(default_factory=dict)
    _code: Code | None = None

    def loaded(self) -> Code:
        """Return the code; another thread may load it as well."""
        found = self._code
        if found is None:
            found = self._code = self.load()
        return found

    @property
    def module(self) -> Module:
        """What the driver has loaded."""
        return self.loaded().module

    @property
    def main(self) -> Function:
        """The kernel's function."""
        return (self._code or self.loaded()).main

    @property
    def finish(self) -> Function | None:
        """What joins the results of reductions."""
        return self.loaded().finish

    def plan(self, geometry: Geometry, facts: Facts, card: Card) -> Plan:
        """Return how a geometry is launched; remembered with the geometry object."""
        known = self._plans.get(id(geometry))
        if known is None:
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            shape = shape_of(self.kernel, self.source, geometry, facts, self.main.suited)
            known = self._plans[id(geometry)] = Plan(
                geometry, shape, grid_sizes(self.what, shape, card))
        return known

    def check(self, geometry: Geometry, card: Card) -> None:
        """Refuse larger work-groups than the card runs of this kernel.

        Of an nd_range in parts each has a kernel of its own, made for groups of its own size.
        """
        if self.kernel.index_kind != "nd_range":
            return
        local = geometry.local
        count = math.prod(local)
        if 0 < self.main.most < count:
            raise UsageError(errc.nd_range, f"{self.what}: a work-group of {count} work-items "
                             f"({' x '.join(map(str, local))}) exceeds the {self.main.most} that "
                             f"'{card.name}' runs of this kernel, which needs many registers; use "
                             "a smaller local range")

    def launch_sizes(self, launch: Launch) -> int:
        """Return the bytes of a group's dynamic memory."""
        return self.main.signature.layout(launch)[1]


def grid_sizes(what: str, shape: Shape, card: Card) -> tuple[Any, ...]:
    """Return groups and items as the driver takes them; refuse more groups than it launches."""
    groups = [i // s for i, s in zip(shape.items, shape.local, strict=True)]
    rest = [1] * (3 - len(groups))
    most = [card.number(f"grid_{x}", 65535) for x in "xyz"]
    if any(n > m for n, m in zip(groups, most, strict=False)):
        raise UsageError(errc.nd_range, f"{what}: {' x '.join(map(str, groups[::-1]))} "
                         f"work-groups; '{card.name}' launches at most {most[0]} along the "
                         f"last dimension and {most[1]} along the others; use larger "
                         "work-groups, or fewer dimensions")
    return tuple(map(ctypes.c_uint, (*groups, *rest, *shape.local, *rest)))


FINISH_SIZES = tuple(map(ctypes.c_uint, (1, 1, 1, _FINISH_ITEMS, 1, 1)))


def make_executable(session: Session, kernel: Kernel, source: Source,
                    compiled: Callable[[], bytes]) -> CuExecutable:
    """Return an executable of a text, which ``compiled`` makes code of."""
    def load() -> Code:
        image = compiled()
        with session:
            module = Module(session, image)
            main = Function(session, module.value, source.name, Signature(
                kernel, source.arguments, source.local_bytes))
            if kernel.index_kind == "range" and kernel.ndim == 1 and not kernel.reducers:
                main.suit(OF_RANGES)
            finish = Function(session, module.value, source.finish_name, Signature(
                kernel, source.finish)) if source.finish_name else None
        return Code(module, main, finish)

    lent = any(isinstance(p.type, LentView) for p in kernel.params)
    together = bool(kernel.progress) and (
        kernel.progress[2] is forward_progress_guarantee.concurrent)  # type: ignore[misc]
    return CuExecutable(kernel, source, load, f"kernel '{kernel.name}'",
                        not source.sites and not source.finish_name and not lent, together)
