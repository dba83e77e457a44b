"""Which loops are marked to be unrolled: short ones over a kernel's own arrays."""

from __future__ import annotations

from unisycl.base.dtypes import FLOAT32
from unisycl.base.enums import address_space, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import INT64, Scalar, View
from unisycl.passes.clike import short_loops

F32 = Scalar(FLOAT32)
OWN = n.Array("own", View(F32, 1, space=address_space.private_space), (8,))
DATA = n.Param("data", View(F32, 1), 0)
COUNT = n.Param("count", INT64, 1)
ROW, J, AT = n.Local("i", INT64), n.Local("j", INT64), n.Local("at", INT64)
ONE = n.Const(F32, 1.0)


def number(value: int) -> n.Const:
    return n.Const(INT64, value)


def loop(local: n.Local, stop: n.Expr, *body: n.Stmt) -> n.For:
    return n.For(local, number(0), stop, number(1), body)


def store(base: n.Param | n.Array, index: n.Expr) -> n.Store:
    return n.Store(n.Place(base, (index,), F32), ONE)


def marked(*body: n.Stmt) -> list[str]:
    """Return the names of the loops that are marked."""
    kernel = n.Kernel("k", (DATA, COUNT), body, "range", 1, arrays=(OWN,))
    found = short_loops.run(kernel).body
    return [s.local.name for s in visit.statements(found) if isinstance(s, n.For) and s.unroll]


def test_loops_over_own_arrays_are_marked_also_through_variables_and_in_others() -> None:
    assert marked(loop(ROW, number(8), store(OWN, n.Read(INT64, ROW)))) == ["i"]
    through = loop(ROW, number(4), n.Assign(AT, n.Binary(
        INT64, "mul", n.Read(INT64, ROW), number(2))), store(OWN, n.Read(INT64, AT)))
    assert marked(through) == ["i"]
    inner = loop(J, number(2), store(OWN, n.Binary(
        INT64, "add", n.Read(INT64, ROW), n.Read(INT64, J))))
    assert marked(loop(ROW, number(4), inner)) == ["i", "j"]
    assert marked(loop(ROW, n.ParamRead(INT64, COUNT), inner)) == ["j"]


def test_other_loops_stay() -> None:
    assert marked(loop(ROW, number(8), store(DATA, n.Read(INT64, ROW)))) == []
    assert marked(loop(ROW, number(8), store(OWN, number(3)))) == []
    assert marked(loop(ROW, number(17), store(OWN, n.Read(INT64, ROW)))) == []
    assert marked(loop(ROW, n.ParamRead(INT64, COUNT), store(OWN, n.Read(INT64, ROW)))) == []
    waits = n.Barrier(memory_scope.work_group)
    assert marked(loop(ROW, number(4), store(OWN, n.Read(INT64, ROW)), waits)) == []
    large = [store(OWN, n.Read(INT64, ROW)) for _ in range(300)]
    assert marked(loop(ROW, number(8), *large)) == []
