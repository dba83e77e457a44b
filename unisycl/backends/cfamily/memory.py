"""Places in memory as C lvalues: elements of views, members of records, arrays of the kernel.

Records become packed structs whose members lie where NumPy has them. Non-goals: who may touch what.
Invariant: an index is computed in 64 bits unless the kernel or ``positions`` computes it in fewer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from unisycl.backends.cfamily.names import identifier
from unisycl.backends.cfamily.printer import PRODUCT, SUM, UNARY, Printer, Text
from unisycl.base.dataclass import replace
from unisycl.base.dtypes import UINT8
from unisycl.base.enums import access_mode, address_space
from unisycl.ir import nodes as n
from unisycl.ir.constant_tables import Table
from unisycl.ir.types import Field, PointerType, Scalar, Struct, View
from unisycl.passes.clike import positions

Emit = Callable[[Printer, n.Expr], Text]


def lvalue(p: Printer, place: n.Place, emit: Emit) -> str:
    """Return a place as something that can be read, assigned and whose address can be taken."""
    base = place.base
    if isinstance(base, n.Heap):
        space = p.d.spaces[base.type.space]
        return _at(p, place, f"{space} " if space else "", f"({_distance(p, place, emit).c})")
    if isinstance(base.type, View):
        elem = base.type.elem
        name = pointer(p, base)
        if len(place.index) > 1 and base in p.kernel.pointed and shape_of(p, base):
            space = f"{p.d.spaces[base.type.space]} ".lstrip()
            element = f"(({space}{element_type(p, elem)} *){name})[{_index(p, place, emit).c}]"
        else:
            element = name + _subscript(p, place, emit)
    else:
        assert isinstance(base, n.Param)
        assert isinstance(base.type, Struct)
        element, elem = record_argument(p, base), base.type
    if isinstance(elem, Scalar):
        if elem.dtype is place.type.dtype and not place.inner and not place.offset:
            return element
    else:
        path = member(p, elem, place, emit)
        if path is not None:
            return element + path
    return _by_bytes(p, place, element, emit)


def space_of(base: n.Base) -> address_space:
    """Return the memory a place's base lies in; a record passed by value is private."""
    return base.type.space if isinstance(base.type, View) else address_space.private_space


def _by_bytes(p: Printer, place: n.Place, element: str, emit: Emit) -> str:
    """Return a place found by its distance in bytes from its element."""
    space = p.d.spaces[space_of(place.base)]
    space = f"{space} " if space else ""
    where = f"(({space}{p.d.types['uint8']} *)&{element} + {_distance(p, place, emit).c})"
    return _at(p, place, space, where)


def _at(p: Printer, place: n.Place, space: str, where: str) -> str:
    """Return what lies at an address, of a place's type."""
    if aligned(place):
        return f"*({space}{p.storage(place.type.dtype)} *){where}"
    return f"(({space}{p.loose(place.type.dtype)} *){where})->value"


def _distance(p: Printer, place: n.Place, emit: Emit) -> Text:
    """Return how many bytes a place lies behind its element, or all memory's beginning."""
    step = Text(str(place.offset))
    for x, size in place.inner:
        factor = f" * {size}" if size != 1 else ""
        step = Text(f"{step.at(SUM)} + {emit(p, x).at(PRODUCT)}{factor}", SUM)
    return step


def address(p: Printer, place: n.Place, emit: Emit) -> Text:
    """Return the address of a place as a number."""
    text = lvalue(p, replace(place, type=Scalar(UINT8)), emit)
    text = text[1:] if text.startswith("*") else f"&{text}"
    return Text(f"({p.d.types['uint64']})({text})", UNARY)


def anew(p: Printer, place: n.Place, text: str) -> str:
    """Return a place of local memory that all items share, read as it is now."""
    pointer = text[1:] if text.startswith("*") else f"&{text}"
    kind, last = (p.storage(place.type.dtype), "") if aligned(place) else (
        p.loose(place.type.dtype), "->value")
    if last and pointer.endswith(last):
        pointer = pointer.removeprefix("&").removesuffix(last)
    read = p.d.read_anew.format(pointer, type=kind)
    return f"{read}{last}" if last else f"*{read}"


