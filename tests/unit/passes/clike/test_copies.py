"""Temporary locals that repeat others go; what a user named stays."""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, INT64
from unisycl.passes.clike import copies

T, U, A, B = (n.Local(name, INT64) for name in ("t", "t", "a", "b"))
COND = n.Const(BOOL, True)


def put(local: n.Local, value: n.Local | int) -> n.Assign:
    return n.Assign(local, n.Const(INT64, value) if isinstance(value, int)
                    else n.Read(INT64, value))


def use(local: n.Local) -> n.Stmt:
    return n.If(n.Compare(BOOL, "lt", n.Read(INT64, local), n.Const(INT64, 3)), ())


def run(*body: n.Stmt) -> tuple[n.Block, dict[n.Local, str]]:
    found, names = copies.run(n.Kernel("k", (), body, "single", 1))
    return found.body, names


def test_a_temporary_gives_way_to_what_it_repeats() -> None:
    assert ((put(A, 1), put(B, A)), {}) == run(put(A, 1), put(T, A), put(B, T))


def test_a_users_name_goes_to_the_temporary_it_repeats() -> None:
    body, names = run(put(T, 1), put(A, T), use(A))
    assert put(T, 1) == body[0]
    assert 2 == len(body)
    assert {T: "a"} == names


def test_two_names_of_the_user_stay() -> None:
    body = (put(A, 1), put(B, A))
    assert (body, {}) == run(*body)


def test_chains_end_at_the_first() -> None:
    assert (put(A, 1), put(B, A)) == run(put(A, 1), put(T, A), put(U, T), put(B, U))[0]


def test_what_changes_while_the_copy_lives_is_kept_apart() -> None:
    body = (put(A, 1), put(T, A), put(A, 2), use(T))
    assert body == run(*body)[0]


def test_a_value_of_the_round_before_is_kept() -> None:
    body = (put(A, 1), n.While((), COND, (use(T), put(T, A))))
    assert body == run(*body)[0]


def test_a_copy_read_behind_its_block_is_kept() -> None:
    body = (put(A, 1), n.If(COND, (put(T, A),)), use(T))
    assert body == run(*body)[0]
