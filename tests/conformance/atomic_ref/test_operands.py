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
