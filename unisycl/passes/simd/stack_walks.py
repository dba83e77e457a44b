"""Loops in which each lane walks a tree with a stack of its own: lanes share one stack.

``while top > 0: top -= 1; node = stack[top]; ...`` has lanes at different nodes as soon as one
enters what another does not, and each then reads a node of its own. Instead one stack notes with
each node the lanes that pushed it. A turn takes the last node and runs for those lanes; the others
wait until it is their turn. Lanes that walk a tree in one order thus meet again at each node that
they have in common, and a node is one number for all who are on. Non-goals: whether lanes have
nodes in common (``costs`` weighs it, launches try it); stacks that are more than pushed and
popped. Invariant: each lane takes its own turns, in its own order; only when it does so in time
changes, which nothing in such a loop can tell.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.dtypes import BOOL
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.stack_statements import STACK_STATEMENTS, Begun, Ended, Popped, Pushed, Stack
from unisycl.ir.types import Scalar
from unisycl.passes.simd import popped_last, shared_arrays
from unisycl.passes.simd.shapes import VARYING, Shapes

_PLAIN = (n.Assign, n.Store, n.StoreMany, n.LoadMany, n.ImageRead, n.If, n.For, n.While, n.Break,
          n.Continue, n.Scope, n.Leave, *STACK_STATEMENTS)
"""Statements by which no lane can tell when another one took its turns, nor has to meet it."""
_ROOM = 256  # what a lane may have on a stack at most, for there to be memory for all lanes
_HELD = 16  # bits that hold any height
_NEAR = 1 << 20
_BOOL = Scalar(BOOL)


def may_walk(kernel: n.Kernel) -> bool:
    """Say whether a kernel may have such loops, before anything is analysed."""
    return (kernel.index_kind in ("range", "nd_range") and not kernel.checks
            and not (kernel.progress or kernel.waits or kernel.apart)
            and any(_is_stack(a) for a in kernel.arrays) and visit.contains(kernel.body, n.While))


def _is_stack(array: n.Base) -> bool:
    return (isinstance(array, n.Array) and array.type.space is address_space.private_space
            and len(array.shape) == 1 and array.shape[0] <= _ROOM
            and isinstance(array.type.elem, Scalar) and array.type.elem.dtype.is_integer)


def run(body: n.Block, shapes: Shapes) -> n.Block:
    """Return a body with such loops rewritten; ``shapes`` are those of the body as it is."""
    kept: set[n.Array] = set()
    while True:
        walks = _Walks(shapes, kept)
        made = walks.block(body)
        if not walks.gone:
            return body
        read = {x.local for x in visit.all_expressions(made) if isinstance(x, n.Read)}
        used = {a for s in visit.statements(made)
                for a in (*shared_arrays.read(s), *shared_arrays.stored(s))}
        wrong = {a for a, gone in walks.gone.items() if a in used or gone & read}
        if not wrong:
            return made
        kept |= wrong


class _Walks:
    """Rewrites the blocks of a kernel. ``gone``: what is not there any more, by stack.

    These are the locals that said how high it was; nobody may read them now.
    """

    def __init__(self, shapes: Shapes, kept: set[n.Array]) -> None:
        self.shapes, self.kept = shapes, kept
        self.gone: dict[n.Array, set[n.Local]] = {}
        self.number = 1 << 20

    def block(self, block: n.Block) -> n.Block:
        out: list[n.Stmt] = []
        for stmt in block:
            if isinstance(stmt, n.While) and id(stmt) in self.shapes.divergent:
                made = self.walk(stmt, out)
                if made is not None:
                    out = made
                    continue
            out.append(visit.map_blocks(stmt, self.block))
        return visit.changed(block, out)

    def walk(self, loop: n.While, before: list[n.Stmt]) -> list[n.Stmt] | None:
        """Return what stands for a loop and what comes before it, or None."""
        if not all(isinstance(s, _PLAIN) for s in visit.statements((loop,))):
            return None
        last = popped_last.find(loop)
        if last is not None:
            return self.shared(loop, last, before)
        guard = _guard(loop)
        popped = _popped(loop.body, guard[0]) if guard is not None else None
        if guard is None or popped is None:
            return None
        top, asked = guard
        first = popped_last.PoppedFirst(loop.body, top, *popped)
        return self.shared(loop, first, before, asked)

    def shared(self, loop: n.While, first: popped_last.PoppedFirst, before: list[n.Stmt],
               asked: n.Block = ()) -> list[n.Stmt] | None:
        """Return a loop that pops first, with a stack lanes share; ``asked``: before a turn."""
        top, array = first.top, first.array
        alike = self.shapes.of(n.Read(top.type, top)).rank < VARYING \
            or self.shapes.one_copy(array)
        if array in self.kept or not _is_stack(array) or alike \
                or not _leads(first.body, first.node, array):
            return None
        self.number += 1
        kind = array.type.elem if first.before is None else first.node.type
        assert isinstance(kind, Scalar)
        stack = Stack(array.name, kind, array.shape[0] + (first.before is not None))
        inside = _Turn(array, top, stack, self.number)
        started = _started(before, inside, first.before)
        made = inside.turn(asked, self.block(first.body)) if started is not None else None
        if started is None or made is None:
            return None
        self.gone.setdefault(array, set()).update(inside.gone)
        return [*started, *made]


def _guard(loop: n.While) -> tuple[n.Local, n.Block] | None:
    """Return what a loop goes on with as long as it is above 0, and what else a turn asks first.

    The second leaves the loop where the rest of the condition does not hold.
    """
    goes, first = loop.cond, _answer(loop)
    if first is not None:
        goes = first.value
    elif loop.pre:
        return None
    terms = list(_terms(goes))
    for k, term in enumerate(terms):
        top = _above(term)
        if top is None:
            continue
        rest: n.Expr = n.Const(_BOOL, True)
        for x in (*terms[:k], *terms[k + 1:]):
            rest = x if isinstance(rest, n.Const) else n.Binary(_BOOL, "and", rest, x)
        if first is not None:
            return top, (replace(first, value=rest), *loop.pre[1:],
                         n.If(n.Unary(_BOOL, "not", loop.cond), (n.Break(),)))
        if isinstance(rest, n.Const):
            return top, ()
        return top, (n.If(n.Unary(_BOOL, "not", rest), (n.Break(),)),)
    return None


def _answer(loop: n.While) -> n.Assign | None:
    """Return what begins ``t = a``, then ``t = b`` if ``t`` is true, as ``a and b`` is written."""
    if len(loop.pre) < 2:
        return None
    first, more, *copies = loop.pre
    if not (isinstance(first, n.Assign) and isinstance(more, n.If) and not more.orelse
            and _reads(more.cond, {first.local})):
        return None
    names = {first.local}
    for stmt in copies:
        if not (isinstance(stmt, n.Assign) and _reads(stmt.value, names)):
            return None
        names.add(stmt.local)
    return first if _reads(loop.cond, names) else None


def _reads(x: n.Expr, names: set[n.Local]) -> bool:
    """Say whether an expression is the truth of a local."""
    while isinstance(x, n.Cast):
        x = x.x
    return isinstance(x, n.Read) and x.local in names and x.type.dtype.kind == "b"


def _terms(x: n.Expr) -> Iterator[n.Expr]:
    """Yield conditions that have to hold together."""
    if isinstance(x, n.Cast) and x.x.type.dtype.kind == "b":
        yield from _terms(x.x)
    elif isinstance(x, n.Binary) and x.op == "and" and x.type.dtype.kind == "b":
        yield from _terms(x.a)
        yield from _terms(x.b)
    else:
        yield x


def _above(cond: n.Expr) -> n.Local | None:
    """Return the number that a condition says is not 0, if it is not below 0 either."""
    x: n.Expr | None = None
    if isinstance(cond, n.Compare) and isinstance(cond.b, n.Const) and (
            cond.op, cond.b.value) in (("gt", 0), ("ge", 1), ("ne", 0)):
        x = cond.a
    elif isinstance(cond, n.Cast) and cond.type.dtype.kind == "b":
        x = cond.x
    while isinstance(x, n.Cast | n.Narrow) and x.type.dtype.bits >= _HELD:
        x = x.x
    return x.local if isinstance(x, n.Read) and x.type.dtype.is_integer else None


def _popped(body: n.Block, top: n.Local) -> tuple[n.Local, n.Array] | None:
    """Return the local that a turn begins by taking from a stack, and the stack."""
    at = {top: 0}
    for stmt in body:
        if not isinstance(stmt, n.Assign):
            return None
        loads = [x for x in visit.walk(stmt.value)
                 if isinstance(x, n.Load) and _is_stack(x.place.base)]
        if loads:
            place = loads[0].place
            assert isinstance(place.base, n.Array)
            whole = not place.inner and _offset(place.index[0], at) == -1
            return (stmt.local, place.base) if whole and len(loads) == 1 else None
        _note(at, stmt)
    return None


def _offset(x: n.Expr, at: dict[n.Local, int]) -> int | None:
    """Return how far above the stack's height before a turn a number is, if it is known."""
    match x:
        case n.Read():
            return at.get(x.local)
        case n.Cast() | n.Narrow() if x.type.dtype.is_integer and x.type.dtype.bits >= _HELD:
            return _offset(x.x, at)
        case n.Binary() if x.op in ("add", "sub") and isinstance(x.b, n.Const):
            inner = _offset(x.a, at)
            if inner is None or not abs(x.b.value) < _NEAR:
                return None
            return inner + int(x.b.value) * (1 if x.op == "add" else -1)
        case n.Binary() if x.op == "add" and isinstance(x.a, n.Const):
            inner = _offset(x.b, at)
            return None if inner is None or not abs(x.a.value) < _NEAR else inner + int(x.a.value)
    return None


