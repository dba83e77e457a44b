"""Kinds of kernels, and features that a device may lack (OpenCL 3.0 §3.2.5, §3.4.2).

No device of CI has a built-in kernel, and none is custom: a program of OpenCL C stands for one, and
what such a device would report for the other.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.forward_progress.test_models import opencl, reported
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.lang.kernels.kernel_id import built_in_id

info = sycl.info.device
SCALE = """__kernel void paper_scale(__global float *x, float by) { x[get_global_id(0)] *= by; }
__kernel void paper_other(__global float *x) { x[get_global_id(0)] = 0; }"""


def double(i, p):
    p[i] = 2 * p[i]


@pytest.mark.row("E-28")
def test_built_in_kernels_are_those_that_the_driver_tells(device: sycl.device) -> None:
    ids, names = device.get_info(info.built_in_kernel_ids), device.get_info(info.built_in_kernels)
    assert names == [one.get_name() for one in ids]
    where = sycl.context(device)
    if device.get_backend() is sycl.backend.opencl:
        native = sycl.get_native(sycl.backend.opencl, device)
        assert names == [n for n in native.built_in_kernels.strip("\0 ").split(";") if n]
    elif device.get_backend() in (sycl.backend.cpu, sycl.backend.host):
        assert ids == []
    for one in ids:
        assert sycl.has_kernel_bundle(where, [device], [one])
    strange = built_in_id._of("no.such.kernel")
    assert not sycl.has_kernel_bundle(where, [device], [strange])
    assert not sycl.is_compatible([strange], device)
    with pytest.raises(sycl.exception, match="no.such.kernel") as caught:
        sycl.get_kernel_bundle(where, [device], [strange])
    assert sycl.errc.invalid is caught.value.code()


@pytest.mark.row("E-28")
def test_a_built_in_kernel_is_launched_from_a_bundle(device: sycl.device,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of OpenCL C stands for what would be built in: no driver here runs any."""
    if device.get_backend() is not sycl.backend.opencl:
        assert device.get_info(info.built_in_kernel_ids) == []  # and none can be made: see above
        return
    cl = pytest.importorskip("pyopencl")
    names = "paper.scale", "paper.other"
    monkeypatch.setattr(device.state, "info", dataclasses.replace(
        device.state.info, built_in_kernels=names))
    asked: list[str] = []

    def made(context: Any, devices: list[Any], wanted: str) -> Any:
        asked.append(wanted)
        return cl._cl._Program(context, SCALE)

    program, kernel = cl._cl._Program, cl.Kernel
    monkeypatch.setattr(cl._cl, "_Program", type("_Program", (program,), {
        "create_with_built_in_kernels": staticmethod(made)}))
    monkeypatch.setattr(cl, "Kernel", lambda p, n: kernel(p, n.replace("paper.", "paper_")))
    ids = device.get_info(info.built_in_kernel_ids)
    assert ids == [built_in_id._of(n) for n in names]
    assert len({*ids, built_in_id._of(names[0])}) == 2
    queue = sycl.queue(device)
    where = queue.get_context()
    assert sycl.is_compatible(ids, device)
    bundle = sycl.get_kernel_bundle(where, [device], [*ids, sycl.get_kernel_id(double)])
    assert set(bundle.get_kernel_ids()) == {*ids, sycl.get_kernel_id(double)}
    scale = bundle.get_kernel(ids[0])
    numbers = np.arange(6, dtype=np.float32)
    with sycl.buffer(numbers) as data:
        def group(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(data, h, sycl.read_write), np.float32(3))
            h.parallel_for(6, scale)
        queue.submit(group).wait_and_throw()
    assert numbers.tolist() == [0, 3, 6, 9, 12, 15]
    assert asked == [names[0]]
    for state in (sycl.bundle_state.input, sycl.bundle_state.object):
        assert not sycl.has_kernel_bundle(where, [device], ids, state)
        with pytest.raises(sycl.exception, match="state executable") as caught:
            sycl.get_kernel_bundle(where, [device], ids, state)
        assert sycl.errc.invalid is caught.value.code()
    with pytest.raises(sycl.exception, match="no form"):
        ids[0].declare(6)


@pytest.mark.row("E-28")
def test_compiled_kernels_have_ids_and_are_no_built_in_ones(queue: sycl.queue) -> None:
    kernel = sycl.kernel(double)
    one = sycl.get_kernel_id(kernel)
    assert one not in queue.get_device().get_info(info.built_in_kernel_ids)
    assert sycl.is_compatible([one], queue.get_device())
    data = np.arange(3)
    queue.parallel_for(3, kernel, data).wait()
    assert data.tolist() == [0, 2, 4]


