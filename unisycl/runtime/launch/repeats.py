"""Launches that come again: the same kernel over the same index space with the very same arguments.

Loops launch so, often by turns (``a`` into ``b``, ``b`` into ``a``). What was made for the first
time is used again, as if the program had bound it. Accessors are others each time, but are bound to
one view as long as their buffer lives and nothing moves. Of NumPy's arrays the place is known, and
asked for again: any array there serves, in a launch that runs at once. Structs may be changed in
place unseen, so they count as numbers that differ. Invariant: nothing here keeps a program's memory
alive: a launch is forgotten when a pointer or buffer it was given goes, or its memory is freed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Driver, Launch, address_of
from unisycl.base.allocations import fate_of
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import Capturable, Group
from unisycl.runtime.graph.repeated import Again
from unisycl.runtime.graph.tasks import Begin
from unisycl.runtime.memory.usm import Pointer

_MOST = 4
_PATIENCE = 8  # so many in a row that did not come again are noted each
SELDOM = 64  # then one of so many
_NUMBERS = int | float | complex | np.number | np.bool_ | np.void
Ref = Callable[[], Any]


class Place:
    """Where the elements of an array lie, one behind the other; its type is known elsewhere."""

    __slots__ = ("address", "shape")

    def __init__(self, view: BoundView) -> None:
        self.address, self.shape = view.slots()[0], view.shape

    def __call__(self) -> object:
        """Return what no kernel is ever given: it is the place that counts."""
        return self

    def holds(self, given: Any) -> bool:
        """Say whether an argument is an array in this place, whose memory was not freed."""
        if type(given) is not np.ndarray or given.shape != self.shape or (
                address_of(given) != self.address):
            return False
        fate = fate_of(given)
        return fate is None or not fate.freed


class Repeat(Again):
    """A launch that may come again. It knows what it was made of, without holding the memory."""

    __slots__ = ("__weakref__", "classes", "numbers", "owner", "placed", "refs")

    def __init__(self, launch: Launch, begin: Begin, name: str, driver: Driver) -> None:
        super().__init__(launch, begin, name, driver)
        self.owner = 0
        """The id of the context that the pointers belong to, which they keep; 0: there are none."""
        self.refs: tuple[Ref, ...] = ()
        self.numbers: tuple[int, ...] = ()
        """Which arguments are numbers or arrays, by their places: they may be others next time."""
        self.classes: tuple[tuple[int, type], ...] = ()
        """The classes of arrays and structs among these, which their types do not tell."""
        self.placed = False
        """Whether it was given arrays: its launch holds none, and ``run`` is all that serves."""

    def drop(self) -> None:
        """Forget the launch, and so the memory that it uses. May come at any moment, and again."""
        self.refs = (_gone,) * len(self.refs)
        self.launch = self.begin = self.run = self.task = None


def results(reductions: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return what tells launches with reductions apart, behind their arguments."""
    return tuple([x for r in reductions for x in (r._variable, r.initialize)])


def _gone() -> object:
    """Return an object that no kernel is ever given."""
    return _gone


def _dropper(one: Repeat) -> Callable[[Any], None]:
    """Return what drops a launch, and does not hold it."""
    which = weakref.ref(one)

    def drop(_: Any) -> None:
        found = which()
        if found is not None:
            found.drop()
    return drop


class Kin:
    """The last launches of one kernel, over whatever index spaces: those of a wavefront differ."""

    __slots__ = ("kept", "missed")

    def __init__(self) -> None:
        self.kept: tuple[Repeat, ...] = ()
        self.missed = 0
        """How many in a row were not found."""

    @property
    def numbers_vary(self) -> bool:
        """Whether a launch is looked for that differs in numbers, rather than one that does not."""
        return self.missed > _PATIENCE and self.missed % SELDOM != SELDOM - 1

    def but_for_numbers(self, raw: tuple[Any, ...], group: Group | None,
                        channel: Channel) -> Repeat | None:
        """Return a launch of few microseconds that differs in numbers and arrays, if they often do.

        Now and then it says no, so that what stays as it is now is found again.
        """
        if not self.numbers_vary:
            return None
        for one in self.kept:
            launch = one.launch
            if launch is None or one.run is None or (
                    one.owner and one.owner != id(channel.context)):
                continue
            numbers = one.numbers
            if one.classes and any(type(raw[k]) is not kind for k, kind in one.classes):
                continue
            for k, ref in enumerate(one.refs):
                if k not in numbers and ref() is not (given := raw[k]) and not (
                        group is not None and isinstance(given, Capturable)
                        and given.still(group, launch.values[k])):
                    break
            else:
                self.missed += 1
                return one
        return None


