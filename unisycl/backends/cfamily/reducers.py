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
            for k, start in enumerate(self.start(r)):
                place = _word(at, r.words, k)
                p.line(f"{p.names.of(r.cells, r.cells.name)}[{place}] = {start};")
            p.depth -= 1
            p.line("}")
            if r.filled is not None:
                p.line(f"{declare_array(p, r.filled)[:-1]} = {{0}};")

    def declare(self, r: n.Reducer) -> list[str]:
        """Declare one accumulator; return its numbers."""
        p, names = self.p, []
        for k, start in enumerate(self.start(r)):
            names.append(p.names.fresh(r.acc.name) if k else p.names.of(r.acc, r.acc.name))
            p.line(f"{p.type(r.acc.type.dtype)} {names[-1]} = {start};")
        if r.valid is not None:
            p.line(f"bool {p.names.of(r.valid, r.valid.name)} = false;")
        return names

    def start(self, r: n.Reducer) -> list[str]:
        """Return what the numbers of an accumulator start with."""
        if r.identity is None:
            return [literal(0, r.acc.type.dtype, self.p.d)] * r.words
        return [emit(self.p, x).c for x in r.identity]

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
            accs, valid, place, closing = self.accumulators(r, group)
            shared, has = self.share(r, me, accs, valid)
            p.line(f"if ({me.c} == 0) {{")
            for word, array in enumerate(shared):
                p.line(f"    {partials}[{_word(place, r.words, word)}] = {array}[0];")
            if flags:
                p.line(f"    {flags}[{place}] = {has}[0];")
            p.line("}")
            if closing:
                p.line(p.d.group_barrier)
                p.depth -= 1
                p.line("}")

    def accumulators(self, r: n.Reducer, group: str) -> tuple[list[str], str, str, bool]:
        """Return an accumulator's numbers, its flag and place among the partials; True for a span.

        Of a span a loop over its variables is opened.
        """
        p = self.p
        if r.cells is None:
            valid = p.names.of(r.valid, r.valid.name) if r.valid is not None else ""
            return [p.names.of(r.acc, r.acc.name)], valid, group, False
        at = self.loop("cell", f"{r.extent}")
        valid = f"{p.names.of(r.filled, r.filled.name)}[{at}]" if r.filled is not None else ""
        cells = p.names.of(r.cells, r.cells.name)
        return ([f"{cells}[{_word(at, r.words, k)}]" for k in range(r.words)], valid,
                f"({group}) * {r.extent} + {at}", True)

    def share(self, r: n.Reducer, me: Text, accs: list[str],
              valid: str) -> tuple[list[str], str]:
        """Join a group's accumulators in local memory; return the arrays of numbers and flags."""
        p, local = self.p, self.p.d.spaces[address_space.local_space]
        shared, has = [p.names.fresh(f"shared_{r.acc.name}") for _ in accs], ""
        for array, acc in zip(shared, accs, strict=True):
            p.top.append(f"{local} {p.storage(r.acc.type.dtype)} {array}[{self.count}];")
            p.line(f"{array}[{me.c}] = {acc};")
        if valid:
            has = p.names.fresh(f"has_{r.acc.name}")
            p.top.append(f"{local} uchar {has}[{self.count}];")
            p.line(f"{has}[{me.c}] = {valid};")
        p.line(p.d.group_barrier)
        if self.count > 1:
            self.tree(r, shared, has, me)
        return shared, has

    def tree(self, r: n.Reducer, shared: list[str], has: str, me: Text) -> None:
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

    def join(self, r: n.Reducer, shared: list[str], has: str, to: str, other: str) -> None:
        """Join two elements inside an open block, and close it."""
        p = self.p
        p.depth += 1
        both = [f"{array}[{to}]" for array in shared], [f"{array}[{other}]" for array in shared]
        if not has:
            self.combine(r, *both)
        else:
            p.line(f"if ({has}[{other}] && {has}[{to}]) {{")
            p.depth += 1
            self.combine(r, *both)
            p.depth -= 1
            p.line(f"}} else if ({has}[{other}]) {{")
            for array in shared:
                p.line(f"    {array}[{to}] = {array}[{other}];")
            p.line(f"    {has}[{to}] = 1;")
            p.line("}")
        p.depth -= 1
        p.line("}")

    def combine(self, r: n.Reducer, to: list[str], other: list[str]) -> None:
        """Print ``to = op(to, other)``."""
        given = [*zip(r.left, to, strict=True), *zip(r.right, other, strict=True)]
        self.run(r.combine, given, list(zip(to, r.result, strict=True)))

    def run(self, block: n.Block, given: list[tuple[n.Local, str]],
            results: list[tuple[str, n.Local]]) -> None:
        """Print a block between what its locals start with and where its results go."""
        p = self.p
        p.line("{")
        p.depth += 1
        for local, value in given:
            p.line(f"const {p.type(local.type.dtype)} {p.names.of(local, local.name)} = {value};")
        print_body(p, block, frozenset(local for local, _ in given))
        for place, local in results:
            p.line(f"{place} = {p.names.of(local, local.name)};")
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
        _finish_one(p, reducers, k, r, cell, count, reducers.declare(r))
        if r.cells is not None:
            p.line(p.d.group_barrier)
            p.depth -= 1
            p.line("}")
        p.depth -= 1
        p.line("}")


