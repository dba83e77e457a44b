"""Statements in C: one function per node class, each marked with the user's line.

Non-goals: expressions, collectives, what surrounds the body (``kernel``). Invariant: what the IR
evaluates once is evaluated once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.backends.cfamily import collectives, foreign, memory
from unisycl.backends.cfamily.dialect import AtomicOp
from unisycl.backends.cfamily.expressions import emit, reports
from unisycl.backends.cfamily.printer import RELATION, UNARY, Printer, Text
from unisycl.backends.cfamily.printing import FAILED, HEADER, Record
from unisycl.base.dtypes import INT32, INT64, UINT8, UINT64
from unisycl.base.enums import address_space, memory_scope
from unisycl.base.errors import UnsupportedError, errc
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Struct
from unisycl.passes.clike import carried_floats, declare, structure
from unisycl.passes.clike.declare import Places
from unisycl.passes.shared import loop_steps
from unisycl.passes.simd.shapes import holds_barrier

_STEADY = (n.Const, n.ParamRead, n.Extent, n.Query, n.Binary, n.Cast, n.Narrow)


class Body:
    """Prints the statements of one body with the places of its declarations."""

    def __init__(self, p: Printer, places: Places) -> None:
        self.p = p
        self.places = places
        self.declared: set[n.Local] = set()
        self.own = {local for _, local in places.first}  # these begin where they are assigned

    def block(self, block: n.Block) -> None:
        """Print statements in order, up to one that control does not pass."""
        with self.p.left.block(block):
            self._statements(block)

    def _statements(self, block: n.Block) -> None:
        for stmt in block:
            for local in self.places.before.get(id(stmt), ()):
                self.declare(local)
            self.p.mark(stmt.span)
            write = PRINT.get(type(stmt))
            if write is None:
                raise UnsupportedError(
                    errc.kernel_not_supported, f"kernel '{self.p.kernel.name}' needs "
                    f"{type(stmt).__name__}, which this device does not do yet; use the cpu device")
            write(self, stmt)
            if isinstance(stmt, n.Break | n.Continue | n.Leave):
                return

    def declare(self, local: n.Local) -> None:
        """Declare a local without a value."""
        p = self.p
        self.declared.add(local)
        p.line(f"{p.type(local.type.dtype)} {p.names.of(local, local.name)};")

    def target(self, stmt: n.Stmt, local: n.Local) -> str:
        """Return what stands left of the ``=`` of a statement that gives a local its value."""
        name = self.p.names.of(local, local.name)
        if (id(stmt), local) not in self.places.first:
            return name
        self.declared.add(local)
        return f"{self.p.type(local.type.dtype)} {name}"

    def nested(self, head: str, block: n.Block, tail: str = "}") -> None:
        """Print a head, a block and what ends it."""
        self.p.line(f"{head} {{".lstrip())
        self.p.depth += 1
        self.block(block)
        self.p.depth -= 1
        self.p.line(tail)


def print_body(p: Printer, block: n.Block, known: frozenset[n.Local] = frozenset()) -> None:
    """Print a block with declarations of its own; locals in ``known`` are declared already."""
    body = Body(p, declare.places(block, known))
    body.declared |= known
    body.block(block)


# ---- values
def _assign(b: Body, stmt: n.Assign) -> None:
    value = emit(b.p, stmt.value).c
    lasts = (id(stmt), stmt.local) not in b.places.first  # what begins here is of this turn only
    if isinstance(stmt.value, n.Read) and {stmt.local, stmt.value.local} <= b.p.turned \
            and stmt.value.local not in b.p.computed & b.own and lasts \
            and stmt.local.type.dtype.kind in "iuf":
        value = f"{b.p.helper('hidden', stmt.local.type.dtype)}({value})"
    b.p.line(f"{b.target(stmt, stmt.local)} = {value};")


def _store(b: Body, stmt: n.Store) -> None:
    p = b.p
    value = emit(p, stmt.value)
    shared = memory.space_of(stmt.place.base) is not address_space.private_space
    if p.at_group_scope and shared:
        _lead(b, lambda: p.line(f"{memory.lvalue(p, stmt.place, emit)} = {value.c};"))
    else:
        p.line(f"{memory.lvalue(p, stmt.place, emit)} = {value.c};")


def _lead(b: Body, body: Callable[[], None]) -> None:
    """Let the first item of a group act for all, between barriers (SYCL 2020 §4.9.4.2.3)."""
    p = b.p
    p.line(p.d.group_barrier)
    p.line(f"if ({p.query('leader', 0).c}) {{")
    p.depth += 1
    body()
    p.depth -= 1
    p.line("}")
    p.line(p.d.group_barrier)


def _atomic(b: Body, stmt: n.Atomic) -> None:
    if b.p.at_group_scope and memory.space_of(stmt.place.base) is not address_space.private_space:
        _atomic_of_group(b, stmt)
        return
    text = _atomic_text(b.p, stmt)
    if stmt.result is not None and stmt.op != "store":
        text = f"{b.target(stmt, stmt.result)} = {text}"
    b.p.line(f"{text};")


def _atomic_text(p: Printer, stmt: n.Atomic) -> str:
    dtype = stmt.place.type.dtype
    dtype = UINT8 if dtype.kind == "b" else dtype
    place = memory.lvalue(p, stmt.place, emit)
    pointer = place[1:] if place.startswith("*") else f"&{place}"
    template = p.d.atomic(AtomicOp(stmt.op, dtype, memory.space_of(stmt.place.base), stmt.order,
                                   stmt.scope))
    return p.call(template, [emit(p, x) for x in stmt.operands], dtype, p=pointer).c


def _atomic_of_group(b: Body, stmt: n.Atomic) -> None:
    """Do an atomic once for a group, and tell every item the old value."""
    p = b.p
    text = _atomic_text(p, stmt)
    if stmt.result is None or stmt.op == "store":
        _lead(b, lambda: p.line(f"{text};"))
        return
    cell = p.names.fresh(f"{stmt.result.name}_cell")
    p.local_memory(p.storage(stmt.result.type.dtype), cell)
    _lead(b, lambda: p.line(f"{cell} = {text};"))
    p.line(f"{b.target(stmt, stmt.result)} = {cell};")


def _load_many(b: Body, stmt: n.LoadMany) -> None:
    """Read scalars that follow one another: through one pointer, at once where it allows that."""
    p, dtype = b.p, stmt.place.type.dtype
    anew = p.shared is not None and p.shared.has(stmt.place)
    const = "const volatile " if anew else "const "
    truth = " != 0" if dtype.kind == "b" else ""
    at = _pointer(p, stmt.place, const)
    vector = "" if anew else _vector(p, stmt.place, len(stmt.results))
    if not vector:
        for k, local in enumerate(stmt.results):
            p.line(f"{b.target(stmt, local)} = {at.format(k)}{truth};")
        return
    names = [p.names.fresh("part") for _ in stmt.results]
    whole = p.names.fresh("whole")
    p.line(f"{p.storage(dtype)} {', '.join(names)};")
    _if_aligned(p, stmt.place, at, [
        f"const {vector} {whole} = *(const {vector} *){at.removesuffix('[{}]')};",
        *(f"{x} = {whole}.{e};" for x, e in zip(names, p.d.elements, strict=False))],
        [f"{name} = {at.format(k)};" for k, name in enumerate(names)])
    for name, local in zip(names, stmt.results, strict=True):
        p.line(f"{b.target(stmt, local)} = {name}{truth};")


def _store_many(b: Body, stmt: n.StoreMany) -> None:
    """Write scalars one after another, through one pointer, at once where it allows that."""
    p = b.p
    names = []
    for x in stmt.values:
        name = p.names.fresh("part")
        p.line(f"const {p.type(x.type.dtype)} {name} = {emit(p, x).c};")
        names.append(name)
    at, vector = _pointer(p, stmt.place, ""), _vector(p, stmt.place, len(names))
    single = [f"{at.format(k)} = {name};" for k, name in enumerate(names)]

    def write() -> None:
        if vector:
            whole = p.d.vector.format(type=vector, items=", ".join(names))
            told = p.d.stores_vector.format(type=vector, at=at.removesuffix("[{}]"), x=whole)
            _if_aligned(p, stmt.place, at, [told], single)
            return
        for line in single:
            p.line(line)
    if p.at_group_scope and memory.space_of(stmt.place.base) is not address_space.private_space:
        _lead(b, write)
    else:
        write()


def _vector(p: Printer, place: n.Place, count: int) -> str:
    """Return the type of vectors that move so many scalars if their pointer allows it; or ''."""
    dtype = place.type.dtype
    known = not memory.aligned(place) or memory.alignment(place) >= place.type.size * count
    if (known or memory.space_of(place.base) is not address_space.global_space
            or count not in p.d.wide.get(dtype.name, ())):
        return ""
    return f"{p.d.vector_stems.get(dtype.name) or p.type(dtype)}{count}"


def _if_aligned(p: Printer, place: n.Place, at: str, together: list[str],
                single: list[str]) -> None:
    """Access a vector at once where the pointer is a multiple of its size, else by elements."""
    asked = p.d.asks_aligned.format(x=at.removesuffix("[{}]"), bytes=place.type.size * len(single))
    p.line(f"if ({asked}) {{")
    for line in together:
        p.line(f"    {line}")
    p.line("} else {")
    for line in single:
        p.line(f"    {line}")
    p.line("}")


def _pointer(p: Printer, place: n.Place, const: str) -> str:
    """Declare a pointer to the first of several scalars; return how the scalars are written."""
    text = memory.lvalue(p, place, emit)
    text = text[1:] if text.startswith("*") else f"&{text}"
    space = p.d.spaces[memory.space_of(place.base)]
    loose = not memory.aligned(place)
    kind = p.loose(place.type.dtype) if loose else p.storage(place.type.dtype)
    type = f"{space} {const}{kind} *".lstrip()
    name, known = p.names.fresh("at"), memory.alignment(place)
    if p.d.aligned and not loose and known > place.type.size:
        text = f"({type}){p.d.aligned.format(x=text, bytes=known)}"
    p.line(f"{type}{name} = {f'({type})' if loose else ''}{text};")
    return f"{name}[{{}}]{'.value' if loose else ''}"


def _foreign(b: Body, stmt: n.Foreign) -> None:
    """Call a function of a text; a vector that it returns is taken apart."""
    p, kind = b.p, stmt.function.result
    text = foreign.call(p, stmt)
    if isinstance(kind, Struct):
        whole = p.names.fresh("result")
        p.line(f"const {foreign.result_type(p, kind)} {whole} = {text};")
        for k, local in enumerate(stmt.results):
            p.line(f"{b.target(stmt, local)} = {whole}.{p.d.elements[k]};")
    else:
        p.line("".join(f"{b.target(stmt, x)} = " for x in stmt.results) + f"{text};")


# ---- branches and loops
def _if(b: Body, stmt: n.If) -> None:
    p = b.p
    if not p.d.closes_branches or not holds_barrier(stmt):
        _branches(b, stmt)
        return
    if not any(isinstance(s, n.Leave) and not s.number for s in visit.statements((stmt,))):
        _branches(b, stmt)
        p.line(p.d.local_barrier)
        return
    label, left = p.names.fresh("closing"), p.names.fresh("left")  # who leaves comes to it, too
    p.line(f"bool {left} = false;")
    leave, p.scopes[0] = p.scopes[0], f"{{ {left} = true; goto {label}; }}"
    _branches(b, stmt)
    p.scopes[0] = leave
    p.line(f"{label}:")
    p.line(p.d.local_barrier)
    p.line(f"if ({left}) {leave}")


def _branches(b: Body, stmt: n.If) -> None:
    head = f"if ({emit(b.p, stmt.cond).c})"
    while True:
        if not stmt.orelse:
            b.nested(head, stmt.then)
            return
        b.nested(head, stmt.then, "} else {" if not _chains(b, stmt.orelse) else "}")
        if not _chains(b, stmt.orelse):
            b.p.depth += 1
            b.block(stmt.orelse)
            b.p.depth -= 1
            b.p.line("}")
            return
        stmt = stmt.orelse[0]  # type: ignore[assignment]
        b.p.mark(stmt.span)
        head = f"else if ({emit(b.p, stmt.cond).c})"


def _chains(b: Body, block: n.Block) -> bool:
    """Say whether the other side of a branch is one branch and nothing else."""
    return len(block) == 1 and isinstance(block[0], n.If) and id(block[0]) not in b.places.before


def _while(b: Body, stmt: n.While) -> None:
    p = b.p
    if not _keep_order(p, stmt) and id(stmt) in p.left_apart:
        p.raw(p.d.rolled)
    if not stmt.pre:
        with p.left.turn(stmt):
            b.nested(f"while ({emit(p, stmt.cond).c})", stmt.body)
        return
    p.line("while (true) {")
    p.depth += 1
    with p.left.turn(stmt):
        b.block(stmt.pre)
        p.line(f"if (!{emit(p, stmt.cond).at(UNARY)}) break;")
        b.block(stmt.body)
    p.depth -= 1
    p.line("}")


def _for(b: Body, stmt: n.For) -> None:
    p = b.p
    start, stop = _number(p, stmt.start), _steady(b, stmt, stmt.stop, "stop")
    by = _steady(b, stmt, stmt.step, "step")
    type = p.type(stmt.local.type.dtype)
    if stmt.local not in b.declared and declare.counts(stmt):
        name, first = p.names.of(stmt.local, stmt.local.name), ""
        b.declared.add(stmt.local)
    else:
        name = p.names.fresh(f"{stmt.local.name}_at")
        first = f"{p.names.of(stmt.local, stmt.local.name)} = {name};"
    test, onward = _counting(b, stmt, name, stop, by)
    asked = dict(stmt.controls)
    apart = id(stmt) in p.left_apart
    unrolled = not apart and bool(p.d.unroll) and (stmt.unroll or "unroll" in asked)
    kept = _keep_order(p, stmt, unrolled=unrolled)
    if apart and not kept:
        p.raw(p.d.rolled)
    elif unrolled:
        p.raw(f"{p.d.unroll} {asked['unroll']}" if asked.get("unroll") else p.d.unroll)
    for line in filter(None, (p.d.control(control, number) for control, number in stmt.controls)):
        p.raw(line)
    p.line(f"for ({type} {name} = {start.c}; {test}; {onward}) {{")
    p.depth += 1
    if first:
        p.line(first)
    with p.left.turn(stmt):
        b.block(stmt.body)
    p.depth -= 1
    p.line("}")


def _keep_order(p: Printer, stmt: n.For | n.While, *, unrolled: bool = False) -> bool:
    """Have the compiler take turns one by one that hand floats on, where it does not by itself.

    Return whether there was need of it; the loop is not unrolled then, unless it is to be.
    """
    needed = bool(p.d.in_order) and carried_floats.carries(stmt)
    if needed:
        p.raw(p.d.in_order if unrolled else f"{p.d.in_order} {p.d.not_unrolled}")
    return needed


def _counting(b: Body, stmt: n.For, name: str, stop: Text, by: Text) -> tuple[str, str]:
    """Return the test of a loop and how it goes on; the counter never steps beyond 64 bits.

    One of 32 bits (``passes.clike.positions``) is known to step beyond neither.
    """
    p = b.p
    step = int(stmt.step.value) if isinstance(stmt.step, n.Const) else None
    down = step is not None and step < 0
    test = f"{name} {'>' if down else '<'} {stop.at(RELATION + 1)}"
    if stmt.local.type.dtype is INT32 or not loop_steps.overflows(stmt):
        if step is None:
            return test, f"{name} += {by.c}"
        return test, f"{name}++" if step == 1 else f"{name}--" if step == -1 else (
            f"{name} -= {-step}" if down else f"{name} += {step}")
    type, wide = p.type(INT64), p.type(UINT64)
    onward = f"{name} = ({type})(({wide}){name} + ({wide})({by.c}))"
    if stmt.rising:  # beyond the end of signed numbers, unsigned ones are larger than any
        end = p.names.fresh("end")
        p.line(f"const {wide} {end} = ({stop.c}) > 0 ? ({wide})({stop.c}) : 0;")
        return f"({wide}){name} < {end}", onward
    more, last = p.names.fresh("more"), p.names.fresh("last")
    most = f"{(1 << 63) - 1}{p.d.suffixes['int64']}"
    p.line(f"bool {more} = true;")
    least = f"-{most} - 1 - ({by.c})"
    p.line(f"const {type} {last} = {least if down else f'{most} - ({by.c})'};")
    return (f"{more} && {test}",
            f"{more} = {name} {'>=' if down else '<='} {last}, {onward}")


def _number(p: Printer, x: n.Expr) -> Text:
    """Return a bound of a loop; what it is compared with gives a constant its type."""
    return Text(str(x.value)) if isinstance(x, n.Const) and abs(x.value) < 1 << 31 else emit(p, x)


def _steady(b: Body, stmt: n.For, x: n.Expr, stem: str) -> Text:
    """Return the end or step of a loop, in a variable where the body might change it."""
    changed = visit.assigned(stmt.body) | {stmt.local}
    if all(isinstance(e, _STEADY) or (
            isinstance(e, n.Read) and e.local not in changed) for e in visit.walk(x)):
        return _number(b.p, x)
    name = b.p.names.fresh(stem)
    type = b.p.type(x.type.dtype)
    b.p.line(f"const {type} {name} = {emit(b.p, x).c};")
    return Text(name)


def _break(b: Body, stmt: n.Break) -> None:
    b.p.line("break;")


def _continue(b: Body, stmt: n.Continue) -> None:
    b.p.line("continue;")


# ---- functions
def _scope(b: Body, stmt: n.Scope) -> None:
    """Print the body of a function that became part of the kernel; jumps go behind it."""
    if not structure.leaves(stmt.body, stmt.number):
        b.nested("", stmt.body)
        return
    label = b.p.names.fresh(f"leave_{stmt.number}")
    b.p.scopes[stmt.number] = f"goto {label};"
    b.nested("", stmt.body)
    b.p.line(f"{label}:;")


def _leave(b: Body, stmt: n.Leave) -> None:
    b.p.line(b.p.scopes[stmt.number])


# ---- order
def _fence(b: Body, stmt: n.Fence) -> None:
    text = b.p.d.fence(stmt.order, stmt.scope)
    if text:
        b.p.line(text)


def _barrier(b: Body, stmt: n.Barrier) -> None:
    p = b.p
    if stmt.scope is memory_scope.work_group:
        p.line(p.d.group_barrier)
    else:
        p.line(p.d.sub_group_barrier.replace("{members}", collectives.members(p, stmt)))


def _group_call(b: Body, stmt: n.GroupCall) -> None:
    collectives.print_call(b.p, stmt, b.target(stmt, stmt.result))


def _work_items(b: Body, stmt: n.WorkItems) -> None:
    """Print a loop over logical work-items, with barriers at its ends (§4.9.4.2.3)."""
    p = b.p
    long = p.type(stmt.extent[0].type.dtype) if stmt.extent else p.d.types["int64"]
    if stmt.extent:
        names = [p.names.fresh(f"items_{d}") for d in range(len(stmt.extent))]
        for name, x in zip(names, stmt.extent, strict=True):
            p.line(f"const {long} {name} = {emit(p, x).c};")
    else:
        names = [f"{x}" for x in p.kernel.local]
    item = p.names.fresh("item")
    outer, p.extent, query = p.extent, tuple(names), p.query
    p.line(p.d.group_barrier)
    step = p.query("items", 0).c
    p.line(f"for ({long} {item} = {p.query('linear', 0).c}; {item} < {' * '.join(names)}; "
           f"{item} += {step}) {{")
    p.depth += 1
    p.at_group_scope = False
    ids = _unravel(p, item, names)
    p.query = lambda name, dim: ids[dim] if name == "logical_id" else query(name, dim)
    b.block(stmt.body)
    p.at_group_scope, p.query, p.extent = True, query, outer
    p.depth -= 1
    p.line("}")
    p.line(p.d.group_barrier)


def _unravel(p: Printer, item: str, names: list[str]) -> list[Text]:
    """Return the coordinates of a linear position in a box."""
    if len(names) == 1:
        return [Text(item)]
    out = []
    for d in range(len(names)):
        inner = " * ".join(names[d + 1:])
        text = item if not inner else f"{item} / ({inner})"
        out.append(Text(text if d == 0 else f"({text}) % {names[d]}", 8))
    return out


def _record(b: Body, stmt: Record) -> None:
    """Append a record to the buffer that the host reads: the site, then the cells."""
    p = b.p
    if p.at_group_scope:
        _lead(b, lambda: _append(p, stmt))
    else:
        _append(p, stmt)


def _append(p: Printer, stmt: Record) -> None:
    uint, long = p.d.types["uint32"], p.d.types["uint64"]
    buffer, _ = reports(p)
    p.sites.append(stmt.site)
    size = 1 + 2 * len(stmt.cells)
    p.line("{")
    p.depth += 1
    at = p.names.fresh("at")
    add = p.d.print_atomic.format(p=f"{buffer}", x=f"{size}u")
    p.line(f"const {uint} {at} = {add};")
    if stmt.site.kind == "check":
        p.line(f"{buffer}[{FAILED}] = 1;")
    p.line(f"if ({at} <= {buffer}[1] - {size}u) {{")
    p.depth += 1
    p.line(f"{buffer}[{HEADER} + {at}] = {len(p.sites)};")
    put = p.helper("put_cell", UINT64)
    for k, x in enumerate(stmt.cells):
        bits = emit(p, x).c
        if x.type.dtype.is_float:
            bits = p.d.bitcast.format(type=p.type(p.unsigned(x.type.dtype)), x=bits)
        p.line(f"{put}({buffer} + {at} + {HEADER + 1 + 2 * k}, ({long})({bits}));")
    for _ in range(2):
        p.depth -= 1
        p.line("}")


PRINT: dict[type[n.Stmt], Callable[[Body, Any], None]] = {
    n.Assign: _assign, n.Store: _store, n.LoadMany: _load_many, n.StoreMany: _store_many,
    n.Atomic: _atomic, n.Foreign: _foreign, n.If: _if, n.While: _while, n.For: _for,
    n.Break: _break, n.Continue: _continue, n.Scope: _scope, n.Leave: _leave, n.Fence: _fence,
    n.Barrier: _barrier, n.GroupCall: _group_call, n.WorkItems: _work_items, Record: _record,
}
