"""Command graphs: record once, replay many times (sycl_ext_oneapi_graph).

Non-goals: replaying (``runtime.recorded``). Invariant: a modifiable graph never runs; an executable
one changes through ``update`` only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unisycl.api import properties
from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.api.devices.queue_base import QueueBase
from unisycl.api.graphs.dynamic_command_group import dynamic_command_group
from unisycl.api.properties import HasProperties
from unisycl.api.queue.event import event
from unisycl.api.queue.handler import check_callable, handler, run
from unisycl.api.queue.recording import svg_of
from unisycl.base.enums import node_type
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.observe import picture
from unisycl.runtime.devices.devices import default_context
from unisycl.runtime.graph.completions import Recorded
from unisycl.runtime.launch import launch
from unisycl.runtime.recorded.command_graph import Graph, Node, Plan, RecordingChannel


@ends_at_call
class graph_node:
    """One command of a graph; made by ``command_graph.add`` or by recording."""

    __slots__ = ("node",)

    def __init__(self, inner: Node) -> None:
        if not isinstance(inner, Node):
            raise UsageError(errc.invalid, "a node is made by command_graph.add, not by a program")
        self.node = inner

    @staticmethod
    def get_node_from_event(recorded: event) -> graph_node:
        """Return the node of an event that a recorded queue gave; ``errc.invalid`` of others."""
        stand = None if recorded.task is None else recorded.task.completion
        if not isinstance(stand, Recorded) or not isinstance(stand.node, Node):
            raise UsageError(errc.invalid, "get_node_from_event: the event's command was submitted,"
                             " not recorded")
        return graph_node(stand.node)

    def get_type(self) -> node_type:
        """Return what the node does."""
        inner = self.node.current()
        if inner.launch is not None:
            return node_type.kernel
        return inner.kind or (node_type.empty if inner.begin is None else node_type.host_task)

    def get_predecessors(self) -> list[graph_node]:
        """Return the nodes it runs directly after."""
        return [graph_node(n) for n in self.node.before]

    def get_successors(self) -> list[graph_node]:
        """Return the nodes that run directly after it."""
        return [graph_node(n) for n in self.node.graph.nodes if self.node in n.before]

    def update_range(self, extent: Any) -> None:
        """Give its kernel another range; take it over with ``executable_graph.update``."""
        self.node.current().rebuild({}, launch.space_geometry(extent))

    def update_nd_range(self, space: Any) -> None:
        """Give its kernel another nd_range; take it over with ``executable_graph.update``."""
        self.node.current().rebuild({}, launch.space_geometry(space))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, graph_node) and other.node is self.node

    def __hash__(self) -> int:
        return hash(("graph_node", id(self.node)))

    def __repr__(self) -> str:
        return f"<node of {self.node.current().label}>"


@ends_at_call
class command_graph(HasProperties):
    """Commands and what they wait for, to be made executable and submitted many times.

    Args:
        where: a queue, or a device, or a context and a device; properties.

    Example::

        g = command_graph(q)
        with g.record(q):
            q.parallel_for(n, first, p)
            q.submit(...)
        replay = g.finalize()
        q.ext_oneapi_graph(replay).wait()

    Edges come from accessors, from ``depends_on`` with events or nodes of the graph, and from
    in-order queues.
    """

    __slots__ = ("_properties", "_recorded", "graph")

    def __init__(self, *where: Any) -> None:
        given = [w for w in where if not isinstance(w, QueueBase | context | device)]
        self._properties = properties.check(properties.flatten(given), "command_graph")
        owner = next((w for w in where if isinstance(w, QueueBase)), None)
        if owner is not None:
            self.graph = Graph(owner.channel.device, owner.channel.context)
            self.graph.channel.checks = owner.channel.checks
        else:
            chosen = next((w for w in where if isinstance(w, device)), None)
            found = next((w.state for w in where if isinstance(w, context)), None)
            if found is None and chosen is not None:
                found = default_context(chosen.state)
            if chosen is None or found is None or not found.covers(chosen.state):
                raise UsageError(errc.invalid, "command_graph: give a queue, or a device, or a "
                                 "context and one of its devices")
            self.graph = Graph(chosen.state, found)
        self._recorded: list[QueueBase] = []

    # ------------------------------------------------------------------ building
    def add(self, *what: Any, depends_on: Sequence[graph_node] = ()) -> graph_node:
        """Add the command of a command group function, which is called at once.

        Args:
            what: a function as for ``queue.submit``, or a ``dynamic_command_group``; left out, the
                node does nothing but wait. Then properties: ``property.node.depends_on(...)``,
                ``property.node.depends_on_all_leaves()``.
            depends_on: nodes it runs after, besides those its accessors name.

        ``errc.invalid`` while a queue is recorded.
        """
        self._check_idle("add")
        before = self._before(what, depends_on)
        group_function = next((w for w in what if not properties.is_given(w)), None)
        if group_function is None:
            return graph_node(self.graph.add(Node(self.graph, "an empty node"), (), before))
        if isinstance(group_function, dynamic_command_group):
            if group_function.alternatives.graph is not self.graph:
                raise UsageError(errc.invalid, "add: the dynamic_command_group was made for "
                                 "another graph")
            return graph_node(group_function.alternatives.add(before))
        check_callable(group_function)
        stand = run(group_function, handler(self.graph.channel)).completion
        assert isinstance(stand, Recorded) and isinstance(stand.node, Node)  # noqa: PT018
        for node in before:
            if node not in stand.node.before:
                stand.node.before.append(node)
        return graph_node(stand.node)

    def make_edge(self, before: graph_node, after: graph_node) -> None:
        """Have a node run after another; ``errc.invalid`` if that would close a cycle."""
        self._check_idle("make_edge")
        check = not self.has_property(properties.property.graph.no_cycle_check)
        self.graph.connect(self._own(before), self._own(after), check=check)

    def _before(self, what: Sequence[Any], named: Sequence[graph_node]) -> list[Node]:
        """Return the nodes that an added one runs after, as properties and the argument say."""
        found = [self._own(n) for n in named]
        given = properties.check(properties.flatten(
            w for w in what if properties.is_given(w)), "command_graph.add")
        for one in given:
            if isinstance(one, properties.property.node.depends_on):
                found += [self._own(n) for n in one.value]
            else:
                inner = {b for n in self.graph.nodes for b in n.before}
                found += [n for n in self.graph.nodes if n not in inner]
        return list(dict.fromkeys(found))

    def _check_idle(self, what: str) -> None:
        if self._recorded:
            raise UsageError(errc.invalid, f"{what}: the graph records a queue; end_recording "
                             "first, or submit to that queue")

    def begin_recording(self, queues: Any) -> bool:
        """Have a queue, or several, add their commands here instead of running them.

        Returns whether a queue was not being recorded before. ``errc.invalid`` for a queue of
        another device or context, or one that another graph records.
        """
        changed = False
        for queue in _queues(queues):
            channel = queue.channel
            if isinstance(channel, RecordingChannel):
                if channel.graph is not self.graph:
                    raise UsageError(errc.invalid, "begin_recording: another graph records this "
                                     "queue; end that first")
                continue
            mine = self.graph.channel
            if channel.device is not mine.device or channel.context is not mine.context:
                raise UsageError(errc.invalid, "begin_recording: the queue belongs to another "
                                 "device or context than the graph")
            queue.channel = RecordingChannel(self.graph, mine.device, mine.context, channel)
            self._recorded.append(queue)
            changed = True
        return changed

    def end_recording(self, queues: Any = None) -> bool:
        """Have queues run their commands again: those given, or all this graph records.

        Returns whether one was being recorded.
        """
        changed = False
        for queue in self._recorded[:] if queues is None else _queues(queues):
            channel = queue.channel
            if not isinstance(channel, RecordingChannel):
                continue
            if channel.graph is not self.graph or channel.plain is None:
                raise UsageError(errc.invalid, "end_recording: another graph records this queue")
            queue.channel = channel.plain
            self._recorded = [q for q in self._recorded if q is not queue]
            changed = True
        return changed

    @contextmanager
    def record(self, *queues: Any) -> Iterator[command_graph]:
        """Record queues inside a ``with`` block."""
        self.begin_recording(list(queues))
        try:
            yield self
        finally:
            self.end_recording(list(queues))

    # ------------------------------------------------------------------ asking
    def get_nodes(self) -> list[graph_node]:
        """Return the nodes in the order they were added."""
        return [graph_node(n) for n in self.graph.nodes]

    def get_root_nodes(self) -> list[graph_node]:
        """Return the nodes that wait for none."""
        return [graph_node(n) for n in self.graph.nodes if not n.before]

    def empty(self) -> bool:
        """Say whether there is no node."""
        return not self.graph.nodes

    def get_id(self) -> int:
        """Return a number that no other graph has; later graphs have greater ones."""
        return self.graph.number

    def print_graph(self, path: str | Path, verbose: bool = False) -> None:
        """Write the graph in the language of Graphviz; ``verbose`` adds index spaces.

        A file that ends in .svg gets a picture instead. ``errc.invalid`` for another ending, and
        for a file that cannot be written.
        """
        drawing = picture.of_graph(self.graph, verbose=verbose)
        if Path(path).suffix not in (".dot", ".svg"):
            raise UsageError(errc.invalid, f"print_graph: {path} must end in .dot or .svg")
        text = drawing.to_svg() if Path(path).suffix == ".svg" else drawing.to_dot()
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as err:
            raise UsageError(errc.invalid, f"print_graph: {err}") from err

    def _repr_svg_(self) -> str | None:
        """Return a picture, for a notebook; None while there is no node."""
        return svg_of(picture.of_graph(self.graph))

    def finalize(self, *given: Any) -> executable_graph:
        """Return the graph ready to be submitted (``property.graph.updatable`` to change it)."""
        kept = properties.check(properties.flatten(given), "finalize")
        return executable_graph(Plan.of(self.graph), kept)

    def _own(self, node: Any) -> Node:
        if not isinstance(node, graph_node) or node.node.graph is not self.graph:
            raise UsageError(errc.invalid, f"expected a node of this graph, got {node!r}")
        return node.node

    def __copy__(self) -> command_graph:
        return self

    def __deepcopy__(self, memo: object) -> command_graph:
        return self

    def __repr__(self) -> str:
        return f"<command_graph: {len(self.graph.nodes)} nodes>"


@ends_at_call
class executable_graph(HasProperties):
    """A graph that ``queue.ext_oneapi_graph`` submits; made by ``command_graph.finalize``.

    One replay runs at a time: the next begins after the one before.
    """

    __slots__ = ("_properties", "plan")

    def __init__(self, plan: Any, given: Any = ()) -> None:
        if not isinstance(plan, Plan):
            raise UsageError(errc.invalid, "an executable graph is made by command_graph.finalize")
        self.plan = plan
        self._properties = given

    def update(self, source: Any) -> None:
        """Take over changed nodes, or all nodes of a graph of the same shape.

        Args:
            source: a node, a list of nodes, or a ``command_graph``.

        ``errc.invalid`` without ``property.graph.updatable``, and for nodes of another graph.
        """
        if not self.has_property(properties.property.graph.updatable):
            raise UsageError(errc.invalid, "update: the graph was finalized without "
                             "property.graph.updatable()")
        if isinstance(source, command_graph):
            self.plan.update_whole(source.graph)
            return
        nodes = [source] if isinstance(source, graph_node) else list(source)
        self.plan.update(n.node for n in nodes)

    def _repr_svg_(self) -> str | None:
        """Return a picture, for a notebook; None if there is no node."""
        return svg_of(picture.of_nodes(self.plan.originals()))

    def get_required_mem_size(self) -> int:
        """Return the bytes that the graph itself has allocated: 0, graphs allocate nothing."""
        return 0

    def __repr__(self) -> str:
        steps = len(self.plan.steps)
        return f"<executable graph: {len(self.plan.nodes)} nodes in {steps} steps>"


def _queues(queues: Any) -> list[QueueBase]:
    found = [queues] if isinstance(queues, QueueBase) else list(queues)
    if not all(isinstance(q, QueueBase) for q in found):
        raise UsageError(errc.invalid, "expected a queue or a list of queues to record")
    return found
