"""The words that shadow memory: who accessed a cell, and whether two accesses race.

A word has, from its lowest bit: the item's number (28 bits), how often its group and sub-group had
met (11 and 5) and how many atomics had ordered anything (6), the site (10), and whether it writes,
is atomic, of a narrow scope, and there at all. Counts stop at their greatest, which orders
everything. Non-goals: where words lie. Invariant: what is found is a race; two accesses that an
atomic in between may have ordered are none.
"""

from __future__ import annotations

from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.text import vectors
from unisycl.ir.shadow_words import ATOMIC, ITEM, NARROW, PART, SYNC, TURN
from unisycl.ir.watch_statements import Watch


def cell(e: Emitter, numbers: str, words: str) -> str:
    """Return the addresses of the words of cells, given their numbers and the word of cell 0."""
    w = e.lanes.lanes
    moved = e.f.op(f"shl <{w} x i64> {numbers}, splat (i64 3)")
    one = e.f.op(f"insertelement <{w} x i64> poison, i64 {words}, i64 0")
    many = e.f.op(f"shufflevector <{w} x i64> {one}, <{w} x i64> poison, "
                  f"<{w} x i32> zeroinitializer")
    return e.f.op(f"add <{w} x i64> {moved}, {many}")


def region(e: Emitter, numbers: str, table: str, half: str) -> str:
    """Return the addresses of the words of cells anywhere, 0 where there are none."""
    w = max(_FEWEST, e.lanes.lanes)
    text = _REGION.format(w=w, attributes=vectors(e.widest))
    if text not in e.f.module.functions:
        e.f.module.functions.append(text)
        _declare(e, w)
    found = e.f.op(f"call <{w} x i64> @unisycl_watch_region(<{w} x i64> {_widened(e, numbers)}, "
                   f"<{w} x i1> {_widened(e, e.full(), 'i1')}, i64 {table}, i64 {half})")
    return _narrowed(e, found)


def _widened(e: Emitter, value: str, element: str = "i64") -> str:
    """Return a value of all lanes, of two where there is one, the second off.

    LLVM's code generator aborts at some functions over vectors of one element.
    """
    if e.lanes.lanes >= _FEWEST:
        return value
    return e.f.op(f"shufflevector <1 x {element}> {value}, <1 x {element}> zeroinitializer, "
                  "<2 x i32> <i32 0, i32 1>")


def _narrowed(e: Emitter, value: str) -> str:
    if e.lanes.lanes >= _FEWEST:
        return value
    return e.f.op(f"shufflevector <2 x i64> {value}, <2 x i64> poison, <1 x i32> zeroinitializer")


def mark(e: Emitter, cells: str, behind: int, now: str) -> None:
    """Emit the note that somebody reads cells; of several lanes one is noted."""
    w = e.lanes.lanes
    _declare(e)
    where = cells if not behind else e.f.op(f"add <{w} x i64> {cells}, splat (i64 {behind})")
    many = e.f.op(f"inttoptr <{w} x i64> {where} to <{w} x ptr>")
    e.f.do(f"call void @llvm.masked.scatter.v{w}i64.v{w}p0(<{w} x i64> {now}, <{w} x ptr> {many}, "
           f"i32 8, {e.mask_type} {e.full()})")


def _declare(e: Emitter, width: int = 0) -> None:
    w = width or e.lanes.lanes
    e.f.module.declare(f"llvm.masked.gather.v{w}i64.v{w}p0",
                       f"<{w} x i64> @(<{w} x ptr>, i32, <{w} x i1>, <{w} x i64>)")
    e.f.module.declare(f"llvm.masked.scatter.v{w}i64.v{w}p0",
                       f"void @(<{w} x i64>, <{w} x ptr>, i32, <{w} x i1>)")


