"""Elements that a work-item has read already are not read again.

``if a[i - 1] > v: v = a[i - 1]`` reads twice, and ``if i > 0 and a[i - 1] > v`` reads under one
mask and again under a narrower one. A compiler of scalars finds that out by itself, one of vectors
does not look through masks. What such a condition compares is branched on where it is computed,
too. Non-goals: elements that were written (``registers``), loops: each turn reads anew, so that
whoever waits for memory sees it change. Invariant: nothing is read that was not read before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from unisycl.base.dataclass import dataclass, field, replace
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd.other_names import Names

_PLAIN = (n.Assign, n.Store, n.If, n.For, n.While, n.Scope, n.Break, n.Continue, n.Leave)
_MOST_CONDITION = 6


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with locals in place of loads of what was loaded."""
    if kernel.checks or kernel.pointed or not any(
            isinstance(s, n.If) for s in visit.statements(kernel.body)):
        return kernel
    walk = _Walk(Names(kernel.body))
    steps = walk.block(kernel.body, _Seen())
    if not walk.found:
        return kernel
    return replace(kernel, body=walk.build(kernel.body, steps))


@dataclass(slots=True)
class _Site:
    """Where an element is read first; ``held`` has its value if it is read again.

    ``within`` is the branch that it is read in; ``above`` that one, if it is read behind it, too.
    """

    place: n.Place
    bases: frozenset[n.Base]
    asked: frozenset[n.Local]
    held: n.Local | None = None
    within: _Step | None = None
    above: _Step | None = None


_Sites = dict[n.Place, _Site]


@dataclass(slots=True)
class _Seen:
    """What has been read when control is here; ``under`` a flag, what more if it is set."""

    sites: _Sites = field(default_factory=dict)
    under: dict[n.Local, _Sites] = field(default_factory=dict)

    def copy(self, more: _Sites | None = None) -> _Seen:
        """Return what is known at the start of a block."""
        return _Seen({**self.sites, **(more or {})}, dict(self.under))

    def drop(self, other: _Seen | None = None) -> None:
        """Forget all; or what ``other`` does not know, too."""
        kept = other.sites if other is not None else {}
        self.sites = {p: s for p, s in self.sites.items() if kept.get(p) is s}
        self.under = {}

    def assign(self, local: n.Local) -> None:
        """Forget what an index asks for that local, and what was known while it was set."""
        self._keep(lambda site: local not in site.asked)
        self.under.pop(local, None)

    def store(self, base: n.Base) -> None:
        """Forget what may lie in memory that is written."""
        self._keep(lambda site: not any(_overlap(base, b) for b in site.bases))

    def _keep(self, stays: Callable[[_Site], bool]) -> None:
        self.sites = {p: s for p, s in self.sites.items() if stays(s)}
        self.under = {f: {p: s for p, s in m.items() if stays(s)} for f, m in self.under.items()}


@dataclass(slots=True)
class _Step:
    """A statement on its way: what is read in it first and what again, what it branches on."""

    stmt: n.Stmt
    first: list[_Site] = field(default_factory=list)
    again: _Sites = field(default_factory=dict)
    cond: n.Expr | None = None
    sides: list[list[_Step]] = field(default_factory=list)


def _overlap(a: n.Base, b: n.Base) -> bool:
    """Say whether two memories may be one: a work-item's own arrays are nobody else's."""
    return a is b or not (_is_own(a) or _is_own(b))


def _is_own(base: n.Base) -> bool:
    return isinstance(base, n.Array) and base.type.space is address_space.private_space


