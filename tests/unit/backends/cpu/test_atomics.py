"""What machine instructions atomics on the CPU come to: as few locks as the meaning allows."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.making import text_of
from unisycl.backends.cpu.variants import Key
from unisycl.frontend.specialize import specialize

order, scope = sycl.memory_order, sycl.memory_scope
bins = np.zeros(256, np.int32)
values = np.zeros(1024, np.int32)
sums = np.zeros(4, np.float32)


def llvm(function: object) -> str:
    kernel = specialize(function, "nd_range", 1, (sycl.local_accessor(np.int32, 64),), (),
                        (64,)).kernel
    module, _ = text_of(kernel, Key(edge=False, small=True, stream=False))
    return module.text()


def one_element(it, own):
    sycl.atomic_ref(bins, 3, order.relaxed, scope.device).fetch_add(values[it.get_global_id(0)])


def ticket(it, own):
    i = it.get_global_id(0)
    values[i] = sycl.atomic_ref(bins, 3, order.relaxed, scope.device).fetch_add(1)


def many_elements(it, own):
    i = it.get_global_id(0)
    sycl.atomic_ref(bins, values[i], order.relaxed, scope.device).fetch_add(1)


def local(it, own):
    i = it.get_global_id(0)
    sycl.atomic_ref(own, values[i], order.seq_cst, scope.system).fetch_add(1)
    sycl.group_barrier(it.get_group())
    values[i] = own[it.get_local_id(0)]


def own_group(it, own):
    i = it.get_global_id(0)
    sycl.atomic_ref(bins, values[i], order.relaxed, scope.work_group).fetch_add(1)


def floats(it, own):
    sycl.atomic_ref(sums, 0, order.relaxed, scope.device).fetch_add(
        np.float32(values[it.get_global_id(0)]))


@pytest.mark.parametrize(("kernel", "locked"), [
    (one_element, 2), (ticket, 1), (floats, 2), (local, 0), (own_group, 0)])
def test_a_sub_group_locks_once_or_not_at_all(kernel: object, locked: int) -> None:
    """Sums have one lock more, for those of a call that adds up by itself."""
    text = llvm(kernel)
    assert locked == text.count("atomicrmw") + text.count(" cmpxchg")


def test_elements_of_their_own_are_locked_one_by_one() -> None:
    assert llvm(many_elements).count("atomicrmw") >= 8


def test_a_loop_from_the_id_loads_rows_not_single_elements() -> None:
    def histogram(it, own):
        for k in range(it.get_local_id(0), 1024, 64):
            sycl.atomic_ref(own, values[k], order.relaxed, scope.work_group).fetch_add(1)
    text = llvm(histogram).split("define", 1)[1]
    assert "masked.gather" not in text
    assert text.index("= load <") < text.index("masked.load.v")
