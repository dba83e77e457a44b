"""``print``, streams and checks as records in a buffer that the host reads when a kernel has ended.

A failed check leaves its work-item. Where others will meet it at a barrier or group function, it
jumps to a question of the whole group in front of that ("did a check fail?"), after which all of
them leave. Non-goals: what the host does (``backends.reports``), C text. Invariants: kernels
without such statements are returned as they are; no item waits for one that has left.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from unisycl.backends.cfamily import waits
from unisycl.backends.reports import Site, id_names, spelling
from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, INT64

HEADER, FAILED = 3, 2
"""The words a buffer of records begins with: words used, words there are, whether a check failed.

A record is the number of its site, from 1, and two words for each cell, the lower one first.
"""
_MEETINGS = (n.Barrier, n.GroupCall)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(n.Stmt):
    """Append a record: the number of a place that reports, and values."""

    site: Site
    cells: tuple[n.Expr, ...]


def run(kernel: n.Kernel, *, sub_groups: bool) -> n.Kernel:
    """Return a kernel with records in place of ``Print`` and ``Check``.

    Args:
        kernel: a kernel.
        sub_groups: sub-groups have more than one item, so they, too, meet.
    """
    if not visit.contains(kernel.body, (n.Print, n.Check)):
        return kernel
    kernel = waits.run(kernel)
    lower = _Lower(kernel)
    scopes: list[memory_scope] = []
    if kernel.index_kind == "nd_range" and visit.contains(kernel.body, n.Check):
        scopes = [memory_scope.work_group, memory_scope.sub_group][:2 if sub_groups else 1]
        scopes = [s for s in scopes if _meets(kernel.body, s)]
    body = lower.block(kernel.body, scopes, 0, again=False)
    if lower.asked:
        body = (n.Assign(lower.failed, n.Const(BOOL, value=False)), *body)
    return replace(kernel, body=body)


def _meets(block: n.Block, scope: memory_scope) -> bool:
    """Say whether items of a group, or of one inside it, meet in a block."""
    return any(isinstance(s, _MEETINGS) and (s.scope is scope or s.scope is memory_scope.work_group)
               for s in visit.statements(block))


def _jumps(stmt: n.Stmt) -> bool:
    """Say whether a statement may jump out of itself."""
    inner = {s.number for s in visit.statements((stmt,)) if isinstance(s, n.Scope)}
    if any(isinstance(s, n.Leave) and s.number not in inner for s in visit.statements((stmt,))):
        return True
    return _ends_iteration(stmt)


def _ends_iteration(stmt: n.Stmt) -> bool:
    if isinstance(stmt, n.Break | n.Continue):
        return True
    if isinstance(stmt, n.For | n.While):
        return False
    return any(_ends_iteration(s) for b in visit.blocks(stmt) for s in b)


class _Lower:
    """Rewrites the blocks of one kernel."""

    def __init__(self, kernel: n.Kernel) -> None:
        self.kernel = kernel
        self.failed = n.Local("check_failed", BOOL)
        self.asked = False
        self.in_group = kernel.index_kind == "work_group"
        numbers = [s.number for s in visit.statements(kernel.body) if isinstance(s, n.Scope)]
        self.number = itertools.count(max(numbers, default=0) + 1)

    def block(self, block: n.Block, scopes: Sequence[memory_scope], leave: int, *,
              again: bool) -> n.Block:
        """Return a block lowered.

        Args:
            block: statements.
            scopes: the groups whose items meet somewhere in the kernel, the largest first.
            leave: the scope that an item leaves whose check fails.
            again: items of the first of ``scopes`` meet after the end of the block.
        """
        if not scopes:
            return tuple(x for s in block for x in self.plain(s, leave))
        if not again and not _meets(block, scopes[0]):
            return self.block(block, scopes[1:], leave, again=False)
        out: list[n.Stmt] = []
        run: list[n.Stmt] = []
        for k, stmt in enumerate(block):
            later = again or _meets(block[k + 1:], scopes[0])
            if _meets((stmt,), scopes[0]) or (later and _jumps(stmt)):
                out += self.met(tuple(run), scopes, leave)
                out.append(self.inside(stmt, scopes, leave, again=later))
                run = []
            elif later:
                run.append(stmt)
            else:
                out += self.block((stmt,), scopes[1:], leave, again=False)
        if run:
            out += self.met(tuple(run), scopes, leave)
        return tuple(out)

    def met(self, run: n.Block, scopes: Sequence[memory_scope], leave: int) -> n.Block:
        """Return statements lowered, with the question behind them if a check may fail there."""
        if not visit.contains(run, n.Check):
            return self.block(run, (), leave, again=False)
        number, stop = next(self.number), n.Local("stop", BOOL)
        self.asked = True
        failed = n.Read(BOOL, self.failed)
        goes: n.Block = (n.Leave(leave),)
        if scopes[0] is memory_scope.sub_group:
            goes = (n.Assign(self.failed, n.Const(BOOL, value=True)), *goes)
        return (n.Scope(number, self.block(run, scopes[1:], number, again=False)),
                n.GroupCall(stop, "any", (failed,), scopes[0]),
                n.If(n.Read(BOOL, stop), goes))

    def inside(self, stmt: n.Stmt, scopes: Sequence[memory_scope], leave: int, *,
               again: bool) -> n.Stmt:
        """Return a statement in which items meet, its blocks lowered."""
        match stmt:
            case n.If():
                return replace(stmt, then=self.block(stmt.then, scopes, leave, again=again),
                               orelse=self.block(stmt.orelse, scopes, leave, again=again))
            case n.While():
                return replace(stmt, pre=self.block(stmt.pre, scopes, leave, again=True),
                               body=self.block(stmt.body, scopes, leave, again=True))
            case n.For():
                return replace(stmt, body=self.block(stmt.body, scopes, leave, again=True))
            case n.Scope():
                return replace(stmt, body=self.block(stmt.body, scopes, leave, again=again))
        return stmt

    # ---- where nobody meets
    def plain(self, stmt: n.Stmt, leave: int) -> n.Block:
        """Return a statement lowered; failed items jump behind scope ``leave``."""
        match stmt:
            case n.Print():
                return (self.print(stmt),)
            case n.Check():
                return (self.check(stmt, leave),)
            case n.If():
                return (replace(stmt, then=self.block(stmt.then, (), leave, again=False),
                                orelse=self.block(stmt.orelse, (), leave, again=False)),)
            case n.While():
                return (replace(stmt, pre=self.block(stmt.pre, (), leave, again=False),
                                body=self.block(stmt.body, (), leave, again=False)),)
            case n.For() | n.Scope():
                return (replace(stmt, body=self.block(stmt.body, (), leave, again=False)),)
            case n.WorkItems():
                return (self.items(stmt),)
        return (stmt,)

    def items(self, stmt: n.WorkItems) -> n.Stmt:
        """Return a loop over work-items, each of which a failed check ends."""
        number = next(self.number)
        self.in_group = False
        body = self.block(stmt.body, (), number, again=False)
        self.in_group = True
        if any(isinstance(s, n.Leave) and s.number == number for s in visit.statements(body)):
            body = (n.Scope(number, body),)
        return replace(stmt, body=body)

    def print(self, stmt: n.Print) -> n.Stmt:
        """Return the record of a text."""
        parts, values = spelling(stmt.pieces)
        kind, head = "print", []
        if stmt.stream is not None:
            kind = "end" if stmt.end else "stream"
            head = [stmt.stream, self.item()]
        site = Site(kind, parts, tuple(x.type for x in values), stmt.span, group=self.in_group)
        return Record(site=site, cells=(*head, *values), span=stmt.span)

    def check(self, stmt: n.Check, leave: int) -> n.Stmt:
        """Return a check: where it does not hold, a record, and the item leaves."""
        parts, values = spelling(stmt.pieces)
        names, ndim = id_names(self.kernel.index_kind, in_group=self.in_group), self.kernel.ndim
        ids = [n.Query(INT64, name, d) for name in names for d in range(ndim)]
        site = Site("check", parts, tuple(x.type for x in values), stmt.span,
                    (ndim,) * len(names), self.in_group)
        then: list[n.Stmt] = [Record(site=site, cells=(*ids, *values), span=stmt.span)]
        if waits.is_question(stmt):
            then = []
        if leave:
            then.append(n.Assign(self.failed, n.Const(BOOL, value=True)))
        return n.If(n.Unary(BOOL, "not", stmt.cond), (*then, n.Leave(leave)), span=stmt.span)

    def item(self) -> n.Expr:
        """Return a number that tells the work-items of a launch apart."""
        names = {"single": (), "work_group": ("group_id", "logical_id")}.get(
            self.kernel.index_kind, ("global_id",))
        total: n.Expr = n.Const(INT64, 0)
        for name in names[:1] if self.in_group else names:
            for d in range(self.kernel.ndim):
                wide = n.Query(INT64, name.replace("_id", "_range"), d)
                own = n.Query(INT64, name, d)
                total = n.Binary(INT64, "add", n.Binary(INT64, "mul", total, wide), own)
        return total
