"""Random kernels whose stores stand behind guards: borders, early returns, clamps, remainders.

Loops run over windows of what is around an item; indices are clamped, wrapped or divided. A kernel
of a grid reads two arrays and stores where its item stands; a kernel of rows reads and changes its
own row of two arrays, which may be the same memory; one of short rows has one id, the number of
its item. Non-goals: running them (``guarded``), and
everything else of the language (``programs``). Invariants: a number makes one program; no divisor
is 0, no index out of range, no item reads what another writes, and no float is rounded: a compiler
may contract ``a * b + c``.
"""

from __future__ import annotations

from random import Random

HEAD = """def held(i, size):
    return 0 if i < 0 else size - 1 if i >= size else i


def near(i, size):
    if i < 0:
        return 0
    if i >= size:
        return size - 1
    return i


def small(v):
    return min(max(v, -99), 99)


def kernel({names}):
{lines}


def nd_kernel({names}):
    kernel(it.get_global_id(), {passed})
"""
BOUNDS = ("n", "n - 1", "n - 2", "k", "k + 1", "0", "1", "2", "3", "m", "n // 2", "m - k", "-1")
OPERATORS = ("<", "<=", ">", ">=", "==", "!=")
KINDS = ("int64", "int32", "int64", "float64", "float32")
DEEP, LONG = 3, 24


