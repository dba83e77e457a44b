"""Command graphs: commands recorded once, made ready once, replayed many times.

Non-goals: SYCL's names (``api.graphs.command_graph``). Invariants: edges never form a cycle; an
executable graph runs once at a time; what is replayed is what was finalized or updated, whatever
happened to the globals of its functions.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from unisycl.backends.base import Completion, Geometry, Launch, Part
from unisycl.base import checked_mode
from unisycl.base.enums import access_mode, node_type
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.runtime.devices.devices import ContextState, DeviceState
from unisycl.runtime.graph import ordering
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import Command, Group
from unisycl.runtime.graph.completions import Ends, Recorded, ended
from unisycl.runtime.graph.deps import Access, Tracker, add_new
from unisycl.runtime.graph.tasks import Begin, Task, begin_nothing
from unisycl.runtime.launch import launch as launches
from unisycl.runtime.launch.program import label
from unisycl.runtime.memory import usm
from unisycl.runtime.memory.buffers import BufferMemory
from unisycl.runtime.recorded import joined_nodes, replay
from unisycl.runtime.recorded.steps import Step, batch_of
from unisycl.runtime.threads.per_process import process

_numbers = itertools.count()
_graphs = itertools.count(1)
Redo = Callable[[dict[int, Any]], Command]


class Node:
    """One command of a graph, and the nodes it runs after."""

    __slots__ = (
        "accesses",
        "before",
        "begin",
        "blocks",
        "graph",
        "group",
        "kind",
        "label",
        "launch",
        "native",
        "number",
        "recipe",
        "redo",
    )

    def __init__(self, graph: Graph, label: str, begin: Begin | None = None,
                 launch: Launch | None = None, *, native: bool = True,
                 group: Group | None = None, kind: node_type | None = None) -> None:
        if launch is not None and launch.tree is not None:
            raise UnsupportedError(errc.feature_not_supported, f"{label} enqueues kernels and "
                                   "cannot be part of a graph; submit it to a queue")
        self.graph = graph
        self.label = label
        self.kind = kind
        self.begin = begin
        self.launch = launch
        self.native = native
        self.group = group
        self.accesses: list[Access] = []
        self.before: list[Node] = []
        self.blocks: tuple[usm.Block, ...] = ()
        self.number = next(_numbers)
        self.redo: Redo | None = None
        self.recipe: tuple[str, tuple[Any, ...]] | None = None

    def current(self) -> Node:
        """Return the node whose command this one runs: itself, unless there are several."""
        return self

    def rebuild(self, values: dict[int, Any], geometry: Geometry | None = None) -> None:
        """Build the launch anew with other arguments or another index space; or the copy."""
        old = self.launch
        if self.redo is not None and geometry is None:
            made = self.redo(values)
            self.begin, self.accesses = made.begin, _of_buffers(made.accesses)
            self.blocks = made.blocks
            return
        if old is None:
            raise UsageError(errc.invalid, f"{self.label} is no kernel; only kernels are updated")
        if geometry is not None:
            _check_alike(self.label, old.geometry, geometry)
        # A kernel_handler at the end knows the arguments the user gave.
        given: Any = getattr(old.arguments[-1], "given", old.arguments) if old.arguments else ()
        channel = self.graph.channel
        arguments: Any = type(given)(values.get(k, v) for k, v in enumerate(given))
        if hasattr(given, "constants"):
            arguments.constants = given.constants
        self.launch = launches.build(channel, self.group, old.function, geometry or old.geometry,
                                     arguments, old.reduction_objects)
        self.begin = launches.begin_launch(channel, self.launch, old.reduction_objects)


def _check_alike(label: str, old: Geometry, new: Geometry) -> None:
    """An index space is updated by one of its kind and dimensions."""
    if old.kind != new.kind or len(old.global_) != len(new.global_):
        raise UsageError(errc.invalid, f"{label} was added over a {old.kind} of {len(old.global_)} "
                         f"dimension(s); a {new.kind} of {len(new.global_)} cannot take its place")


class Graph:
    """The nodes of a graph that can still be changed, in the order they were added."""

    def __init__(self, device: DeviceState, context: ContextState) -> None:
        self.number = next(_graphs)
        self.nodes: list[Node] = []
        self.recording: list[RecordingChannel] = []
        self.channel = RecordingChannel(self, device, context)
        self._trackers: dict[BufferMemory, Tracker[Node]] = {}

    def add(self, node: Node, accesses: Iterable[Access], deps: Iterable[Node]) -> Node:
        """Add a node after those it depends on by data or by name."""
        before = list(dict.fromkeys(deps))
        node.accesses += _of_buffers(accesses)
        for access in node.accesses:
            memory: Any = access.key
            tracker = self._trackers.get(memory)
            if tracker is None:
                tracker = self._trackers[memory] = Tracker(memory.nbytes, lambda _: False)
            add_new(before, tracker.access(access.start, access.stop, writes=access.mode.writes,
                                           task=node))
        node.before = before
        self.nodes.append(node)
        return node

    def take(self, group: Group) -> Task:
        """Make a node of a command group; its task tells others which node it is."""
        node, accesses, deps = self.node_of(group)
        channel = group.channel
        if isinstance(channel, RecordingChannel):
            deps += channel.chain(node)
        self.add(node, accesses, deps)
        if group.fences and isinstance(channel, RecordingChannel):
            channel.fence(node)
        return recorded(node)

    def launch(self, channel: Channel, function: Any, geometry: Geometry,
               arguments: tuple[Any, ...], reductions: tuple[Any, ...],
               deps: Sequence[Task]) -> Task:
        """Make a node of a kernel launched without a command group."""
        made = launches.build(channel, None, function, geometry, present(arguments), reductions)
        return self.add_launch(channel, f"kernel '{label(function)}'", made, deps, arguments)

    def add_launch(self, channel: Any, name: str, launch: Launch, deps: Sequence[Task],
                   arguments: Sequence[Any] = ()) -> Task:
        """Make a node of a launch that was built, given by a queue that is recorded."""
        begin = launches.begin_launch(channel, launch, launch.reduction_objects)
        node = Node(self, name, begin, launch)
        note_uses(node, arguments)
        self.add(node, (), [*nodes_of(deps), *channel.chain(node)])
        return recorded(node)

    def node_of(self, group: Group) -> tuple[Node, list[Access], list[Node]]:
        """Return a node of a complete group, not in the graph yet, what it uses and waits for."""
        asked = group.command()
        begin = None if asked.begin is begin_nothing else asked.begin  # whoever waits, waits on
        node = Node(self, asked.label, begin, asked.launch, native=asked.native, group=group,
                    kind=asked.kind)
        if asked.launch is None or not asked.launch.raw:  # what others use is asked of their launch
            node.blocks = asked.blocks
        group.recorded(node)
        return node, asked.accesses, nodes_of(asked.deps)

    def connect(self, before: Node, after: Node, *, check: bool = True) -> None:
        """Add an edge; ``errc.invalid`` if it would close a cycle."""
        for node in (before, after):
            if node.graph is not self:
                raise UsageError(errc.invalid, f"make_edge: {node.label} belongs to another graph")
        if check and (before is after or after in ancestors(before)):
            raise UsageError(errc.invalid, f"make_edge: {after.label} runs before {before.label} "
                             "already; an edge the other way round would close a cycle")
        if before not in after.before:
            after.before.append(before)

    def order(self) -> list[Node]:
        """Return the nodes, each after those it depends on, else as they were added."""
        done: dict[Node, None] = {}
        for node in self.nodes:
            todo = [node]
            while todo:
                top = todo[-1]
                left = [n for n in top.before if n not in done]
                if left:
                    todo += left
                    continue
                todo.pop()
                done[top] = None
        return list(done)


def ancestors(node: Node) -> set[Node]:
    """Return all nodes that run before a node."""
    found: set[Node] = set()
    todo = list(node.before)
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += one.before
    return found


class Dynamic:
    """Stands for an argument of commands in a graph; its value may change between replays."""

    __slots__ = ()

    def value(self) -> Any:
        """Return its present value."""
        raise NotImplementedError

    def used_in(self, node: Node, position: int) -> None:
        """Be told of a node whose argument at a position it is."""
        raise NotImplementedError


def present(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Return arguments with the present values of those that may change."""
    return tuple(a.value() if isinstance(a, Dynamic) else a for a in arguments)