class _Walk:
    """Goes through blocks in order; ``found``: something is read again, or branched on sooner."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.found = False
        self.every: list[_Site] = []

    # ---- looking
    def block(self, block: n.Block, seen: _Seen, *, asks: bool = False) -> list[_Step]:
        """Return the steps of a block; ``seen`` is what is known behind it then.

        ``asks``: it computes the condition of a loop, whose turns are counted by what that is.
        """
        steps: list[_Step] = []
        for stmt in block:
            step = _Step(stmt)
            if not isinstance(stmt, n.While):
                self.expressions(step, seen)
            if isinstance(stmt, n.If) and steps and not asks:
                step.cond = _just_computed(stmt.cond, steps[-1].stmt)
                self.found |= step.cond is not None
            self.inside(step, seen)
            steps.append(step)
        return steps

    def expressions(self, step: _Step, seen: _Seen) -> None:
        """Note what a statement's own expressions read."""
        for x in visit.expressions(step.stmt):
            always = not any(isinstance(e, n.Select) for e in visit.walk(x))
            for load in visit.walk(x):
                if not isinstance(load, n.Load) or isinstance(load.place.base, n.Heap):
                    continue
                place = self.names.of(load.place)
                known = seen.sites.get(place)
                if known is None and always:
                    seen.sites[place] = site = self.site(place)
                    step.first.append(site)
                elif known is not None and all(known is not s for s in step.first):
                    step.again[place] = known
                    known.held = known.held or n.Local("read", load.type)
                    self.found = True
                    known.above = known.within

    def site(self, place: n.Place) -> _Site:
        below = [e for x in (*place.index, *(x for x, _ in place.inner)) for e in visit.walk(x)]
        found = _Site(place, frozenset({place.base, *(
            e.place.base for e in below if isinstance(e, n.Load))}), frozenset(
            e.local for e in below if isinstance(e, n.Read)))
        self.every.append(found)
        return found

    def inside(self, step: _Step, seen: _Seen) -> None:
        """Go through a statement's blocks, and forget what it may change."""
        stmt = step.stmt
        if not isinstance(stmt, _PLAIN):
            seen.drop(_Seen())
            step.sides = [self.block(b, _Seen()) for b in visit.blocks(stmt)]
            return
        if isinstance(stmt, n.If):
            self.branch(step, stmt, seen)
        elif isinstance(stmt, n.Scope):
            before = seen.copy()
            step.sides = [self.block(stmt.body, before)]
            _forget((stmt,), seen)
        elif isinstance(stmt, n.For | n.While):
            turn = _Seen()
            step.sides = [self.block(b, turn, asks=isinstance(stmt, n.While) and b is stmt.pre)
                          for b in visit.blocks(stmt)]
            seen.drop(_Seen())
        elif isinstance(stmt, n.Store):
            seen.store(stmt.place.base)
        for local in visit.targets(stmt):
            seen.assign(local)
        if isinstance(stmt, n.Assign) and isinstance(stmt.value, n.Read):
            seen.under[stmt.local] = seen.under.get(stmt.value.local, {})

    def branch(self, step: _Step, stmt: n.If, seen: _Seen) -> None:
        """Go through both sides; behind ``if flag: flag = more``, a flag says that the side ran."""
        flag = _flag(stmt.cond)
        more = seen.under.get(flag, {}) if flag is not None else {}
        then, other, before = seen.copy(more), seen.copy(), seen.sites
        step.sides = [self.block(stmt.then, then), self.block(stmt.orelse, other)]
        seen.sites = dict(then.sites)
        seen.drop(other)
        if flag is not None and not stmt.orelse:
            seen.under[flag] = known = {**then.sites, **then.under.get(flag, {})}
            for place, site in known.items():
                if before.get(place) is not site and more.get(place) is not site:
                    site.within = step

    # ---- building
    def build(self, block: n.Block, steps: list[_Step]) -> n.Block:
        """Return a block with what was found out about it."""
        made: list[n.Stmt] = []
        for step in steps:
            last = len(made) - 1
            made += [n.Assign(s.held, n.Const(s.held.type, s.held.type.dtype.numpy.type(0).item()))
                     for s in self.every if s.above is step and s.held is not None]
            known = dict(step.again)
            for site in reversed(step.first):  # what an index asks for comes before what asks
                if site.held is not None:
                    value = n.Load(site.held.type, self.swapped_place(site.place, known))
                    made.append(n.Assign(site.held, value, span=step.stmt.span))
                    known[site.place] = site
            stmt = step.stmt
            if step.cond is not None and isinstance(stmt, n.If):
                flag, before = _flag_behind(stmt), made[last]
                if flag is not None and isinstance(before, n.Assign):
                    made[last] = replace(before, value=flag)
                stmt = replace(stmt, cond=step.cond)
            if known:
                stmt = visit.rewrite_own(stmt, partial(self.swap, known))
            made.append(visit.map_blocks(stmt, partial(self.built, iter(step.sides))))
        return visit.changed(block, made)

    def built(self, sides: Iterator[list[_Step]], block: n.Block) -> n.Block:
        return self.build(block, next(sides))

    def swap(self, known: _Sites, x: n.Expr) -> n.Expr | None:
        """Return the local that holds what is loaded; None if none does."""
        site = known.get(self.names.of(x.place)) if isinstance(x, n.Load) else None
        return None if site is None or site.held is None else n.Read(x.type, site.held)

    def swapped_place(self, place: n.Place, known: _Sites) -> n.Place:
        if not known:
            return place
        new: n.Place = visit.map_children(
            place, lambda x: visit.rewrite_expr_down(x, partial(self.swap, known)))
        return new


