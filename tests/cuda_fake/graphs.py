"""Graphs of commands: made, given other arguments, launched in any order that their edges allow.

Non-goals: nodes of other kinds than kernels, copies, fills, loops and conditions. Invariant:
arguments are taken when they are given.
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
from unisycl.backends.cuda.api import ConditionalNode, Copy3D, Fill, KernelNode

Work = Callable[[], None]


class Graphs(Core):
    """Functions about graphs."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._graphs: dict[int, dict[int, tuple[Work, list[int]]]] = {}
        self._ready: dict[int, dict[int, tuple[Work, list[int]]]] = {}
        self._bodies: dict[int, dict[int, tuple[Work, list[int]]]] = {}
        self.conditions: dict[int, int] = {}
        """What the conditions of graphs are, by their handles."""
        self._outs: list[Any] = []

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
        return self._add(out, graph, before, count, self._work(params))

    def _cuGraphAddMemcpyNode(self, out: Any, graph: Any, before: Any, count: int, params: Any,
                              context: Any) -> int:
        return self._add(out, graph, before, count, self._copied(params, context))

    def _cuGraphAddMemsetNode(self, out: Any, graph: Any, before: Any, count: int, params: Any,
                              context: Any) -> int:
        return self._add(out, graph, before, count, self._filled(params, context))

    def _known(self, context: Any) -> bool:
        if number(context) not in range(0x1000, 0x1000 + len(self.cards)):
            self.misuse.append("a node without a context")
        return True

    def _copied(self, params: Any, context: Any) -> Work | None:
        """Return what a copy does; None where the driver would refuse it."""
        c, unified = params._obj, 4
        assert isinstance(c, Copy3D)
        others = (c.srcXInBytes, c.srcY, c.srcZ, c.srcLOD, c.srcHost, c.srcArray, c.reserved0,
                  c.dstXInBytes, c.dstY, c.dstZ, c.dstLOD, c.dstHost, c.dstArray, c.reserved1)
        if any(others) or not (c.srcMemoryType == c.dstMemoryType == unified) or (
                min(c.WidthInBytes, c.Height, c.Depth) < 1 or c.Depth != 1):
            return None
        sides = ((c.dstDevice, c.dstPitch), (c.srcDevice, c.srcPitch))
        for at, pitch in sides:
            if not c.WidthInBytes <= pitch < 1 << 31 or not self._inside(
                    at, pitch * (c.Height - 1) + c.WidthInBytes):
                return None
        self._known(context)
        (to, to_pitch), (start, pitch), width = *sides, c.WidthInBytes
        rows = [(to + k * to_pitch, start + k * pitch) for k in range(c.Height)]
        return lambda: [ctypes.memmove(a, b, width) for a, b in rows].clear()

    def _filled(self, params: Any, context: Any) -> Work | None:
        """Return what a fill does; None where the driver would refuse it."""
        f = params._obj
        assert isinstance(f, Fill)
        size = f.elementSize
        if size not in (1, 2, 4) or f.height != 1 or f.width < 1 or f.dst % size or (
                f.value >= 1 << 8 * size) or not self._inside(f.dst, f.width * size):
            return None
        self._known(context)
        at, raw = f.dst, f.value.to_bytes(size, "little") * f.width
        return lambda: (ctypes.memmove(at, raw, len(raw)), None)[1]

    def _add(self, out: Any, graph: Any, before: Any, count: int, work: Work | None) -> int:
        nodes, needs = self._nodes(graph), list(before)[:count]
        if len(set(needs)) != count:
            self.misuse.append("a node that comes twice behind another")
        if work is None or any(n not in nodes for n in needs):
            return INVALID_VALUE
        store(out, value := next(self._numbers))
        nodes[value] = work, needs
        return 0

    def _nodes(self, graph: Any) -> dict[int, tuple[Work, list[int]]]:
        found = self._graphs.get(number(graph))
        return self._bodies[number(graph)] if found is None else found

    def _cuGraphConditionalHandleCreate(self, out: Any, graph: Any, context: Any, default: int,
                                        flags: int) -> None:
        self._nodes(graph)
        self._known(context)
        store(out, value := next(self._numbers))
        self.conditions[value] = default

    def _cuGraphAddNode_v2(self, out: Any, graph: Any, before: Any, data: Any, count: int,
                           params: Any) -> int:
        given = params._obj
        assert isinstance(given, ConditionalNode)
        if data or given.type != 13 or given.size != 1 or given.kind not in (0, 1) or (
                given.handle not in self.conditions):
            return INVALID_VALUE
        self._known(given.context)
        body, handle, loops = next(self._numbers), given.handle, given.kind == 1
        nodes = self._bodies[body] = {}
        self._outs.append((ctypes.c_uint64 * 1)(body))
        given.graphs = ctypes.addressof(self._outs[-1])

        def work() -> None:
            while self.conditions[handle]:
                self._run(nodes)
                if not loops:
                    break

        return self._add(out, graph, before, count, work)

    def decides(self, name: str, sizes: Any, shared: int, cells: Any) -> Work:
        """Return what the kernel does that reads conditions."""
        assert (name, tuple(sizes), shared) == ("decide", (1,) * 6, 0)
        u64, i32 = ctypes.c_uint64, ctypes.c_int
        kinds = (u64, u64, u64, i32, i32, u64, u64, i32)
        yes, no, at, size, sign, turns, most, first = [
            kind.from_address(cells[k]).value for k, kind in enumerate(kinds)]
        if not self._inside(at, size):
            raise MemoryError

        def work() -> None:
            bits = int.from_bytes(ctypes.string_at(at, size), "little")
            holds = bool(bits & ~(sign << 8 * size - 1))
            if turns:
                counts = (u64 * 2).from_address(turns)
                if first:
                    counts[0] = 0
                if holds and counts[0] == most:
                    counts[1], holds = 1, False
                elif holds:
                    counts[0] += 1
            self.conditions[yes] = holds
            if no:
                self.conditions[no] = not holds

        return work

    def _cuGraphInstantiateWithFlags(self, out: Any, graph: Any, flags: int) -> None:
        store(out, value := next(self._numbers))
        self._ready[value] = dict(self._graphs[number(graph)])

    def _cuGraphExecKernelNodeSetParams_v2(self, ready: Any, node: Any, params: Any) -> int:
        return self._change(ready, node, self._work(params))

    def _cuGraphExecMemcpyNodeSetParams(self, ready: Any, node: Any, params: Any, context: Any,
                                        ) -> int:
        if params._obj.Height > 1:  # it must be of one dimension, before and after
            return INVALID_VALUE
        return self._change(ready, node, self._copied(params, context))

    def _cuGraphExecMemsetNodeSetParams(self, ready: Any, node: Any, params: Any, context: Any,
                                        ) -> int:
        return self._change(ready, node, self._filled(params, context))

    def _change(self, ready: Any, node: Any, work: Work | None) -> int:
        nodes = self._ready[number(ready)]
        if work is None or number(node) not in nodes:
            return INVALID_VALUE
        nodes[number(node)] = work, nodes[number(node)][1]
        return 0

    def _cuGraphExecDestroy(self, ready: Any) -> None:
        if self._ready.pop(number(ready), None) is None:
            self.misuse.append("an executable graph destroyed that is none")

    def _cuGraphLaunch(self, ready: Any, stream: Any) -> int:
        self._entered("cuGraphLaunch")
        self._inside_of(stream, "cuGraphLaunch")
        if number(ready) not in self._ready:
            return INVALID_HANDLE
        nodes = dict(self._ready[number(ready)])

        def do() -> bool:
            self._run(nodes)
            return True

        self._stream(stream).waiting.append(do)
        return 0

    def _run(self, nodes: dict[int, tuple[Work, list[int]]]) -> None:
        left, ended = dict(nodes), set[int]()
        while left:
            free = [n for n, (_, needs) in left.items() if ended.issuperset(needs)]
            one = self._random.choice(free)
            try:
                left.pop(one)[0]()
            except MemoryError:
                self.lost = ILLEGAL_ADDRESS
            ended.add(one)
