"""Which operands a compiler could make a negation of."""

from __future__ import annotations

import pytest

from unisycl.backends.cfamily.signs import Signs, meet
from unisycl.base import dtypes
from unisycl.base.enums import memory_scope
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, INT64, Scalar

FLOAT32 = Scalar(dtypes.FLOAT32)
S, K, X = n.Local("s", FLOAT32), n.Local("k", INT64), n.Local("x", FLOAT32)
GIVEN = n.Read(FLOAT32, X)
ID = n.Query(INT64, "global_id", 0)


def number(value: float) -> n.Const:
    return n.Const(FLOAT32, value)


def product(a: n.Expr, b: n.Expr, op: str = "mul") -> n.Binary:
    return n.Binary(FLOAT32, op, a, b)


def signs(*body: n.Stmt) -> Signs:
    given = n.Assign(X, n.Cast(FLOAT32, ID))
    return Signs(n.Kernel("k", (), (given, *body), "nd_range", 1))


@pytest.mark.parametrize(("op", "a", "b", "hidden"), [
    ("mul", GIVEN, number(-1.0), (False, True)), ("mul", number(-1.0), GIVEN, (True, False)),
    ("mul", GIVEN, number(2.0), (False, False)), ("mul", GIVEN, GIVEN, (False, False)),
    ("div", GIVEN, number(-1.0), (False, True)), ("div", number(-1.0), GIVEN, (False, False)),
    ("sub", number(-0.0), GIVEN, (True, False)), ("sub", number(0.0), GIVEN, (False, False)),
    ("add", GIVEN, number(-1.0), (False, False)),
    ("mul", GIVEN, product(number(1.0), number(2.0), "sub"), (False, True)),
    ("mul", GIVEN, product(GIVEN, number(2.0), "sub"), (False, False))])
def test_constants_that_make_a_negation_are_hidden(op: str, a: n.Expr, b: n.Expr,
                                                   hidden: tuple[bool, bool]) -> None:
    assert hidden == signs().hidden(product(a, b, op))


def test_a_local_is_all_that_it_may_be_given() -> None:
    read = product(GIVEN, n.Read(FLOAT32, S))
    one = n.Assign(S, number(1.0))
    branch = n.If(n.Const(BOOL, True), (n.Assign(S, number(-1.0)),))
    assert (False, False) == signs(one).hidden(read)
    assert (False, True) == signs(one, branch).hidden(read)
    assert (False, False) == signs(one, n.Assign(S, GIVEN)).hidden(read)


def test_a_counter_of_known_bounds_may_be_any_number() -> None:
    read = product(GIVEN, n.Cast(FLOAT32, n.Read(INT64, K)))
    known, far = n.Const(INT64, 3), n.Const(INT64, 1)
    assert (False, True) == signs(n.For(K, n.Const(INT64, 0), known, far, ())).hidden(read)
    assert (False, False) == signs(n.For(K, ID, known, far, ())).hidden(read)


def test_only_kernels_whose_items_meet_are_concerned() -> None:
    alone = n.Kernel("k", (), (), "nd_range", 1)
    together = n.Kernel("k", (), (n.Barrier(memory_scope.work_group),), "nd_range", 1)
    assert (False, True) == (meet(alone), meet(together))
