"""Launches that differ in numbers, arrays or ranges from earlier ones on their queue.

A loop with a step, a time or a wavefront launches so, several kernels by turns, and one over parts
of an array. Where an array lies, and its shape, are numbers, too. What of a launch stays is kept in
a form for each code that runs it: where its numbers stand among the arguments that the code reads.
Non-goals: launches that are the same (``launch._once_more``), that are not tiny, or wait.
Invariants: all is asked that is asked of any launch; nothing here keeps a program's memory alive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from unisycl.backends.base import Geometry, Launch, Varied
from unisycl.base import requested_checks
from unisycl.base.allocations import fate_of
from unisycl.runtime.graph import repeated
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.launch import compiled_kernels
from unisycl.runtime.launch.repeats import SELDOM, Kin, Ref, Repeat

_MOST = 4096
_CODES, _EACH = 16, 4


class Noted:
    """What a queue knows of a tiny launch that differed from the one before in numbers, arrays."""

    __slots__ = ("code", "count", "fixed", "forms", "kinds", "match", "one")

    def __init__(self, one: Repeat, match: Callable[..., Any], code: Any, count: int) -> None:
        self.one, self.match, self.code, self.count = one, match, code, count
        self.fixed: tuple[tuple[int, Ref], ...] = tuple(
            [(k, ref) for k, ref in enumerate(one.refs) if k not in one.numbers])
        self.forms: dict[int, tuple[Geometry, Varied, Kin]] = {}
        """By the id of an index space: that, the form, and who counts launches over it."""
        self.kinds: dict[int, tuple[Any, Varied | None]] = {}
        """By the id of an executable: that and its form, if it has one."""

    def holds(self, raw: tuple[Any, ...]) -> bool:
        """Say whether all arguments but numbers are what they were, and no array's memory freed."""
        for k, ref in self.fixed:
            if ref() is not raw[k]:
                return False
        for k, kind in self.one.classes:
            if type(raw[k]) is not kind:
                return False
            fate = fate_of(raw[k]) if kind is np.ndarray else None
            if fate is not None and fate.freed:
                return False
        return True


Table: TypeAlias = dict[int, tuple[Noted, ...]]
"""By the id of a function's code: what was noted of its launches, the newest first."""


def note(channel: Channel, one: Repeat, found: tuple[Any, tuple[Any, ...]],
         called: tuple[Any, int], made: Launch, kin: Kin) -> None:
    """Note a launch over an index space that was like another one but for its numbers.

    ``found``: what asks for its kernel, and what the kernel is given; ``called``: its function, and
    how many arguments that has.
    """
    (match, raw), (code, count) = found, called
    table: Table = channel.varied or {}
    kept = table.get(id(code), ())
    for noted in kept:
        if noted.match is match and noted.count == count and (
                noted.one.numbers == one.numbers and noted.one.classes == one.classes
                and noted.holds(raw)):
            if noted.one.launch is None:  # newer ones took its place, or its memory was freed
                noted.one = one
            break
    else:
        noted = Noted(one, match, code, count)
        if len(table) >= _CODES:
            table = {}
        channel.varied = {**table, id(code): (noted, *kept[:_EACH - 1])}
    made_of, form = noted.kinds.get(id(made.executable)) or (None, None)
    if made_of is None:
        make = channel.driver.varied
        form = None if make is None else make(made, noted.one.numbers)
        noted.kinds[id(made.executable)] = made.executable, form
    if form is not None:
        if len(noted.forms) >= _MOST:
            noted.forms.clear()
        noted.forms[id(made.geometry)] = made.geometry, form, kin


def once_more(channel: Channel, table: Table, known_as: Any, function: Any, geometry: Geometry,
              arguments: tuple[Any, ...]) -> Task | None:
    """Run a launch that differs from one before in numbers alone; None: it is another one."""
    kept = table.get(id(known_as))
    if kept is None or compiled_kernels.watchers or (
            not (channel.repeats and channel.warm) or requested_checks.asked()):
        return None
    asked: Any = None
    raw: tuple[Any, ...] | None = None
    for noted in kept:
        known, launch = noted.forms.get(id(geometry)), noted.one.launch
        if known is None or launch is None or len(arguments) != noted.count:
            continue
        if noted.match is not asked:
            asked = noted.match
            raw = asked(function, arguments, ())
        if raw is None or not noted.holds(raw):
            continue
        if noted.match is not kept[0].match:  # what refuses other types may take long
            channel.varied = {**table, id(known_as): (noted, *[x for x in kept if x is not noted])}
        _, form, kin = known
        kin.missed += 1
        if kin.missed % SELDOM == SELDOM - 1:  # so that numbers that stay are found again
            return None
        run = form(geometry, launch.values, raw)
        return None if run is None else repeated.at_once(channel, noted.one.name, run)
    return None