def _note(at: dict[n.Local, int], stmt: n.Assign) -> bool:
    """Note what a local is now, and say whether it is a place on the stack."""
    found = _offset(stmt.value, at)
    at.pop(stmt.local, None)
    if found is not None:
        at[stmt.local] = found
    return found is not None


def _leads(body: n.Block, node: n.Local, stack: n.Array) -> bool:
    """Say whether a node tells where memory that items share is read."""
    found = {node}
    for stmt in visit.statements(body):  # copies come before what they are used for
        if isinstance(stmt, n.Assign) and stack not in shared_arrays.read(stmt) and any(
                isinstance(e, n.Read) and e.local in found for e in visit.walk(stmt.value)):
            found.add(stmt.local)
    places = [x.place for x in visit.all_expressions(body) if isinstance(x, n.Load)]
    places += [s.place for s in visit.statements(body) if isinstance(s, n.LoadMany)]
    return any(isinstance(e, n.Read) and e.local in found for p in places
               if not _is_stack(p.base) for i in p.index for e in visit.walk(i))


def _started(before: list[n.Stmt], inside: _Turn, node: n.Local | None
             ) -> list[n.Stmt] | None:
    """Return what comes before a loop, with what it begins with pushed; None if it is not known.

    ``node``: what it begins with besides, if nothing is on the stack.
    """
    height: int | None = None
    stores: list[int] = []
    for k in range(len(before) - 1, -1, -1):
        stmt = before[k]
        if isinstance(stmt, n.Assign) and stmt.local is inside.top and height is None:
            if not isinstance(stmt.value, n.Const) or not (node is None) <= stmt.value.value <= (
                    _ROOM if node is None else 0):
                return None
            height = int(stmt.value.value)
            top = k
        elif isinstance(stmt, n.Store) and stmt.place.base is inside.array:
            stores.insert(0, k)
        elif inside.mentions(stmt):
            return None
        if height is not None and len(stores) >= height:
            break
    if height is None or len(stores) != height:
        return None
    if node is not None:
        return [*before[:top], *before[top + 1:], Begun(inside.stack),
                Pushed(inside.stack, n.Read(node.type, node))]
    out: list[n.Stmt] = []
    for k, stmt in enumerate(before):
        if k == stores[0]:
            out.append(Begun(inside.stack))
        if k in stores:
            assert isinstance(stmt, n.Store)
            index = stmt.place.index[0]
            if not isinstance(index, n.Const) or index.value != stores.index(k):
                return None
            out.append(Pushed(inside.stack, stmt.value, span=stmt.span))
        elif k != top:
            out.append(stmt)
    return out


