"""The children of a kernel where the device does not start them itself.

Each kernel's commands are read when it has ended; those that wait for nothing more are launched,
many at a time. All three flags are kept that way: a child may begin as soon as its parent has
ended. Non-goals: compiling (``enqueued_kernels``). Invariants: a command is complete when its
kernel and all of that kernel's commands are; what waits for a failed command does not run and
fails; the first failure becomes the parent's.
"""

from __future__ import annotations

import dataclasses
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from unisycl.backends.base import (
    HOST,
    BoundView,
    Completion,
    DeviceInfo,
    Geometry,
    Launch,
    Tentative,
)
from unisycl.backends.children import Starter
from unisycl.base.enums import aspect
from unisycl.base.errors import DeviceError, errc
from unisycl.ir.enqueue_records import (
    CAPACITY,
    EXTENT,
    GROUP_SIZE,
    KERNEL,
    MARKER,
    MOST_GENERATIONS,
    MULTIPLE,
    NUMBERS,
    OFFSET,
    STATUS,
    SUBMITTED,
    USER_EVENT,
    WAITS,
    WORDS,
    counts,
)
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.launch import program
from unisycl.runtime.launch.enqueued_kernels import Kin, Tree, memory_of
from unisycl.runtime.memory import staging
from unisycl.runtime.threads.per_process import process

_AT_ONCE = 32


class _End(Gate, Tentative):
    """The end of a whole tree; commands that depend on it are given to the driver after it."""

    __slots__ = ()


class Member:
    """One command of a tree: a kernel, a marker or a user event.

    ``left`` counts what it still waits for before it can begin; then itself and its children.
    """

    __slots__ = ("depth", "end", "error", "kin", "launch", "left", "memory", "parent", "record",
                 "waiting")

    def __init__(self, kin: Kin | None, parent: Member | None, record: Any) -> None:
        self.kin = kin
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.record = record
        self.error: BaseException | None = None
        self.left = 0
        self.waiting: list[Member] = []
        self.end: Completion | None = None
        self.launch: Launch | None = None
        self.memory: dict[Any, BoundView] = {}


def begin(channel: Channel, made: Launch, native: Sequence[Completion]) -> Completion:
    """Begin a launch and all that comes of it."""
    tree: Tree = made.tree
    end = None if tree.staged else channel.driver.tree(made, native)
    if end is not None:
        return end
    gate = _End()
    if aspect.host_debuggable in channel.device.info.aspects:
        _run(channel, tree, native, gate)  # in this thread, as the parent itself
    else:
        process.executor.submit(lambda: _run(channel, tree, native, gate))
    return gate


def _run(channel: Channel, tree: Tree, native: Sequence[Completion], gate: Gate) -> None:
    error: BaseException | None = None
    start = time.monotonic_ns()
    quiet = process.executor.is_mine()
    if quiet:
        process.executor.blocking(+1)
    try:
        family = _Family(channel, tree)
        if tree.staged:
            staging.around(channel.driver, tree.staged, native, family.run)
        else:
            family.run(native)
        error = family.root.error
    except Exception as err:  # noqa: BLE001 - kept as the command's error
        error = err
    except BaseException as err:
        error = err
        if not quiet:
            raise
    finally:
        if quiet:
            process.executor.blocking(-1)
        gate.times = (start, time.monotonic_ns())
        gate.finish(error)


