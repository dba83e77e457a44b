"""Walking and rewriting the IR keeps what it does not change."""

from __future__ import annotations

from unisycl.base.dtypes import INT32
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, Scalar, View

I32 = Scalar(INT32)
X, Y = n.Local("x", I32), n.Local("y", I32)
VIEW = n.Param("a", View(I32, 1), 0)


def place(index):
    return n.Place(VIEW, (index,), I32)


def sample():
    x, y = n.Read(I32, X), n.Read(I32, Y)
    load = n.Load(I32, place(n.Binary(I32, "add", x, y)))
    loop = n.For(Y, n.Const(I32, 0), x, n.Const(I32, 1), (n.Store(place(y), load),))
    test = n.Compare(BOOL, "lt", x, y)
    return (n.Assign(X, n.Const(I32, 1)), n.If(test, (loop,), (n.Break(),)))


def test_statements_come_outer_before_inner():
    names = [type(s).__name__ for s in visit.statements(sample())]
    assert ["Assign", "If", "For", "Store", "Break"] == names


def test_expressions_reach_into_places():
    kinds = {type(e).__name__ for e in visit.all_expressions(sample())}
    assert {"Const", "Read", "Binary", "Load", "Compare"} == kinds


def test_assigned_locals_are_those_of_statements_and_loops():
    assert {X, Y} == visit.assigned(sample())


def test_contains_looks_into_blocks():
    assert visit.contains(sample(), n.Break)
    assert not visit.contains(sample(), (n.Barrier, n.While))


def test_rewriting_nothing_returns_the_same_block():
    block = sample()
    assert block is visit.rewrite_block(block, lambda e: e)


def test_rewriting_goes_bottom_up_and_through_places():
    def swap(e):
        return n.Read(I32, X) if isinstance(e, n.Read) and e.local is Y else e
    new = visit.rewrite_block(sample(), swap)
    reads = {e.local for e in visit.all_expressions(new) if isinstance(e, n.Read)}
    assert {X} == reads


class Twice(visit.Rewriter):
    """Has each store run twice, and no break run."""

    def statement(self, stmt):
        if isinstance(stmt, n.Break):
            return ()
        return (stmt, stmt) if isinstance(stmt, n.Store) else (self.inside(stmt),)


def test_a_rewriter_puts_any_number_of_statements_for_one_however_deep():
    block = sample()
    new = Twice().block(block)
    assert new[0] is block[0]
    loop = new[1].then[0]
    assert 2 == len(loop.body)
    assert () == new[1].orelse


def test_a_rewriter_without_hooks_returns_the_same_block():
    block = (n.Scope(1, sample()), n.While(sample(), n.Const(BOOL, True), ()))
    assert block is visit.Rewriter().block(block)


def test_deep_expressions_are_walked_in_order_without_recursion():
    x = n.Read(I32, X)
    deep = x
    for k in range(3000):
        deep = n.Binary(I32, "add", deep, n.Const(I32, k))
    found = [*visit.walk(deep)]
    assert [deep, x, n.Const(I32, 0), n.Const(I32, 1)] == [
        found[0], *(e for e in found if not isinstance(e, n.Binary))][:4]
    assert len(found) == 6001


def test_lists_of_blocks_are_kept_and_right_for_many_blocks():
    blocks = [sample() for _ in range(100)]  # more than are kept
    first = [(list(visit.statements(b)), list(visit.all_expressions(b))) for b in blocks]
    again = [(list(visit.statements(b)), list(visit.all_expressions(b))) for b in blocks]
    for (stmts, exprs), (later, others), block in zip(first, again, blocks, strict=True):
        assert all(a is b for a, b in zip(stmts, later, strict=True))
        assert all(a is b for a, b in zip(exprs, others, strict=True))
        assert stmts[0] is block[0]
    assert len(visit._last) <= visit._MOST_KNOWN


def test_every_class_of_nodes_keeps_itself_or_all_its_other_fields():
    loop = sample()[1].then[0]
    same = visit.map_children(loop, lambda x: x)
    assert same is loop
    new = visit.map_children(loop, lambda x: n.Const(I32, 7) if isinstance(x, n.Read) else x)
    assert (new.stop, new.start, new.step) == (n.Const(I32, 7), loop.start, loop.step)
    assert all(getattr(new, name) is getattr(loop, name) for name in ("local", "body", "span"))


def test_a_mapped_place_is_told_from_what_is_below_it():
    store = sample()[1].then[0].body[0]
    moved = n.Place(VIEW, (n.Const(I32, 3),), I32)
    new = visit.map_children(store, lambda x: x, lambda place: moved)
    assert new.place is moved
    assert new.value is store.value
