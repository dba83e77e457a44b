"""Short rows that lie one behind another: a range of (h, w, 3) runs as one of (h, w * 3).

Lanes go along the last dimension, which colours, points and small matrices leave nearly empty. A
kernel that uses the ids of the last dimensions together only, as ``a[it]`` and ``get_linear_id()``
do, cannot tell them from one long row where each step spans as many elements as the dimensions
behind it have items. Non-goals: loops over the index space (backends); reductions, whose order of
additions would change. Invariant: under the conditions found, every value and every place is the
same where all these ids but the last are 0 and the last one counts the items of all.
"""

from __future__ import annotations

from collections.abc import Iterable

from unisycl.base.dtypes import INT64
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, Scalar, View

MOST = 3
"""So many dimensions are taken together at most."""
_INDEX = Scalar(INT64, weak=True)
_KNOWN = (n.Assign, n.Store, n.Atomic, n.LoadMany, n.StoreMany, n.If, n.While, n.For, n.Break,
          n.Continue, n.Scope, n.Leave)
_STEADY = (n.Const, n.ParamRead, n.Extent, n.Pitch)

Form = dict[int, tuple[n.Expr, ...]]
"""By what an expression multiplies each id before it adds them."""


def conditions(kernel: n.Kernel, count: int) -> tuple[n.Expr, ...] | None:
    """Return when the last ``count`` dimensions of a range may be one; None if that is never."""
    if kernel.index_kind != "range" or not 1 < count <= min(MOST, kernel.ndim) or kernel.reducers \
            or kernel.checks or kernel.sub_group or kernel.progress or kernel.waits \
            or kernel.enqueues or kernel.apart:
        return None
    found = _Uses(kernel, kernel.ndim - count)
    return tuple(found.holds) if found.block(kernel.body) else None


def counts(kernel: n.Kernel) -> list[int]:
    """Return how many of its last dimensions a kernel may have as one."""
    return [k for k in range(2, min(MOST, kernel.ndim) + 1) if conditions(kernel, k) is not None]


