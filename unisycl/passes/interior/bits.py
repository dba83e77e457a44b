"""Bits of ids: ``i ^ j``, ``i & k``, ``i | b``, ``i >> s``, as butterflies and qubits have them.

Lanes that begin at a multiple of their number count in the lowest bits of an id. Bits above those
are the same for all of them, so an operation that leaves the lowest bits alone, or takes them all
away, is one on the first lane. Non-goals: operations within a vector (``i ^ 1``). Invariant: where
the tests that are noted hold, each lane has the number that it would compute.
"""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar
from unisycl.passes.interior.known import Known
from unisycl.passes.shared import ranges as rg
from unisycl.passes.simd import shapes as sh


def settled(known: Known, x: n.Binary) -> n.Expr:
    """Return what an operation on bits becomes; itself if it varies otherwise."""
    a, b = known.value(x.a), known.value(x.b)
    if a is None or b is None or known.turns(a) or known.turns(b):
        return x
    along = known.shape(a).rank == sh.LINEAR
    if not along and x.op != "shr":
        a, b, over = b, a, x.b
    else:
        over = x.a
    lanes = _lanes(known, a, x.type)
    if not lanes or known.shape(b).rank >= sh.LINEAR:
        return x
    if x.op == "shr":
        return _shifted(known, x, a, b, lanes)
    keeps = _keeps(b, lanes) if x.op == "and" else False
    if keeps is None or (isinstance(b, n.Const) and not keeps and int(b.value) & lanes):
        return x
    known.aligned = True
    if keeps:
        known.test(_is(x.type, a, lanes, 0))
        known.test(_is(x.type, b, lanes, lanes))
    else:
        known.test(_is(x.type, n.Binary(x.type, "or", a, b), lanes, 0))
    first = n.Binary(x.type, x.op, a, b)
    if x.op == "and" and not keeps:
        return n.Read(x.type, known.give("shared", first, x.type))
    moved = known.give("moved", n.Binary(x.type, "sub", first, a), x.type)
    return n.Binary(x.type, "add", over, n.Read(x.type, moved))


def _lanes(known: Known, a: n.Expr, kind: Scalar) -> int:
    """Return the bits of a number in which lanes count; 0 if they do not."""
    shape, count = known.shape(a), known.ahead + 1
    if shape.rank != sh.LINEAR or shape.stride <= 0 or shape.stride & shape.stride - 1 \
            or count & count - 1:
        return 0
    found = known.ahead * shape.stride
    return found if 2 * found < rg.whole(kind.dtype).high else 0


def _keeps(b: n.Expr, lanes: int) -> bool | None:
    """Say whether a mask has all bits of the lanes, rather than none, by the look of it."""
    while isinstance(b, n.Cast | n.Narrow):
        b = b.x
    if isinstance(b, n.Const):
        kept = int(b.value) & lanes
        return None if kept not in (0, lanes) else kept != 0
    return isinstance(b, n.Binary) and isinstance(b.b, n.Const) and (
        (b.op, int(b.b.value)) in (("sub", 1), ("add", -1)))


def _shifted(known: Known, x: n.Binary, a: n.Expr, b: n.Expr, lanes: int) -> n.Expr:
    """Shift once for all lanes, where none of their bits is left."""
    known.aligned = True
    known.test(_is(x.type, a, lanes, 0))
    known.test(n.Compare(BOOL, "ge", b, n.Const(x.type, lanes.bit_length())))
    return n.Read(x.type, known.give("shared", n.Binary(x.type, "shr", a, b), x.type))


def _is(kind: Scalar, x: n.Expr, lanes: int, wanted: int) -> n.Expr:
    """Return whether some bits of a number are what they should be."""
    return n.Compare(BOOL, "eq", n.Binary(kind, "and", x, n.Const(kind, lanes)),
                     n.Const(kind, wanted))