def aligned(place: n.Place) -> bool:
    """Say whether a place inside an element lies at a multiple of its own size."""
    return alignment(place) % place.type.size == 0


def alignment(place: n.Place) -> int:
    """Return what the address of a place is a multiple of, whatever its indices."""
    base, steps = place.base.type, [size for _, size in place.inner]
    elem = base.elem if isinstance(base, View) else base
    if isinstance(place.base, n.Heap):
        pointer = place.inner[0][0].type
        elem, steps = pointer.elem if isinstance(pointer, PointerType) else elem, steps[1:]
    return math.gcd(alignment_of(elem), place.offset, *steps)


def alignment_of(elem: Scalar | Struct) -> int:
    """Return what the address of an element is a multiple of."""
    return elem.size if isinstance(elem, Scalar) else min(16, elem.size & -elem.size)


def _subscript(p: Printer, place: n.Place, emit: Emit) -> str:
    """Return the index of an element: one for each dimension of an array of known extents."""
    assert not isinstance(place.base, n.Heap)
    if len(place.index) > 1 and shape_of(p, place.base):
        return "".join(f"[{_plain(p, x, emit).c}]" for x in place.index)
    return f"[{_index(p, place, emit).c}]"


def shape_of(p: Printer, base: n.Param | n.Array) -> tuple[int, ...]:
    """Return the extents of memory that is an array in C; () for a pointer."""
    if isinstance(base, n.Array):
        return base.shape
    return p.local_shapes.get(base.index, ())


def small(p: Printer, base: n.Param | n.Array) -> bool:
    """Say whether the extents and pitches of a view are ints."""
    return p.small and positions.bounded(base)


def _size_type(p: Printer, base: n.Param | n.Array) -> str:
    return p.d.types["int32" if small(p, base) else "int64"]


def _index(p: Printer, place: n.Place, emit: Emit) -> Text:
    """Return the position of an element, row-major with run-time pitches."""
    total: Text | None = None
    assert not isinstance(place.base, n.Heap)
    for d, x in enumerate(place.index):
        width = pitch(p, place.base, d)
        alone = len(place.index) == 1 and width is None
        step = _plain(p, x, emit) if alone else emit(p, x)
        if width is not None:
            step = Text(f"{step.at(PRODUCT)} * {width.at(UNARY)}", PRODUCT)
        total = step if total is None else Text(f"{total.at(SUM)} + {step.at(PRODUCT)}", SUM)
    return total if total is not None else Text("0")


def _plain(p: Printer, x: n.Expr, emit: Emit) -> Text:
    """Return an index that stands alone, so that its type does not matter."""
    if isinstance(x, n.Const):
        return Text(str(x.value))
    if isinstance(x, n.Cast) and x.type.dtype.bits == 64 and x.x.type.dtype.is_integer:
        return emit(p, x.x)
    return emit(p, x)


# ---------------------------------------------------------------- views
def pointer(p: Printer, base: n.Param | n.Array) -> str:
    """Return the name of a view's first element's address."""
    if isinstance(base, Table):
        return _table(p, base)
    if isinstance(base, n.Array):
        return p.names.of(base, base.name)
    kind = base.type
    assert isinstance(kind, View)
    local = kind.space is address_space.local_space
    fixed = kind.mode is access_mode.read or base.index in p.constant
    const = "const " if fixed and not local else ""
    space = p.d.spaces[kind.space]
    type = f"{space} {const}{element_type(p, kind.elem)} *".lstrip()
    if local:
        shape = p.local_shapes.get(base.index)
        if shape is not None:
            return _fixed(p, base, element_type(p, kind.elem), shape)
        if p.d.dynamic:
            return _dynamic(p, base, type)
        return p.argument("local", type, base.name, base.index)
    if p.d.distinct and base.index in p.distinct:
        type += p.d.distinct
    name = p.argument("view", type, base.name, base.index)
    if p.d.offsets:
        p.argument("offset", p.d.types["int64"], f"{name}_at", base.index)
    return name


