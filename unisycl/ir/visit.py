"""Walking the IR: children of any node, and rewriting that keeps untouched subtrees.

A pass that changes statements is a ``Rewriter``; one that changes expressions gives ``rewrite_*`` a
function. Non-goals: meaning. Invariant: where nothing changes, the same object comes back.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any, TypeVar

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir.stack_statements import Popped

_HOLDS = re.compile(r"\b(?:Expr|Place)\b")
"""In the type of a field that can hold expressions."""
_LISTED = {
    "Expr": "x.{0}",
    "tuple[Expr, ...]": "*x.{0}",
    "tuple[tuple[Expr, int], ...]": "*[p for p, _ in x.{0}]",
    "Place": "*(x.{0}.index if not x.{0}.inner else below[Place](x.{0}))",
    "Expr | None": "*(() if x.{0} is None else (x.{0},))",
    "tuple[str | Shown | Expr, ...]": "*[p for p in x.{0} if isinstance(p, Expr)]",
}
"""How the expressions in a field of a type are written in a list of all."""
_field_names: dict[Any, tuple[str, ...]] = {}
_BLOCKS: dict[type, tuple[str, ...]] = {
    n.If: ("then", "orelse"), n.While: ("pre", "body"), n.For: ("body",), n.Scope: ("body",),
    n.WorkItems: ("body",)}
AnyStmt = TypeVar("AnyStmt", bound=n.Stmt)
Change = Callable[[n.Expr], n.Expr]
Listing = Callable[[Any], list[n.Expr]]


def _names(kind: Any) -> tuple[str, ...]:
    """Return the names of a node's fields that can hold expressions."""
    found = _field_names.get(kind)
    if found is None:
        found = _field_names[kind] = tuple(
            f.name for f in fields(kind) if _HOLDS.search(str(f.type)))
    return found


class _Listings(dict[Any, "Listing | None"]):
    """What lists the expressions directly below a node of a class; None where there are none.

    They are written as lambdas of the class's fields, since every pass asks for them all the time.
    """

    def __missing__(self, kind: type) -> Listing | None:
        """Write the one of a class."""
        types = {f.name: str(f.type).replace("n.", "") for f in fields(kind)}
        parts = [_LISTED[types[name]].format(name) for name in _names(kind)]
        made: Listing | None = None
        if parts:
            made = eval(f"lambda x: [{', '.join(parts)}]",  # noqa: S307 - names of fields
                        {"below": self, "Place": n.Place, "Expr": n.Expr})
        self[kind] = made
        return made


_listings = _Listings()


def expressions(node: n.Expr | n.Stmt | n.Place) -> Iterator[n.Expr]:
    """Yield the expressions directly below a node, in evaluation order, not those in blocks."""
    return iter(_below(node))


def _below(node: n.Expr | n.Stmt | n.Place) -> list[n.Expr]:
    """Return the expressions directly below a node: a list, since most passes ask for them."""
    listing = _listings[type(node)]
    return [] if listing is None else listing(node)


def blocks(stmt: n.Stmt) -> Iterator[n.Block]:
    """Yield the blocks directly below a statement."""
    for name in _BLOCKS.get(type(stmt), ()):
        yield getattr(stmt, name)


def statements(block: n.Block) -> Iterator[n.Stmt]:
    """Yield every statement of a block, outer before inner, in order."""
    return iter(_known(block).statements if len(block) > 1 else _statements(block))


def _statements(block: n.Block) -> list[n.Stmt]:
    found: list[n.Stmt] = []
    todo = [iter(block)]  # not recursive: chains of elif nest deeply
    while todo:
        for stmt in todo[-1]:
            found.append(stmt)
            names = _BLOCKS.get(type(stmt))
            if names is None:
                continue
            inner = [iter(b) for b in [getattr(stmt, name) for name in names] if b]
            if inner:
                todo.extend(reversed(inner))
                break
        else:
            todo.pop()
    return found


class _Known:
    """The statements and expressions of a block, listed once, since each analysis asks."""

    __slots__ = ("block", "expressions", "statements")

    def __init__(self, block: n.Block) -> None:
        self.block = block
        self.statements = _statements(block)
        self.expressions: list[n.Expr] | None = None


