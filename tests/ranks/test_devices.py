"""Ranks that have several devices: each rank's part is shared out among them."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.ranks import programs, queue_checks, random_programs
from tests.runtimes import skip_where_one_kernel_cannot_overlap
from unisycl.oneapi import ccl

x = sycl.ext.unisycl


@pytest.mark.part("R-1")
@pytest.mark.part("R-2")
def test_a_device_twice_computes_what_it_does_once(device: sycl.device) -> None:
    skip_where_one_kernel_cannot_overlap(device)
    q, alone = x.distr_queue([device, device]), x.distr_queue(device)
    for check in (queue_checks.check_ids, queue_checks.check_columns,
                  queue_checks.check_reductions, queue_checks.check_splits):
        check(q)
    for program in (programs.heat, programs.nbody):
        assert np.array_equal(program(q), program(alone))


@pytest.mark.part("R-1")
def test_unlike_devices_share_a_rank(device: sycl.device) -> None:
    skip_where_one_kernel_cannot_overlap(device)
    one = programs.heat_by_numpy()
    for found in ccl.run_threads(2, lambda c: programs.heat(x.distr_queue(["cpu", device]))):
        np.testing.assert_allclose(found, one, rtol=1e-11)


@pytest.mark.part("R-1")
@pytest.mark.part("R-3")
def test_random_programs_by_devices(device: sycl.device) -> None:
    skip_where_one_kernel_cannot_overlap(device)
    random_programs.check(5, 1, ["cpu", device])
    random_programs.check(18, 2, [device, "cpu"], debug=True)


@pytest.mark.part("R-1")
def test_parts_of_a_device_and_a_platform() -> None:
    cpu = sycl.device("cpu")
    halves = cpu.create_sub_devices(sycl.info.partition_property.partition_equally, 1)
    q = x.distr_queue(halves)
    assert q.get_devices() == halves
    assert np.allclose(programs.heat(q), programs.heat_by_numpy(), rtol=1e-12)
    every = cpu.get_platform().get_devices()
    assert x.distr_queue(cpu.get_platform()).get_devices() == every
    shared = ccl.run_threads(2, lambda c: x.distr_queue(cpu.get_platform()).get_devices())
    assert shared == [every[k::2] or [every[k % len(every)]] for k in range(2)]
    ordered = x.distr_queue(["cpu", "cpu"], sycl.property.queue.in_order())
    assert np.allclose(programs.heat(ordered), programs.heat_by_numpy(), rtol=1e-12)


@pytest.mark.part("R-7")
def test_what_several_devices_cannot_do_is_refused() -> None:
    q = x.distr_queue(["cpu", "host"])
    u, plain = x.distr_buffer((8, 2)), sycl.buffer(8, np.float64)

    def group(what, *how):
        def inside(h):
            a = sycl.accessor(what, h, *how)

            def one(i):
                a[0] = 1.0
            h.parallel_for(8, one)
        return inside
    with pytest.raises(sycl.exception, match="devices 0 and 1 of rank 0 would both write"):
        q.submit(group(u, x.all, sycl.write_only))
    with pytest.raises(sycl.exception, match="one buffer that has no parts"):
        q.submit(group(plain, sycl.read_write))
    with pytest.raises(sycl.exception, match="give devices once"):
        x.distr_queue(["cpu"], "host")
    with pytest.raises(sycl.exception, match="give the identity before"):
        q.submit(lambda h: h.parallel_for(
            4, sycl.reduction(x.distr_buffer(1), h, lambda a, b: a + b), lambda i, r: None))
    q.wait()
    assert np.array_equal(queue_checks.fill_ids(q, (4,)).shape, (4,))


@pytest.mark.part("R-7")
def test_a_device_that_leaves_its_share_is_named() -> None:
    q = x.distr_queue(["host", "host"])
    u = queue_checks.fill_ids(q, (8,))

    @q.submit
    def _(h):
        a = sycl.accessor(u, h, x.one_to_one, sycl.read_write)

        def far(i):
            a[(int(i) + 1) % 8] = 1
        h.parallel_for(8, far)
    with pytest.raises(sycl.exception, match="outside the part"):
        q.wait()
