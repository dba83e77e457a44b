"""Loops and conditions as nodes of a graph of CUDA's, which then needs nobody on the host.

A kernel reads the condition before the node, and in a loop once more at the end of each turn.
Non-goals: bodies that are no graphs of CUDA's (``runtime.recorded.conditions`` runs those).
Invariant: a loop that reaches its limit ends there, and the command fails when its end is seen.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from unisycl.backends.base import Control
from unisycl.backends.cuda.api import Api, ConditionalNode, KernelNode
from unisycl.backends.cuda.commands.lanes import Told
from unisycl.backends.cuda.launch.executable import Module
from unisycl.backends.cuda.memory.arrays import address_of
from unisycl.backends.cuda.session import Session
from unisycl.backends.cuda.text import deciding
from unisycl.backends.cuda.text.target import Target
from unisycl.base.errors import DeviceError, errc

_NODE = 13  # CU_GRAPH_NODE_TYPE_CONDITIONAL
_IF, _WHILE = 0, 1
_BY_DEFAULT = 1  # CU_GRAPH_COND_ASSIGN_DEFAULT


class Inner(Protocol):
    """A command of a body."""

    def add(self, api: Api, graph: int, behind: Any, count: int) -> int:
        """Add a node to a graph; return it."""


class Body(NamedTuple):
    """A graph that may run, and what its commands wait for."""

    members: Sequence[Inner]
    before: Sequence[Sequence[int]]

    def fill(self, api: Api, graph: int) -> list[int]:
        """Add its nodes to a graph; return those that no other waits for."""
        nodes: list[int] = []
        for member, needs in zip(self.members, self.before, strict=True):
            nodes.append(member.add(api, graph, *listed([nodes[k] for k in needs])))
        inner = {k for needs in self.before for k in needs}
        return [node for k, node in enumerate(nodes) if k not in inner]


def listed(nodes: Sequence[int]) -> tuple[Any, int]:
    """Return nodes as CUDA takes them, and their number."""
    return (ctypes.c_uint64 * max(1, len(nodes)))(*nodes), len(nodes)


class Decider:
    """The kernel that reads conditions, loaded for one session."""

    def __init__(self, session: Session, target: Target) -> None:
        with session as api:
            self._module = Module(session, deciding.code(target))
            self.function = api.address("cuModuleGetFunction", self._module.value,
                                        deciding.NAME.encode())


class ControlNode:
    """What a graph of CUDA's is told of a loop or a condition; it keeps the memory."""

    def __init__(self, what: Control, bodies: Sequence[Body], decider: Decider, session: Session,
                 counters: np.ndarray[Any, np.dtype[np.uint64]] | None) -> None:
        self._what = what
        self._bodies = bodies
        self._decider = decider
        self._session = session
        self._counters = counters
        self.told: Told = ("a loop" if what.loops else "a condition"), None

    def add(self, api: Api, graph: int, behind: Any, count: int) -> int:
        """Add what decides and the nodes that follow it to a graph; return the last one."""
        handles = [api.address("cuGraphConditionalHandleCreate", graph, self._session.context, 0,
                               _BY_DEFAULT) for _ in self._bodies]
        last = self._decide(api, graph, handles, behind, count, first=True)
        for handle, body in zip(handles, self._bodies, strict=True):
            params = ConditionalNode(type=_NODE, handle=handle, size=1,
                                     kind=_WHILE if self._what.loops else _IF,
                                     context=self._session.context)
            last = api.address("cuGraphAddNode_v2", graph, listed((last,))[0], None, 1,
                               ctypes.byref(params))
            inner = ctypes.c_uint64.from_address(params.graphs).value
            leaves = body.fill(api, inner)
            if self._what.loops:
                self._decide(api, inner, handles, *listed(leaves), first=False)
        return last

    def _decide(self, api: Api, graph: int, handles: Sequence[int], behind: Any, count: int, *,
                first: bool) -> int:
        view, kind = self._what.condition, self._what.condition.memory.dtype
        counters = self._counters
        values = (ctypes.c_uint64(handles[0]),
                  ctypes.c_uint64(handles[1] if len(handles) > 1 else 0),
                  ctypes.c_uint64(address_of(view)), ctypes.c_int(kind.itemsize),
                  ctypes.c_int(kind.kind == "f"),
                  ctypes.c_uint64(0 if counters is None else counters.ctypes.data),
                  ctypes.c_uint64(self._what.most or 0), ctypes.c_int(first))
        cells = (ctypes.c_void_p * len(values))(*[ctypes.addressof(x) for x in values])
        node = KernelNode(self._decider.function, 1, 1, 1, 1, 1, 1, 0,
                          ctypes.cast(cells, ctypes.c_void_p), None, None, None)
        return api.address("cuGraphAddKernelNode_v2", graph, behind, count, ctypes.byref(node))

    def put(self, api: Api, ready: int, node: int) -> int:
        """Do not: a node of this kind is made anew with its graph."""
        raise NotImplementedError

    def replaces(self, old: object) -> bool:
        """Say that no node may become this one."""
        return False

    def checks(self) -> list[Callable[[], BaseException | None]]:
        """Return what is to be asked once it has ended: whether a loop went on too long."""
        found = [] if self._counters is None else [self._outcome]
        for body in self._bodies:
            for member in body.members:
                found += member.checks() if isinstance(member, ControlNode) else []
        return found

    def _outcome(self) -> BaseException | None:
        counters = self._counters
        if counters is None or not counters[1]:
            return None
        counters[1] = 0
        return DeviceError(errc.runtime, f"a loop of a graph has not ended within "
                           f"{self._what.most} turns, its limit")