def _word(place: str, words: int, k: int) -> str:
    """Return the place of one number of a variable."""
    return place if words == 1 else f"({place}) * {words} + {k}"


def _finish_one(p: Printer, reducers: Reducers, k: int, r: n.Reducer, cell: str,
                count: str, accs: list[str]) -> None:
    """Join the partial results of one variable into it."""
    space, me = p.d.spaces[address_space.global_space], p.d.queries["local_id"].format(d=0)
    stored, long = p.storage(r.acc.type.dtype), p.d.types["int64"]
    partials = p.argument("partials", f"{space} const {stored} *".lstrip(), f"partials_{k}", k)
    memory = p.storage(r.stored.bits.type.dtype) if r.stored is not None else stored
    target = p.argument("view", f"{space} {memory} *".lstrip(), f"target_{k}", k)
    if p.d.offsets:
        p.argument("offset", f"const {long}", f"target_{k}_at", k)
    keep = p.argument("keep", f"const {p.d.types['int32']}", f"keep_{k}", k)
    at = p.names.fresh("part")
    place = at if r.cells is None else f"{at} * {r.extent} + {cell}"
    p.line(f"for ({long} {at} = {me}; {at} < {count}; {at} += {FINISH_ITEMS}) {{")
    p.depth += 1
    valid = ""
    parts = [f"{partials}[{_word(place, r.words, word)}]" for word in range(r.words)]
    if r.valid is not None:
        flags = p.argument("flags", f"{space} const uchar *".lstrip(), f"flags_{k}", k)
        valid = p.names.of(r.valid, r.valid.name)
        p.line(f"if (!{flags}[{place}]) continue;")
        first = " ".join(f"{acc} = {part};" for acc, part in zip(accs, parts, strict=True))
        p.line(f"if (!{valid}) {{ {first} {valid} = true; continue; }}")
    reducers.combine(r, accs, parts)
    p.depth -= 1
    p.line("}")
    shared, has = reducers.share(r, Text(me), accs, valid)
    p.line(f"if ({me} == 0) {{")
    p.depth += 1
    targets = [f"{target}[{_word(cell, r.words, word)}]" for word in range(r.words)]
    _write(p, reducers, r, shared, has, targets, keep)
    p.depth -= 1
    p.line("}")


def _write(p: Printer, reducers: Reducers, r: n.Reducer, shared: list[str], has: str,
           targets: list[str], keep: str) -> None:
    """Join the result with the old value where that counts, and store it."""
    condition = f"{has}[0] && {keep}" if has else keep
    p.line(f"if ({condition}) {{")
    p.depth += 1
    totals = [f"{array}[0]" for array in shared]
    if r.stored is None:
        reducers.combine(r, totals, targets)
    else:
        old = p.names.fresh("old")
        p.line(f"{p.type(r.acc.type.dtype)} {old};")
        reducers.run(r.stored.load, [(r.stored.bits, targets[0])], [(old, r.left[0])])
        reducers.combine(r, totals, [old])
    p.depth -= 1
    p.line("}")
    where = f"if ({has}[0]) " if has else ""
    if r.stored is None:
        for target, total in zip(targets, totals, strict=True):
            p.line(f"{where}{target} = {total};")
        return
    if where:
        p.line(where)
    reducers.run(r.stored.store, [(r.result[0], totals[0])], [(targets[0], r.stored.bits)])
