"""Attributes of kernels as properties (sycl_ext_oneapi_kernel_properties)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import sub_group_size
from tests.conformance.refusals import code_of

x = sycl.ext.oneapi.experimental


def places(it, p):
    p[it.get_global_id(0)] = it.get_sub_group().get_max_local_range()[0]


def wide(i, p):
    p[i] = sycl.sqrt(np.float64(p[i]))


@pytest.mark.row("M-1", "C-29", "C-30")
@pytest.mark.parametrize("how", ["launch", "decorator", "method", "handler", "functor"])
def test_sizes_mean_what_the_attributes_mean(queue: sycl.queue, how: str) -> None:
    p = sycl.malloc_shared(16, np.int32, queue)
    size = sub_group_size(queue, 4)
    given = x.properties(x.work_group_size(8), x.sub_group_size(size), x.work_group_size_hint(8))

    class Functor:
        def get(self, tag: x.properties_tag) -> Any:
            return given

        def __call__(self, it, p):
            p[it.get_global_id(0)] = it.get_sub_group().get_max_local_range()[0]

    def launch(space: Any) -> None:
        if how == "launch":
            queue.parallel_for(space, given, places, p).wait()
        elif how == "handler":
            queue.submit(lambda h: h.parallel_for(space, given, places, p)).wait()
        elif how == "decorator":
            queue.parallel_for(space, sycl.kernel(properties=given)(places), p).wait()
        elif how == "functor":
            queue.parallel_for(space, Functor(), p).wait()
        else:
            queue.parallel_for(space, [sycl.event()], given, places, p).wait()
    launch(sycl.nd_range(16, 8))
    assert [min(size, 8)] * 16 == p[:].tolist()
    assert sycl.errc.nd_range == code_of(launch, sycl.nd_range(16, 4))
    queue.parallel_for(sycl.nd_range(16, 4), places, p).wait()  # the function itself is as it was


@pytest.mark.row("M-1", "C-31")
def test_aspects_are_required_and_checked(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.float32, queue)
    p[:] = 4
    narrow, fits = x.properties(x.device_has(sycl.aspect.fp16)), x.properties(
        x.device_has(sycl.aspect.fp64))
    if queue.get_device().has(sycl.aspect.fp64):
        queue.parallel_for(4, fits, wide, p).wait()
        assert [2] * 4 == p[:].tolist()
    with pytest.raises(sycl.KernelError, match="K070"):
        queue.parallel_for(4, narrow, wide, p)
    if queue.get_device().has(sycl.aspect.fp64):
        queue.parallel_for(4, wide, p).wait()
    missing = [a for a in sycl.aspect if not queue.get_device().has(a)]
    assert sycl.errc.kernel_not_supported == code_of(
        queue.parallel_for, 4, x.properties(x.device_has(missing[0])), lambda i: None)


@pytest.mark.row("M-1")
def test_properties_stand_before_reductions_and_in_every_kind_of_launch(queue: sycl.queue) -> None:
    total = sycl.malloc_shared(1, np.int32, queue)
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = 1
    given = x.properties(x.sub_group_size(sub_group_size(queue, 4)))

    def summing(it, r, p):
        r += p[it.get_global_id(0)]

    def single(p):
        p[0] = 7

    def hierarchical(g, p):
        def item(h):
            p[h.get_global_id(0)] = 3
        g.parallel_for_work_item(item)
    queue.parallel_for(sycl.nd_range(8, 4), given, sycl.reduction(
        total, sycl.plus(), sycl.property.reduction.initialize_to_identity()), summing, p).wait()
    assert 8 == total[0]
    queue.single_task(given, single, p).wait()
    assert 7 == p[0]
    queue.submit(lambda h: h.single_task(given, single, p)).wait()
    queue.submit(lambda h: h.parallel_for_work_group(
        sycl.range(2), sycl.range(4), given, hierarchical, p)).wait()
    assert [3] * 8 == p[:].tolist()


@pytest.mark.row("M-1")
def test_lists_are_values_and_contradictions_are_refused(queue: sycl.queue) -> None:
    given = x.properties(x.work_group_size(8, 4), x.device_has(sycl.aspect.fp64))
    assert given == x.properties(x.device_has(sycl.aspect.fp64), x.work_group_size(8, 4))
    assert (8, 4) == (given.get_property(x.work_group_size)[0],
                      given.get_property(x.work_group_size)[1])
    assert given.has_property(x.device_has)
    assert not given.has_property(x.sub_group_size)
    invalid = sycl.errc.invalid
    assert invalid == code_of(given.get_property, x.sub_group_size)
    assert invalid == code_of(x.properties, x.sub_group_size(4), x.sub_group_size(8))
    assert invalid == code_of(x.properties, 3)
    assert invalid == code_of(x.work_group_size, 0)
    assert invalid == code_of(x.device_has, "fp64")
    assert invalid == code_of(x.launch_config, 8, x.work_group_size(8))
    assert invalid == code_of(queue.parallel_for, sycl.nd_range(8, 8), given)
    sized = sycl.kernel(reqd_work_group_size=4)(places)
    p = sycl.malloc_shared(8, np.int32, queue)
    assert invalid == code_of(queue.parallel_for, sycl.nd_range(8, 8), x.properties(
        x.work_group_size(8)), sized, p)
