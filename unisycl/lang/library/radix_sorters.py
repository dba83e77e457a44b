"""``radix_sorters``: sorting by the bits of numbers (sycl_ext_oneapi_group_sort).

Written in the kernel language. Non-goals: a use of the scratch memory, or passes over digits: what
is compared are the bits that the mask leaves. Invariant: bits are taken in the order of the
numbers, so with the full mask the order is that of ``<``, and -0.0 stands before 0.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.base.enums import sorting_order
from unisycl.lang.library.sorting import (
    needed,
    sort_array,
    sort_arrays,
    sort_cells,
    sort_memory,
    sort_pairs,
    sorter,
)
from unisycl.lang.memory.views import HostView
from unisycl.lang.numbers.bits import bit_cast

__kernel_language__ = True
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(eq=False)
class joint_sorter(sorter):
    """Sorts memory: what ``joint_sort`` calls.

    Args:
        scratch: memory of as many bytes as ``memory_required`` says.
        mask: the bits to sort by.
        order: ascending or descending.
    """

    scratch: Any
    mask: Any = ALL
    order: sorting_order = sorting_order.ascending

    def __call__(self, group: Any, first: Any, last: Any) -> None:
        def before(a: Any, b: Any) -> Any:
            return _before(a, b, self.mask, self.order)
        sort_memory(group, first, last - first, before)

    @staticmethod
    def memory_required(dtype: Any, scope: Any, range_size: int) -> int:
        """Return how many bytes of scratch memory sorting ``range_size`` elements takes."""
        return needed(dtype, scope, range_size)


@dataclass(eq=False)
class group_sorter(sorter):
    """Sorts the values of a group: what ``sort_over_group`` calls; see ``joint_sorter``."""

    scratch: Any
    mask: Any = ALL
    order: sorting_order = sorting_order.ascending

    def __call__(self, group: Any, value: Any, properties: Any = ()) -> Any:
        def before(a: Any, b: Any) -> Any:
            return _before(a, b, self.mask, self.order)
        if isinstance(value, HostView):
            return sort_array(group, value, before, properties)
        return sort_cells(group, value, before)

    @staticmethod
    def memory_required(dtype: Any, scope: Any, range_size: int) -> int:
        """Return how many bytes of scratch memory a group of ``range_size`` items takes."""
        return needed(dtype, scope, range_size)


@dataclass(eq=False)
class group_key_value_sorter(sorter):
    """Sorts the keys of a group, values going along: what ``sort_key_value_over_group`` calls."""

    scratch: Any
    mask: Any = ALL
    order: sorting_order = sorting_order.ascending

    def __call__(self, group: Any, key: Any, value: Any, properties: Any = ()) -> Any:
        def before(a: Any, b: Any) -> Any:
            return _before(a, b, self.mask, self.order)
        if isinstance(key, HostView):
            return sort_arrays(group, key, value, before, properties)
        return sort_pairs(group, key, value, before)

    @staticmethod
    def memory_required(dtype: Any, values: Any, scope: Any, range_size: int) -> int:
        """Return how many bytes of scratch memory a group of ``range_size`` items takes."""
        return needed(dtype, scope, range_size) + needed(values, scope, range_size)


def _before(a: Any, b: Any, mask: Any, order: Any) -> Any:
    x, y = _digits(a) & np.uint64(mask), _digits(b) & np.uint64(mask)
    return x > y if order == sorting_order.descending else x < y


def _digits(x: Any) -> Any:
    """Return a number as a uint64 of as many bits as it has, in the order of the numbers."""
    if isinstance(x, np.float16):
        half = np.uint64(bit_cast(np.uint16, x))
        return half ^ np.uint64(0xFFFF) if half >= 0x8000 else half | np.uint64(0x8000)
    if isinstance(x, np.float32):
        word = np.uint64(bit_cast(np.uint32, x))
        return word ^ np.uint64(0xFFFFFFFF) if word >= 0x80000000 \
            else word | np.uint64(0x80000000)
    if isinstance(x, (float, np.float64)):
        whole = bit_cast(np.uint64, np.float64(x))
        return ~whole if whole >= 1 << 63 else whole | np.uint64(1 << 63)
    if isinstance(x, np.int8):
        return np.uint64(bit_cast(np.uint8, x)) ^ np.uint64(1 << 7)
    if isinstance(x, np.int16):
        return np.uint64(bit_cast(np.uint16, x)) ^ np.uint64(1 << 15)
    if isinstance(x, np.int32):
        return np.uint64(bit_cast(np.uint32, x)) ^ np.uint64(1 << 31)
    if isinstance(x, (np.int64, int)):
        return bit_cast(np.uint64, np.int64(x)) ^ np.uint64(1 << 63)
    return np.uint64(x)