@pytest.mark.row("E-28")
def test_native_functions_run_as_commands_in_order(queue: sycl.queue) -> None:
    """What OpenCL has as native kernels are host tasks, on every device (SYCL 2020 §4.10)."""
    p = sycl.malloc_shared(4, np.int64, queue)
    p[:] = 1
    first = queue.parallel_for(4, double, p)

    def native(h: sycl.handler) -> None:
        h.depends_on(first)
        h.host_task(lambda: p.__setitem__(slice(None), p[:4] + 5))

    second = queue.submit(native)
    queue.parallel_for(4, second, double, p).wait()
    assert p[:4].tolist() == [14] * 4
    sycl.free(p, queue)


def only_custom(i, p):
    p[i] = 1


@pytest.mark.row("E-28")
def test_kernels_for_custom_devices_are_not_for_others(device: sycl.device) -> None:
    """A device without a compiler runs built-in kernels only; those that compile are not custom."""
    assert device.has(sycl.aspect.custom) is not device.has(sycl.aspect.online_compiler)
    marked = sycl.kernel(device_has=sycl.aspect.custom)(only_custom)
    with pytest.raises(sycl.exception) as caught:
        sycl.queue(device).parallel_for(3, marked, np.zeros(3, np.int32))
    assert caught.value.code() == sycl.errc.kernel_not_supported


@pytest.mark.row("E-28")
def test_a_custom_device_compiles_nothing_and_tells_its_kernels() -> None:
    traits = dataclasses.replace(reported("3.0"), kind="custom",
                                 built_in_kernels=("paper.scale", "paper.other"))
    device = opencl(Traits.from_json(json.loads(json.dumps(traits.to_json()))))
    assert device.has(sycl.aspect.custom)
    assert not device.has(sycl.aspect.online_compiler)
    assert device.get_info(info.device_type) is sycl.info.device_type.custom
    assert device.get_info(info.built_in_kernels) == ["paper.scale", "paper.other"]
    where = sycl.context(device)
    ids = device.get_info(info.built_in_kernel_ids)
    assert sycl.has_kernel_bundle(where, [device], ids)
    with pytest.raises(sycl.exception, match="aspect.online_compiler"):
        sycl.get_kernel_bundle(where, sycl.bundle_state.input)
    with pytest.raises(sycl.exception, match="built into it only") as caught:
        sycl.queue(where, device).parallel_for(3, double, np.zeros(3, np.int32))
    assert caught.value.code() == sycl.errc.kernel_not_supported


def sub_groups(it, p):
    p[it.get_global_id(0)] = sycl.reduce_over_group(it.get_sub_group(), np.int32(1), sycl.plus())


def wide_atomics(i, p):
    sycl.atomic_ref(p, 0, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(
        np.int64(1))


def doubles(i, p):
    p[i] = np.int64(np.float64(p[i]) * 1.5)


def halves(i, p):
    p[i] = np.int64(np.float16(p[i]) * np.float16(1.5))


@pytest.mark.row("E-39")
@pytest.mark.parametrize(("kernel", "needs"), [
    (wide_atomics, sycl.aspect.atomic64), (doubles, sycl.aspect.fp64),
    (halves, sycl.aspect.fp16)], ids=["atomics", "doubles", "halves"])
def test_an_optional_feature_is_there_or_refused_by_name(queue: sycl.queue, kernel: object,
                                                         needs: sycl.aspect) -> None:
    data = np.full(4, 2, np.int64)
    if queue.get_device().has(needs):
        queue.parallel_for(4, kernel, data).wait()
        assert data[0] == (6 if kernel is wide_atomics else 3)
        return
    with pytest.raises(sycl.exception, match=f"aspect.{needs.name}") as caught:
        queue.parallel_for(4, kernel, data)
    assert caught.value.code() == sycl.errc.kernel_not_supported


@pytest.mark.row("E-39")
def test_queries_before_use_tell_what_there_is(device: sycl.device) -> None:
    orders = device.get_info(info.atomic_memory_order_capabilities)
    assert sycl.memory_order.relaxed in orders
    assert device.get_info(info.sub_group_sizes)
    assert device.has(sycl.aspect.usm_device_allocations) in (True, False)
    for size in device.get_info(info.sub_group_sizes):
        kernel = sycl.kernel(reqd_sub_group_size=size)(sub_groups)
        data = np.zeros(size, np.int32)
        sycl.queue(device).parallel_for(sycl.nd_range(size, size), kernel, data).wait()
        assert data.tolist() == [size] * size


@pytest.mark.row("E-39")
def test_core_kernels_need_no_optional_feature(queue: sycl.queue) -> None:
    """Barriers, local memory and 32-bit numbers are there on every device."""
    p = np.arange(32, dtype=np.int32)
    with sycl.buffer(p) as data:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(data, h, sycl.read_write)
            tile = sycl.local_accessor(np.int32, 8, h)

            def reverse(it):
                k = it.get_local_id(0)
                tile[k] = acc[it.get_global_id(0)]
                sycl.group_barrier(it.get_group())
                acc[it.get_global_id(0)] = tile[7 - k]
            h.parallel_for(sycl.nd_range(32, 8), reverse)
        queue.submit(group)
    assert p.tolist() == np.arange(32).reshape(4, 8)[:, ::-1].ravel().tolist()
