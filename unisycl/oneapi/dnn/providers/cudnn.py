"""Convolutions and products by cuDNN, for CUDA devices, from NVIDIA's wheels or the system's.

Served are tensors of float32, float16 and bfloat16: convolutions, deconvolutions and inner products
(convolutions whose windows are the tensor) in all ways, matmul of halves, pooling forward
(``cudnn_pools``). A bias, functions behind them and sums with what stood in the result are part of
the library's graph where it has an engine for that (``cudnn_fused``), else our kernels do them, and
whatever else attributes say; all else is theirs. Invariants: commands go
to the stream of the queue's command and nobody waits; each execution has room of its own, so graphs
may run it beside others.
"""

from __future__ import annotations

import contextlib
import math
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dnn import names
from unisycl.oneapi.dnn.descriptors import desc, format_kind, settled
from unisycl.oneapi.dnn.executions import arguments_of, number_of, tensor
from unisycl.oneapi.dnn.kernels import moves
from unisycl.oneapi.dnn.layouts import Layout
from unisycl.oneapi.dnn.names import algorithm, data_type, fpmath_mode
from unisycl.oneapi.dnn.operations import Op
from unisycl.oneapi.dnn.own.convolutions import channel_sums
from unisycl.oneapi.dnn.own.functions import FORWARD
from unisycl.oneapi.dnn.own.work import Work, finish_product
from unisycl.oneapi.dnn.providers import cudnn_fused as fused
from unisycl.oneapi.dnn.providers import cudnn_graph as graph
from unisycl.oneapi.dnn.providers import cudnn_pools as pools
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.library import Library
from unisycl.oneapi.frame.native import again, give
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.frame.providers import Place, is_processor
from unisycl.oneapi.mkl.providers.cuda_libraries import found

_TYPES = {data_type.f32: 0, data_type.f16: 2, data_type.bf16: 9}
_KINDS = ("convolution", "deconvolution", "inner_product")
_WAYS = ("forward", "backward_data", "backward_weights")
_ROUTINES = frozenset({f"{kind}_{way}" for kind in _KINDS for way in _WAYS} | {"matmul"})
_OPERATIONS = {"forward": (10, 700, 704, 703, 705), "backward_data": (12, 706, 710, 709, 711),
               "backward_weights": (11, 712, 716, 715, 717)}
"""Of each way the kind of description, and its attributes: the first number (alpha, beta and the
convolution follow one another), the wide side, the weights, the narrow side."""
_MATMUL, _A, _B, _C, _PRODUCT, _COMPUTES = 19, 1520, 1521, 1522, 1523, 1500
_CROSS_CORRELATION = 1
_SIDES = "wide", "weights", "narrow"
_BEFORE = "before"
"""The name of a copy of the result as it was."""


