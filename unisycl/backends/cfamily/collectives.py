"""Group functions: the dialect's own where it has them, else through local memory.

Non-goals: making all items of a group meet (the user's business). Invariant: an emulated function
begins and ends with its scratch memory free for the next one, and with a barrier of all memory.
"""

from __future__ import annotations

import math

from unisycl.backends.cfamily.expressions import binary, call_builtin, convert, emit
from unisycl.backends.cfamily.printer import (
    EQUAL,
    PRIMARY,
    SUM,
    TERNARY,
    UNARY,
    Printer,
    Text,
)
from unisycl.base.dtypes import BOOL, UINT32, DType
from unisycl.base.enums import memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import operators
from unisycl.ir.builtins import BUILTINS

_VOTES = {"any": "logical_or", "none": "logical_or", "all": "logical_and"}
_COMBINED = frozenset(("reduce", "inclusive_scan", "exclusive_scan"))
_MOVES = frozenset(("broadcast", "shift_left", "shift_right", "permute_xor", "select", "ballot",
                    "match"))


def print_call(p: Printer, stmt: n.GroupCall, target: str) -> None:
    """Print a group function; ``target`` stands left of the ``=``."""
    dtype = stmt.args[0].type.dtype
    p.members = members(p, stmt)
    values = [emit(p, x) for x in stmt.args]
    if stmt.combine.startswith("logical"):  # a single operand, too, counts as its truth
        values = [convert(p, convert(p, v, dtype, BOOL), BOOL, dtype) for v in values]
    alone = stmt.scope is memory_scope.sub_group and not p.d.sub_groups
    if alone:
        p.line(f"{target} = {_of_one(p, stmt, values).c};")
        return
    template = p.d.collective(stmt.scope, stmt.op, stmt.combine, dtype)
    if template is not None:
        p.line(f"{target} = {_native(p, stmt, template, values).c};")
    elif stmt.op == "match":
        _matched(p, stmt, target, values[0])
    elif stmt.scope is memory_scope.sub_group:
        _by_shuffles(p, stmt, target, values)
    elif p.d.warp and stmt.op in _COMBINED and p.kernel.index_kind == "nd_range":
        _by_sub_groups(p, stmt, target, values)
    else:
        _in_memory(p, stmt, target, values)


def members(p: Printer, stmt: n.GroupCall | n.Barrier) -> str:
    """Return who of a sub-group takes part in a statement, as the dialect says it."""
    if stmt.scope is not memory_scope.sub_group or p.d.members is None:
        return ""
    template = p.d.members(math.prod(p.kernel.local), id(stmt) in p.parted)
    return p.call(template, [], UINT32).c


def joined(p: Printer, name: str, a: Text, b: Text, dtype: DType) -> Text:
    """Return two values joined by one of SYCL's function objects."""
    if operators.OPERATORS[name].op:
        return binary(p, operators.OPERATORS[name].op, a, b, dtype)
    if name in ("minimum", "maximum"):
        if dtype.kind == "b":
            return binary(p, "and" if name == "minimum" else "or", a, b, BOOL)
        return call_builtin(p, BUILTINS[name[:3]], dtype, [(a, dtype), (b, dtype)], dtype)
    word = "&" if name == "logical_and" else "|"  # no branch: some compilers choke on many
    left, right = (convert(p, t, dtype, BOOL).at(UNARY) for t in (a, b))
    return convert(p, Text(f"({left} {word} {right}) != 0", EQUAL), BOOL, dtype)


def identity(p: Printer, name: str, dtype: DType) -> Text:
    """Return the value that changes nothing when combined (SYCL 2020 §4.17.2.1)."""
    known = operators.identity(name, dtype)
    value = operators.neutral(name, dtype) if known is None else known
    return Text(p.literal(value, dtype), TERNARY)


