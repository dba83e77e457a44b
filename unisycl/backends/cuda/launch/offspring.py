"""The children of kernels launched by the card: one scheduler for each tree of kernels.

Non-goals: commands with events or wait lists, and kernels that print, are checked or reduce, whose
trees the runtime starts (``runtime.launch.child_kernels``). Invariants: what a scheduler did not
launch is left to the runtime with its records; memory of a run is used again only when all of it
was done.
"""

from __future__ import annotations

import ctypes
import math
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from unisycl.backends.base import BoundView, Completion, Driver, LocalSize
from unisycl.backends.cfamily import foreign
from unisycl.backends.cfamily.dialect import Dialect
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.children import Left
from unisycl.backends.cuda.api import handle
from unisycl.backends.cuda.commands.commands import Commands
from unisycl.backends.cuda.commands.lanes import Lane
from unisycl.backends.cuda.discovery.card import Card
from unisycl.backends.cuda.launch import linking
from unisycl.backends.cuda.launch.arguments import Signature
from unisycl.backends.cuda.launch.executable import CuExecutable, Module
from unisycl.backends.cuda.memory.arrays import address_of
from unisycl.backends.cuda.memory.heap import Heap
from unisycl.backends.cuda.session import Session
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text import scheduler
from unisycl.backends.cuda.text.dialect import make_dialect
from unisycl.backends.cuda.text.target import Target
from unisycl.backends.device.facts import Facts
from unisycl.backends.device.scratch import NOTHING
from unisycl.backends.device.texts import Variant, below, key_of_any, source_of
from unisycl.base.errors import BuildError, DeviceError, errc
from unisycl.ir.enqueue_records import CAPACITY, WORDS
from unisycl.ir.enqueue_records import Commands as Records

_GENERAL = Variant(wide=True, meet=True)
"""The text of any numbers and views."""
_SLOTS, _ROOM = 64, 16384
"""Kernels that enqueue and are under way at a time, and commands that wait: 36 MiB for a run."""
_MOST_FIXED = 3072  # bytes of all kernels' arguments; a launch has 4096
_PLAIN_SHARED = 48 << 10
_KEPT = 64
_SPARE = 4


class Opened(Protocol):
    """What is asked of a driver's context."""

    session: Session
    commands: Commands
    heap: Heap
    offspring: Offspring


class Maker(Protocol):
    """What is asked of the driver of a card."""

    card: Card
    facts: Facts
    target: Target

    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Completion]) -> Completion:
        """Copy equal shapes."""


class Printed(NamedTuple):
    """A scheduler with its kernels as text, and how those are given what no record has.

    ``starts``: where the bytes of each kernel's arguments begin in all, which are ``size``.
    """

    source: Source
    signatures: tuple[Signature, ...]
    starts: tuple[int, ...]
    size: int
    slots: int


class Program(NamedTuple):
    """A scheduler, loaded."""

    module: Module
    main: int
    printed: Printed


class _Room:
    """Memory of one run: what kernels enqueue, what waits, and what the scheduler tells."""

    def __init__(self, maker: Maker, heap: Heap, slots: int, facts: Any) -> None:
        self.slots = slots
        head = 16 + 8 * slots
        self.counts = heap.allocate(4 * scheduler.COUNTS * slots, None).view(np.dtype(np.int32))
        self.records = heap.allocate(8 * WORDS * CAPACITY * slots, None).view(np.dtype(np.int64))
        self.stack = heap.allocate(8 * WORDS * _room(slots), None).view(np.dtype(np.int64))
        self.head = heap.allocate(head, None)
        self.told = heap.pinned(4 * (scheduler.TOLD + 4 * slots)).view(np.int32)
        first = np.tile(np.asarray(facts, np.int32), slots)
        _finish(maker.copy(_whole(self.counts, 0, first.size), _whole(first, 0, first.size), ()))

    def addresses(self) -> tuple[int, ...]:
        """Return where the memory lies, in the order of the scheduler's parameters."""
        every = self.head, self.counts, self.records, self.stack
        return (*(address_of(_whole(x, 0, 1)) for x in every), self.told.ctypes.data)


