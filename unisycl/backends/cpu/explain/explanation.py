"""``python -m unisycl explain``: what was vectorised, what became a gather and why, and versions.

It goes the way of ``making.text_of`` up to the bodies that are emitted, and says what they are.
Non-goals: code and times. Invariant: what is said is read off the bodies themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.backends.base import Geometry
from unisycl.backends.cpu.compile import options
from unisycl.backends.cpu.compile.plain import plain
from unisycl.backends.cpu.emit import entry
from unisycl.backends.cpu.explain.accesses import Access, accesses
from unisycl.backends.cpu.explain.said import outer, said, source
from unisycl.backends.cpu.making import Prepared, prepared
from unisycl.backends.cpu.variants import Key
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import flat_rows
from unisycl.passes.simd.shapes import Shapes

_MOST_TESTS = 8


def explain(kernel: n.Kernel, key: Key, geometry: Geometry) -> str:
    """Return what became of a kernel for the launches of a key, for people."""
    bits = options.of(kernel).machine.vector_bits
    ready = prepared(kernel, key._replace(most=0) if key.flat else key)
    made = entry.bodies(ready.kernel, ready.lanes, bits, stream=key.stream, lines=key.lines,
                        ids_below=ready.ids_below, units=key.units, flat=key.flat)
    body, shapes = (made.kernel.body, made.shapes) if made.inner is None else \
        (made.inner.body, made.inner.shapes)
    where = f", {kernel.span.place()}" if kernel.span is not None else ""
    lines = [f"kernel {kernel.name} over {_space(geometry)}{where}", *_lanes(kernel, ready, bits),
             *_one_row(kernel, key)]
    lines += ["", "versions", *(f"  {line}" for line in _versions(made, ready.lanes, key))]
    if ready.lanes > 1:
        found = accesses(body, shapes)
        lines += ["", "memory", *_memory(found)]
        lines += _branches(body, shapes)
        lines += _helps(found)
    return "\n".join(lines)


def _space(geometry: Geometry) -> str:
    word = {"nd_range": "nd_range", "single": "one work-item", "work_group": "work-groups"}.get(
        geometry.kind, "range")
    local = f" in groups of {geometry.local}" if geometry.local else ""
    return word if geometry.kind == "single" else f"{word} {geometry.global_}{local}"


def _lanes(kernel: n.Kernel, ready: Prepared, bits: int) -> Iterator[str]:
    if ready.lanes > 1:
        yield f"  {ready.lanes} work-items run side by side, in vectors of {bits} bits"
    elif kernel.index_kind == "single":
        yield "  one work-item, one after another: a single_task has no others beside it"
    else:
        yield ("  work-items run one after another: side by side they would read scattered memory "
               "in loops of different lengths;")
        yield "  @sycl.kernel(reqd_sub_group_size=16) asks for vectors all the same"


def _one_row(kernel: n.Kernel, key: Key) -> Iterator[str]:
    """Yield when short rows run as one."""
    tests = flat_rows.conditions(plain(kernel), key.flat) if key.flat else None
    if tests is not None:
        when = " and ".join(outer(said(x)) for x in tests)
        yield (f"  rows are short: the last {key.flat} dimensions run as one"
               + (f" where {when}, else each row by itself" if when else ""))


# ---- versions
def _versions(made: entry.Bodies, lanes: int, key: Key) -> Iterator[str]:
    number = 1
    if made.together is not None:
        yield (f"{number}. {made.together.together.rows} rows of the range at once, which share "
               "vectors that they all read")
        number += 1
    if made.inner is not None:
        yield f"{number}. vectors whose guards are settled, without masks, where"
        yield from _tests(made, lanes)
        number += 1
    edge = "the last vector of a row and " if key.edge and made.inner is None else ""
    rest = "all other vectors, under masks" if made.inner is not None else (
        f"every vector; {edge}what guards leave out is masked" if key.edge else "every vector")
    yield f"{number}. {rest}"
    if any(x.name == "kept" for x in visit.assigned(made.kernel.body)):
        yield "loops that add to memory keep the element in a register where arrays do not overlap"
    if made.stream is not None:
        yield (f"{made.stream.param.name} is written past the caches: it is larger than they are "
               "and never read")
    elif made.lined is not None:
        yield (f"vectors of a row begin where lines of {made.lined.base.name} do, "
               "but for the first one")


def _tests(made: entry.Bodies, lanes: int) -> Iterator[str]:
    """Yield what has to hold for the first lane of a vector."""
    assert made.inner is not None
    given = {s.local: s.value for s in made.inner.interior.lead}
    every = list(_parts(made.inner.interior.holds))
    for test in every[:_MOST_TESTS]:
        yield f"     {outer(said(test, given))}"
    if len(every) > _MOST_TESTS:
        yield f"     and {len(every) - _MOST_TESTS} more"
    yield f"   (ids are those of a vector's first lane, of {lanes})"


def _parts(x: n.Expr) -> Iterator[n.Expr]:
    if isinstance(x, n.Binary) and x.op == "and":
        yield from _parts(x.a)
        yield from _parts(x.b)
    else:
        yield x


# ---- lines
def _memory(found: list[Access]) -> Iterator[str]:
    """Yield each access once, in the order of lines."""
    told: dict[tuple[int, str, str], Access] = {}
    for access in found:
        told.setdefault((access.line, access.what, access.how), access)
    for (line, what, how), access in sorted(told.items(), key=lambda item: item[0][:2]):
        yield f"  line {line}: {what}: {how}" if line else f"  {what}: {how}"
        if access.why:
            yield f"      because {access.why}"


def _branches(body: n.Block, shapes: Shapes) -> list[str]:
    """Return the branches and loops that lanes do not take alike."""
    told: dict[str, None] = {}
    for stmt in visit.statements(body):
        if id(stmt) in shapes.divergent and isinstance(stmt, n.If):
            told[f"  {_at(stmt.span)}: lanes take different sides: both run, under masks"] = None
        elif id(stmt) in shapes.divergent and isinstance(stmt, n.For | n.While):
            told[f"  {_at(stmt.span)}: lanes take different numbers of turns: who has finished "
                 "waits for the others"] = None
    return ["", "branches", *told] if told else []


def _at(span: Span | None) -> str:
    if span is None:
        return "a branch"
    text = source(span) or span.file.line(span.line).strip()
    return f"line {span.line}: {text}"


def _helps(found: list[Access]) -> list[str]:
    """Return what to change, each once with its lines."""
    told: dict[str, dict[int, None]] = {}
    for access in found:
        if access.help and access.line:
            told.setdefault(access.help, {})[access.line] = None
    if not told:
        return []
    return ["", "what would help", *(
        f"  line{'s' * (len(lines) > 1)} {', '.join(map(str, sorted(lines)))}: {text}"
        for text, lines in told.items())]