def note_uses(node: Node, arguments: Sequence[Any]) -> None:
    """Tell the arguments that may change which node they are used in."""
    for position, argument in enumerate(arguments):
        if isinstance(argument, Dynamic):
            argument.used_in(node, position)


def recorded(node: Node) -> Task:
    """Return the task that stands for a node where the runtime hands out events."""
    task = Task(None, node.label)
    task.completion = Recorded(node)
    return task


def nodes_of(tasks: Iterable[Task]) -> list[Node]:
    """Return the nodes that tasks stand for; ``errc.invalid`` for commands that were submitted."""
    found = []
    for task in tasks:
        stand = task.completion
        if not isinstance(stand, Recorded) or not isinstance(stand.node, Node):
            raise UsageError(errc.invalid, f"a recorded command cannot depend on {task.label}, "
                             "which was submitted and is not part of the graph; pass that event "
                             "when the graph is submitted")
        found.append(stand.node)
    return found


class RecordingChannel(Channel):
    """What a queue is underneath while it is recorded: commands become nodes."""

    __slots__ = ("_newest", "graph", "plain")

    def __init__(self, graph: Graph, device: DeviceState, context: ContextState,
                 plain: Channel | None = None) -> None:
        """Be like a queue's own channel, but unknown to the life cycle: nothing ever runs here."""
        self.device = device
        self.driver = device.driver
        self.context = context
        self.handler = None
        self.quick = True  # ``run_at_once`` records
        self.repeats = self.extends = False
        self.in_order = plain is not None and plain.in_order
        self.checks = checked_mode.NONE if plain is None else plain.checks
        self.profiling = False
        self.timeout = 0.0 if plain is None else plain.timeout
        self.urgency = 0  # nodes have their graph's
        self.pending = deque()
        self.errors = []
        self.generation = process.generation
        self._lock = threading.RLock()
        self._limit = 0
        self._last = None
        self.warm = self.before = self.latest = self.latest_group = None
        self.varied = None
        self.graph = graph
        self.plain = plain
        self._newest: Node | None = None

    @property
    def recorder(self) -> Graph:  # type: ignore[override]
        """The graph that takes the commands."""
        return self.graph

    def chain(self, node: Node) -> list[Node]:
        """Return what a node waits for: the newest barrier or, in order, the one before."""
        before = self._newest
        if self.in_order:
            self._newest = node
        return [before] if before is not None else []

    def fence(self, node: Node) -> None:
        """Have all later nodes of this queue wait for a barrier."""
        self._newest = node

    def place(self, task: Task, deps: Sequence[Task]) -> Sequence[Task]:
        """Leave the order to the graph."""
        return deps

    def run_at_once(self, task: Task, launch: Launch, deps: Sequence[Task]) -> bool:
        """Record a kernel; it never runs now."""
        task.completion = self.graph.add_launch(self, task.label, launch, deps).completion
        return True

    def barrier(self, task: Task, tasks: Sequence[Task]) -> None:
        """Record a barrier."""
        node = Node(self.graph, task.label, kind=node_type.ext_oneapi_barrier)
        self.graph.add(node, (), [*nodes_of(tasks), *self.chain(node)])
        self.fence(node)
        task.completion = Recorded(node)

    def snapshot(self) -> list[Task]:
        """Return what a barrier waits for: every node so far."""
        return [recorded(n) for n in self.graph.nodes]

    def wait(self) -> None:
        """Refuse: there is nothing to wait for while commands are recorded."""
        raise UsageError(errc.invalid, "wait: the queue is being recorded; end_recording first")


