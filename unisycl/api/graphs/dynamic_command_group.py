"""Nodes of a graph with several command groups, one of them active (sycl_ext_oneapi_graph).

Non-goals: what a node is (``runtime.recorded.alternatives``). Invariant: the functions are called
once, when the object is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unisycl.api.queue.handler import check_callable, handler
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.recorded.alternatives import Alternatives
from unisycl.runtime.recorded.command_graph import Graph


@ends_at_call
class dynamic_command_group:
    """Command groups of which a node runs one; the first by default.

    Args:
        graph: the ``command_graph`` that it will be added to with ``add``.
        groups: command group functions: all kernels, or all host tasks, with the same dependencies.

    ``set_active_index`` chooses another one for graphs finalized from then on, and for executable
    graphs that are given the node with ``update``.
    """

    __slots__ = ("alternatives",)

    def __init__(self, graph: Any, groups: Sequence[Callable[[Any], Any]]) -> None:
        inner = getattr(graph, "graph", None)
        if not isinstance(inner, Graph):
            raise UsageError(errc.invalid, "dynamic_command_group: expected a command_graph first, "
                             f"got {type(graph).__name__}")
        if not groups:
            raise UsageError(errc.invalid, "dynamic_command_group: give at least one command group")
        made = []
        for function in groups:
            check_callable(function)
            h = handler(inner.channel)
            try:
                function(h)
            except BaseException:
                h.abandon()
                raise
            made.append(h)
        self.alternatives = Alternatives(inner, made)
        for h in made:
            h.abandon()

    def get_active_index(self) -> int:
        """Return the number of the active command group."""
        return self.alternatives.active

    def set_active_index(self, index: int) -> None:
        """Make another command group the active one; ``errc.invalid`` if there is none."""
        if not 0 <= index < len(self.alternatives):
            raise UsageError(errc.invalid, f"set_active_index: {index} is none of the "
                             f"{len(self.alternatives)} command groups, which count from 0")
        self.alternatives.active = index

    def __repr__(self) -> str:
        active = f"{self.get_active_index()} of {len(self.alternatives)}"
        return f"<dynamic_command_group: command group {active} is active>"

    def __copy__(self) -> dynamic_command_group:
        return self

    def __deepcopy__(self, memo: object) -> dynamic_command_group:
        return self
