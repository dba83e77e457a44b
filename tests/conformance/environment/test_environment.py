"""Versions, feature tests and what an import does (SYCL 2020 §5.6, §6.3.3, §3.9.12)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests import children


@pytest.mark.row("A-35")
def test_versions(device: sycl.device) -> None:
    assert 202012 == sycl.SYCL_LANGUAGE_VERSION
    versions = [sycl.make_version(*parts) for parts in ((1, 2, 0), (2, 1), (3, 0, 1), (3, 1))]
    assert (3, 0, 1) == (versions[2].major, versions[2].minor, versions[2].patch)
    assert versions == sorted(versions)
    assert sycl.name_version(versions[0], "a").version < versions[1]
    info = sycl.info
    assert isinstance(device.get_platform().get_info(info.platform.version), str)
    assert isinstance(device.get_info(info.device.version), str)


@pytest.mark.row("A-36")
def test_features_are_tested_by_attribute(device: sycl.device) -> None:
    assert sycl.SYCL_FEATURE_SET_FULL
    assert sycl.SYCL_DEVICE_COPYABLE
    assert getattr(sycl, f"SYCL_BACKEND_{device.get_backend().name.upper()}")
    assert hasattr(sycl, "SYCL_EXT_ONEAPI_ENQUEUE_BARRIER") == hasattr(
        sycl.queue, "ext_oneapi_submit_barrier")
    assert not hasattr(sycl, "SYCL_EXT_NO_SUCH_VENDOR")
    told = {b.name for b in sycl.backend if hasattr(sycl, f"SYCL_BACKEND_{b.name.upper()}")}
    assert {d.get_backend().name for d in sycl.device.get_devices()} <= told


def only_in_plain_python() -> int:
    return int("2")


@sycl.SYCL_EXTERNAL
def where(x):
    if sycl.device_only():
        return x + 1
    return only_in_plain_python()


@pytest.mark.row("C-34")
@pytest.mark.row("A-36")
def test_a_helper_knows_whether_it_is_in_a_kernel(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = 0

    def kernel(i, p):
        p[i] = where(p[i])
        if sycl.target_spir() or sycl.fast_relaxed_math() or not sycl.single_source():
            p[i] = only_in_plain_python()

    def relaxed(i, p):
        if sycl.fast_relaxed_math():
            p[i] += 10
    queue.parallel_for(8, kernel, p).wait()
    assert [1] * 8 == p[:].tolist()
    queue.parallel_for(8, sycl.kernel(fast_math=True)(relaxed), p).wait()
    queue.parallel_for(8, relaxed, p).wait()
    assert [11] * 8 == p[:].tolist()
    assert 2 == where(0)
    assert not sycl.device_only()
    assert sycl.single_source()


IMPORT = """
import sys, threading
import unisycl as sycl
from unisycl.backends import registry
names = [n for n in dir(sycl) if hasattr(sycl, n)]
assert not registry._loaded.drivers, registry._loaded.drivers
assert "llvmlite.binding" not in sys.modules
assert threading.active_count() == 1
sycl.property.queue.in_order(), sycl.range(3), sycl.buffer(4), sycl.event()
assert not registry._loaded.drivers
sycl.device.get_devices()
assert registry._loaded.drivers
assert "llvmlite.binding" not in sys.modules
"""


CHOSEN = """
import sys
import unisycl as sycl
from unisycl.backends import registry
about, wanted = sycl.info.device, sys.argv[1:]
assert not registry._loaded.drivers
found = next(d for d in sycl.device.get_devices()
             if [d.get_backend().name, d.get_info(about.name)] == wanted)
