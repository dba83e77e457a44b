"""Walks that go on with a child and pop only where there is none, written as if they popped first.

``node = near`` at the end of a turn, and ``if top == 0: break``, ``top -= 1``, ``node =
stack[top]`` where the walk turns back, do the same as pushing the node at the end of the first and
popping at the beginning of each turn. Non-goals: what becomes of such a loop (``stack_walks``);
room for the node that is pushed besides. Invariant: each turn has the node that it had.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar


@dataclass(frozen=True, slots=True)
class PoppedFirst:
    """A loop's body as if it popped first, by what it does so, and what it takes from the stack."""

    body: n.Block
    top: n.Local
    node: n.Local
    array: n.Array
    before: n.Local | None = None
    """What has the node of the first turn, if nothing is on the stack then."""


def find(loop: n.While) -> PoppedFirst | None:
    """Return how a loop would pop first; None if it does not pop last."""
    if loop.pre or not (isinstance(loop.cond, n.Const) and loop.cond.value):
        return None
    site = next(_sites(loop.body), None)
    if site is None:
        return None
    ends = _Ends(site)
    body = ends.block(loop.body, last=True)
    if not ends.popped:
        return None
    kind = site.node.type
    place = replace(site.place, index=(n.Read(site.top.type, site.top),), type=kind)
    one = n.Const(site.top.type, 1)
    lower = n.Binary(site.top.type, "sub", n.Read(site.top.type, site.top), one)
    here = n.Local(site.node.name, kind)
    begin = (n.Assign(site.top, lower), n.Assign(here, n.Load(kind, place)),
             n.Assign(site.node, n.Read(kind, here)))
    assert isinstance(site.place.base, n.Array)
    return PoppedFirst((*begin, *_renamed(body, site.node, here)), site.top, here, site.place.base,
                       site.node)


@dataclass(frozen=True, slots=True)
class _Site:
    """Where a turn pops: the statements before it in its block, the top, the node, the place."""

    rest: n.Block
    top: n.Local
    node: n.Local
    place: n.Place


def _sites(block: n.Block) -> Iterator[_Site]:
    """Yield where a block, and those in its branches, pop at their end."""
    site = _site(block[:-1] if block and isinstance(block[-1], n.Continue) else block)
    if site is not None:
        yield site
    for stmt in block:
        if isinstance(stmt, n.If):
            for inner in visit.blocks(stmt):
                yield from _sites(inner)


def _site(block: n.Block) -> _Site | None:
    """Return where a block pops, if that is what it does last."""
    if block and isinstance(block[-1], n.If) and block[-1].orelse:
        last = block[-1]
        for gone, full in ((last.then, last.orelse), (last.orelse, last.then)):
            if len(gone) == 1 and isinstance(gone[0], n.Break) and len(full) == 2:
                return _taken(block[:-1], last.cond, full, empty=gone is last.then)
        return None
    if len(block) < 3:
        return None
    first = block[-3]
    if not (isinstance(first, n.If) and not first.orelse and len(first.then) == 1
            and isinstance(first.then[0], n.Break)):
        return None
    return _taken(block[:-3], first.cond, block[-2:], empty=True)


def _tested(cond: n.Expr) -> tuple[n.Expr | None, bool]:
    """Return the number that a condition compares with 0, and whether it is true of 0."""
    match cond:
        case n.Cast() if cond.x.type.dtype.kind == "b":
            return _tested(cond.x)
        case n.Cast():
            return cond.x, False
        case n.Unary() if cond.op == "not":
            found, says = _tested(cond.x)
            return found, not says
        case n.Compare() if isinstance(cond.b, n.Const) and cond.b.value == 0 \
                and cond.op in ("eq", "le", "ne", "gt"):
            return cond.a, cond.op in ("eq", "le")
    return None, False