class _Windows:
    """A convolution as the library describes it, and which tensor is which side of it."""

    def __init__(self, op: Op) -> None:
        kind, _, way = op.name.partition("_backward_")
        inner = kind.startswith("inner")
        self.turned = kind.startswith("deconvolution")
        source, weights, result = (next(n for n in (x, f"diff_{x}") if op[n] is not None)
                                   for x in ("src", "weights", "dst"))
        wide, narrow = (result, source) if self.turned else (source, result)
        self.names = {"wide": wide, "weights": weights, "narrow": narrow}
        self.way = f"backward_{way}" if way else "forward"
        if self.turned:
            turned = {"forward": "backward_data", "backward_data": "forward"}
            self.way = turned.get(self.way, self.way)
        self.grouped = not inner and len(op[weights].dims) > len(op[source].dims)
        space = len(op[source].dims) - 2
        self.space = max(space, 2)
        given = [(1,) * space, (1,) * space, (0,) * space, (0,) * space] if inner else [
            op["strides"], [d + 1 for d in op["dilates"] or (0,) * space], op["padding_l"],
            op["padding_r"] or op["padding_l"]]
        self.sizes = [(fill,) * (self.space - space) + tuple(v)
                      for v, fill in zip(given, (1, 1, 0, 0), strict=True)]

    def placed(self, side: str, d: desc) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return sizes and strides as the library takes them: at least two of space, one group."""
        pairs = list(zip(d.dims, d.layout().strides, strict=True))
        if side == "weights":
            k = int(self.grouped)
            if self.turned:
                pairs[k], pairs[k + 1] = pairs[k + 1], pairs[k]
            if self.grouped:
                (groups, far), (outs, near) = pairs[:2]
                if groups > 1 and outs > 1 and far != outs * near:
                    raise graph.Refused("weights of groups that do not follow one another")
                pairs[:2] = [(groups * outs, near if outs > 1 else far)]
        while len(pairs) < self.space + 2:
            pairs.insert(2, (1, math.prod(pairs[2]) if len(pairs) > 2 else 1))
        dims, strides = zip(*pairs, strict=True)
        return dims, strides


def _laid(op: Op, name: str, turned: bool) -> desc:
    """Return a tensor's descriptor; one that is open lies as the library likes it.

    Of halves channels are innermost. Weights of deconvolutions are those of the convolution.
    """
    given = tensor(op, name)
    if given.get_format_kind() is not format_kind.any:
        return given
    order = list(range(len(given.dims)))
    side = next((n for n in ("src", "dst", "weights") if name.endswith(n)), "")
    if side and op.name != "matmul":
        k = int(side == "weights" and len(given.dims) > len(op["src"].dims if op["src"] is not None
                                                            else op["diff_src"].dims))
        if side == "weights" and turned:
            order[k], order[k + 1] = order[k + 1], order[k]
        if given.get_data_type() is not data_type.f32:
            order.append(order.pop(k + 1))
    strides, step = [1] * len(order), 1
    for k in reversed(order):
        strides[k], step = step, step * max(given.dims[k], 1)
    return settled(given, strides)


class Made:
    """One operation, as the library does it, and what our kernels do behind it."""

    recomputes = False
    scratchpad = desc()

    def __init__(self, op: Op, owner: CuDnn) -> None:
        self._op = op
        turned = op.name.startswith("deconvolution")
        self.ins, self.outs = arguments_of(op)
        self.found = {n: _laid(op, n, turned) for n in (*self.ins, *self.outs)}
        self._check()
        attr = op.attr
        self._finishes = bool(attr.ops) or "bias" in self.found
        self._fused = self._finishes and fused.serves(attr.ops) and self._can_fuse()
        self._tensors, plan = self._planned(owner)
        self._plan: graph.Plan = plan
        if self._fused:
            self._finishes = False
        self._numbers = [number_of(op, "dst" if n == _BEFORE else n) for n in self._tensors]
        self._last: Any = None  # the tensors of the last call
        self._repeats: dict[tuple[int, int], tuple[Any, Any, Callable[[Any], None]]] = {}
        self._skips = [self._skip(n) for n in self._tensors]
        self._owner = owner
        self.info = f"cudnn: {owner.version()}"

    def _check(self) -> None:
        attr = self._op.attr
        if attr.scales or attr.zero_points:
            raise names.unimplemented("cuDNN is not asked where numbers are scaled")
        if self._op.name == "matmul" and attr.get_fpmath_mode() is fpmath_mode.strict and any(
                d.get_data_type() is data_type.f32 for n, d in self.found.items()
                if n in ("src", "weights")):
            # no engine's notes say so, but all of them shorten the factors (seen on an H200)
            raise names.unimplemented("cuDNN multiplies matrices of float32 in fewer digits, which "
                                      "fpmath_mode allows")
        for name, d in self.found.items():
            if name.endswith("bias"):
                continue
            if d.get_data_type() not in _TYPES or d.get_format_kind() is not format_kind.blocked:
                raise names.unimplemented(f"cuDNN is not asked about {name} as {d!r}")
            if not d.layout().is_plain() or 0 in d.dims or 0 in d.layout().strides:
                raise names.unimplemented(f"cuDNN does not have {name} as {d!r}")

    # ------------------------------------------------------------------ planning
    def _can_fuse(self) -> bool:
        """Say whether the product's result is what goes on: not so of a convolution's way back."""
        if self._op.name.startswith("deconvolution"):
            return False
        bias = self.found.get("bias")
        return bias is None or (bias.get_data_type() in _TYPES and bias.layout().is_dense())

    def _chained(self, graphs: graph.Graphs, dims: Any, strides: Any,
                 last: graph.Described) -> tuple[graph.Described, list[str], list[graph.Described]]:
        """Return the product's own result, the tensors besides, and the operations behind it."""
        if not self._fused:
            return last, [], []
        chain, more = fused.Chain(graphs, dims, strides, 6), []
        steps: list[Any] = [*(["bias"] if "bias" in self.found else []), *self._op.attr.ops]
        first = x = chain.between()
        for k, step in enumerate(steps):
            y = last if k == len(steps) - 1 else chain.between()
            if step == "bias":
                d, small = self.found["bias"], [1] * len(dims)
                small[1 if self._op.name != "matmul" else -1] = math.prod(d.dims)
                if self._op.name == "matmul" and d.dims != tuple(small[-len(d.dims):]):
                    raise graph.Refused("a bias that differs by rows")
                wide = [math.prod(d.dims)] * len(dims)
                wide[1 if self._op.name != "matmul" else -1] = 1
                chain.add(x, graphs.tensor(4, _TYPES[d.get_data_type()], small, wide), y)
                more.append("bias")
            elif step.kind == "sum":  # a copy of the result as it was: no engine says that it
                d = self.found["dst"]  # reads an element before it writes it
                chain.add(x, graphs.tensor(4 + len(more), _TYPES[d.get_data_type()], dims,
                                           strides), y)
                more.append(_BEFORE)
            else:
                chain.apply(step, x, y)
            x = y
        return first, more, chain.operations

    def _described(self, graphs: graph.Graphs) -> tuple[list[str], list[graph.Described]]:
        """Return the names of the tensors in the order of their numbers, and the operations."""
        if self._op.name == "matmul":
            return self._described_product(graphs)
        windows = _Windows(self._op)
        kind, first, *attributes = _OPERATIONS[windows.way]
        convolution = graphs.described(
            graph.CONVOLUTION, (100, graph.TYPE, _TYPES[data_type.f32]),
            (101, graph.MODE, _CROSS_CORRELATION), (106, graph.LONG, windows.space),
            *((number, graph.LONG, *sizes) for number, sizes in
              zip((103, 102, 105, 104), windows.sizes, strict=True)))
        order = [windows.names[side] for side in _SIDES]
        more: list[str] = []
        behind: list[graph.Described] = []
        tensors = []
        for k, (side, name, at) in enumerate(zip(_SIDES, order, attributes, strict=True)):
            placed = windows.placed(side, self.found[name])
            made = self._tensor(graphs, k + 1, name, *placed)
            if name == "dst":
                made, more, behind = self._chained(graphs, *placed, made)
            tensors.append((at, graph.DESCRIPTION, made))
        operation = graphs.described(
            kind, (first, graph.FLOAT, 1.0), (first + 1, graph.FLOAT, 0.0),
            (first + 2, graph.DESCRIPTION, convolution), *tensors)
        return [*order, *more], [operation, *behind]

    def _described_product(self, graphs: graph.Graphs) -> tuple[list[str], list[graph.Described]]:
        product = graphs.described(graph.PRODUCT, (_COMPUTES, graph.TYPE, _TYPES[data_type.f32]))
        order = ["src", "weights", "dst"]
        more: list[str] = []
        behind: list[graph.Described] = []
        tensors = []
        for k, (name, at) in enumerate(zip(order, (_A, _B, _C), strict=True)):
            d = self.found[name]
            dims, strides = d.dims, d.layout().strides
            if len(dims) == 2:
                dims, strides = (1, *dims), (math.prod(dims), *strides)
            made = self._tensor(graphs, k + 1, name, dims, strides)
            if name == "dst":
                made, more, behind = self._chained(graphs, dims, strides, made)
            tensors.append((at, graph.DESCRIPTION, made))
        return [*order, *more], [graphs.described(
            _MATMUL, (_PRODUCT, graph.DESCRIPTION, product), *tensors), *behind]

    def _tensor(self, graphs: graph.Graphs, number: int, name: str, dims: Any,
                strides: Any) -> graph.Described:
        kind = data_type.f32 if self._between(name) else self.found[name].get_data_type()
        return graphs.tensor(number, _TYPES[kind], dims, strides)

    def _between(self, name: str) -> bool:
        """Say whether a tensor is a result in float32 that our kernels go on with."""
        return name == "dst" and self._finishes and not self._fused

    def _without(self) -> frozenset[int]:
        """Return what engines must not say of their numbers."""
        left = {graph.OTHER_BITS, graph.SHORT_SUMS}
        if self._op["alg"] in (algorithm.convolution_direct, algorithm.deconvolution_direct):
            left |= {graph.WINOGRAD, graph.FOURIER}
        floats = all(d.get_data_type() is data_type.f32 for d in self.found.values())
        if self._op.attr.get_fpmath_mode() is fpmath_mode.strict:
            left |= {graph.DOWN_CONVERTS} | ({graph.TENSOR_CORE} if floats else set())
        return frozenset(left)

    def _planned(self, owner: CuDnn) -> tuple[list[str], graph.Plan]:
        """Return the plan, which is made where the device is current: in a command of a queue."""
        answer: list[Any] = []
        queue = self._op.where.queue
        card = queue.get_device()

        def plan(handle: Any) -> None:
            try:
                graphs = owner.graphs()
                stream = 0 if is_processor(queue.get_device()) else int(
                    handle.get_native_queue() or 0)
                try:
                    order, operations = self._described(graphs)
                    made = graphs.plan(card, stream, operations, self._without())
                except graph.Refused:
                    if not self._fused:
                        raise
                    self._fused = False
                    order, operations = self._described(graphs)
                    made = graphs.plan(card, stream, operations, self._without())
                answer.append((order, made))
            except (graph.Refused, sycl.exception) as problem:
                answer.append(problem)

        queue.submit(
            lambda h: h.ext_codeplay_enqueue_native_command(plan)).wait()
        (found,) = answer
        if isinstance(found, Exception):
            raise names.unimplemented(f"cuDNN: {found}")
        made: tuple[list[str], graph.Plan] = found
        return made

    # ------------------------------------------------------------------ executing
    def submit(self, queue: sycl.queue, given: dict[int, Memory],
               after: list[sycl.event]) -> sycl.event:
        """Give its command to the queue, and what our kernels do behind it."""
        known = self._repeats.get((id(given), id(queue)))
        if known is not None and known[1]() is queue and not after and (
                queue.ext_oneapi_get_state().name == "executing"):
            done: sycl.event = queue.submit(known[2])
            return done
        held = [given[n] for n in self._numbers]
        if self._finishes or "diff_bias" in self.found or _BEFORE in self._tensors or (
                queue.ext_oneapi_get_state().name != "executing") or not all(
                    _lies_well(m, skip) for m, skip in zip(held, self._skips, strict=True)):
            return self._submit_more(queue, given, after)
        skips, plan, room = self._skips, self._plan, self._owner.rooms

        def run(stream: Any, *bound: Any) -> None:
            at = [b.address + skip for b, skip in zip(bound, skips, strict=True)]
            plan.execute(int(stream or 0), at, room.of(queue, stream, plan.room))

        if self._last is given:  # who keeps these tensors looks whether they are still there
            group = again(queue, Place.device, self._op.name, run, held)
            if len(self._repeats) >= graph.REPEATS:
                self._repeats.clear()
            if group is not None:
                self._repeats[id(given), id(queue)] = given, weakref.ref(queue), group
        self._last = given
        return give(queue, Place.device, self._op.name, run, held, after, cost=0)

    def _submit_more(self, queue: sycl.queue, given: dict[int, Memory],
                     after: list[sycl.event]) -> sycl.event:
        call = Call(self._op.name, queue, after)
        work = Work(call, self._op, self, given)
        memory, backs = [], []
        between: Memory | None = None
        for name in self._tensors:
            if self._between(name):
                between = work.new(self.found[name].layout().extent())
                memory.append(between)
            elif name == _BEFORE:
                memory.append(_copied(work, "dst"))
            else:
                near = _aligned(work, name)
                memory.append(near)
                if near.base is not work.memory(name).base and name in self.outs:
                    backs.append((name, near))
        skips = [self._skip(name) if m is between or (
            name != _BEFORE and m.base is work.memory(name).base) else 0
                 for name, m in zip(self._tensors, memory, strict=True)]
        room = [call.own(self._plan.room, np.uint8)] if self._plan.room else []
        execute = self._plan.execute

        def run(stream: Any, *bound: Any) -> None:
            at = [b.address + skip for b, skip in zip(bound, skips, strict=False)]
            execute(int(stream or 0), at, bound[-1].address if room else 0)

        call.native(Place.device, run, *memory, *room)
        for name, near in backs:
            kind: Any = near.dtype
            call.launch(near.size, moves.narrow, near, work.memory(name), _first(
                self.found[name].layout()), kind.type)
        self._finish(work, between)
        return call.done().get_event()

    def _skip(self, name: str) -> int:
        """Return where a tensor begins in its memory, in bytes."""
        if name == _BEFORE:
            return 0
        size = 4 if self._between(name) else names.numpy_type(
            self.found[name].get_data_type()).itemsize
        return self.found[name].layout().offset * size

    def _finish(self, work: Work, between: Memory | None) -> None:
        if between is not None:
            layout = self.found["dst"].layout()
            rows = between
            if not layout.is_dense():
                rows = work.new(layout.volume())
                work.call.launch(layout.volume(), moves.widen, between, work.place(layout),
                                 np.float32, rows)
            finish_product(work, rows, FORWARD)
        if "diff_bias" in self.found:
            channel_sums(work, work.read("diff_dst"), work.dims("diff_dst"),
                         work.write("diff_bias"))
            work.store()