def _of_one(p: Printer, stmt: n.GroupCall, values: list[Text]) -> Text:
    """Return what a sub-group of one item gives: its own value."""
    x = values[0]
    dtype = stmt.args[0].type.dtype
    if stmt.op == "none":
        return Text(f"!{x.at(UNARY)}", UNARY)
    if stmt.op == "ballot":
        return convert(p, x, dtype, stmt.result.type.dtype)
    if stmt.op == "match":
        return Text(p.literal(1, stmt.result.type.dtype), PRIMARY)
    if stmt.op == "exclusive_scan":
        return values[1] if len(values) > 1 else identity(p, stmt.combine, dtype)
    if stmt.op in ("reduce", "inclusive_scan") and len(values) > 1:
        return joined(p, stmt.combine, values[1], x, dtype)
    return x


def _native(p: Printer, stmt: n.GroupCall, template: str, values: list[Text]) -> Text:
    """Return the dialect's own function, with the initial value joined to its result."""
    dtype = stmt.args[0].type.dtype
    if stmt.op in _MOVES:
        return p.call(template, values, dtype)
    result = p.call(template, values[:1], dtype)
    if len(values) > 1:
        result = joined(p, stmt.combine, values[1], result, dtype)
    return result


def _by_shuffles(p: Printer, stmt: n.GroupCall, target: str, values: list[Text]) -> None:
    """Combine the items of a sub-group in doubling steps; each reads one before it."""
    dtype = stmt.args[0].type.dtype
    me, size = (p.query(f"sub_group_local_{x}", 0).at(SUM) for x in ("id", "range"))
    total = _doubling(p, stmt, values[0], me, size)
    if stmt.op == "reduce":
        p.line(f"{total} = {_moved(p, 'broadcast', total, f'{size} - 1', dtype)};")
    if stmt.op == "exclusive_scan":
        start = identity(p, stmt.combine, dtype).at(TERNARY + 1)
        p.line(f"{total} = {_moved(p, 'shift_right', total, '1', dtype)};")
        p.line(f"if ({me} == 0) {total} = {start};")
    result = Text(total)
    if len(values) > 1:
        result = joined(p, stmt.combine, values[1], result, dtype)
        if stmt.op == "exclusive_scan":
            result = Text(f"{me} == 0 ? {values[1].at(TERNARY + 1)} : {result.at(TERNARY + 1)}",
                          TERNARY)
    p.line(f"{target} = {result.c};")


def _matched(p: Printer, stmt: n.GroupCall, target: str, value: Text) -> None:
    """Print a loop over the values of a sub-group: each turn all that have one find each other."""
    dtype, bits = stmt.args[0].type.dtype, p.type(stmt.result.type.dtype)
    template = p.d.collective(memory_scope.sub_group, "ballot", "", BOOL)
    assert template is not None
    own, other, left, same, found = (
        p.names.fresh(w) for w in ("own", "other", "left", "same", "found"))
    p.line(f"const {p.type(dtype)} {own} = {value.c};")
    p.line(f"{bits} {found} = 0;")
    every = p.call(template, [Text(p.literal(True, BOOL))], BOOL).c
    p.line(f"for ({bits} {left} = {every}; {left} != 0;) {{")
    p.depth += 1
    word = stmt.result.type.dtype
    zeros = call_builtin(p, BUILTINS["clz"], word, [(Text(left, PRIMARY), word)], word)
    last = f"63 - (int){zeros.at(UNARY)}"
    p.line(f"const {p.type(dtype)} {other} = {_moved(p, 'select', own, last, dtype)};")
    alike = p.call(template, [Text(f"{own} == {other}", EQUAL)], BOOL).c
    p.line(f"const {bits} {same} = {alike};")
    p.line(f"if ({own} == {other}) {found} = {same};")
    p.line(f"{left} &= ~{same};")
    p.depth -= 1
    p.line("}")
    p.line(f"{target} = {found};")


