"""``joint_matrix`` and its functions: checked here, then our own functions or the hardware's.

Non-goals: what they compute (``lang.library.joint_matrices``). Invariants: a kernel with a matrix
has asked its device what it has for them, and its sub-groups are of the size that this says and
whole.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from unisycl.base import architecture
from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.base.errors import UsageError
from unisycl.base.matrices import PRODUCTS, MatrixUnit, arrange, layout, unit_of, use
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.forms import matrix_calls
from unisycl.frontend.forms.arrays import declared
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import pointers
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.items import Item
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.matrices import Matrix
from unisycl.frontend.values.memory import Memory
from unisycl.ir.types import Scalar, element_type
from unisycl.lang.index.groups import sub_group
from unisycl.lang.library import joint_matrices as library
from unisycl.lang.memory import joint_matrix as own

_ACCUMULATOR = "an accumulator is loaded and stored with layout.row_major or layout.col_major"


def _unit(ctx: Context, node: ast.AST) -> MatrixUnit:
    """Return what the device has for matrices, and have the kernel's sub-groups fit."""
    found = unit_of(ctx.target)
    ctx.needs.asked[found] = architecture.fits(ctx.target, found)
    required = ctx.shape.sub_group
    if required and required != found.sub_group:
        if required & (required - 1):
            raise ctx.refuse("K054", node, what=f"sub-groups of {required} work-items hold no "
                             "joint_matrix", help="require a power of two")
        found = MatrixUnit(required)
    items = math.prod(ctx.shape.local)
    if items % found.sub_group:
        raise ctx.refuse("K054", node, what="a joint_matrix belongs to whole sub-groups, and a "
                         f"work-group of {items} work-items has one that is not: they are of "
                         f"{found.sub_group} on this device", help="launch work-groups of a "
                         f"multiple of {found.sub_group} work-items")
    ctx.needs.sub_group = found.sub_group
    ctx.facts.add("asks")  # which work-item runs, on the host device
    return found


def _group(ctx: Context, value: Value, node: ast.AST, what: str) -> None:
    """Check that a group is a sub-group, or the class of such."""
    if ctx.shape.kind != "nd_range":
        raise ctx.refuse("K050", node, what=f"'{what}'")
    if isinstance(value, Item) and value.kind == "sub_group":
        return
    if isinstance(value, Constant) and value.object is sub_group and what == "joint_matrix":
        return
    raise ctx.refuse("K049", node, found=describe(value), expected="a sub_group",
                     help="pass it.get_sub_group()")


@form(own.joint_matrix)
def make(ctx: Context, node: ast.Call) -> Value:
    """Lower ``joint_matrix(group, T, use, rows, cols[, layout])``: an array of the work-item's."""
    found = parameters(ctx, node, "joint_matrix", ("group", "T", "use", "rows", "cols"),
                       ("layout",))
    _group(ctx, found["group"], node, "joint_matrix")
    role = _object(found["use"])
    sizes = []
    for name in ("rows", "cols"):
        known = ctx.constant(found[name])
        if known is None or not known.type.dtype.is_integer:
            raise ctx.refuse("K046", node, what=f"the number of {name} of a joint_matrix")
        sizes.append(int(known.value))
    try:
        kind = own.kind_of(_object(found["T"]))
        order = own.checked_layout(role, _object(found.get("layout")))
    except UsageError as problem:
        raise ctx.refuse("K054", node, what=str(problem.args[0]), help="") from None
    assert isinstance(role, use)
    problem_text = own.wrong_shape(kind, role, *sizes)
    if problem_text:
        raise ctx.refuse("K054", node, what=f"joint_matrix: {problem_text}", help="")
    where = arrange(_unit(ctx, node), kind, role, *sizes)
    elem = element_type(own.stored_type(kind))
    assert isinstance(elem, Scalar)
    cells = declared(ctx, elem, (where.row_slots * where.col_slots,))
    return Matrix(kind, role, order, where, replace(cells, name="the matrix"))


def _object(value: Value | None) -> object:
    return value.object if isinstance(value, Constant) else None if value is None else value


# ---- functions
def _matrix(ctx: Context, value: Value, node: ast.AST, role: use | None = None) -> Matrix:
    """Return a value that is a matrix, or refuse."""
    if isinstance(value, Matrix) and role in (None, value.use):
        return value
    wanted = "a joint_matrix" + (f" for use.{role.name}" if role else "")
    raise ctx.refuse("K049", node, found=describe(value), expected=wanted, help="")


def _own(ctx: Context, name: str, args: list[Value], node: ast.AST) -> Value:
    """Call a function of ours that is written in the kernel language."""
    function = Constant(getattr(library, name), (("library", name),))
    return ctx.call(ctx, function, args, node)


