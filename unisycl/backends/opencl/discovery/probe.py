"""Asks one OpenCL runtime what devices it has. Runs in a process of its own: a driver may crash.

Non-goals: choosing among devices. Invariant: the last line printed is JSON, whatever the
runtime prints.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.discovery import trial
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.memory import unified_api
from unisycl.backends.opencl.text.quirks import corrected, quirks_of

_NUMBERS = (
    "max_compute_units", "max_work_group_size", "local_mem_size", "global_mem_size",
    "max_mem_alloc_size", "mem_base_addr_align", "max_parameter_size", "vendor_id",
    "max_clock_frequency", "address_bits", "single_fp_config", "double_fp_config",
    "half_fp_config", "svm_capabilities", "host_unified_memory", "local_mem_type",
    "global_mem_cache_type", "global_mem_cacheline_size", "global_mem_cache_size",
    "error_correction_support", "profiling_timer_resolution", "image_support",
    "printf_buffer_size", "queue_on_host_properties", "queue_properties", "max_num_sub_groups",
    "sub_group_independent_forward_progress", "atomic_memory_capabilities",
    "atomic_fence_capabilities", "preferred_work_group_size_multiple", "linker_available",
    "compiler_available", "warp_size_nv", "image2d_max_width", "image2d_max_height",
    "image3d_max_width", "image3d_max_height", "image3d_max_depth", "image_max_buffer_size",
    "max_read_image_args", "max_write_image_args", "max_samplers", "partition_max_sub_devices",
    *(f"native_vector_width_{k}" for k in ("char", "short", "int", "long", "float", "double",
                                           "half")))
_SUB_GROUP_SIZES_INTEL = 0x4108
_UNIFIED_MEMORY = {"host_mem": 0x4190, "device_mem": 0x4191, "single_device_shared_mem": 0x4192,
                   "cross_device_shared_mem": 0x4193, "shared_system_mem": 0x4194}
_KINDS = {2: "cpu", 4: "gpu", 8: "accelerator", 16: "custom"}


@contextlib.contextmanager
def only(libraries: list[Path]) -> Iterator[None]:
    """Let the OpenCL loader see these runtimes when it looks, once, at its first use."""
    before = {n: os.environ.get(n) for n in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES",
                                             "PYOPENCL_HOME", "OPENCL_VENDOR_PATH")}
    with tempfile.TemporaryDirectory(prefix="unisycl-icd-") as folder:
        for k, library in enumerate(libraries):
            Path(folder, f"{k:02d}.icd").write_text(f"{library}\n", encoding="utf-8")
        os.environ["OCL_ICD_VENDORS"] = os.environ["OPENCL_VENDOR_PATH"] = folder
        os.environ["PYOPENCL_HOME"] = folder
        os.environ.pop("OCL_ICD_FILENAMES", None)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def platforms(libraries: list[Path]) -> list[Any]:
    """Return PyOpenCL's platforms of these runtimes; the first call in a process decides."""
    cl = importlib.import_module("pyopencl")  # sets PYOPENCL_HOME itself, so it comes first
    with only(libraries):
        return list(cl.get_platforms())


def describe(device: Any, library: str, number: int) -> Traits:
    """Return what a device reports."""
    platform = device.platform
    extensions = frozenset(str(device.extensions).split())
    return Traits(
        library=library, platform=platform.name.strip(), platform_version=platform.version.strip(),
        name=device.name.strip(), vendor=device.vendor.strip(), version=device.version.strip(),
        driver_version=device.driver_version.strip(), number=number,
        kind=next((k for bit, k in _KINDS.items() if int(device.type) & bit), "custom"),
        c_version=_c_version(device), features=_features(device), extensions=extensions,
        numbers={n: v for n in _NUMBERS if (v := _number(device, n)) is not None}
        | _unified_memory(device, extensions),
        item_sizes=tuple(int(x) for x in device.max_work_item_sizes),
        sub_group_sizes=_sub_group_sizes(device, extensions),
        platform_extensions=frozenset(str(_ask(platform, "extensions") or "").split()),
        built_in_kernels=tuple(
            n for n in str(_ask(device, "built_in_kernels") or "").strip(" \0").split(";") if n))