def _forget(block: n.Block, seen: _Seen) -> None:
    """Forget what any statement of a block may change."""
    for stmt in visit.statements(block):
        if isinstance(stmt, n.Store):
            seen.store(stmt.place.base)
        elif not isinstance(stmt, _PLAIN):
            seen.drop(_Seen())
        for local in visit.targets(stmt):
            seen.assign(local)


def _flag(cond: n.Expr) -> n.Local | None:
    """Return the local whose value a condition is; None if it is more."""
    if isinstance(cond, n.Compare) and cond.op == "ne" and isinstance(cond.b, n.Const) \
            and cond.b.value == 0:
        cond = cond.a
    return cond.local if isinstance(cond, n.Read) and cond.type.dtype.kind in "biu" else None


def _just_computed(cond: n.Expr, before: n.Stmt) -> n.Expr | None:
    """Return what a flag was given by the statement before, if that is short and no data."""
    if isinstance(cond, n.Unary) and cond.op == "not":
        inner = _just_computed(cond.x, before)
        return None if inner is None else replace(cond, x=inner)
    flag = _flag(cond)
    if flag is None or not isinstance(before, n.Assign) or before.local is not flag:
        return None
    size, value = 0, before.value
    for x in visit.walk(value):
        size += 1
        if isinstance(x, n.Load | n.Call) or size > _MOST_CONDITION or _reads(x, flag):
            return None
    while isinstance(value, n.Cast) and value.x.type.dtype.kind == "b":
        value = value.x
    return value if size > 1 and value.type.dtype.kind == "b" else None


def _flag_behind(stmt: n.If) -> n.Const | None:
    """Return what a flag is where its branch does not run, if the branch gives it another value.

    So are ``flag = c`` and ``if flag: flag = more`` of ``c and more``; with ``not``, of ``or``.
    """
    usual = not isinstance(stmt.cond, n.Unary)
    flag = _flag(stmt.cond.x if isinstance(stmt.cond, n.Unary) else stmt.cond)
    last = stmt.then[-1] if stmt.then else None
    if flag is None or stmt.orelse or not isinstance(last, n.Assign) \
            or last.local is not flag or visit.contains(
                stmt.then, (n.Break, n.Continue, n.Leave)) or any(
                _reads(x, flag) for x in visit.all_expressions(stmt.then)):
        return None
    kind = flag.type.dtype.kind
    return n.Const(flag.type, not usual if kind == "b" else int(not usual))


def _reads(x: n.Expr, local: n.Local) -> bool:
    return isinstance(x, n.Read) and x.local is local