# The table has two numbers for each region, sorted: the first cell, and what leads to its words.
_REGION = """
define internal <{w} x i64> @unisycl_watch_region(<{w} x i64> %cells, <{w} x i1> %mask, i64 %table,
                                                  i64 %half) noinline {attributes} {{
entry:
  %t1 = insertelement <{w} x i64> poison, i64 %table, i64 0
  %t = shufflevector <{w} x i64> %t1, <{w} x i64> poison, <{w} x i32> zeroinitializer
  br label %head
head:
  %step = phi i64 [ %half, %entry ], [ %less, %turn ]
  %low = phi <{w} x i64> [ zeroinitializer, %entry ], [ %next, %turn ]
  %more = icmp ne i64 %step, 0
  br i1 %more, label %turn, label %end
turn:
  %s1 = insertelement <{w} x i64> poison, i64 %step, i64 0
  %s = shufflevector <{w} x i64> %s1, <{w} x i64> poison, <{w} x i32> zeroinitializer
  %try = add <{w} x i64> %low, %s
  %o = shl <{w} x i64> %try, splat (i64 4)
  %a = add <{w} x i64> %t, %o
  %p = inttoptr <{w} x i64> %a to <{w} x ptr>
  %first = call <{w} x i64> @llvm.masked.gather.v{w}i64.v{w}p0(<{w} x ptr> %p, i32 8,
    <{w} x i1> %mask, <{w} x i64> zeroinitializer)
  %in = icmp uge <{w} x i64> %cells, %first
  %next = select <{w} x i1> %in, <{w} x i64> %try, <{w} x i64> %low
  %less = lshr i64 %step, 1
  br label %head
end:
  %o2 = shl <{w} x i64> %low, splat (i64 4)
  %o3 = add <{w} x i64> %o2, splat (i64 8)
  %a2 = add <{w} x i64> %t, %o3
  %p2 = inttoptr <{w} x i64> %a2 to <{w} x ptr>
  %lead = call <{w} x i64> @llvm.masked.gather.v{w}i64.v{w}p0(<{w} x ptr> %p2, i32 8,
    <{w} x i1> %mask, <{w} x i64> zeroinitializer)
  %none = icmp eq <{w} x i64> %lead, zeroinitializer
  %o4 = shl <{w} x i64> %cells, splat (i64 3)
  %found = add <{w} x i64> %lead, %o4
  %out = select <{w} x i1> %none, <{w} x i64> zeroinitializer, <{w} x i64> %found
  ret <{w} x i64> %out
}}
"""


def calms(stmt: Watch) -> bool:
    """Say whether an access to local memory keeps note of which cells are calm.

    Such a cell was read by two items of the group and not written since all of it last met: another
    read of it finds no race and leaves nothing behind.
    """
    return not stmt.who.parts


def gather(e: Emitter, where: str) -> str:
    """Return the words at addresses, for the lanes that are on."""
    w = e.lanes.lanes
    _declare(e)
    many = e.f.op(f"inttoptr <{w} x i64> {where} to <{w} x ptr>")
    return e.f.op(f"call <{w} x i64> @llvm.masked.gather.v{w}i64.v{w}p0(<{w} x ptr> {many}, i32 8, "
                  f"{e.mask_type} {e.full()}, <{w} x i64> zeroinitializer)")


_FEWEST = 2
MANY, ROW, ONE = "", "_row", "_one"
"""How the cells of the lanes lie: anywhere, side by side, or it is one for all."""


