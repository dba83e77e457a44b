"""The memory that routines of oneMKL are given: of any shape without gaps, of one type, not shared.

Non-goals: what lies in it. Invariants: nothing is copied; memory that is written overlaps no other
memory of the call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.operands import Memory, memory_of
from unisycl.oneapi.mkl import names


@dataclass
class Held:
    """Memory of one argument: its name, and the part that the routine uses."""

    name: str
    memory: Memory
    writes: bool


def flat(routine: str, what: str, x: Any) -> Memory:
    """Return memory as elements in the order in which they lie; refuse what has gaps."""
    if isinstance(x, Memory):
        return x
    if isinstance(x, np.ndarray) and x.ndim != 1:
        if not (x.flags.c_contiguous or x.flags.f_contiguous):
            raise names.invalid_argument(f"{routine}: {what} is an array with gaps; give the array "
                                         "it is a part of and its leading dimension, or a copy")
        x = x.reshape(-1) if x.flags.c_contiguous else x.T.reshape(-1)
    elif isinstance(x, sycl.usm_pointer) and len(x.shape) != 1:
        x = x.pointer_to(0)
    elif isinstance(x, sycl.buffer) and len(tuple(x.get_range())) != 1:
        x = x.reinterpret(x.dtype, x.size())
    if isinstance(x, np.ndarray) and x.size > 1 and not x.flags.c_contiguous:
        raise names.invalid_argument(f"{routine}: {what} is an array with gaps; give the array it "
                                     "is a part of and the stride")
    return memory_of(routine, what, x)


def with_parts(routine: str, given: dict[str, Any], pairs: dict[str, str], *,
               rows_lie: bool) -> tuple[dict[str, Any], dict[str, int]]:
    """Return what was given, with parts of matrices as the elements between which they lie.

    And of these how many elements lie together.

    Args:
        pairs: the names of matrices, and those of their leading dimensions.
        rows_lie: whether rows lie together, else columns.
    """
    found, widths = given, {}
    for what, leading in pairs.items():
        x = given.get(what)
        if isinstance(x, np.ndarray) and x.ndim == 2 and not (
                x.flags.c_contiguous or x.flags.f_contiguous):
            if found is given:
                found = dict(given)
            turned = x if rows_lie else x.T
            found[what], widths[what] = _spread(routine, what, turned, leading,
                                                given[leading]), turned.shape[1]
    return found, widths


def check_width(routine: str, what: str, lying: int, widths: dict[str, int]) -> None:
    """Refuse a routine that would reach beyond a part of a matrix."""
    if lying > widths.get(what, lying):
        raise names.invalid_argument(f"{routine}: {what} is a part of a matrix, in which "
                                     f"{widths[what]} elements lie together where {lying} are "
                                     "needed")


def _spread(routine: str, what: str, x: Any, leading: str, ld: Any) -> Any:
    """Return a part of a matrix whose rows lie ``ld`` apart, with what lies between its rows."""
    apart, rest = divmod(x.strides[0], x.itemsize)
    if x.strides[1] != x.itemsize or rest or apart < x.shape[1]:
        return x  # which is refused as an array with gaps
    if ld != apart:
        raise names.invalid_argument(f"{routine}: {leading} is {ld}, and {what} is a part of a "
                                     f"matrix whose leading dimension is {apart}")
    size = (x.shape[0] - 1) * apart + x.shape[1]
    return np.lib.stride_tricks.as_strided(x, (size,), (x.itemsize,), writeable=x.flags.writeable)


def held(routine: str, what: str, x: Any, kind: np.dtype[Any], need: int, *,
         writes: bool) -> Held:
    """Return memory of so many elements of a type; refuse other memory."""
    found = flat(routine, what, x)
    if found.dtype != kind:
        raise names.invalid_argument(f"{routine}: {what} has elements of {found.dtype}; {kind} is "
                                     "needed")
    if (found.size or 0) < need:
        raise names.invalid_argument(f"{routine}: {what} has {found.size} elements where {need} "
                                     "are needed")
    base: Any = found.base
    if isinstance(base, sycl.usm_pointer):
        getattr(base, "block").bytes()  # noqa: B009 -- refuses what was freed; no public name
    if writes and not found.writable:
        raise names.invalid_argument(f"{routine}: {what} cannot be written")
    part = found.part(0, need)
    if not writes:
        part.writable = False
    return Held(what, part, writes)


def check_apart(routine: str, all_held: list[Held]) -> None:
    """Refuse memory that is written and overlaps other memory of the call."""
    for k, mine in enumerate(all_held):
        for other in all_held[k + 1:]:
            if (mine.writes or other.writes) and _meet(mine.memory, other.memory):
                raise names.invalid_argument(f"{routine}: {mine.name} and {other.name} overlap, "
                                             "and one of them is written")


def _meet(a: Memory, b: Memory) -> bool:
    return any(x.meets(y) for x in a.extents() for y in b.extents())


def number(routine: str, what: str, value: Any, kind: np.dtype[Any]) -> Any:
    """Return a number of Python's for one of a type; refuse what is none."""
    try:
        found = complex(value)
    except (TypeError, ValueError):
        raise names.invalid_argument(f"{routine}: {what} must be a number, got "
                                     f"{value!r}") from None
    if kind.kind == "c":
        return found
    if found.imag:
        raise names.invalid_argument(f"{routine}: {what} is {value!r}; it must be real")
    return found.real
