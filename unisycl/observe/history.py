"""What was submitted while recording: each command, what it touched, its times, its end.

Non-goals: being told (``watching``), drawing (``picture``), time lines (``timeline``). Invariants:
nothing here keeps a buffer, a kernel or a task alive; all times are ``time.monotonic_ns``; every
method may be called from any thread, from finalisers too.
"""

from __future__ import annotations

import itertools
import threading
import time
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from unisycl.backends.base import Geometry
from unisycl.base.dataclass import dataclass, field
from unisycl.observe.buffer_names import Named, describe, find_names
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.memory.buffers import BufferMemory

_LOOKS = 4
HOST = -1


@dataclass(eq=False, slots=True)
class Place:
    """A memory that commands touched; ``named`` is what is known of its buffer."""

    number: int
    nbytes: int
    named: Named | None = None
    looked: int = 0

    @property
    def label(self) -> str:
        """The name of the user's variable, else shape and type, else the size."""
        known = self.named
        if known is None:
            return f"buffer {self.number} of {self.nbytes} bytes"
        if known.name:
            return known.name
        return f"buffer {self.number} ({' x '.join(map(str, known.shape))} {known.dtype})"


@dataclass(frozen=True, slots=True)
class Touch:
    """Bytes [start, stop) of a place, and the access mode's name."""

    place: Place
    start: int
    stop: int
    mode: str
    writes: bool

    @property
    def label(self) -> str:
        """The place; with the elements where they are not all of it."""
        if self.start == 0 and self.stop >= self.place.nbytes:
            return self.place.label
        known = self.place.named
        size = known.itemsize if known is not None else 1
        unit = "" if known is not None else " bytes"
        return f"{self.place.label}[{self.start // size}:{self.stop // size}{unit}]"


