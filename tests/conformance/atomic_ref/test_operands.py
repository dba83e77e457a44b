"""Operands of atomics, where some work-items do not take part."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

order, scope = sycl.memory_order, sycl.memory_scope
GROUPS, LOCAL = 3, 16


@pytest.mark.row("D-33")
def test_atomics_in_branches_add_what_they_are_given(queue: sycl.queue) -> None:
    """The first item of the first work-group stays away; the operand is the same for all others."""
    total, drawn = np.zeros(1, np.int32), np.full(GROUPS * LOCAL, -1, np.int32)
    bits = np.array([5], np.uint32)

    def kernel(it, total, drawn, bits):
        k = it.get_global_id(0)
        if k % 3:
            cell = sycl.atomic_ref(total, 0, order.relaxed, scope.device)
            drawn[k] = cell.fetch_add(sycl.popcount(bits[0]))
    queue.parallel_for(sycl.nd_range(GROUPS * LOCAL, LOCAL), kernel, total, drawn, bits).wait()
    taken = sorted(drawn[drawn >= 0].tolist())
    assert list(range(0, 2 * len(taken), 2)) == taken
    assert 2 * len(taken) == total[0] == 2 * 32


@pytest.mark.row("E-33")
def test_no_atomic_operation_is_for_one_work_item_alone(queue: sycl.queue) -> None:
    cells = np.zeros(4, np.int32)

    def alone(i):
        sycl.atomic_ref(cells, i, sycl.memory_order.relaxed,
                        sycl.memory_scope.work_item).fetch_add(1)
    with pytest.raises(sycl.KernelError, match="K054: an atomic operation cannot have the scope"):
        queue.parallel_for(4, alone)

    def shared(it, tile):
        k = it.get_local_id(0)
        if k == 0:
            tile[0] = 0
        sycl.group_barrier(it.get_group())
        sycl.atomic_ref(tile, 0, sycl.memory_order.acq_rel,
                        sycl.memory_scope.system).fetch_add(k + 1)
        sycl.group_barrier(it.get_group())
        cells[it.get_global_id(0)] = tile[0]
    queue.parallel_for(sycl.nd_range(4, 2), shared, sycl.local_accessor(np.int32, 1)).wait()
    assert cells.tolist() == [3] * 4
