"""``distr_buffer``: a buffer that all ranks have together, each of them parts of it.

Non-goals: what is sent when (``ranks.graph``, ``distr_handler``). Invariants: the layout is the
same on all ranks; elements have the same indices everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api.memory.buffer import buffer
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.ranks.graph import plan
from unisycl.ranks.queue.part_accessor import part_accessor
from unisycl.ranks.queue.reserved import reserve


@ends_at_call
class distr_buffer(buffer):
    """A one- to three-dimensional array whose elements lie where ranks use them.

    Args:
        source: a NumPy array that is the same on all ranks, and is copied; or a range, an int or
            a tuple of ints: then nobody has written it yet.
        dtype: the type of an element; float64 if left out.

    Accessors take a range mapper besides: ``sycl.accessor(u, h, one_to_one, sycl.write_only)``.
    """

    __slots__ = ("accesses", "layout", "number", "size_of_world")
    __accessor__ = part_accessor
    __host_refusal__ = ("a distr_buffer has parts on several ranks; use queue.gather(buffer), or a "
                        "host task of the distr_queue")

    def __init__(self, source: Any, dtype: npt.DTypeLike | None = None) -> None:
        self.layout: plan.Layout = ()
        self.accesses: dict[Any, Any] = {}
        """What commands asked of it, by parts and modes, since they come again."""
        self.number, self.size_of_world = -1, 0
        if isinstance(source, buffer):
            raise UsageError(errc.invalid, "distr_buffer: expected an array or a range, got a "
                             f"{type(source).__name__}; it has no parts that are buffers")
        if hasattr(source, "__array_interface__") or isinstance(source, list):
            values = np.asarray(source, dtype)
            own = reserve(values.shape, values.dtype)
            own[...] = values
            self.size_of_world = -1  # filled alike on all ranks
        else:
            own = reserve(tuple(geo.as_range(source)), np.dtype(
                np.float64 if dtype is None else dtype))
        super().__init__(own)
        # Nothing is written back, and commands keep the memory: its end has nothing to wait for.
        # A collection may come while a link is being carried on, which must not wait for itself.
        self._finalizer.detach()

    def join(self, size: int, number: int) -> None:
        """Become one of the buffers of a queue (internal)."""
        if self.number < 0:
            self.number = number
            if self.size_of_world < 0:
                self.layout = plan.everywhere(self.shape, size)
            self.size_of_world = size
        elif self.size_of_world != size:
            raise UsageError(errc.invalid, "distr_buffer: it belongs to a queue over "
                             f"{self.size_of_world} ranks, not {size}")

    def __reduce__(self) -> tuple[Any, ...]:
        raise UsageError(errc.invalid, "distr_buffer: it cannot be pickled; gather it first")

    def __repr__(self) -> str:
        return f"<distr_buffer: {' x '.join(map(str, self.shape))} of {self.dtype}>"
