"""Early returns become branches."""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, INT64
from unisycl.passes.clike import structure

A, B = n.Local("a", INT64), n.Local("b", INT64)
COND = n.Const(BOOL, True)


def put(local: n.Local, value: int) -> n.Stmt:
    return n.Assign(local, n.Const(INT64, value))


def test_what_follows_an_early_return_becomes_the_other_side() -> None:
    body = (n.If(COND, (put(A, 1), n.Leave(3))), put(A, 2), put(B, 3))
    assert (n.If(COND, (put(A, 1),), (put(A, 2), put(B, 3))),) == structure.body(body, 3)


def test_a_return_at_the_end_goes_and_what_is_behind_one_too() -> None:
    assert (put(A, 1),) == structure.body((put(A, 1), n.Leave(3), put(A, 2)), 3)


def test_a_return_from_a_loop_stays() -> None:
    body = (n.While((), COND, (n.If(COND, (n.Leave(3),)),)), put(A, 1))
    assert structure.leaves(structure.body(body, 3), 3)


def test_functions_inside_are_turned_as_well() -> None:
    inner = n.Scope(4, (n.If(COND, (n.Leave(4),)), put(A, 1)))
    found = structure.body((inner, put(B, 2)), 0)
    assert not structure.leaves(found, 4)
