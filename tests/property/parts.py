"""Random kernels over parts of memory and lists: ``python -m tests.property.parts``.

Parts of rows, columns and tiles begin where data say and are gone through, sliced again and given
to functions; lists stand under one name; objects are chosen from tables; arrays take turns under
names, and may be one memory, forwards or backwards; items leave nested loops and functions early.
Results are compared with the host device's.

Non-goals: groups (``walks``, ``partings``). Invariants: a number makes one program; an item writes
to rows of its own alone; every number that is kept is a whole one below 65536.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from tests.executed import execute
from tests.property.against_host import compare
from tests.property.part_numbers import OWN, Numbers, Part

SHAPES = ((1,), (7,), (8,), (9,), (16,), (17,), (33,), (64,), (65,), (100,), (3, 11), (9, 4),
          (5, 1), (1, 13), (2, 3, 5))
KINDS = ("int32", "int32", "int64", "int16", "uint8", "float32", "float64")
HIGH, WIDE = 7, 9
"""Rows and columns of what all read."""
LONG = 34
_HEAD = """
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Made:
    k: int
    w: int

    def __call__(self, v):
        return (v * self.k + self.w) & 65535

    def __add__(self, other):
        return Made((self.k + other.k) & 63, (self.w ^ other.w) & 63)


class Pair(NamedTuple):
    x: int
    y: int

    def spread(self):
        return (self.y - self.x) & 63


TABLE = ({table})
ONE = TABLE[1]


def total(p, k):
    s = 0
    for e in p[k:]:
        if int(e) == 3:
            return s
        s = (s * 3 + int(e)) & 65535
    return s


def place(p, key):
    for k, e in enumerate(p):
        if (int(e) & 7) == key:
            return k


def mixed(rows, k):
    s = 0
    for j in range(rows.shape[0]):
        for l in range(rows.shape[1]):
            if (int(rows[j, l]) + s) % 11 == k:
                return s
            s = (s + (j + 2) * int(rows[j][l])) & 65535
    return s + 1


{helper}