class Offspring:
    """The schedulers of one card that were compiled last, and memory for their runs."""

    def __init__(self, target: Target) -> None:
        self._dialect = make_dialect(target)
        self._known: OrderedDict[Any, tuple[tuple[Any, ...], Program | None]] = OrderedDict()
        self.spare: dict[int, list[_Room]] = {}
        self.launched = 0
        """How many kernels schedulers have launched."""
        self.left = 0
        """How many runs have left something to the runtime."""

    def starter(self, maker: Maker, opened: Opened, tree: Any, facts: Any) -> CardStarter | None:
        """Return what starts the children of a tree; None where the runtime does."""
        root: CuExecutable = tree.kin[0].launch.executable
        if not root.simple or root.together or not all(map(_fits, tree.kin[1:])) or (
                _found(opened.session) is None):
            return None
        program = self._program(maker, opened.session, tree)
        if program is None:
            return None
        slots = program.printed.slots
        rooms = self.spare.setdefault(slots, [])
        try:
            room = rooms.pop() if rooms else _Room(maker, opened.heap, slots, facts)
        except MemoryError:
            return None
        return CardStarter(self, maker, opened.commands, program, room, tree)

    def _program(self, maker: Maker, session: Session, tree: Any) -> Program | None:
        key = tuple((id(kin.launch.executable.kernel), kin.kind, kin.ndim, kin.local, kin.children,
                     kin.numbers, tuple((i, what.counts) for i, what in kin.memory),
                     _dynamic(kin)) for kin in tree.kin)
        known = self._known.get(key)
        if known is None:
            known = _kernels(tree), self._loaded(maker, session, tree)
            while len(self._known) >= _KEPT:
                self._known.popitem(last=False)
            self._known[key] = known
        return known[1]

    def _loaded(self, maker: Maker, session: Session, tree: Any) -> Program | None:
        """Compile and load a scheduler; None where the runtime has to do without."""
        made = printed(maker, tree, self._dialect)
        if made is None:
            return None
        try:
            code = compiler.compile_kernel(made.source, _kernels(tree)[1], maker.target,
                                           (linking.RELOCATABLE,))
            image = linking.linked(session, code, maker.card.name)
        except BuildError:
            return None
        with session as api:
            module = Module(session, image)
            main = api.address("cuModuleGetFunction", module.value, made.source.name.encode())
        return Program(module, main, made)


def printed(maker: Maker, tree: Any, dialect: Dialect) -> Printed | None:
    """Return the scheduler of a tree as text; None where its kernels do not go together."""
    children, signatures, at = list[scheduler.Child](), list[Signature](), 0
    for kin, kernel in zip(tree.kin[1:], _kernels(tree)[1:], strict=True):
        names = list[str]()
        source = source_of(kernel, key_of_any(kernel), scheduler.part_dialect(dialect, names),
                           maker.facts, _GENERAL)
        if source.sites or source.finish_name or "#include" in source.text or (
                not scheduler.GIVEN.issuperset(a.kind for a in source.arguments)):
            return None
        called = Signature(kernel, source.arguments, source.local_bytes)
        children.append(scheduler.Child(
            source, tuple(names), kin.kind, kin.ndim, kin.local,
            {index: word for index, word, _ in kin.numbers},
            {index: what.counts for index, what in kin.memory}, tuple(called.offsets), at,
            called.layout(_filled(kin))[1], below(kernel), kin.children))
        signatures.append(called)
        at += len(called.raw(_filled(kin), NOTHING)) + 15 & ~15
    kernels = _kernels(tree)[1:]
    if at > _MOST_FIXED or len({tuple(compiler.options(k, "")) for k in kernels}) > 1:
        return None
    slots, size = _SLOTS if any(c.memory for c in children) else 1, max(16, at)
    source = scheduler.scheduler_text(
        children, tree.kin[0].children, [k.name for k in kernels], maker.facts.most_groups,
        slots=slots, room=_room(slots), size=size)
    return Printed(source, tuple(signatures), tuple(c.start for c in children), size, slots)


def _kernels(tree: Any) -> tuple[Any, ...]:
    return tuple(kin.launch.executable.kernel for kin in tree.kin)


def _room(slots: int) -> int:
    """Return how many commands may wait."""
    return _ROOM if slots > 1 else CAPACITY


