"""``atomic_ref`` on the host."""

import numpy as np
import pytest

from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.base.errors import BoundsError, UsageError
from unisycl.lang.memory.atomic import atomic_fence, atomic_ref
from unisycl.lang.memory.views import HostView

RELAXED, DEVICE = memory_order.relaxed, memory_scope.device


def ref(data, index=0, order=RELAXED):
    return atomic_ref(HostView(data, "data"), index, order, DEVICE)


@pytest.mark.parametrize("kind", ["i4", "i8", "u4", "u8", "f4", "f8"])
def test_operations_return_the_old_value_in_the_elements_type(kind):
    data = np.array([6], kind)
    a = ref(data)
    assert (a.fetch_add(3), a.load()) == (6, 9)
    assert (a.fetch_sub(4), a.fetch_min(2), a.fetch_max(7), a.exchange(1)) == (9, 5, 2, 7)
    a.store(4)
    assert data[0] == 4
    assert a.load().dtype == data.dtype
    a += 3
    a -= 1
    assert data[0] == 6


def test_bit_operations_are_for_integers():
    data = np.array([12], np.uint32)
    a = ref(data)
    assert (a.fetch_and(10), a.fetch_or(1), a.fetch_xor(3)) == (12, 8, 9)
    a &= 15
    a |= 32
    a ^= 1
    assert data[0] == 43
    with pytest.raises(UsageError, match="for integers, not float32"):
        ref(np.zeros(1, np.float32)).fetch_and(1)


def test_unsigned_integers_wrap():
    data = np.zeros(1, np.uint32)
    with np.errstate(all="ignore"):
        ref(data).fetch_sub(1)
    assert data[0] == 2**32 - 1


@pytest.mark.parametrize("name", ["compare_exchange_strong", "compare_exchange_weak"])
def test_compare_exchange_returns_success_and_the_old_value(name):
    data = np.array([5], np.int64)
    assert getattr(ref(data), name)(4, 9) == (False, 5)
    assert getattr(ref(data), name)(5, 9) == (True, 5)
    assert data[0] == 9


def test_elements_of_other_types_are_refused():
    with pytest.raises(UsageError, match="this is complex128"):
        ref(np.zeros(1, np.complex128))
    with pytest.raises(UsageError, match="not int"):
        atomic_ref(5, 0, RELAXED, DEVICE)


def test_the_order_must_fit_the_operation():
    data = np.zeros(1, np.int32)
    assert (RELAXED, DEVICE) == (atomic_ref(data, 0).default_read_order,
                                 atomic_ref(data, 0).default_scope)
    with pytest.raises(UsageError, match="memory order must be given"):
        atomic_ref(data, 0, DEVICE, RELAXED)
    with pytest.raises(UsageError, match="not acquire"):
        ref(data, order=memory_order.acquire)
    with pytest.raises(UsageError, match=r"load cannot have order release"):
        ref(data).load(memory_order.release)
    with pytest.raises(UsageError, match=r"store cannot have order acquire"):
        ref(data).store(1, memory_order.acquire)
    with pytest.raises(UsageError, match="failure cannot be acq_rel"):
        ref(data).compare_exchange_strong(0, 1, memory_order.seq_cst, memory_order.acq_rel)


def test_default_orders_split_acq_rel():
    a = ref(np.zeros(1, np.int32), order=memory_order.acq_rel)
    assert a.default_read_order is memory_order.acquire
    assert a.default_write_order is memory_order.release
    assert a.default_read_modify_write_order is memory_order.acq_rel
    assert a.default_scope is DEVICE
    assert a.is_lock_free()


def test_an_index_outside_and_private_memory_are_refused_at_once():
    with pytest.raises(BoundsError, match="outside 'data'"):
        ref(np.zeros(2, np.int32), 2)
    with pytest.raises(UsageError, match="private memory"):
        atomic_ref(np.zeros(1, np.int32), 0, RELAXED, DEVICE, address_space.private_space)


def test_a_fence_checks_its_arguments():
    atomic_fence(memory_order.acq_rel, memory_scope.work_group)
    with pytest.raises(UsageError, match="memory scope"):
        atomic_fence(memory_order.acq_rel, None)
