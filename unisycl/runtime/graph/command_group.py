"""One command group while it is being built, and its way into the graph.

``handler`` (api) is a ``Group`` with SYCL's names. Non-goals: what the command does. Invariant: a
group enters the graph whole or not at all; nothing of it is visible before ``finish``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from unisycl.backends.base import BoundView, Completion, Launch, LocalSize
from unisycl.backends.footprints import Footprint, compare, whole
from unisycl.base import requested_checks
from unisycl.base.dataclass import dataclass
from unisycl.base.enums import node_type
from unisycl.base.errors import UsageError, errc
from unisycl.process.callers import Where, caller
from unisycl.runtime.graph import ordering, repeated
from unisycl.runtime.graph.channel import Channel, Turns
from unisycl.runtime.graph.deps import Access, merge
from unisycl.runtime.graph.fallback import Either
from unisycl.runtime.graph.repeated import Again
from unisycl.runtime.graph.tasks import Begin, Task, begin_nothing, check_process
from unisycl.runtime.memory.buffers import BufferMemory
from unisycl.runtime.threads.per_process import process

if TYPE_CHECKING:
    from unisycl.runtime.devices.devices import DeviceState

__all__ = ["BoundView", "Capturable", "Group", "LocalSize"]


class HostUser(Protocol):
    """What a host task opens before it runs and shuts afterwards: an accessor."""

    def open(self) -> None:
        """Let host code see the elements."""

    def shut(self) -> None:
        """End what ``open`` began."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a complete group asks for; ``begin`` is None for a group without a command."""

    label: str
    kind: node_type | None
    begin: Begin | None
    launch: Launch | None
    native: bool
    accesses: list[Access]
    deps: tuple[Task, ...]
    blocks: tuple[Any, ...]


class Group:
    """The accesses, dependencies and command of one submission; lives while its function runs.

    ``second`` is the channel of a secondary queue, if it has one.
    """

    __slots__ = ("_accesses", "_again", "_begin", "_deps", "_kind", "_label", "_launch", "_native",
                 "_users", "alive", "blocks", "channel", "fences", "second", "turns", "used")

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.alive = True
        self._accesses: list[Access] = []
        self._deps: list[Task] = []
        self._users: list[HostUser] = []
        self._label = "an empty command group"
        self._kind: node_type | None = None
        self._begin: Begin | None = None
        self._native = False
        self._launch: Launch | None = None
        self._again: Again | None = None
        self.second: Channel | None = None
        self.turns: Turns | None = None
        self.fences = False
        self.blocks: list[Any] = []
        self.used: Footprint | None = None

    def channels(self) -> tuple[Channel, ...]:
        """Return the channels the command may run on: one, or two with a secondary queue."""
        return (self.channel,) if self.second is None else (self.channel, self.second)

    def recorded(self, node: object) -> None:
        """Note which node of a graph the group has become."""

    def check_alive(self) -> None:
        """Refuse a handler kept beyond its command group (SYCL 2020 §4.9.4)."""
        if not self.alive:
            raise UsageError(errc.invalid, "this handler's command group has ended; use it only "
                             "inside the function given to submit()")

    def add_access(self, access: Access) -> None:
        """Record that the command will use memory."""
        self.check_alive()
        self._accesses.append(access)

    def take(self, access: Access, user: HostUser) -> None:
        """Record an access and note its accessor, in a group that is known to be alive."""
        self._accesses.append(access)
        self._users.append(user)

    def remember(self, user: HostUser) -> None:
        """Note an accessor, so that a host task can open it."""
        self._users.append(user)

    def users(self) -> list[HostUser]:
        """Return the accessors of the group so far."""
        return list(self._users)

    def add_dependency(self, task: Task) -> None:
        """Record that the command runs after another one."""
        self.check_alive()
        if task not in self._deps:
            self._deps.append(task)

    def set_command(self, label: str, begin: Begin, *, native: bool,
                    launch: Launch | None = None, kind: node_type | None = None,
                    again: Again | None = None) -> None:
        """Set the one command of the group.

        ``native``: its driver orders it after its own; ``launch``: the kernel that it is, and
        ``again`` that if it may come again; ``kind``: what a node of a graph says it is, where that
        is neither a kernel nor a host task.
        """
        self._again = again
        self._label, self._begin, self._native, self._launch = label, begin, native, launch
        self._kind = kind

    def _repeat(self, again: Again) -> None:
        """Set a launch that comes again as the command of the group."""
        self._again, self._launch, self._begin = again, again.launch, again.begin
        self._label, self._native = again.title, True

    def note_use(self, named: Sequence[tuple[str, BoundView, bool]]) -> None:
        """Note what a copy or fill does to USM memory, where races between commands are looked for.

        ``named`` are names, views and whether they are written.
        """
        if self.channel.recorder is not None or not (
                ordering.state.on or "races" in requested_checks.now(self.channel.checks)):
            return
        found = Footprint([])
        for name, view, writes in named:
            if isinstance(view.memory, np.ndarray):
                at = view.slots()[0]
                found.spans += [whole(name, view, b, writes=writes) for b in dict.fromkeys(
                    self.blocks) if b.address <= at < b.address + b.nbytes]
        if found.spans:
            self.used = found

    def check_free(self, what: str) -> None:
        """Refuse a second command in a group (SYCL 2020 §4.9.3)."""
        if not self.alive:
            self.check_alive()
        if self._begin is not None:
            raise UsageError(errc.invalid, f"{what}: this command group already has a command "
                             f"({self._label}); submit each command in a group of its own")

    def command(self) -> Command:
        """Return what the group asks for, for a graph that records it."""
        return Command(self._label, self._kind, self._begin, self._launch, self._native,
                       merge(self._accesses), tuple(self._deps), tuple(self.blocks))

    def abandon(self) -> None:
        """End the group without submitting anything."""
        self.alive = False
        self._begin = self._launch = self._again = None
        self._accesses, self._deps, self._users = [], [], []

    def finish(self) -> Task:
        """Enter the graph and start the command if nothing is in its way."""
        self.alive = False
        channel = self.channel
        if channel.generation != process.generation:
            check_process(channel)
        if channel.recorder is not None:
            return channel.recorder.take(self)
        again, made = self._again, self._launch
        if again is not None:
            run = again.run
            if run is not None and not (self._deps or channel.profiling or ordering.state.on):
                task = repeated.at_once(channel, again.name, run, self._accesses)
                if task is not None:
                    self.abandon()
                    return task
            if not channel.extends:
                again = None
        if again is not None and made is not None and not self._deps:
            accesses = merge(self._accesses)
            stood = repeated.continued(channel, again, made, accesses) or (
                repeated.resumed(channel, again, made, accesses) if accesses else None)
            if stood is not None:
                self._begin = self._launch = None
                return stood
        native = self._native or self._begin is None
        task = Task(channel, self._label, channel.driver if native else None)
        accesses = merge(self._accesses) if self._accesses else self._accesses
        deps = self._deps
        if deps:
            task.explicit = tuple(deps)
        try:
            self._enter(task, accesses, deps)
        except BaseException as error:
            task.interrupted(error)
            raise
        if again is not None:
            again.task = task
        return task

    def _enter(self, task: Task, accesses: list[Access], deps: list[Task]) -> None:
        channel = self.channel
        ordered = bool(accesses) or self.fences or channel.in_order or self.turns is not None
        if ordered:
            channel.enter(accesses, task, deps, self.turns, fences=self.fences)
            deps += _enter_usages(accesses, task)
        begin, made = self._begin, self._launch
        kernel = None if made is None else made.executable.kernel  # None: a native one
        if made is not None and kernel is not None and "races" in kernel.checks:
            made.order = ordering.enter(task, channel, deps, fenced=bool(accesses or self.turns),
                                        blocks=self.blocks)
        if self.used is not None and begin is not None:
            order = ordering.enter(task, channel, deps, fenced=bool(accesses or self.turns),
                                   blocks=self.blocks)
            begin = partial(_compared, order, self._label, caller(), self.used, begin)
        elif channel.in_order and ordering.state.on and (made is None or made.order is None):
            ordering.passed(channel, deps)
        self._begin = self._launch = None
        self._accesses, self._deps, self._users = [], [], []
        if made is None:
            what = getattr(begin, "transfer", None)
            done = channel.quick and what is not None and channel.replay_at_once(
                task, partial(channel.driver.immediate, what), deps)
        else:
            done = channel.run_at_once(task, made, deps)
        if not done:
            task.where = made.where if made is not None else None
            if isinstance(begin, Either):
                begin.task, task.driver, begin.accesses = task, None, accesses
            channel.submit(task, deps, begin or begin_nothing, registered=ordered)
            if isinstance(begin, Either):
                process.executor.watch(task)


