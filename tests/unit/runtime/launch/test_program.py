"""Specialising, checking and caching kernels for a device."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from tests.unit.runtime.null import null_queue, state
from unisycl.backends.null.driver import NullDriver
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.lang.kernels.kernel import kernel as kernel_object
from unisycl.runtime.launch import launch, program


def store(i, p):
    p[i] = 1


def prepare(where, function, space, *arguments):
    return program.prepare(where, function, launch.space_geometry(space), arguments, ())


def test_a_kernel_is_compiled_once_per_device() -> None:
    driver = NullDriver()
    where, p = state(driver), np.zeros(4)
    first = prepare(where, store, 4, p)[1]
    assert first is prepare(where, store, 8, np.zeros(8))[1]
    assert 1 == len(driver.compiled)
    prepare(where, store, 4, np.zeros(4, np.int32))
    assert 2 == len(driver.compiled)
    prepare(state(driver), store, 4, p)
    assert 3 == len(driver.compiled)


def test_a_device_without_the_aspect_refuses() -> None:
    def half(i, p):
        p[i] = p[i] + p[i]
    with pytest.raises(UnsupportedError, match=r"aspect\.fp16") as caught:
        prepare(state(), half, 4, np.zeros(4, np.float16))
    assert errc.kernel_not_supported == caught.value.code()


def test_memory_orders_and_scopes_the_device_lacks_are_refused() -> None:
    import unisycl as sycl
    order, scope = sycl.memory_order, sycl.memory_scope

    def kernel(i, p):
        sycl.atomic_ref(p, i, order.relaxed, scope.device).fetch_add(1, order.seq_cst)
    few = (order.relaxed, order.acquire, order.release, order.acq_rel)
    with pytest.raises(UnsupportedError, match=r"seq_cst at .*test_program\.py:\d+") as caught:
        prepare(state(atomic_orders=few), kernel, 4, np.zeros(4, np.int32))
    assert errc.kernel_not_supported == caught.value.code()
    with pytest.raises(UnsupportedError, match=r"has sub_group, work_group \["):
        prepare(state(atomic_scopes=(scope.sub_group, scope.work_group)), kernel, 4,
                np.zeros(4, np.int32))
    with pytest.raises(UnsupportedError, match=r"aspect\.atomic64"):
        prepare(state(aspects=frozenset({sycl.aspect.fp64})), kernel, 4, np.zeros(4))
    prepare(state(), kernel, 4, np.zeros(4, np.int64))


def test_work_groups_must_fit_the_device() -> None:
    info = state().info
    program.check_local(info, "k", (16, 16))
    with pytest.raises(UsageError, match="512 in dimension 1"):
        program.check_local(info, "k", (1, 512))
    with pytest.raises(UsageError, match="16 x 32") as caught:
        program.check_local(info, "k", (16, 32))
    assert errc.nd_range == caught.value.code()


def test_a_required_size_must_be_the_launchs() -> None:
    @kernel_object(reqd_work_group_size=(16,))
    def needs(it, p):
        p[it.get_global_id(0)] = 1
    import unisycl as sycl
    p = np.zeros(64)
    with pytest.raises(UsageError, match=r"\(16,\)") as caught:
        prepare(state(), needs, sycl.nd_range(64, 32), p)
    assert errc.nd_range == caught.value.code()
    prepare(state(), needs, sycl.nd_range(64, 16), p)


def test_the_guilty_argument_is_named() -> None:
    queue = null_queue()

    def kernel(i, data, more):
        data[i] = 1
    with pytest.raises(UsageError, match=r"argument 'more' is a queue") as caught:
        program.refuse_arguments(kernel, (np.zeros(3), queue))
    assert errc.kernel_argument == caught.value.code()


def test_too_much_local_memory_is_refused() -> None:
    import unisycl as sycl
    queue = null_queue()

    def kernel(it, p, tile):
        tile[it.get_local_id(0)] = 1
        sycl.group_barrier(it.get_group())
        p[it.get_global_id(0)] = tile[0]
    tile = sycl.local_accessor(np.float64, 1 << 20)
    with pytest.raises(UnsupportedError, match="8388608 bytes"):
        queue.parallel_for(sycl.nd_range(8, 8), kernel, np.zeros(8), tile)


class Last:
    """Is the last to hold a device: its end forgets what was compiled for that one."""

    def __init__(self, device: int) -> None:
        self.device = device

    def __del__(self) -> None:
        program.forget([self.device])


def test_what_is_forgotten_may_forget_more() -> None:
    made: Any = program._programs
    keys = [("kernel", -k, "geometry") for k in (1, 2)]
    made[keys[0]], made[keys[1]] = Last(-2), None
    other = threading.Thread(target=program.forget, args=([-1],), daemon=True)
    other.start()
    other.join(30)
    assert not other.is_alive()
    assert not set(keys) & set(made)


def test_a_finaliser_may_forget_while_its_thread_compiles() -> None:
    def compile_and_collect() -> None:
        with program._lock:
            Last(-3)
    other = threading.Thread(target=compile_and_collect, daemon=True)
    other.start()
    other.join(30)
    assert not other.is_alive()
