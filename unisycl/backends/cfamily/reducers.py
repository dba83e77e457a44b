"""Reductions in C: each item's accumulators, joined per work-group, then over the groups.

The work-group that is the last to write its partial results joins them all; where a device promises
no order of memory between work-groups, and in kernels that report, a second kernel does. A span of
variables is one reducer with an array of accumulators, joined one after another. Non-goals: how
``combine`` is lowered (front end). Invariant: the order of combining depends on the launch only, so
a launch repeated gives the same bits (SYCL 2020 §4.9.2).
"""

from __future__ import annotations

import math

from unisycl.backends.cfamily.collectives import by_fours, others
from unisycl.backends.cfamily.expressions import emit
from unisycl.backends.cfamily.memory import declare_array
from unisycl.backends.cfamily.printer import Printer, Text
from unisycl.backends.cfamily.statements import print_body
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n

FINISH_ITEMS = 64
"""The work-group of the second kernel, which joins the partial results of all others."""


class Reducers:
    """Prints the reducers of a kernel around its body; ``local`` is the work-group's size.

    ``lanes``: how many accumulators an item has of each variable, none of them a span's.
    """

    def __init__(self, p: Printer, local: tuple[int, ...], lanes: int = 1) -> None:
        self.p = p
        self.count = math.prod(local)
        self.lanes = lanes
        self.known = frozenset(x for r in p.kernel.reducers for x in (r.acc, r.valid) if x)

    def begin(self) -> None:
        """Start the accumulators: they hold the identity, or nothing yet."""
        p = self.p
        for r in p.kernel.reducers:
            if self.lanes > 1:
                p.line(f"{p.type(r.acc.type.dtype)} {self.lane(r)}[{self.lanes}];")
                at = self.loop("lane", f"{self.lanes}")
                p.line(f"{self.lane(r)}[{at}] = {self.start(r)[0]};")
                self.close(1)
                continue
            if r.cells is None:
                self.declare(r)
                continue
            p.line(declare_array(p, r.cells))
            if r.filled is not None:
                p.line(declare_array(p, r.filled))
            at = self.loop("cell", f"{r.extent}")
            for k, start in enumerate(self.start(r)):
                place = _word(at, r.words, k)
                p.line(f"{p.names.of(r.cells, r.cells.name)}[{place}] = {start};")
            if r.filled is not None:  # PoCL 3 loses some of what follows "= {0}"
                p.line(f"{p.names.of(r.filled, r.filled.name)}[{at}] = 0;")
            p.depth -= 1
            p.line("}")

    def lane(self, r: n.Reducer) -> str:
        """Return the name of the accumulators of an item's lanes."""
        return self.p.names.of(("lanes", r.index), f"lanes_{r.acc.name}")

    def take_lane(self, at: str) -> None:
        """Have the accumulators of one lane ready for the body."""
        p = self.p
        for r in p.kernel.reducers:
            p.line(f"{p.type(r.acc.type.dtype)} {p.names.of(r.acc, r.acc.name)} = "
                   f"{self.lane(r)}[{at}];")

    def keep_lane(self, at: str) -> None:
        """Keep what the body made of the accumulators of one lane."""
        for r in self.p.kernel.reducers:
            self.p.line(f"{self.lane(r)}[{at}] = {self.p.names.of(r.acc, r.acc.name)};")

    def join_lanes(self) -> None:
        """Join the accumulators of an item's lanes into those that the group joins."""
        p = self.p
        self.take_lane("0")
        for r in p.kernel.reducers:
            at = p.names.fresh("lane")
            p.line(f"for (int {at} = 1; {at} < {self.lanes}; {at}++) {{")
            p.depth += 1
            self.combine(r, [p.names.of(r.acc, r.acc.name)], [f"{self.lane(r)}[{at}]"])
            p.depth -= 1
            p.line("}")

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
            return [self.p.literal(0, r.acc.type.dtype)] * r.words
        return [emit(self.p, x).c for x in r.identity]

    def loop(self, name: str, stop: str) -> str:
        """Open a loop that counts; return its variable."""
        at = self.p.names.fresh(name)
        self.p.line(f"for (int {at} = 0; {at} < {stop}; {at}++) {{")
        self.p.depth += 1
        return at

    def end(self, me: Text, group: str, groups: str) -> bool:
        """Join the items of each group and write the partial result of group number ``group``.

        Of ``groups`` in all the last one joins them; False if that is left to a second kernel.
        """
        p = self.p
        for k, r in enumerate(p.kernel.reducers):
            partials, flags = self.partials(k, r)
            accs, valid, place, closing = self.accumulators(r, group)
            shared, has = self.share(r, me, accs, valid)
            lead = self.lead(me)
            for word, total in enumerate(shared):
                p.line(f"{partials}[{_word(place, r.words, word)}] = {total};")
            if flags:
                p.line(f"{flags}[{place}] = {has};")
            self.close(lead)
            if closing:
                if self.count > 1:
                    p.line(p.d.group_barrier)
                self.close(1)
        if not p.d.device_fence or p.sites:
            return False
        if p.d.serial_groups or self.count == 1:
            self.last_alone(me, groups)
        else:
            self.last_together(me, groups)
        return True

    def lead(self, me: Text) -> int:
        """Open a block for the first item of a group; return how many were opened."""
        if self.count == 1:
            return 0
        self.open(f"if ({me.c} == 0) {{")
        return 1

    def open(self, head: str) -> None:
        """Open a block."""
        self.p.line(head)
        self.p.depth += 1

    def close(self, blocks: int) -> None:
        """Close blocks."""
        for _ in range(blocks):
            self.p.depth -= 1
            self.p.line("}")

    def partials(self, k: int, r: n.Reducer, const: str = "") -> tuple[str, str]:
        """Return the names of the partial results of all groups and of their flags."""
        p = self.p
        space = p.d.spaces[address_space.global_space]
        stored, flags = p.storage(r.acc.type.dtype), ""
        partials = p.argument("partials", f"{space} {const}{stored} *".lstrip(),
                              f"partials_{k}", k)
        if r.valid is not None:
            byte = p.d.types["uint8"]
            flags = p.argument("flags", f"{space} {const}{byte} *".lstrip(), f"flags_{k}", k)
        return partials, flags

    def last_alone(self, me: Text, groups: str) -> None:
        """Have the first item of the last group join the partial results, in place and in pairs."""
        p = self.p
        lead, uint = self.lead(me), p.d.types["uint32"]
        p.line(p.d.device_fence)
        self.open(f"if ({self.counted()} == ({uint})({groups}) - 1) {{")
        p.line(p.d.device_fence)
        p.line(f"*{self.counter()} = 0;")
        for k, r in enumerate(p.kernel.reducers):
            partials, flags = self.partials(k, r)
            cell = self.loop("cell", f"{r.extent}") if r.cells is not None else "0"
            step, at = p.names.fresh("stride"), p.names.fresh("part")
            long = p.d.types["int64"]
            self.open(f"for ({long} {step} = 1; {step} < {groups}; {step} *= 2) {{")
            p.line(f"for ({long} {at} = 0; {at} + {step} < {groups}; {at} += 2 * {step}) {{")
            place = "{}" if r.cells is None else f"({{}}) * {r.extent} + {cell}"
            parts = [f"{partials}[{_word(place, r.words, word)}]" for word in range(r.words)]
            self.join(r, parts, f"{flags}[{place}]" if flags else "", at, f"{at} + {step}")
            self.close(1)
            totals = [f"{partials}[{_word(cell, r.words, word)}]" for word in range(r.words)]
            _write(self, k, r, totals, f"{flags}[{cell}]" if flags else "", cell)
            self.close(r.cells is not None)
        self.close(1 + lead)

    def last_together(self, me: Text, groups: str) -> None:
        """Have the items of the last group join the partial results."""
        p = self.p
        last, uint = p.names.fresh("last"), p.d.types["uint32"]
        p.local_memory("int", last)
        self.open(f"if ({me.c} == 0) {{")
        p.line(p.d.device_fence)
        p.line(f"{last} = {self.counted()} == ({uint})({groups}) - 1;")
        self.close(1)
        p.line(p.d.group_barrier)
        self.open(f"if ({last}) {{")
        p.line(p.d.device_fence)
        p.line(f"if ({me.c} == 0) *{self.counter()} = 0;")
        self.finish(me, groups)
        self.close(1)

    def counter(self) -> str:
        """Return the name of what counts the groups that are through: 0 before and afterwards."""
        return self.p.argument("counter", self.p.d.counts, "counter")

    def counted(self) -> str:
        """Return what counts this group and gives how many were through before."""
        return self.p.d.print_atomic.format(p=self.counter(), x="1u")

    def finish(self, me: Text, groups: str, const: str = "") -> None:
        """Have the items of one group join the partial results of all groups."""
        p = self.p
        for k, r in enumerate(p.kernel.reducers):
            self.open("{")
            cell = self.loop("cell", f"{r.extent}") if r.cells is not None else "0"
            self.finish_one(k, r, me, cell, groups, const)
            if r.cells is not None:
                p.line(p.d.group_barrier)
            self.close(1 + (r.cells is not None))

    def finish_one(self, k: int, r: n.Reducer, me: Text, cell: str, groups: str,
                   const: str) -> None:
        """Join the partial results of one variable into it."""
        p, long = self.p, self.p.d.types["int64"]
        partials, flags = self.partials(k, r, const)
        accs, at = self.declare(r), p.names.fresh("part")
        place = at if r.cells is None else f"{at} * {r.extent} + {cell}"
        parts = [f"{partials}[{_word(place, r.words, word)}]" for word in range(r.words)]
        self.open(f"for ({long} {at} = {me.c}; {at} < {groups}; {at} += {self.count}) {{")
        valid = ""
        if r.valid is not None:
            valid = p.names.of(r.valid, r.valid.name)
            p.line(f"if (!{flags}[{place}]) continue;")
            first = " ".join(f"{acc} = {part};" for acc, part in zip(accs, parts, strict=True))
            p.line(f"if (!{valid}) {{ {first} {valid} = true; continue; }}")
        self.combine(r, accs, parts)
        self.close(1)
        shared, has = self.share(r, me, accs, valid)
        lead = self.lead(me)
        _write(self, k, r, shared, has, cell)
        self.close(lead)

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
        """Join a group's accumulators in local memory; return where the results and flag are."""
        if self.count == 1:
            return accs, valid
        p, stored = self.p, self.p.storage(r.acc.type.dtype)
        shared = [self.local_array(stored, f"shared_{r.acc.name}", (r.index, word))
                  for word in range(r.words)]
        has = self.local_array(p.d.types["uint8"], f"has_{r.acc.name}", r.index) if valid else ""
        for array, acc in zip(shared, accs, strict=True):
            p.line(f"{array}[{me.c}] = {acc};")
        if valid:
            p.line(f"{has}[{me.c}] = {valid};")
        p.line(p.d.local_barrier)
        self.tree(r, [f"{array}[{{}}]" for array in shared], f"{has}[{{}}]" if has else "", me)
        return [f"{array}[0]" for array in shared], f"{has}[0]" if has else ""

    def local_array(self, type: str, wish: str, which: object) -> str:
        """Return the name of local memory for one element of each item of the group."""
        p = self.p
        known = p.names.of((wish, which, self.count), wish)
        p.local_memory(type, known, f"[{self.count}]")
        return known

    def tree(self, r: n.Reducer, shared: list[str], has: str, me: Text) -> None:
        """Join the elements of a group into the first one; ends with a barrier."""
        p, count = self.p, self.count
        at = p.names.fresh("stride")
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
        other = p.names.fresh("other")
        self.open(by_fours(at, count))
        self.open(f"if ({me.c} < {at}) {{")
        p.line(f"{others(other, me.c, at, count)} {{")
        self.join(r, shared, has, me.c, other)
        self.close(1)
        p.line(p.d.local_barrier)
        self.close(1)

    def join(self, r: n.Reducer, places: list[str], has: str, to: str, other: str) -> None:
        """Join two elements inside an open block, and close it; templates say where they are."""
        p = self.p
        p.depth += 1
        mine, theirs = [x.format(to) for x in places], [x.format(other) for x in places]
        if not has:
            self.combine(r, mine, theirs)
        else:
            p.line(f"if ({has.format(other)} && {has.format(to)}) {{")
            p.depth += 1
            self.combine(r, mine, theirs)
            p.depth -= 1
            p.line(f"}} else if ({has.format(other)}) {{")
            for place, value in zip(mine, theirs, strict=True):
                p.line(f"    {place} = {value};")
            p.line(f"    {has.format(to)} = 1;")
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
    count = p.argument("count", f"const {p.d.types['int64']}", "count")
    me = Text(p.spelt("local_id", 0))
    Reducers(p, (FINISH_ITEMS,)).finish(me, count, "const ")


