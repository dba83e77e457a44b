"""How many vectors a loop keeps alive at once: what decides whether two of each fit in registers.

Non-goals: exact register allocation. Invariant: locals that all lanes share cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd.shapes import LINEAR, VARYING, Shape, Shapes

_EXPRESSION = 2
_CALL = 4
_LITTLE = 8
_SEVERAL = 3


def peak(body: n.Block, shapes: Shapes) -> int:
    """Return the most vectors that any loop of a kernel has alive at once; 0 without loops."""
    return max((_loop(s, shapes) for s in visit.statements(body) if isinstance(s, n.For | n.While)),
               default=0)


def waits(body: n.Block, shapes: Shapes) -> bool:
    """Say whether some loop does little but wait for its own sum of the step before.

    More vectors side by side fill the time.
    """
    return any(isinstance(s, n.For | n.While) and id(s) not in shapes.divergent
               and _is_chain(s, shapes) for s in visit.statements(body))


def parts(body: n.Block, shapes: Shapes) -> bool:
    """Say whether some loop that lanes go round together has a branch that some of them may take.

    Each turn waits for its masks, and one branch foretold wrongly then costs two vectors a wait.
    """
    return any(isinstance(s, n.For | n.While) and id(s) not in shapes.divergent and any(
        isinstance(x, n.If) and id(x) in shapes.divergent for x in visit.statements(s.body))
        for s in visit.statements(body))


def leaps(body: n.Block, shapes: Shapes) -> bool:
    """Say whether some loop of work-items side by side goes on behind all of them in each turn.

    A step is mostly as long as the launch: each turn is on pages of its own, so it takes what it
    can from them.
    """
    return next(_leaping(body, shapes), None) is not None


def waits_for_pages(body: n.Block, shapes: Shapes) -> bool:
    """Say whether loops that leap hold no loops and no atomics, so that pages are what they cost.

    Many vectors of each turn are worth it then, even where not all of them fit in registers.
    """
    return not any(isinstance(s, n.For | n.While | n.Atomic)
                   for loop in _leaping(body, shapes) for s in visit.statements(loop.body))


def _leaping(body: n.Block, shapes: Shapes) -> Iterator[n.For]:
    for s in visit.statements(body):
        if isinstance(s, n.For) and not isinstance(s.step, n.Const) \
                and shapes.of(s.start).rank == LINEAR and shapes.of(s.step).rank < LINEAR:
            yield s


def walks(body: n.Block, shapes: Shapes) -> bool:
    """Say whether some loop reads or writes several rows, each turn rows further down.

    Lanes lie side by side in a row, and the next turn is on another page: each turn takes what it
    can from its pages, and lines that follow one another.
    """
    return any(isinstance(s, n.For) and id(s) not in shapes.divergent
               and len(_rows(s, shapes)) >= _SEVERAL for s in visit.statements(body))


def _rows(loop: n.For, shapes: Shapes) -> set[n.Base]:
    """Return the memories that each turn of a loop reaches in another row, where lanes go along."""
    moving = {loop.local}
    for stmt in visit.statements(loop.body):
        if isinstance(stmt, n.Assign) and _asks(stmt.value, moving):
            moving.add(stmt.local)
    places = [x.place for x in visit.all_expressions(loop.body) if isinstance(x, n.Load)]
    places += [s.place for s in visit.statements(loop.body) if isinstance(s, n.Store)]
    return {p.base for p in places if isinstance(p.base, n.Param) and len(p.index) > 1
            and shapes.of(p.index[-1]) == Shape(LINEAR, 1)
            and all(shapes.of(x).rank < LINEAR for x in p.index[:-1])
            and any(_asks(x, moving) for x in p.index[:-1])}


def _asks(x: n.Expr, locals: set[n.Local]) -> bool:
    return any(isinstance(e, n.Read) and e.local in locals for e in visit.walk(x))


def _is_chain(loop: n.Stmt, shapes: Shapes) -> bool:
    steps = [s for block in visit.blocks(loop) for s in block]
    if any(True for s in steps for _ in visit.blocks(s)):
        return False
    work = sum(1 for x in visit.all_expressions(tuple(steps))
               if isinstance(x, n.Binary | n.Call | n.Select) and shapes.of(x).rank >= VARYING)
    return work <= _LITTLE and any(
        isinstance(s, n.Assign) and s.local.type.dtype.is_float and _is_vector(s.local, shapes)
        and any(isinstance(x, n.Read) and x.local is s.local for x in visit.walk(s.value))
        for s in steps)


def _loop(loop: n.Stmt, shapes: Shapes) -> int:
    """Count what passes through a loop or round it, and the temporaries of one step."""
    steps = [s for block in visit.blocks(loop) for s in block]
    read = [{x.local for x in visit.all_expressions((s,)) if isinstance(x, n.Read)} for s in steps]
    given = [visit.assigned((s,)) for s in steps]
    held: set[n.Local] = {x.local for e in visit.expressions(loop) for x in visit.walk(e)
                          if isinstance(x, n.Read)}
    known: set[n.Local] = set()
    for reads, gives in zip(read, given, strict=True):
        held |= reads - known
        known |= gives
    held = {x for x in held if _is_vector(x, shapes)}
    return len(held) + _temporaries(read, given, held, shapes) + _working(steps)


def _temporaries(read: list[set[n.Local]], given: list[set[n.Local]], held: set[n.Local],
                 shapes: Shapes) -> int:
    """Return the most temporaries that are alive between two statements."""
    last = {x: k for k, reads in enumerate(read) for x in reads}
    alive: set[n.Local] = set()
    most = 0
    for k, gives in enumerate(given):
        alive = {x for x in alive if last[x] > k}
        alive |= {x for x in gives if last.get(x, -1) > k and x not in held
                  and _is_vector(x, shapes)}
        most = max(most, len(alive))
    return most


def _working(steps: list[n.Stmt]) -> int:
    """Return the vectors that expressions need while they are computed."""
    calls = any(isinstance(x, n.Call) for x in visit.all_expressions(tuple(steps)))
    return _CALL if calls else _EXPRESSION


def _is_vector(local: n.Local, shapes: Shapes) -> bool:
    shape = shapes.locals.get(local)
    return shape is not None and shape.rank >= VARYING
