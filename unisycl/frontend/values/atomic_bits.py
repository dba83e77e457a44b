"""Atomics on numbers that devices only change by their bits: short floats and complex64.

What a device has for integers of the same size serves: loads, stores, exchanges, and a loop around
compare-and-exchange for all else. Non-goals: numbers that devices change themselves (``atomics``).
Invariant: the result is the old value, of the turn of the loop that succeeded.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import FLOAT32, UINT32, UINT64
from unisycl.base.enums import memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.values import complexes
from unisycl.frontend.values.kind import Lowering
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar

_F32, _U32, _U64 = Scalar(FLOAT32), Scalar(UINT32), Scalar(UINT64)

Update = Callable[[n.Expr], n.Expr]


def word_of(type: Scalar) -> Scalar | None:
    """Return the integer that stands for a number; None where devices have the number itself."""
    word = type.dtype.atomic_word
    return None if word is None else Scalar(word)


def to_word(ctx: Lowering, x: n.Expr) -> n.Expr:
    """Return the bits of a number."""
    word = word_of(x.type)
    assert word is not None
    if x.type.dtype.kind != "c":
        return n.Bitcast(word, x)
    real, imag = (n.Cast(_U64, n.Bitcast(_U32, part)) for part in complexes.parts(ctx, x))
    return n.Binary(_U64, "or", real, n.Binary(_U64, "shl", imag, n.Const(_U64, 32)))


def from_word(word: n.Expr, type: Scalar) -> n.Expr:
    """Return the number that bits, which may be read several times, stand for."""
    if type.dtype.kind != "c":
        return n.Bitcast(type, word)
    real, imag = (n.Bitcast(_F32, n.Cast(_U32, part)) for part in (
        word, n.Binary(_U64, "shr", word, n.Const(_U64, 32))))
    return n.Complex(type, real, imag)


def apply(ctx: Lowering, op: str, place: n.Place, operands: tuple[n.Expr, ...],
          levels: tuple[memory_order, memory_scope], node: ast.AST) -> tuple[n.Expr, n.Expr] | None:
    """Emit an operation; return the old value and, of a comparison, whether it succeeded."""
    word = word_of(place.type)
    assert word is not None
    where = replace(place, type=word)
    span = ctx.span(node)
    if op not in ("load", "store", "exchange", "compare_exchange"):
        return _changed(ctx, where, place.type, lambda old: _updated(op, old, operands[0]),
                        levels, node), n.true()
    words = tuple(ctx.hold(to_word(ctx, x)) for x in operands)
    if op == "store":
        ctx.emit(n.Atomic(None, op, where, words, *levels, span=span))
        return None
    seen = n.Local("bits", word)
    ctx.emit(n.Atomic(seen, op, where, words, *levels, span=span))
    read = n.Read(word, seen)
    done = n.Compare(BOOL, "eq", read, words[0]) if op == "compare_exchange" else n.true()
    return ctx.hold(from_word(read, place.type), "old"), ctx.hold(done)


def _changed(ctx: Lowering, where: n.Place, type: Scalar, update: Update,
             levels: tuple[memory_order, memory_scope], node: ast.AST) -> n.Expr:
    """Replace the number at a place by what ``update`` makes of it; return the old one."""
    span, word = ctx.span(node), where.type
    bits, seen = n.Local("bits", word), n.Local("seen", word)
    old, again = n.Local("old", type), n.Local("again", BOOL)
    ctx.emit(n.Atomic(bits, "load", where, (), memory_order.relaxed, levels[1], span=span))
    ctx.emit(n.Assign(old, from_word(n.Read(word, bits), type), span=span))
    ctx.emit(n.Assign(again, n.true(), span=span))
    with ctx.into() as body:
        ctx.emit(n.Assign(old, from_word(n.Read(word, bits), type), span=span))
        new = ctx.hold(to_word(ctx, update(n.Read(type, old))))
        ctx.emit(n.Atomic(seen, "compare_exchange", where, (n.Read(word, bits), new), *levels,
                          span=span))
        ctx.emit(n.Assign(again, n.Compare(BOOL, "ne", n.Read(word, seen), n.Read(word, bits)),
                          span=span))
        ctx.emit(n.Assign(bits, n.Read(word, seen), span=span))
    ctx.emit(n.While((), n.Read(BOOL, again), tuple(body), span=span))
    return n.Read(type, old)


def _updated(op: str, old: n.Expr, x: n.Expr) -> n.Expr:
    """Return what an operation makes of an old value."""
    if op in ("add", "sub"):
        return coerce.binary(op, old, x, old.type)
    less = coerce.compare("lt", x, old) if op == "min" else coerce.compare("lt", old, x)
    assert less is not None
    return n.Select(old.type, coerce.truth(less), x, old)
