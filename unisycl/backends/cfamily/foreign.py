"""Functions that come as text: their texts in front of a kernel, and calls of them.

Non-goals: reading the texts. Invariants: each text stands once, behind our own helper functions, so
that its macros mean nothing to them; no name of ours in the kernel is a word of a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from unisycl.backends.cfamily import memory
from unisycl.backends.cfamily.expressions import emit
from unisycl.backends.cfamily.printer import PRIMARY, Printer
from unisycl.base.dtypes import UINT32
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.foreign_functions import ForeignFunction, ForeignParameter
from unisycl.ir.types import Scalar, Struct
from unisycl.passes.clike import multiples

_LINE = 16


def called(kernel: n.Kernel) -> tuple[ForeignFunction, ...]:
    """Return a function of each text that a kernel calls functions of."""
    found: dict[str, ForeignFunction] = {}
    for block in (kernel.body, *(r.combine for r in kernel.reducers)):
        for stmt in visit.statements(block):
            if isinstance(stmt, n.Foreign) and stmt.function.source:
                found.setdefault(stmt.function.source, stmt.function)
    return tuple(found.values())


def texts(functions: Sequence[ForeignFunction]) -> Iterator[str]:
    """Yield the texts of functions, each under its own name and line numbers."""
    for function in functions:
        yield from ("", f"#line 1 {json.dumps(function.label)}", function.source.rstrip())


def result_type(p: Printer, kind: Struct) -> str:
    """Return the C type of a vector."""
    first = kind.fields[0].type
    assert isinstance(first, Scalar)
    return f"{p.d.vector_stems.get(first.dtype.name) or p.type(first.dtype)}{len(kind.fields)}"


def call(p: Printer, stmt: n.Foreign) -> str:
    """Return a call as an expression."""
    numbers, args = iter(stmt.args), []
    for parameter in stmt.function.parameters:
        kind = parameter.type
        if parameter.space is not None:
            args.append(_pointer(p, parameter, next(numbers)))
        elif isinstance(kind, Struct):
            items = ", ".join(emit(p, next(numbers)).c for _ in kind.fields)
            args.append(p.d.vector.format(type=result_type(p, kind), items=items))
        else:
            args.append(emit(p, next(numbers)).c)
    name = stmt.function.name
    if not stmt.function.source:  # one of the dialect's own
        name = p.helper(name + _aligned(p, stmt), UINT32)
    return f"{name}({', '.join(args)})"


def _aligned(p: Printer, stmt: n.Foreign) -> str:
    """Return what the name of a function ends with whose local memory begins at 16 bytes."""
    places = [x.place for x in stmt.args if isinstance(x, n.Address)
              and memory.space_of(x.place.base) is address_space.local_space]
    if p.multiples is None:
        p.multiples = multiples.find(p.body)
    known = places and all(isinstance(place.base, n.Array) and not multiples.of_place(
        place, p.multiples) % _LINE for place in places)
    return "_aligned" if known else ""


def _pointer(p: Printer, parameter: ForeignParameter, x: n.Expr) -> str:
    """Return a pointer in the very type of its parameter."""
    if not isinstance(x, n.Address):
        return f"({parameter.spelt}){emit(p, x).at(PRIMARY)}"
    text = memory.lvalue(p, x.place, emit)
    return f"({parameter.spelt}){text[1:] if text.startswith('*') else f'&{text}'}"
