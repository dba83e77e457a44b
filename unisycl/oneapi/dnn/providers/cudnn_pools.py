"""Pooling by cuDNN's older functions, forward and without a workspace, for CUDA devices.

Its graphs have pooling, too, but with paddings that are alike before and behind only where
channels are not innermost, and were seen to read outside of memory elsewhere. Non-goals: backward,
and the largest elements' places that it needs (our kernels). Invariants: what the library would
count otherwise than we do is not given to it; the handle is that of the device's plans.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dnn import names
from unisycl.oneapi.dnn.descriptors import desc, format_kind, settled
from unisycl.oneapi.dnn.executions import arguments_of, number_of, tensor
from unisycl.oneapi.dnn.names import algorithm, data_type, prop_kind
from unisycl.oneapi.dnn.operations import Op
from unisycl.oneapi.dnn.providers.cudnn_graph import Graphs
from unisycl.oneapi.frame.library import Library
from unisycl.oneapi.frame.native import again, give
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.providers import Place
from unisycl.oneapi.mkl.providers.cuda_libraries import check

TYPES = {data_type.f32: 0, data_type.f16: 2, data_type.bf16: 9}
_MODES = {algorithm.pooling_max: 0, algorithm.pooling_avg_include_padding: 1,
          algorithm.pooling_avg_exclude_padding: 2}
_WITHOUT_NAN = 0
_LARGE, _WIDE = 1 << 23, 256
"""Of more results than that, windows of so many elements were seen to be wrong."""
_INT, _AT = ctypes.c_int, ctypes.c_void_p


class Owner(Protocol):
    """What has the library."""

    def graphs(self) -> Graphs:
        """Return what has its handles."""

    def version(self) -> str:
        """Return its name."""


class _Described:
    """One description of the library's, which is destroyed with this object."""

    def __init__(self, library: Library, kind: str, *values: Any) -> None:
        self.at = _AT()
        self._call(library, f"cudnnCreate{kind}Descriptor", ctypes.byref(self.at))
        destroy = library.plain(f"cudnnDestroy{kind}Descriptor", [_AT], _INT)
        weakref.finalize(self, destroy, self.at).atexit = False
        self._call(library, f"cudnnSet{kind}NdDescriptor", self.at, *values)

    @staticmethod
    def _call(library: Library, name: str, *arguments: Any) -> None:
        check(name, library.plain(name, None, _INT)(*arguments))


def _numbers(values: Sequence[int]) -> Any:
    return (_INT * len(values))(*values)


class Pool:
    """Windows' largest elements or means, as the library finds them."""

    recomputes = False
    scratchpad = desc()

    def __init__(self, op: Op, owner: Owner) -> None:
        self._op, self._owner = op, owner
        self.ins, self.outs = arguments_of(op)
        source = settled(tensor(op, "src"))
        self.found = {"src": source, "dst": _alike(tensor(op, "dst"), source)}
        self._sizes = _windows(op, self.found)
        self.info = f"cudnn: {owner.version()}"
        self._numbers = [number_of(op, n) for n in ("src", "dst")]
        self._made: tuple[_Described, ...] = ()
        self._last: Any = None
        self._repeats: dict[tuple[int, int], tuple[Any, Any, Callable[[Any], None]]] = {}

    def _described(self, library: Library) -> tuple[_Described, ...]:
        """Return the windows, the source and the result as the library has them."""
        if not self._made:
            space = self._sizes[0]
            pool = _Described(library, "Pooling", _MODES[self._op["alg"]], _WITHOUT_NAN, len(space),
                              *map(_numbers, self._sizes))
            self._made = (pool, *(
                _Described(library, "Tensor", TYPES[d.get_data_type()], len(space) + 2,
                           *map(_numbers, _placed(d, len(space))))
                for d in self.found.values()))
        return self._made

    def submit(self, queue: sycl.queue, given: dict[int, Memory],
               after: list[sycl.event]) -> sycl.event:
        """Give its command to the queue."""
        known = self._repeats.get((id(given), id(queue)))
        if known is not None and known[1]() is queue and not after:
            done: sycl.event = queue.submit(known[2])
            return done
        held = [given[n] for n in self._numbers]
        skips = [d.layout().offset * names.numpy_type(d.get_data_type()).itemsize
                 for d in self.found.values()]
        card = queue.get_device()

        def run(stream: Any, *bound: Any) -> None:
            x, y = (_AT(b.address + skip) for b, skip in zip(bound, skips, strict=True))
            graphs = self._owner.graphs()
            handle, one, none = graphs.handle(card), ctypes.c_float(1), ctypes.c_float(0)
            with handle.lock:
                pool, source, result = self._described(graphs.library)
                check("cudnnPoolingForward", graphs.library.plain(
                    "cudnnPoolingForward", None, _INT)(
                        _AT(handle.of(int(stream or 0))), pool.at, ctypes.byref(one), source.at, x,
                        ctypes.byref(none), result.at, y))

        if self._last is given:  # who keeps these tensors looks whether they are still there
            group = again(queue, Place.device, self._op.name, run, held)
            if group is not None:
                self._repeats = {(id(given), id(queue)): (given, weakref.ref(queue), group)}
        self._last = given
        return give(queue, Place.device, self._op.name, run, held, after, cost=0)


