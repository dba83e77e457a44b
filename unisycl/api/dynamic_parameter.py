"""Kernel arguments of a graph that can be changed between replays (sycl_ext_oneapi_graph).

Non-goals: captured variables; only arguments given to a kernel are dynamic. Invariant: a parameter
belongs to one graph and knows every node that uses it.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.accessor import accessor
from unisycl.base.errors import UsageError, errc
from unisycl.runtime.graph import Graph, Node


class dynamic_parameter:
    """An argument of kernels in a graph: ``update`` gives it another value.

    Args:
        graph: the ``command_graph`` that it is used in.
        value: its first value: a number, a struct, USM memory, a placeholder accessor.

    Use it as an argument of ``handler.parallel_for`` in a command group of the graph, one of an
    accessor also of ``handler.require``; after ``update`` give the nodes to
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
        """Give it another value in every node of the graph that uses it."""
        if isinstance(self._value, accessor) != isinstance(value, accessor):
            raise UsageError(errc.invalid, f"update: a {type(self._value).__name__} cannot become "
                             f"a {type(value).__name__}")
        for node, position in self._uses:
            if isinstance(value, accessor):
                self._move(node, value)
            node.rebuild({position: value})
        self._value = value

    def _move(self, node: Node, value: accessor) -> None:
        """Have a node use the buffer of another accessor; edges of the graph stay as they are."""
        assert node.group is not None
        old, new = self._value._access(), value.rejoin(node.group)
        node.accesses = [a for a in node.accesses if (a.key, a.start, a.stop) != (
            old.key, old.start, old.stop)] + [new]

    def used_in(self, node: Node, position: int) -> None:
        """Note a node that uses it (internal)."""
        if node.graph is not self._graph:
            raise UsageError(errc.invalid, "a dynamic_parameter belongs to one graph and cannot be "
                             "used in another")
        self._uses.append((node, position))

    def value(self) -> Any:
        """Return its present value (internal)."""
        return self._value
