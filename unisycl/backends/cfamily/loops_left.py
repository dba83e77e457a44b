"""Which values come out of loops that work-items leave in different turns (C-like languages).

Where a compiler takes what such a loop counts as the same for all items behind it, too
(``Dialect.hides_departures``), reads there go through the helper ``own``; so do reads inside
where a name takes another one's value of the turn before. Non-goals: telling whether items really
leave in different turns. Invariant: inside any other loop reads stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unisycl.ir import nodes as n
from unisycl.ir import visit

_STEADY = (n.Const, n.ParamRead, n.Extent)


class LoopsLeft:
    """What is read behind loops, or in a block that leaves one; nothing unless it is ``asked``."""

    def __init__(self, kernel: n.Kernel, *, asked: bool) -> None:
        self._changed = frozenset(
            local for s in (visit.statements(kernel.body) if asked else ())
            if isinstance(s, n.For | n.While) and _parts(s) for local in visit.assigned((s,)))
        self._inside: frozenset[n.Local] = frozenset()

    def comes_out(self, local: n.Local) -> bool:
        """Say whether what is at hand reads a local as a loop left it."""
        return local in self._changed and local not in self._inside

    @contextmanager
    def turn(self, loop: n.For | n.While) -> Iterator[None]:
        """Print a loop's body."""
        outside = self._inside
        if self._changed and not (_parts(loop) and _takes(loop)):
            self._inside = outside | visit.assigned((loop,))
        yield
        self._inside = outside

    @contextmanager
    def block(self, block: n.Block) -> Iterator[None]:
        """Print a block, which may leave a loop."""
        inside = self._inside
        if any(isinstance(s, n.Break | n.Leave) for s in block):
            self._inside = frozenset()
        yield
        self._inside = inside


def _parts(loop: n.For | n.While) -> bool:
    """Say whether items may leave a loop in different turns."""
    if isinstance(loop, n.While) or visit.contains(loop.body, (n.Break, n.Leave)):
        return True
    return not all(isinstance(x, _STEADY) for x in (loop.start, loop.stop, loop.step))


def _takes(loop: n.For | n.While) -> bool:
    """Say whether a name takes another one's value in a loop."""
    changed = visit.assigned((loop,))
    return any(isinstance(s, n.Assign) and isinstance(s.value, n.Read) and s.value.local in changed
               for s in visit.statements((loop,)))
