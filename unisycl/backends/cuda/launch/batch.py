"""Kernels of a command graph as one graph of CUDA's, which is launched by one call.

It is made when it is first launched, and other arguments are put into it in place. Non-goals:
copies, fills, and kernels that need memory for each launch (``driver`` starts those one by one).
Invariants: a graph of CUDA's is destroyed only when no launch of it is under way, since its
completion keeps it; an edge of the command graph is an edge of CUDA's.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

from unisycl.backends.base import Completion, Launch
from unisycl.backends.cuda.commands.commands import Commands
from unisycl.backends.cuda.commands.completion import CuCompletion
from unisycl.backends.cuda.commands.lanes import Lane
from unisycl.backends.cuda.launch.prepared import Prepared
from unisycl.backends.cuda.session import Session


class Maker(Protocol):
    """What a driver does for batches."""

    def prepared(self, launch: Launch) -> Prepared | None:
        """Return a launch as the driver's function takes it; None where that is not all of it."""

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Completion:
        """Launch one kernel."""


class _Graph:
    """One graph of CUDA's, ready to be launched."""

    __slots__ = ("_session", "nodes", "value")

    def __init__(self, session: Session, kernels: Sequence[Prepared],
                 before: Sequence[Sequence[int]]) -> None:
        self._session = session
        self.value = 0
        self.nodes: list[int] = []
        with session as api:
            plain = api.address("cuGraphCreate", 0)
            try:
                for kernel, needs in zip(kernels, before, strict=True):
                    behind = (ctypes.c_uint64 * max(1, len(needs)))(
                        *[self.nodes[k] for k in needs])
                    self.nodes.append(api.address(
                        "cuGraphAddKernelNode_v2", plain, behind, len(needs),
                        ctypes.byref(kernel.node())))
                self.value = api.address("cuGraphInstantiateWithFlags", plain, 0)
            finally:
                api.attempt("cuGraphDestroy", plain)

    def put(self, k: int, kernel: Prepared) -> bool:
        """Give a kernel other arguments or another index space; say whether that can be."""
        with self._session as api:
            return not api.attempt("cuGraphExecKernelNodeSetParams_v2", self.value, self.nodes[k],
                                   ctypes.byref(kernel.node()))

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        session = self._session
        if not ends() and self.value and session.lost is None and session.is_mine():
            with session as api:
                api.attempt("cuGraphExecDestroy", self.value)


class CuBatch:
    """Launches ready to be run again and again (``backends.base.Batch``)."""

    __slots__ = ("_before", "_commands", "_graph", "_kernels", "_last", "_launches", "_maker")

    def __init__(self, maker: Maker, commands: Commands, launches: Sequence[Launch],
                 kernels: list[Prepared], before: Sequence[Sequence[int]]) -> None:
        self._maker = maker
        self._commands = commands
        self._launches = list(launches)
        self._kernels = kernels
        self._before = [list(needs) for needs in before]
        self._graph: _Graph | None = None
        self._last: CuCompletion | None = None

    def immediate(self) -> bool:
        """Do nothing: a card is given commands, and waited for."""
        return False

    def launch(self, deps: Sequence[Completion]) -> Completion:
        """Launch the graph; a kernel alone as any other."""
        if len(self._kernels) == 1:
            return self._maker.launch(self._launches[0], deps)
        graph, commands = self._graph, self._commands
        if graph is None:
            graph = self._graph = _Graph(commands.session, self._kernels, self._before)
        api, value = commands.session.api, graph.value

        def give(lane: Lane) -> int:
            return api.attempt("cuGraphLaunch", value, lane.value)

        name, where = self._kernels[0].told
        told = f"a graph of {len(self._kernels)} kernels, the first {name}", where
        return commands.begin(give, deps, told, (graph, tuple(self._kernels)))

    def update(self, launches: Sequence[Launch], before: Sequence[Sequence[int]]) -> bool:
        """Take other launches of the same kernels; False: another batch is needed."""
        if len(launches) != len(self._launches) or self._before != [list(n) for n in before]:
            return False
        for k, (old, new) in enumerate(zip(self._launches, launches, strict=True)):
            if old is new:
                continue
            kernel = self._maker.prepared(new)
            if kernel is None or kernel.executable is not self._kernels[k].executable:
                return False
            if self._graph is not None and not self._graph.put(k, kernel):
                return False
            self._launches[k], self._kernels[k] = new, kernel
        return True
