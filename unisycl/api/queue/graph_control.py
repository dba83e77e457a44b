"""Loops and conditions as commands: graphs that run while, or if, memory says so.

What CUDA's conditional nodes are; SYCL has no names for them yet. Non-goals: conditions on the
host, which a program writes in Python. Invariant: between the first and the last turn only
the runtime acts.
"""

from __future__ import annotations

import operator
from typing import Any

from unisycl.api.memory.usm import usm_pointer
from unisycl.base.enums import node_type
from unisycl.base.errors import UsageError, errc
from unisycl.runtime.graph.command_group import BoundView, Group
from unisycl.runtime.recorded import conditions
from unisycl.runtime.recorded.command_graph import Plan, plan_of


class ControlCommands(Group):
    """The commands of a ``handler`` that run graphs by a condition."""

    __slots__ = ()

    def ext_unisycl_while(self, condition: usm_pointer, body: Any,
                          limit: int | None = None) -> None:
        """Run a graph again and again, as long as memory holds something else than zero.

        Args:
            condition: USM memory of a number or a bool, which the body's kernels write; the first
                element is read before each turn.
            body: an executable graph.
            limit: after so many turns the loop fails; left out, it goes on for ever.
        """
        what = "ext_unisycl_while"
        self.check_free(what)
        if limit is not None:
            try:
                limit = operator.index(limit)
            except TypeError:
                limit = -1
            if limit < 0:
                raise UsageError(errc.invalid, f"{what}: the limit is a number of turns")
        view, plan = self._condition(what, condition), self._body(what, body)
        begin, native = conditions.begin_loop(self.channel, view, plan, limit)
        self.set_command("a loop", begin, native=native, kind=node_type.ext_unisycl_loop)

    def ext_unisycl_if(self, condition: usm_pointer, body: Any, otherwise: Any = None) -> None:
        """Run a graph if memory holds something else than zero, and another one if it does not.

        Args:
            condition: USM memory of a number or a bool, read when the command's turn has come.
            body, otherwise: executable graphs.
        """
        what = "ext_unisycl_if"
        self.check_free(what)
        view, then = self._condition(what, condition), self._body(what, body)
        other = None if otherwise is None else self._body(what, otherwise)
        begin, native = conditions.begin_branch(self.channel, view, then, other)
        self.set_command("a condition", begin, native=native,
                         kind=node_type.ext_unisycl_condition)

    def _condition(self, what: str, condition: Any) -> BoundView:
        if not isinstance(condition, usm_pointer) or condition.dtype.kind not in "biuf":
            raise UsageError(errc.invalid, f"{what}: the condition is USM memory of numbers or "
                             f"bools, such as malloc_device(1, np.int32, queue), not {condition!r}")
        view = condition.bind(self, self.channel)
        if not conditions.size_of(view):
            raise UsageError(errc.invalid, f"{what}: the condition has no element")
        return view

    def _body(self, what: str, graph: Any) -> Plan:
        plan = plan_of(graph)
        plan.check(self.channel)
        for access in plan.accesses:
            self.add_access(access)
        self.blocks += plan.blocks()
        return plan.copy()