def _ask(device: Any, name: str) -> Any:
    try:
        return getattr(device, name)
    except Exception:  # noqa: BLE001 - what a device does not know it answers with an error
        return None


def _number(device: Any, name: str) -> int | None:
    value = _ask(device, name)
    return int(value) if isinstance(value, int | bool) or hasattr(value, "__int__") else None


def _c_version(device: Any) -> tuple[int, int]:
    """Return the newest OpenCL C the device compiles."""
    every = _ask(device, "opencl_c_all_versions") or ()
    found = [(v.version >> 22, (v.version >> 12) & 0x3FF) for v in every]
    match = re.search(r"(\d+)\.(\d+)", str(_ask(device, "opencl_c_version") or "1.2"))
    found.append((int(match[1]), int(match[2])) if match else (1, 2))
    return max(found)


def _features(device: Any) -> frozenset[str]:
    return frozenset(f.name for f in _ask(device, "opencl_c_features") or ())


def _sub_group_sizes(device: Any, extensions: frozenset[str]) -> tuple[int, ...]:
    """Return the sizes that can be required."""
    if "cl_intel_required_subgroup_size" not in extensions:
        return ()
    sizes = (ctypes.c_size_t * 16)()
    return tuple(sizes[:_told(device, _SUB_GROUP_SIZES_INTEL, sizes) // ctypes.sizeof(
        ctypes.c_size_t)])


def _told(device: Any, what: int, into: Any) -> int:
    """Ask what PyOpenCL has no name for; return the bytes of the answer, 0 where there is none."""
    ask = ctypes.CDLL(importlib.import_module("pyopencl")._cl.__file__).clGetDeviceInfo
    used = ctypes.c_size_t()
    status = ask(ctypes.c_void_p(device.int_ptr), ctypes.c_uint(what),
                 ctypes.c_size_t(ctypes.sizeof(into)), into, ctypes.byref(used))
    return 0 if status else used.value


def _unified_memory(device: Any, extensions: frozenset[str]) -> dict[str, int]:
    """Return what a device can do with each kind of memory; {} if a function is missing."""
    if unified_api.EXTENSION not in extensions:
        return {}
    api = Api(importlib.import_module("pyopencl"))
    if unified_api.missing(functools.partial(api.extension, device.platform)):
        return {}
    out: dict[str, int] = {}
    for name, number in _UNIFIED_MEMORY.items():
        bits = (ctypes.c_uint64 * 1)()
        if _told(device, number, bits):
            out[f"{name}_capabilities_intel"] = bits[0]
    return out


def _reason(library: str, error: Exception) -> str:
    """Return why a runtime has no devices; the loader passes over a library in silence."""
    if "PLATFORM_NOT_FOUND" in str(error):
        try:
            ctypes.CDLL(library)
        except OSError as why:
            return f"it cannot be loaded: {why}"
    return f"{type(error).__name__}: {error}"


def ask(library: str) -> dict[str, Any]:
    """Return the devices of a runtime that build a kernel, and why others of it do not."""
    cl = importlib.import_module("pyopencl")
    found: list[Any] = []
    problems = []
    for platform in platforms([Path(library)]):
        for number, device in enumerate(platform.get_devices()):
            traits = describe(device, library, number)
            why = trial.failure(cl, device, corrected(traits, quirks_of(traits)))
            if why:
                problems.append(f"{traits.platform}, {traits.name}: {why}")
            else:
                found.append(traits.to_json())
    return {"devices": found, **({"problem": "; ".join(problems)} if problems else {})}


def main(library: str) -> None:
    """Print what a runtime has as one line of JSON on the standard output there was."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # drivers print, too
    try:
        answer = ask(library)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is the answer
        answer = {"problem": _reason(library, error)}
    out.write("\n" + json.dumps(answer) + "\n")
    out.flush()
    os._exit(0)  # drivers may hang when unloaded