_last: dict[int, _Known] = {}
"""Of the blocks asked for last; they are kept, so that an id stays its block's."""
_MOST_KNOWN = 32


def _known(block: n.Block) -> _Known:
    found = _last.get(id(block))
    if found is None:
        found = _Known(block)
        if len(_last) >= _MOST_KNOWN:
            _last.clear()
        _last[id(block)] = found
    return found


def walk(expr: n.Expr) -> Iterator[n.Expr]:
    """Yield an expression and everything below it, in evaluation order."""
    return iter(_flat([expr]))


def walk_all(exprs: Iterable[n.Expr]) -> Iterator[n.Expr]:
    """Yield expressions, each with everything below it."""
    return iter(_flat([*exprs][::-1]))


def _flat(todo: list[n.Expr]) -> list[n.Expr]:
    """Return expressions, the last one first, each with everything below it."""
    found: list[n.Expr] = []  # no generator: what is walked is mostly walked to its end
    while todo:  # not recursive: expressions can be deep
        one = todo.pop()
        found.append(one)
        listing = _listings[type(one)]
        if listing is not None:
            todo += listing(one)[::-1]
    return found


def all_expressions(block: n.Block) -> Iterator[n.Expr]:
    """Yield every expression of a block, however deep."""
    if len(block) < 2:
        return iter(_expressions(_statements(block)))
    known = _known(block)
    if known.expressions is None:
        known.expressions = _expressions(known.statements)
    return iter(known.expressions)


def _expressions(stmts: list[n.Stmt]) -> list[n.Expr]:
    found: list[n.Expr] = []
    for stmt in stmts:
        listing = _listings[type(stmt)]
        if listing is not None:
            found += _flat(listing(stmt)[::-1])
    return found


def assigned(block: n.Block) -> set[n.Local]:
    """Return the locals a block may give a value."""
    out: set[n.Local] = set()
    for stmt in statements(block):
        out.update(targets(stmt))
    return out


def targets(stmt: n.Stmt) -> tuple[n.Local, ...]:
    """Return the locals a statement itself gives a value."""
    match stmt:
        case n.Assign() | n.For():
            return (stmt.local,)
        case n.Atomic():
            return (stmt.result,) if stmt.result else ()
        case n.GroupCall():
            return (stmt.result,)
        case Popped():
            return stmt.value, stmt.mine, stmt.some
        case n.LoadMany() | n.ImageRead() | n.Foreign():
            return stmt.results
    return ()


def fixed_turns(loop: n.For) -> range | None:
    """Return the values of a counter whose bounds and step are constants; None for others."""
    ends = [int(x.value) for x in (loop.start, loop.stop, loop.step) if isinstance(x, n.Const)]
    return range(*ends) if len(ends) == 3 and ends[2] else None


def contains(block: n.Block, kinds: type | tuple[type, ...]) -> bool:
    """Say whether a statement of these classes occurs in a block."""
    return any(isinstance(s, kinds) for s in statements(block))


class Rewriter:
    """Rewrites blocks; a subclass says what becomes of a statement."""

    __slots__ = ()

    def block(self, block: n.Block) -> n.Block:
        """Return a block rewritten."""
        return changed(block, (x for stmt in block for x in self.statement(stmt)))

    def statement(self, stmt: n.Stmt) -> Iterable[n.Stmt]:
        """Return what stands for a statement: itself, with the blocks in it rewritten."""
        return (self.inside(stmt),)

    def inside(self, stmt: AnyStmt) -> AnyStmt:
        """Return a statement with the blocks in it rewritten."""
        return map_blocks(stmt, self.block)


def changed(block: n.Block, new: Iterable[n.Stmt]) -> n.Block:
    """Return statements as a block: the one that there was if they are the same."""
    made = tuple(new)
    return block if _is_same(made, block) else made


def _is_same(new: tuple[Any, ...], old: tuple[Any, ...]) -> bool:
    return len(new) == len(old) and all(map(operator.is_, new, old))


