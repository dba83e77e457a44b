"""Graphs of kernels: made, given other arguments, launched in any order that their edges allow.

Non-goals: nodes that are no kernels. Invariant: arguments are taken when they are given.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from tests.cuda_fake.core import (
    ILLEGAL_ADDRESS,
    INVALID_HANDLE,
    INVALID_VALUE,
    Core,
    number,
    store,
)
from unisycl.backends.cuda.api import KernelNode

Work = Callable[[], None]


class Graphs(Core):
    """Functions about graphs."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._graphs: dict[int, dict[int, tuple[Work, list[int]]]] = {}
        self._ready: dict[int, dict[int, tuple[Work, list[int]]]] = {}

    def live_graphs(self) -> int:
        """Return how many graphs there are, made and ready."""
        return len(self._graphs) + len(self._ready)

    def _work(self, params: Any) -> Work | None:
        given = params._obj
        image, name = self._functions[number(given.func)]
        sizes = (given.gridDimX, given.gridDimY, given.gridDimZ, given.blockDimX, given.blockDimY,
                 given.blockDimZ)
        if min(sizes) < 1 or given.extra or given.kern or given.ctx:
            return None
        cells = (ctypes.c_void_p * 64).from_address(given.kernelParams)
        assert isinstance(given, KernelNode)
        work: Work = self.kernels[image](name.decode(), sizes, given.sharedMemBytes, cells)
        return work

    def _cuGraphCreate(self, out: Any, flags: int) -> None:
        store(out, value := next(self._numbers))
        self._graphs[value] = {}

    def _cuGraphDestroy(self, graph: Any) -> None:
        if self._graphs.pop(number(graph), None) is None:
            self.misuse.append("a graph destroyed that is none")

    def _cuGraphAddKernelNode_v2(self, out: Any, graph: Any, before: Any, count: int,
                                 params: Any) -> int:
        nodes, needs = self._graphs[number(graph)], list(before)[:count]
        work = self._work(params)
        if work is None or any(n not in nodes for n in needs):
            return INVALID_VALUE
        store(out, value := next(self._numbers))
        nodes[value] = work, needs
        return 0

    def _cuGraphInstantiateWithFlags(self, out: Any, graph: Any, flags: int) -> None:
        store(out, value := next(self._numbers))
        self._ready[value] = dict(self._graphs[number(graph)])

    def _cuGraphExecKernelNodeSetParams_v2(self, ready: Any, node: Any, params: Any) -> int:
        nodes, work = self._ready[number(ready)], self._work(params)
        if work is None or number(node) not in nodes:
            return INVALID_VALUE
        nodes[number(node)] = work, nodes[number(node)][1]
        return 0

    def _cuGraphExecDestroy(self, ready: Any) -> None:
        if self._ready.pop(number(ready), None) is None:
            self.misuse.append("an executable graph destroyed that is none")

    def _cuGraphLaunch(self, ready: Any, stream: Any) -> int:
        self._entered("cuGraphLaunch")
        if number(ready) not in self._ready:
            return INVALID_HANDLE
        nodes = dict(self._ready[number(ready)])

        def do() -> bool:
            left, ended = dict(nodes), set[int]()
            while left:
                free = [n for n, (_, needs) in left.items() if ended.issuperset(needs)]
                one = self._random.choice(free)
                try:
                    left.pop(one)[0]()
                except MemoryError:
                    self.lost = ILLEGAL_ADDRESS
                ended.add(one)
            return True

        self._stream(stream).waiting.append(do)
        return 0
