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
from unisycl.oneapi.dnn.memories import ALIGNED
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


    def allocate(self, size: int) -> int:
        """Return the address of memory for intermediate results, which lives as long as this."""
        held = np.empty(size + ALIGNED, np.uint8)
        self.kept.append(held)
        address = int(held.ctypes.data)
        return address + -address % ALIGNED


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
        scratchpad = library.description(self._md(_SCRATCHPAD_MD, 0))
        given = op.attr.get_scratchpad_mode() is names.scratchpad_mode.user
        self.scratchpad = scratchpad if given else desc()
        self._scratch = 0 if given else scratchpad.get_size()
        self._lock = threading.Lock()
        self._primitive: Any = None
        self._sets: collections.deque[_Set] = collections.deque()
        self._orders: dict[tuple[int, ...], tuple[Any, Any]] = {}
        self._set_handle = library.function("memory_set_data_handle", [Pointer, Pointer])
        self._execute = library.function("primitive_execute",
                                         [Pointer, Pointer, ctypes.c_int, Pointer])

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

    def described(self, number: int) -> Any:
        """Return where the library's descriptor of an argument is."""
        return self._tensor(number)

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
        """Execute it as a command of the queue: in this thread, if nothing is in its way.

        Handing it to another thread costs as much as small primitives take, and caches are there.
        """
        numbers = tuple(given)
        known = self._orders.get(numbers)
        if known is None:
            known = self._orders[numbers] = self._work(numbers)
        return give(queue, self._place, self._op.name, known[0], list(given.values()), after,
                    cost=0, sure=True)

    def _work(self, numbers: tuple[int, ...]) -> tuple[Callable[..., None], Any]:
        """Return what executes it with memory in one order of arguments."""
        library = self._library
        wanted = [(n, self._argument(n)) for n in numbers]
        fixed = self._fixed()
        wanted += [(n, self._argument(n)) for n, _ in fixed]
        scratch = self._scratch
        if scratch:
            wanted.append((int(arg.SCRATCHPAD), self._argument(arg.SCRATCHPAD)))
        sets: collections.deque[_Set] = collections.deque()
        primitive, name = self._ready(), self._op.name
        skips = self._skips(numbers)
        strict = [k for k, n in enumerate(numbers) if n in (arg.WORKSPACE, arg.SCRATCHPAD)]
        change, execute = self._set_handle, self._execute
        wait = library.function("stream_wait", [Pointer]) if library.waits else None

        def work(queue: Any, *bound: Bound) -> None:
            del queue
            for k in strict:
                if bound[k].address % ALIGNED:
                    raise names.error(f"{name}: {names.name_of(numbers[k])} must begin at a "
                                      f"multiple of {ALIGNED} bytes, as memory(descriptor, engine) "
                                      "does")
            try:
                mine = sets.popleft()
            except IndexError:
                mine = _Set(library, wanted)
                if scratch:
                    change(mine.kept[-1].at, mine.allocate(scratch))
                for memory, (_, held) in zip(mine.kept[len(bound):], fixed, strict=False):
                    change(memory.at, held.ctypes.data)
            for memory, b, skip in zip(mine.kept, bound, skips, strict=False):
                change(memory.at, b.address + skip)
            found = execute(primitive.at, mine.stream.at, len(wanted), mine.arguments)
            if wait is not None:
                found = found or wait(mine.stream.at)
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


def _check_empty(op: Op) -> None:
    """Leave sums of nothing to others: the library leaves what is written as it was."""
    ins, outs = (
        [math.prod(tensor(op, f).dims) for f in fields] for fields in arguments_of(op))
    if any(outs) and not all(ins):
        raise names.unimplemented("oneDNN does not write sums over no elements")


_ALIKE = ("eltwise", "softmax", "batch_normalization", "layer_normalization",
          "group_normalization", "lrn", "prelu", "binary", "shuffle")
"""Kinds that go through their tensors together."""


def _check_alike(op: Op, found: dict[str, desc]) -> None:
    """Leave tensors of one size that lie differently to others: the library mixes them up.

    Seen of 3.2: layer normalisation forward, softmax and PReLU backward, binary to bytes.
    """
    if not op.name.startswith(_ALIKE):
        return
    tensors = [found[n] for n in op.row.names if n in found]
    whole = max((d.dims for d in tensors), key=math.prod)
    full = [d for d in tensors if d.dims == whole]
    if not all(d.lies_as(full[0]) for d in full):
        raise names.unimplemented("oneDNN mixes up tensors of one size that lie differently")


_WITH_SLOPES = ("convolution", "deconvolution", "matmul", "inner_product")
"""Kinds that execute a PReLU behind them; others take it, and fail."""


def _check_slopes(op: Op) -> None:
    """Leave PReLU behind a primitive to others where the library does it otherwise.

    It reads weights that differ by channel and by what comes behind with the channels last.
    """
    masks = [o.mask for o in op.attr.ops if o.kind == "prelu"]
    if masks and not op.name.startswith(_WITH_SLOPES):
        raise names.unimplemented("oneDNN has no PReLU behind it")
    if any(m & 2 and m >> 2 for m in masks):
        raise names.unimplemented("oneDNN reads such weights of PReLU in another order")


def _check_sums(op: Op, made: Made, library: Dnnl) -> None:
    """Leave products of bytes to others where the processor would add them in 16 bits.

    There 255 * 127 + 255 * 127 becomes 32767, and weights may be halved against that.
    """
    mode = op.attr.get_accumulation_mode()
    if library.sums_bytes or mode in (names.accumulation_mode.relaxed, names.accumulation_mode.any):
        return
    bytes_ = names.data_type.s8, names.data_type.u8
    both = all(any(made.found[n].get_data_type() in bytes_ for n in made.ins
                   if n in made.found and n.startswith(side)) for side in ("src", "weights"))
    if both and "ref" not in made.info and not op.name.startswith("prelu"):
        raise names.unimplemented("this processor adds products of bytes in 16 bits, which may be "
                                  "too few; accumulation_mode.relaxed allows it")


def _created(op: Op, library: Dnnl) -> Native:
    """Return the library's descriptor of a primitive."""
    _check_empty(op)
    _check_slopes(op)
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
        made = Made(op, place, self._library, _created(op, self._library))
        _check_alike(op, made.found)
        _check_sums(op, made, self._library)
        return made


def load(name: str) -> OneDnn:
    """Return the provider."""
    del name
    return OneDnn(dnnl())
