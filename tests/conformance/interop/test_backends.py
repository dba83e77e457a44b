"""What kinds of devices there are: OpenCL's, CUDA's, custom ones (SYCL 2020 §4.1, §4.6.4.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.forward_progress.test_models import NullDriver, null_device, reported
from tests.conformance.refusals import code_of
from unisycl.backends.opencl.discovery.info import device_info
from unisycl.backends.opencl.memory.levels import Level
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.ext.oneapi import experimental as ext

OPENCL = sycl.backend.opencl


@pytest.mark.row("K-5")
def test_a_device_of_opencl_is_the_platforms_and_takes_its_languages(
        cl: Any, queue: sycl.queue) -> None:
    device = queue.get_device()
    native = sycl.get_native(OPENCL, device)
    major, minor = (int(n) for n in native.version.split()[1].split("."))
    assert (major, minor) >= (1, 2)
    assert native.version.split()[1] == device.get_info(sycl.info.device.version)
    assert device in device.get_platform().get_devices()
    assert device.get_platform().get_backend() is OPENCL
    assert device.has(sycl.aspect.online_compiler)
    source = "kernel void nine(global int *x) { x[get_global_id(0)] = 9; }"
    language = ext.source_language.opencl
    assert ext.is_source_kernel_bundle_supported(device, language)
    bundle = ext.build(ext.create_kernel_bundle_from_source(queue.get_context(), language, source))
    x = np.zeros(5, np.int32)
    with sycl.buffer(x) as b:
        def group(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h))
            h.parallel_for(5, bundle.ext_oneapi_get_kernel("nine"))
        queue.submit(group)
    assert [9] * 5 == x.tolist()
    spirv = native.extensions.split().count("cl_khr_il_program") > 0
    assert spirv is ext.is_source_kernel_bundle_supported(device, ext.source_language.spirv)


def custom() -> sycl.device:
    """Return the device that the OpenCL backend makes of a custom one."""
    found = device_info(replace(reported("1.2"), kind="custom"), Quirks(), Level.system)
    return null_device(NullDriver(automatic=True, infos=(found,)))


@pytest.mark.row("K-8")
def test_a_custom_device_compiles_nothing() -> None:
    device = custom()
    assert device.has(sycl.aspect.custom)
    assert sycl.info.device_type.custom is device.get_info(sycl.info.device.device_type)
    for aspect in (sycl.aspect.online_compiler, sycl.aspect.online_linker, sycl.aspect.cpu):
        assert not device.has(aspect)
    queue = sycl.queue(device)
    with pytest.raises(sycl.exception, match="compiles no kernels, such as 'nothing'") as caught:
        queue.single_task(nothing)
    assert sycl.errc.kernel_not_supported == caught.value.code()
    kernel = sycl.kernel(nothing)
    assert not sycl.has_kernel_bundle(queue.get_context(), [kernel], state=sycl.bundle_state.input)
    assert sycl.errc.invalid == code_of(lambda: sycl.get_kernel_bundle(
        queue.get_context(), [kernel], state=sycl.bundle_state.input))


@pytest.mark.row("K-8")
def test_devices_that_compile_are_not_custom(device: sycl.device) -> None:
    assert not device.has(sycl.aspect.custom)
    sycl.queue(device).single_task(nothing).wait()


def nothing():
    pass


@pytest.mark.row("I-14")
def test_objects_of_a_backend_that_is_not_there_are_refused(queue: sycl.queue) -> None:
    """Which backends there are, and which have devices here."""
    names = {b.name for b in sycl.backend}
    assert {"opencl", "cuda", "cpu", "host"} <= names
    active = {d.get_backend() for d in sycl.device.get_devices()}
    assert queue.get_backend() in active
    for absent in [b for b in sycl.backend if b not in active]:
        for thing in (queue, queue.get_device(), queue.get_context()):
            assert sycl.errc.backend_mismatch == code_of(sycl.get_native, absent, thing)
        assert sycl.errc.backend_mismatch == code_of(sycl.make_device, absent, object())
    if sycl.backend.cuda not in active:
        pytest.skip("not built: there is no backend of CUDA")
