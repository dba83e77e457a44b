"""Messages of the host device for kernels that fail.

Non-goals: finding out (``workitems`` and ``HostView`` do). Invariant: every message names the
kernel, the work-items by their global ids, and lines of the user's own files.
"""

from __future__ import annotations

import traceback
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from unisycl.base.errors import DeviceError, errc, exception
from unisycl.base.geometry import id
from unisycl.lang.index.nd_item import h_item, item, nd_item

_PACKAGE = Path(__file__).parents[2]
_OURS = tuple(str(_PACKAGE / room) for room in (
    "lang", "backends", "base", "process", "ir", "runtime", "observe", "api"))
_SHOWN = 8


def kernel_failure(kernel: str, files: Collection[str], error: Exception, at: Any,
                   place: str = "") -> DeviceError:
    """Return the error a launch fails with when a work-item raised ``error``.

    Args:
        kernel: the kernel's name.
        files: the files its functions stand in.
        error: what was raised; becomes the cause.
        at: the index object of the work-item or group, or None for a single task.
        place: the line, where the traceback does not have it.
    """
    frame = _user_frame(error, files)
    if not place and frame:
        place = f"{frame.filename}:{frame.lineno}"
    place = f" at {place}" if place else ""
    what = error.what() if isinstance(error, exception) else f"{type(error).__name__}: {error}"
    if isinstance(error, AssertionError) and not error.args and frame is not None:
        what = f"AssertionError: {frame.line}"
    made = DeviceError(errc.kernel, f"kernel '{kernel}' failed{in_item(at)}{place}: {what}")
    made.__cause__ = error
    return made


def in_item(at: Any) -> str:
    """Return what is said of the work-item or group with an index object; "" for a task."""
    if isinstance(at, nd_item):
        return (f" in work-item {at.get_global_id()!r} ({at.get_local_id()!r} of group "
                f"{at.get_group().get_group_id()!r})")
    if isinstance(at, item):
        return f" in work-item {at.get_id()!r}"
    if isinstance(at, h_item):
        return (f" in work-item {at.get_logical_local_id()!r} of group "
                f"{id(*at._place.group)!r}")
    return f" in work-group {at.get_group_id()!r}" if at is not None else ""


def _user_frame(error: Exception, files: Collection[str]) -> traceback.FrameSummary | None:
    """Return the innermost frame of the kernel's own files; failing that, the last not ours."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if f.filename in files and not f.filename.startswith(_OURS)]
    outside = [f for f in frames if not f.filename.startswith(_OURS)]
    chosen = inside or outside
    return chosen[-1] if chosen else None


def divergence(kernel: str, items: Sequence[nd_item], requests: Sequence[Any]) -> DeviceError:
    """Return the error of work-items that did not all reach the same group function.

    Args:
        kernel: the kernel's name.
        items: the work-items that had to meet: a work-group or a sub-group.
        requests: what each waits for, None if it has ended.
    """
    parties: dict[Any, list[nd_item]] = {}
    for it, request in zip(items, requests, strict=True):
        parties.setdefault(_party(request), []).append(it)
    came = next(k for k, request in enumerate(requests) if request is not None)
    site, name, part = _party(requests[came])
    away = next((f": work-item {it.get_global_id()!r} does not" for it, request in zip(
        items, requests, strict=True) if _party(request) != _party(requests[came])), "")
    lines = [(f"kernel '{kernel}' failed{in_item(items[came])} at {site.place()}: not all "
              f"work-items of the {'sub-' if part else ''}group come to this {name}{away}")]
    for party, members in parties.items():
        which = _ids(members)
        if party is None:
            lines.append(f"  ended without another one: {which}")
        else:
            site, name, part = party
            over = ("sub-group" if part else "work-group") if isinstance(part, bool) \
                else "part of a sub-group"
            lines.append(f"  in {name} of the {over} at {site.place()}: {which}")
    lines.append("  help: call group functions where all work-items come by (SYCL 2020 §4.17.2): "
                 "move them out of branches and loops that depend on the work-item")
    return DeviceError(errc.kernel, "\n".join(lines))


def _party(request: Any) -> Any:
    """Return where a work-item waits, in what, and whom for; None if it has ended."""
    return None if request is None else (request[0], request[1].name, request[2])


def user_place(task: Any) -> str:
    """Return the file and line a work-item waits at, in the user's code; '' if that is unknown."""
    found = ""
    while getattr(task, "gi_frame", None) is not None:
        frame, task = task.gi_frame, task.gi_yieldfrom
        if not frame.f_code.co_filename.startswith(_OURS):
            found = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        elif task is None:  # one of ours that runs the work-item's own step by step
            task = frame.f_locals.get("task")
    return found


def disagreement(kernel: str, place: str, odd: tuple[str, int, Any, Any],
                 who: Sequence[nd_item], lane: int) -> DeviceError:
    """Return the error of work-items that give a group function what they have to share.

    Args:
        kernel: the kernel's name.
        place: the file and line of the call.
        odd: what it is, the number of the item that has another one, the first one's, its own.
        who: the first item and the other one.
        lane: the other one's number in the sub-group; -1 where a work-group meets.
    """
    what, _, first, other = odd
    where = f"item {lane} of the sub-group" if lane >= 0 else \
        f"work-item {who[1].get_global_id()!r}"
    return DeviceError(errc.kernel, f"kernel '{kernel}' failed{in_item(who[0])} at {place}: the "
                       f"{what} is {first} here and {other} in {where}: the group has to give one")


def _ids(items: Sequence[nd_item]) -> str:
    shown = ", ".join(f"({', '.join(map(str, it.get_global_id()))})" for it in items[:_SHOWN])
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return f"work-item{'s' if len(items) > 1 else ''} {shown}{more}"
