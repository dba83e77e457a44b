"""A node of a graph that has several commands, one of which is active (sycl_ext_oneapi_graph).

Non-goals: SYCL's names. Invariant: all alternatives wait for the same nodes, so that activating one
changes no edge.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.base.errors import UsageError, errc
from unisycl.runtime.graph.command_group import Group
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.recorded.command_graph import Graph, Node

_Part = tuple[Node, list[Access], list[Node]]


class Alternatives:
    """The commands of a dynamic command group; the first is active.

    ``errc.invalid`` if one is neither a kernel nor a host task, or they are not of one kind.
    """

    def __init__(self, graph: Graph, groups: Sequence[Group]) -> None:
        self.graph = graph
        self.active = 0
        self._parts: list[_Part] = []
        for group in groups:
            node, accesses, deps = graph.node_of(group)
            node.accesses = list(accesses)
            self._parts.append((node, accesses, deps))
            if node.launch is None and not node.label.startswith("host task"):
                raise UsageError(errc.invalid, f"dynamic_command_group: {node.label} is neither a "
                                 "kernel nor a host task; only these have alternatives")
        if len({n.launch is None for n, *_ in self._parts}) != 1:
            raise UsageError(errc.invalid, "dynamic_command_group: some of the command groups are "
                             "kernels and some host tasks; they must be of one kind")

    def node(self) -> Node:
        """Return the node of the active command."""
        return self._parts[self.active][0]

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, more: Sequence[Node]) -> Node:
        """Add a node with these commands to the graph."""
        graph = self.graph
        before = {self._needs(part) for part in self._parts}
        if len(before) != 1:
            raise UsageError(errc.invalid, "add: the command groups of the dynamic_command_group "
                             "wait for different nodes; they must have the same dependencies")
        made = _Dynamic(self)
        graph.add(made, [a for _, accesses, _ in self._parts for a in accesses],
                  [*self._parts[0][2], *more])
        made.accesses = []
        return made

    def _needs(self, part: _Part) -> frozenset[Node]:
        """Return the nodes of the graph that a command has to wait for, by name or by data."""
        _, accesses, deps = part
        found = set(deps)
        for node in self.graph.nodes:
            if any(_conflict(a, b) for a in accesses for b in node.current().accesses):
                found.add(node)
        return frozenset(found)


class _Dynamic(Node):
    """A node whose command is that of the active alternative."""

    __slots__ = ("_alternatives",)

    def __init__(self, alternatives: Alternatives) -> None:
        first = alternatives.node()
        super().__init__(alternatives.graph, first.label, first.begin, first.launch,
                         native=first.native, group=first.group, kind=first.kind)
        self._alternatives = alternatives

    def current(self) -> Node:
        """Return the node of the active command."""
        return self._alternatives.node()


def _conflict(a: Access, b: Access) -> bool:
    return (a.key is b.key and a.start < b.stop and b.start < a.stop
            and (a.mode.writes or b.mode.writes))
