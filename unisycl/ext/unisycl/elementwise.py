"""``vectorize``: a function of numbers becomes one of arrays, on any queue, with broadcasting.

The function is compiled as part of a kernel, once for each set of types. Non-goals: functions of
whole arrays; several results. Invariant: operands are broadcast by NumPy's rule, and read in place
where the device reads the host's memory.
"""

from __future__ import annotations

import functools
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
from unisycl.ext.unisycl.arrays import default_queue

_DIMENSIONS = 3
_MOST = len(kernels.OF)


def _refuse(name: str, text: str) -> Any:
    raise UsageError(errc.invalid, f"{name}: {text}")


class vectorized:
    """A function of numbers, called with arrays; made by ``vectorize``."""

    def __init__(self, function: Callable[..., Any], dtype: npt.DTypeLike | None,
                 queue: Queue | None) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._name = getattr(function, "__name__", type(function).__name__)
        self._dtype = None if dtype is None else np.dtype(dtype)
        self._queue = queue

    @ends_at_call
    def __call__(self, *operands: Any, out: Any = None, queue: Queue | None = None) -> Any:
        """Return the function of each element of the operands, which are broadcast.

        Args:
            operands: numbers, arrays and USM, up to six.
            out: where the results go, of the shape that the operands have together.
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
            views = [x if _is_number(x) else _seen(self._name, x, shape) for x in given]
            _launch(where, self._function, _seen(self._name, target, shape), views, shape)
        if out is not None:
            return out
        return target if shape else target[()]

    def _target(self, given: list[Any], shape: tuple[int, ...], out: Any, where: Queue) -> Any:
        if out is not None:
            if tuple(np.shape(out) if isinstance(out, np.ndarray) else out.shape) != shape:
                _refuse(self._name, f"out must have the shape {shape} of the operands")
            return out
        dtype = self._dtype or self._result_type(given)
        device = where.get_device()
        if (device.has(aspect.usm_system_allocations) and not device.has(aspect.gpu)) or not (
                device.has(aspect.usm_shared_allocations)) or not math.prod(shape):
            return np.empty(shape, dtype)
        memory = usm.malloc(math.prod(shape), where, kind=usm_kind.shared, dtype=dtype)
        return np.asarray(memory).reshape(shape)

    def _result_type(self, given: list[Any]) -> np.dtype[Any]:
        ones = [x if _is_number(x) else np.dtype(x.dtype).type(1) for x in given]
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(self._function(*ones)).dtype
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError,
                exception) as error:
            _refuse(self._name, "the function cannot be asked for the type of its results "
                    f"({error}); give vectorize(dtype=...)")
        if found.kind not in "biufc":
            _refuse(self._name, "the function returns no number; give vectorize(dtype=...)")
        return found

    def __repr__(self) -> str:
        return f"<vectorized {self._name}>"


def _is_number(x: Any) -> bool:
    return isinstance(x, bool | int | float | complex | np.generic)


def _operand(x: Any) -> Any:
    if _is_number(x) or isinstance(x, np.ndarray | usm_pointer) or (
            hasattr(x, "shape") and hasattr(x, "dtype")):
        return x
    return np.asarray(x)


def _seen(name: str, x: Any, shape: tuple[int, ...]) -> Any:
    """Return an operand as a kernel over a shape of one to three dimensions reads it."""
    if not isinstance(x, np.ndarray):
        if tuple(x.shape) != shape:
            if isinstance(x, usm_pointer) and x.block.kind is not usm_kind.device:
                return _seen(name, np.asarray(x), shape)
            _refuse(name, f"memory that only the device reaches is not broadcast, from "
                    f"{tuple(x.shape)} to {shape}")
        return x
    if x.shape == shape and x.flags.c_contiguous:
        return x.reshape(-1) if len(shape) > _DIMENSIONS or not shape else x
    wide = np.broadcast_to(x, shape)
    return wide if 1 <= len(shape) <= _DIMENSIONS else np.ascontiguousarray(wide).reshape(-1)


def _launch(where: Queue, function: Any, target: Any, views: list[Any],
            shape: tuple[int, ...]) -> None:
    arrays = [target, *(v for v in views if not _is_number(v))]
    if all(tuple(a.shape) == shape and _is_flat(a) for a in arrays):
        arrays = [a.reshape(-1) if isinstance(a, np.ndarray) else a for a in arrays]
        target, rest = arrays[0], iter(arrays[1:])
        views = [v if _is_number(v) else next(rest) for v in views]
    flat = len(target.shape) <= 1
    space = math.prod(shape) if flat else Range(*shape)
    seen = [kernels.number(v) if _is_number(v) else kernels.elements(v) for v in views]
    where.parallel_for(space, kernels.OF[len(seen) - 1], function, target, *seen).wait()


def _is_flat(a: Any) -> bool:
    return isinstance(a, np.ndarray) and bool(a.flags.c_contiguous)


def vectorize(function: Any = None, *, dtype: npt.DTypeLike | None = None,
              queue: Queue | None = None) -> Any:
    """Make a function of arrays of a function of numbers: a decorator, with or without arguments.

    Args:
        function: a function of one to six numbers, written as a kernel's functions are.
        dtype: the type of its results; left out, that of its result for ones, which it is called
            with once.
        queue: where it runs if a call does not say.
    """
    if function is None:
        return functools.partial(vectorize, dtype=dtype, queue=queue)
    if not callable(function):
        _refuse("vectorize", f"expected a function, got {function!r}")
    return vectorized(function, dtype, queue)
