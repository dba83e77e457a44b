"""``vectorize``: a function of numbers becomes one of arrays, on any queue, with broadcasting.

The function is compiled as part of a kernel, once for each set of types; of a function that returns
a tuple each part has an array. Non-goals: functions of whole arrays. Invariant: operands are
broadcast by NumPy's rule, and read in place where the device reads the host's memory; results that
overlap operands are NumPy's.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api.memory import usm
from unisycl.api.memory.usm import usm_pointer
from unisycl.api.queue.queue import queue as Queue
from unisycl.base.enums import aspect, usm_kind
from unisycl.base.errors import UsageError, errc, exception
from unisycl.base.geometry import range as Range
from unisycl.base.tracebacks import ends_at_call
from unisycl.ext.unisycl import elementwise_kernels as kernels
from unisycl.ext.unisycl import overlaps
from unisycl.ext.unisycl.arrays import default_queue
from unisycl.frontend.results import types_of

_DIMENSIONS = 3
_MOST = len(kernels.OF)


def _refuse(name: str, text: str) -> Any:
    raise UsageError(errc.invalid, f"{name}: {text}")


class vectorized:
    """A function of numbers, called with arrays; made by ``vectorize``."""

    def __init__(self, function: Callable[..., Any], dtype: Any,
                 queue: Queue | None) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._name = getattr(function, "__name__", type(function).__name__)
        self._dtype = tuple(map(np.dtype, dtype)) if isinstance(dtype, tuple) else (
            None if dtype is None else np.dtype(dtype))
        self._queue = queue

    @ends_at_call
    def __call__(self, *operands: Any, out: Any = None, queue: Queue | None = None) -> Any:
        """Return the function of each element of the operands, which are broadcast.

        Args:
            operands: numbers, arrays and USM, up to six.
            out: where the results go, of the shape that the operands have together; a tuple of such
                for a function that returns a tuple.
            queue: where it runs; left out, the decorator's or one of the default device.
        """
        if not 1 <= len(operands) <= _MOST:
            _refuse(self._name, f"takes 1 to {_MOST} operands, got {len(operands)}")
        where = queue or self._queue or default_queue()
        given = [_operand(x) for x in operands]
        try:
            shape = np.broadcast_shapes(*(np.shape(x) if _is_number(x) else x.shape
                                          for x in given))
        except ValueError as error:
            _refuse(self._name, f"the operands cannot be broadcast together ({error})")
        target = self._target(given, shape, out, where)
        if math.prod(shape):
            whole = [_writable(self._name, x, shape) for x in _each(target)]
            seen = [_seen(self._name, x, shape) for x in whole]
            for one, other in itertools.combinations(seen, 2):
                if overlaps.meet(one, other):
                    _refuse(self._name, "two results lie in one memory")
            views = [x if _is_number(x) else _apart(self._name, _seen(self._name, x, shape), seen)
                     for x in given]
            _launch(where, self._function, seen, isinstance(target, tuple), views, shape)
            for one, made in zip(_each(target), whole, strict=True):
                if made is not one:
                    one[...] = made
        if out is not None:
            return out
        if isinstance(target, tuple):
            return target if shape else tuple(x[()] for x in target)
        return target if shape else target[()]

    def _target(self, given: list[Any], shape: tuple[int, ...], out: Any, where: Queue) -> Any:
        if out is not None:
            for one in _each(out):
                if tuple(np.shape(one) if isinstance(one, np.ndarray) else one.shape) != shape:
                    _refuse(self._name, f"out must have the shape {shape} of the operands")
            self._check("out", out, given)
            return out
        kinds = self._dtype or self._result_types(given)
        if self._dtype is not None:
            self._check("dtype", kinds, given)
        arrays = tuple(_array(shape, kind, where) for kind in _each(kinds))
        return arrays if isinstance(kinds, tuple) else arrays[0]

    def _check(self, what: str, given: Any, operands: list[Any]) -> None:
        """Refuse one target for several results, and several for another number of them."""
        told = types_of(self._function, *_ones(operands))
        if told is not None and _count(told) != _count(given):
            _refuse(self._name, f"{what} is {_count(given)}, and the function returns "
                    f"{_count(told)}")

    def _result_types(self, given: list[Any]) -> Any:
        ones = _ones(given)
        found: Any = types_of(self._function, *ones)
        try:
            if found is None:
                with np.errstate(all="ignore"):
                    result = self._function(*ones)
                found = tuple(np.asarray(x).dtype for x in result) if isinstance(
                    result, tuple) else np.asarray(result).dtype
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError,
                exception) as error:
            _refuse(self._name, "the function cannot be asked for the type of its results "
                    f"({error}); give vectorize(dtype=...)")
        for kind in _each(found):
            if isinstance(kind, tuple) or kind.kind not in "biufc":
                _refuse(self._name, "the function returns no number, nor a tuple of numbers; give "
                        "vectorize(dtype=...)")
        return found

    def __repr__(self) -> str:
        return f"<vectorized {self._name}>"


def _array(shape: tuple[int, ...], dtype: np.dtype[Any], where: Queue) -> Any:
    """Return an array that the device of a queue writes in place."""
    device = where.get_device()
    if (device.has(aspect.usm_system_allocations) and not device.has(aspect.gpu)) or not (
            device.has(aspect.usm_shared_allocations)) or not math.prod(shape):
        return np.empty(shape, dtype)
    memory = usm.malloc(math.prod(shape), where, kind=usm_kind.shared, dtype=dtype)
    return np.asarray(memory).reshape(shape)


def _each(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def _count(x: Any) -> str:
    return f"a tuple of {len(x)}" if isinstance(x, tuple) else "one"


def _ones(operands: list[Any]) -> list[Any]:
    return [x if _is_number(x) else np.dtype(x.dtype).type(1) for x in operands]


def _is_number(x: Any) -> bool:
    return isinstance(x, bool | int | float | complex | np.generic)


def _operand(x: Any) -> Any:
    if _is_number(x) or isinstance(x, np.ndarray | usm_pointer) or (
            hasattr(x, "shape") and hasattr(x, "dtype")):
        return x
    return np.asarray(x)


def _writable(name: str, x: Any, shape: tuple[int, ...]) -> Any:
    """Return where a kernel writes results: themselves, or an array to be copied from."""
    if not isinstance(x, np.ndarray):
        return x
    if not x.flags.writeable:
        _refuse(name, "out is read-only")
    return x if x.flags.c_contiguous or 1 <= len(shape) <= _DIMENSIONS else np.empty(shape, x.dtype)


def _seen(name: str, x: Any, shape: tuple[int, ...]) -> Any:
    """Return an operand as a kernel over a shape of one to three dimensions reads it."""
    if not isinstance(x, np.ndarray):
        if tuple(x.shape) != shape:
            if isinstance(x, usm_pointer) and x.block.kind is not usm_kind.device:
                return _seen(name, np.asarray(x), shape)
            _refuse(name, f"memory that only the device reaches is not broadcast, from "
                    f"{tuple(x.shape)} to {shape}")
        return x
    if x.shape == shape and (x.flags.c_contiguous or 1 <= len(shape) <= _DIMENSIONS):
        return x.reshape(-1) if len(shape) > _DIMENSIONS or not shape else x
    wide = np.broadcast_to(x, shape)
    return wide if 1 <= len(shape) <= _DIMENSIONS else np.ascontiguousarray(wide).reshape(-1)


def _apart(name: str, x: Any, targets: list[Any]) -> Any:
    """Return an operand that no work-item writes before another one has read it."""
    if not any(overlaps.meet(x, t) and not overlaps.alike(x, t) for t in targets):
        return x
    if not isinstance(x, np.ndarray):
        _refuse(name, "an operand in memory that only the device reaches overlaps the results")
    return x.copy()


def _launch(where: Queue, function: Any, targets: list[Any], is_tuple: bool, views: list[Any],
            shape: tuple[int, ...]) -> None:
    arrays = [*targets, *(v for v in views if not _is_number(v))]
    if all(tuple(a.shape) == shape and _is_flat(a) for a in arrays):
        arrays = [a.reshape(-1) if isinstance(a, np.ndarray) else a for a in arrays]
        targets, rest = arrays[:len(targets)], iter(arrays[len(targets):])
        views = [v if _is_number(v) else next(rest) for v in views]
    flat = all(len(t.shape) <= 1 for t in targets)
    space = math.prod(shape) if flat else Range(*shape)
    seen = [kernels.number(v) if _is_number(v) else kernels.elements(v) for v in views]
    written = [kernels.elements(t) for t in targets]
    into = kernels.several(tuple(written)) if is_tuple else written[0]
    where.parallel_for(space, kernels.OF[len(seen) - 1], function, into, *seen).wait()


def _is_flat(a: Any) -> bool:
    return isinstance(a, np.ndarray) and bool(a.flags.c_contiguous)


def vectorize(function: Any = None, *,
              dtype: npt.DTypeLike | tuple[npt.DTypeLike, ...] | None = None,
              queue: Queue | None = None) -> Any:
    """Make a function of arrays of a function of numbers: a decorator, with or without arguments.

    Args:
        function: a function of one to six numbers, written as a kernel's functions are; of one that
            returns a tuple of numbers the calls return a tuple of arrays.
        dtype: the type of its results, a tuple of types for several; left out, that of the kernel.
        queue: where it runs if a call does not say.
    """
    if function is None:
        return functools.partial(vectorize, dtype=dtype, queue=queue)
    if not callable(function):
        _refuse("vectorize", f"expected a function, got {function!r}")
    return vectorized(function, dtype, queue)
