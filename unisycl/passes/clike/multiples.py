"""Which powers of two the whole numbers of a kernel are multiples of, whatever its arguments.

Compilers find this out, too, but no longer once they have turned loops around; who has to choose
between instructions by the alignment of an address asks here. Non-goals: ranges
(``passes.shared.ranges``). Invariant: a number that wraps is one still.
"""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir import visit

MOST = 1 << 12
"""What is a multiple of more is said to be one of this; zero is one of everything."""
Known = dict[n.Local, int]


def find(body: n.Block) -> Known:
    """Return what each variable's values are all multiples of; those left out, of 1."""
    values: dict[n.Local, list[n.Expr]] = {}
    lost: set[n.Local] = set()
    for stmt in visit.statements(body):
        match stmt:
            case n.Assign():
                values.setdefault(stmt.local, []).append(stmt.value)
            case n.For():
                values.setdefault(stmt.local, []).extend((stmt.start, stmt.step))
            case _:
                lost.update(visit.targets(stmt))
    known = {local: MOST for local in values if local not in lost
             and local.type.dtype.is_integer}
    changed = True
    while changed:
        changed = False
        for local, exprs in values.items():
            if local in known:
                found = min(of(x, known) for x in exprs)
                changed |= found < known[local]
                known[local] = found
    return known


def of(x: n.Expr, known: Known) -> int:
    """Return a power of two that a whole number is a multiple of."""
    match x:
        case n.Const() if type(x.value) is int:
            return min(MOST, x.value & -x.value) if x.value else MOST
        case n.Read():
            return known.get(x.local, 1)
        case n.Binary(op="add" | "sub" | "mod"):
            return min(of(x.a, known), of(x.b, known))
        case n.Binary(op="mul"):
            return min(MOST, of(x.a, known) * of(x.b, known))
        case n.Binary(op="and"):
            return max(of(x.a, known), of(x.b, known))
        case n.Binary(op="shl", b=n.Const(value=int(places))) if 0 <= places < 12:
            return min(MOST, of(x.a, known) << places)
        case n.Select():
            return min(of(x.a, known), of(x.b, known))
        case n.Unary(op="neg"):
            return of(x.x, known)
        case n.Cast() | n.Narrow() if x.type.dtype.is_integer and x.x.type.dtype.is_integer:
            return of(x.x, known)
    return 1


def of_place(place: n.Place, known: Known) -> int:
    """Return what the distance of an element from the beginning of its memory is a multiple of."""
    if len(place.index) != 1 or place.inner or place.offset:
        return 1
    return min(MOST, of(place.index[0], known) * place.type.size)