def _word(place: str, words: int, k: int) -> str:
    """Return the place of one number of a variable."""
    return place if words == 1 else f"({place}) * {words} + {k}"


def _write(reducers: Reducers, k: int, r: n.Reducer, totals: list[str], has: str,
           cell: str) -> None:
    """Join the result with the old value where that counts, and store it."""
    p = reducers.p
    kind = r.acc.type.dtype if r.stored is None else r.stored.bits.type.dtype
    space = p.d.spaces[address_space.global_space]
    target = p.argument("target", f"{space} {p.storage(kind)} *".lstrip(), f"target_{k}", k)
    if p.d.offsets:
        p.argument("target_at", f"const {p.d.types['int64']}", f"target_{k}_at", k)
    keep = p.argument("keep", f"const {p.d.types['int32']}", f"keep_{k}", k)
    targets = [f"{target}[{_word(cell, r.words, word)}]" for word in range(r.words)]
    p.line(f"if ({f'{has} && {keep}' if has else keep}) {{")
    p.depth += 1
    if r.stored is None:
        reducers.combine(r, totals, targets)
    else:
        old = p.names.fresh("old")
        p.line(f"{p.type(r.acc.type.dtype)} {old};")
        reducers.run(r.stored.load, [(r.stored.bits, targets[0])], [(old, r.left[0])])
        reducers.combine(r, totals, [old])
    p.depth -= 1
    p.line("}")
    where = f"if ({has}) " if has else ""
    if r.stored is None:
        for place, total in zip(targets, totals, strict=True):
            p.line(f"{where}{place} = {total};")
        return
    if where:
        p.line(where)
    reducers.run(r.stored.store, [(r.result[0], totals[0])], [(targets[0], r.stored.bits)])
