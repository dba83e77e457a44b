"""Loads and stores of a whole group (sycl_ext_oneapi_group_load_store).

Written in the kernel language. Non-goals: instructions of their own: striped elements are loaded as
vectors because the work-items' addresses follow one another. Invariant: all work-items of the group
call together; before and after, each sees what the others wrote.
"""

from __future__ import annotations

from typing import Any

from unisycl.base.enums import data_placement_enum, group_memory
from unisycl.lang.groups.group_functions import group_barrier, group_size
from unisycl.lang.kernels.kernel_properties import properties as property_set
from unisycl.lang.memory.views import HostView
from unisycl.lang.numbers.marray import marray
from unisycl.lang.numbers.vec import vec

__kernel_language__ = True
data_placement_blocked = data_placement_enum.blocked
data_placement_striped = data_placement_enum.striped
contiguous_memory = group_memory.contiguous_memory
full_group = group_memory.full_group
native_local_block_io = group_memory.native_local_block_io
_PROPERTIES = (data_placement_enum, group_memory, tuple, property_set)


def group_load(group: Any, pointer: Any, out: Any = None, properties: Any = ()) -> Any:
    """Load elements for each work-item of a group.

    Args:
        group: the work-group or sub-group.
        pointer: where its elements begin: memory, a slice of it, or a pointer; the same for all.
        out: a private array to fill; left out, one element is returned.
        properties: ``data_placement_striped`` (``data_placement_blocked`` if left out),
            ``contiguous_memory``, ``full_group``, a tuple or ``properties`` of these; instead of
            ``out``, too.
    """
    group_barrier(group)
    me = group.get_local_linear_id()
    if isinstance(out, HostView):
        each, size = len(out), group_size(group)
        for k in range(each):
            out[k] = pointer[_place(properties, me, size, k, each)]
        found = None
    elif out is None or isinstance(out, _PROPERTIES):
        found = pointer[me]
    else:
        raise TypeError("group_load: give a private array to fill, or nothing")
    group_barrier(group)
    return found


def group_store(group: Any, value: Any, pointer: Any, properties: Any = ()) -> None:
    """Store elements of each work-item of a group.

    Args:
        group: the work-group or sub-group.
        value: a number; or a private array, a vec or an marray of several.
        pointer: where its elements begin, the same for all work-items.
        properties: as for ``group_load``.
    """
    group_barrier(group)
    me = group.get_local_linear_id()
    if isinstance(value, (HostView, vec, marray)):
        several: Any = value
        each, size = len(several), group_size(group)
        for k in range(each):
            pointer[_place(properties, me, size, k, each)] = several[k]
    else:
        pointer[me] = value
    group_barrier(group)


def _place(properties: Any, me: Any, size: Any, k: Any, each: Any) -> Any:
    """Return where the element k of a work-item lies.

    The properties are looked at here and by no function, so that the choice is made while
    compiling, and striped addresses follow one another for the compiler, too.
    """
    if isinstance(properties, property_set):
        given = properties.properties
        return k * size + me if data_placement_enum.striped in given else me * each + k
    if isinstance(properties, tuple):
        return k * size + me if data_placement_enum.striped in properties else me * each + k
    return k * size + me if properties == data_placement_enum.striped else me * each + k