def kernel(it, n, out, own, a, b, d, e):
    x = {place}
    v = int(own[x])
{body}
"""


class Parts(Numbers):
    """Writes one kernel."""

    # ---- statements
    def block(self, deep: int) -> None:
        """Write some statements; what they declare is known in them alone."""
        kept = self.parts, self.lists, self.arrays, self.objects, self.numbers
        self.parts, self.lists, self.arrays, self.objects, self.numbers = (
            self.parts[:], self.lists[:], self.arrays[:], self.objects[:], self.numbers[:])
        for _ in range(self.rng.randint(1, 4)):
            ways: list[tuple[int, Callable[[int], None]]] = [
                (4, self.change), (3, self.slice), (4, self.store), (1, self.make_list),
                (1, self.make_array), (1, self.make_object), (1, self.find), (1, self.unpack)]
            if deep > 0 and len(self.lines) < LONG:
                ways += [(4, self.branch), (3, self.count), (3, self.walk), (1, self.turns)]
            self.rng.choices([w for _, w in ways], [k for k, _ in ways])[0](deep)
        self.parts, self.lists, self.arrays, self.objects, self.numbers = kept

    def inner(self, deep: int) -> None:
        self.depth += 1
        self.block(deep - 1)
        self.depth -= 1

    def change(self, deep: int) -> None:
        self.emit(self.pick(f"v = (v * 3 + {self.number()}) & 65535", f"v = v ^ {self.number()}",
                            f"out[x] += v & {self.rng.randint(1, 63)}"))

    def slice(self, deep: int) -> None:
        """Name a part of memory."""
        name = self.fresh("p")
        if self.parts and self.often(0.4):
            old = self.rng.choice(self.parts)
            if len(old.lengths) == 1:
                cut = self.pick("[::-1]", "[:]", "[-1:]", "[:1]")
                size = {"[-1:]": "1", "[:1]": "1"}.get(cut, old.lengths[0])
                self.emit(f"{name} = {old.name}{cut}")
                self.parts.append(Part(name, (size,), old.mine))
            elif self.often(0.5):
                self.emit(f"{name} = {old.name}[:, {self.number()} % {old.lengths[1]}]")
                self.parts.append(Part(name, old.lengths[:1], old.mine))
            else:
                self.emit(f"{name} = {old.name}[{self.number()} % {old.lengths[0]}]")
                self.parts.append(Part(name, old.lengths[1:], old.mine))
            return
        memory = self.pick("a", "b")
        row, column = f"{self.number()} % {HIGH}", f"{self.number()} % {WIDE}"
        h, w = self.rng.randint(1, 3), self.rng.randint(1, 4)
        y, z = f"{self.number()} % {HIGH - h + 1}", f"{self.number()} % {WIDE - w + 1}"
        top, left = self.fresh("y"), self.fresh("z")
        cut, lengths = self.rng.choice((
            (f"{memory}[{row}]", (WIDE,)), (f"{memory}[:, {column}]", (HIGH,)),
            (f"{memory}[{row}, ::2]", (5,)), (f"{memory}[{row}, ::-1]", (WIDE,)),
            (f"{memory}[{row}, 7:1:-2]", (3,)), (f"{memory}[::-3, {column}]", (3,)),
            (f"{memory}[1:-1, {column}]", (HIGH - 2,)), (f"{memory}[{row}, -3:]", (3,)),
            (f"{memory}[{top}:{top}+{h}, {left}:{left}+{w}]", (h, w)),
            (f"{memory}[{top}:{top}+{h}, ::-1]", (h, WIDE)),
            (f"{memory}[{row}, {left}:{left}+{w}]", (w,)),
            (f"{memory}[{top}:{top}+{h}, {column}]", (h,)), (f"{memory}[::2, 1::3]", (4, 3)),
            ("d[x]", (OWN,)), ("d[x, ::-1]", (OWN,)), ("e[x, 1:5]", (4,)), ("e[x, ::3]", (3,)),
            ("d[x, 6:2:-1]", (4,)), ("e[x]", (OWN,))))
        if top in cut:
            self.emit(f"{top} = {y}")
        if left in cut:
            self.emit(f"{left} = {z}")
        self.emit(f"{name} = {cut}")
        self.parts.append(Part(name, tuple(map(str, lengths)), cut[0] in "de"))

    def store(self, deep: int) -> None:
        """Write to a row of the item's own, a list or a private array."""
        mine = [p for p in self.parts if p.mine]
        chance = self.rng.random()
        if chance < 0.3 and self.lists:
            name, size = self.rng.choice(self.lists)
            way = self.rng.randrange(5)
            if way == 0 and size > 2:
                self.emit(f"{name}[1:3] = {self.number()}, {self.number()}")
            elif way == 1:
                self.emit(f"{name}.{self.pick('sort', 'reverse')}()")
            elif way == 2 and len(found := [o for o, s in self.lists if s == size]) > 1:
                one, other = self.rng.sample(found, 2)
                self.emit(f"{one}, {other} = {other}, {one}")
            else:
                self.emit(f"{name}[{self.at(size)}] {self.pick('=', '=', '^=')} {self.number()}")
        elif chance < 0.6 and self.arrays:
            self.emit(f"{self.rng.choice(self.arrays)}[{self.at(OWN)}] = {self.number()}")
        elif chance < 0.8 and mine:
            part = self.rng.choice(mine)
            size = part.lengths[0]
            if self.often(0.2):
                self.emit(f"{part.name}[:] = {self.number()}")
            else:
                self.emit(f"{part.name}[{self.number()} % {size}] = {self.number()}")
        else:
            self.emit(f"{self.pick('d', 'e')}[x, {self.number()} % {OWN}] = {self.number()}")

    def make_list(self, deep: int) -> None:
        name = self.fresh("u")
        same = [o for o, s in self.lists if s == 3]
        if len(same) > 1 and self.often(0.5):
            one, other = self.rng.sample(same, 2)
            self.emit(f"{name} = {one} if {self.test()} else {other}")
        elif self.loops and self.often(0.7):
            self.change(deep)  # a name may stand for one of an earlier turn, which is refused
            return
        else:
            self.emit(f"{name} = [{self.number()}, {self.number()}, {self.number()}]")
        self.lists.append((name, 3))

    def make_array(self, deep: int) -> None:
        name, k, kind = self.fresh("h"), self.fresh("k"), self.rng.choice(KINDS)
        self.emit(f"{name} = sycl.private_array(np.{kind}, {OWN})")
        self.emit(f"for {k} in range({OWN}):")
        self.emit(f"    {name}[{k}] = ({k} * {self.rng.randrange(4)} + {self.number()}) & 63")
        self.arrays.append(name)

    def make_object(self, deep: int) -> None:
        name = self.fresh("m")
        ways = [f"TABLE[{self.number()} % 3]", f"Made({self.number()}, {self.number()})",
                f"ONE if {self.test()} else Made({self.number()}, 5)"]
        if self.objects:
            old = self.rng.choice(self.objects)
            ways += [f"{old} + ONE", f"{old} if {self.test()} else TABLE[{self.number()} % 3]"]
        self.emit(f"{name} = {self.rng.choice(ways)}")
        self.objects.append(name)

    def find(self, deep: int) -> None:
        """Look for a place that may not be there, or make a pair."""
        name = self.fresh("q")
        rows = [p for p in self.parts if len(p.lengths) == 1]
        if not rows or self.often(0.3):
            self.emit(f"{name} = Pair({self.number()}, {self.number()})")
            self.emit(f"if {name} < ({self.number()}, 9):")
            self.emit(f"    {name} = {name}._replace(x={self.number()})")
            self.emit(f"v = (v + {name}.spread()) & 65535")
            return
        self.emit(f"{name} = place({self.rng.choice(rows).name}, {self.number()} % 8)")
        self.emit(f"if {name} is not None:")
        self.emit(f"    v = (v * 2 + {name}) & 65535")

    def unpack(self, deep: int) -> None:
        three = [p.name for p in self.parts if p.lengths == ("3",)] + [o for o, s in self.lists]
        if not three:
            self.slice(deep)
            return
        names = [self.fresh("w") for _ in range(3)]
        self.emit(f"{', '.join(names)} = {self.rng.choice(three)}")
        self.emit(f"v = (v + int({names[0]}) * 2 + int({names[1]}) * int({names[2]})) & 65535")

    def branch(self, deep: int) -> None:
        self.emit(f"if {self.test()}:")
        self.inner(deep)
        if self.often(0.2):
            self.emit("    " + self.leave())
        if self.often(0.4):
            self.emit("else:")
            self.inner(deep)

    def leave(self) -> str:
        return self.rng.choice(("return", "break", "continue") if self.loops else ("return",))

    def body(self, deep: int) -> None:
        """Write the body of a loop, which items may leave."""
        self.loops += 1
        self.depth += 1
        for chance in (0.4, 0.3):
            if self.often(chance):
                self.emit(f"if {self.test()}:")
                self.emit("    " + self.leave())
            self.block(deep - 1)
        self.depth -= 1
        self.loops -= 1

    def otherwise(self, deep: int) -> None:
        """Write what items do that no break took out of a loop; it may have had no turn."""
        if self.often(0.2):
            self.emit("else:")
            self.inner(deep)

    def count(self, deep: int) -> None:
        """Write a loop that counts."""
        k, turns = self.fresh("i"), f"{self.number()} % {self.rng.randint(2, 5)}"
        if self.often(0.6):
            self.emit(f"for {k} in range({turns}):")
        else:
            self.emit(f"{k} = {turns}")
            self.emit(f"while ({k} := {k} - 1) >= 0:")
        self.numbers.append(k)
        self.body(deep)
        self.numbers.remove(k)
        self.otherwise(deep)

    def walk(self, deep: int) -> None:
        """Write a loop over a part of memory."""
        rows = [p for p in self.parts if len(p.lengths) == 1]
        if not rows:
            self.slice(deep)
            return
        y, k, part = self.fresh("y"), self.fresh("i"), self.rng.choice(rows)
        if part.mine:
            self.count(deep)
            return
        way = self.rng.randrange(4)
        if way == 0:
            self.emit(f"for {y} in {part.name}:")
        elif way == 1:
            self.emit(f"for {k}, {y} in enumerate({part.name}):")
        elif way == 2:
            self.emit(f"for {y} in reversed({part.name}):")
        else:
            self.emit(f"for {y}, {k} in zip({part.name}, {self.rng.choice(rows).name}):")
        self.depth += 1
        self.emit(f"{y} = int({y})")
        self.depth -= 1
        self.numbers.append(y)
        self.body(deep)
        self.numbers.remove(y)
        self.otherwise(deep)

    def turns(self, deep: int) -> None:
        """Have memories change their places under names in a loop."""
        one, other = self.fresh("r"), self.fresh("r")
        first, second = self.rng.choice((("d", "e"), ("a", "b"), ("b", "a")))
        mine = first == "d"
        self.emit(f"{one}, {other} = {first}, {second}")
        self.emit(f"for {self.fresh('k')} in range({self.number()} % 4):")
        self.depth += 1
        at = (lambda: f"x, {self.number()} % {OWN}") if mine else (
            lambda: f"{self.number()} % {HIGH}, {self.number()} % {WIDE}")
        self.emit(f"v = (v * 5 + int({one}[{at()}]) + 3 * int({other}[{at()}])) & 65535")
        if mine:
            self.emit(f"{one}[{at()}] = {self.number()}")
        if self.often(0.3):
            self.emit(f"if {self.test()}:")
            self.emit("    " + self.pick("break", "continue", "return"))
        self.emit(f"{one}, {other} = {other}, {one}")
        self.depth -= 1

    def function(self) -> str:
        """Return a function with an array of its own, left early from loops in one another."""
        self.depth = 1
        self.numbers = ["x", "v", "k"]
        self.emit(f"g = [{self.number()}, k & 7, 3]")
        self.lists.append(("g", 3))
        self.make_array(0)
        self.emit(f"for i in range({self.number()} % 5):")
        self.emit(f"    for j in range({self.number()} % 4):")
        self.numbers += ["i", "j"]
        self.depth = 3
        self.emit(f"if {self.test()}:")
        self.emit(f"    return (v + {self.number()}) & 65535")
        self.emit(f"g[{self.at(3)}] = {self.number()}")
        self.emit(f"{self.arrays[0]}[{self.at(OWN)}] = {self.number()}")
        self.emit(f"if {self.test()}:")
        self.emit("    " + self.pick("break", "continue", "return g[2] & 63"))
        self.emit(f"v = (v * 3 + {self.number()}) & 65535")
        self.depth = 1
        self.numbers = ["x", "v", "k"]
        self.emit(f"return (v + {self.number()}) & 65535")
        text = "\n".join(self.lines)
        self.lines, self.arrays, self.lists = [], [], []
        return "def helper(x, n, v, k, a, b):\n" + text