class Plan:
    """An executable graph: steps in an order that respects all edges."""

    def __init__(self, channel: Channel, nodes: Sequence[Node], before: list[list[int]]) -> None:
        self.driver = channel.driver
        self.context = channel.context
        self.device = channel.device
        self.nodes = [_copy(n) for n in nodes]
        self._originals = {n: k for k, n in enumerate(nodes)}
        self._before = before
        self._channel = channel
        self._lay_out()
        self.last: Task | None = None
        self._refresh()

    @classmethod
    def of(cls, graph: Graph) -> Plan:
        """Return the plan of a graph as it is now."""
        found = graph.order()
        place = {n: k for k, n in enumerate(found)}
        return cls(graph.channel, found, [[place[b] for b in n.before] for n in found])

    def copy(self) -> Plan:
        """Return a plan of the same nodes, to be a part of a graph."""
        return Plan(self._channel, self.nodes, self._before)

    def _lay_out(self) -> None:
        """Join small kernels into batches where no step in between needs one of them first.

        Those of a batch wait for the same host tasks, which may take long, or fail.
        """
        self.steps: list[Step] = []
        place: dict[int, frozenset[int]] = {}
        tasks: list[frozenset[int]] = []
        batches: dict[frozenset[int], int] = {}
        behind: dict[int, frozenset[int]] = {}  # for each node what a command after it waits for
        for unit in joined_nodes.units(self.nodes, self._before):
            number, node = unit[0], self.nodes[unit[0]]
            needs = {b for k in unit for b in self._before[k]}
            waits = frozenset(itertools.chain.from_iterable(behind[k] for k in needs))
            found = frozenset(itertools.chain.from_iterable(place[k] for k in needs))
            if node.begin is None:  # whoever waits for it waits for what it waits for
                place[number], behind[number] = found, waits
                continue
            slow = frozenset(itertools.chain.from_iterable(tasks[k] for k in found))
            one = joined_nodes.is_joined(self.nodes, unit)
            small = not one and self._is_small(number, node)
            at = batches.get(slow, -1) if small else -1
            if at < 0 or any(k > at for k in found):
                self.steps.append(joined_nodes.JoinedStep() if one else Step())
                at = len(self.steps) - 1
                tasks.append(slow if node.native else slow | {at})
                if small:
                    batches[slow] = at
            for k in unit:
                behind[k], place[k] = frozenset((k,)), frozenset((at,))
                self.steps[at].add(k, self.nodes[k], sorted(waits))
            self.steps[at].before |= found - {at}
        self._used = {k for s in self.steps for k in s.before}

    def _is_small(self, number: int, node: Node) -> bool:
        """Say whether a command may be one of a batch."""
        alone = Step()
        alone.add(number, node, ())
        return node.native and batch_of(self.driver, alone) is not None

    def _refresh(self) -> None:
        """Prepare what a replay needs of all nodes together."""
        for step in self.steps:
            step.make(self.driver)
        blocks = usm.lasting(r for n in self.nodes if n.launch is not None for r in n.launch.raw)
        blocks.update(b for n in self.nodes for b in n.blocks)
        self._blocks: tuple[usm.Block, ...] = tuple(blocks)
        self.accesses = _union(a for n in self.nodes for a in n.accesses)
        self.native = all(n.native for n in self.nodes)

    # ------------------------------------------------------------------ replaying
    def submit(self, channel: Channel, deps: Sequence[Task]) -> Task:
        """Submit the whole graph as one command of a queue."""
        self.check(channel)
        task = Task(channel, "a graph", self.driver if self.one_end() else None)
        task.explicit = tuple(deps)
        after = list(deps)
        try:
            channel.enter(self.accesses, task, after, turns=self)
            if not channel.replay_at_once(task, self.immediate, after):
                channel.submit(task, after, self.begin(), registered=True)
        except BaseException as error:
            task.interrupted(error)
            raise
        return task

    def check(self, channel: Channel) -> None:
        """Refuse another device or context, freed memory and closed buffers."""
        if channel.device is not self.device or channel.context is not self.context:
            raise UsageError(errc.invalid, "the graph was made for another device or context than "
                             "the queue's; make it with the queue's")
        for block in self._blocks:
            if block.freed:
                block.bytes()
        for access in self.accesses:
            if isinstance(access.key, BufferMemory):
                access.key.check_open()

    def edges(self) -> Sequence[Sequence[int]]:
        """Return which of the nodes each one runs after, by their places."""
        return self._before

    def blocks(self) -> tuple[usm.Block, ...]:
        """Return the allocations that must not have been freed when it runs."""
        return self._blocks

    def parts(self) -> tuple[list[Part], list[list[int]]] | None:
        """Return its commands and what they run after; None where they are not one batch."""
        return self.steps[0].parts() if len(self.steps) == 1 else None

    def immediate(self) -> bool:
        """Run the graph now if it is one batch of a few microseconds."""
        steps = self.steps
        return not steps or (len(steps) == 1 and steps[0].batch is not None
                             and steps[0].batch.immediate())

    def begin(self) -> Begin:
        """Return how to begin the graph."""
        return self._begin_native if self.native else self._begin_tasks

    def one_end(self) -> bool:
        """Say whether all of it is one driver's, and ends with one completion of it."""
        return self.native and len(self.steps) - len(self._used) == 1

    def _order(self) -> None:
        """Give the kernels whose races are looked for their places among all commands."""
        found = [n.launch for n in self.nodes]
        own = [getattr(x.executable.kernel, "checks", ()) for x in found if x is not None]
        if any("races" in checks for checks in own):  # a kernel of the user's has none
            for one, order in zip(found, ordering.enter_graph(self._before), strict=True):
                if one is not None:
                    one.order = order

    def _begin_native(self, native: Sequence[Completion]) -> Completion:
        self._order()
        ends: list[Completion] = []
        for step in self.steps:
            ends.append(step.start([ends[k] for k in step.before] if step.before else native))
        left = [end for k, end in enumerate(ends) if k not in self._used]
        return left[0] if len(left) == 1 else Ends(left or [*native, ended()])

    def _begin_tasks(self, native: Sequence[Completion]) -> Completion:
        """Begin a graph with host tasks; nothing of the driver is ahead of it any more."""
        assert not native
        self._order()
        return replay.begin(self.steps, self.driver)

    # ------------------------------------------------------------------ updating
    def update(self, nodes: Iterable[Node]) -> None:
        """Take over what nodes of the graph have become; waits for a replay under way."""
        changed = list(nodes)
        for node in changed:
            if node not in self._originals:
                raise UsageError(errc.invalid, f"update: {node.label} is not part of this graph")
        if self.last is not None:
            self.last.wait()
        for node in changed:
            mine, now = self.nodes[self._originals[node]], node.current()
            mine.label, mine.begin, mine.launch = now.label, now.begin, now.launch
            mine.kind = now.kind
            mine.accesses, mine.blocks = list(now.accesses), now.blocks
            mine.recipe = now.recipe
        self._check_sizes()
        self._refresh()

    def _check_sizes(self) -> None:
        """A kernel that has grown too large for its batch gets a step of its own."""
        if any(s.outgrown(self.driver) for s in self.steps):
            self._lay_out()

    def update_whole(self, graph: Graph) -> None:
        """Take over all nodes of another graph of the same shape."""
        theirs = graph.order()
        mine = list(self._originals)
        shape = [(_kind(n), sorted(mine.index(b) for b in n.before)) for n in mine]
        if [(_kind(n), sorted(theirs.index(b) for b in n.before)) for n in theirs] != shape:
            raise UsageError(errc.invalid, "update: the other graph has other nodes or edges; "
                             "finalize it instead")
        self._originals = {n: k for k, n in enumerate(theirs)}
        self.update(theirs)

    def originals(self) -> list[Node]:
        """Return the nodes of the graph that was finalized, each after those it depends on."""
        return list(self._originals)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)


