"""Complex numbers become pairs of floats, and kernels without them stay the objects they are."""

from __future__ import annotations

from unisycl.base import dtypes as d
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.text import kernel_text
from unisycl.ir.types import BOOL, WEAK_INT, Scalar, View
from unisycl.passes.shared import scalars

F, C = Scalar(d.FLOAT32), Scalar(d.COMPLEX64)
HERE = n.Query(WEAK_INT, "global_id", 0)


def kernel(params: tuple[n.Param, ...], *body: n.Stmt) -> n.Kernel:
    return n.Kernel("k", params, body, "range", 1)


def at(param: n.Param, type: Scalar = C) -> n.Place:
    return n.Place(param, (HERE,), type)


def made_types(kernel: n.Kernel) -> set[str]:
    """Return the names of what is left of complex and bfloat16 numbers."""
    found = {x.type.dtype for x in visit.all_expressions(kernel.body)}
    found |= {t.type.dtype for s in visit.statements(kernel.body) for t in visit.targets(s)}
    return {f.name for f in found if f.made}


def test_a_kernel_of_other_numbers_comes_back_itself():
    a = n.Param("a", View(F, 1), 0)
    plain = kernel((a,), n.Store(at(a, F), n.Load(F, at(a, F))))
    assert scalars.expand(plain) is plain


def test_products_are_loaded_multiplied_and_stored_as_pairs():
    a, z = n.Param("a", View(C, 1), 0), n.Param("z", C, 1)
    product = n.Binary(C, "mul", n.Load(C, at(a)), n.ParamRead(C, z))
    made = scalars.expand(kernel((a, z), n.Store(at(a), product)))
    assert made_types(made) == set()
    loads = [s for s in made.body if isinstance(s, n.LoadMany)]
    stores = [s for s in made.body if isinstance(s, n.StoreMany)]
    assert [len(s.results) for s in loads] == [2]
    assert [len(s.values) for s in stores] == [2]
    assert [p.type.size if not isinstance(p.type, View) else p.type.elem.size
            for p in made.params] == [8, 8]
    assert "z" in kernel_text(made)


def test_parts_that_change_places_are_read_before_they_are_written():
    z = n.Local("z", C)
    swapped = n.Complex(C, n.Part(F, n.Read(C, z), True), n.Part(F, n.Read(C, z), False))
    made = scalars.expand(kernel((), n.Assign(z, n.Const(C, 1 + 2j)), n.Assign(z, swapped)))
    values: dict[n.Local, float] = {}
    for stmt in made.body:
        assert isinstance(stmt, n.Assign)
        x = stmt.value
        assert isinstance(x, n.Read | n.Const)
        values[stmt.local] = values[x.local] if isinstance(x, n.Read) else x.value
    final = {local.name: value for local, value in values.items()}
    assert (final["z.real"], final["z.imag"]) == (2, 1)


def test_what_a_condition_needs_is_computed_each_time_it_is_asked():
    z = n.Local("z", C)
    cond = n.Compare(BOOL, "ne", n.Binary(C, "add", n.Read(C, z), n.Const(C, 1j)), n.Const(C, 0j))
    loop = n.While((), cond, (n.Assign(z, n.Const(C, -1j)),))
    made = scalars.expand(kernel((), loop)).body[0]
    assert isinstance(made, n.While)
    assert len(made.pre) == 2
    assert made_types(scalars.expand(kernel((), loop))) == set()
