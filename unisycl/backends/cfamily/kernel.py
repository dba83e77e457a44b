"""A whole kernel in C: its head, the ids of its index space, its reductions.

One C kernel is one launch. A range kernel returns early beyond the end of its range; with
reductions its items go round the range in steps. What joins the results of reductions may be a
second kernel (``reducers``).
Non-goals: compiling. Invariant: ``Source`` says where each C argument comes from, in order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from unisycl.backends.cfamily import foreign, memory, printing
from unisycl.backends.cfamily.dialect import Dialect
from unisycl.backends.cfamily.printer import (
    EQUAL,
    PRODUCT,
    SUM,
    UNARY,
    Argument,
    Printer,
    Text,
)
from unisycl.backends.cfamily.reducers import FINISH_ITEMS, Reducers, print_finish
from unisycl.backends.cfamily.signs import meet
from unisycl.backends.cfamily.statements import print_body
from unisycl.backends.reports import Site
from unisycl.base.dtypes import INT32, DType
from unisycl.base.enums import address_space, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import INT64, Scalar
from unisycl.passes import pipeline
from unisycl.passes.clike import structure

_ID_KINDS = ("global_id", "local_id", "group_id", "sub_group_id", "sub_group_local_id")


@dataclass(frozen=True, slots=True)
class Form:
    """How the C kernel is launched.

    ``guards``: dimensions whose work-items may exceed the range. ``local``: the size of a
    work-group where it is fixed. ``items``: how many of a range's items one of C takes, a
    work-group apart from each other. ``shapes``: the extents of local memory that are known, by the
    numbers of its parameters. ``small``: ``passes.clike.positions`` has run, so the extents that it
    speaks of are ints. ``same``: views and those whose pitches they have, by their numbers.
    """

    guards: tuple[int, ...] = ()
    local: tuple[int, ...] = ()
    items: int = 1
    shapes: tuple[tuple[int, tuple[int, ...]], ...] = ()
    small: bool = False
    same: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a kernel and how to call it.

    ``finish`` are the arguments of the second kernel; ``flat``: the work-items of an nd_range form
    one dimension of C, so that sub-groups follow their linear order.
    """

    text: str
    name: str
    arguments: tuple[Argument, ...]
    finish_name: str = ""
    finish: tuple[Argument, ...] = ()
    flat: bool = False
    sites: tuple[Site, ...] = ()
    items: int = 1


def print_kernel(kernel: n.Kernel, dialect: Dialect, form: Form,
                 exact: frozenset[int] = frozenset()) -> Source:
    """Return a kernel as C text."""
    facts = pipeline.Facts(own={"unwrapped": _unwrapped, "records": functools.partial(
        printing.run, sub_groups=dialect.sub_groups)})
    kernel = pipeline.run(kernel, "clike", "print", facts)
    p = Printer(kernel, dialect, exact)
    p.local_shapes, p.small, p.same = dict(form.shapes), form.small, dict(form.same)
    functions = foreign.called(kernel)
    for function in functions:
        p.names.avoid(function.words())
    name = p.names.fresh(kernel.name)
    for known, wish in facts.names.items():
        p.names.of(known, wish)
    printed = _Kind(p, form)
    printed.print(pipeline.run(kernel, "clike", "body", facts).body)
    flat = is_flat(kernel, dialect)
    size = (math.prod(form.local),) if flat else form.local
    local = ", ".join(str(x) for x in (*reversed(size), 1, 1)[:3]) if size else ""
    text = p.definition(name, local, kernel.sub_group, kernel.traits)
    arguments, finish_name = tuple(p.arguments), ""
    if kernel.reducers and not printed.joined:
        finish_name = p.names.fresh(f"{kernel.name}_finish")
        p.restart()
        print_finish(p)
        text += ["", *p.definition(finish_name, f"{FINISH_ITEMS}, 1, 1", 0)]
    where = f"// {kernel.name}" + (f", {kernel.span.place()}" if kernel.span else "")
    whole = "\n".join([*p.preamble(), *foreign.texts(functions), "", where, *text]) + "\n"
    return Source(whole, name, arguments, finish_name,
                  tuple(p.arguments) if finish_name else (), flat, tuple(p.sites), form.items)


