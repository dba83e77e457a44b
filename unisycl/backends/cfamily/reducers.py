"""Reductions in C: each item's accumulators, joined per work-group, then over the groups.

A span of variables is one reducer with an array of accumulators, joined one after another.
Non-goals: how ``combine`` is lowered (front end). Invariant: the order of combining depends on the
launch only, so a launch repeated gives the same bits (SYCL 2020 §4.9.2).
"""

from __future__ import annotations

import math

from unisycl.backends.cfamily.expressions import emit
from unisycl.backends.cfamily.literals import literal
from unisycl.backends.cfamily.memory import declare_array
from unisycl.backends.cfamily.printer import Printer, Text
from unisycl.backends.cfamily.statements import print_body
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n

FINISH_ITEMS = 64
"""The work-group that joins the partial results of all others."""


class Reducers:
    """Prints the reducers of a kernel around its body; ``local`` is the work-group's size."""

    def __init__(self, p: Printer, local: tuple[int, ...]) -> None:
        self.p = p
        self.count = math.prod(local)
        self.known = frozenset(x for r in p.kernel.reducers for x in (r.acc, r.valid) if x)

    def begin(self) -> None:
        """Start the accumulators: they hold the identity, or nothing yet."""
        p = self.p
        for r in p.kernel.reducers:
            if r.cells is None:
                self.declare(r)
                continue
            p.line(declare_array(p, r.cells))
            at = self.loop("cell", f"{r.extent}")
            p.line(f"{p.names.of(r.cells, r.cells.name)}[{at}] = {self.start(r)};")
            p.depth -= 1
            p.line("}")
            if r.filled is not None:
                p.line(f"{declare_array(p, r.filled)[:-1]} = {{0}};")

    def declare(self, r: n.Reducer) -> None:
        """Declare one accumulator."""
        p = self.p
        p.line(f"{p.type(r.acc.type.dtype)} {p.names.of(r.acc, r.acc.name)} = {self.start(r)};")
        if r.valid is not None:
            p.line(f"bool {p.names.of(r.valid, r.valid.name)} = false;")

    def start(self, r: n.Reducer) -> str:
        """Return what an accumulator starts with."""
        if r.identity is None:
            return literal(0, r.acc.type.dtype, self.p.d)
        return emit(self.p, r.identity).c

    def loop(self, name: str, stop: str) -> str:
        """Open a loop that counts; return its variable."""
        at = self.p.names.fresh(name)
        self.p.line(f"for (int {at} = 0; {at} < {stop}; {at}++) {{")
        self.p.depth += 1
        return at

    def end(self, me: Text, group: str) -> None:
        """Join the items of each group and write the partial result of group number ``group``."""
        p = self.p
        for k, r in enumerate(p.kernel.reducers):
            space = p.d.spaces[address_space.global_space]
            stored = p.storage(r.acc.type.dtype)
            partials = p.argument("partials", f"{space} {stored} *".lstrip(), f"partials_{k}", k)
            flags = ""
            if r.valid is not None:
                flags = p.argument("flags", f"{space} uchar *".lstrip(), f"flags_{k}", k)
            acc, valid, place, closing = self.accumulators(r, group)
            shared, has = self.share(r, me, acc, valid)
            p.line(f"if ({me.c} == 0) {{")
            p.line(f"    {partials}[{place}] = {shared}[0];")
            if flags:
                p.line(f"    {flags}[{place}] = {has}[0];")
            p.line("}")
            if closing:
                p.line(p.d.group_barrier)
                p.depth -= 1
                p.line("}")

    def accumulators(self, r: n.Reducer, group: str) -> tuple[str, str, str, bool]:
        """Return an accumulator, its flag, its place among the partials, and True for a span.

        Of a span a loop over its variables is opened.
        """
        p = self.p
        if r.cells is None:
            valid = p.names.of(r.valid, r.valid.name) if r.valid is not None else ""
            return p.names.of(r.acc, r.acc.name), valid, group, False
        at = self.loop("cell", f"{r.extent}")
        valid = f"{p.names.of(r.filled, r.filled.name)}[{at}]" if r.filled is not None else ""
        return (f"{p.names.of(r.cells, r.cells.name)}[{at}]", valid,
                f"({group}) * {r.extent} + {at}", True)

    def share(self, r: n.Reducer, me: Text, acc: str, valid: str) -> tuple[str, str]:
        """Join the accumulators of a group in local memory; return the names of the two arrays."""
        p, local = self.p, self.p.d.spaces[address_space.local_space]
        shared, has = p.names.fresh(f"shared_{r.acc.name}"), ""
        p.top.append(f"{local} {p.storage(r.acc.type.dtype)} {shared}[{self.count}];")
        p.line(f"{shared}[{me.c}] = {acc};")
        if valid:
            has = p.names.fresh(f"has_{r.acc.name}")
            p.top.append(f"{local} uchar {has}[{self.count}];")
            p.line(f"{has}[{me.c}] = {valid};")
        p.line(p.d.group_barrier)
        if self.count > 1:
            self.tree(r, shared, has, me)
        return shared, has

    def tree(self, r: n.Reducer, shared: str, has: str, me: Text) -> None:
        """Join the elements of a group into the first one; ends with a barrier."""
        p, count = self.p, self.count
        at = p.names.fresh("step")
        if p.d.serial_groups:
            p.line(f"if ({me.c} == 0) {{")
            p.depth += 1
            p.line(p.d.rolled)
            p.line(f"for (int {at} = 1; {at} < {count}; {at}++) {{")
            self.join(r, shared, has, "0", at)
            p.depth -= 1
            p.line("}")
            p.line(p.d.group_barrier)
            return
        first = 1 << max(0, (count - 1).bit_length() - 1)
        bound = f" && {me.c} + {at} < {count}" if count & (count - 1) else ""
        p.line(f"for (int {at} = {first}; {at} > 0; {at} >>= 1) {{")
        p.depth += 1
        p.line(f"if ({me.c} < {at}{bound}) {{")
        self.join(r, shared, has, me.c, f"{me.c} + {at}")
        p.line(p.d.group_barrier)
        p.depth -= 1
        p.line("}")

    def join(self, r: n.Reducer, shared: str, has: str, to: str, other: str) -> None:
        """Join two elements inside an open block, and close it."""
        p = self.p
        p.depth += 1
        if not has:
            self.combine(r, f"{shared}[{to}]", f"{shared}[{other}]")
        else:
            p.line(f"if ({has}[{other}] && {has}[{to}]) {{")
            p.depth += 1
            self.combine(r, f"{shared}[{to}]", f"{shared}[{other}]")
            p.depth -= 1
            p.line(f"}} else if ({has}[{other}]) {{")
            p.line(f"    {shared}[{to}] = {shared}[{other}];")
            p.line(f"    {has}[{to}] = 1;")
            p.line("}")
        p.depth -= 1
        p.line("}")

    def combine(self, r: n.Reducer, to: str, other: str) -> None:
        """Print ``to = op(to, other)``."""
        p = self.p
        p.line("{")
        p.depth += 1
        type = p.type(r.acc.type.dtype)
        for local, value in ((r.left, to), (r.right, other)):
            p.line(f"const {type} {p.names.of(local, local.name)} = {value};")
        print_body(p, r.combine, frozenset((r.left, r.right)))
        p.line(f"{to} = {p.names.of(r.result, r.result.name)};")
        p.depth -= 1
        p.line("}")