class Guards:
    """Writes one kernel over ``dims`` dimensions; one of ``rows`` has each item change its row.

    One of ``lists`` goes by a list of places, too. One of ``floats`` keeps what it stores between
    -99 and 99 and multiplies only what it reads. ``short``: its rows may lie one behind another.
    """

    def __init__(self, rng: Random, dims: int, *, rows: bool, floats: bool,
                 lists: bool = False, short: bool = False) -> None:
        self.rng, self.rows, self.floats, self.lists = rng, rows, floats, lists
        names = ["x", "y", "z"][:dims]
        self.place, self.given = f"o[{', '.join(names)}]", [f"it[{d}]" for d in range(dims)]
        if short:
            names, at = ["x"], self.given
            whole = "it[0] * o.shape[1] + it[1]"
            if dims == 3:
                whole = f"it[2] + o.shape[2] * ({whole})"
            self.place, self.given = f"o[{', '.join(at)}]", [whole]
        self.ids = names
        self.lines: list[str] = []

    def often(self, chance: float) -> bool:
        return self.rng.random() < chance

    def pick(self, *options: str) -> str:
        return self.rng.choice(options)

    # ---- numbers
    def linear(self, v: str) -> str:
        """Return a number that grows or falls with an index."""
        small = self.rng.randint(-4, 4)
        return self.pick(
            v, f"{v} + {small}", f"{v} * {self.pick('1', '2', '3', '-1')} + {small}",
            f"n - 1 - {v}", f"{v} - k", f"k - {v}", f"2 * {v} - n")

    def index(self, v: str, size: str) -> str:
        """Return an index that lies in an array of some size."""
        at = self.linear(v)
        by = self.pick("2", "3", "(k + 1)", "w")
        return self.rng.choices(
            (f"{self.pick('held', 'near')}({at}, {size})", f"min(max({at}, 0), {size} - 1)",
             f"({at}) % {size}", f"({at} + {size}) % {size}", f"({v} // {by}) % {size}",
             f"{v} % {size}"), (5, 4, 3, 2, 2, 4))[0]

    def element(self) -> str:
        """Return an element of memory that is read."""
        v = self.rng.choice(self.ids)
        if self.rows and self.often(0.75):
            return f"{self.pick('o', 'a')}[x, {self.index(v, 'n')}]"
        if self.rows or self.often(0.25):
            return f"b[{self.index(v, 'm')}]"
        return f"a[{self.index(v, 'n')}]"

    def value(self, depth: int = 0) -> str:
        """Return an expression of the memory's type, whichever way it takes."""
        chance = self.rng.random()
        if depth >= DEEP or chance < 0.4:
            return self.element()
        if chance < 0.5:
            number = self.pick(self.rng.choice(self.ids), "k", "2", "n")
            return f"({self.element()} {self.pick('+', '-', '*')} {number})"
        op = self.pick("+", "-", "*", "+")
        below = DEEP if op == "*" and self.floats else depth + 1
        a, b = self.value(below), self.value(below)
        if chance < 0.6:
            return f"({a} if {self.condition(1)} else {b})"
        if chance < 0.66:
            return f"{self.pick('min', 'max')}({a}, {b})"
        return f"({a} {op} {b})"

    # ---- guards
    def condition(self, depth: int = 0) -> str:
        chance, v = self.rng.random(), self.rng.choice(self.ids)
        if depth < 2 and chance < 0.35:
            joined = self.pick("and", "or")
            return f"({self.condition(depth + 1)} {joined} {self.condition(depth + 1)})"
        if depth < 2 and chance < 0.43:
            return f"not ({self.condition(depth + 1)})"
        at, less = self.linear(v), ("<", "<=")
        if chance < 0.55:
            return (f"{self.pick(*BOUNDS)} {self.pick(*less)} {at} "
                    f"{self.pick(*less)} {self.pick(*BOUNDS)}")
        if chance < 0.62:
            return (f"({at}) % {self.pick('2', '3', '(k + 1)', '8')} "
                    f"{self.pick('==', '!=', '<')} {self.rng.randint(0, 2)}")
        if chance < 0.66:
            return f"{self.element()} > 5"
        return f"{at} {self.pick(*OPERATORS)} {self.pick(*BOUNDS)}"

    # ---- statements
    def emit(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def body(self, indent: int, depth: int = 0) -> None:
        """Write a few statements."""
        for _ in range(self.rng.randint(1, 3)):
            chance = self.rng.random() if len(self.lines) < LONG else 1.0
            if chance < 0.3 and depth < DEEP:
                self.branch(indent, depth)
            elif chance < 0.38 and depth == 0:
                self.emit(indent, f"if {self.condition()}:")
                self.emit(indent + 1, "return")
            elif chance < 0.55 and depth < 2:
                self.loop(indent, depth)
            elif chance < 0.65:
                self.add(indent)
            else:
                self.store(indent)

    def branch(self, indent: int, depth: int) -> None:
        self.emit(indent, f"if {self.condition()}:")
        self.body(indent + 1, depth + 1)
        if self.often(0.4):
            self.emit(indent, "else:")
            self.body(indent + 1, depth + 1)

    def loop(self, indent: int, depth: int) -> None:
        """Write a loop over a window; a loop in a loop is short."""
        v, last = f"j{depth}", self.ids[-1]
        turns = [f"{self.rng.randint(1, 4)}", "k", "-1, 2", "k, -1, -1", "0, k + 1, 2",
                 f"max({last} - 1, 0), min({last} + 2, n)"]
        if depth == 0:
            turns += ["n", "n - 1, -1, -1", "1, n - 1",
                      f"{self.linear(self.rng.choice(self.ids))}, {self.pick(*BOUNDS)}"]
        self.emit(indent, f"for {v} in range({self.rng.choice(turns)}):")
        self.ids.append(v)
        self.body(indent + 1, depth + 1)
        if self.often(0.2):
            self.emit(indent + 1, f"if {self.condition(1)}:")
            self.emit(indent + 2, self.pick("break", "continue"))
        self.ids.pop()

    def add(self, indent: int) -> None:
        """Change the sum."""
        if not self.floats:
            self.emit(indent, f"s {self.pick('=', '+=', '-=')} {self.value()}")
        elif self.often(0.6):
            self.emit(indent, f"s {self.pick('+=', '-=')} {self.element()}")
        else:
            self.emit(indent, f"s = small({self.value()})")

    def store(self, indent: int) -> None:
        place = self.place
        if self.rows:
            place = f"{self.pick('o', 'a')}[x, {self.index(self.rng.choice(self.ids), 'n')}]"
        if self.floats:
            more = self.pick("", f"{place} + ", f"{place} - ")
            self.emit(indent, f"{place} = small({more}s + {self.value()})")
        else:
            self.emit(indent, f"{place} {self.pick('=', '=', '+=', '-=')} s + {self.value()}")

    def listed(self) -> None:
        """Add elements that a list of places names, and neighbours of theirs."""
        self.emit(1, f"q = p[{self.ids[-1]}]")
        self.emit(1, "d = 1 if n > 1 else 0")
        more = self.pick("a[q + d]", "a[d + q]", "a[(q + k) % n]", "a[(q - 1) % n]", "a[q]")
        if self.often(0.3):
            self.emit(1, f"if {self.condition(1)}:")
            self.emit(2, f"s += a[q] + {more}")
        else:
            self.emit(1, f"s += a[q] - {more}")

    def text(self) -> str:
        """Write the kernel; return it behind the functions that it calls."""
        for v, value in zip(self.ids, self.given, strict=True):
            self.emit(1, f"{v} = {value}")
        self.emit(1, "s = b[0] * 0")
        self.body(1)
        if self.rows:
            self.loop(1, 0)
        elif self.lists:
            self.listed()
        self.store(1)
        names = "a, b, o, p, n, m, k, w"
        return HEAD.format(names=f"it, {names}", passed=names, lines="\n".join(self.lines))


def program(seed: int) -> str:
    """Return the text of ``kernel`` for a range, and of ``nd_kernel`` for an nd_range."""
    rng = Random(seed)
    rows = rng.random() < 0.3
    dims = rng.choice((1, 1, 2)) if rows else rng.choice((1, 1, 2, 2, 3))
    kind = rng.choice(KINDS)
    short = not rows and dims > 1 and seed % 4 == 3
    head = f"ROWS, DIMS, SHORT, KIND = {rows}, {dims}, {short}, {kind!r}\n\n\n"
    lists = Random(~seed).random() < 0.4 and not short
    made = Guards(rng, dims, rows=rows, floats=kind[0] == "f", lists=lists, short=short)
    return head + made.text()
