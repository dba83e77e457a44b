"""Kernels that wait for one another, launched as one: all their work-groups run at the same time.

CUDA promises no progress of one kernel beside another, but a cooperative launch has all of its
work-groups on the card or is refused. Non-goals: who waits for whom (``runtime``). Invariant: what
is launched fits the card; what does not is refused with numbers before anything runs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from unisycl.backends.base import Geometry, Launch
from unisycl.backends.cfamily.dialect import Dialect
from unisycl.backends.cuda.discovery.card import Card
from unisycl.backends.cuda.launch.arguments import Signature
from unisycl.backends.cuda.launch.executable import (
    Code,
    CuExecutable,
    Function,
    Module,
    Plan,
    grid_sizes,
)
from unisycl.backends.cuda.session import Session
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text import joined
from unisycl.backends.cuda.text.dialect import make_dialect
from unisycl.backends.cuda.text.target import OF_RANGES, Target
from unisycl.backends.device.facts import Facts
from unisycl.backends.device.scratch import Call
from unisycl.backends.device.shapes import Shape
from unisycl.backends.device.texts import key_of, shape_of, source_of
from unisycl.base.errors import UnsupportedError, UsageError, errc

_KEPT = 256


class Maker(Protocol):
    """What is asked of the driver of a card."""

    card: Card
    facts: Facts
    target: Target


class _Pack:
    """The arguments of several kernels, one kernel's after another's."""

    __slots__ = ("_packs", "pointers")

    def __init__(self, packs: Sequence[Any], counts: Sequence[int]) -> None:
        self._packs = packs
        found = [p.pointers[k] for p, count in zip(packs, counts, strict=True)
                 for k in range(count)]
        self.pointers = (ctypes.c_void_p * max(1, len(found)))(*found)


class _Signature:
    """How several kernels are called as one; the values of such a launch are their launches."""

    def __init__(self, parts: Sequence[tuple[Signature, int]]) -> None:
        self._parts = tuple(parts)

    def pack(self, launch: Launch, call: Call) -> Any:
        """Return the arguments of a launch."""
        packs = [s.pack(one, call) for (s, _), one in zip(self._parts, launch.values, strict=True)]
        return _Pack(packs, [count for _, count in self._parts])

    def layout(self, launch: Launch) -> tuple[dict[int, int], int]:
        """Return no places of its own, and the most local memory that a part has a group use."""
        return {}, max(s.layout(one)[1]
                       for (s, _), one in zip(self._parts, launch.values, strict=True))


@dataclass(slots=True)
class JoinedExecutable(CuExecutable):
    """Several kernels as one; ``parts`` keep what they were made of alive."""

    fixed: Plan | None = None
    parts: tuple[CuExecutable, ...] = ()

    def plan(self, geometry: Geometry, facts: Facts, card: Card) -> Plan:
        """Return how it is launched."""
        assert self.fixed is not None
        return self.fixed


class Joining:
    """The joined kernels of one card that were compiled last."""

    def __init__(self, target: Target) -> None:
        self._dialect = make_dialect(target)
        self._known: dict[Any, JoinedExecutable] = {}

    def launch_of(self, maker: Maker, session: Session, launches: Sequence[Launch]) -> Launch:
        """Return one launch of several, whose work-groups all run at the same time."""
        for one in launches:
            _refuse_part(one)
        key = tuple((id(one.executable), one.geometry, _variant(one)) for one in launches)
        made = self._known.get(key)
        if made is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            made = self._known[key] = _joined(
                maker, session, launches, self._dialect)
        assert made.fixed is not None
        geometry = made.fixed.geometry
        found = Launch(made, geometry, tuple(launches), where=launches[0].where,
                       timeout=max(one.timeout for one in launches),
                       urgency=max(one.urgency for one in launches))
        _check_room(maker.card, session, made, found)
        return found


def _refuse_part(launch: Launch) -> None:
    executable: CuExecutable = launch.executable  # type: ignore[assignment]
    kernel = executable.kernel
    what = None
    if launch.reductions:
        what = "has reductions"
    elif launch.rest:
        what = "runs over a non_uniform_nd_range"
    elif executable.source.sites:
        what = "prints or is checked"
    elif not executable.simple:
        what = "is given memory of another library's"
    elif "#include" in executable.source.text:
        what = "calls functions in CUDA C++ that include others"
    if what is not None:
        raise UnsupportedError(errc.kernel_not_supported, f"kernel '{kernel.name}' waits for "
                               f"another one in a pipe and {what}; on this device such kernels "
                               "are launched as one, for which that is not there; use the "
                               "operations of the pipe that do not wait (_nb)")


def _variant(launch: Launch) -> Any:
    """Return the variant of a part: memory may meet, since others read it at the same time."""
    executable: CuExecutable = launch.executable  # type: ignore[assignment]
    return executable.watched.variant(launch)._replace(meet=True)


def _joined(maker: Maker, session: Session, launches: Sequence[Launch],
            dialect: Dialect) -> JoinedExecutable:
    """Return kernels compiled as one."""
    parts, signatures, kernels = [], [], []
    card = maker.card
    for one in launches:
        executable: CuExecutable = one.executable  # type: ignore[assignment]
        kernel, names = executable.kernel, list[str]()
        source = source_of(kernel, key_of(kernel, one.geometry, maker.facts),
                           joined.part_dialect(dialect, names), maker.facts, _variant(one))
        most = OF_RANGES if kernel.index_kind == "range" else 0
        shape = shape_of(kernel, source, one.geometry, maker.facts, most)
        numbers = tuple(x.value for x in grid_sizes(executable.what, shape, card))
        parts.append(joined.Printed(source, tuple(names), numbers[:3], numbers[3:]))
        signatures.append((Signature(kernel, source.arguments, source.local_bytes), len(names)))
        kernels.append(kernel)
    said = {tuple(compiler.options(k, "")) for k in kernels}
    if len(said) > 1:
        raise UnsupportedError(errc.kernel_not_supported, f"{_named(kernels)} wait for one another "
                               "and are launched as one, but are compiled with different options; "
                               "give them the same")
    text = joined.joined_text(parts, [k.name for k in kernels])
    items, groups = max(p.item_count() for p in parts), sum(p.group_count() for p in parts)

    def load() -> Code:
        image = compiler.compile_kernel(text, kernels[0], maker.target)
        with session:
            module = Module(session, image)
            main = Function(session, module.value, text.name, _Signature(signatures))
        return Code(module, main, None)

    what = _named(kernels)
    geometry = Geometry("nd_range", (groups * items,), (items,), (0,))
    shape = Shape((groups * items,), (items,), None)
    return JoinedExecutable(
        kernels[0], text, load, what, simple=True, together=True,
        fixed=Plan(geometry, shape, grid_sizes(what, shape, card)),
        parts=tuple(one.executable for one in launches))  # type: ignore[misc]


def _named(kernels: Sequence[Any]) -> str:
    names = [f"'{k.name}'" for k in kernels]
    if len(names) == 1:
        return f"kernel {names[0]}"
    return f"kernels {', '.join(names[:-1])} and {names[-1]}"


def _check_room(card: Card, session: Session, made: JoinedExecutable, launch: Launch) -> None:
    """Refuse what does not fit the card at the same time."""
    assert made.fixed is not None
    items, groups = made.fixed.sizes[3].value, made.fixed.sizes[0].value
    dynamic = made.launch_sizes(launch)
    with session as api:
        made.main.allow(dynamic, made.what, card)
        each = api.number("cuOccupancyMaxActiveBlocksPerMultiprocessor", made.main.handle, items,
                          dynamic)
    room = each * card.number("units", 1)
    if groups > room:
        own = ", ".join(f"'{one.executable.kernel.name}' over "
                        f"{' x '.join(map(str, one.geometry.launched.global_))}"
                        for one in launch.values)
        raise UsageError(errc.nd_range, f"{made.what} wait for one another in pipes, so all of "
                         f"their work-groups have to be on '{card.name}' at the same time: "
                         f"{groups} of {items} work-items ({own}), and {room} fit; use fewer or "
                         "smaller work-groups")