def _doubling(p: Printer, stmt: n.GroupCall, value: Text, me: str, size: str) -> str:
    """Print an inclusive scan of a sub-group; return the name of each item's result."""
    dtype = stmt.args[0].type.dtype
    type = p.type(dtype)
    total, other, step = (p.names.fresh(w) for w in ("total", "other", "stride"))
    p.line(f"{type} {total} = {value.c};")
    p.line(f"for ({p.d.types['int32']} {step} = 1; {step} < {size}; {step} <<= 1) {{")
    p.depth += 1
    p.line(f"const {type} {other} = {_moved(p, 'shift_right', total, step, dtype)};")
    both = joined(p, stmt.combine, Text(other), Text(total), dtype)
    p.line(f"if ({me} >= {step}) {total} = {both.c};")
    p.depth -= 1
    p.line("}")
    return total


def _folding(p: Printer, stmt: n.GroupCall, value: Text, size: int) -> str:
    """Print a reduction of a whole sub-group; return the name of what its first item has then.

    Each step joins an item with the one across: no item asks whether it takes part.
    """
    dtype = stmt.args[0].type.dtype
    type = p.type(dtype)
    total, other, step = (p.names.fresh(w) for w in ("total", "other", "stride"))
    p.line(f"{type} {total} = {value.c};")
    p.line(f"for ({p.d.types['int32']} {step} = {size // 2}; {step} > 0; {step} >>= 1) {{")
    p.depth += 1
    p.line(f"const {type} {other} = {_moved(p, 'permute_xor', total, step, dtype)};")
    p.line(f"{total} = {joined(p, stmt.combine, Text(total), Text(other), dtype).c};")
    p.depth -= 1
    p.line("}")
    return total