def _compared(order: ordering.Order, label: str, where: Where, used: Footprint, begin: Begin,
              native: Sequence[Completion]) -> Completion:
    """Begin a copy or fill unless it races with another command."""
    compare(order, label, where, used)
    return begin(native)


def _enter_usages(accesses: Sequence[Access], task: Task) -> list[Task]:
    """Count the command where a memory's use is tracked."""
    found = [a.key.usage for a in accesses
             if isinstance(a.key, BufferMemory) and a.key.usage is not None]
    return [usage.enter(task) for usage in dict.fromkeys(found)] if found else []


class Template:
    """What accessors of one memory on one device, asked for in one way, have in common."""

    __slots__ = ("device", "fields", "memory", "version")

    def __init__(self, device: int, memory: BufferMemory, fields: tuple[Any, ...]) -> None:
        self.device, self.memory, self.version = device, memory, memory.version
        self.fields = fields


class Capturable:
    """What a kernel may capture and the runtime turns into an argument of a launch."""

    __slots__ = ()
    _template: Template | None = None
    """What it was made of, where it became what an earlier one was."""
    _group: Group | None = None
    """The command group that it belongs to, if it does."""

    def bind(self, group: Group | None, channel: Channel) -> BoundView | LocalSize:
        """Return the argument for one launch; ``group`` is None for a queue's shortcut."""
        raise NotImplementedError

    def still(self, group: Group, view: Any) -> bool:
        """Say whether ``bind`` would return this very object; it need not know."""
        return False

    def lasting(self) -> Any:
        """Return what lives as long as ``bind`` may return the same object again; None: nothing.

        A weak reference to it can be made. What is bound keeps none of it alive.
        """
        return None

    def used_by(self, module: str, constants: frozenset[Any], device: DeviceState) -> None:
        """Be told of a kernel compiled with this argument: its module, its constants, where."""