def _first(layout: Layout) -> Record:
    """Return where elements of a tensor's memory lie, from its first one on."""
    return Record(moves.straight, np.int64(layout.offset))


def _lies_well(held: Memory, skip: int) -> bool:
    """Say whether memory begins, behind some bytes, where the library can read it."""
    kind: Any = held.dtype
    at: int = held.first * kind.itemsize + skip
    if isinstance(held.base, np.ndarray):
        at += held.base.ctypes.data
    elif not isinstance(held.base, sycl.buffer):
        at += held.base.address()
    return at % graph.ALIGNED == 0


def _aligned(work: Work, name: str) -> Memory:
    """Return the memory of a tensor; a copy from its first element on where that lies badly."""
    held, layout = work.memory(name), work.found[name].layout()
    kind: Any = held.dtype
    if _lies_well(held, layout.offset * kind.itemsize):
        return held
    return _copied(work, name)


def _copied(work: Work, name: str) -> Memory:
    """Return a copy of a tensor's memory, from its first element on."""
    held, layout = work.memory(name), work.found[name].layout()
    kind: Any = held.dtype
    near = work.new(layout.extent() - layout.offset, kind)
    work.call.launch(near.size, moves.widen, held, _first(layout), kind.type, near)
    return near


class _Rooms:
    """Room for intermediate results, one a stream: its commands follow one another.

    What grew stays, as commands before may still use what was there.
    """

    def __init__(self) -> None:
        self._known: dict[int, list[tuple[int, Any]]] = {}

    def of(self, queue: sycl.queue, stream: Any, size: int) -> int:
        """Return where there is room of a size."""
        if not size:
            return 0
        rooms = self._known.setdefault(int(stream or 0), [])
        if not rooms or rooms[-1][0] < size:
            count = max(size, 2 * rooms[-1][0] if rooms else 1 << 16)
            rooms.append((count, sycl.malloc_device(count, np.uint8, queue)))
        return int(rooms[-1][1].address())


