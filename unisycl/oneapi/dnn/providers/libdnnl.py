"""Primitives by libdnnl, on processors.

Non-goals: checks, which come before. Invariants: a primitive is executed by many threads at once,
each with memory objects of its own; the lock of Python is free meanwhile.
"""

from __future__ import annotations

import collections
import ctypes
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dnn import names
from unisycl.oneapi.dnn.descriptors import desc, format_kind
from unisycl.oneapi.dnn.executions import arguments_of, number_of, tensor, wanted_of
from unisycl.oneapi.dnn.names import arg
from unisycl.oneapi.dnn.operations import Op
from unisycl.oneapi.dnn.providers.capi import Dims, Dnnl, Native, Pointer, dnnl
from unisycl.oneapi.dnn.table import ROWS, kind_of
from unisycl.oneapi.frame.native import Bound, give
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.providers import Place

_ARGUMENT_MD, _WORKSPACE_MD, _SCRATCHPAD_MD, _INFO = 255, 135, 136, 8


class _Argument(ctypes.Structure):
    _fields_ = (("number", ctypes.c_int), ("memory", ctypes.c_void_p))


class _Set:
    """The memory objects and the stream of one execution at a time."""

    def __init__(self, library: Dnnl, wanted: list[tuple[int, Any]]) -> None:
        self.arguments = (_Argument * len(wanted))()
        self.kept: list[Any] = []
        destroy = library.function("memory_destroy", [Pointer])
        for k, (number, md) in enumerate(wanted):
            made = ctypes.c_void_p()
            library.check("memory", library.call("memory_create", ctypes.byref(made), md.at,
                                                 library.engine, ctypes.c_void_p(0)))
            self.arguments[k].number, self.arguments[k].memory = number, made
            self.kept.append(Native(made, destroy))
        stream = ctypes.c_void_p()
        library.check("stream", library.call("stream_create", ctypes.byref(stream),
                                             library.engine, 1))
        self.stream = Native(stream, library.function("stream_destroy", [Pointer]))


class Made:
    """One operation, as the library does it."""

    def __init__(self, op: Op, place: Place, library: Dnnl, pd: Native) -> None:
        self._op, self._place, self._library, self._pd = op, place, library, pd
        self.handle = pd.at
        text = ctypes.c_char_p()
        library.call("primitive_desc_query", pd.at, _INFO, 0, ctypes.byref(text))
        self.info = f"onednn: {(text.value or b'').decode()}"
        self.ins, self.outs = arguments_of(op)
        self.found: dict[str, desc] = {}
        for name in (*self.ins, *self.outs):
            found = library.description(self._tensor(number_of(op, name)))
            if not found.is_zero():
                mine = name in op.row.names or name.startswith("srcs")
                self.found[name] = _with_offset(found, tensor(op, name)) if mine else found
        self.scratchpad = library.description(self._md(_SCRATCHPAD_MD, 0))
        self._lock = threading.Lock()
        self._primitive: Any = None
        self._sets: collections.deque[_Set] = collections.deque()
        self._orders: dict[tuple[int, ...], tuple[Any, Any]] = {}
        self._set_handle = library.function("memory_set_data_handle", [Pointer, Pointer])
        self._execute = library.function("primitive_execute",
                                         [Pointer, Pointer, ctypes.c_int, Pointer])
        self._cost = _cost(self.found)

    def _md(self, what: int, index: int) -> Any:
        query = self._library.function("primitive_desc_query_md",
                                       [Pointer, ctypes.c_int, ctypes.c_int], Pointer)
        return query(self.handle, what, index)

    def _tensor(self, number: int) -> Any:
        """Return the library's descriptor of an argument."""
        if number == arg.SCRATCHPAD:
            return self._md(_SCRATCHPAD_MD, 0)
        if number == arg.WORKSPACE:
            return self._md(_WORKSPACE_MD, 0)
        return self._md(_ARGUMENT_MD, number)

    def _ready(self) -> Any:
        """Return the primitive, which is made when it is first executed."""
        with self._lock:
            if self._primitive is None:
                made = ctypes.c_void_p()
                self._library.check(self._op.name, self._library.call(
                    "primitive_create", ctypes.byref(made), self.handle))
                self._primitive = Native(made, self._library.function("primitive_destroy",
                                                                      [Pointer]))
            return self._primitive

    def submit(self, queue: sycl.queue, given: dict[int, Memory],
               after: list[sycl.event]) -> sycl.event:
        """Execute it as a command of the queue."""
        numbers = tuple(given)
        known = self._orders.get(numbers)
        if known is None:
            known = self._orders[numbers] = self._work(numbers)
        return give(queue, self._place, self._op.name, known[0], list(given.values()), after,
                    cost=self._cost, sure=True)

    def _work(self, numbers: tuple[int, ...]) -> tuple[Callable[..., None], Any]:
        """Return what executes it with memory in one order of arguments."""
        library = self._library
        wanted = [(n, self._argument(n)) for n in numbers]
        fixed = self._fixed()
        wanted += [(n, self._argument(n)) for n, _ in fixed]
        sets: collections.deque[_Set] = collections.deque()
        primitive, name = self._ready(), self._op.name
        skips = self._skips(numbers)
        change, execute = self._set_handle, self._execute

        def work(queue: Any, *bound: Bound) -> None:
            del queue
            try:
                mine = sets.popleft()
            except IndexError:
                mine = _Set(library, wanted)
                for memory, (_, held) in zip(mine.kept[len(bound):], fixed, strict=True):
                    change(memory.at, held.ctypes.data)
            for memory, b, skip in zip(mine.kept, bound, skips, strict=False):
                change(memory.at, b.address + skip)
            found = execute(primitive.at, mine.stream.at, len(wanted), mine.arguments)
            sets.append(mine)
            if found:
                library.check(name, found)

        return work, wanted

    def _fixed(self) -> list[tuple[int, Any]]:
        """Return arguments that the library asks for and does not use."""
        flags = self._op["flags"]
        if self._op.name == "layer_normalization_backward" and (
                flags & names.normalization_flags.use_shift):
            return [(int(arg.SHIFT), np.zeros(self._op["src"].dims[-1], np.float32))]
        return []

    def _skips(self, numbers: tuple[int, ...]) -> list[int]:
        """Return where tensors begin in their memory, in bytes."""
        wanted = wanted_of(self._op, self)
        found = [wanted[n][0] if n in wanted else desc() for n in numbers]
        return [0 if d.is_zero() or d.native() is not None else
                d.layout().offset * names.numpy_type(d.get_data_type()).itemsize for d in found]

    def _argument(self, number: int) -> Any:
        """Return the descriptor by which the library knows an argument."""
        at = self._tensor(number) if number < names.FIRST_SCALE else None
        if at:
            return Native(ctypes.c_void_p(at), _leave)
        return self._library.described(self._extra(number))

    def _extra(self, number: int) -> desc:
        """Return the descriptor of an argument that attributes ask for."""
        from_attributes: desc = wanted_of(self._op, self)[number][0]
        return from_attributes


