"""Arguments of commands of a graph that can be changed between replays (sycl_ext_oneapi_graph).

Non-goals: captured variables; only arguments given to a kernel, a copy or a fill are dynamic.
Invariant: a parameter belongs to one graph and knows every node that uses it.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.memory.accessor import accessor
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.recorded.command_graph import Dynamic, Graph, Node


@ends_at_call
class dynamic_parameter(Dynamic):
    """An argument of commands in a graph: ``update`` gives it another value.

    Args:
        graph: the ``command_graph`` that it is used in.
        value: its first value: a number, a struct, USM memory, an array, a placeholder accessor.

    Use it as an argument of a kernel, or as source, destination or value of a copy or a fill, in a
    command group of the graph or on a queue that the graph records; one of an accessor that a
    kernel uses also for ``handler.require``. After ``update`` give the nodes to
    ``executable_graph.update``.
    """

    __slots__ = ("_graph", "_uses", "_value")
    __kernel_refusal__ = ("use it as an argument in a command group that a graph records or that "
                          "graph.add is given")

    def __init__(self, graph: Any, value: Any) -> None:
        inner = getattr(graph, "graph", None)
        if not isinstance(inner, Graph):
            raise UsageError(errc.invalid, "dynamic_parameter: expected a command_graph first, got "
                             f"{type(graph).__name__}")
        self._graph = inner
        self._value = value
        self._uses: list[tuple[Node, int]] = []

    def update(self, value: Any) -> None:
        """Give it another value in every node of the graph that uses it.

        Raises what the command would raise for the value; all nodes are as they were then.
        """
        if isinstance(self._value, accessor) != isinstance(value, accessor):
            raise UsageError(errc.invalid, f"update: a {type(self._value).__name__} cannot become "
                             f"a {type(value).__name__}")
        done: list[tuple[Node, int]] = []
        try:
            for node, position in self._uses:
                done.append((node, position))
                _rebuild(node, position, self._value, value)
        except BaseException:
            for node, position in done:
                _rebuild(node, position, value, self._value)
            raise
        self._value = value

    def used_in(self, node: Node, position: int) -> None:
        """Note a node that uses it (internal)."""
        if node.graph is not self._graph:
            raise UsageError(errc.invalid, "a dynamic_parameter belongs to one graph and cannot be "
                             "used in another")
        self._uses.append((node, position))

    def __repr__(self) -> str:
        return f"<dynamic_parameter {self._value!r} in {len(self._uses)} places>"

    def value(self) -> Any:
        """Return its present value (internal)."""
        return self._value


def _rebuild(node: Node, position: int, old: Any, new: Any) -> None:
    """Have a node use another value; edges of the graph stay as they are."""
    if isinstance(new, accessor) and node.redo is None:
        assert node.group is not None
        gone, come = old._access(), new.rejoin(node.group)
        node.accesses = [a for a in node.accesses if (a.key, a.start, a.stop) != (
            gone.key, gone.start, gone.stop)] + [come]
    node.rebuild({position: new})