class CuDnn:
    """All that the library is asked to compute."""

    def __init__(self, library: Library | None = None) -> None:
        if library is None:
            for name in ("cublasLt", "cublas", "nvrtc"):
                with contextlib.suppress(OSError):  # which cuDNN looks for when it needs them
                    Library(found(name), shared=True)
            library = Library(found("cudnn"), "cudnnBackend{}")
        self._library = library
        self._graphs: graph.Graphs | None = None
        self.rooms = _Rooms()

    def version(self) -> str:
        """Return the library's file."""
        return self._library.path.name

    def serves(self, device: sycl.device) -> bool:
        """Say whether it is a CUDA device."""
        return device.get_backend() is sycl.backend.cuda

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what makes primitives of a kind."""
        served = pools.routine(name, dtype) or (
            name in _ROUTINES and names.type_of(dtype) in _TYPES)
        return self.create if served else None

    def graphs(self) -> graph.Graphs:
        """Return what makes plans."""
        if self._graphs is None:
            self._graphs = graph.Graphs(self._library)
        return self._graphs

    def create(self, op: Op, place: Place) -> Made | pools.Pool:
        """Return an operation as the library does it; ``unimplemented`` where it does not."""
        del place
        if op.name == "pooling_forward":
            return pools.Pool(op, self)
        if op.name not in _ROUTINES:
            raise names.unimplemented(f"cuDNN is not asked for {op.name}")
        return Made(op, self)


def load(name: str) -> CuDnn:
    """Return the provider."""
    del name
    return CuDnn()