def map_blocks(stmt: AnyStmt, fn: Callable[[n.Block], n.Block]) -> AnyStmt:
    """Replace the blocks directly below a statement."""
    changes: dict[str, Any] = {}
    for name in _BLOCKS.get(type(stmt), ()):
        block = getattr(stmt, name)
        new = fn(block)
        if new is not block:
            changes[name] = new
    return replace(stmt, **changes) if changes else stmt


def map_children(node: Any, fn: Change, place: Callable[[n.Place], n.Place] | None = None) -> Any:
    """Replace the expressions and places directly below a node, not those in blocks.

    ``place``: what becomes of a place; without it, only what is below one is replaced.
    """
    return _mappers[type(node)](node, fn, place)


class _Mappers(dict[Any, Callable[..., Any]]):
    """What ``map_children`` does to a node of a class, written for its fields."""

    def __missing__(self, kind: type) -> Callable[..., Any]:
        """Write the one of a class."""
        types = {f.name: str(f.type).replace("n.", "") for f in fields(kind) if f.init}
        own = _names(kind)
        lines = [f"    new_{x} = {'fn(' if types[x] == 'Expr' else 'mapped('}node.{x}"
                 f"{')' if types[x] == 'Expr' else ', fn, place)'}" for x in own]
        same = " and ".join(f"new_{x} is node.{x}" for x in own) or "True"
        given = [f"{f.name}={'new_' if f.name in own else 'node.'}{f.name}"
                 for f in fields(kind) if f.init]
        space: dict[str, Any] = {"kind": kind, "mapped": _mapped}
        exec("\n".join(["def made(node, fn, place):", *lines,  # noqa: S102 - names of fields
                        f"    return node if {same} else kind({', '.join(given)})"]), space)
        made: Callable[..., Any] = space["made"]
        self[kind] = made
        return made


_mappers = _Mappers()


def _mapped(value: Any, fn: Change, place: Callable[[n.Place], n.Place] | None) -> Any:
    if isinstance(value, n.Expr):
        return fn(value)
    if isinstance(value, tuple) and value and not isinstance(value[0], n.Stmt):
        new = tuple([_mapped(v, fn, place) for v in value])
        return value if _is_same(new, value) else new
    if isinstance(value, n.Place):
        return map_children(value, fn) if place is None else place(value)
    return value


def _upwards(fn: Change) -> Change:
    """Return what applies ``fn`` to an expression behind all that is below it."""
    def each(x: n.Expr) -> n.Expr:
        return fn(map_children(x, each))
    return each


def _downwards(fn: Callable[[n.Expr], n.Expr | None]) -> Change:
    """Return what replaces an expression by ``fn``, or where that gives None, those below it."""
    def each(x: n.Expr) -> n.Expr:
        new = fn(x)
        rewritten: n.Expr = map_children(x, each) if new is None else new
        return rewritten
    return each


def rewrite_expr(expr: n.Expr, fn: Change) -> n.Expr:
    """Apply ``fn`` bottom-up to an expression."""
    return _upwards(fn)(expr)


def rewrite_expr_down(expr: n.Expr, fn: Callable[[n.Expr], n.Expr | None]) -> n.Expr:
    """Replace nodes top-down: where ``fn`` returns None the children are tried."""
    return _downwards(fn)(expr)


def rewrite_own(stmt: AnyStmt, fn: Callable[[n.Expr], n.Expr | None]) -> AnyStmt:
    """Replace nodes top-down in the expressions of a statement, not in its blocks."""
    rewritten: AnyStmt = map_children(stmt, _downwards(fn))
    return rewritten


def rewrite_block(block: n.Block, fn: Change) -> n.Block:
    """Apply ``fn`` bottom-up to every expression of a block."""
    return _Expressions(_upwards(fn)).block(block)


class _Expressions(Rewriter):
    """Rewrites all expressions, those of a statement before those in its blocks."""

    __slots__ = ("fn",)

    def __init__(self, fn: Change) -> None:
        self.fn = fn

    def inside(self, stmt: AnyStmt) -> AnyStmt:
        """Return a statement with all in it rewritten."""
        own: AnyStmt = map_children(stmt, self.fn)
        return map_blocks(own, self.block)
