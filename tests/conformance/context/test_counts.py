"""Descriptors that SYCL 2020 deprecates, and those that SYCL 1.2.1 had (SYCL 2020 App. A)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

info = sycl.info


@sycl.kernel
def add_one(i, p):  # type: ignore[no-untyped-def]
    p[i] += 1


@pytest.mark.row("P-10")
def test_every_object_tells_its_reference_count(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    add_one.declare(4, p)
    kernel = sycl.get_kernel_bundle(queue.get_context(), [add_one]).get_kernel(add_one)
    asked = [(queue.get_device(), info.device), (queue.get_context(), info.context),
             (queue, info.queue), (kernel, info.kernel), (sycl.event(), info.event),
             (queue.parallel_for(4, add_one, p), info.event)]
    for thing, about in asked:
        count = thing.get_info(about.reference_count)
        assert type(count) is int
        assert count >= 1
    assert queue.get_device().get_info(info.device.reference_count) == 1
    assert kernel.get_info(info.kernel.function_name) == "add_one"
    assert kernel.get_info(info.kernel.context) == queue.get_context()
    queue.wait()


@pytest.mark.row("P-10")
def test_deprecated_descriptors_answer_in_the_stated_types(device: sycl.device) -> None:
    place = device.get_platform()
    assert all(isinstance(name, str) for name in place.get_info(info.platform.extensions))
    types = {"extensions": list, "built_in_kernels": list, "host_unified_memory": bool,
             "is_endian_little": bool, "is_compiler_available": bool, "is_linker_available": bool,
             "queue_profiling": bool, "image_support": bool, "max_constant_args": int,
             "max_constant_buffer_size": int, "error_correction_support": bool,
             "printf_buffer_size": int, "image_max_array_size": int}
    found = {name: device.get_info(getattr(info.device, name)) for name in types}
    assert types == {name: type(value) for name, value in found.items()}
    assert found["queue_profiling"] == device.has(sycl.aspect.queue_profiling)


DESCRIPTORS: dict[str, dict[str, type]] = {
    "platform": {"extensions": list, "name": str, "vendor": str, "version": str, "profile": str},
    "context": {"devices": list, "platform": sycl.platform, "reference_count": int,
                **dict.fromkeys([f"atomic_{kind}_{what}_capabilities" for kind in (
                    "fence", "memory") for what in ("order", "scope")], list)},
    "queue": {"context": sycl.context, "device": sycl.device, "reference_count": int},
    "event": {"command_execution_status": info.event_command_status, "reference_count": int},
    "kernel": {"attributes": str, "context": sycl.context, "function_name": str, "num_args": int,
               "reference_count": int},
    "kernel_device_specific": {
        "compile_num_sub_groups": int, "compile_sub_group_size": int,
        "compile_work_group_size": sycl.id, "global_work_size": sycl.id,
        "max_num_sub_groups": int, "max_sub_group_size": int,
        "preferred_work_group_size_multiple": int, "private_mem_size": int,
        "work_group_size": int}}
OPENCL_ONLY = {"profile"}
NATIVE_ONLY = {"num_args", "global_work_size"}  # of kernels of native objects or built in


@pytest.mark.row("P-10")
def test_every_descriptor_of_every_other_object_has_its_type(queue: sycl.queue) -> None:
    device, p = queue.get_device(), sycl.malloc_shared(4, np.int32, queue)
    add_one.declare(4, p)
    kernel = sycl.get_kernel_bundle(queue.get_context(), [add_one]).get_kernel(add_one)
    things = {"platform": device.get_platform(), "context": queue.get_context(), "queue": queue,
              "event": queue.parallel_for(4, add_one, p), "kernel": kernel,
              "kernel_device_specific": kernel}
    opencl = device.get_backend() is sycl.backend.opencl
    for about, types in DESCRIPTORS.items():
        listed = getattr(info, about)
        of_launches = {n for n in dir(listed) if about == "kernel" and n.startswith("max_")}
        assert {n for n in dir(listed) if not n.startswith("_")} - of_launches == set(types)
        more = (device,) if about == "kernel_device_specific" else ()
        for name, kind in types.items():
            if name in NATIVE_ONLY or (name in OPENCL_ONLY and not opencl):
                with pytest.raises(sycl.exception, match=name) as caught:
                    things[about].get_info(getattr(listed, name), *more)
                assert caught.value.code() == sycl.errc.invalid
                continue
            found = things[about].get_info(getattr(listed, name), *more)
            assert isinstance(found, kind), (about, name)
    queue.wait()
