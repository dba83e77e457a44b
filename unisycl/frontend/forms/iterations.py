"""``sorted``, the tools of ``itertools`` and those that pick out parts: tuples while compiling.

Each goes over what is known while compiling. Non-goals: loops over products of ranges
(``syntax.nested_loops``), iterators as values. Invariant: elements come in Python's order, and each
is evaluated once.
"""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import match
from unisycl.frontend.syntax import generators
from unisycl.frontend.syntax.compare import static_truth
from unisycl.frontend.syntax.expr import operate
from unisycl.frontend.syntax.given import given, placed
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import Closure
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.lists import Cells, new_list
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n

MOST = 4096
_MOST_SORTED = 32
_TOO_MANY = "write loops, one inside the other"


# ---- what they go over
def _split(ctx: Context, node: ast.Call) -> tuple[list[Value], dict[str, Value]]:
    """Return the arguments of a call; generators and ranges are the tuples of what they give."""
    loops = [generators.over_loop(ctx, ast.copy_location(ast.Call(node.func, [a], []), node))
             for a in node.args]
    whole = [a if loop is None else generators.as_list(loop) if isinstance(
        loop, ast.GeneratorExp) else loop for a, loop in zip(node.args, loops, strict=True)]
    lists = "lists" in ctx.facts
    values = ctx.operands(*whole, *(k.value for k in node.keywords))
    if not lists and not any(isinstance(x, ast.List | ast.ListComp) for x in ast.walk(node)):
        ctx.facts.discard("lists")  # only made here
    count = len(node.args)
    return values[:count], {str(k.arg): v for k, v in zip(
        node.keywords, values[count:], strict=True)}


def _items(ctx: Context, value: Value, node: ast.AST) -> list[Value]:
    """Return the elements of an argument, which nothing changes any more."""
    return [ctx.hold_value(v) for v in generators.items_of(ctx, value, node)]


def _number(ctx: Context, value: Value, what: str, node: ast.AST) -> int:
    found = ctx.constant(value)
    if found is None or not found.type.dtype.is_integer:
        raise ctx.refuse("K046", node, what=what, help="write a literal, or capture an integer")
    return int(found.value)


def _rows(ctx: Context, rows: Iterable[Sequence[Value]], node: ast.AST) -> Several:
    """Return a tuple of tuples, which may not be many."""
    found = list(itertools.islice(rows, MOST + 1))
    if len(found) > MOST:
        raise ctx.refuse("K054", node, what=f"these are more than {MOST} elements", help=_TOO_MANY)
    return Several(tuple(Several(tuple(row)) for row in found))


def is_nothing(value: Value | None) -> bool:
    """Say whether an argument is left out, or None."""
    return value is None or (isinstance(value, Constant) and value.object is None)


# ---- itertools
@form(itertools.product)
def _product(ctx: Context, node: ast.Call) -> Value:
    args, named = _split(ctx, node)
    repeat = match(ctx, node, "product", (), named, (), ("repeat",)).get("repeat")
    times = 1 if repeat is None else _number(ctx, repeat, "how often product() repeats", node)
    pools = [_items(ctx, v, node) for v in args] * times
    return _rows(ctx, itertools.product(*pools), node)


