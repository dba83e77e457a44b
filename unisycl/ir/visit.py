"""Walking the IR: children of any node, and rewriting that keeps untouched subtrees.

Non-goals: meaning. Invariant: ``rewrite_*`` return the same object where nothing changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from unisycl.ir import nodes as n

_PLAIN = frozenset(("type", "span", "local", "op", "exact", "imaginary", "controls"))
_field_names: dict[Any, tuple[str, ...]] = {}


def _names(kind: Any) -> tuple[str, ...]:
    """Return the names of a node's fields that can hold expressions or statements."""
    found = _field_names.get(kind)
    if found is None:
        found = _field_names[kind] = tuple(f.name for f in fields(kind) if f.name not in _PLAIN)
    return found


def expressions(node: n.Expr | n.Stmt | n.Place) -> Iterator[n.Expr]:
    """Yield the expressions directly below a node, in evaluation order, not those in blocks."""
    for name in _names(type(node)):
        value = getattr(node, name)
        if isinstance(value, n.Expr):
            yield value
        elif isinstance(value, n.Place):
            yield from expressions(value)
        elif isinstance(value, tuple):
            for part in value:
                if isinstance(part, n.Expr):
                    yield part
                elif isinstance(part, tuple) and part and isinstance(part[0], n.Expr):
                    yield part[0]


def blocks(stmt: n.Stmt) -> Iterator[n.Block]:
    """Yield the blocks directly below a statement."""
    match stmt:
        case n.If():
            yield stmt.then
            yield stmt.orelse
        case n.While():
            yield stmt.pre
            yield stmt.body
        case n.For() | n.Scope() | n.WorkItems():
            yield stmt.body


def statements(block: n.Block) -> Iterator[n.Stmt]:
    """Yield every statement of a block, outer before inner, in order."""
    todo = [iter(block)]  # not recursive: chains of elif nest deeply
    while todo:
        for stmt in todo[-1]:
            yield stmt
            inner = [iter(b) for b in blocks(stmt) if b]
            if inner:
                todo.extend(reversed(inner))
                break
        else:
            todo.pop()


def walk(expr: n.Expr) -> Iterator[n.Expr]:
    """Yield an expression and everything below it."""
    yield expr
    for child in expressions(expr):
        yield from walk(child)


def all_expressions(block: n.Block) -> Iterator[n.Expr]:
    """Yield every expression of a block, however deep."""
    for stmt in statements(block):
        for expr in expressions(stmt):
            yield from walk(expr)


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
        case n.LoadMany() | n.ImageRead() | n.Foreign():
            return stmt.results
    return ()


def contains(block: n.Block, kinds: type | tuple[type, ...]) -> bool:
    """Say whether a statement of these classes occurs in a block."""
    return any(isinstance(s, kinds) for s in statements(block))


def rewrite_expr(expr: n.Expr, fn: Callable[[n.Expr], n.Expr]) -> n.Expr:
    """Apply ``fn`` bottom-up to an expression."""
    changes = {}
    for name in _names(type(expr)):
        value = getattr(expr, name)
        new = _rewrite_value(value, fn)
        if new is not value:
            changes[name] = new
    new_expr: n.Expr = replace(expr, **changes) if changes else expr
    return fn(new_expr)


def _rewrite_value(value: Any, fn: Callable[[n.Expr], n.Expr]) -> Any:
    if isinstance(value, n.Expr):
        return rewrite_expr(value, fn)
    if isinstance(value, n.Place):
        index = _rewrite_value(value.index, fn)
        inner = _rewrite_value(value.inner, fn)
        if index is value.index and inner is value.inner:
            return value
        return replace(value, index=index, inner=inner)
    if isinstance(value, tuple) and value:
        new = tuple(_rewrite_value(v, fn) for v in value)
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    return value


def rewrite_expr_down(expr: n.Expr, fn: Callable[[n.Expr], n.Expr | None]) -> n.Expr:
    """Replace nodes top-down: where ``fn`` returns None the children are tried."""
    new = fn(expr)
    if new is not None:
        return new
    rewritten: n.Expr = _rewrite_children(expr, lambda x: rewrite_expr_down(x, fn))
    return rewritten


def rewrite_own(stmt: n.Stmt, fn: Callable[[n.Expr], n.Expr | None]) -> n.Stmt:
    """Replace nodes top-down in the expressions of a statement, not in its blocks."""
    rewritten: n.Stmt = _rewrite_children(stmt, lambda x: rewrite_expr_down(x, fn))
    return rewritten


def _rewrite_children(node: Any, fn: Callable[[n.Expr], n.Expr]) -> Any:
    changes = {}
    for name in _names(type(node)):
        value = getattr(node, name)
        new = _map_value(value, fn)
        if new is not value:
            changes[name] = new
    return replace(node, **changes) if changes else node


def _map_value(value: Any, fn: Callable[[n.Expr], n.Expr]) -> Any:
    if isinstance(value, n.Expr):
        return fn(value)
    if isinstance(value, n.Place):
        index, inner = _map_value(value.index, fn), _map_value(value.inner, fn)
        same = index is value.index and inner is value.inner
        return value if same else replace(value, index=index, inner=inner)
    if isinstance(value, tuple) and value and not isinstance(value[0], n.Stmt):
        new = tuple(_map_value(v, fn) for v in value)
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    return value


def map_children(node: Any, fn: Callable[[n.Expr], n.Expr],
                 place: Callable[[n.Place], n.Place]) -> Any:
    """Replace the expressions and places directly below a node, not those in blocks."""
    changes = {}
    for name in _names(type(node)):
        value = getattr(node, name)
        new = place(value) if isinstance(value, n.Place) else _map_value(value, fn)
        if new is not value:
            changes[name] = new
    return replace(node, **changes) if changes else node


def rewrite_block(block: n.Block, fn: Callable[[n.Expr], n.Expr]) -> n.Block:
    """Apply ``fn`` bottom-up to every expression of a block."""
    new = tuple(_rewrite_stmt(s, fn) for s in block)
    return block if all(a is b for a, b in zip(new, block, strict=True)) else new


def _rewrite_stmt(stmt: n.Stmt, fn: Callable[[n.Expr], n.Expr]) -> n.Stmt:
    changes = {}
    for name in _names(type(stmt)):
        value = getattr(stmt, name)
        if isinstance(value, tuple) and value and isinstance(value[0], n.Stmt):
            new: Any = rewrite_block(value, fn)
        else:
            new = _rewrite_value(value, fn)
        if new is not value:
            changes[name] = new
    return replace(stmt, **changes) if changes else stmt
