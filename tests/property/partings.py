"""Random kernels whose work-items part ways around barriers: ``python -m tests.property.partings``.

Loops take as many turns as an item's own data says, items break, continue and return by their own
data, and conditions around barriers and group functions are data, the same for a group although no
compiler knows. Yet every item comes to every meeting, and to each as often as the others, so that
each item's own condition counts. Results are compared with those of the host device.

Non-goals: everything else of the language (``programs``). Invariant: a number makes one program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from tests.executed import execute
from tests.property.against_host import compare
from tests.property.writing import Writer

SHAPES = (((2,), (2,)), ((6,), (3,)), ((34,), (17,)), ((1,), (1,)), ((64,), (64,)),
          ((200,), (100,)),
          ((40,), (8,)), ((6, 10), (3, 5)), ((4, 34), (2, 17)), ((2, 2, 6), (2, 1, 3)))
_HEAD = """
def {name}(it, out, own, even, tile{more}):
    x = it.get_global_linear_id()
    l = it.get_local_linear_id()
    g = it.get_group()
    n = own.shape[0]
    m = g.get_local_linear_range()
    v = own[x]
"""


class Partings(Writer):
    """Writes one kernel; ``calm`` counts the levels in which all items are known to be."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.functions: list[str] = []
        self.sub_groups = self.rng.random() < 0.3

    # ---- text
    def mine(self, size: int) -> str:
        """Return a small number that each item has for itself."""
        return f"own[(x + {self.rng.randrange(50)}) % n] % {size}"

    def shared(self) -> str:
        """Return a condition that is the same for a group, which nobody can prove."""
        sign = self.rng.choice(("==", "!=", ">"))
        return f"even[x] % {self.rng.randint(2, 4)} {sign} {self.rng.randrange(2)}"

    # ---- statements
    def block(self, depth: int, meets: bool) -> None:
        """Write some statements; ``meets``: all items are here, so that they may meet."""
        for _ in range(self.rng.randint(1, 3)):
            ways = [(3, self.work), (2, self.branch)]
            if meets:
                ways += [(4, self.meeting)]
                if depth > 0:
                    ways += [(3, self.loop), (2, self.shared_branch), (1, self.even_loop),
                             (1, self.helper)]
            way = self.rng.choices([w for _, w in ways], [k for k, _ in ways])[0]
            way(depth)

    def work(self, depth: int) -> None:
        self.emit(self.rng.choice((
            f"v = (v * 3 + {self.mine(7)}) & 65535", f"v += {self.rng.randint(1, 9)}",
            f"out[x] += v & {self.rng.randint(1, 63)}", f"v = max(v - {self.mine(99)}, 0)")))

    def branch(self, depth: int) -> None:
        self.emit(f"if {self.mine(3)} == {self.rng.randrange(3)}:")
        self.depth += 1
        self.work(depth)
        self.depth -= 1
        if self.rng.random() < 0.4:
            self.emit("else:")
            self.depth += 1
            self.work(depth)
            self.depth -= 1

    def meeting(self, depth: int) -> None:
        """Write a barrier or a group function."""
        group = "it.get_sub_group()" if self.sub_groups and self.rng.random() < 0.3 else "g"
        way = self.rng.randrange(8 if group == "g" else 5)
        if way == 0:
            self.emit(f"v = (v + sycl.reduce_over_group({group}, v & 255, "
                      f"sycl.{self.rng.choice(('plus', 'maximum', 'minimum', 'bit_xor'))}())) "
                      "& 65535")
        elif way == 1:
            self.emit(f"v = (v + sycl.{self.rng.choice(('inclusive', 'exclusive'))}"
                      f"_scan_over_group({group}, v & 255, sycl.plus())) & 65535")
        elif way == 2:
            self.emit(f"if sycl.{self.rng.choice(('any', 'all', 'none'))}_of_group({group}, "
                      f"v % {self.rng.randint(2, 5)} == 0):")
            self.emit("    v += 1")
        elif way == 3:
            self.emit(f"v = (v + sycl.reduce_over_group({group}, v & 63, {self.mine(1)} + 5, "
                      "sycl.plus())) & 65535")
        elif way == 4:
            self.emit(f"sycl.group_barrier({group})")
        elif way == 5:
            self.emit("v = (v + sycl.group_broadcast(g, v, even[x] % m)) & 65535")
        else:
            self.emit("tile[l] = v")
            self.emit("sycl.group_barrier(g)")
            self.emit(f"v = (v + tile[(l + {self.rng.randrange(1, 9)}) % m]) & 65535")
            self.emit("sycl.group_barrier(g)")

    def shared_branch(self, depth: int) -> None:
        self.emit(f"if {self.shared()}:")
        self.inner(depth, meets=True)
        if self.rng.random() < 0.5:
            self.emit("else:")
            self.inner(depth, meets=True)

    def inner(self, depth: int, *, meets: bool) -> None:
        self.depth += 1
        self.block(depth - 1, meets)
        self.depth -= 1

    def even_loop(self, depth: int) -> None:
        """Write a loop that all items of a group take alike, known or not."""
        i = self.fresh("i")
        count = self.rng.choice((str(self.rng.randint(1, 3)), "even[x] % 3"))
        self.emit(f"for {i} in range({count}):")
        self.inner(depth, meets=True)

    def loop(self, depth: int) -> None:
        """Write a loop with turns of each item's own, which meet in the first few."""
        i, first, rng = self.fresh("i"), self.rng.randint(0, 3), self.rng
        turns = f"{first} + {self.mine(4)}"
        counted = rng.random() < 0.5
        endless = not counted and rng.random() < 0.5
        if counted:
            self.emit(f"for {i} in range({turns}):")
        else:
            self.emit(f"{i} = 0")
            self.emit("while True:" if endless else f"while {i} < {turns}:")
        self.depth += 1
        if endless:
            self.emit(f"if {i} >= {turns}:")
            self.depth += 1
            self.work(depth)
            self.emit("break")
            self.depth -= 1
        if not counted:
            self.emit(f"{i} += 1")
            first += 1
        self.work(depth)
        if rng.random() < 0.4:
            self.leaves(i, first, rng.choice(("break", "continue")))
        self.emit(f"if {i} < {first}:")
        self.inner(depth, meets=True)
        if rng.random() < 0.5:
            self.leaves(i, first, rng.choice(("break", "continue")))
            self.work(depth)
        self.depth -= 1

    def leaves(self, i: str, first: int, jump: str) -> None:
        """Write a jump that no item takes before all have met for the last time in a loop."""
        self.emit(f"if {i} >= {first} and {self.mine(3)} == 0:")
        self.depth += 1
        if self.rng.random() < 0.5:
            self.work(0)
        self.emit(jump)
        self.depth -= 1

    def helper(self, depth: int) -> None:
        """Write a function that meets and then returns early for some items, and call it."""
        if self.functions or self.depth > 4:
            self.meeting(depth)
            return
        name = self.fresh("helper")
        kept, self.lines, level, self.depth = self.lines, [], self.depth, 1
        self.functions.append("")
        self.block(depth - 1, meets=True)
        self.emit(f"if {self.mine(3)} == 0:")
        self.emit(f"    return v + {self.rng.randint(1, 9)}")
        self.work(depth)
        self.emit("return v")
        body, self.lines, self.depth = self.lines, kept, level
        head = _HEAD.format(name=name, more=", v").replace("    v = own[x]\n", "")
        self.functions[-1] = head + "\n".join(body)
        self.emit(f"v = {name}(it, out, own, even, tile, v)")

    def ending(self) -> None:
        """Write an end at which some items return first."""
        self.emit(f"for k in range({self.mine(5)}):")
        self.emit(f"    if {self.mine(4)} == k:")
        self.emit("        out[x] += 1000 * v")
        self.emit("        return")
        self.emit("    v += 1")