def _choosing(function: Callable[..., Any]) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of what chooses ``r`` of some elements."""
    name = function.__name__

    def lower(ctx: Context, node: ast.Call) -> Value:
        args, named = _split(ctx, node)
        needed, spare = (("iterable",), ("r",)) if name == "permutations" else (
            ("iterable", "r"), ())
        found = match(ctx, node, name, args, named, needed, spare)
        pool = _items(ctx, found["iterable"], node)
        r = len(pool) if is_nothing(found.get("r")) else _number(
            ctx, found["r"], f"how many {name}() takes", node)
        return _rows(ctx, function(pool, r), node)
    return lower


for _function in (itertools.permutations, itertools.combinations,
                  itertools.combinations_with_replacement):
    form(_function)(_choosing(_function))


@form(itertools.pairwise)
def _pairwise(ctx: Context, node: ast.Call) -> Value:
    args, named = _split(ctx, node)
    found = match(ctx, node, "pairwise", args, named, ("iterable",))
    return _rows(ctx, itertools.pairwise(_items(ctx, found["iterable"], node)), node)


@form(itertools.chain)
def _chain(ctx: Context, node: ast.Call) -> Value:
    args, named = _split(ctx, node)
    match(ctx, node, "chain", (), named, ())
    return Several(tuple(v for arg in args for v in _items(ctx, arg, node)))


@form(itertools.zip_longest)
def _zip_longest(ctx: Context, node: ast.Call) -> Value:
    args, named = _split(ctx, node)
    fill = match(ctx, node, "zip_longest", (), named, (), ("fillvalue",)).get(
        "fillvalue", Constant(None))
    lists = [_items(ctx, v, node) for v in args]
    return _rows(ctx, itertools.zip_longest(*lists, fillvalue=fill), node)


@form(itertools.islice)
def _islice(ctx: Context, node: ast.Call) -> Value:
    args, named = _split(ctx, node)
    found = match(ctx, node, "islice", args, named, ("iterable", "start"), ("stop", "step"))
    bounds = [None if is_nothing(found[k]) else _number(ctx, found[k], "a bound of islice()", node)
              for k in ("start", "stop", "step") if k in found]
    if any(b is not None and b < 0 for b in bounds):
        raise ctx.refuse("K054", node, what="islice() takes no negative numbers", help="")
    return Several(tuple(itertools.islice(_items(ctx, found["iterable"], node), *bounds)))


@form(itertools.repeat)
def _repeat(ctx: Context, node: ast.Call) -> Value:
    args, named = _split(ctx, node)
    found = match(ctx, node, "repeat", args, named, ("object", "times"))
    times = _number(ctx, found["times"], "how often repeat() gives it", node)
    if times > MOST:
        raise ctx.refuse("K054", node, what=f"these are more than {MOST} elements",
                         help="write for k in range(n)")
    return Several((ctx.hold_value(found["object"]),) * max(times, 0))


@form(itertools.accumulate)
def _accumulate(ctx: Context, node: ast.Call) -> Value:
    args, named = _split(ctx, node)
    initial = named.pop("initial", None)
    found = match(ctx, node, "accumulate", args, named, ("iterable",), ("func",))
    step = found.get("func")
    items = _items(ctx, found["iterable"], node)
    if initial is not None and not is_nothing(initial):
        items.insert(0, ctx.hold_value(initial))
    totals = items[:1]
    for item in items[1:]:
        total = operate(ctx, "add", totals[-1], item, node) if step is None or is_nothing(
            step) else _called(ctx, step, [totals[-1], item], node)
        totals.append(ctx.hold_value(total))
    return Several(tuple(totals))


@form(itertools.starmap)
def _starmap(ctx: Context, node: ast.Call) -> Value:
    args, named = _split(ctx, node)
    found = match(ctx, node, "starmap", args, named, ("function", "iterable"))
    return Several(tuple(ctx.hold_value(_called(ctx, found["function"], _items(ctx, row, node),
                                                node))
                         for row in _items(ctx, found["iterable"], node)))


@form(itertools.compress)
def _compress(ctx: Context, node: ast.Call) -> Value:
    args, named = _split(ctx, node)
    found = match(ctx, node, "compress", args, named, ("data", "selectors"))
    kept = [static_truth(v) for v in _items(ctx, found["selectors"], node)]
    if None in kept:
        raise ctx.refuse("K046", node, what="what compress() selects by",
                         help="write a loop with an if")
    return Several(tuple(itertools.compress(_items(ctx, found["data"], node), kept)))


if hasattr(itertools, "batched"):  # Python 3.12
    @form(itertools.batched)
    def _batched(ctx: Context, node: ast.Call) -> Value:
        args, named = _split(ctx, node)
        found = match(ctx, node, "batched", args, named, ("iterable", "n"))
        size = _number(ctx, found["n"], "how many batched() takes", node)
        items = _items(ctx, found["iterable"], node)
        if size < 1:
            raise ctx.refuse("K054", node, what="batched() takes at least one at a time", help="")
        return _rows(ctx, (items[k:k + size] for k in range(0, len(items), size)), node)


def _called(ctx: Context, function: Value, args: Sequence[Value], node: ast.AST) -> Value:
    ctx.unrolled.append(len(ctx.block))  # several calls at one place are told apart
    try:
        return ctx.value(placed(ast.Call(given(function, node), [given(a, node) for a in args],
                                         []), node))
    finally:
        ctx.unrolled.pop()


# ---- order
@form(sorted)
def _sorted(ctx: Context, node: ast.Call) -> Value:
    """Lower ``sorted`` of a tuple."""
    return new_list(ctx, _in_order(ctx, node), node)


def ordered(ctx: Context, cells: Cells, name: str, args: list[Value], keywords: dict[str, Value],
            node: ast.Call) -> Value:
    """Lower ``v.sort()`` and ``v.reverse()`` of a list."""
    values = cells.taken(ctx)
    if name == "reverse" or args:
        match(ctx, node, name, args, keywords, ())
    cells.store_all(ctx, values.items[::-1] if name == "reverse" else _in_order(
        ctx, placed(ast.Call(node.func, [given(values, node)], [
            ast.keyword(key, given(v, node)) for key, v in keywords.items()]), node)),
        range(cells.count), node)
    return Nothing()


def _in_order(ctx: Context, node: ast.Call) -> list[Value]:
    """Return values in order: neighbours change places, so that equal ones never do."""
    args, named = _split(ctx, node)
    key, turned = named.pop("key", None), named.pop("reverse", None)
    items = _items(ctx, match(ctx, node, "sorted", args, named, ("iterable",))["iterable"], node)
    down = False if turned is None else static_truth(turned)
    if down is None:
        raise ctx.refuse("K046", node, what="reverse of sorted()", help="choose by if / else")
    if len(items) > _MOST_SORTED:
        raise ctx.refuse("K054", node, what=f"sorted() of {len(items)} values; {_MOST_SORTED} are "
                         "the most", help="sort in a private_array, or by oneapi.dpl")
    ctx.facts.add("lists")
    by = key if key is not None and not is_nothing(key) else None
    ranks = items if by is None else [ctx.hold_value(_called(ctx, by, [v], node)) for v in items]
    ranks = list(ranks)
    for last in range(len(items) - 1, 0, -1):
        for k in range(last):
            before, after = (ranks[k], ranks[k + 1]) if down else (ranks[k + 1], ranks[k])
            swap = _less(ctx, before, after, node)
            if static_truth(swap) is False:
                continue
            _exchange(ctx, ranks, k, swap, node)
            if by is not None:
                _exchange(ctx, items, k, swap, node)
    return ranks if by is None else items


def _less(ctx: Context, a: Value, b: Value, node: ast.AST) -> Value:
    lists = "lists" in ctx.facts
    ctx.facts.discard("lists")  # Python compares two elements, which it refuses if only one is
    try:
        return ctx.hold_value(ctx.value(placed(ast.Compare(
            given(a, node), [ast.Lt()], [given(b, node)]), node)))
    finally:
        if lists:
            ctx.facts.add("lists")


def _exchange(ctx: Context, row: list[Value], k: int, swap: Value, node: ast.AST) -> None:
    """Exchange an element of a row and the next one, if a condition holds."""
    a, b = row[k], row[k + 1]
    row[k], row[k + 1] = (a, b) if a == b else (
        _either(ctx, swap, b, a, node), _either(ctx, swap, a, b, node))


def _either(ctx: Context, test: Value, a: Value, b: Value, node: ast.AST) -> Value:
    fixed = static_truth(test)
    if fixed is not None:
        return a if fixed else b
    ctx.unrolled.append(len(ctx.block))  # several choices at one place are told apart
    try:
        return ctx.hold_value(ctx.value(placed(ast.IfExp(
            given(test, node), given(a, node), given(b, node)), node)))
    finally:
        ctx.unrolled.pop()


# ---- parts of things as functions
def _getter(ctx: Context, parts: Sequence[Callable[[ast.expr], ast.expr]],
            held: Sequence[Value], node: ast.AST) -> Value:
    """Return the function that gives parts of what it is called with."""
    name = "what a getter gets from"
    found = [part(ast.Name(name, ast.Load())) for part in parts]
    body = found[0] if len(found) == 1 else ast.Tuple(found, ast.Load())
    names = [f"part {k} of a getter" for k in range(len(held))]
    args = ast.arguments([], [ast.arg(name), *map(ast.arg, names)], None, [], [], None, [])
    made = placed(ast.Lambda(args, body), node)
    return Closure(made, ctx.frame, tuple(zip(names, held, strict=True)))


@form(operator.itemgetter)
def _itemgetter(ctx: Context, node: ast.Call) -> Value:
    values = [ctx.hold_value(v) for v in ctx.operands(*node.args)]
    if not values or node.keywords:
        raise ctx.refuse("K034", node, what="'itemgetter'", expected="indices", found=0)
    return _of_indices(ctx, values, node)


def _of_indices(ctx: Context, values: Sequence[Value], node: ast.AST) -> Value:
    """Return what ``operator.itemgetter`` of these indices is."""
    def part(k: int) -> Callable[[ast.expr], ast.expr]:
        return lambda whole: ast.Subscript(
            whole, ast.Name(f"part {k} of a getter", ast.Load()), ast.Load())
    return _getter(ctx, [part(k) for k in range(len(values))], values, node)


@form(operator.attrgetter)
def _attrgetter(ctx: Context, node: ast.Call) -> Value:
    values = ctx.operands(*node.args)
    texts = [v.object for v in values if isinstance(v, Constant) and isinstance(v.object, str)]
    if not values or node.keywords or len(texts) < len(values):
        raise ctx.refuse("K034", node, what="'attrgetter'", expected="names, written as texts",
                         found=len(values) + len(node.keywords))
    return _of_names(ctx, texts, node)


def _of_names(ctx: Context, names: Sequence[str], node: ast.AST) -> Value:
    """Return what ``operator.attrgetter`` of these names is."""
    def part(text: str) -> Callable[[ast.expr], ast.expr]:
        def get(whole: ast.expr) -> ast.expr:
            for name in text.split("."):
                whole = ast.Attribute(whole, name, ast.Load())
            return whole
        return get
    return _getter(ctx, [part(text) for text in names], (), node)


def got(ctx: Context, node: ast.Call) -> Value:
    """Lower a call of a getter that the program made."""
    getter = ctx.value(node.func)
    assert isinstance(getter, Constant)
    return ctx.value(ast.copy_location(ast.Call(
        given(_captured(ctx, getter.object, node), node), node.args, node.keywords), node))


def _captured(ctx: Context, getter: Any, node: ast.AST) -> Value:
    kind, parts = getter.__reduce__()
    if kind is operator.attrgetter:
        return _of_names(ctx, parts, node)
    values: list[Value] = []
    for part in parts:
        if not isinstance(part, int | str):
            raise ctx.refuse("K049", node, found=type(part).__name__, expected="an integer",
                             help="write a function")
        values.append(coerce.weak_scalar(part) if isinstance(part, int) else Constant(part))
    return _of_indices(ctx, values, node)


# ---- methods of tuples
def method(ctx: Context, name: str, items: Sequence[Value], x: Value, node: ast.AST) -> Value:
    """Return ``items.index(x)`` or ``items.count(x)``; ``get``: a place, or that behind all."""
    x = ctx.hold_value(x)
    if name == "get":
        return _place(ctx, items, x, node, None)
    if name == "count":
        return _count(ctx, items, x, node)
    return _place(ctx, items, x, node, "KeyError: there is no such key" if name == "key"
                  else "ValueError: tuple.index(x): x not in tuple")


def _place(ctx: Context, items: Sequence[Value], x: Value, node: ast.AST,
           said: str | None) -> Value:
    """Return ``items.index(x)``; debugged kernels report that it is nowhere.

    Without anything to be ``said`` then it is the place behind all.
    """
    found: Value = coerce.weak_scalar(0 if said else len(items))
    nowhere = True
    for k in range(len(items) - 1, -1, -1):
        same = _equal(ctx, items[k], x, node)
        if static_truth(same) is False:
            continue
        nowhere = nowhere and static_truth(same) is None
        found = _either(ctx, same, coerce.weak_scalar(k), found, node)
    if nowhere and said:
        _check_found(ctx, items, x, node, said)
    return found


def _check_found(ctx: Context, items: Sequence[Value], x: Value, node: ast.AST,
                 said: str) -> None:
    among = ctx.value(placed(ast.Compare(given(x, node), [ast.In()], [
        given(Several(tuple(items)), node)]), node))
    if static_truth(among) is False:
        raise ctx.refuse("K054", node, what=f"this raises {said}", help="ask by 'in' before")
    if "assert" in ctx.shape.checks:
        ctx.emit(n.Check(ctx.truth(among, node), (said,), span=ctx.span(node)))


def _count(ctx: Context, items: Sequence[Value], x: Value, node: ast.AST) -> Value:
    """Return ``items.count(x)``."""
    total: Value = coerce.weak_scalar(0)
    for item in items:
        same = _equal(ctx, item, x, node)
        if static_truth(same) is not False:
            total = operate(ctx, "add", total, _either(
                ctx, same, coerce.weak_scalar(1), coerce.weak_scalar(0), node), node)
    return ctx.hold_value(total)


def _equal(ctx: Context, a: Value, b: Value, node: ast.AST) -> Value:
    return ctx.hold_value(ctx.value(placed(ast.Compare(given(a, node), [ast.Eq()], [
        given(b, node)]), node)))