def _unwrapped(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel whose body is not a scope of its own: leaving it is returning."""
    match kernel.body:
        case (n.Scope(number=0, body=body),):
            return replace(kernel, body=body)
    return kernel


def is_flat(kernel: n.Kernel, dialect: Dialect) -> bool:
    """Say whether the items of a kernel's work-groups are put in one dimension."""
    if kernel.index_kind != "nd_range" or kernel.ndim == 1:
        return False
    if dialect.long_rows and kernel.local[-1] == 1 < math.prod(kernel.local) and meet(kernel):
        return True
    if not dialect.sub_groups:
        return False
    return any(isinstance(s, n.GroupCall | n.Barrier) and s.scope is memory_scope.sub_group
               for s in visit.statements(kernel.body)) or any(
        isinstance(x, n.Query) and x.name.startswith("sub_group")
        for x in visit.all_expressions(kernel.body))


class _Kind:
    """Prints the body of a kernel of one kind of index space."""

    def __init__(self, p: Printer, form: Form) -> None:
        self.p = p
        self.form = form
        self.long = p.d.types["int64"]
        self.ids: dict[tuple[str, int], Text] = {}
        self.flat = False
        self.joined = False

    def print(self, body: n.Block) -> None:
        """Print the body with what comes before and after it."""
        p, kernel = self.p, self.p.kernel
        for array in kernel.arrays:
            if array.type.space is address_space.local_space:
                name = p.names.of(array, array.name)
                p.local_memory(memory.element_type(p, array.type.elem), name,
                               memory.extents(array.shape))
        start: Callable[[n.Block], None] = {
            "single": self.single, "range": self.range, "nd_range": self.nd_range,
            "work_group": self.work_group}[kernel.index_kind]
        start(body)

    def private(self) -> None:
        """Declare the private arrays of a work-item."""
        p = self.p
        own = [a for a in p.kernel.arrays if a.type.space is not address_space.local_space]
        lines = [memory.declare_array(p, array) for array in own]
        sizes = {array.type.elem.size for array in own}
        if not p.d.joins_private or len(sizes) == len(own):
            for line in lines:
                p.line(line)
            return
        name = p.names.fresh("own")
        p.line("struct {")
        for array, line in zip(own, lines, strict=True):
            p.line("    " + line)
            p.names.put_into(array, name)
        p.line(f"}} {name};")

    def used(self, body: n.Block, dtype: DType | None = None) -> set[tuple[str, int]]:
        """Return the queries that a body makes, or those of one type."""
        return {(x.name, x.dim) for x in visit.all_expressions(body) if isinstance(x, n.Query)
                and (dtype is None or x.type.dtype is dtype)}

    def own(self, dim: int) -> int:
        """Return the dialect's number of a dimension: its dimension 0 is the fastest."""
        return self.p.kernel.ndim - 1 - dim

    def spell(self, name: str, dim: int) -> Text:
        """Return a query in the dialect, as a long."""
        text = self.p.d.queries[name].format(d=self.own(dim))
        return Text(f"({self.long}){text}", UNARY)

    def name_ids(self, body: n.Block, extra: tuple[tuple[str, int], ...] = ()) -> None:
        """Give the ids that a body uses names, at its start."""
        many = self.p.kernel.ndim > 1
        wide = self.used(body, INT64.dtype)
        for name, dim in sorted(self.used(body) | set(extra)):
            if name in _ID_KINDS and (name, dim) not in self.ids:
                wish = f"{name}_{dim}" if many and not name.startswith("sub") else name
                known, type = self.p.names.fresh(wish), self.long
                if self.form.small and (name, dim) not in wide:
                    self.p.small_ids.add((name, dim))
                    type = self.p.d.types["int32"]
                self.p.line(f"const {type} {known} = {self.id(name, dim)};")
                self.ids[name, dim] = Text(known)

    def id(self, name: str, dim: int) -> str:
        """Return what an id is made of."""
        if name.startswith("sub_group") and not self.p.d.sub_groups:
            return "0" if name == "sub_group_local_id" else self.linear().c
        if self.flat and not name.startswith("sub_group"):
            return self.flat_id(name, dim).c
        return self.p.d.queries[name].format(d=self.own(dim))

    # ---- single tasks and ranges
    def single(self, body: n.Block) -> None:
        """A single task: one item whose ids are 0."""
        self.p.query = lambda name, dim: Text("1" if name.endswith("range") else "0")
        self.p.scopes[0] = "return;"
        self.private()
        print_body(self.p, body)

    def range(self, body: n.Block) -> None:
        """A range: one item of C for each of the kernel's, or a round of them with reductions."""
        p = self.p
        p.query = self.in_range
        p.scopes[0] = "return;"
        if p.kernel.reducers:
            self.rounds(body)
            return
        if self.form.items > 1:
            self.side_by_side(body)
            return
        self.name_ids(body, tuple(("global_id", d) for d in self.form.guards))
        for d in self.form.guards:
            self.guard(d)
        self.private()
        print_body(p, body)

    def guard(self, dim: int) -> None:
        """Return from items beyond the range.

        On processors only those look that are in a group at the end of it: without that question,
        which has one answer for a group, compilers vectorise all the others.
        """
        p, one = self.p, self.ids["global_id", dim].c
        last = p.argument("last", f"const {self.long}", f"last_{dim}", 0, dim)
        beyond = f"{one} >= {last}"
        if p.d.serial_groups:
            all_, own, size = (p.d.queries[q].format(d=self.own(dim)) for q in (
                "global_id", "local_id", "local_size"))
            beyond = f"({self.long})({all_} - {own} + {size}) > {last} && {beyond}"
        p.line(f"if ({beyond}) return;")

    def side_by_side(self, body: n.Block) -> None:
        """A range of which each item of C takes several, one in each part of its work-group's."""
        p, count = self.p, self.form.items
        last = p.argument("last", f"const {self.long}", "last_0", 0, 0)
        size, own, group, start = (p.d.queries[q].format(d=0) for q in (
            "local_size", "local_id", "group_id", "offset"))
        step, first = p.names.fresh("stride"), p.names.fresh("first")
        p.line(f"const {self.long} {step} = {size};")
        p.line(f"const {self.long} {first} = {start} + {group} * ({step} * {count}) + {own};")
        wide = not self.form.small or ("global_id", 0) in self.used(body, INT64.dtype)
        type = INT64 if wide else Scalar(INT32)
        ids = [n.Local("global_id", type) for _ in range(count)]
        p.line(f"if ({first} + {step} * {count - 1} < {last}) {{")
        p.depth += 1
        for k, local in enumerate(ids):
            far = f" + {step}{f' * {k}' if k > 1 else ''}" if k else ""
            p.line(f"const {p.type(type.dtype)} {p.names.of(local, local.name)} = {first}{far};")
        facts = pipeline.Facts(ids=tuple(ids))
        several = pipeline.run(replace(p.kernel, body=body), "clike", "several", facts)
        print_body(p, several.body, frozenset(ids))
        p.depth -= 1
        one = p.names.fresh("global_id")
        p.line("} else {")
        p.depth += 1
        p.line(f"for ({self.long} {one} = {first}; {one} < {last}; {one} += {step}) {{")
        p.depth += 1
        self.ids["global_id", 0] = Text(one)
        print_body(p, body)
        for _ in range(2):
            p.depth -= 1
            p.line("}")

    def in_range(self, name: str, dim: int) -> Text:
        """Return a query of a range kernel."""
        if name == "global_range":
            return Text(self.p.argument("range", f"const {self.long}", f"range_{dim}", 0, dim))
        if name == "offset" and self.p.kernel.reducers:
            return Text(self.p.argument("start", f"const {self.long}", f"start_{dim}", 0, dim))
        return self.ids.get((name, dim)) or self.spell(name, dim)

    def rounds(self, body: n.Block) -> None:
        """A range with reductions: each item of C takes every so many of the kernel's."""
        p, many = self.p, self.form.items
        alone = p.d.serial_groups and many > 1
        reducers = Reducers(p, self.form.local, many if alone else 1)
        reducers.begin()
        self.private()
        count = p.argument("count", f"const {self.long}", "count")
        item, end, step = self.way(count)
        if many > 1:
            far = f"{many}" if alone else f"{step} * {many}"
            last = f"{item} + {many - 1 if alone else f'{step} * {many - 1}'}"
            p.line(f"for (; {last} < {end}; {item} += {far}) {{")
            p.depth += 1
            if not alone:
                p.line(p.d.unroll)
            lane = reducers.loop("lane", f"{many}")
            self.one(f"{item} + {lane}" if alone else f"{item} + {lane} * {step}", body,
                     reducers, lane if alone else "")
            reducers.close(2)
        if alone:
            lane = p.names.fresh("lane")
            p.line(f"for (int {lane} = 0; {item} < {end}; {item}++, {lane}++) {{")
        else:
            lane = ""
            p.line(f"for (; {item} < {end}; {item} += {step}) {{")
        p.depth += 1
        self.one(item, body, reducers, lane)
        reducers.close(1)
        if alone:
            reducers.join_lanes()
        self.joined = reducers.end(Text(p.d.queries["local_id"].format(d=0)),
                                   p.d.queries["group_id"].format(d=0),
                                   p.d.queries["group_range"].format(d=0))

    def one(self, item: str, body: n.Block, reducers: Reducers, lane: str) -> None:
        """Print the body for the item at a linear position of the range."""
        p = self.p
        if lane:
            reducers.take_lane(lane)
        self.place_of(item, body)
        if structure.leaves(body, 0):
            label = p.names.fresh("next_item")
            p.scopes[0] = f"goto {label};"
            print_body(p, body, reducers.known)
            p.line(f"{label}:;")
        else:
            print_body(p, body, reducers.known)
        if lane:
            reducers.keep_lane(lane)

    def way(self, count: str) -> tuple[str, str, str]:
        """Start the way of an item of C round the range; return its place, end and step.

        It takes every so many of all, or of its group's: a processor's caches like what a group
        works on to lie together.
        """
        p, size = self.p, self.form.local[0]
        own, all_, group, groups, local = (p.d.queries[q].format(d=0) for q in (
            "global_id", "global_size", "group_id", "group_range", "local_id"))
        item, step = p.names.fresh("item"), p.names.fresh("stride")
        if not p.d.serial_groups:
            p.line(f"const {self.long} {step} = {all_};")
            p.line(f"{self.long} {item} = {own};")
            return item, count, step
        size *= self.form.items
        part, end = p.names.fresh("part"), p.names.fresh("end")
        whole = f"{groups} * {size}"
        p.line(f"const {self.long} {part} = ({count} + {whole} - 1) / ({whole}) * {size};")
        p.line(f"const {self.long} {end} = min({count}, ({self.long})({group} + 1) * {part});")
        p.line(f"{self.long} {item} = {group} * {part} + {local};")
        return item, end, f"{size}"

    def place_of(self, item: str, body: n.Block) -> None:
        """Name the ids of the item at a linear position of the range."""
        p, ndim = self.p, self.p.kernel.ndim
        for name, dim in sorted(self.used(body)):
            if name != "global_id":
                continue
            text = item
            for d in range(ndim - 1, dim, -1):
                text = f"{text} / {self.in_range('global_range', d).c}"
            if dim > 0:
                text = f"{text} % {self.in_range('global_range', dim).c}"
            known = p.names.fresh(f"global_id_{dim}" if ndim > 1 else "global_id")
            p.line(f"const {self.long} {known} = {text} + {self.in_range('offset', dim).c};")
            self.ids[name, dim] = Text(known)

    # ---- work-groups
    def nd_range(self, body: n.Block) -> None:
        """An nd_range: the dialect's own work-groups."""
        p = self.p
        p.query = self.in_group
        self.flat = is_flat(p.kernel, p.d)
        self.name_ids(body)
        if not p.kernel.reducers:
            p.scopes[0] = "return;"
            self.private()
            print_body(p, body)
            return
        reducers = Reducers(p, p.kernel.local)
        reducers.begin()
        self.private()
        if structure.leaves(body, 0):
            label = p.names.fresh("done")
            p.scopes[0] = f"goto {label};"
            print_body(p, body, reducers.known)
            p.line(f"{label}:;")
        else:
            print_body(p, body, reducers.known)
        group = p.d.queries["group_id"].format(d=0) if self.flat else ""
        for d in reversed(range(0 if self.flat else p.kernel.ndim)):
            one = p.d.queries["group_id"].format(d=d)
            size = p.d.queries["group_range"].format(d=d)
            group = f"({group}) * {size} + {one}" if group else one
        groups = " * ".join(p.d.queries["group_range"].format(d=d)
                            for d in range(1 if self.flat else p.kernel.ndim))
        self.joined = reducers.end(self.linear(), group, groups)

    def in_group(self, name: str, dim: int) -> Text:
        """Return a query of an nd_range kernel."""
        p, local = self.p, self.p.kernel.local
        known = self.ids.get((name, dim))
        if known is not None:
            return known
        match name:
            case "local_range" | "max_local_range" | "logical_range":
                return Text(f"{local[dim]}")
            case "logical_id":
                return self.in_group("local_id", dim)
            case "linear":
                return self.linear()
            case "items":
                return Text(str(math.prod(local)))
            case "leader":
                return Text(f"{self.linear().c} == 0", EQUAL)
        if name.startswith("sub_group") and not p.d.sub_groups:
            return self.alone(name)
        if self.flat and not name.startswith("sub_group"):
            return self.flat_id(name, dim)
        return self.spell(name, dim)

    def flat_id(self, name: str, dim: int) -> Text:
        """Return a query of an nd_range whose items form one dimension of C."""
        p, local = self.p, self.p.kernel.local
        match name:
            case "local_id":
                text, inner = self.linear().c, math.prod(local[dim + 1:])
                text = f"{text} / {inner}" if inner > 1 else text
                return Text(f"{text} % {local[dim]}" if dim else text, PRODUCT)
            case "group_id" | "group_range":
                return self.flat_group(name, dim, "groups")
            case "global_range":
                return Text(f"{self.flat_group('group_range', dim, 'groups').c} * {local[dim]}",
                            PRODUCT)
            case "offset":
                return Text(p.argument("start", f"const {self.long}", f"start_{dim}", 0, dim))
        group, own = self.in_group("group_id", dim), self.in_group("local_id", dim)
        return Text(f"{group.at(PRODUCT)} * {local[dim]} + {own.at(PRODUCT)} + "
                    f"{self.flat_id('offset', dim).c}", SUM)

    def alone(self, name: str) -> Text:
        """Return a query of a sub-group where each item is one."""
        match name:
            case "sub_group_id":
                return self.linear()
            case "sub_group_local_id":
                return Text("0")
            case "sub_group_group_range":
                return Text(str(math.prod(self.p.kernel.local)))
        return Text("1")

    def linear(self) -> Text:
        """Return the position of an item in its work-group."""
        known = self.ids.get(("linear", 0))
        if known is None:
            text = self.linear_text()
            name = self.p.names.fresh("linear_id")
            self.p.top.append(f"const int {name} = {text};")
            known = self.ids["linear", 0] = Text(name)
        return known

    def linear_text(self) -> str:
        """Return the row-major position of an item in its work-group."""
        local, ndim = self.p.kernel.local, self.p.kernel.ndim
        if self.flat:
            return f"(int){self.p.d.queries['local_id'].format(d=0)}"
        text = ""
        for dim in range(ndim):
            one = f"(int){self.p.d.queries['local_id'].format(d=self.own(dim))}"
            size = str(local[dim]) if local else self.p.d.queries["local_size"].format(
                d=self.own(dim))
            text = f"({text}) * {size} + {one}" if text else one
        return text

    def work_group(self, body: n.Block) -> None:
        """A hierarchical kernel: group scope by every item alike, stores by the first of them."""
        p = self.p
        p.query = self.in_hierarchy
        p.at_group_scope = True
        p.scopes[0] = "return;"
        self.private()
        print_body(p, body)

    def in_hierarchy(self, name: str, dim: int) -> Text:
        """Return a query of a hierarchical kernel; the items of C form one dimension."""
        p, local = self.p, self.p.kernel.local
        match name:
            case "linear":
                return Text(f"({self.long}){p.d.queries['local_id'].format(d=0)}", UNARY)
            case "items":
                return Text(p.d.queries["local_size"].format(d=0))
            case "leader":
                return Text(f"{p.d.queries['local_id'].format(d=0)} == 0", EQUAL)
            case "group_id" | "group_range":
                return self.flat_group(name, dim)
            case "logical_range":
                return Text(p.extent[dim])
            case "local_range" | "max_local_range":
                return Text(f"{local[dim]}" if local else p.extent[dim] if p.extent else "1")
            case "local_id":
                own = p.query("logical_id", dim)
                return Text(f"({own.c}) % {local[dim]}", PRODUCT) if local else own
            case "global_range":
                groups, size = self.flat_group("group_range", dim), p.query("local_range", dim)
                return Text(f"{groups.at(PRODUCT)} * {size.at(UNARY)}", PRODUCT)
        return Text("0")

    def flat_group(self, name: str, dim: int, kind: str = "range") -> Text:
        """Return a query of groups that lie one after another in one dimension of C."""
        count = self.p.argument
        if name == "group_range":
            return Text(count(kind, f"const {self.long}", f"groups_{dim}", 0, dim))
        text = f"({self.long}){self.p.d.queries['group_id'].format(d=0)}"
        for d in range(self.p.kernel.ndim - 1, dim, -1):
            text = f"{text} / {self.flat_group('group_range', d, kind).c}"
        if dim > 0:
            text = f"{text} % {self.flat_group('group_range', dim, kind).c}"
        return Text(text, PRODUCT if "/" in text or "%" in text else UNARY)

