"""Commands so small that handing them to another thread costs more than doing them.

They run in the thread that submits them, as code of a few microseconds; a work-group is loops of
one thread, so barriers and its functions are as well. Non-goals: which kernels, and their code
(``direct_code``), which only compiling needs. Invariant: what runs here can neither wait for
another command nor fail.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from unisycl.backends.base import Geometry
from unisycl.backends.cpu.abi import unit_dimensions
from unisycl.backends.cpu.pool import bounds

MOST_STEPS = 262_144
"""Steps, each an operation of a vector: some 30 us. Two threads would take 15, and handing a launch
to them takes as much, of which ten in the submitting thread."""

MOST_STACK = 128 << 10
"""Bytes that a kernel may take of the stack of any thread."""

_SUFFIX = ".direct"

Steps: TypeAlias = int | Sequence[Any]
"""A number, or terms of a number and the turns of the loops around it."""

Direct = Callable[[bytes], None]
_prototype = ctypes.PYFUNCTYPE(None, ctypes.c_char_p)  # keeps the GIL: too short to give it up


def at_launch(steps_: Steps, geometry: Geometry, values: Sequence[Any]) -> int:
    """Return the vector operations of one sub-group in a launch; 0 where they are not known."""
    if isinstance(steps_, int):
        return steps_
    try:
        return sum(count * math.prod(bounds.most(x, geometry, values) for x in within)
                   for count, within in steps_)
    except bounds.UnknownError:
        return 0


def asked(terms: Sequence[Any]) -> frozenset[tuple[int, bool]]:
    """Return the arguments that terms depend on (``bounds.asked``)."""
    return frozenset().union(*(bounds.asked(within) for _, within in terms))


def fits(per_sub_group: int, geometry: Geometry, lanes: int) -> bool:
    """Say whether a launch of this geometry, and of so many steps, is small enough."""
    if not per_sub_group or 0 in geometry.global_:
        return False
    return per_sub_group * vectors(geometry, lanes) <= MOST_STEPS


def vectors(geometry: Geometry, lanes: int) -> int:
    """Return how many vectors a range or nd_range is."""
    if geometry.kind == "work_group":
        return math.prod(geometry.global_)
    if geometry.kind == "nd_range":
        size = math.prod(geometry.local)
        return math.prod(geometry.global_) // size * -(-size // lanes)
    units = unit_dimensions(geometry.global_)
    *outer, last = geometry.global_[:len(geometry.global_) - units]
    return math.prod(outer) * -(-last // lanes)


def symbol(entry: str) -> str:
    """Return the name of the function for direct calls beside an entry."""
    return entry + _SUFFIX


def function(address: int) -> Direct:
    """Return the function at an address as something Python can call with the bytes."""
    return _prototype(address)
