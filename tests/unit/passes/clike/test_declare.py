"""Where locals are declared."""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, INT64
from unisycl.passes.clike import declare

A, K = n.Local("a", INT64), n.Local("i", INT64)
COND = n.Const(BOOL, True)


def put(value: n.Expr | int) -> n.Assign:
    return n.Assign(A, value if isinstance(value, n.Expr) else n.Const(INT64, value))


def more() -> n.Assign:
    return put(n.Binary(INT64, "add", n.Read(INT64, A), n.Const(INT64, 1)))


def loop(*body: n.Stmt) -> n.For:
    return n.For(K, n.Const(INT64, 0), n.Const(INT64, 9), n.Const(INT64, 1), body)


def test_the_first_assignment_declares() -> None:
    first, second = put(1), more()
    found = declare.places((first, second))
    assert {(id(first), first.local)} == found.first
    assert {} == found.before


def test_what_a_loop_carries_is_declared_before_it() -> None:
    around = loop(n.If(COND, (put(1),), (more(),)))
    found = declare.places((around,))
    assert set() == found.first
    assert {id(around): [A]} == found.before


def test_what_each_iteration_sets_first_is_declared_inside() -> None:
    first = put(1)
    found = declare.places((loop(first, more()),))
    assert {(id(first), first.local)} == found.first
    assert {} == found.before


def test_both_sides_of_a_branch_share_a_declaration() -> None:
    branch = n.If(COND, (put(1),), (put(2),))
    assert {id(branch): [A]} == declare.places((branch,)).before


def test_a_counter_is_declared_by_its_loop_unless_the_body_assigns_it() -> None:
    assert {} == declare.places((loop(put(1)),)).before
    changed = n.For(K, n.Const(INT64, 0), n.Const(INT64, 9), n.Const(INT64, 1),
                    (n.Assign(K, n.Const(INT64, 3)),))
    assert {id(changed): [K]} == declare.places((changed,)).before
