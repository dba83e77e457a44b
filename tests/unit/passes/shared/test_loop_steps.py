"""What is known of a step: that it is never negative, that it is not 0, how many bits it has."""

from __future__ import annotations

from unisycl.base.dtypes import BOOL, FLOAT32, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import WEAK_INT, Scalar
from unisycl.passes.shared import loop_steps

I8, I16, I32, I64 = Scalar(INT8), Scalar(INT16), Scalar(INT32), Scalar(INT64)
B, U8, U16, U32, F32 = Scalar(BOOL), Scalar(UINT8), Scalar(UINT16), Scalar(UINT32), Scalar(FLOAT32)
ID, RANGE = n.Query(WEAK_INT, "global_id", 0), n.Query(WEAK_INT, "local_range", 0)
UP, DOWN, FLAG = n.Local("up", WEAK_INT), n.Local("down", WEAK_INT), n.Local("flag", B)
UPS, DOWNS = n.Read(WEAK_INT, UP), n.Read(WEAK_INT, DOWN)
BYTE, SHORT, WORD = (n.Read(t, n.Local("u", t)) for t in (U8, U16, U32))
ONE, NONE, MINUS = (n.Const(WEAK_INT, k) for k in (1, 0, -1))


def op(name: str, a: n.Expr, b: n.Expr, kind: Scalar = WEAK_INT) -> n.Binary:
    return n.Binary(kind, name, a, b)


def call(name: str, *xs: n.Expr) -> n.Call:
    return n.Call(xs[0].type, BUILTINS[name], xs)


SIGNS = [
    (ONE, True), (NONE, True), (MINUS, False), (n.Const(Scalar(FLOAT32), 1.5), True),
    (ID, True), (UPS, True), (DOWNS, False), (n.Read(B, FLAG), True), (BYTE, True),
    # conversions: a type that holds all of an unsigned one, or a number that is known
    (n.Cast(I16, BYTE), True), (n.Cast(I8, BYTE), False), (n.Cast(U8, DOWNS), False),
    (n.Cast(U8, SHORT), True), (n.Cast(I64, WORD), True), (n.Cast(I32, WORD), False),
    (n.Cast(I32, n.Read(B, FLAG)), True), (n.Cast(I64, UPS), True), (n.Cast(I32, UPS), False),
    (n.Cast(I64, n.Const(F32, 1.0)), False), (n.Cast(I64, DOWNS), False),
    # choices
    (n.Select(WEAK_INT, n.Read(B, FLAG), UPS, ID), True),
    (n.Select(WEAK_INT, n.Read(B, FLAG), UPS, DOWNS), False),
    (n.Select(WEAK_INT, n.Read(B, FLAG), DOWNS, UPS), False),
    (call("max", DOWNS, UPS), True), (call("max", DOWNS, MINUS), False),
    (call("min", DOWNS, UPS), False), (call("min", ID, UPS), True),
    # operators
    *((op(name, UPS, ID), True) for name in ("add", "mul", "floordiv", "shl", "shr", "and", "or")),
    *((op(name, UPS, DOWNS), False) for name in ("add", "mul", "floordiv", "sub", "or", "mod")),
    *((op(name, DOWNS, UPS), False) for name in ("add", "mul", "floordiv", "or", "xor")),
    (op("mod", DOWNS, UPS), True), (op("sub", UPS, ONE), False),
    (op("add", n.Const(F32, 1.0), n.Const(F32, 1.0), F32), False),
    # products and sums that their type cannot hold turn negative
    (op("mul", n.Cast(I32, BYTE), n.Cast(I32, BYTE), I32), True),
    (op("mul", n.Cast(I32, SHORT), n.Cast(I32, SHORT), I32), False),
    (op("add", n.Cast(I32, SHORT), n.Cast(I32, SHORT), I32), True),
    (op("add", n.Cast(I16, BYTE), n.Const(I16, 0x7FFF), I16), False),
    (op("shl", n.Cast(I32, BYTE), n.Const(I32, 4), I32), False),
    (op("mul", BYTE, BYTE, U8), True),
]
NOT_ZERO = [
    (ONE, True), (NONE, False), (RANGE, True), (ID, False), (n.Cast(I64, RANGE), True),
    (op("mul", RANGE, ONE), True), (op("mul", RANGE, ID), False), (op("mul", ID, RANGE), False),
    (op("add", RANGE, ID), True), (op("add", ID, RANGE), True), (op("add", ID, ID), False),
    (op("sub", RANGE, ONE), False), (call("max", ID, ONE), True), (call("max", ID, ID), False),
    (call("min", RANGE, ID), False), (UPS, False)]
BITS = [
    (n.Const(WEAK_INT, 255), 8), (n.Const(WEAK_INT, -256), 9), (ID, 48), (UPS, 64),
    (n.Cast(I32, SHORT), 16), (n.Cast(U8, n.Cast(I32, SHORT)), 16), (n.Cast(I64, UPS), 64),
    (op("add", n.Cast(I32, SHORT), ONE), 17), (op("sub", ONE, n.Cast(I32, SHORT)), 17),
    (op("mul", n.Cast(I32, SHORT), n.Cast(I32, BYTE)), 24),
    (op("floordiv", n.Cast(I32, SHORT), n.Const(WEAK_INT, 3)), 17), (op("floordiv", ID, UPS), 64),
    (op("shr", n.Cast(I32, SHORT), ONE), 17), (op("shl", ONE, ONE), 64),
    (call("min", n.Cast(I32, SHORT), n.Cast(I32, BYTE)), 16), (call("max", ONE, ONE), 64)]
COUNTERS = [
    (UPS, ONE, False), (UPS, MINUS, False), (UPS, n.Const(WEAK_INT, 2), True),
    (ID, n.Const(WEAK_INT, 2), False), (ID, UPS, True),
    (n.Const(WEAK_INT, 1 << 60), n.Const(WEAK_INT, 2), False),
    (n.Const(WEAK_INT, 1 << 61), n.Const(WEAK_INT, 2), True)]


def test_what_is_never_negative() -> None:
    assert [] == [(x, says) for x, says in SIGNS if loop_steps.never_negative(x, {UP}) is not says]


def test_what_is_not_zero_either() -> None:
    assert [] == [(x, says) for x, says in NOT_ZERO if loop_steps._is_positive(x) is not says]


def test_how_many_bits_hold_it() -> None:
    assert [] == [(x, bits) for x, bits in BITS if loop_steps._bits(x) != bits]


def test_which_counters_may_leave_64_bits() -> None:
    loops = [(n.For(n.Local("k", WEAK_INT), ID, stop, step, ()), says)
             for stop, step, says in COUNTERS]
    assert [] == [(loop, says) for loop, says in loops if loop_steps.overflows(loop) is not says]


def test_what_holds_of_locals_only_together_is_found_and_what_one_loses_all_lose():
    kind = Scalar(INT64)
    row = [n.Local(f"x{k}", kind) for k in range(40)]
    reads = [n.Read(kind, x) for x in row]
    ring = tuple(n.Assign(x, reads[k - 1]) for k, x in enumerate(row))  # each from the one before
    start = (n.Assign(row[0], n.Const(kind, 1)),)
    assert set(row) == loop_steps.rising((*start, *ring))
    for k in (0, 17, 39):
        assert loop_steps.rising((*start, *ring, n.Assign(row[k], n.Const(kind, -1)))) == set()
    chain = ring[1:]
    assert loop_steps.rising((*chain, n.Assign(row[20], n.Const(kind, -1)), *start)) == set(
        row[:20])
