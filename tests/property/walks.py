"""Random kernels that keep stacks and tables in private arrays: ``python -m tests.property.walks``.

What is stored, and where, is mostly the same for all items, but branches, loops and early returns
take some of them away; functions of sub-groups make conditions alike that no data are. So an array
may be one for the lanes of a vector, or just may not. Results are compared with the host device's.

Non-goals: everything else of the language (``programs``). Invariants: a number makes one program;
what is called ``calm`` is the same for all items that come there; every element that is read has
been written.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import unisycl as sycl
from tests.executed import execute
from tests.property.against_host import compare
from tests.property.writing import Writer

SHAPES = (((64,), (32,)), ((40,), (20,)), ((21,), (7,)), ((1,), (1,)), ((3, 24), (1, 12)),
          ((6, 10), (3, 5)), ((96,), (96,)))
KINDS = ("int32", "int32", "int64", "int16", "uint8", "float32", "float64")
SIZE = 8
LONG = 40
_HEAD = """
def helper(it, own, x, n, v, w):
{helper}


def kernel(it, out, own, n):
    x = it.get_global_linear_id()
    v = own[x]
    s = n & 7
{body}


def plain(x, out, own, n):
    v = own[x]
    s = n & 7
{body}
"""


class Walks(Writer):
    """Writes one kernel; ``meets``: it may call functions of sub-groups."""

    def __init__(self, seed: int, *, groups: bool) -> None:
        super().__init__(seed)
        self.groups = groups
        self.calm: list[str] = []  # arrays, and below numbers, that are alike for all items
        self.wild: list[str] = []
        self.alike: list[str] = ["n", "s"]
        self.helps = False

    # ---- numbers from 0 to 63
    def same(self, depth: int = 0) -> str:
        """Return a number that is the same for all items."""
        chance = self.rng.random()
        if chance < 0.3 or depth > 2:
            return str(self.rng.randrange(12))
        if chance < 0.6:
            return f"({self.rng.choice(self.alike)} & 63)"
        if chance < 0.8 and self.calm:
            return f"int({self.rng.choice(self.calm)}[{self.same(depth + 1)} & {SIZE - 1}])"
        return (f"(({self.same(depth + 1)} {self.rng.choice('+*^')} {self.same(depth + 1)}) & 63)")

    def own(self) -> str:
        """Return a number that each item has for itself."""
        chance = self.rng.random()
        if chance < 0.4:
            return f"(own[(x + {self.rng.randrange(50)}) % own.shape[0]] & 63)"
        if chance < 0.7 and self.wild:
            at = self.same() if self.often(0.7) else self.own()
            return f"int({self.rng.choice(self.wild)}[{at} & {SIZE - 1}])"
        return self.rng.choice(("(v & 63)", "(x & 63)", self.same()))

    def test(self, *, calm: bool) -> str:
        """Return a condition."""
        x = self.same() if calm else self.own()
        return f"{x} % {self.rng.randint(2, 4)} {self.rng.choice(('==', '!='))} 0"

    # ---- statements
    def block(self, deep: int, *, calm: bool, meets: bool) -> None:
        """Write some statements; ``calm``: whether all items that are not gone are here."""
        names = len(self.calm), len(self.wild), len(self.alike)
        for _ in range(self.rng.randint(1, 4)):
            ways: list[tuple[int, Callable[..., None]]] = [
                (3, self.change), (5, self.keep), (2, self.declare)]
            if deep > 0 and len(self.lines) < LONG:
                ways += [(3, self.branch), (3, self.loop), (2, self.stack), (1, self.call),
                         *self.more()]
            way = self.rng.choices([w for _, w in ways], [k for k, _ in ways])[0]
            way(deep, calm=calm, meets=meets)
        for found, count in zip((self.calm, self.wild, self.alike), names, strict=True):
            del found[count:]

    def more(self) -> list[tuple[int, Callable[..., None]]]:
        """Return more ways to go on, by how often."""
        return []

    def inner(self, deep: int, *, calm: bool, meets: bool) -> None:
        self.depth += 1
        self.block(deep - 1, calm=calm, meets=meets)
        self.depth -= 1

    def change(self, deep: int, *, calm: bool, meets: bool) -> None:
        if calm and self.often(0.4):
            self.emit(f"s = {self.same()}")
        else:
            self.emit(self.rng.choice((
                f"v = (v * 3 + {self.own()}) & 65535", f"v = v ^ {self.own()}",
                f"out[x] += v & {self.rng.randint(1, 63)}")))

    def keep(self, deep: int, *, calm: bool, meets: bool) -> None:
        """Store in an array."""
        if calm and self.calm and self.often(0.6):
            self.emit(f"{self.rng.choice(self.calm)}[{self.same()} & {SIZE - 1}] = {self.same()}")
        elif self.wild:
            at = self.same() if self.often(0.85) else self.own()
            value = self.same() if self.often(0.8) else self.own()
            self.emit(f"{self.rng.choice(self.wild)}[{at} & {SIZE - 1}] = {value}")
        else:
            self.change(deep, calm=calm, meets=meets)

    def declare(self, deep: int, *, calm: bool, meets: bool, wild: bool = False) -> None:
        """Declare an array and fill it."""
        name, k = self.fresh("a"), self.fresh("k")
        alike = self.often(0.6) and not wild
        kind = self.rng.choice(KINDS)
        self.emit(f"{name} = sycl.private_array(np.{kind}, {SIZE})")
        self.emit(f"for {k} in range({SIZE}):")
        self.emit(f"    {name}[{k}] = ({k} * {self.rng.randrange(4)} + "
                  f"{self.same() if alike or self.often(0.8) else self.own()}) & 63")
        (self.calm if alike and calm else self.wild).append(name)

    def branch(self, deep: int, *, calm: bool, meets: bool) -> None:
        """Write a branch that items take alike, by a vote, or each for itself."""
        alike = calm and self.often(0.5)
        if meets and self.often(0.4):
            word = self.rng.choice(("any", "all", "none"))
            self.emit(f"if sycl.{word}_of_group(it.get_sub_group(), {self.test(calm=False)}):")
            self.inner(deep, calm=False, meets=meets)
            return
        self.emit(f"if {self.test(calm=alike)}:")
        self.inner(deep, calm=alike, meets=meets and alike)
        if self.often(0.4):
            self.emit("else:")
            self.inner(deep, calm=alike, meets=meets and alike)

    def loop(self, deep: int, *, calm: bool, meets: bool) -> None:
        """Write a loop that items leave together, or each in its own turn."""
        i = self.fresh("i")
        alike = calm and self.often(0.5)
        turns = self.same() if alike else self.own()
        if self.often(0.5):
            self.emit(f"for {i} in range({turns} % {self.rng.randint(2, 5)}):")
        else:
            self.emit(f"{i} = 0")
            self.emit(f"while {i} < {turns} % {self.rng.randint(2, 5)}:")
            self.emit(f"    {i} += 1")
        self.depth += 1
        if alike:
            self.alike.append(i)
        if not alike and self.often(0.4):
            self.jump(self.rng.choice(("break", "continue")))
        self.block(deep - 1, calm=alike, meets=meets and alike)
        if not alike and self.often(0.4):
            self.jump(self.rng.choice(("break", "continue")))
            self.keep(0, calm=False, meets=False)
        if alike:
            self.alike.remove(i)
        self.depth -= 1

    def jump(self, word: str) -> None:
        self.emit(f"if {self.test(calm=False)}:")
        self.emit(f"    {word}")

    def stack(self, deep: int, *, calm: bool, meets: bool) -> None:
        """Write a walk through a tree of numbers, by a stack."""
        name, top, node, turns = (self.fresh(s) for s in ("stack", "top", "node", "turns"))
        self.emit(f"{name} = sycl.private_array(np.int32, {SIZE})")
        self.emit(f"{name}[0] = {self.same()}")
        self.emit(f"{top} = 1")
        self.emit(f"{turns} = 0")
        self.emit(f"while {top} > 0 and {turns} < {self.rng.randint(3, 14)}:")
        self.depth += 1
        self.emit(f"{top} -= 1")
        self.emit(f"{node} = int({name}[{top}])")
        self.emit(f"{turns} += 1")
        alike = calm and self.often(0.5)
        visits = f"(v + {node}) % {self.rng.randint(2, 4)} != 0"
        if meets and self.often(0.6):
            visits = f"sycl.any_of_group(it.get_sub_group(), {visits})"
            alike = False
        elif alike:
            visits = f"({self.same()} + {node}) % {self.rng.randint(2, 4)} != 0"
        self.emit(f"if {visits}:")
        self.emit(f"    if {top} + 2 <= {SIZE}:")
        self.emit(f"        {name}[{top}] = (2 * {node} + 1) & 63")
        self.emit(f"        {name}[{top} + 1] = (2 * {node} + 2) & 63")
        self.emit(f"        {top} += 2")
        if self.often(0.4):
            self.emit("else:")
            self.emit("    v = (v + 1) & 65535")
        if alike:
            self.alike.append(node)
        if deep > 0 and self.often(0.3):
            self.block(0, calm=alike, meets=False)
        if alike:
            self.alike.remove(node)
        self.emit(f"v = (v * 3 + {node}) & 65535")
        self.depth -= 1

    def call(self, deep: int, *, calm: bool, meets: bool) -> None:
        """Call a function with an array of its own, which items leave early."""
        self.helps = True
        self.emit(f"v = helper({'it' if self.groups else 'x'}, own, x, n, v, "
                  f"{self.same() if self.often(0.6) else self.own()})")

    def function(self) -> list[str]:
        """Return the body of the function that is called."""
        kept, self.lines, self.depth = self.lines, [], 1
        names, self.calm, self.wild, self.alike = (
            (self.calm, self.wild, self.alike), [], [], ["n"])
        self.emit("s = n & 3")
        self.declare(0, calm=True, meets=False)
        if self.often(0.7):
            self.emit(f"if {self.test(calm=False)}:")
            self.emit("    return v + 1")
        if self.often(0.5):
            self.wild += self.calm
            self.calm = []
            self.emit(f"for k in range({self.own()} % 4):")
            self.depth += 1
            self.keep(0, calm=False, meets=False)
            self.emit(f"if {self.test(calm=False)}:")
            self.emit("    return v")
            self.keep(0, calm=False, meets=False)
            self.depth -= 1
        self.emit(f"return (v + w + {self.own()} + {self.own()}) & 65535")
        body, self.lines = self.lines, kept
        self.calm, self.wild, self.alike = names
        return [line.replace("out[x] += v", "v += v") for line in body]

    def ending(self) -> None:
        for name in (*self.calm, *self.wild):
            k = self.fresh("k")
            self.emit(f"for {k} in range({SIZE}):")
            self.emit(f"    v = (v * 3 + int({name}[{k}])) & 65535")
        self.emit("out[x] += v + s")


class Trees(Walks):
    """Writes walks, too, of which lanes of a vector may share the stack, or just may not."""

    def more(self) -> list[tuple[int, Callable[..., None]]]:
        return [(2, self.tree)]

    def tree(self, deep: int, *, calm: bool, meets: bool) -> None:
        """Write a walk that only pushes and pops, of nodes below 63, by which memory is read."""
        name, top, node, more = (self.fresh(s) for s in ("stack", "top", "node", "more"))
        kind = self.rng.choice(("int32", "int32", "int16", "uint8", "int64"))
        self.emit(f"{name} = sycl.private_array(np.{kind}, 32)")
        self.emit(f"{name}[0] = {self.rng.choice(('0', '1', self.same(), self.own()))}")
        two = self.often(0.2)
        if self.often(0.3):
            self.last(name, top, node, more)
            return
        if two:
            self.emit(f"{name}[1] = {self.same()}")
        self.emit(f"{top} = {1 + two}")
        self.emit(f"{more} = {self.rng.choice(('0', self.own()))}")
        going = self.rng.choice((f"{top} > 0", f"{top} > 0", f"{top}", f"{top} >= 1"))
        if self.often(0.4):
            going = self.rng.choice((
                f"{going} and {more} < 90", f"{more} < 90 and {going}",
                f"{going} and own[{more} % own.shape[0]] & 15 != {self.rng.randrange(16)}"))
        self.emit(f"while {going}:")
        self.depth += 1
        if self.often(0.5):
            self.emit(f"{top} -= 1")
            self.emit(f"{node} = int({name}[{top}])")
        else:
            self.emit(f"{node} = int({name}[{top} - 1])")
            self.emit(f"{top} -= 1")
        self.emit(f"v = (v * 3 + {node} + own[{node} % own.shape[0]]) & 65535")
        if self.often(0.5):
            self.emit(f"{more} += 1")
        if self.often(0.3):
            self.jump(self.rng.choice(("break", "continue")))
        self.emit(f"if {node} < 31 and own[(v + {node}) % own.shape[0]] % "
                  f"{self.rng.randint(2, 5)} != 0:")
        self.pushes(name, top, node)
        if self.often(0.3):
            self.emit("else:")
            self.emit(f"    {self.rng.choice(('v = v ^ 5', 'out[x] += 1', more + ' += 2'))}")
        if self.often(0.2):
            self.jump(self.rng.choice(("break", "continue")))
        if deep > 0 and self.often(0.2):
            self.block(0, calm=False, meets=False)
        self.depth -= 1
        if self.often(0.1):
            self.emit(f"v = v ^ int({name}[0])")
        if self.often(0.1):
            self.emit(f"v = v ^ {top}")

    def last(self, name: str, top: str, node: str, more: str) -> None:
        """Write a walk that goes on with one child and pops where there is none."""
        self.emit(f"{node} = int({name}[0])")
        self.emit(f"{top} = 0")
        self.emit(f"{more} = 0")
        pop = [f"if {top} == 0:", "    break", f"{top} -= 1", f"{node} = int({name}[{top}])"]
        if self.often(0.3):
            pop = [f"if {top} > 0:", f"    {node} = int({name}[{top} - 1])", f"    {top} -= 1",
                   "else:", "    break"]
        self.emit("while True:")
        self.depth += 1
        self.emit(f"v = (v * 3 + {node} + own[{node} % own.shape[0]]) & 65535")
        if self.often(0.3):
            self.emit(f"{more} += 1")
            self.jump("break")
        near = f"int(2 * {node} + {self.rng.choice(('1', '1 + ((v >> 1) & 1)'))})"
        self.emit(f"if {node} < 31 and own[(v + {node}) % own.shape[0]] % "
                  f"{self.rng.randint(2, 5)} != 0:")
        self.emit(f"    {name}[{top}] = 2 * {node} + 2")
        self.emit(f"    {top} += 1")
        self.emit(f"    {node} = {near}")
        if self.often(0.4):
            self.emit("    continue")
            self.lines += ["    " * self.depth + line for line in pop]
        else:
            self.emit("else:")
            self.emit("    v = v ^ 3")
            self.lines += ["    " * (self.depth + 1) + line for line in pop]
        if self.often(0.1):
            self.emit(f"v = v ^ {node}")
        self.depth -= 1
        self.emit(f"v = (v + {node} + {more}) & 65535")

    def pushes(self, name: str, top: str, node: str) -> None:
        """Write how both children of a node, or some of them, go on a stack."""
        left, right = f"2 * {node} + 1", f"2 * {node} + 2"
        if self.often(0.4):
            left, right = (f"{left} + ((v >> {self.rng.randrange(4)}) & 1)", right)
        way = self.rng.randrange(4)
        self.depth += 1
        if way == 0:
            self.emit(f"{name}[{top}] = {left}")
            self.emit(f"{name}[{top} + 1] = {right}")
            self.emit(f"{top} += 2")
        elif way == 1:
            for child in (left, right):
                self.emit(f"if {self.test(calm=False)}:")
                self.emit(f"    {name}[{top}] = {child}")
                self.emit(f"    {top} += 1")
        elif way == 2:
            k = self.fresh("k")
            self.emit(f"for {k} in range({self.rng.choice(('2', self.own() + ' % 3'))}):")
            self.emit(f"    {name}[{top}] = {left} + {k}")
            self.emit(f"    {top} += 1")
        else:
            self.emit(f"{name}[{top} + 1] = {left}")
            self.emit(f"{name}[{top}] = {right}")
            self.emit(f"{top} += {self.rng.choice(('1', '2'))}")
        self.depth -= 1


def program(seed: int) -> str:
    """Return the text of ``kernel``, for an nd_range, and of ``plain``, for a range."""
    rng = Random(seed)
    groups = rng.random() < 0.7
    made = Trees(seed, groups=groups)
    for wild in (False, True, True):
        made.declare(0, calm=True, meets=False, wild=wild)
    early = rng.random() < 0.3
    if early:
        made.emit(f"if x % {rng.randint(2, 20)} == 1:")
        made.emit("    return")
    names = made.calm, made.wild
    for _ in range(3):
        made.block(3, calm=True, meets=groups and not early)
        made.calm, made.wild = names
    made.ending()
    body = "\n".join(made.lines)
    text = _HEAD.format(helper="\n".join(made.function()), body=body)
    return f"GROUPS = {groups}\n" + (text if not groups else text[:text.index("\n\ndef plain")])


def run(seed: int, device: sycl.device, *, size: int = 8, debug: bool = False) -> Any:
    """Return what a program stores on a device."""
    rng = np.random.default_rng(seed)
    space, local = SHAPES[seed % len(SHAPES)]
    count = int(np.prod(space))
    own = rng.integers(0, 1000, count).astype(np.int64)
    names: dict[str, Any] = {"sycl": sycl, "np": np}
    text = program(seed)
    execute(text, names, f"<walk {seed}>")
    out, number = np.zeros(count, np.int64), int(rng.integers(0, 1000))
    options: dict[str, Any] = {"debug": debug}
    if "get_sub_group" in text or seed % 3:  # else items may run alone
        options["reqd_sub_group_size"] = size
    if names["GROUPS"]:
        kernel, where = sycl.kernel(**options)(names["kernel"]), sycl.nd_range(space, local)
    else:
        kernel, where = sycl.kernel(**options)(names["plain"]), sycl.range(count)
    errors: list[Exception] = []
    with sycl.buffer(out) as result, sycl.buffer(own) as given:
        def group(h: Any) -> None:
            h.parallel_for(where, kernel, sycl.accessor(result, h),
                           sycl.accessor(given, h, sycl.read_only), number)
        sycl.queue(device, errors.extend).submit(group).wait_and_throw()
    if errors:
        raise errors[0]
    return out


if __name__ == "__main__":
    raise SystemExit(compare(__doc__, run))
