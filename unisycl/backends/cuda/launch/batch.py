"""Commands of a command graph as one graph of CUDA's, which is launched by one call.

It is made when it is first launched, and other arguments are put into it in place. Non-goals:
kernels that need memory for each launch, copies by way of the host (``driver`` starts those one by
one). Invariants: a graph of CUDA's is destroyed only when no launch of it is under way, since its
completion keeps it; an edge of the command graph is an edge of CUDA's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from unisycl.backends.base import BoundView, Completion, Control, Launch, Part, Transfer
from unisycl.backends.cuda.api import Api
from unisycl.backends.cuda.commands.commands import Commands
from unisycl.backends.cuda.commands.completion import CuCompletion
from unisycl.backends.cuda.commands.lanes import Lane, Told
from unisycl.backends.cuda.launch.controls import Body, ControlNode, Decider, listed
from unisycl.backends.cuda.launch.nodes import transfer_node
from unisycl.backends.cuda.launch.prepared import Prepared
from unisycl.backends.cuda.memory.arrays import is_reached
from unisycl.backends.cuda.session import Session


class Member(Protocol):
    """One command of a graph of CUDA's."""

    @property
    def told(self) -> Told: ...

    def add(self, api: Api, graph: int, behind: Any, count: int) -> int:
        """Add a node to a graph; return it."""

    def put(self, api: Api, ready: int, node: int) -> int:
        """Make a node of a graph this command; return CUDA's result."""

    def replaces(self, old: object) -> bool:
        """Say whether a node may become this one."""


class Maker(Protocol):
    """What a driver does for batches."""

    def prepared(self, launch: Launch) -> Prepared | None:
        """Return a launch as the driver's function takes it; None where that is not all of it."""

    def decider(self) -> Decider | None:
        """Return what reads conditions; None where the driver's graphs have none."""

    def counters(self) -> Any:
        """Return two numbers of 64 bits that host and card reach, both 0."""

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Completion:
        """Launch one kernel."""

    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Completion]) -> Completion:
        """Copy equal shapes."""

    def fill(self, dst: BoundView, pattern: Any, deps: Sequence[Completion]) -> Completion:
        """Write one value everywhere."""


class _Graph:
    """One graph of CUDA's, ready to be launched."""

    __slots__ = ("_session", "nodes", "value")

    def __init__(self, session: Session, members: Sequence[Member],
                 before: Sequence[Sequence[int]]) -> None:
        self._session = session
        self.value = 0
        self.nodes: list[int] = []
        with session as api:
            plain = api.address("cuGraphCreate", 0)
            try:
                for member, needs in zip(members, before, strict=True):
                    behind = listed([self.nodes[k] for k in needs])
                    self.nodes.append(member.add(api, plain, *behind))
                self.value = api.address("cuGraphInstantiateWithFlags", plain, 0)
            finally:
                api.attempt("cuGraphDestroy", plain)

    def put(self, k: int, member: Member) -> bool:
        """Give a command other arguments or another index space; say whether that can be."""
        with self._session as api:
            return not member.put(api, self.value, self.nodes[k])

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        session = self._session
        if not ends() and self.value and session.lost is None and session.is_mine():
            with session as api:
                api.attempt("cuGraphExecDestroy", self.value)


class CuBatch:
    """Commands ready to be run again and again (``backends.base.Batch``)."""

    __slots__ = ("_before", "_checks", "_commands", "_graph", "_last", "_maker", "_members",
                 "_parts")

    def __init__(self, maker: Maker, commands: Commands, parts: Sequence[Part],
                 members: Sequence[Member], before: Sequence[Sequence[int]]) -> None:
        self._maker = maker
        self._commands = commands
        self._parts = list(parts)
        self._members = list(members)
        self._before = [list(needs) for needs in before]
        self._checks = [check for m in members if isinstance(m, ControlNode)
                        for check in m.checks()]
        self._graph: _Graph | None = None
        self._last: CuCompletion | None = None

    def immediate(self) -> bool:
        """Do nothing: a card is given commands, and waited for."""
        return False

    def launch(self, deps: Sequence[Completion]) -> Completion:
        """Launch the graph; a command alone as any other."""
        first = self._parts[0]
        if len(self._members) == 1 and not isinstance(first, Control):
            return self._alone(first, deps)
        graph, commands = self._graph, self._commands
        if graph is None:
            graph = self._graph = _Graph(commands.session, self._members, self._before)
        api, value = commands.session.api, graph.value

        def give(lane: Lane) -> int:
            return api.attempt("cuGraphLaunch", value, lane.value)

        name, where = self._members[0].told
        told = f"a graph of {len(self._members)} commands, the first {name}", where
        return commands.begin(give, deps, told, (graph, tuple(self._members)),
                              self._outcome if self._checks else None)

    def _outcome(self) -> BaseException | None:
        """Return what of the last launch failed though the card went on."""
        return next((error for check in self._checks if (error := check()) is not None), None)

    def _alone(self, part: Launch | Transfer, deps: Sequence[Completion]) -> Completion:
        if isinstance(part, Launch):
            return self._maker.launch(part, deps)
        if part.src is None:
            return self._maker.fill(part.dst, part.pattern, deps)
        return self._maker.copy(part.dst, part.src, deps)

    def update(self, launches: Sequence[Part], before: Sequence[Sequence[int]]) -> bool:
        """Take other commands of the same kinds; False: another batch is needed."""
        if len(launches) != len(self._parts) or self._before != [list(n) for n in before]:
            return False
        for k, (old, new) in enumerate(zip(self._parts, launches, strict=True)):
            if old is new:
                continue
            member = _member(self._maker, self._commands.session, new)
            if member is None or not member.replaces(self._members[k]):
                return False
            if self._graph is not None and not self._graph.put(k, member):
                return False
            self._parts[k], self._members[k] = new, member
        return True


def made_batch(maker: Maker, commands: Commands, parts: Sequence[Part],
               before: Sequence[Sequence[int]]) -> CuBatch | None:
    """Return commands as a graph of CUDA's; None where one of them is no node of such."""
    members = _members(maker, commands.session, parts)
    return None if members is None else CuBatch(maker, commands, parts, members, before)


def _members(maker: Maker, session: Session, parts: Sequence[Part]) -> list[Member] | None:
    """Return commands as nodes of a graph of CUDA's; None where one is none."""
    found: list[Member] = []
    for part in parts:
        made = _member(maker, session, part)
        if made is None:
            return None
        found.append(made)
    return found


def _member(maker: Maker, session: Session, part: Part) -> Member | None:
    """Return a command as a node of a graph of CUDA's; None where it is none."""
    if isinstance(part, Transfer):
        return transfer_node(part, session)
    if isinstance(part, Control):
        return _control(maker, session, part)
    if part.staged or 0 in part.geometry.global_:
        return None
    ready = maker.prepared(part)
    return None if ready is None or ready.executable.together else ready


def _control(maker: Maker, session: Session, what: Control) -> ControlNode | None:
    """Return a loop or a condition; None where it is no node of a graph of CUDA's."""
    decider = maker.decider()
    if decider is None or not is_reached(what.condition) or 0 in what.condition.shape:
        return None
    bodies = []
    for parts, before in what.bodies:
        members = _members(maker, session, parts)
        if not members:
            return None
        bodies.append(Body(members, before))
    counters = None if what.most is None else maker.counters()
    return ControlNode(what, bodies, decider, session, counters)
