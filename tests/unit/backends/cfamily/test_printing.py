"""Texts become records; a failed check leaves its item, and never others alone at a barrier."""

from __future__ import annotations

from unisycl.backends.cfamily import printing
from unisycl.backends.cfamily.printing import Record
from unisycl.base.enums import memory_scope
from unisycl.base.value_text import Shown
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, INT64

A = n.Local("a", INT64)
COND = n.Const(BOOL, True)
CHECK = n.Check(COND, ("x is ", n.Read(INT64, A)))
GROUP, SUB = memory_scope.work_group, memory_scope.sub_group


def kernel(*body: n.Stmt, kind: str = "nd_range") -> n.Kernel:
    local = (8,) if kind == "nd_range" else ()
    return n.Kernel("k", (), body, kind, 1, local=local)


def lowered(*body: n.Stmt, kind: str = "nd_range", sub_groups: bool = True) -> n.Block:
    return printing.run(kernel(*body, kind=kind), sub_groups=sub_groups).body


def asked(block: n.Block) -> list[memory_scope]:
    """Return the groups that are asked whether a check failed, in order."""
    return [s.scope for s in visit.statements(block)
            if isinstance(s, n.GroupCall) and s.op == "any"]


def test_a_kernel_without_texts_and_checks_stays_as_it_is() -> None:
    plain = kernel(n.Barrier(GROUP))
    assert printing.run(plain, sub_groups=True) is plain


def test_a_text_is_a_record_of_its_values() -> None:
    (found,) = lowered(n.Print((Shown("repr"), n.Read(INT64, A), " and ", n.Read(INT64, A))))
    assert isinstance(found, Record)
    assert (Shown("repr"), " and ", Shown("str")) == found.site.parts
    assert (n.Read(INT64, A),) * 2 == found.cells


def test_the_records_of_a_stream_begin_with_the_stream_and_the_item() -> None:
    (found,) = lowered(n.Print((), n.Const(INT64, 5), end=True), kind="range")
    assert isinstance(found, Record)
    assert found.site.kind == "end"
    assert n.Const(INT64, 5) == found.cells[0]
    assert len(found.cells) == 2


def test_a_failed_check_ends_its_item_where_nobody_waits() -> None:
    (found,) = lowered(CHECK, kind="range")
    assert isinstance(found, n.If)
    record, leave = found.then
    assert isinstance(record, Record)
    assert (1,) == record.site.ids
    assert n.Leave(0) == leave


def test_all_leave_in_front_of_a_barrier() -> None:
    found = lowered(CHECK, n.Barrier(GROUP))
    begin, run, question, stop, barrier = found
    assert isinstance(begin, n.Assign)
    assert isinstance(run, n.Scope)
    assert isinstance(question, n.GroupCall)
    assert GROUP is question.scope
    assert n.If(n.Read(BOOL, question.result), (n.Leave(0),)) == stop
    assert n.Barrier(GROUP) == barrier
    inside = run.body[0]
    assert isinstance(inside, n.If)
    assert n.Leave(run.number) == inside.then[-1]


def test_behind_the_last_barrier_an_item_leaves_alone() -> None:
    assert [] == asked(lowered(n.Barrier(GROUP), CHECK))


def test_a_loop_with_a_barrier_asks_in_every_iteration() -> None:
    loop = n.While((), COND, (n.Barrier(GROUP), CHECK))
    (again,) = lowered(loop)[1:]
    assert isinstance(again, n.While)
    assert [GROUP] == asked(again.body)
    assert isinstance(again.body[0], n.Barrier)


def test_the_way_out_of_such_a_loop_is_asked_for_too() -> None:
    way_out = n.If(COND, (n.Break(),))
    (loop,) = lowered(n.While((), COND, (CHECK, way_out, n.Barrier(GROUP))))[1:]
    assert isinstance(loop, n.While)
    assert isinstance(loop.body[-2], n.If)
    assert way_out == loop.body[-2]
    assert [GROUP] == asked(loop.body[:-2])


def test_sub_groups_ask_among_themselves_then_the_whole_group() -> None:
    call = n.GroupCall(A, "reduce", (n.Read(INT64, A),), SUB, "plus")
    found = lowered(CHECK, call, n.Barrier(GROUP))
    assert [SUB, GROUP] == asked(found)


def test_sub_groups_of_one_item_ask_nobody() -> None:
    call = n.GroupCall(A, "reduce", (n.Read(INT64, A),), SUB, "plus")
    assert [] == asked(lowered(CHECK, call, sub_groups=False))


def test_an_item_of_a_hierarchical_kernel_skips_the_rest_of_its_loop() -> None:
    (items,) = lowered(n.WorkItems((), (CHECK, n.Assign(A, n.Const(INT64, 1)))),
                       kind="work_group")
    assert isinstance(items, n.WorkItems)
    (scope,) = items.body
    assert isinstance(scope, n.Scope)
    record = next(s for s in visit.statements(scope.body) if isinstance(s, Record))
    assert not record.site.group
    assert n.Leave(scope.number) in tuple(visit.statements(scope.body))