assert registry._loaded.drivers
q = sycl.queue(found)
assert wanted[0] == q.get_backend().name
"""


@pytest.mark.row("A-34")
def test_an_import_opens_no_driver() -> None:
    subprocess.run([sys.executable, "-c", IMPORT], check=True)


@pytest.mark.row("A-34")
def test_a_device_is_there_once_devices_are_asked_for(device: sycl.device) -> None:
    children.run([sys.executable, "-c", CHOSEN, device.get_backend().name,
                  device.get_info(sycl.info.device.name)], check=True)


FEATURES = {
    "EXT_CODEPLAY_ENQUEUE_NATIVE_COMMAND": "handler.ext_codeplay_enqueue_native_command",
    "EXT_INTEL_BUFFER_LOCATION": "ext.intel.buffer_location",
    "EXT_INTEL_DATAFLOW_PIPES": "ext.intel.pipe",
    "EXT_INTEL_FPGA_LSU": "ext.intel.lsu",
    "EXT_INTEL_FPGA_REG": "ext.intel.fpga_reg",
    "EXT_INTEL_MATRIX": "ext.intel.experimental.matrix.joint_matrix_apply",
    "EXT_INTEL_MEM_CHANNEL_PROPERTY": "ext.intel.mem_channel",
    "EXT_ONEAPI_AUTO_LOCAL_RANGE": "ext.oneapi.experimental.auto_range",
    "EXT_ONEAPI_CHUNK": "ext.oneapi.experimental.chunk",
    "EXT_ONEAPI_DEFAULT_CONTEXT": "platform.ext_oneapi_get_default_context",
    "EXT_ONEAPI_DEVICE_ARCHITECTURE": "ext.oneapi.experimental.architecture_is",
    "EXT_ONEAPI_DEVICE_GLOBAL": "ext.oneapi.experimental.device_global",
    "EXT_ONEAPI_DEVICE_IF": "ext.oneapi.experimental.if_device_has",
    "EXT_ONEAPI_ENQUEUE_BARRIER": "queue.ext_oneapi_submit_barrier",
    "EXT_ONEAPI_ENQUEUE_FUNCTIONS": "ext.oneapi.experimental.nd_launch",
    "EXT_ONEAPI_FORWARD_PROGRESS": "ext.oneapi.experimental.work_group_progress",
    "EXT_ONEAPI_FRAGMENT": "ext.oneapi.experimental.fragment",
    "EXT_ONEAPI_FREE_FUNCTION_KERNELS": "ext.oneapi.experimental.nd_range_kernel",
    "EXT_ONEAPI_FREE_FUNCTION_QUERIES": "ext.oneapi.this_work_item",
    "EXT_ONEAPI_GRAPH": "ext.oneapi.experimental.command_graph",
    "EXT_ONEAPI_GROUP_SORT": "ext.oneapi.experimental.joint_sort",
    "EXT_ONEAPI_KERNEL_COMPILER": "ext.oneapi.experimental.create_kernel_bundle_from_source",
    "EXT_ONEAPI_KERNEL_PROPERTIES": "ext.oneapi.experimental.work_group_size_hint",
    "EXT_ONEAPI_LAUNCH_QUERIES": "kernel",
    "EXT_ONEAPI_LOCAL_MEMORY": "ext.oneapi.group_local_memory",
    "EXT_ONEAPI_MATRIX": "ext.oneapi.experimental.matrix.joint_matrix_mad",
    "EXT_ONEAPI_MEMCPY2D": "queue.ext_oneapi_memcpy2d",
    "EXT_ONEAPI_NON_UNIFORM_GROUPS": "ext.oneapi.experimental.get_ballot_group",
    "EXT_ONEAPI_QUEUE_PRIORITY": "ext.oneapi.property",
    "EXT_ONEAPI_ROOT_GROUP": "ext.oneapi.experimental.root_group",
    "EXT_ONEAPI_SUB_GROUP_MASK": "ext.oneapi.sub_group_mask",
    "EXT_ONEAPI_TANGLE": "ext.oneapi.experimental.tangle",
    "EXT_ONEAPI_WORK_GROUP_MEMORY": "ext.oneapi.experimental.work_group_memory",
    "EXT_ONEAPI_USM_DEVICE_READ_ONLY": "ext.oneapi.property.usm.device_read_only",
    "EXT_UNISYCL_NUMPY_ALLOCATOR": "usm_allocator.ext_unisycl_empty",
    "EXT_ONEAPI_DISCARD_QUEUE_EVENTS": "ext.oneapi.property.queue.discard_events",
    "EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS": "queue.ext_oneapi_get_last_event",
    "EXT_ONEAPI_BINDLESS_IMAGES": "ext.oneapi.experimental.create_image",
    "EXT_ONEAPI_BFLOAT16_MATH_FUNCTIONS": "ext.oneapi.experimental.rsqrt",
    "EXT_ONEAPI_GROUP_OCCUPANCY_QUERIES":
        "ext.oneapi.experimental.info.kernel_queue_specific.recommended_num_work_groups",
    "EXT_ONEAPI_MAX_WORK_GROUP_QUERY": "ext.oneapi.experimental.info.device.max_work_groups",
    "EXT_ONEAPI_PROFILING_TAG": "ext.oneapi.experimental.submit_profiling_tag",
    "EXT_ONEAPI_WORK_GROUP_SCRATCH_MEMORY":
        "ext.oneapi.experimental.get_work_group_scratch_memory",
    "EXT_ONEAPI_GROUP_LOAD_STORE": "ext.oneapi.experimental.group_load",
    "EXT_UNISYCL_GRAPH_CONTROL": "handler.ext_unisycl_while",
    "EXT_UNISYCL_GRAPH_FILES": "ext.unisycl.save_graph",
    "EXT_ONEAPI_ASYNC_MEMORY_ALLOC": "ext.oneapi.experimental.async_malloc",
    "EXT_ONEAPI_INTER_PROCESS_COMMUNICATION": "ext.oneapi.experimental.ipc_memory",
    "EXT_ONEAPI_PEER_ACCESS": "device.ext_oneapi_can_access_peer",
    "EXT_ONEAPI_VIRTUAL_MEM": "ext.oneapi.experimental.physical_mem",
    "EXT_ONEAPI_KERNEL_COMPILER_OPENCL": "ext.oneapi.experimental.source_language.opencl",
    "EXT_ONEAPI_KERNEL_COMPILER_SPIRV": "ext.oneapi.experimental.source_language.spirv",
    "EXT_ONEAPI_PROD": "queue.ext_oneapi_prod",
    "EXT_ONEAPI_PROPERTIES": "ext.oneapi.experimental.properties",
    "EXT_ONEAPI_QUEUE_EMPTY": "queue.ext_oneapi_empty",
    "EXT_UNISYCL_ARRAYS": "ext.unisycl.zeros",
    "EXT_UNISYCL_DISTR_QUEUE": "ext.unisycl.distr_queue",
    "EXT_UNISYCL_TILES": "ext.unisycl.tiles.copy_tile",
    "EXT_UNISYCL_DEVICE_ENQUEUE": "ext.unisycl.enqueue_kernel",
    "EXT_UNISYCL_EVENTS": "ext.unisycl.user_event",
    "EXT_UNISYCL_MAP": "ext.unisycl.mapped_buffer",
    "EXT_UNISYCL_NON_UNIFORM_GROUPS": "ext.unisycl.non_uniform_nd_range",
    "EXT_UNISYCL_EXTERN": "ext.unisycl.extern",
    "EXT_UNISYCL_GROUP_MATCH": "ext.unisycl.group_match",
    "KHR_DEFAULT_CONTEXT": "platform.khr_get_default_context",
    "KHR_DYNAMIC_ADDRSPACE_CAST": "khr.dynamic_addrspace_cast",
    "KHR_FREE_FUNCTION_COMMANDS": "khr.launch",
    "KHR_GROUP_INTERFACE": "khr.work_group",
    "KHR_INCLUDES": "khr.includes.queue",
    "KHR_MAX_NUM_WORK_GROUPS": "khr.info.device.max_num_work_groups_nd_range",
    "KHR_MAX_WORK_GROUP_QUERIES": "khr.info.device.max_work_group_range",
    "KHR_PROPERTIES": "khr.properties",
    "KHR_SPLIT_HEADERS": "khr.split_headers.queue",
    "KHR_QUEUE_EMPTY_QUERY": "queue.khr_empty",
    "KHR_QUEUE_FLUSH": "queue.khr_flush",
    "KHR_STATIC_ADDRSPACE_CAST": "khr.static_addrspace_cast",
    "KHR_WORK_ITEM_QUERIES": "khr.this_nd_item",
}


@pytest.mark.row("A-36")
def test_every_constant_of_an_extension_tells_of_names_that_are_there() -> None:
    told = {name.removeprefix("SYCL_") for name in dir(sycl) if name.startswith(
        ("SYCL_EXT_", "SYCL_KHR_"))}
    assert {*FEATURES, "EXT_ONEAPI_BFLOAT16"} == told  # bfloat16 needs another package
    for constant, path in FEATURES.items():
        assert getattr(sycl, f"SYCL_{constant}") >= 1
        found = sycl
        for name in path.split("."):
            assert name in dir(found), f"{constant}: {path}"
            found = getattr(found, name)
    assert not hasattr(sycl, "SYCL_FEATURE_SET_REDUCED")
    assert sycl.SYCL_IMPLEMENTATION_UNISYCL == 1


@pytest.mark.row("A-36")
def test_every_extension_that_the_sources_cite_has_its_constant() -> None:
    root = Path(sycl.__file__).parent
    cited = {name.upper() for path in root.rglob("*.py") for name in re.findall(
        r"\bsycl_(?:ext|khr)_[a-z]+_[a-z0-9_]*[a-z0-9]", path.read_text(encoding="utf-8"))}
    assert not {name for name in cited if not hasattr(sycl, name)}


@pytest.mark.row("A-36")
@pytest.mark.row("P-16")
def test_the_namespace_of_accesses_has_every_enumeration(queue: sycl.queue) -> None:
    access = sycl.access
    listed = [name for name in dir(access) if not name.startswith("_")]
    assert ["address_space", "decorated", "fence_space", "mode", "placeholder", "target"] == listed
    assert (access.mode, access.target) == (sycl.access_mode, sycl.target)
    assert {"read", "write", "read_write", "discard_write", "discard_read_write", "atomic"} <= set(
        dir(access.mode))
    assert access.target.global_buffer is access.target.device
    assert [False, True] == [x.value for x in access.placeholder]
    out, local = np.zeros(8, np.int32), access.fence_space.local_space

    def kernel(it):  # type: ignore[no-untyped-def]
        it.barrier(access.fence_space.global_and_local)
        it.barrier(local)
        p = sycl.multi_ptr(out, access.address_space.global_space, access.decorated.no)
        p[it.get_global_id(0)] = 3
    queue.parallel_for(sycl.nd_range(8, 4), kernel).wait()
    assert [3] * 8 == out.tolist()


@pytest.mark.row("B-21")
@pytest.mark.row("A-36")
def test_deprecated_modes_and_targets_mean_what_they_meant(queue: sycl.queue) -> None:
    access, x, y = sycl.access, np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    with sycl.buffer(x) as bx, sycl.buffer(y) as by:
        def command(h):  # type: ignore[no-untyped-def]
            a = sycl.accessor(bx, h, access.mode.read, access.target.constant_buffer,
                              access.placeholder.false_t)
            b = sycl.accessor(by, h, access.mode.discard_write, access.target.global_buffer)
            assert b.mode is sycl.access_mode.write
            assert b.has_property(sycl.property.no_init)

            def kernel(i):  # type: ignore[no-untyped-def]
                b[i] = 2 * a[i]
            h.parallel_for(8, kernel)
        queue.submit(command)
        host = sycl.host_accessor(by, access.mode.discard_read_write)
        assert host.mode is sycl.access_mode.read_write
        del host
        for mistaken, way_out in ((access.target.local, "local_accessor"),
                                  (access.target.host_buffer, "host_accessor")):
            with pytest.raises(sycl.exception, match=way_out):
                sycl.accessor(bx, access.mode.read, mistaken)
        with pytest.raises(sycl.exception, match="constant_buffer is for reading"):
            sycl.accessor(bx, access.mode.write, access.target.constant_buffer)


@pytest.mark.row("M-12")
def test_members_that_extensions_add_begin_with_their_vendor() -> None:
    """So no extension takes a name that a later SYCL may give a member of these classes."""
    vendors = {name.split("_")[2].lower() for name in dir(sycl) if name.startswith("SYCL_EXT_")}
    classes = [getattr(sycl, name) for name in dir(sycl)
               if isinstance(getattr(sycl, name), type)]
    members = {name for kind in classes for name in dir(kind) if name.startswith("ext_")}
    assert {"ext_oneapi_submit_barrier", "ext_oneapi_graph"} <= members
    assert [] == sorted(name for name in members if not re.match(
        rf"ext_({'|'.join(vendors)})_[a-z0-9]", name))
    for vendor in vendors:
        assert vendor not in sycl.__all__  # of the library of that name only once it is imported