def print_finish(p: Printer) -> None:
    """Print the kernel that joins the partial results of all work-groups."""
    reducers = Reducers(p, (FINISH_ITEMS,))
    count = p.argument("count", f"const {p.d.types['int64']}", "count")
    for k, r in enumerate(p.kernel.reducers):
        p.line("{")
        p.depth += 1
        cell = reducers.loop("cell", f"{r.extent}") if r.cells is not None else "0"
        reducers.declare(r)
        _finish_one(p, reducers, k, r, cell, count)
        if r.cells is not None:
            p.line(p.d.group_barrier)
            p.depth -= 1
            p.line("}")
        p.depth -= 1
        p.line("}")


def _finish_one(p: Printer, reducers: Reducers, k: int, r: n.Reducer, cell: str,
                count: str) -> None:
    """Join the partial results of one variable into it."""
    space, me = p.d.spaces[address_space.global_space], p.d.queries["local_id"].format(d=0)
    stored, long = p.storage(r.acc.type.dtype), p.d.types["int64"]
    partials = p.argument("partials", f"{space} const {stored} *".lstrip(), f"partials_{k}", k)
    target = p.argument("view", f"{space} {stored} *".lstrip(), f"target_{k}", k)
    if p.d.offsets:
        p.argument("offset", f"const {long}", f"target_{k}_at", k)
    keep = p.argument("keep", f"const {p.d.types['int32']}", f"keep_{k}", k)
    acc, at = p.names.of(r.acc, r.acc.name), p.names.fresh("part")
    place = at if r.cells is None else f"{at} * {r.extent} + {cell}"
    p.line(f"for ({long} {at} = {me}; {at} < {count}; {at} += {FINISH_ITEMS}) {{")
    p.depth += 1
    valid = ""
    if r.valid is not None:
        flags = p.argument("flags", f"{space} const uchar *".lstrip(), f"flags_{k}", k)
        valid = p.names.of(r.valid, r.valid.name)
        p.line(f"if (!{flags}[{place}]) continue;")
        p.line(f"if (!{valid}) {{ {acc} = {partials}[{place}]; {valid} = true; continue; }}")
    reducers.combine(r, acc, f"{partials}[{place}]")
    p.depth -= 1
    p.line("}")
    shared, has = reducers.share(r, Text(me), acc, valid)
    p.line(f"if ({me} == 0) {{")
    p.depth += 1
    _write(p, reducers, r, shared, has, f"{target}[{cell}]", keep)
    p.depth -= 1
    p.line("}")


def _write(p: Printer, reducers: Reducers, r: n.Reducer, shared: str, has: str, target: str,
           keep: str) -> None:
    """Join the result with the old value where that counts, and store it."""
    condition = f"{has}[0] && {keep}" if has else keep
    p.line(f"if ({condition}) {{")
    p.depth += 1
    reducers.combine(r, f"{shared}[0]", target)
    p.depth -= 1
    p.line("}")
    p.line(f"{f'if ({has}[0]) ' if has else ''}{target} = {shared}[0];")
