"""Local memory for lines of elements, by way of which they go to many places at once.

Non-goals: the kernels (``kernels.parts``). Invariant: a line is what a processor writes at once.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.iterators import zip_iterator
from unisycl.oneapi.dpl.kernels import parts
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Operand, Record


def lines_of(call: Call, items: Operand | None) -> tuple[int, Any]:
    """Return how many parts there may be, and local memory for lines of each, if it has free."""
    free = int(call.queue.get_device().get_info(sycl.info.device.local_mem_size)) * 3 // 4
    if items is None:
        return min(1 << call.shape.digit, free // 8), None
    memory = items.bases if isinstance(items, zip_iterator) else (items,)
    if any(isinstance(m.dtype, tuple) for m in memory):
        return min(1 << call.shape.digit, free // 8), None
    dtypes = [np.dtype(m.dtype) for m in memory]
    count = max(min(parts.LINE // t.itemsize for t in dtypes), 2)
    most = min(1 << call.shape.digit, free // (count * sum(t.itemsize for t in dtypes) + 16))
    if call.shape.digit < 11 or most < 256 or any(
            t.kind not in "iuf" or t.itemsize < 4 for t in dtypes):
        return min(1 << call.shape.digit, free // 8), None
    like, vector = (0,) * count, cast(Any, sycl.vec)
    cells = [Record(parts.one_line, sycl.local_accessor(t, most * count),
                    vector(t, count)) for t in dtypes]
    goes, begins = (sycl.local_accessor(np.int64, most) for _ in range(2))
    return most, Record(parts.lines, cells[0] if len(cells) == 1 else Record(
        parts.two_lines, *cells), goes, begins, like)