def look(e: Emitter, cells: str, behind: int, how: tuple[str, str, str, str], stmt: Watch, *,
         local: bool, lie: str = MANY) -> str:
    """Emit the look at one cell a lane; return the words that the access races with, or zeros.

    ``how``: the distance of a cell's words, the lanes, the word of this access, that of calm cells.
    """
    stride, mask, now, key = how
    w = e.lanes.lanes
    name = "unisycl_watch" + ("_write" if stmt.writes else "_read") + (
        "_local" if local else "") + ("_atomic" if stmt.scope is not None else "") + lie
    width = _FEWEST if lie == ONE else max(_FEWEST, w)
    head = f"define internal <{width} x i64> @{name}("
    if not any(text.startswith(head) for text in e.f.module.functions):
        e.f.module.functions.append(_Body(width, stmt, local=local, widest=e.widest,
                                          row=lie == ROW, lanes=w).text(head))
        _declare(e, width)
        if lie == ROW:
            e.f.module.declare(f"llvm.masked.load.v{w}i64.p0",
                               f"<{w} x i64> @(ptr, i32, <{w} x i1>, <{w} x i64>)")
            e.f.module.declare(f"llvm.masked.store.v{w}i64.p0",
                               f"void @(<{w} x i64>, ptr, i32, <{w} x i1>)")
    first = e.emit(e, stmt.here[1])
    if lie == ONE:
        return _ends(e, name, cells, how, first.ref)
    where = cells if not behind else e.f.op(f"add <{w} x i64> {cells}, splat (i64 {behind})")
    key = _widened(e, key) if key else "zeroinitializer"
    on, word = _widened(e, mask, "i1"), _widened(e, now)
    found = e.f.op(f"call <{width} x i64> @{name}(<{width} x i64> {_widened(e, where)}, "
                   f"i64 {stride}, <{width} x i1> {on}, <{width} x i64> {word}, i64 {first.ref}, "
                   f"<{width} x i64> {key})")
    return _narrowed(e, found)


def _ends(e: Emitter, name: str, cells: str, how: tuple[str, str, str, str], first: str) -> str:
    """Look at one cell that all lanes read, for the first and the last of them.

    Whoever wrote it is not both, and it remembers two readers anyway.
    """
    f, w, b = e.f, e.lanes.lanes, e.mask_bits
    stride, mask, now, key = how
    bits = e.bits(mask)
    f.module.declare(f"llvm.ctlz.{b}", f"{b} @({b}, i1)")
    zeros = f.op(f"call {b} @llvm.ctlz.{b}({b} {bits}, i1 true)")
    last = f.op(f"sub {b} {w - 1}, {zeros}")
    last = f.op(f"zext {b} {last} to i64") if w < 64 else last
    lanes = (e.lowest(bits), last)
    two, words = "poison", []
    for k, lane in enumerate(lanes):
        words.append(f.op(f"extractelement <{w} x i64> {now}, i64 {lane}"))
        two = f.op(f"insertelement <2 x i64> {two}, i64 {words[k]}, i64 {k}")
    cell, calm = (f.op(f"shufflevector <{w} x i64> {x}, <{w} x i64> poison, "
                       "<2 x i32> zeroinitializer") for x in (cells, key or "zeroinitializer"))
    out = f.op(f"call <2 x i64> @{name}(<2 x i64> {cell}, i64 {stride}, <2 x i1> splat (i1 true), "
               f"<2 x i64> {two}, i64 {first}, <2 x i64> {calm})")
    found = "zeroinitializer"
    for k in (1, 0):  # they may be one lane: the first
        other = f.op(f"extractelement <2 x i64> {out}, i64 {k}")
        found = f.op(f"insertelement <{w} x i64> {found}, i64 {other}, i64 {lanes[k]}")
    return found


