"""USM arrays as NumPy makes arrays: ``array``, ``zeros``, ``empty``, ``arange`` and others.

Results are USM allocations with NumPy's indices, which NumPy, CuPy and PyTorch take without a copy;
they are freed when nothing uses them any more. Non-goals: an array library; arithmetic is NumPy's,
or a kernel's. Invariant: elements are those of NumPy's function of the same name.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api.memory import usm
from unisycl.api.queue.queue import queue as Queue
from unisycl.base.enums import usm_kind
from unisycl.base.errors import UsageError, errc

_KINDS = {kind.name: kind for kind in (usm_kind.shared, usm_kind.host, usm_kind.device)}


@functools.cache
def default_queue() -> Queue:
    """Return the queue of those who give none: one of the default device."""
    return Queue()


def empty(shape: Any, dtype: npt.DTypeLike = np.float64, queue: Queue | None = None,
          usm: str = "shared") -> Any:
    """Return an array of USM with anything in it.

    Args:
        shape: a whole number, or a tuple of them, of which none is 0.
        dtype: the type of its elements.
        queue: whose device may use it; left out, the default device's.
        usm: ``"shared"``, ``"host"`` or ``"device"``, which only kernels and copies reach.
    """
    return _made(shape, dtype, queue, usm)


def _made(shape: Any, dtype: npt.DTypeLike, queue: Queue | None, kind: str) -> Any:
    if kind not in _KINDS:
        raise UsageError(errc.invalid, f"usm: expected one of {', '.join(_KINDS)}, got {kind!r}")
    where = default_queue() if queue is None else queue
    return usm.malloc(shape, where, kind=_KINDS[kind], dtype=np.dtype(dtype))


def _filled(values: Any, queue: Queue | None, kind: str) -> Any:
    where = default_queue() if queue is None else queue
    found = _made(values.shape, values.dtype, where, kind)
    where.memcpy(found, np.ascontiguousarray(values), values.nbytes).wait()
    return found


def full(shape: Any, value: Any, dtype: npt.DTypeLike | None = None, queue: Queue | None = None,
         usm: str = "shared") -> Any:
    """Return an array of USM with one value everywhere; see ``empty``.

    Args:
        shape: a whole number, or a tuple of them.
        value: the value.
        dtype: the type of its elements; left out, that of NumPy's array of the value.
        queue: whose device may use it.
        usm: the kind of memory.
    """
    element = np.full((), value, dtype)[()]
    where = default_queue() if queue is None else queue
    found = _made(shape, element.dtype, where, usm)
    where.fill(found, element).wait()
    return found


def array(values: npt.ArrayLike, dtype: npt.DTypeLike | None = None, queue: Queue | None = None,
          usm: str = "shared") -> Any:
    """Return an array of USM with the given values.

    Args:
        values: an array, or what ``numpy.array`` takes.
        dtype: the type of its elements; left out, that of NumPy's array of the values.
        queue: whose device may use it.
        usm: the kind of memory.
    """
    return _filled(np.asarray(values, dtype), queue, usm)


def ones(shape: Any, dtype: npt.DTypeLike = np.float64, queue: Queue | None = None,
         usm: str = "shared") -> Any:
    """Return an array of USM with ones; see ``empty``."""
    return full(shape, 1, dtype, queue, usm)


def zeros(shape: Any, dtype: npt.DTypeLike = np.float64, queue: Queue | None = None,
          usm: str = "shared") -> Any:
    """Return an array of USM with zeros; see ``empty``."""
    return full(shape, 0, dtype, queue, usm)


def arange(*limits: Any, dtype: npt.DTypeLike | None = None, queue: Queue | None = None,
           usm: str = "shared") -> Any:
    """Return an array of USM with what ``numpy.arange`` gives.

    Args:
        limits: ``stop``; or ``start``, ``stop`` and perhaps a step.
        dtype: the type of its elements.
        queue: whose device may use it.
        usm: the kind of memory.
    """
    return _filled(np.arange(*limits, dtype=dtype), queue, usm)


def linspace(start: Any, stop: Any, num: int = 50, *, endpoint: bool = True,
             dtype: npt.DTypeLike | None = None, queue: Queue | None = None,
             usm: str = "shared") -> Any:
    """Return an array of USM with what ``numpy.linspace`` gives.

    Args:
        start: the first number.
        stop: the last one.
        num: how many there are.
        endpoint: whether the last one is among them.
        dtype: the type of its elements.
        queue: whose device may use it.
        usm: the kind of memory.
    """
    return _filled(np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype), queue, usm)