class _Family:
    """One run of a tree; used by one thread."""

    def __init__(self, channel: Channel, tree: Tree) -> None:
        self._channel = channel
        self._tree = tree
        self._ready: deque[Member] = deque()
        self._running: deque[Member] = deque()
        self._spare: list[dict[Any, BoundView]] = []
        self._facts = facts(channel.device.info)
        self.root = Member(tree.kin[0], None, None)

    def run(self, native: Sequence[Completion]) -> None:
        """Run the parent after what it depends on, then its children until none is left."""
        self.root.left = 1
        of_device = self._channel.driver.starter
        starter = None if of_device is None else of_device(self._tree, self._facts)
        if starter is None:
            self._launch(self.root, native)
        else:
            self._follow(starter, native)
        while self._running or self._ready:
            while self._ready and len(self._running) < _AT_ONCE:
                self._begin(self._ready.popleft())
            if self._running:
                self._collect(self._next())

    def _follow(self, starter: Starter, native: Sequence[Completion]) -> None:
        """Have the device start what it can; take over what it leaves."""
        root = self.root
        assert root.kin is not None
        memory = {what: starter.memory(what) for _, what in root.kin.memory}
        try:
            left = starter.run(self._channel.driver.launch(self._made(root, root.kin, memory),
                                                           native))
        except Exception as error:  # noqa: BLE001 - becomes the command's error
            root.error = error
            return
        for place, depth, records in left.parents:
            parent = self._of_device(place, depth, None)
            self._adopt(parent, records)
            self._part_done(parent)
        for place, depth, record in left.commands:
            self._ready.append(self._of_device(place, depth, record))
        self._part_done(root)

    def _of_device(self, place: int, depth: int, record: Any) -> Member:
        """Return a kernel that another than the runtime found; the whole tree's end is its own."""
        member = Member(self._tree.kin[place], self.root, record)
        member.depth = depth
        member.left = int(record is None)
        self.root.left += 1
        return member

    def _next(self) -> Member:
        """Return a kernel that has ended, or the oldest once it has."""
        for member in self._running:
            if member.end is not None and member.end.done():
                self._running.remove(member)
                return member
        member = self._running.popleft()
        while member.end is not None and not member.end.wait(1.0):
            continue
        return member

    # ---- kernels
    def _launch(self, member: Member, native: Sequence[Completion] = ()) -> None:
        """Give a kernel to the driver."""
        kin = member.kin
        assert kin is not None
        driver = self._channel.driver
        try:
            made = member.launch = self._made(member, kin)
            member.end = driver.launch(made, native)
        except Exception as error:  # noqa: BLE001 - becomes the command's error
            member.error = error
            self._part_done(member)
            return
        self._running.append(member)

    def _made(self, member: Member, kin: Kin, memory: dict[Any, BoundView] | None = None) -> Launch:
        """Return the launch of one command; ``memory``: for its own, where it is not ours."""
        base = kin.launch
        values = list(base.values)
        if kin.memory:
            given = member.memory = self._memory(kin) if memory is None else memory
            for index, what in kin.memory:
                values[index] = given[what]
        record = member.record
        if record is None:
            return dataclasses.replace(base, values=tuple(values), packed=None, tree=kin)
        words = record.tobytes()
        for index, word, kind in kin.numbers:
            values[index] = np.frombuffer(words, kind, 1, 8 * word)[0]
        arguments = list(base.arguments)
        for place, word, number in kin.given:  # what the host device calls the function with
            found = np.frombuffer(words, number.dtype.numpy, 1, 8 * word)[0]
            arguments[place] = found.item() if number.weak else found
        executable, geometry = base.executable, base.geometry
        if kin.kind != "single":
            extent = tuple(int(x) for x in record[EXTENT:EXTENT + kin.ndim])
            offset = tuple(int(x) for x in record[OFFSET:OFFSET + kin.ndim])
            geometry = Geometry(kin.kind, extent, kin.local, offset)
            _, loaded, _ = program.find(self._channel.device, kin.function, geometry,
                                        kin.arguments, self._channel.checks)
            executable = loaded.executable
        return dataclasses.replace(base, executable=executable, geometry=geometry,
                                   values=tuple(values), arguments=tuple(arguments),
                                   packed=None, tree=kin)

    def _memory(self, kin: Kin) -> dict[Any, BoundView]:
        found = self._spare.pop() if self._spare else {}
        for _, what in kin.memory:
            if what not in found:
                found[what] = memory_of(self._channel, what)
            if what.counts:
                self._start(found[what])
        return found

    def _start(self, view: BoundView) -> None:
        """Write what the counters of a launch begin with: no records, and facts on the device."""
        first = BoundView(self._facts, 0, self._facts.shape, (1,))
        if self._channel.driver.memory == HOST:
            view.memory[:] = self._facts
        else:
            _finish(self._channel.driver.copy(view, first, ()))

    def _read(self, view: BoundView, count: int) -> Any:
        """Return the first elements of memory."""
        if self._channel.driver.memory == HOST:
            return view.memory[:count].copy()
        found = np.empty(count, view.memory.dtype)
        if count:
            _finish(self._channel.driver.copy(
                BoundView(found, 0, (count,), (1,)),
                BoundView(view.memory[:count], 0, (count,), (1,)), ()))
        return found

    # ---- commands
    def _collect(self, member: Member) -> None:
        """Take what a kernel that ended has enqueued."""
        assert member.end is not None
        member.error = member.end.error()
        memory, member.memory = member.memory, {}
        if memory and member.error is None:
            sizes = [v for k, v in memory.items() if k.counts]
            count = min(CAPACITY, max(0, int(self._read(sizes[0], 1)[0]))) if sizes else 0
            words = [v for k, v in memory.items() if not k.counts]
            if count and words:
                found = self._read(words[0], count * WORDS).reshape(count, WORDS)
                self._adopt(member, found)
        if memory:
            self._spare.append(memory)
        member.launch = None
        self._part_done(member)

    def _adopt(self, parent: Member, records: Any) -> None:
        """Make commands of a parent's records, and start those that wait for nothing."""
        assert parent.kin is not None
        if parent.depth >= MOST_GENERATIONS:
            parent.error = DeviceError(
                errc.kernel, f"kernel '{parent.kin.name}' was enqueued in generation "
                f"{MOST_GENERATIONS}, and enqueues still more; does the recursion end?")
            return
        members = []
        for record in records:
            number = int(record[KERNEL])
            kin = self._tree.kin[parent.kin.children[number]] if number >= 0 else None
            members.append(Member(kin, parent, record))
        parent.left += sum(m.record[KERNEL] != USER_EVENT for m in members)
        for member in members:
            if member.record[KERNEL] == USER_EVENT:
                continue
            for event in member.record[WAITS:WAITS + int(member.record[STATUS])]:
                self._wait(member, members, int(event))
        for member in members:
            if member.record[KERNEL] != USER_EVENT and member.left == 0:
                self._ready.append(member)

    def _wait(self, member: Member, members: list[Member], event: int) -> None:
        """Have a command wait for an event of its parent's."""
        if event >= len(members):
            member.error = DeviceError(errc.kernel, f"{_named(member)} waits for event {event}, "
                                       "which its parent did not make")
            return
        other = members[event]
        if other.record[KERNEL] != USER_EVENT:
            other.waiting.append(member)
            member.left += 1
        elif other.record[STATUS] == SUBMITTED:
            member.error = DeviceError(errc.kernel, f"{_named(member)} did not run: it waits for a "
                                       "user event whose status its parent never set")
        elif other.record[STATUS] != 0:
            member.error = DeviceError(errc.kernel, f"{_named(member)} did not run: the user event "
                                       f"it waits for was set to {int(other.record[STATUS])}")

    def _begin(self, member: Member) -> None:
        """Begin a command that waits for nothing more."""
        member.left = 1
        empty = member.record[KERNEL] == MARKER or (
            member.kin is not None and 0 in member.record[EXTENT:EXTENT + member.kin.ndim])
        if member.error is not None or empty:
            self._part_done(member)
        else:
            self._launch(member)

    def _part_done(self, member: Member) -> None:
        """Note that a kernel or one of its children ended; tell those who wait if it was the last.

        A loop, not a recursion: generations may be many.
        """
        at: Member | None = member
        while at is not None:
            at.left -= 1
            if at.left:
                return
            for other in at.waiting:
                if at.error is not None and other.error is None:
                    other.error = DeviceError(
                        errc.kernel, f"{_named(other)} did not run: {_named(at)}, which it waits "
                        f"for, failed: {at.error}")
                    other.error.__cause__ = at.error
                other.left -= 1
                if other.left == 0:
                    self._ready.append(other)
            if at.parent is not None and at.error is not None and at.parent.error is None:
                at.parent.error = at.error
            at = at.parent


def facts(info: DeviceInfo) -> Any:
    """Return the counters of a launch as they begin."""
    found = np.zeros(counts.count, counts.dtype)
    found[GROUP_SIZE] = info.max_work_group_size
    found[MULTIPLE] = info.details.get("preferred_work_group_size_multiple",
                                       info.sub_group_sizes[0])
    return found


def _named(member: Member) -> str:
    if member.kin is None:
        return "a marker"
    by = member.parent.kin.name if member.parent and member.parent.kin else ""
    return f"kernel '{member.kin.name}', enqueued by '{by}',"


def _finish(end: Completion) -> None:
    end.wait()
    failed = end.error()
    if failed is not None:
        raise failed


__all__ = ["MOST_GENERATIONS", "NUMBERS", "begin"]