def _moving(name: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of a load or store."""
    loads = name == "joint_matrix_load"
    memory = "source" if loads else "target"

    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, name, ("group", "m", memory, "stride"), ("layout",))
        _group(ctx, found["group"], node, name)
        m = _matrix(ctx, found["m"], node)
        order = _order(ctx, name, m, found.get("layout"), node)
        where = _memory(ctx, m, found[memory], node)
        if loads and not where.view.mode.reads:
            raise ctx.refuse("K058", node, name=where.name)
        if not loads and not where.view.mode.writes:
            raise ctx.refuse("K039", node, name=where.name)
        stride = ctx.hold(ctx.exactly(found["stride"], node))
        if not stride.type.dtype.is_integer:
            raise ctx.refuse("K049", node, found=stride.type, expected="an integer",
                             help="the stride counts elements")
        if matrix_calls.moves(ctx, m, where):
            if where.view.space is address_space.local_space:  # known, the fast way is chosen
                stride = ctx.constant(found["stride"]) or stride
            return matrix_calls.move(ctx, name, m, where, stride, node, order=order)
        return _own(ctx, name, [found["group"], m, where, stride, Constant(order)], node)
    return lower


form(library.joint_matrix_load)(_moving("joint_matrix_load"))
form(library.joint_matrix_store)(_moving("joint_matrix_store"))


def _order(ctx: Context, name: str, m: Matrix, given: Value | None, node: ast.AST) -> layout:
    """Return how a matrix lies in memory."""
    said = _object(given)
    if m.layout is layout.dynamic:
        if said in (layout.row_major, layout.col_major):
            assert isinstance(said, layout)
            return said
        raise ctx.refuse("K054", node, what=f"{name}: {_ACCUMULATOR}", help="name it as the last "
                         "argument")
    if said in (None, m.layout):
        return m.layout
    raise ctx.refuse("K054", node, what=f"{name}: the matrix was declared with "
                     f"layout.{m.layout.name}", help="leave the layout out")


def _memory(ctx: Context, m: Matrix, value: Value, node: ast.AST) -> Memory:
    """Return memory of the elements of a matrix, as a pointer."""
    where = pointers.point(ctx, ctx.of(value).decayed(ctx), None, node)
    elem = element_type(own.stored_type(m.kind))
    if where.view.elem != elem:
        raise ctx.refuse("K049", node, found=describe(where), expected=f"memory of {elem}",
                         help=f"that is how elements of {m.kind.name} are stored")
    if where.view.space is address_space.private_space:
        raise ctx.refuse("K054", node, what="a sub-group shares no private memory",
                         help="load from and store to global or local memory")
    return where


@form(library.joint_matrix_fill)
def fill(ctx: Context, node: ast.Call) -> Value:
    """Lower ``joint_matrix_fill(group, m, value)``."""
    found = parameters(ctx, node, "joint_matrix_fill", ("group", "m", "value"))
    _group(ctx, found["group"], node, "joint_matrix_fill")
    m = _matrix(ctx, found["m"], node)
    value = ctx.hold(ctx.to_scalar(found["value"], node))
    return _own(ctx, "joint_matrix_fill", [found["group"], m, value], node)


@form(library.joint_matrix_mad)
def mad(ctx: Context, node: ast.Call) -> Value:
    """Lower ``joint_matrix_mad(group, d, a, b, c)``."""
    name = "joint_matrix_mad"
    found = parameters(ctx, node, name, ("group", "d", "a", "b", "c"))
    _group(ctx, found["group"], node, name)
    d, c = (_matrix(ctx, found[k], node, use.accumulator) for k in "dc")
    a, b = _matrix(ctx, found["a"], node, use.a), _matrix(ctx, found["b"], node, use.b)
    types = (a.kind, b.kind, c.kind, d.kind)
    if types not in PRODUCTS:
        raise ctx.refuse("K054", node, what=f"{name}: matrices of {a.kind.name} and {b.kind.name} "
                         f"are not multiplied with sums of {c.kind.name} into {d.kind.name}",
                         help="matrix_combinations says which are")
    rows, depth, cols = a.arrangement.rows, a.arrangement.cols, b.arrangement.cols
    if b.arrangement.rows != depth or any(
            (x.arrangement.rows, x.arrangement.cols) != (rows, cols) for x in (c, d)):
        raise ctx.refuse("K054", node, what=f"{name}: the shapes do not fit: {describe(a)}, "
                         f"{describe(b)}, {describe(c)} and {describe(d)}",
                         help="A is of M rows and K columns, B of K and N, C and D of M and N")
    if unit_of(ctx.target).takes(types, (rows, cols, depth)) and all(
            x.arrangement.native for x in (a, b, c, d)):
        return matrix_calls.mad(ctx, d, a, b, c, node)
    ctx.converge(node, name)
    return _own(ctx, name, [found["group"], d, a, b, c], node)


@form(library.joint_matrix_copy)
def copy(ctx: Context, node: ast.Call) -> Value:
    """Lower ``joint_matrix_copy(group, source, target)``."""
    name = "joint_matrix_copy"
    found = parameters(ctx, node, name, ("group", "source", "target"))
    _group(ctx, found["group"], node, name)
    source, target = (_matrix(ctx, found[k], node) for k in ("source", "target"))
    shapes = [(x.arrangement.rows, x.arrangement.cols) for x in (source, target)]
    if shapes[0] != shapes[1]:
        raise ctx.refuse("K054", node, what=f"{name}: the shapes differ: {describe(source)} and "
                         f"{describe(target)}", help="")
    ctx.converge(node, name)
    return _own(ctx, name, [found["group"], source, target], node)


def _applied(name: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of ``joint_matrix_apply``, with places or without."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, "joint_matrix_apply", ("group", "m", "function"))
        _group(ctx, found["group"], node, "joint_matrix_apply")
        m = _matrix(ctx, found["m"], node)
        return _own(ctx, name, [found["group"], m, found["function"]], node)
    return lower


form(library.joint_matrix_apply)(_applied("joint_matrix_apply"))
form(library.apply_with_coordinates)(_applied("apply_with_coordinates"))