def _alike(given: desc, source: desc) -> desc:
    """Return a descriptor that lies as another does where nothing is said of it."""
    if given.get_format_kind() is not format_kind.any:
        return given
    steps: Any = source.layout().strides
    strides, step = [1] * len(steps), 1
    for k in sorted(range(len(steps)), key=lambda k: (steps[k], -k)):
        strides[k], step = step, step * max(given.dims[k], 1)
    return settled(given, strides)


def _placed(d: desc, space: int) -> tuple[list[int], list[int]]:
    """Return sizes and strides with so many dimensions of space."""
    dims, strides = list(d.dims), list(d.layout().strides)
    while len(dims) < space + 2:
        strides.insert(2, strides[2] * dims[2])
        dims.insert(2, 1)
    return dims, strides


def _windows(op: Op, found: dict[str, desc]) -> tuple[tuple[int, ...], ...]:
    """Return sizes, paddings and steps of windows; refuse what the library does not have."""
    source, result = (found[n].dims[2:] for n in ("src", "dst"))
    n = len(source)
    kernel, steps, before = (tuple(op[f]) for f in ("kernel", "strides", "padding_l"))
    why = _why_not(op, found)
    if any(1 + (size + 2 * pad - k) // step != out or pad >= k for size, out, k, step, pad in zip(
            source, result, kernel, steps, before, strict=True)):
        why = why or "it has the same padding before and behind, and less than a window"
    if why:
        raise names.unimplemented(f"cuDNN is not asked for this pooling: {why}")
    more = max(2 - n, 0)
    return (1,) * more + kernel, (0,) * more + before, (1,) * more + steps


def _why_not(op: Op, found: dict[str, desc]) -> str:
    """Return what keeps a pooling from the library, or nothing."""
    if op["prop"] is not prop_kind.forward_inference:
        return "who trains asks our kernels, who go back, too"
    if any(op["dilates"] or ()):
        return "its windows have no gaps"
    if op.attr.ops or op.attr.scales or op.attr.zero_points:
        return "nothing is behind it"
    kinds = {d.get_data_type() for d in found.values()}
    if len(kinds) > 1 or not kinds <= TYPES.keys():
        return "source and result have one type of float32, float16 and bfloat16"
    for d in found.values():
        if d.get_format_kind() is not format_kind.blocked or not d.layout().is_plain() or (
                0 in d.dims or 0 in d.layout().strides):
            return f"{d!r}"
        if max(d.layout().extent(), math.prod(d.dims)) >= 1 << 31:
            return "its tensors have fewer than 2 ** 31 elements"
    if math.prod(found["dst"].dims) > _LARGE and math.prod(op["kernel"]) > _WIDE:
        return "large windows of many results"
    return ""


def routine(name: str, dtype: np.dtype[Any]) -> bool:
    """Say whether a kind of primitive may be asked of it."""
    return name == "pooling_forward" and names.type_of(dtype) in TYPES
