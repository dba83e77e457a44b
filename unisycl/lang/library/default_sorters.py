"""``default_sorters``: sorting by a comparison (sycl_ext_oneapi_group_sort).

Written in the kernel language. Non-goals: a use of the scratch memory, which the extension hands
over and this way of sorting does not need. Invariant: equal values of a group keep their order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unisycl.lang.library.sorting import (
    less,
    needed,
    sort_array,
    sort_arrays,
    sort_cells,
    sort_memory,
    sort_pairs,
    sorter,
)
from unisycl.lang.memory.views import HostView

__kernel_language__ = True


@dataclass(eq=False)
class joint_sorter(sorter):
    """Sorts memory: what ``joint_sort`` calls.

    Args:
        scratch: memory of as many bytes as ``memory_required`` says.
        comp: a function of two that says whether the first comes before the second.
    """

    scratch: Any
    comp: Any = less

    def __call__(self, group: Any, first: Any, last: Any) -> None:
        sort_memory(group, first, last - first, self.comp)

    @staticmethod
    def memory_required(dtype: Any, device: Any, scope: Any, range_size: int) -> int:
        """Return how many bytes of scratch memory sorting ``range_size`` elements takes."""
        return needed(dtype, scope, range_size)


@dataclass(eq=False)
class group_sorter(sorter):
    """Sorts the values of a group: what ``sort_over_group`` calls; see ``joint_sorter``."""

    scratch: Any
    comp: Any = less

    def __call__(self, group: Any, value: Any, properties: Any = ()) -> Any:
        if isinstance(value, HostView):
            return sort_array(group, value, self.comp, properties)
        return sort_cells(group, value, self.comp)

    @staticmethod
    def memory_required(dtype: Any, device: Any, scope: Any, range_size: int) -> int:
        """Return how many bytes of scratch memory a group of ``range_size`` items takes."""
        return needed(dtype, scope, range_size)


@dataclass(eq=False)
class group_key_value_sorter(sorter):
    """Sorts the keys of a group, values going along: what ``sort_key_value_over_group`` calls."""

    scratch: Any
    comp: Any = less

    def __call__(self, group: Any, key: Any, value: Any, properties: Any = ()) -> Any:
        if isinstance(key, HostView):
            return sort_arrays(group, key, value, self.comp, properties)
        return sort_pairs(group, key, value, self.comp)

    @staticmethod
    def memory_required(dtype: Any, values: Any, device: Any, scope: Any, range_size: int) -> int:
        """Return how many bytes of scratch memory a group of ``range_size`` items takes."""
        return needed(dtype, scope, range_size) + needed(values, scope, range_size)