def program(seed: int) -> str:
    """Return the text of a kernel."""
    made = Parts(seed)
    rng = made.rng
    table = ", ".join(f"Made({rng.randrange(9)}, {rng.randrange(64)})" for _ in range(3))
    helper = made.function()
    made.numbers = ["n", "v", "x"]
    if rng.random() < 0.3:
        made.emit(f"if x % {rng.randint(2, 20)} == 1:")
        made.emit("    return")
    for way in (made.slice, made.slice, made.make_list, made.make_list, made.make_array):
        way(0)
    for _ in range(3):
        made.block(3)
        made.emit(f"v = helper(x, n, v, {made.number()}, a, b)")
    for name, size in [*made.lists, *((h, OWN) for h in made.arrays)]:
        made.emit(f"for j in range({size}):")
        made.emit(f"    v = (v * 3 + int({name}[j])) & 65535")
    made.emit("out[x] += v")
    dims = len(SHAPES[seed % len(SHAPES)])
    return _HEAD.format(table=table, helper=helper, body="\n".join(made.lines),
                        place="int(it)" if dims == 1 else "it.get_linear_id()")


def memory(seed: int, count: int) -> tuple[Any, ...]:
    """Return new arrays for a program: some are views, and both that are written may be one."""
    rng = np.random.default_rng(seed)

    def made(*shape: int) -> Any:
        return rng.integers(0, 64, shape).astype(rng.choice(KINDS))
    a, b = made(HIGH, WIDE), made(HIGH, WIDE)
    if seed % 3 == 0:
        b = a[::-1, ::-1]
    elif seed % 3 == 1:
        b = made(WIDE, HIGH).T.astype(a.dtype, copy=False)
    else:
        b = b.astype(a.dtype)
    wide = made(count, OWN + 1)
    d = wide[:, 1:]
    e = (d, d[:, ::-1], wide[:, :-1], made(count, OWN).astype(wide.dtype))[seed // 3 % 4]
    return np.zeros(count, np.int64), rng.integers(0, 1000, count), a, b, d, e


def run(seed: int, device: sycl.device, *, debug: bool = False) -> Any:
    """Return what a program stores on a device."""
    shape = SHAPES[seed % len(SHAPES)]
    names: dict[str, Any] = {"sycl": sycl, "np": np, "__name__": "parts"}
    execute(program(seed), names, f"<parts {seed}>")
    out, own, a, b, d, e = memory(seed, int(np.prod(shape)))
    kernel, errors = sycl.kernel(debug=debug)(names["kernel"]), list[Exception]()
    queue = sycl.queue(device, errors.extend)
    queue.parallel_for(sycl.range(*shape), kernel, seed % 50, out, own, a, b, d, e).wait_and_throw()
    if errors:
        raise errors[0]
    return np.concatenate([x.ravel().astype(np.int64) for x in (out, d, e)])


if __name__ == "__main__":
    raise SystemExit(compare(__doc__, run))