def _table(p: Printer, table: Table) -> str:
    """Return the name of a constant in memory, declaring it on first use."""
    elem = table.type.elem
    assert isinstance(elem, Scalar)
    numbers = ", ".join(p.literal(x, elem.dtype) if math.isfinite(x) else _no_number(p, x)
                        for x in table.values)
    type = f"{p.d.memories[table.type.space]} {element_type(p, elem)}".lstrip()
    return p.table(type, f"{extents(table.shape)} = {{{numbers}}};")


def _no_number(p: Printer, x: float) -> str:
    """Return infinity or NaN as an initialiser."""
    return f"{'-' * (x < 0)}{p.d.initialisers['nan' if math.isnan(x) else 'inf']}"


def _fixed(p: Printer, base: n.Param, type: str, shape: tuple[int, ...]) -> str:
    """Return the name of local memory of known size, declaring it on first use."""
    name = p.names.of(base, base.name)
    p.local_memory(type, name, extents(shape))
    return name


def _dynamic(p: Printer, base: n.Param, type: str) -> str:
    """Return the name of local memory that a launch lays out: an argument says where it begins."""
    at = p.argument("local", f"const {p.d.types['uint32']}", f"{base.name}_at", base.index)
    name = p.names.of(base, base.name)
    _laid_out(p, f"{type}{name} = ({type})({{whole}} + {at});")
    return name


def _laid_out(p: Printer, line: str) -> None:
    """Declare something in ``{whole}``, the local memory that a launch lays out."""
    whole = p.names.of("local memory", "local_memory")
    lines = p.d.dynamic.format(name=whole), line.format(whole=whole)
    p.top += [text for text in lines if text not in p.top]