def _taken(rest: n.Block, cond: n.Expr, block: n.Block, *, empty: bool) -> _Site | None:
    """Return a site of two assignments behind a test, true where the stack is ``empty``."""
    x, says = _tested(cond)
    if x is None or says != empty:
        return None
    while isinstance(x, n.Cast):
        x = x.x
    one, other = block
    if not (isinstance(x, n.Read) and x.type.dtype.is_integer and isinstance(one, n.Assign)
            and isinstance(other, n.Assign)):
        return None
    lower, took, below = (one, other, 0) if one.local is x.local else (other, one, 1)
    load = took.value
    while isinstance(load, n.Cast) and _holds(load.type, load.x.type):
        load = load.x
    if lower.local is not x.local or not _is_below(lower.value, x.local, 1) \
            or not isinstance(load, n.Load) or not _is_stack(load.place) \
            or not _is_below(load.place.index[0], x.local, below):
        return None
    return _Site(rest, x.local, took.local, load.place)


def _is_stack(place: n.Place) -> bool:
    return (isinstance(place.base, n.Array) and len(place.index) == 1 and not place.inner
            and place.base.type.space is address_space.private_space
            and isinstance(place.base.type.elem, Scalar))


def _is_below(x: n.Expr, top: n.Local, by: int) -> bool:
    """Say whether a number is the top less so many."""
    while isinstance(x, n.Cast):
        x = x.x
    if by == 0:
        return isinstance(x, n.Read) and x.local is top
    return (isinstance(x, n.Binary) and x.op == "sub" and isinstance(x.b, n.Const)
            and x.b.value == by and _is_below(x.a, top, 0))


def _holds(to: Scalar, of: Scalar) -> bool:
    """Say whether one type has all numbers that another has."""
    new, old = to.dtype, of.dtype
    return new.is_integer and old.is_integer and (
        new is old or (new.bits > old.bits and (new.kind == "i" or old.kind == "u")))


def _renamed(block: n.Block, node: n.Local, here: n.Local) -> n.Block:
    """Return a block that asks for the node of a turn by another name until it is another one."""
    out: list[n.Stmt] = []
    for k, stmt in enumerate(block):
        own = stmt
        if not isinstance(stmt, n.For | n.While) or node not in visit.assigned((stmt,)):
            own = visit.rewrite_own(stmt, lambda x: n.Read(x.type, here) if isinstance(
                x, n.Read) and x.local is node else None)
            own = visit.map_blocks(own, lambda inner: _renamed(inner, node, here))
        out.append(own)
        if node in visit.assigned((stmt,)):
            return (*out, *block[k + 1:])
    return tuple(out)


class _Ends:
    """Rewrites the ends of turns. ``popped``: some popped, and do nothing now."""

    def __init__(self, site: _Site) -> None:
        self.site, self.popped = site, False

    def block(self, block: n.Block, *, last: bool) -> n.Block:
        """Return a block; ``last``: behind it the turn is over."""
        around = bool(block) and isinstance(block[-1], n.Continue)
        body = block[:-1] if around else block
        end: n.Block = (block[-1],) if around else ()
        if not (last or around):
            return tuple(self.inside(s) for s in body)
        site = _site(body)
        if site is not None and self.same(site):
            self.popped = True
            return (*(self.inside(s) for s in site.rest), *end)
        if body and isinstance(body[-1], n.Break | n.Leave):
            return tuple(self.inside(s) for s in body)
        if body and isinstance(body[-1], n.If):
            branch = body[-1]
            made = replace(branch, then=self.block(branch.then, last=True),
                           orelse=self.block(branch.orelse, last=True))
            return (*(self.inside(s) for s in body[:-1]), made, *end)
        return (*(self.inside(s) for s in body), *self.push(), *end)

    def inside(self, stmt: n.Stmt) -> n.Stmt:
        """Return a statement that is not the last, in which turns may end early."""
        if isinstance(stmt, n.If | n.Scope):
            return visit.map_blocks(stmt, lambda block: self.block(block, last=False))
        return stmt

    def same(self, site: _Site) -> bool:
        mine = self.site
        return (site.top is mine.top and site.node is mine.node
                and site.place.base is mine.place.base)

    def push(self) -> n.Block:
        """Return what puts the node on the stack."""
        site = self.site
        top, kind = n.Read(site.top.type, site.top), site.node.type
        place = replace(site.place, index=(top,), type=kind)
        higher = n.Binary(top.type, "add", top, n.Const(top.type, 1))
        return n.Store(place, n.Read(kind, site.node)), n.Assign(site.top, higher)