@dataclass(eq=False, slots=True)
class Command:
    """One submitted command. Times are 0 until they are known."""

    number: int
    label: str
    device: str = ""
    queue: int = 0
    thread: tuple[int, str] = (0, "")
    detail: str = ""
    touches: list[Touch] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    explicit: list[int] = field(default_factory=list)
    previous: int | None = None
    """What the queue itself has it wait for: the command before, in order, or a barrier."""
    submitted: int = 0
    returned: int = 0
    start: int = 0
    end: int = 0
    runner: int = 0
    """The thread that ran it, where Python did."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Waited:
    """A thread that waited for a command."""

    thread: tuple[int, str]
    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Compiled:
    """A kernel that a thread compiled, or took from disk."""

    thread: tuple[int, str]
    what: str
    start: int
    end: int


class History:
    """All commands since it was begun, in order of submission."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.waits: list[Waited] = []
        self.compiles: list[Compiled] = []
        self.begun = time.monotonic_ns()
        self._lock = threading.RLock()
        self._of: weakref.WeakKeyDictionary[Task, Command] = weakref.WeakKeyDictionary()
        self._places: weakref.WeakKeyDictionary[BufferMemory, Place] = weakref.WeakKeyDictionary()
        self._queues: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._last: dict[int, int] = {}
        self._count = itertools.count()
        self._used: set[str] = set()

    # ------------------------------------------------------------------ being told
    def command(self, task: Task) -> Command:
        """Return the record of a task, made when it is first seen."""
        with self._lock:
            found = self._of.get(task)
            if found is None:
                found = self._of[task] = Command(len(self.commands), task.label)
                self.commands.append(found)
            return found

    def touch(self, task: Task, accesses: Sequence[Access]) -> Command:
        """Note what a command will access; called in the thread that submits it."""
        with self._lock:
            command = self.command(task)
            self._find_names(a.key for a in accesses if isinstance(a.key, BufferMemory))
            for access in accesses:
                if isinstance(access.key, BufferMemory):
                    command.touches.append(Touch(
                        self._place(access.key), access.start, access.stop, access.mode.name,
                        access.mode.writes))
            return command

    def submitting(self, task: Task, channel: Any, deps: Sequence[Task]) -> Command:
        """Note that a queue takes a command; called again where a first attempt was left."""
        me = threading.current_thread()
        with self._lock:
            command = self.command(task)
            if command.submitted:
                return command
            command.device = channel.device.info.name
            command.queue = self.queue(channel)
            command.thread = (me.ident or 0, me.name)
            explicit = {id(t) for t in task.explicit}
            before = self._last.get(command.queue)
            for dep in deps:
                known = self._of.get(dep)
                if known is not None:
                    command.after.append(known.number)
                    if id(dep) in explicit or not (command.touches or known.number == before):
                        command.explicit.append(known.number)
            if before != command.number:  # else it is a barrier, and known
                command.previous = before
            if channel.in_order:
                self._last[command.queue] = command.number
            command.submitted = time.monotonic_ns()
            return command

    def fenced(self, channel: Any, task: Task) -> None:
        """Note that all later commands of a queue wait for a barrier."""
        with self._lock:
            queue, command = self.queue(channel), self.command(task)
            command.previous, self._last[queue] = self._last.get(queue), command.number

    def holding(self, task: Task, access: Access) -> None:
        """Note that the calling thread takes its own turn at a memory; it lasts until its end."""
        me = threading.current_thread()
        with self._lock:
            command = self.touch(task, (access,))
            command.queue, command.device = HOST, "host"
            command.thread = (me.ident or 0, me.name)
            command.submitted = time.monotonic_ns()

    def held(self, task: Task) -> None:
        """Note that the turn has begun: all before it has ended."""
        command = self.command(task)
        command.start = command.returned = time.monotonic_ns()

    def queue(self, channel: Any) -> int:
        """Return a queue's number, counted from 0 as they are first used."""
        with self._lock:
            found = self._queues.get(channel)
            if found is None:
                found = self._queues[channel] = next(self._count)
            return found

    def ran(self, task: Task, times: tuple[int, int], runner: int = 0) -> None:
        """Note when a command ran, and on which thread if Python ran it."""
        command = self.command(task)
        if times[1] and not command.end:
            command.start, command.end = times
            command.runner = runner

    def ended(self, task: Task) -> None:
        """Note the end of a command, and how it failed."""
        command = self.command(task)
        command.end = command.end or time.monotonic_ns()
        if task.error is not None and not command.error:
            command.error = str(task.error)

    def compiling(self, what: str, begun: int, ended: int) -> None:
        """Note that the calling thread compiled a kernel."""
        me = threading.current_thread()
        self.compiles.append(Compiled((me.ident or 0, me.name), what, begun, ended))

    def waited(self, task: Task, start: int, end: int) -> None:
        """Note that the calling thread waited for a command."""
        me = threading.current_thread()
        self.waits.append(Waited((me.ident or 0, me.name), self.command(task).number, start, end))

    # ------------------------------------------------------------------ memory
    def _place(self, memory: BufferMemory) -> Place:
        found = self._places.get(memory)
        if found is None:
            found = self._places[memory] = Place(len(self._places), memory.nbytes)
        return found

    def _find_names(self, memories: Iterable[BufferMemory]) -> None:
        """Look for the variables that hold buffers, in the callers' frames; give up in the end."""
        wanted: dict[BufferMemory, Place] = {}
        for memory in memories:
            place = self._place(memory)
            if (place.named is None or not place.named.name) and place.looked < _LOOKS:
                place.looked += 1
                wanted[memory] = place
        if wanted:
            for memory, named in find_names(wanted, self._used).items():
                wanted[memory].named = named
                self._used.add(named.name)

    def describe(self, command: Command, geometry: Geometry, arguments: Iterable[Any]) -> None:
        """Note a kernel's index space, and what its accessors know of buffers without a name."""
        command.detail = extent_of(geometry)
        with self._lock:
            for memory, named in describe(arguments):
                place = self._places.get(memory)
                if place is not None and place.named is None:
                    place.named = named


def extent_of(geometry: Geometry) -> str:
    """Return an index space as people write it."""
    geometry = geometry.launched
    if geometry.kind == "single":
        return "single task"
    text = " x ".join(map(str, geometry.global_))
    if geometry.kind == "work_group":
        text += " groups"
    if geometry.local:
        text += f" in groups of {' x '.join(map(str, geometry.local))}"
    return text
