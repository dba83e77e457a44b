"""Local memory declared inside a kernel (sycl_ext_oneapi_local_memory).

Written in the kernel language. Non-goals: memory given as an argument (``local_accessor``,
``work_group_memory``). Invariant: no work-item returns before the memory is filled.
"""

from __future__ import annotations

from typing import Any

from unisycl.lang.groups.group_functions import (
    group_barrier,
    group_local_memory_for_overwrite,
    group_size,
    zero_element,
)
from unisycl.lang.memory.pointer import multi_ptr

__kernel_language__ = True


def group_local_memory(dtype: Any, group: Any, init: Any = ()) -> Any:
    """Return local memory that a work-group shares, with initial values.

    Args:
        dtype: an element type, or ``(element type, shape)``; constants.
        group: the work-group, all of whose work-items call together.
        init: what every element begins as; or a tuple, the first elements, row after row, zero
            behind them; zero if left out.

    One place in the program is one memory, however often it is reached. A single element is
    ``memory[0]``. All members of a record are zero, pointers None.
    """
    memory = group_local_memory_for_overwrite(dtype, group)
    flat, count = multi_ptr(memory), memory.size()
    group_barrier(group)
    k = group.get_local_linear_id()
    while k < count:
        flat[k] = zero_element(dtype) if isinstance(init, tuple) else init
        k += group_size(group)
    group_barrier(group)
    if isinstance(init, tuple) and len(init) > 0:
        if group.get_local_linear_id() == 0:
            for at, value in enumerate(init):
                flat[at] = value
        group_barrier(group)
    return memory