class _Body:
    """Writes the function that looks at a cell for each lane."""

    def __init__(self, w: int, stmt: Watch, *, local: bool, widest: int, row: bool,
                 lanes: int) -> None:
        self.w, self.lanes = w, lanes
        self.row = row
        self.stmt = stmt
        self.local = local
        self.widest = widest
        self.lines: list[str] = []
        self.count = 0

    def op(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    @property
    def wide(self) -> str:
        return f"<{self.w} x i64>"

    @property
    def mask(self) -> str:
        return f"<{self.w} x i1>"

    def splat(self, value: str) -> str:
        """Return a vector of one scalar in a register."""
        one = self.op(f"insertelement {self.wide} poison, i64 {value}, i64 0")
        return self.op(f"shufflevector {self.wide} {one}, {self.wide} poison, "
                       f"<{self.w} x i32> zeroinitializer")

    def bits(self, x: str, mask: int) -> str:
        return self.op(f"and {self.wide} {x}, splat (i64 {mask - (1 << 64) * (mask >> 63)})")

    def compare(self, word: str, a: str, b: str) -> str:
        return self.op(f"icmp {word} {self.wide} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.op(f"and {self.mask} {a}, {b}")

    def either(self, a: str, b: str) -> str:
        return self.op(f"or {self.mask} {a}, {b}")

    def no(self, a: str) -> str:
        return self.op(f"xor {self.mask} {a}, splat (i1 true)")

    def first_of(self, where: str) -> str:
        one = self.op(f"extractelement {self.wide} {where}, i64 0")
        return self.op(f"inttoptr i64 {one} to ptr")

    def gather(self, where: str, mask: str) -> str:
        w = self.w
        if self.row:
            return self.op(f"call {self.wide} @llvm.masked.load.v{w}i64.p0(ptr "
                           f"{self.first_of(where)}, i32 8, {self.mask} {mask}, {self.wide} "
                           "zeroinitializer)")
        many = self.op(f"inttoptr {self.wide} {where} to <{w} x ptr>")
        return self.op(f"call {self.wide} @llvm.masked.gather.v{w}i64.v{w}p0(<{w} x ptr> {many}, "
                       f"i32 8, {self.mask} {mask}, {self.wide} zeroinitializer)")

    def scatter(self, value: str, where: str, mask: str) -> None:
        w = self.w
        if self.row:
            self.lines.append(f"  call void @llvm.masked.store.v{w}i64.p0({self.wide} {value}, ptr "
                              f"{self.first_of(where)}, i32 8, {self.mask} {mask})")
            return
        many = self.op(f"inttoptr {self.wide} {where} to <{w} x ptr>")
        self.lines.append(f"  call void @llvm.masked.scatter.v{w}i64.v{w}p0({self.wide} {value}, "
                          f"<{w} x ptr> {many}, i32 8, {self.mask} {mask})")

    # ---- what orders
    def group(self, word: str) -> tuple[str, str]:
        """Return whether the item of a word is another one, and whether of the same group."""
        item = self.bits(word, ITEM)
        away = self.op(f"sub {self.wide} {item}, {self.first}")
        size = self.stmt.who.slot
        mine = self.compare("ult", away, f"splat (i64 {size})") if size else "zeroinitializer"
        return self.compare("ne", item, self.item), mine

    def ordered(self, word: str, mine: str) -> str:
        """Return whether something orders the access of a word before this one."""
        after = self.both(mine, self.passed(word, *TURN))
        who = self.stmt.who
        if who.parts and mine != "zeroinitializer":
            a, b = (self.op(f"sub {self.wide} {x}, {self.first}") for x in (
                self.bits(word, ITEM), self.item))
            apart = self.op(f"xor {self.wide} {a}, {b}")
            apart = self.op(f"lshr {self.wide} {apart}, splat (i64 {self.lanes.bit_length() - 1})")
            same = self.both(mine, self.compare("eq", apart, "zeroinitializer"))
            after = self.either(after, self.both(same, self.passed(word, *PART)))
        if who.syncs:
            after = self.either(after, self.passed(word, *SYNC))
        return after

    def passed(self, word: str, at: int, most: int) -> str:
        """Return whether a count has gone on since a word, or is at its end."""
        a, b = self.bits(word, most << at), self.bits("%now", most << at)
        full = self.compare("eq", b, f"splat (i64 {most << at})")
        return self.either(self.compare("ne", a, b), full)

    def races(self, word: str) -> str:
        """Return whether the access of a word races with this one."""
        there = self.compare("ne", word, "zeroinitializer")
        other, mine = self.group(word)
        found = self.both(self.both(there, other), "%mask")
        found = self.both(found, self.no(self.ordered(word, mine)))
        if self.local:
            found = self.both(found, mine)
        if self.stmt.scope is not None:
            atomic = self.compare("ne", self.bits(word, ATOMIC), "zeroinitializer")
            narrow = self.bits(self.op(f"or {self.wide} {word}, %now"), NARROW)
            wide = self.compare("eq", narrow, "zeroinitializer")
            fine = self.both(atomic, self.either(wide, mine))
            found = self.both(found, self.no(fine))
        return found

    # ---- the two functions
    def text(self, head: str) -> str:
        self.item = self.bits("%now", ITEM)
        self.first = self.splat("%first")
        self.step = self.splat("%stride")
        written = self.gather("%cells", "%mask")
        self.one = self.op(f"add {self.wide} %cells, {self.step}")
        self.two = self.op(f"add {self.wide} {self.one}, {self.step}")
        self.calm = ""
        if self.local and calms(self.stmt):
            self.calm = self.op(f"add {self.wide} {self.two}, {self.step}")
        self.written = written
        found = self.races(written)
        out = self.op(f"select {self.mask} {found}, {self.wide} {written}, {self.wide} "
                      "zeroinitializer")
        out = self.write(out) if self.stmt.writes else self.read(out)
        body = "\n".join(self.lines)
        declared = (f"{head}{self.wide} %cells, i64 %stride, {self.mask} %mask, {self.wide} %now, "
                    f"i64 %first, {self.wide} %key) noinline {vectors(self.widest)} {{")
        return f"{declared}\nentry:\n{body}\n  ret {self.wide} {out}\n}}"

    def write(self, out: str) -> str:
        for where in (self.one, self.two):
            reader = self.gather(where, "%mask")
            found = self.races(reader)
            out = self.op(f"select {self.mask} {found}, {self.wide} {reader}, {self.wide} {out}")
            there = self.both(self.compare("ne", reader, "zeroinitializer"), "%mask")
            self.scatter("zeroinitializer", where, there)
        self.scatter("%now", "%cells", "%mask")
        if self.calm:
            self.scatter("zeroinitializer", self.calm, "%mask")
        if self.row or (self.stmt.scope is not None and self.stmt.who.slot):
            return out
        again = self.gather("%cells", "%mask")
        lost = self.both(self.compare("ne", again, "%now"), "%mask")
        if self.stmt.scope is not None:  # without groups, each item is one of its own
            narrow = self.compare("ne", self.bits("%now", NARROW), "zeroinitializer")
            lost = self.both(lost, narrow)
        return self.op(f"select {self.mask} {lost}, {self.wide} {again}, {self.wide} {out}")

    def read(self, out: str) -> str:
        mask = "%mask"
        for where in (self.one, self.two):
            reader = self.gather(where, mask)
            other, mine = self.group(reader)
            free = self.either(self.no(other), self.ordered(reader, mine))
            if self.local:
                free = self.either(free, self.no(mine))
            free = self.either(free, self.compare("eq", reader, "zeroinitializer"))
            self.scatter("%now", where, self.both(mask, free))
            if self.row:
                mask = self.both(mask, self.no(free))
                continue
            again = self.gather(where, mask)
            mask = self.both(mask, self.compare("ne", self.bits(again, ITEM), self.item))
        if self.calm and self.stmt.scope is None:
            self.settle()
        return out

    def settle(self) -> None:
        """Note the cells that two items have read by now, without a race with who wrote."""
        one, two = (self.gather(x, "%mask") for x in (self.one, self.two))
        at, most = TURN
        calm = self.both("%mask", self.compare("ne", self.bits("%now", most << at),
                                               f"splat (i64 {most << at})"))
        calm = self.both(calm, self.compare("ne", self.bits(one, ITEM), self.bits(two, ITEM)))
        for word in (one, two):
            calm = self.both(calm, self.fixed(word))
        _, mine = self.group(self.written)
        calm = self.both(calm, self.either(
            self.no(self.both(mine, self.compare("ne", self.written, "zeroinitializer"))),
            self.ordered(self.written, mine)))
        self.scatter("%key", self.calm, calm)

    def fixed(self, word: str) -> str:
        """Return whether a read stays in its cell until the group meets again."""
        plain = self.compare("eq", self.bits(word, ATOMIC), "zeroinitializer")
        there = self.both(plain, self.compare("ne", word, "zeroinitializer"))
        _, mine = self.group(word)
        return self.both(self.both(there, mine), self.no(self.ordered(word, mine)))