def program(seed: int) -> str:
    """Return the text of a kernel called ``kernel``, behind the functions it calls."""
    made = Partings(seed)
    made.block(2, meets=True)
    made.block(2, meets=True)
    made.meeting(0)
    if made.rng.random() < 0.5:
        made.ending()
    made.emit("out[x] += v")
    head = _HEAD.format(name="kernel", more="")
    return "\n\n".join((*made.functions, head)) + "\n".join(made.lines) + "\n"


def run(seed: int, device: sycl.device, *, debug: bool = False) -> Any:
    """Return what a program stores on a device."""
    rng = np.random.default_rng(seed)
    space, local = SHAPES[seed % len(SHAPES)]
    count = int(np.prod(space))
    own = rng.integers(0, 1000, count).astype(np.int64)
    groups = np.indices(space).reshape(len(space), -1) // np.reshape(local, (-1, 1))
    counts = [s // k for s, k in zip(space, local, strict=True)]
    even = rng.integers(0, 1000, int(np.prod(counts)))[np.ravel_multi_index(groups, counts)]
    names: dict[str, Any] = {"sycl": sycl, "np": np}
    text = program(seed)
    execute(text, names, f"<parting {seed}>")
    options: dict[str, Any] = {"debug": debug}
    if "get_sub_group" in text:
        options["reqd_sub_group_size"] = 8
    kernel = sycl.kernel(**options)(names["kernel"])
    with sycl.buffer(np.zeros(count, np.int64)) as result:
        def group(h: Any) -> None:
            views = [sycl.accessor(sycl.buffer(a.astype(np.int64)), h, sycl.read_only)
                     for a in (own, even)]
            h.parallel_for(sycl.nd_range(space, local), kernel, sycl.accessor(result, h), *views,
                           sycl.local_accessor(np.int64, int(np.prod(local)), h))
        errors: list[Exception] = []
        sycl.queue(device, errors.extend).submit(group).wait_and_throw()
        if errors:
            raise errors[0]
        with sycl.host_accessor(result) as found:
            return np.array(found)


if __name__ == "__main__":
    raise SystemExit(compare(__doc__, run))
