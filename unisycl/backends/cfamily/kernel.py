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

from unisycl.backends.cfamily import foreign, memory, partings, printing
from unisycl.backends.cfamily.dialect import Dialect
from unisycl.backends.cfamily.ids import Ids
from unisycl.backends.cfamily.printer import (
    Argument,
    Printer,
    Text,
)
from unisycl.backends.cfamily.reducers import FINISH_ITEMS, Reducers, print_finish
from unisycl.backends.cfamily.signs import meet
from unisycl.backends.cfamily.statements import print_body
from unisycl.backends.reports import Site
from unisycl.base.dtypes import INT32
from unisycl.base.enums import address_space, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.stored_parameters import stored
from unisycl.ir.types import INT64, Scalar
from unisycl.passes import pipeline
from unisycl.passes.clike import apart, structure


@dataclass(frozen=True, slots=True)
class Form:
    """How the C kernel is launched.

    ``guards``: dimensions whose work-items may exceed the range. ``local``: the size of a
    work-group where it is fixed. ``items``: how many of a range's items one of C takes, a
    work-group apart from each other. ``shapes``: the extents of local memory that are known, by the
    numbers of its parameters. ``small``: ``passes.clike.positions`` has run, so the extents that it
    speaks of are ints. ``same``: views and those whose pitches they have, by their numbers.
    ``distinct``: views that overlap no other memory of a launch. ``offset``: ids may begin
    elsewhere than at 0, in dialects where a launch cannot say so. ``flat``: the work-groups lie in
    one dimension of C, and so do the items of a range.
    """

    guards: tuple[int, ...] = ()
    local: tuple[int, ...] = ()
    items: int = 1
    shapes: tuple[tuple[int, tuple[int, ...]], ...] = ()
    small: bool = False
    same: tuple[tuple[int, int], ...] = ()
    distinct: tuple[int, ...] = ()
    offset: bool = False
    flat: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a kernel and how to call it.

    ``finish`` are the arguments of the second kernel; ``flat``: the work-items of an nd_range form
    one dimension of C, so that sub-groups follow their linear order. ``local_bytes``: how much of
    the local memory that a launch lays out is the kernel's own; it lies at the beginning.
    ``apart``: pairs of parameters whose views must not overlap.
    """

    text: str
    name: str
    arguments: tuple[Argument, ...]
    finish_name: str = ""
    finish: tuple[Argument, ...] = ()
    flat: bool = False
    sites: tuple[Site, ...] = ()
    items: int = 1
    local_bytes: int = 0
    apart: tuple[tuple[int, int], ...] = ()


def print_kernel(kernel: n.Kernel, dialect: Dialect, form: Form,
                 exact: frozenset[int] = frozenset()) -> Source:
    """Return a kernel as C text."""
    facts = pipeline.Facts(own={"unwrapped": _unwrapped, "records": functools.partial(
        printing.run, sub_groups=dialect.sub_groups)}, rolled=dialect.keeps_loops)
    kernel = pipeline.run(kernel, "clike", "print", facts)
    p = Printer(kernel, dialect, exact)
    p.local_shapes, p.small, p.same = dict(form.shapes), form.small, dict(form.same)
    p.distinct = frozenset(form.distinct if dialect.distinct else ())
    p.constant = p.distinct - stored(kernel) if p.distinct else p.distinct
    pairs = apart.pairs(kernel, sorted(p.distinct))
    functions = foreign.called(kernel)
    for function in functions:
        p.names.avoid(function.words())
    name = p.names.fresh(kernel.name)
    for known, wish in facts.names.items():
        p.names.of(known, wish)
    printed = _Kind(p, form)
    body = p.body = pipeline.run(kernel, "clike", "body", facts).body
    if dialect.members is not None and kernel.index_kind == "nd_range":
        p.parted = partings.found(kernel, body)
        p.left_apart = partings.loops(kernel, body)
    printed.print(body)
    flat = printed.ids.flat
    size = (math.prod(form.local),) if flat and form.local else form.local
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
    return Source(whole, name, arguments, finish_name, tuple(p.arguments) if finish_name else (),
                  flat, tuple(p.sites), form.items, printed.local_bytes, pairs)


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
    if not dialect.sub_groups or dialect.warp:
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
        self.ids = Ids(p, small=form.small, offset=form.offset,
                       flat=form.flat or is_flat(p.kernel, p.d))
        self.joined = False
        self.local_bytes = 0

    def print(self, body: n.Block) -> None:
        """Print the body with what comes before and after it."""
        p, kernel = self.p, self.p.kernel
        self.local_bytes = memory.declare_local(p, kernel.arrays)
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
        p.query = self.ids.in_range
        p.scopes[0] = "return;"
        if p.kernel.reducers:
            self.rounds(body)
            return
        if self.form.items > 1:
            self.side_by_side(body)
            return
        if self.form.flat:
            self.in_a_row(body)
            return
        self.ids.name(body, tuple(("global_id", d) for d in self.form.guards))
        for d in self.form.guards:
            self.guard(d)
        self.private()
        print_body(p, body)

    def in_a_row(self, body: n.Block) -> None:
        """A range whose items form one dimension of C."""
        p = self.p
        count, item = p.argument("count", f"const {self.long}", "count"), p.names.fresh("item")
        p.line(f"const {self.long} {item} = {p.spelt('global_id', 0)};")
        p.line(f"if ({item} >= {count}) return;")
        self.place_of(item, body)
        self.private()
        print_body(p, body)

    def guard(self, dim: int) -> None:
        """Return from items beyond the range.

        On processors only those look that are in a group at the end of it: without that question,
        which has one answer for a group, compilers vectorise all the others.
        """
        p, one = self.p, self.ids.known["global_id", dim].c
        last = p.argument("last", f"const {self.long}", f"last_{dim}", 0, dim)
        beyond = f"{one} >= {last}"
        if p.d.serial_groups:
            all_, own, size = (p.spelt(q, self.ids.own(dim)) for q in (
                "global_id", "local_id", "local_size"))
            beyond = f"({self.long})({all_} - {own} + {size}) > {last} && {beyond}"
        p.line(f"if ({beyond}) return;")

    def side_by_side(self, body: n.Block) -> None:
        """A range of which each item of C takes several, one in each part of its work-group's."""
        p, count = self.p, self.form.items
        last = p.argument("last", f"const {self.long}", "last_0", 0, 0)
        size, own, group = (p.spelt(q, 0) for q in ("local_size", "local_id", "group_id"))
        start = p.spelt("offset", 0) if "offset" in p.d.queries else self.ids.start(0) or "0"
        step, first = p.names.fresh("stride"), p.names.fresh("first")
        p.line(f"const {self.long} {step} = {size};")
        p.line(f"const {self.long} {first} = {start} + {group} * ({step} * {count}) + {own};")
        wide = not self.form.small or ("global_id", 0) in self.ids.used(body, INT64.dtype)
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
        self.ids.known["global_id", 0] = Text(one)
        print_body(p, body)
        for _ in range(2):
            p.depth -= 1
            p.line("}")

    def rounds(self, body: n.Block) -> None:
        """A range with reductions: each item of C takes every so many of the kernel's."""
        p, many = self.p, self.form.items
        alone = p.d.serial_groups and many > 1
        reducers = Reducers(p, self.form.local, many if alone else 1)
        reducers.begin()
        self.private()
        count = p.argument("count", f"const {self.long}", "count")
        item, end, step, far = self.way(count)
        if many > 1:
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
        self.joined = reducers.end(Text(p.spelt("local_id", 0)),
                                   p.spelt("group_id", 0),
                                   p.spelt("group_range", 0))

    def one(self, item: str, body: n.Block, reducers: Reducers, lane: str) -> None:
        """Print the body for the item at a linear position of the range."""
        if lane:
            reducers.take_lane(lane)
        self.place_of(item, body)
        self.left(body, reducers, "next_item")
        if lane:
            reducers.keep_lane(lane)

    def left(self, body: n.Block, reducers: Reducers, label: str) -> None:
        """Print a body whose returns go behind it."""
        p = self.p
        if not structure.leaves(body, 0):
            print_body(p, body, reducers.known)
            return
        label = p.names.fresh(label)
        p.scopes[0] = f"goto {label};"
        if p.d.scoped_jumps:
            reducers.open("{")
        print_body(p, body, reducers.known)
        reducers.close(p.d.scoped_jumps)
        p.line(f"{label}:;")

    def way(self, count: str) -> tuple[str, str, str, str]:
        """Start the way of an item of C round the range; return its place, end and steps.

        It takes every so many of all, or of its group's: a processor's caches like what a group
        works on to lie together, and so do loads that a card has under way. The second step is that
        from one go to the next.
        """
        p, size = self.p, self.form.local[0]
        own, all_, group, groups, local = (p.spelt(q, 0) for q in (
            "global_id", "global_size", "group_id", "group_range", "local_id"))
        item, step, many = p.names.fresh("item"), p.names.fresh("stride"), self.form.items
        if not p.d.serial_groups:
            p.line(f"const {self.long} {step} = {all_}{f' * {many}' if many > 1 else ''};")
            if many == 1:
                p.line(f"{self.long} {item} = {own};")
                return item, count, step, step
            p.line(f"{self.long} {item} = ({self.long}){group} * {size * many} + {local};")
            return item, count, f"{size}", step
        size *= many
        part, end = p.names.fresh("part"), p.names.fresh("end")
        whole = f"{groups} * {size}"
        p.line(f"const {self.long} {part} = ({count} + {whole} - 1) / ({whole}) * {size};")
        p.line(f"const {self.long} {end} = min({count}, ({self.long})({group} + 1) * {part});")
        p.line(f"{self.long} {item} = {group} * {part} + {local};")
        return item, end, f"{size}", f"{self.form.items}"

    def place_of(self, item: str, body: n.Block) -> None:
        """Name the ids of the item at a linear position of the range."""
        p, ndim = self.p, self.p.kernel.ndim
        for name, dim in sorted(self.ids.used(body)):
            if name != "global_id":
                continue
            text = item
            for d in range(ndim - 1, dim, -1):
                text = f"{text} / {self.ids.in_range('global_range', d).c}"
            if dim > 0:
                text = f"{text} % {self.ids.in_range('global_range', dim).c}"
            known = p.names.fresh(f"global_id_{dim}" if ndim > 1 else "global_id")
            p.line(f"const {self.long} {known} = {text} + {self.ids.in_range('offset', dim).c};")
            self.ids.known[name, dim] = Text(known)

    # ---- work-groups
    def nd_range(self, body: n.Block) -> None:
        """An nd_range: the dialect's own work-groups."""
        p = self.p
        p.query = self.ids.in_group
        self.ids.name(body)
        if not p.kernel.reducers:
            p.scopes[0] = "return;"
            self.private()
            print_body(p, body)
            return
        reducers = Reducers(p, p.kernel.local)
        reducers.begin()
        self.private()
        self.left(body, reducers, "done")
        group = p.spelt("group_id", 0) if self.ids.flat else ""
        for d in reversed(range(0 if self.ids.flat else p.kernel.ndim)):
            one = p.spelt("group_id", d)
            size = p.spelt("group_range", d)
            group = f"({group}) * {size} + {one}" if group else one
        groups = " * ".join(p.spelt("group_range", d)
                            for d in range(1 if self.ids.flat else p.kernel.ndim))
        self.joined = reducers.end(self.ids.linear(), group, groups)

    def work_group(self, body: n.Block) -> None:
        """A hierarchical kernel: group scope by every item alike, stores by the first of them."""
        p = self.p
        p.query = self.ids.in_hierarchy
        p.at_group_scope = True
        p.scopes[0] = "return;"
        self.private()
        print_body(p, body)
