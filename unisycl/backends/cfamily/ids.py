"""Ids and ranges of work-items in C, for each kind of index space.

Those a kernel uses get names at its start. Non-goals: the loops and guards around its body
(``kernel``). Invariant: an id is of 64 bits unless ``positions`` has shown that 32 do.
"""

from __future__ import annotations

import math

from unisycl.backends.cfamily.printer import EQUAL, PRODUCT, SUM, TERNARY, UNARY, Printer, Text
from unisycl.base.dtypes import DType
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import INT64

_KINDS = ("global_id", "local_id", "group_id", "sub_group_id", "sub_group_local_id")


class Ids:
    """The ids of one kernel, and how it asks for them.

    ``known`` are those that have names, by query and dimension. ``small``, ``offset`` and ``flat``
    are as in ``kernel.Form``.
    """

    def __init__(self, p: Printer, *, small: bool, offset: bool, flat: bool) -> None:
        self.p = p
        self.small = small
        self.offset = offset
        self.flat = flat
        self.long = p.d.types["int64"]
        self.known: dict[tuple[str, int], Text] = {}

    def used(self, body: n.Block, dtype: DType | None = None) -> set[tuple[str, int]]:
        """Return the queries that a body makes, or those of one type."""
        return {(x.name, x.dim) for x in visit.all_expressions(body) if isinstance(x, n.Query)
                and (dtype is None or x.type.dtype is dtype)}

    def own(self, dim: int) -> int:
        """Return the dialect's number of a dimension: its dimension 0 is the fastest."""
        return self.p.kernel.ndim - 1 - dim

    def spell(self, name: str, dim: int) -> Text:
        """Return a query in the dialect, as a long."""
        if name == "offset" and name not in self.p.d.queries:
            return Text(self.start(dim) or "0")
        if name == "global_id":
            whole = self.id(name, dim)
            return Text(f"({self.long}){f'({whole})' if ' ' in whole else whole}", UNARY)
        return Text(f"({self.long}){self.p.spelt(name, self.own(dim))}", UNARY)

    def start(self, dim: int) -> str:
        """Return the argument that says where ids begin; '' where that is at 0."""
        if not self.offset:
            return ""
        return self.p.argument("start", f"const {self.long}", f"start_{dim}", 0, dim)

    def name(self, body: n.Block, extra: tuple[tuple[str, int], ...] = ()) -> None:
        """Give the ids that a body uses names, at its start."""
        many = self.p.kernel.ndim > 1
        wide = self.used(body, INT64.dtype)
        for name, dim in sorted(self.used(body) | set(extra)):
            if name in _KINDS and (name, dim) not in self.known:
                wish = f"{name}_{dim}" if many and not name.startswith("sub") else name
                known, type = self.p.names.fresh(wish), self.long
                if self.small and (name, dim) not in wide:
                    self.p.small_ids.add((name, dim))
                    type = self.p.d.types["int32"]
                self.p.line(f"const {type} {known} = {self.id(name, dim)};")
                self.known[name, dim] = Text(known)

    def id(self, name: str, dim: int) -> str:
        """Return what an id is made of."""
        if name.startswith("sub_group") and not self.p.d.sub_groups:
            return "0" if name == "sub_group_local_id" else self.linear().c
        if name.startswith("sub_group") and self.p.d.warp:
            return self.in_warp(name).c
        if self.flat and not name.startswith("sub_group"):
            return self.flat_id(name, dim).c
        text = self.p.spelt(name, self.own(dim))
        start = self.start(dim) if name == "global_id" else ""
        return f"{text} + {start}" if start else text

    def linear(self) -> Text:
        """Return the position of an item in its work-group."""
        known = self.known.get(("linear", 0))
        if known is None:
            text = self.linear_text()
            name = self.p.names.fresh("linear_id")
            self.p.top.append(f"const int {name} = {text};")
            known = self.known["linear", 0] = Text(name)
        return known

    def linear_text(self) -> str:
        """Return the row-major position of an item in its work-group."""
        local, ndim = self.p.kernel.local, self.p.kernel.ndim
        if self.flat:
            return f"(int){self.p.spelt('local_id', 0)}"
        text = ""
        for dim in range(ndim):
            one = f"(int){self.p.spelt('local_id', self.own(dim))}"
            size = str(local[dim]) if local else self.p.spelt("local_size", self.own(dim))
            text = f"({text}) * {size} + {one}" if text else one
        return text

    def flat_group(self, name: str, dim: int, kind: str = "range") -> Text:
        """Return a query of groups that lie one after another in one dimension of C."""
        count = self.p.argument
        if name == "group_range":
            return Text(count(kind, f"const {self.long}", f"groups_{dim}", 0, dim))
        text = f"({self.long}){self.p.spelt('group_id', 0)}"
        for d in range(self.p.kernel.ndim - 1, dim, -1):
            text = f"{text} / {self.flat_group('group_range', d, kind).c}"
        if dim > 0:
            text = f"{text} % {self.flat_group('group_range', dim, kind).c}"
        return Text(text, PRODUCT if "/" in text or "%" in text else UNARY)

    def in_range(self, name: str, dim: int) -> Text:
        """Return a query of a range kernel."""
        if name == "global_range":
            return Text(self.p.argument("range", f"const {self.long}", f"range_{dim}", 0, dim))
        if name == "offset" and self.p.kernel.reducers:
            return Text(self.p.argument("start", f"const {self.long}", f"start_{dim}", 0, dim))
        return self.known.get((name, dim)) or self.spell(name, dim)

    def in_group(self, name: str, dim: int) -> Text:
        """Return a query of an nd_range kernel."""
        p, local = self.p, self.p.kernel.local
        known = self.known.get((name, dim))
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
        if name.startswith("sub_group") and p.d.warp:
            return self.in_warp(name)
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
            case "offset" if "offset" not in p.d.queries:
                return Text(self.start(dim) or "0")
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

    def in_warp(self, name: str) -> Text:
        """Return a query of a sub-group whose items follow one another in the work-group."""
        size, count, me = self.p.d.warp, math.prod(self.p.kernel.local), self.linear().c
        match name:
            case "sub_group_id":
                return Text(f"{me} / {size}", PRODUCT)
            case "sub_group_local_id":
                return Text(f"{me} % {size}", PRODUCT)
            case "sub_group_group_range":
                return Text(str(-(-count // size)))
            case "sub_group_max_local_range":
                return Text(str(min(size, count)))
        rest = count % size
        if not rest or count < size:
            return Text(str(rest or size))
        return Text(f"{me} < {count - rest} ? {size} : {rest}", TERNARY)

    def in_hierarchy(self, name: str, dim: int) -> Text:
        """Return a query of a hierarchical kernel; the items of C form one dimension."""
        p, local = self.p, self.p.kernel.local
        match name:
            case "linear":
                return Text(f"({self.long}){p.spelt('local_id', 0)}", UNARY)
            case "items":
                return Text(p.spelt("local_size", 0))
            case "leader":
                return Text(f"{p.spelt('local_id', 0)} == 0", EQUAL)
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