class Repeats(Kin):
    """The last launches of one kernel over one index space."""

    __slots__ = ("kin",)

    def __init__(self, kin: Kin) -> None:
        super().__init__()
        self.kin = kin

    def found(self) -> None:
        """Note that a launch came again."""
        self.missed = self.kin.missed = 0

    def same(self, raw: tuple[Any, ...], group: Group, channel: Channel) -> Repeat | None:
        """Return the launch with these arguments where that is seen without binding them."""
        for one in self.kept:
            launch = one.launch
            if launch is None or (one.owner and one.owner != id(channel.context)):
                continue
            for ref, given, known in zip(one.refs, raw, launch.values):  # noqa: B905
                if ref() is not given and not (
                        isinstance(given, Capturable) and given.still(group, known)):
                    break
            else:
                self.found()
                return one
        return None

    def bound_to(self, values: tuple[Any, ...], raw: tuple[Any, ...]) -> Repeat | None:
        """Return the launch whose values are these very objects, or were made of such numbers."""
        for one in self.kept:
            launch = one.launch
            if launch is None:
                continue
            for value, known, ref, given in zip(  # noqa: B905 - its check takes as long as this
                    values, launch.values, one.refs, raw):
                if value is not known and ref() is not given:
                    break
            else:
                self.found()
                return one
        return None

    def wants(self, raw: tuple[Any, ...], *, arrays: bool = False) -> bool:
        """Say whether a launch that was not found is to be noted: seldom where none ever is.

        ``arrays``: it runs at once, so that it may be one of arrays.
        """
        self.missed += 1
        self.kin.missed += 1
        if self.missed > _PATIENCE and self.missed % SELDOM:
            return False
        return all(isinstance(given, Pointer | _NUMBERS) or (
            isinstance(given, Capturable) and given.lasting() is not None) or (
                arrays and type(given) is np.ndarray)
            for given in raw)

    def note(self, raw: tuple[Any, ...], channel: Channel, launch: Launch, begin: Begin,
             name: str) -> None:
        """Remember a launch in place of the oldest."""
        one, owner = Repeat(launch, begin, name, channel.driver), id(channel.context)
        refs: list[Ref] = []
        one.numbers = tuple([k for k, given in enumerate(raw)
                             if isinstance(given, _NUMBERS | np.ndarray)])
        for k, given in enumerate(raw):
            if isinstance(given, np.ndarray):
                refs.append(Place(launch.values[k]) if given.flags.c_contiguous else _gone)
                one.placed = True
            elif isinstance(given, Pointer):
                refs.append(weakref.ref(given, _dropper(one)))
                given.block.users.add(one)
                one.owner = owner
            elif isinstance(given, Capturable):
                refs.append(weakref.ref(given.lasting(), _dropper(one)))
            elif isinstance(given, np.void):  # may be changed in place
                refs.append(_gone)
            else:
                refs.append(_keeper(given))
        one.refs = tuple(refs)
        one.classes = tuple([(k, type(raw[k])) for k in one.numbers
                             if isinstance(raw[k], np.void | np.ndarray)])
        self.kin.kept = (one, *self.kin.kept[:_MOST - 1])
        kept = self.kept
        if self.missed > _PATIENCE:  # by turns, the others' numbers would never be noted
            kept = tuple(sorted(kept, key=lambda old: _alike(old, launch)))
        self.kept = (one, *kept[:_MOST - 1])
        for old in kept[_MOST - 1:]:
            old.drop()


def _alike(old: Repeat, launch: Launch) -> bool:
    """Say whether a launch that was kept differs from another in numbers alone, or is gone."""
    known = old.launch
    return known is None or all(
        k in old.numbers or value is launch.values[k] for k, value in enumerate(known.values))


def _keeper(number: Any) -> Ref:
    return lambda: number