def _leave(at: Any) -> None:
    """Leave an object that the primitive's descriptor owns."""
    del at


def _with_offset(found: desc, given: desc) -> desc:
    """Return a descriptor that begins where the program's does; the library does not know."""
    if found.dims != given.dims or given.get_format_kind() is not format_kind.blocked:
        return found
    return given


def _cost(found: dict[str, desc]) -> float:
    """Return about how many operations it takes."""
    sizes = [math.prod(d.dims) for d in found.values()]
    weights = [math.prod(d.dims[1:]) for n, d in found.items() if "weights" in n]
    return float(max(sizes, default=1)) * max(1, *weights, 1) if weights else float(sum(sizes))


def _passed(library: Dnnl, field: str, x: Any, kept: list[Any]) -> Any:
    """Return a field as C takes it."""
    kind = kind_of(field)
    if kind == "desc":
        found = library.described(x)
        kept.append(found)
        return None if found is None else ctypes.c_void_p(found.at.value)
    if kind == "dims":
        return Dims(*(x or ()))
    if kind == "numbers":
        return None if not x else (ctypes.c_float * len(x))(*x)
    if kind == "number":
        return ctypes.c_float(x)
    if kind == "whole":
        return ctypes.c_int(x) if field == "axis" else ctypes.c_int64(x)
    return ctypes.c_int(int(x or 0))


def _created(op: Op, library: Dnnl) -> Native:
    """Return the library's descriptor of a primitive."""
    kept: list[Any] = []
    attr = library.attributes(op.attr)
    given = [_passed(library, f, op[f], kept) for f in op.row.names if f != "srcs"]
    made = ctypes.c_void_p()
    first: list[Any] = [ctypes.byref(made)]
    if op.name == "reorder":
        arguments = [*first, given[0], library.engine, given[1], library.engine]
    elif op["srcs"]:
        # concat and sum: the result, how many sources, axis or scales, the sources
        sources = [library.described(d) for d in op["srcs"]]
        kept += sources
        pointers = (ctypes.c_void_p * len(sources))(*(d.at.value for d in sources))
        arguments = [*first, library.engine, given[0], len(sources), given[1], pointers]
    else:
        arguments = [*first, library.engine, *given]
        if op.row.forward:
            arguments.append(_hint(op))
    found = library.call(f"{op.name}_primitive_desc_create", *arguments, attr.at)
    if found in (names.status.unimplemented, names.status.invalid_arguments):
        # what is wrong for everybody was refused before
        raise names.unimplemented(f"oneDNN {library.version} says {names.status(found).name}")
    library.check(op.name, found)
    return Native(made, library.function("primitive_desc_destroy", [Pointer]))


def _hint(op: Op) -> Any:
    forward = None if op.hint is None else op.hint.implementation
    if not isinstance(forward, Made):
        raise names.unimplemented("oneDNN needs the descriptor of a forward primitive of its own")
    return forward.handle


class OneDnn:
    """All that the library computes."""

    def __init__(self, library: Dnnl) -> None:
        self._library = library

    def version(self) -> str:
        """Return the library's name and version."""
        return f"oneDNN {self._library.version}"

    def serves(self, device: sycl.device) -> bool:
        """Say that it works in the host's memory."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what makes primitives of a kind."""
        served = name in ROWS and dtype != np.float64
        return self.create if served else None

    def create(self, op: Op, place: Place) -> Made:
        """Return an operation as the library does it; ``unimplemented`` where it does not."""
        return Made(op, place, self._library, _created(op, self._library))


def load(name: str) -> OneDnn:
    """Return the provider."""
    del name
    return OneDnn(dnnl())
