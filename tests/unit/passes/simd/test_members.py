"""Members are read and written together where nothing can tell, and left alone elsewhere."""

from __future__ import annotations

import numpy as np

from unisycl.base import dtypes as d
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, Scalar, Struct, View, element_type
from unisycl.passes.simd import members

F = Scalar(d.FLOAT32)
HERE = n.Query(WEAK_INT, "global_id", 0)


def struct(*names: str, kind: str = "f4") -> Struct:
    found = element_type(np.dtype([(name, kind) for name in names]))
    assert isinstance(found, Struct)
    return found


BODY = struct("x", "y", "z", "w")
A, B = (n.Param(name, View(BODY, 1), k) for k, name in enumerate("ab"))
FLAT = n.Param("flat", View(F, 1), 2)


def at(base: n.Param, k: int, index: n.Expr = HERE) -> n.Place:
    return n.Place(base, (index,), F, 4 * k)


def read(base: n.Param, k: int, index: n.Expr = HERE) -> n.Load:
    return n.Load(F, at(base, k, index))


def gathered(*body: n.Stmt) -> n.Block:
    return members.gather(n.Kernel("k", (A, B, FLAT), body, "range", 1)).body


def kinds(block: n.Block) -> list[type]:
    return [type(s) for s in block]


def test_kernels_without_such_records_come_back_themselves():
    single = n.Param("s", View(struct("x"), 1), 0)
    padded = element_type(np.dtype([("x", "f4"), ("k", "i2")], align=True))
    assert isinstance(padded, Struct)
    for base in (FLAT, single, n.Param("p", View(padded, 1), 0)):
        kernel = n.Kernel("k", (base,), (n.Store(n.Place(FLAT, (HERE,), F), n.Const(F, 1.0)),),
                          "range", 1)
        assert members.gather(kernel) is kernel


def test_loads_of_assignments_and_of_what_follows_them_are_one():
    x, y = n.Local("x", F), n.Local("y", F)
    made = gathered(n.Assign(x, read(A, 0)), n.Assign(y, read(A, 2)),
                    n.Store(n.Place(FLAT, (HERE,), F), read(A, 3)))
    assert kinds(made) == [n.LoadMany, n.Assign, n.Assign, n.Store]
    assert not any(isinstance(e, n.Load) for s in made[1:3]
                   for e in (s.value,))  # type: ignore[attr-defined]


def test_one_member_of_a_record_is_read_alone():
    x = n.Local("x", F)
    assert kinds(gathered(n.Assign(x, read(A, 1)))) == [n.Assign]


def test_an_index_that_is_assigned_begins_another_record():
    k, x, y = n.Local("k", WEAK_INT), n.Local("x", F), n.Local("y", F)
    made = gathered(
        n.Assign(x, n.Binary(F, "add", read(A, 0, n.Read(WEAK_INT, k)),
                             read(A, 1, n.Read(WEAK_INT, k)))),
        n.Assign(k, n.Const(WEAK_INT, 3)),
        n.Assign(y, n.Binary(F, "add", read(A, 0, n.Read(WEAK_INT, k)),
                             read(A, 1, n.Read(WEAK_INT, k)))))
    assert kinds(made) == [n.LoadMany, n.Assign, n.Assign, n.LoadMany, n.Assign]


def test_loads_stay_behind_stores():
    x, y = n.Local("x", F), n.Local("y", F)
    made = gathered(n.Assign(x, read(A, 0)), n.Store(at(B, 0), n.Const(F, 1.0)),
                    n.Assign(y, read(A, 1)))
    assert kinds(made) == [n.Assign, n.Store, n.Assign]


def test_stores_to_all_members_are_one_and_their_values_too():
    made = gathered(*(n.Store(at(B, k), read(A, k)) for k in range(4)))
    assert kinds(made) == [n.LoadMany, n.StoreMany]
    turned = gathered(*(n.Store(at(B, k), read(A, 3 - k)) for k in range(4)))
    assert kinds(turned) == [n.Store] * 4  # both may be the same memory


def test_stores_that_see_one_another_stay_apart():
    seen = gathered(*(n.Store(at(B, k), read(B, 0)) for k in range(4)))
    assert kinds(seen) == [n.Store] * 4
    unknown = gathered(*(n.Store(at(B, k), n.Load(F, n.Place(FLAT, (HERE,), F)))
                         for k in range(4)))
    assert kinds(unknown) == [n.Store] * 4
    some = gathered(*(n.Store(at(B, k), n.Const(F, 0.0)) for k in range(3)))
    assert kinds(some) == [n.Store] * 3