def _by_sub_groups(p: Printer, stmt: n.GroupCall, target: str, values: list[Text]) -> None:
    """Combine each sub-group by shuffles, then their totals, in order, through local memory."""
    dtype, size = stmt.args[0].type.dtype, p.d.warp
    assert p.d.members is not None
    count, me = math.prod(p.kernel.local), p.query("linear", 0).c
    p.members = p.call(p.d.members(count, False), [], UINT32).c
    template = p.d.collective(memory_scope.sub_group, stmt.op, stmt.combine, dtype)
    teller = f"{me} % {size} == {size - 1} || {me} == {count - 1}"
    if template is not None:
        total = p.names.fresh("total")
        p.line(f"{p.type(dtype)} {total} = {p.call(template, values[:1], dtype).c};")
    elif stmt.op == "reduce" and count % size == 0:
        total, teller = _folding(p, stmt, values[0], size), f"{me} % {size} == 0"
    else:
        total = _doubling(p, stmt, values[0], f"{me} % {size}", str(size))
    shared = scratch(p, dtype, -(-count // size))
    p.line(f"if ({teller}) {shared}[{me} / {size}] = {total};")
    p.line(p.d.local_barrier)
    init = values[1] if len(values) > 1 else None
    before = _before(p, stmt, shared, -(-count // size),
                     "" if stmt.op == "reduce" else f"{me} / {size}")
    result = Text(before) if stmt.op == "reduce" else _behind(p, stmt, before, total, me, init)
    if init is not None and stmt.op != "exclusive_scan":
        result = joined(p, stmt.combine, init, result, dtype)
    p.line(f"{target} = {result.c};")
    p.line(p.d.group_barrier)


def _before(p: Printer, stmt: n.GroupCall, shared: str, count: int, stop: str) -> str:
    """Combine the totals of sub-groups, of one at least; return the name of the result.

    ``count``: how many there are; ``stop``: at which the item stops, '' if at none. All of them are
    read, by a loop whose length is known, so that no read waits for another one.
    """
    dtype = stmt.args[0].type.dtype
    before, at = p.names.fresh("before"), p.names.fresh("sub_group")
    p.line(f"{p.type(dtype)} {before} = {_element(shared, '0', dtype)};")
    both = joined(p, stmt.combine, Text(before), _at(shared, at, dtype), dtype)
    last = count if not stop else count - 1
    if last > 1:
        p.line(f"for (int {at} = 1; {at} < {last}; {at}++) "
               + (f"if ({at} < {stop}) " if stop else "") + f"{before} = {both.c};")
    return before


def _behind(p: Printer, stmt: n.GroupCall, before: str, total: str, me: str,
            init: Text | None) -> Text:
    """Return an item's part of a scan, given that of its sub-group and of those before it."""
    dtype, size = stmt.args[0].type.dtype, p.d.warp
    both = joined(p, stmt.combine, Text(before), Text(total), dtype)
    if stmt.op == "inclusive_scan":
        p.line(f"if ({me} >= {size}) {total} = {both.c};")
        return Text(total)
    p.line(f"{total} = {_moved(p, 'shift_right', total, '1', dtype)};")
    p.line(f"if ({me} >= {size}) {total} = {me} % {size} == 0 ? {before} : "
           f"{both.at(TERNARY + 1)};")
    start = identity(p, stmt.combine, dtype)
    rest = Text(total)
    if init is not None:
        start, rest = init, joined(p, stmt.combine, init, rest, dtype)
    return Text(f"{me} == 0 ? {start.at(TERNARY + 1)} : {rest.at(TERNARY + 1)}", TERNARY)


def _moved(p: Printer, op: str, value: str, by: str, dtype: DType) -> str:
    """Return another item's value through the dialect's own function."""
    template = p.d.collective(memory_scope.sub_group, op, "", dtype)
    assert template is not None
    return p.call(template, [Text(value), Text(by)], dtype).c


# ---------------------------------------------------------------- through local memory
def scratch(p: Printer, dtype: DType, count: int) -> str:
    """Return the name of local memory for one element of each item of the group."""
    key = f"scratch {dtype.name} {count}"
    known = p.names.of(key, f"shared_{dtype.name}")
    p.local_memory(p.storage(dtype), known, f"[{count}]")
    return known


def _in_memory(p: Printer, stmt: n.GroupCall, target: str, values: list[Text]) -> None:
    """Print a group function through local memory, between barriers."""
    dtype = stmt.args[0].type.dtype
    count = math.prod(p.kernel.local)
    doubled = stmt.op.endswith("scan") and not p.d.serial_groups
    shared = scratch(p, dtype, count * (1 + doubled))
    me = p.query("linear", 0).c
    p.line(f"{shared}[{me}] = {values[0].c};")
    p.line(p.d.group_barrier if p.d.serial_groups else p.d.local_barrier)
    if stmt.op == "broadcast":
        p.line(f"{target} = {_shared(p, shared, values[1].c, dtype)};")
        p.line(p.d.group_barrier)
        return
    combine = _VOTES.get(stmt.op, stmt.combine)
    if stmt.op.endswith("scan"):
        _scan(p, stmt, target, shared, combine, values)
        return
    tree(p, shared, me, count, combine, dtype)
    total = Text(_shared(p, shared, "0", dtype), UNARY if dtype.kind != "b" else TERNARY)
    if stmt.op == "none":
        total = Text(f"!({total.c})", UNARY)
    elif len(values) > 1:
        total = joined(p, combine, values[1], total, dtype)
    p.line(f"{target} = {total.c};")
    p.line(p.d.group_barrier)


def _shared(p: Printer, shared: str, index: str, dtype: DType) -> str:
    """Return the element that all items read."""
    if p.d.read_anew:
        shared = p.d.read_anew.format(shared, type=p.storage(dtype))
    return _element(shared, index, dtype)


def _element(shared: str, index: str, dtype: DType) -> str:
    return f"{shared}[{index}]" + (" != 0" if dtype.kind == "b" else "")


def _at(shared: str, index: str, dtype: DType) -> Text:
    return Text(_element(shared, index, dtype), EQUAL if dtype.kind == "b" else PRIMARY)


def tree(p: Printer, shared: str, me: str, count: int, combine: str, dtype: DType) -> None:
    """Combine the elements of a group into the first one, by fours; ends with a barrier."""
    if count == 1:
        return
    at = p.names.fresh("stride")
    if p.d.serial_groups:
        p.line(f"if ({me} == 0) {{")
        p.line(f"    {p.d.rolled}")
        p.line(f"    for (int {at} = 1; {at} < {count}; {at}++)")
        both = joined(p, combine, _at(shared, "0", dtype), _at(shared, at, dtype), dtype)
        p.line(f"        {shared}[0] = {both.c};")
        p.line("}")
        p.line(p.d.group_barrier)
        return
    other = p.names.fresh("other")
    p.line(by_fours(at, count))
    p.depth += 1
    p.line(f"if ({me} < {at})")
    p.line(f"    {others(other, me, at, count)}")
    both = joined(p, combine, _at(shared, me, dtype), _at(shared, other, dtype), dtype)
    p.line(f"        {shared}[{me}] = {both.c};")
    p.line(p.d.local_barrier)
    p.depth -= 1
    p.line("}")


def by_fours(step: str, count: int) -> str:
    """Return the head of a loop whose rounds each leave a quarter of a group's elements."""
    first = 1
    while 4 * first < count:
        first *= 4
    return f"for (int {step} = {first}; {step} > 0; {step} >>= 2) {{"


def others(other: str, me: str, step: str, count: int) -> str:
    """Return the head of the loop over what an item combines with its own element in a round."""
    bound = "" if count == 1 << 2 * ((count - 1).bit_length() // 2) else f" && {other} < {count}"
    return (f"for (int {other} = {me} + {step}; {other} < {step} * 4{bound}; {other} += {step})")


def _scan(p: Printer, stmt: n.GroupCall, target: str, shared: str, combine: str,
          values: list[Text]) -> None:
    """Print a scan: one item in order, or doubling steps of all between two halves of memory."""
    dtype = stmt.args[0].type.dtype
    type, count, me = p.type(dtype), math.prod(p.kernel.local), p.query("linear", 0).c
    at, first = p.names.fresh("stride"), ""
    if p.d.serial_groups:
        p.line(f"if ({me} == 0) {{")
        p.line(f"    {p.d.rolled}")
        p.line(f"    for (int {at} = 1; {at} < {count}; {at}++)")
        both = joined(p, combine, _at(shared, f"{at} - 1", dtype), _at(shared, at, dtype), dtype)
        p.line(f"        {shared}[{at}] = {both.c};")
        p.line("}")
        p.line(p.d.group_barrier)
    else:
        running, half = p.names.fresh("running"), p.names.fresh("half")
        p.line(f"{type} {running} = {_element(shared, me, dtype)};")
        p.line(f"int {half} = 0;")
        p.line(f"for (int {at} = 1; {at} < {count}; {at} <<= 1) {{")
        p.depth += 1
        both = joined(p, combine, _at(shared, f"{half} + {me} - {at}", dtype), Text(running), dtype)
        p.line(f"if ({me} >= {at}) {running} = {both.c};")
        p.line(f"{half} = {count} - {half};")
        p.line(f"{shared}[{half} + {me}] = {running};")
        p.line(p.d.local_barrier)
        p.depth -= 1
        p.line("}")
        first = f"{half} + "
    init = values[1] if len(values) > 1 else None
    if stmt.op == "inclusive_scan":
        own = _at(shared, f"{first}{me}", dtype)
        result = own if init is None else joined(p, combine, init, own, dtype)
    else:
        own = _at(shared, f"{first}{me} - 1", dtype)
        rest = own if init is None else joined(p, combine, init, own, dtype)
        start = init if init is not None else identity(p, combine, dtype)
        result = Text(f"{me} == 0 ? {start.at(TERNARY + 1)} : {rest.at(TERNARY + 1)}", TERNARY)
    p.line(f"{target} = {result.c};")
    p.line(p.d.group_barrier)
