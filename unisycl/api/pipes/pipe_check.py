"""Which kernels a pipe connects, known before any of them runs.

In hardware a pipe has one kernel that writes it and one that reads it, and compilers for hardware
refuse a program whose pipes have not. Here pipes take any number, so this is asked for.
Non-goals: running anything. Invariant: a program that passes may be made into hardware, as far as
its pipes are concerned.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unisycl.api.pipes.io_pipe import FileEnds, _IoPipe
from unisycl.api.pipes.pipe import pipe
from unisycl.api.queue.queue import queue
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.observe import compile_report
from unisycl.runtime.launch import launch, pipe_ends

_WAITS = frozenset(("write", "read"))
_ALONE = {"writes": "never has a packet to read", "reads": "finds no room once it is full"}
"""What becomes of an end that does not wait, where nothing does this at the other one."""


class _Connection:
    """The ends of one pipe: what each is called, without repeating itself."""

    def __init__(self, name: str, ends: Any, *, host: bool) -> None:
        self.name = name
        self.host = host
        self.sides: dict[str, list[str]] = {"writes": [], "reads": []}
        self.waits = False
        if isinstance(ends, FileEnds):
            self.add("writes" if ends.reads else "reads", f"the file '{ends.file}'")

    def add(self, side: str, who: str) -> None:
        if who not in self.sides[side]:
            self.sides[side].append(who)

    def problems(self) -> list[str]:
        found = []
        for side, who in self.sides.items():
            if len(who) > 1:
                found.append(f"{self.name}: {len(who)} kernels {side.rstrip('s')} it: "
                             f"{', '.join(who)}; give each a pipe of its own")
            elif not who and not self.host:
                other = ", ".join(self.sides["reads" if side == "writes" else "writes"])
                fate = "waits for ever" if self.waits else _ALONE[side]
                found.append(f"{self.name}: nothing {side} it, {other} {fate}; list the kernel "
                             "that does, or the pipe under host=")
        return found

    def text(self) -> str:
        one, other = (", ".join(who) or "the host" for who in self.sides.values())
        return f"{self.name}: {one} -> {other}"


@ends_at_call
def check_pipes(q: queue, *launches: tuple[Any, ...], host: Iterable[Any] = ()) -> list[str]:
    """Return what each pipe of some kernels connects; refuse what hardware could not implement.

    Args:
        q: a queue; the kernels are neither compiled nor run, so its device need not be able to.
        launches: of each kernel what its launch is given: ``(kernel, *arguments)`` for
            ``single_task``, ``(space, kernel, *arguments)`` for ``parallel_for``. The same kernel
            launched twice is one kernel.
        host: pipes that the host reads or writes, so that they may lack an end here.

    Raises ``errc.invalid``, with a line for each problem, where a pipe is written or read by two
    kernels or by none; what the launches would raise for kernels or arguments that are wrong.

    Example:
        >>> check_pipes(q, (produce, src, n), (consume, dst, n))  # doctest: +SKIP
        ['samples: produce at p.py:7:1 -> consume at p.py:11:1']
    """
    outside = {id(_ends(one)) for one in host}
    found: dict[int, _Connection] = {}
    one: Any
    for one in launches:
        if not isinstance(one, tuple | list) or not any(map(callable, one[:2])):
            raise UsageError(errc.invalid, "check_pipes: give of each kernel what its launch is "
                             f"given, (kernel, *arguments), not {one!r}")
        space, kernel, *arguments = (None, *one) if callable(one[0]) else one
        geometry = launch.SINGLE if space is None else launch.space_geometry(space)
        made, uses = compile_report.ends(q.channel.device, kernel, geometry, tuple(arguments))
        where = f"{made.name} at {made.span.place()}" if made.span is not None else made.name
        for name, call, ends in uses:
            if id(ends) not in found:
                found[id(ends)] = _Connection(name, ends, host=id(ends) in outside)
            found[id(ends)].waits |= call in _WAITS
            if call in pipe_ends.WRITES:
                found[id(ends)].add("writes", where)
            elif call in pipe_ends.READS:
                found[id(ends)].add("reads", where)
    wrong = [line for one in found.values() for line in one.problems()]
    if wrong:
        raise UsageError(errc.invalid, "check_pipes: in hardware a pipe joins one kernel to one "
                         "other:\n  " + "\n  ".join(wrong))
    return [one.text() for one in found.values()]


def _ends(one: Any) -> Any:
    """Return the variable that tells a pipe from others."""
    if isinstance(one, _IoPipe):
        return one._ring._ends
    if not isinstance(one, pipe):
        raise UsageError(errc.invalid, f"check_pipes: host= lists pipes, not {one!r}")
    return one._ends