class _Uses:
    """Looks at every use of the ids of the dimensions from ``first`` on."""

    def __init__(self, kernel: n.Kernel, first: int) -> None:
        self.first, self.last = first, kernel.ndim - 1
        self.holds: list[n.Expr] = []
        values: dict[n.Local, list[n.Expr | None]] = {}
        for stmt in visit.statements(kernel.body):
            for local in visit.targets(stmt):
                values.setdefault(local, []).append(
                    stmt.value if isinstance(stmt, n.Assign) else None)
        self.meaning = {x: v[0] for x, v in values.items() if len(v) == 1 and v[0] is not None}
        self.known: dict[n.Local, Form | None] = {}

    # ---- statements
    def block(self, block: n.Block) -> bool:
        """Say whether all statements use these ids together."""
        return all(self.statement(s) for s in visit.statements(block))

    def statement(self, stmt: n.Stmt) -> bool:
        if not isinstance(stmt, _KNOWN):
            return False
        if isinstance(stmt, n.Assign) and stmt.local in self.meaning \
                and self.local(stmt.local) is not None:
            return True  # its uses are looked at
        if isinstance(stmt, n.Store | n.Atomic | n.LoadMany | n.StoreMany):
            values = {n.Store: ("value",), n.Atomic: ("operands",), n.StoreMany: ("values",)}
            given = [getattr(stmt, name) for name in values.get(type(stmt), ())]
            every = [x for one in given for x in (one if isinstance(one, tuple) else (one,))]
            return self.place(stmt.place) and all(map(self.value, every))
        return all(map(self.value, visit.expressions(stmt)))

    # ---- values
    def value(self, x: n.Expr) -> bool:
        """Say whether an expression is the same for one long row."""
        form = self.form(x)
        if form is not None and (not form or self.together(form)):
            return True
        if isinstance(x, n.Load):
            return self.place(x.place)
        if isinstance(x, n.Query | n.Read):
            return False
        below = list(visit.expressions(x))
        return bool(below) and all(map(self.value, below))

    def place(self, place: n.Place) -> bool:
        """Say whether a place is the same for one long row."""
        return all(self.value(x) for x, _ in place.inner) and (
            self.row(place) or all(map(self.value, place.index)))

    def row(self, place: n.Place) -> bool:
        """Say whether indices of memory lead along one long row."""
        base = place.base
        if not isinstance(base, n.Param) or not isinstance(base.type, View) or base.type.spread \
                or base.type.space is not address_space.global_space:
            return False
        whole: Form | None = {}
        for dim, x in enumerate(place.index):
            form = self.form(x)
            if form and dim < base.type.ndim - 1:
                form = {d: (*by, n.Pitch(_INDEX, base, dim)) for d, by in form.items()}
            whole = _sum(whole, form)
        return whole is not None and len(whole) > 0 and self.together(whole)

    # ---- forms
    def form(self, x: n.Expr) -> Form | None:
        """Return by what each id is multiplied; None if it is no such sum."""
        match x:
            case n.Query(name="global_id"):
                return {x.dim: ()} if x.dim >= self.first else {}
            case n.Query():
                return {} if x.name in ("global_range", "offset") else None
            case n.Read():
                return self.local(x.local)
            case n.Cast() | n.Narrow():
                form = self.form(x.x)
                return form if not form or (_is_index(x) and _is_index(x.x)) else None
            case n.Binary(op="add") if _is_index(x):
                return _sum(self.form(x.a), self.form(x.b))
            case n.Binary(op="sub") if _is_index(x):
                return self.form(x.a) if self.form(x.b) == {} else None
            case n.Binary(op="mul") if _is_index(x):
                return self.product(x.a, x.b)
        return {} if all(self.form(y) == {} for y in visit.expressions(x)) else None

    def local(self, local: n.Local) -> Form | None:
        """Return the form of what a local holds: of one that gets several values, none of ids."""
        if local not in self.meaning:
            return {}  # what it gets is looked at where it does
        if local not in self.known:
            self.known[local] = {}  # of a value that depends on itself
            form = self.form(self.meaning[local])
            self.known[local] = form if form is not None else {}
            if form is None and not self.value(self.meaning[local]):
                self.known[local] = None
        return self.known[local]

    def product(self, a: n.Expr, b: n.Expr) -> Form | None:
        x, y = self.form(a), self.form(b)
        if x is None or y is None or (x and y):
            return None
        if not x and not y:
            return {}
        by = self.steady(b if x else a)
        return None if by is None else {d: (*given, by) for d, given in (x or y).items()}

    def steady(self, x: n.Expr, depth: int = 8) -> n.Expr | None:
        """Return a number in terms of arguments and sizes; None if they do not tell it."""
        if isinstance(x, n.Read) and x.local in self.meaning and depth:
            return self.steady(self.meaning[x.local], depth - 1)
        return x if _is_index(x) and all(map(_is_steady, visit.walk(x))) else None

    def together(self, form: Form) -> bool:
        """Say whether ids may add up to one that counts all items, and note when they do."""
        if set(form) != set(range(self.first, self.last + 1)) or form[self.last]:
            return False
        for dim in range(self.first, self.last):
            sizes = [n.Query(_INDEX, "global_range", d) for d in range(dim + 1, self.last + 1)]
            by = list(form[dim])
            for size in list(sizes):
                same = next((x for x in by if isinstance(x, n.Query) and x.dim == size.dim), None)
                if same is not None:
                    by.remove(same)
                    sizes.remove(size)
            if by or sizes:
                test = n.Compare(BOOL, "eq", _product(by), _product(sizes))
                if test not in self.holds:
                    self.holds.append(test)
        return True


def _is_index(x: n.Expr) -> bool:
    return x.type.dtype.kind == "i" and x.type.dtype.size == 8


def _is_steady(x: n.Expr) -> bool:
    return isinstance(x, _STEADY) or (isinstance(x, n.Query) and x.name == "global_range") or (
        isinstance(x, n.Cast) and x.type.dtype.kind == "i" and x.x.type.dtype.kind in "iu")


def _sum(a: Form | None, b: Form | None) -> Form | None:
    """Return the sum of two forms; None if an id is in both."""
    return None if a is None or b is None or set(a) & set(b) else {**a, **b}


def _product(factors: Iterable[n.Expr]) -> n.Expr:
    found: n.Expr | None = None
    for x in factors:
        found = x if found is None else n.Binary(_INDEX, "mul", found, x)
    return n.Const(_INDEX, 1) if found is None else found
