"""What a kernel is compiled to, and what was asked of its loops and memories, as text.

The early report of tools for hardware descriptions, for every device: attributes, options and what
the device made of them, each loop with what is asked of it, memories, pipes. Non-goals: timing.
Invariant: made from the typed IR, so it says what is compiled and not what was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unisycl.backends.base import Geometry
from unisycl.base.errors import UnsupportedError
from unisycl.frontend import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.launch import pipe_ends, program

_INTERVAL = "initiation_interval"


def report(device: DeviceState, function: Any, geometry: Geometry, arguments: tuple[Any, ...],
           reductions: tuple[Any, ...] = ()) -> str:
    """Return the report of a kernel for launches like this one; it is compiled, not run.

    Raises what the launch would.
    """
    _, made, raw = program.prepare(device, function, geometry, arguments, reductions)
    return text(device, made.kernel, geometry, raw)


def text(device: DeviceState, kernel: n.Kernel, geometry: Geometry,
         raw: tuple[Any, ...] = ()) -> str:
    """Return the report of a kernel that was compiled."""
    place = f" at {kernel.span.place()}" if kernel.span is not None else ""
    lines = [f"kernel {kernel.name}{place}", f"device: {device.info.name}"]
    lines += _attributes(kernel)
    try:
        lines.append(f"build: {device.driver.text(kernel, geometry, 'build')}")
    except UnsupportedError:
        lines.append("build: this device tells nothing about it")
    lines += _section("loops", _loops(kernel.body, 0))
    lines += _section("memories", _memories(kernel))
    lines += _section("pipes", _pipes(kernel, raw))
    return "\n".join(lines)


def _section(title: str, found: Iterator[str]) -> list[str]:
    listed = [f"  {line}" for line in found]
    return [f"{title}:", *(listed or ["  none"])]


def _attributes(kernel: n.Kernel) -> list[str]:
    found = [f"{name}({', '.join(map(str, value))})" for name, value in kernel.traits
             if name != "options"]
    if kernel.sub_group:
        found.append(f"sub_group_size({kernel.sub_group})")
    given = " ".join(map(str, dict(kernel.traits).get("options", ()))) or "none"
    return [f"attributes: {' '.join(found) or 'none'}", f"options: {given}"]


def _loops(block: n.Block, depth: int) -> Iterator[str]:
    """Yield a line for each loop, inner ones indented under theirs."""
    for stmt in block:
        inner = depth
        if isinstance(stmt, n.For | n.While):
            yield "  " * depth + _loop(stmt)
            inner = depth + 1
        for body in visit.blocks(stmt):
            yield from _loops(body, inner)


def _loop(stmt: n.For | n.While) -> str:
    line = f"line {stmt.span.line}: " if stmt.span is not None else ""
    if isinstance(stmt, n.While):
        return f"{line}while; II as the compiler chooses"
    bounds = [int(x.value) for x in (stmt.start, stmt.stop, stmt.step) if isinstance(x, n.Const)]
    turns = str(len(range(*bounds))) if len(bounds) == 3 else "a run-time number of"
    asked = dict(stmt.controls)
    words = [f"requested II {asked[_INTERVAL]}" if _INTERVAL in asked else
             "II as the compiler chooses"]
    if "unroll" in asked:
        words.append(f"unrolled by {asked['unroll']}" if asked["unroll"] else "unrolled wholly")
    words += [f"{name}({count})" if count else name for name, count in stmt.controls
              if name not in (_INTERVAL, "unroll")]
    return f"{line}for over {stmt.local.name}, {turns} turns; {', '.join(words)}"


def _memories(kernel: n.Kernel) -> Iterator[str]:
    asked: dict[str, str] = {}
    for name, words in kernel.notes:
        asked[name] = f"{asked[name]} {words}" if name in asked else words
    for array in kernel.arrays:
        size = array.type.elem.size
        for extent in array.shape:
            size *= extent
        space = array.type.space.value.removesuffix("_space")
        words = f"; asked: {asked.pop(array.name)}" if array.name in asked else ""
        yield f"{array.name}: {space}, {size} bytes of {array.type.elem}{words}"
    for name, words in asked.items():
        yield f"{name}: of the launch; asked: {words}"


def _pipes(kernel: n.Kernel, raw: tuple[Any, ...]) -> Iterator[str]:
    """Yield a line for each pipe: its name, packets, capacity, and what is done with it."""
    found: dict[str, tuple[str, list[str]]] = {}
    for name, call, param, thing in _parts(kernel, raw, "_data"):
        room = f", capacity {thing._extents[0]}" if thing is not None else ""
        _, calls = found.setdefault(name, (f"packets of {param.type.elem}{room}", []))
        if call not in calls:
            calls.append(call)
    for name, (about, calls) in found.items():
        yield f"{name}: {about}; {', '.join(calls)}"


def ends(device: DeviceState, function: Any, geometry: Geometry, arguments: tuple[Any, ...],
         ) -> tuple[n.Kernel, list[tuple[str, str, Any]]]:
    """Return a kernel for launches like this one, and its pipes; the device compiles nothing.

    Each is told by its name, what is called to move an end of it, and the variable of its ends.
    """
    program.refuse_arguments(function, arguments)
    spec, raw = specialize.find(function, geometry.kind, len(geometry.global_), arguments, (),
                                geometry.local, device.info)
    return spec.kernel, [(name, call, thing) for name, call, _, thing
                         in _parts(spec.kernel, raw, "_ends") if thing is not None]


def _parts(kernel: n.Kernel, raw: tuple[Any, ...], part: str) -> Iterator[
        tuple[str, str, Any, Any]]:
    """Yield each use of a part of a pipe: its name, the method, the parameter, the object."""
    objects = dict(zip((p.index for p in kernel.params), raw, strict=False))
    for name, _, method, param in pipe_ends.calls(kernel, part):
        thing = objects.get(param.index)
        if thing is None or getattr(thing, "what", "") == "pipe":
            yield name, method, param, thing