def declare_local(p: Printer, arrays: Sequence[n.Array]) -> int:
    """Declare the arrays that a work-group shares.

    Return how much of the local memory that a launch lays out they take: where a kernel may declare
    less than they are, all.
    """
    shared = [a for a in arrays if a.type.space is address_space.local_space]
    at, too_large = 0, 0 < p.d.most_local < sum(a.nbytes for a in shared)
    for array in shared:
        name, elem = p.names.of(array, array.name), element_type(p, array.type.elem)
        if not too_large:
            p.local_memory(elem, name, extents(array.shape))
            continue
        rows = extents(array.shape[1:]) if len(array.shape) > 1 else ""
        pointer = f"(*{name}){rows}" if rows else f"*{name}"
        _laid_out(p, f"{elem} {pointer} = ({elem} (*){rows})({{whole}} + {at});")
        at = -(-(at + array.nbytes) // 16) * 16
    return at


def extents(shape: tuple[int, ...]) -> str:
    """Return the extents of an array as its declaration has them; none is empty in C."""
    return "".join(f"[{max(1, x)}]" for x in shape) or "[1]"


def extent(p: Printer, base: n.Param | n.Array, dim: int) -> Text:
    """Return how many elements a view has in a dimension."""
    if isinstance(base, n.Array):
        return Text(f"{base.shape[dim]}")
    if base.index in p.local_shapes:
        return Text(f"{p.local_shapes[base.index][dim]}")
    name = pointer(p, base)
    kind = "small extent" if small(p, base) else "extent"
    return Text(p.argument(kind, _size_type(p, base), f"{name}_n{dim}", base.index, dim))


def pitch(p: Printer, base: n.Param | n.Array, dim: int) -> Text | None:
    """Return how many elements a step in a dimension spans; None for the last one, where 1."""
    assert isinstance(base.type, View)
    last = base.type.ndim - 1
    if dim == last and not base.type.spread:
        return None
    if isinstance(base, n.Array):
        return Text(str(math.prod(base.shape[dim + 1:])))
    if base.type.space is not address_space.local_space:
        if base.index in p.same:
            base = next(x for x in p.kernel.params if x.index == p.same[base.index])
        name = pointer(p, base)
        kind = "small pitch" if small(p, base) else "pitch"
        return Text(p.argument(kind, _size_type(p, base), f"{name}_step{dim}", base.index, dim))
    width = extent(p, base, last)
    for d in range(dim + 1, last):
        width = Text(f"{width.at(PRODUCT)} * {extent(p, base, d).at(UNARY)}", PRODUCT)
    return width


def declare_array(p: Printer, array: n.Array) -> str:
    """Return the declaration of an array of the kernel's own."""
    space = p.d.memories[array.type.space]
    name = p.names.of(array, array.name)
    return f"{space} {element_type(p, array.type.elem)} {name}{extents(array.shape)};".lstrip()


# ---------------------------------------------------------------- records
def element_type(p: Printer, elem: Scalar | Struct) -> str:
    """Return the C type of an element in memory, declaring a record's struct if need be."""
    return p.storage(elem.dtype) if isinstance(elem, Scalar) else record_type(p, elem)


def record_argument(p: Printer, param: n.Param) -> str:
    """Return the name of a record passed by value."""
    assert isinstance(param.type, Struct)
    kind = record_type(p, param.type, p.d.given_align)
    return p.argument("record", f"const {kind}", param.name, param.index)


def record_type(p: Printer, struct: Struct, most: int = 16) -> str:
    """Return the name of a struct, declaring it and those inside it on first use.

    ``most``: what it is aligned to at most; a struct of less is a type of its own.
    """
    align = alignment_of(struct)
    key = struct if align <= most else (struct, most)
    known = p.names.of(key, f"{p.kernel.name}_{'record' if key is struct else 'given'}")
    if key in p.records:
        return known
    lines, at, spare, byte = [], 0, 0, p.d.types["uint8"]
    for field in sorted(struct.fields, key=lambda f: f.offset):
        if field.offset > at:
            lines.append(f"    {byte} gap{spare}[{field.offset - at}];")
            spare += 1
        lines.append(f"    {_field(p, field)};")
        at = field.offset + field.type.size * math.prod(field.shape)
    if at < struct.size:
        lines.append(f"    {byte} gap{spare}[{struct.size - at}];")
    packed = p.d.packed.format(align=min(align, most))
    body = "\n".join(lines)
    p.records[key] = f"typedef struct {packed} {{\n{body}\n}} {known};"
    return known


def _field(p: Printer, field: Field) -> str:
    """Return the declaration of a member; those of types no target has are their bytes."""
    shape = f"[{math.prod(field.shape)}]" if field.shape else ""
    if isinstance(field.type, Scalar) and field.type.dtype.made:
        return f"{p.d.types['uint8']} {field_name(p, field)}{shape}[{field.type.size}]"
    return f"{element_type(p, field.type)} {field_name(p, field)}{shape}"


def field_name(p: Printer, field: Field) -> str:
    """Return the C name of a member; none of a record's members have the same one."""
    name = identifier(field.name)
    if name != field.name:
        return f"{name}_{field.offset}_"
    taken = name.startswith("gap") or name.endswith("_") or p.names.reserves(name)
    return f"{name}_" if taken else name


def member(p: Printer, struct: Struct, place: n.Place, emit: Emit) -> str | None:
    """Return the path ``.a[i].b`` to a member; None if the offset is not that of one."""
    offset, inner, path = place.offset, list(place.inner), ""
    kind: Scalar | Struct = struct
    while isinstance(kind, Struct):
        field = _field_at(kind, offset)
        if field is None:
            return None
        offset -= field.offset
        path += f".{field_name(p, field)}"
        kind = field.type
        if field.shape:
            step, offset = divmod(offset, kind.size)
            at = Text(str(step)) if step else None
            for _ in field.shape:
                if not inner:
                    break
                x, size = inner[0]
                if size % kind.size:
                    return None
                inner.pop(0)
                one = emit(p, x)
                if size != kind.size:
                    one = Text(f"{one.at(PRODUCT)} * {size // kind.size}", PRODUCT)
                at = one if at is None else Text(f"{at.at(SUM)} + {one.at(PRODUCT)}", SUM)
            path += f"[{at.c if at is not None else 0}]"
    if inner or offset or kind.dtype is not place.type.dtype:
        return None
    return path


def _field_at(struct: Struct, offset: int) -> Field | None:
    return next((f for f in struct.fields
                 if f.offset <= offset < f.offset + f.type.size * math.prod(f.shape)), None)