@dataclass(slots=True)
class _Height:
    """How high a lane's stack is: places by local, counted from some height, and what is on it."""

    at: dict[n.Local, int]
    now: int

    def agrees(self, top: n.Local) -> bool:
        """Say whether the top is where the stack ends."""
        return self.at.get(top) == self.now


class _Unlike(Exception):
    """A stack is used otherwise than by pushing and popping."""


class _Turn:
    """Rewrites the turns of a loop, or finds that the stack is used otherwise."""

    def __init__(self, array: n.Array, top: n.Local, stack: Stack, number: int) -> None:
        self.array, self.top, self.stack, self.number = array, top, stack, number
        self.gone = {top}
        self.popped, self.taken = n.Local("popped", stack.type), False
        self.jumps = False
        self.left: dict[int, n.Local] = {}

    def mentions(self, stmt: n.Stmt) -> bool:
        """Say whether a statement has anything to do with the stack."""
        return any(
            self.array in (*shared_arrays.read(s), *shared_arrays.stored(s))
            or self.top in visit.targets(s)
            or any(isinstance(x, n.Read) and x.local is self.top
                   for e in visit.expressions(s) for x in visit.walk(e))
            for s in visit.statements((stmt,)))

    def turn(self, asked: n.Block, body: n.Block) -> list[n.Stmt] | None:
        """Return the loop and what has to stand around it; ``asked``: before a turn begins."""
        mine, some = n.Local("mine", _BOOL), n.Local("some", _BOOL)
        height = _Height({self.top: 0}, 0)
        try:
            made = (*self.block(asked, height, loops=0, scopes=frozenset()),
                    *self.block(body, height, loops=0, scopes=frozenset()))
            if not self.taken or not (_ends(body) or height.agrees(self.top)):
                return None
        except _Unlike:
            return None
        if self.jumps:
            made = (n.Scope(self.number, made),)
        no, yes = n.Const(_BOOL, False), n.Read(_BOOL, mine)
        loop = n.While((Popped(self.stack, self.popped, mine, some),), n.Read(_BOOL, some),
                       (n.If(yes, made),))
        return [*(n.Assign(x, no) for x in self.left.values()), loop,
                *(n.If(n.Read(_BOOL, x), (n.Leave(k),)) for k, x in self.left.items())]

    def block(self, block: n.Block, height: _Height, *, loops: int, scopes: frozenset[int]
              ) -> n.Block:
        out: list[n.Stmt] = []
        for stmt in block:
            match stmt:
                case n.Assign():
                    out += self.assign(stmt, height)
                case n.Store() if stmt.place.base is self.array:
                    if not self.taken or stmt.place.inner or _offset(
                            stmt.place.index[0], height.at) != height.now:
                        raise _Unlike
                    height.now += 1
                    out.append(Pushed(self.stack, stmt.value, span=stmt.span))
                case n.Break() | n.Continue() | n.Leave():
                    out += self.jump(stmt, height, loops, scopes)
                case _:
                    out.append(self.other(stmt, height, loops, scopes))
        return tuple(out)

    def assign(self, stmt: n.Assign, height: _Height) -> list[n.Stmt]:
        if self.array in shared_arrays.read(stmt):
            if self.taken:
                raise _Unlike
            popped, self.taken = self.popped, True
            height.now -= 1
            height.at.pop(stmt.local, None)
            return [replace(stmt, value=visit.rewrite_expr_down(
                stmt.value, lambda x: n.Read(popped.type, popped) if isinstance(x, n.Load)
                and x.place.base is self.array else None))]
        if _note(height.at, stmt):
            self.gone.add(stmt.local)
            return []
        if stmt.local is self.top:
            raise _Unlike
        return [stmt]

    def jump(self, stmt: n.Stmt, height: _Height, loops: int, scopes: frozenset[int]
             ) -> list[n.Stmt]:
        inner = stmt.number in scopes if isinstance(stmt, n.Leave) else loops > 0
        if inner or isinstance(stmt, n.Continue):
            if not height.agrees(self.top):
                raise _Unlike
            if inner:
                return [stmt]
        self.jumps = True
        out: list[n.Stmt] = []
        if not isinstance(stmt, n.Continue):
            out.append(Ended(self.stack))
        if isinstance(stmt, n.Leave):
            left = self.left.setdefault(stmt.number, n.Local("left", _BOOL))
            out.append(n.Assign(left, n.Const(_BOOL, True)))
        return [*out, n.Leave(self.number)]

    def other(self, stmt: n.Stmt, height: _Height, loops: int, scopes: frozenset[int]) -> n.Stmt:
        """Return a statement with what is in it rewritten; behind it ways meet."""
        touched = self.mentions(stmt)
        if touched and not any(True for _ in visit.blocks(stmt)):
            raise _Unlike
        for x in visit.targets(stmt):
            height.at.pop(x, None)
        loop = isinstance(stmt, n.For | n.While)
        if touched and (not self.taken or (loop and not height.agrees(self.top))):
            raise _Unlike
        if isinstance(stmt, n.Scope):
            scopes |= {stmt.number}

        ends: list[_Height] = []

        def inner(block: n.Block) -> n.Block:
            here = _Height({self.top: 0}, 0) if loop and touched else _Height(
                dict(height.at), height.now)
            made = self.block(block, here, loops=loops + loop, scopes=scopes)
            if not _ends(block):
                ends.append(here)
            return made
        made = visit.map_blocks(stmt, inner)
        for x in visit.assigned((stmt,)):
            height.at.pop(x, None)
        if touched and all(x.agrees(self.top) for x in ends):
            height.at, height.now = {self.top: 0}, 0
        elif touched:
            found = {(x.at.get(self.top), x.now) for x in ends}
            if loop or isinstance(stmt, n.Scope) or len(found) != 1:
                raise _Unlike
            height.at = {x: k for x, k in ends[0].at.items() if x is self.top}
            height.now = ends[0].now
        return made


def _ends(block: n.Block) -> bool:
    """Say whether nothing comes behind a block, since its last statement jumps."""
    return bool(block) and isinstance(block[-1], n.Break | n.Continue | n.Leave)