def plan_of(graph: Any) -> Plan:
    """Return the plan of an executable graph; ``errc.invalid`` of anything else."""
    plan = getattr(graph, "plan", None)
    if not isinstance(plan, Plan):
        raise UsageError(errc.invalid, "expected an executable graph (command_graph.finalize()), "
                         f"got {type(graph).__name__}")
    return plan


def _of_buffers(accesses: Iterable[Access]) -> list[Access]:
    return [a for a in accesses if isinstance(a.key, BufferMemory)]


def _copy(given: Node) -> Node:
    node = given.current()
    made = Node(node.graph, node.label, node.begin, node.launch, native=node.native,
                group=node.group, kind=node.kind)
    made.accesses, made.blocks = list(node.accesses), node.blocks
    made.recipe = node.recipe
    return made


def _kind(given: Node) -> str:
    """Return what nodes of graphs of one shape have in common."""
    node = given.current()
    if node.begin is None:
        return "empty"
    if node.launch is not None:
        return "kernel"
    return "a host task" if node.label.startswith("host task") else node.label


def _union(accesses: Iterable[Access]) -> list[Access]:
    """Return one access for each memory and mode: all that the nodes touch of it together."""
    found: dict[tuple[int, bool], Access] = {}
    for a in accesses:
        key = (id(a.key), a.mode.writes)
        known = found.get(key, a)
        found[key] = Access(a.key, min(known.start, a.start), max(known.stop, a.stop),
                            access_mode.read_write if key[1] else access_mode.read)
    return list(found.values())
