"""What kinds of devices promise (FP Table 1 and §6.2.3), and what follows for kernels.

Devices that nobody here owns are made of what they would report; they record launches and run
nothing. That all groups of a card's launch are there at once, ``test_progress`` sees on live ones;
that only such launches take the card's call for it, ``tests/unit/backends/cuda/test_launches.py``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.graph.builder import null_device
from unisycl.backends.null.driver import INFO, NullDriver
from unisycl.backends.opencl.discovery.info import device_info
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.memory.levels import Level
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.forward_progress import MODELS, Levels, strongest
from unisycl.ext.oneapi import experimental as exp
from unisycl.ext.oneapi.experimental import execution_scope as scope
from unisycl.ext.oneapi.experimental import forward_progress_guarantee as guarantee

info = sycl.info
WEAK, PARALLEL, CONCURRENT = (guarantee.weakly_parallel, guarantee.parallel, guarantee.concurrent)
PAIRS = [(s, c) for s in scope for c in scope if s < c]


def reported(version: str, *extensions: str, **numbers: int) -> Traits:
    major, minor = version.split(".")
    return Traits(
        library="", platform="Paper", platform_version="", name="Paper", vendor="",
        version=f"OpenCL {version} paper", driver_version="", kind="gpu", number=0,
        c_version=(int(major), int(minor)), features=frozenset(),
        extensions=frozenset(extensions), sub_group_sizes=(16,), item_sizes=(256, 256, 64),
        numbers={"max_work_group_size": 256, "max_compute_units": 4, **numbers})


def opencl(traits: Traits) -> sycl.device:
    """Return the device that the OpenCL backend makes of what a driver reports."""
    found = device_info(traits, Quirks(), Level.system)
    return null_device(NullDriver(automatic=True, infos=(found,)))


def other(levels: Levels, groups: int = 0) -> sycl.device:
    """Return a device of a backend that knows what kind of device it has."""
    made = replace(INFO, progress=levels, resident_groups=groups)
    return null_device(NullDriver(automatic=True, infos=(made,)))


def table(device: sycl.device) -> dict[tuple[scope, scope], guarantee]:
    return {pair: device.get_info(info.device.forward_progress_guarantee[pair]) for pair in PAIRS}


ONLY_WEAK = dict.fromkeys(PAIRS, WEAK)
SUB_GROUPS = ONLY_WEAK | {(scope.sub_group, scope.work_group): CONCURRENT}
OWN = "sub_group_independent_forward_progress"


@pytest.mark.row("H-17")
@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2"])
def test_opencl_1_promises_nothing(version: str) -> None:
    device = opencl(reported(version))
    assert ONLY_WEAK == table(device)
    assert not device.get_info(info.device.sub_group_independent_forward_progress)


@pytest.mark.row("H-18")
@pytest.mark.parametrize(("traits", "apart"), [
    (reported("2.1", **{OWN: 1}), True), (reported("2.1", **{OWN: 0}), False),
    (reported("2.0", "cl_khr_subgroups"), True), (reported("2.0"), False),
    (reported("3.0", **{OWN: 1}), True), (reported("3.0"), False)])
def test_opencl_2_promises_what_it_says_of_sub_groups(traits: Traits, apart: bool) -> None:
    device = opencl(traits)
    assert (SUB_GROUPS if apart else ONLY_WEAK) == table(device)
    assert apart is device.get_info(info.device.sub_group_independent_forward_progress)


@pytest.mark.row("H-17", "H-18")
def test_live_devices_follow_what_they_report(device: sycl.device) -> None:
    """What all kernels get, kernels can ask for; not the other way round."""
    own = device.get_info(info.device.sub_group_independent_forward_progress)
    found = device.get_info(info.device.forward_progress_guarantee[
        scope.sub_group, scope.work_group])
    assert found is CONCURRENT or not own
    if device.get_backend() is sycl.backend.opencl:
        assert (SUB_GROUPS if own else ONLY_WEAK) == table(device)


def asking(g: guarantee, s: Any = exp.work_group_progress) -> Any:
    @sycl.kernel(properties=s(g, scope.root_group))
    def kernel(it, x):
        x[it.get_global_id(0)] = 1
    return kernel


def try_on(device: sycl.device, kernel: Any, groups: int) -> sycl.errc:
    """Return what a launch of so many groups of one item comes to."""
    try:
        sycl.queue(device).parallel_for(sycl.nd_range(groups, 1), kernel,
                                        np.zeros(groups, np.int32)).wait()
    except sycl.exception as error:
        return error.code()
    return sycl.errc.success


@pytest.mark.row("H-7", "H-19")
def test_groups_that_have_begun_go_on_where_occupancy_bounds_them() -> None:
    device = other(MODELS["occupancy"])
    assert ONLY_WEAK | {(scope.work_group, scope.root_group): PARALLEL} == table(device)
    assert sycl.errc.success == try_on(device, asking(PARALLEL), 1000)
    assert sycl.errc.feature_not_supported == try_on(device, asking(CONCURRENT), 1)


@pytest.mark.row("H-8", "H-10", "H-19")
def test_a_cooperative_launch_makes_as_many_concurrent_as_are_resident() -> None:
    device = other(MODELS["cooperative"], 132)
    assert ONLY_WEAK | {(scope.work_group, scope.root_group): CONCURRENT} == table(device)
    kernel = asking(CONCURRENT)
    queue = sycl.queue(device)
    bundle = sycl.get_kernel_bundle(queue.get_context(), [kernel]).get_kernel(kernel)
    assert 132 == bundle.get_info(info.kernel.max_num_work_groups, queue, 1)
    assert sycl.errc.success == try_on(device, kernel, 132)
    assert sycl.errc.nd_range == try_on(device, kernel, 133)
    assert sycl.errc.success == try_on(device, asking(PARALLEL), 1000)


@pytest.mark.row("H-19")
def test_items_that_are_scheduled_one_by_one_are_parallel() -> None:
    device = other(strongest(MODELS["cooperative"], MODELS["items"]), 132)
    assert dict.fromkeys(PAIRS, PARALLEL) | {
        (scope.work_group, scope.root_group): CONCURRENT} == table(device)
    assert sycl.errc.success == try_on(device, asking(PARALLEL, exp.work_item_progress), 8)
    code = try_on(device, asking(CONCURRENT, exp.work_item_progress), 8)
    assert sycl.errc.feature_not_supported == code


@pytest.mark.row("H-19")
def test_live_devices_give_their_groups_what_they_promise(device: sycl.device) -> None:
    level = table(device)[scope.work_group, scope.root_group]
    for wanted in guarantee:
        kernel = asking(wanted)
        code = try_on(device, kernel, 1)
        assert code == (sycl.errc.success if wanted in at_most(level)
                        else sycl.errc.feature_not_supported)
    if level is CONCURRENT:
        queue, kernel = sycl.queue(device), asking(CONCURRENT)
        bundle = sycl.get_kernel_bundle(queue.get_context(), [kernel]).get_kernel(kernel)
        most = bundle.get_info(info.kernel.max_num_work_groups, queue, 1)
        assert sycl.errc.success == try_on(device, kernel, most)
        assert sycl.errc.nd_range == try_on(device, kernel, most + 1)


def at_most(level: guarantee) -> tuple[guarantee, ...]:
    """Return the guarantees that a kernel may ask for where this is the strongest."""
    order = (WEAK, PARALLEL, CONCURRENT)
    return order[:order.index(level) + 1]
