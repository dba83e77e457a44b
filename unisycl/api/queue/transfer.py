"""Copies and fills: which memory each operand means, and whether the two fit (SYCL 2020 §4.9.4.3).

Non-goals: doing it (the driver does). Invariant: a copy never writes past its destination; operands
that do not fit are refused before anything is enqueued.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from unisycl.api.memory.accessor import accessor
from unisycl.api.memory.device_global import device_global
from unisycl.api.memory.exchange import as_host_array
from unisycl.api.memory.shared_ptr import shared_ptr
from unisycl.api.memory.usm import usm_pointer
from unisycl.base.errors import UsageError, errc
from unisycl.base.foreign_objects import native_help
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView, Group
from unisycl.runtime.memory.regions import pitches_of
from unisycl.runtime.memory.usm import check_alive, in_place


def operand(what: str, thing: Any, group: Group, channel: Channel, *, writes: bool) -> BoundView:
    """Return the memory an operand of a copy means; placeholders are required on the way."""
    if isinstance(thing, accessor):
        if writes and not thing.mode.writes:
            raise UsageError(errc.invalid, f"{what}: the destination is a read_only accessor; make "
                             "it write_only")
        if not writes and not thing.mode.reads:
            raise UsageError(errc.invalid, f"{what}: the source is a write_only accessor; make it "
                             "read_only")
        if thing.is_placeholder():
            thing.join(group)
        return thing.bind(group, channel)
    if isinstance(thing, usm_pointer):
        return thing.bind(group, channel)
    if isinstance(thing, device_global):
        return thing.elements(what, channel, writes=writes)
    if isinstance(thing, shared_ptr):
        thing = thing.get()
    if not isinstance(thing, np.ndarray | list | tuple | type):
        found = as_host_array(thing)
        thing = thing if found is None else found
    if isinstance(thing, np.ndarray):
        if not thing.flags.c_contiguous:
            raise UsageError(errc.invalid, f"{what}: the array is not C-contiguous; " + (
                "write to a new one and assign it after the wait: array[...] = new"
                if writes else "pass np.ascontiguousarray(array)"))
        if writes and not thing.flags.writeable:
            raise UsageError(errc.invalid, f"{what}: the destination array is read-only; give a "
                             "writable one, such as array.copy(), whose flags.writeable is True")
        check_alive(thing, group)
        lies = in_place(thing, channel)
        memory = thing.reshape(-1) if lies is None else lies.view(thing.dtype)
        return BoundView(memory, 0, thing.shape, pitches_of(thing.shape))
    raise UsageError(errc.invalid, f"{what}: expected an accessor, USM memory or an array, got "
                     f"{type(thing).__name__}{native_help(thing)}")


def as_count(what: str, noun: str, count: Any) -> int:
    """Return a number of elements or bytes; ``errc.invalid`` if it is no integer."""
    try:
        return operator.index(count)
    except TypeError as err:
        raise UsageError(errc.invalid, f"{what}: expected {noun}, an integer, got "
                         f"{count!r}") from err


def begin_at(what: str, thing: Any, view: BoundView, start: int) -> BoundView:
    """Return the elements of a device_global from ``start`` on; other operands have no start."""
    if not isinstance(thing, device_global):
        return view
    start, have = as_count(what, "the number of elements to skip", start), math.prod(view.shape)
    if not 0 <= start <= have:
        raise UsageError(errc.invalid, f"{what}: {thing!r} has {have} elements, so a copy cannot "
                         f"start at {start}")
    return BoundView(view.memory, view.offset + start, (have - start,), (1,))


def check_start(what: str, src: Any, dst: Any, start: int) -> None:
    """Refuse a start where no operand, or each of the two, is a device_global."""
    globals = isinstance(src, device_global) + isinstance(dst, device_global)
    if globals == 2:
        raise UsageError(errc.invalid, f"{what}: one operand may be a device_global, the other is "
                         "an array or USM memory")
    if start and not globals:
        raise UsageError(errc.invalid, f"{what}: only a copy to or from a device_global has a "
                         "start; slice the array, or use p.pointer_to(n)")


def fit(what: str, dst: BoundView, src: BoundView,
        count: int | None) -> tuple[BoundView, BoundView]:
    """Return the operands in one shape; ``errc.invalid`` if the destination is too small."""
    if dst.memory.dtype != src.memory.dtype:
        raise UsageError(errc.invalid, f"{what}: the source holds {src.memory.dtype}, the "
                         f"destination {dst.memory.dtype}; use memcpy for bytes, or reinterpret")
    if count is not None:
        count = as_count(what, "the number of elements", count)
        return _first(what, "destination", dst, count), _first(what, "source", src, count)
    if dst.shape == src.shape:
        return dst, src
    have, need = math.prod(dst.shape), math.prod(src.shape)
    if have < need:
        raise UsageError(errc.invalid, f"{what}: the destination has {have} elements, the source "
                         f"{need}; copy into one of at least that size, or give a count")
    if _contiguous(dst):
        return _shaped(dst, src.shape), src
    if have == need and _contiguous(src):
        return dst, _shaped(src, dst.shape)
    raise UsageError(errc.invalid, f"{what}: ranges {src.shape} and {dst.shape} do not correspond; "
                     "use accessors of equal ranges")


def _first(what: str, side: str, view: BoundView, count: int) -> BoundView:
    have = math.prod(view.shape)
    if not 0 <= count <= have:
        raise UsageError(errc.invalid, f"{what}: {count} elements asked for; the {side} has {have}")
    if not _contiguous(view):
        raise UsageError(errc.invalid, f"{what}: the {side} is a range that is not "
                         "contiguous; copy it whole")
    return _shaped(view, (count,))


def _contiguous(view: BoundView) -> bool:
    inner = pitches_of(view.shape)
    return view.pitches == inner or all(e == 1 or p == q
               for e, p, q in zip(view.shape, view.pitches, inner, strict=True))


def _shaped(view: BoundView, shape: tuple[int, ...]) -> BoundView:
    return BoundView(view.memory, view.offset, shape, pitches_of(shape))


def as_bytes(what: str, side: str, view: BoundView, nbytes: int) -> BoundView:
    """Return the first bytes of a contiguous operand; ``errc.invalid`` if it has fewer."""
    if not _contiguous(view):
        raise UsageError(errc.invalid, f"{what}: the {side} is not contiguous")
    size = view.memory.dtype.itemsize
    have = math.prod(view.shape) * size
    nbytes = as_count(what, "the number of bytes", nbytes)
    if not 0 <= nbytes <= have:
        raise UsageError(errc.invalid, f"{what}: {nbytes} bytes asked for; the {side} has {have}")
    memory = view.memory.view(np.uint8)
    return BoundView(memory, view.offset * size, (nbytes,), (1,))


def flat(what: str, side: str, view: BoundView) -> BoundView:
    """Return all elements of a contiguous operand in one dimension."""
    return _first(what, side, view, math.prod(view.shape))


def whole_bytes(what: str, side: str, view: BoundView) -> BoundView:
    """Return all bytes of a contiguous operand."""
    return as_bytes(what, side, view, math.prod(view.shape) * view.memory.dtype.itemsize)


def from_byte(what: str, side: str, thing: Any, view: BoundView, start: int) -> BoundView:
    """Return the bytes of a device_global from ``start`` on; other operands as they are."""
    if not isinstance(thing, device_global):
        return view
    return begin_at(what, thing, whole_bytes(what, side, view), start)


def pattern_of(what: str, view: BoundView, value: Any) -> Any:
    """Return a fill value in the operand's type; ``errc.invalid`` if it does not fit."""
    kind = view.memory.dtype
    if value is None or isinstance(value, str | bytes) or (not kind.names and np.ndim(value)):
        raise UsageError(errc.invalid, f"{what}: {value!r} is no {kind}; give one value of that "
                         "type")
    try:
        if kind.names:
            return np.array(value, kind)[()]
        return kind.type(value)
    except (TypeError, ValueError, OverflowError) as err:
        raise UsageError(errc.invalid, f"{what}: {value!r} is no {kind}: {err}") from err