class CardStarter:
    """Starts the children of one launch (``backends.children.Starter``)."""

    def __init__(self, home: Offspring, maker: Maker, commands: Commands, program: Program,
                 room: _Room, tree: Any) -> None:
        self._home = home
        self._maker = maker
        self._commands = commands
        self._program = program
        self._room = room
        self._tree = tree

    def memory(self, what: Records) -> BoundView:
        """Return the memory for what the launch itself enqueues: the first slot."""
        return _whole(self._room.counts if what.counts else self._room.records, 0, what.count)

    def run(self, parent: Completion) -> Left:
        """Launch the scheduler behind a kernel until it has nothing more to do."""
        told, turn, behind = self._room.told, 0, [parent]
        told[:] = -1
        while True:
            _finish(self._begin(turn, behind))
            if told[0] != scheduler.AGAIN:
                break
            told[0], turn, behind = -1, 1, []
        _finish(parent)
        self._home.launched += int(told[4])
        if told[0] == scheduler.DONE:
            rooms = self._home.spare[self._room.slots]
            if len(rooms) < _SPARE:
                rooms.append(self._room)
            return Left()
        if told[0] not in (scheduler.LEFT, scheduler.FAILED):
            raise DeviceError(errc.kernel, "the children of a kernel were not all launched by "
                              f"'{self._maker.card.name}': their scheduler did not end")
        self._home.left += 1
        return self._left()

    def _begin(self, turn: int, behind: Sequence[Completion]) -> Completion:
        numbers = [ctypes.c_uint64(x) for x in self._room.addresses()]
        cells = [*numbers, ctypes.c_int(turn), self._fixed()]
        params = (ctypes.c_void_p * len(cells))(*map(ctypes.addressof, cells))
        sizes = tuple(map(ctypes.c_uint, (1, 1, 1, 32, 1, 1, 0)))
        main, api = handle(self._program.main), self._commands.session.api
        root = self._tree.kin[0].launch

        def give(lane: Lane) -> int:
            return int(api.try_launch(main, *sizes, lane.stream, params, None))

        return self._commands.begin(give, behind, (
            f"the children of kernel '{self._tree.kin[0].name}'", root.where),
            (cells, params, self._room, self._program, self._tree), urgency=root.urgency)

    def _fixed(self) -> Any:
        """Return the bytes of the arguments that no record has."""
        made = self._program.printed
        raw = bytearray(made.size)
        for kin, called, start in zip(self._tree.kin[1:], made.signatures, made.starts,
                                      strict=True):
            one = called.raw(_filled(kin), NOTHING)
            raw[start:start + len(one)] = one
        return (ctypes.c_char * len(raw)).from_buffer(raw)

    def _left(self) -> Left:
        """Return what the scheduler did not launch."""
        told, room = self._room.told, self._room
        size, count = int(told[2]), int(told[3])
        waiting = self._read(room.stack, 0, size)
        parents = []
        for k in range(count):
            at = scheduler.TOLD + 4 * k
            slot, place, depth, many = map(int, told[at:at + 4])
            parents.append((place, depth, self._read(room.records, slot * CAPACITY, many)))
        return Left(tuple(parents), tuple((int(r[0]), int(r[1]), r) for r in waiting))

    def _read(self, memory: Any, first: int, count: int) -> Any:
        """Return records."""
        found = np.empty(count * WORDS, np.int64)
        if count:
            _finish(self._maker.copy(_whole(found, 0, found.size), _whole(
                memory, first * WORDS, found.size), ()))
        return found.reshape(count, WORDS)


class Starting(Driver):
    """What of the driver of a card has it launch the children of kernels."""

    card: Card
    facts: Facts
    target: Target

    def opened(self) -> Opened:
        """Return the context and what works in it."""
        raise NotImplementedError

    def starter(self, tree: Any, facts: Any) -> CardStarter | None:
        """Return what has the card launch a kernel's children, where they are plain."""
        here = self.opened()
        return here.offspring.starter(self, here, tree, facts)


def _fits(kin: Any) -> bool:
    """Say whether a kernel may be launched by the card, by what is known of its own text."""
    executable: CuExecutable = kin.launch.executable
    if not executable.simple or executable.together or foreign.called(executable.kernel):
        return False
    dynamic = _dynamic(kin)
    return not dynamic or dynamic + executable.main.static <= _PLAIN_SHARED


def _dynamic(kin: Any) -> int:
    """Return the bytes of local memory that launches of a kernel give its groups; about that."""
    return sum(-(-max(1, math.prod(x.shape)) * x.itemsize // 16) * 16 for x in kin.launch.values
               if isinstance(x, LocalSize))


def _filled(kin: Any) -> Any:
    """Return a launch of a kernel with values in place of what comes with each command."""
    base = kin.launch
    values = list(base.values)
    for index, _, kind in kin.numbers:
        values[index] = kind.type(0)
    for index, what in kin.memory:
        values[index] = BoundView(np.empty(1, what.dtype), 0, (what.count,), (1,))
    return type(base)(base.executable, base.geometry, tuple(values))


def _found(session: Session) -> Any:
    """Return the archive that texts are linked to where the driver links; None: it cannot be."""
    return linking.archive() if session.api.has("cuLinkCreate_v2") else None


def _whole(memory: Any, first: int, count: int) -> BoundView:
    return BoundView(memory[first:first + count], 0, (count,), (1,))


def _finish(end: Completion) -> None:
    while not end.wait(1.0):
        continue
    failed = end.error()
    if failed is not None:
        raise failed

