"""Every test below this folder names the conformance rows it checks.

A test with a parameter that is a type which its device lacks must be refused: nobody writes that.
Nor that a test which needs shared or host USM, or an order or scope of atomics, is refused where
the device says that it lacks them.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path

import pytest

import unisycl as sycl
from unisycl.testing import find_device, refused
from unisycl.testing.refusal import NEEDS, PREFIX, needed

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and not any(
                item.get_closest_marker(kind) for kind in ("row", "part")):
            raise pytest.UsageError(f"{item.nodeid}: a conformance test needs @mark.row(...), or "
                                    "@mark.part(...) where it checks a part of a row only")


OPTIONAL = (*NEEDS.values(), sycl.aspect.atomic64)
"""What kernels may be refused for without the test's saying so."""
SHARED = (sycl.aspect.usm_shared_allocations, sycl.aspect.usm_host_allocations,
          sycl.aspect.usm_system_allocations)
ATOMICS = (("order", sycl.memory_order, sycl.info.device.atomic_memory_order_capabilities),
           ("scope", sycl.memory_scope, sycl.info.device.atomic_memory_scope_capabilities))


def refused_by(device: sycl.device, error: sycl.exception) -> bool:
    """Say whether a test ended because of what the device reports that it lacks.

    That is a kind of memory, or an order or scope of atomics, named in the error.
    """
    told, code = error.what(), error.code()
    if code == sycl.errc.feature_not_supported:
        return any(f"needs aspect.{a.name}, which" in told for a in SHARED if not device.has(a))
    return code == sycl.errc.kernel_not_supported and any(
        f"uses atomics of memory {what} {kind.name} " in told
        for what, kinds, info in ATOMICS for kind in kinds if kind not in device.get_info(info))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    try:
        return (yield)
    except sycl.exception as error:
        name = getattr(getattr(item, "callspec", None), "params", {}).get("device")
        if name is None or not refused_by(find_device(name), error):
            raise
        pytest.skip(f"refused: {error.what()}")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    params = pyfuncitem.callspec.params if hasattr(pyfuncitem, "callspec") else {}
    if "device" not in params:
        return (yield)
    try:
        device = find_device(params["device"])
    except LookupError:
        return (yield)
    aspects = needed(params.values())
    if aspects and not all(device.has(a) for a in aspects):
        with refused(device, *aspects):
            return (yield)
    try:
        return (yield)
    except sycl.exception as error:
        if says_what_it_lacks(device, error):
            pytest.skip(f"{PREFIX}{error.what()}")
        raise


def says_what_it_lacks(device: sycl.device, error: sycl.exception) -> bool:
    """Say whether an error refuses an aspect or sub-group size that the device does not have."""
    if error.code() not in (sycl.errc.kernel_not_supported, sycl.errc.feature_not_supported):
        return False
    what = error.what()
    size = re.search(r"requires sub-groups of (\d+); the device", what)
    if size is not None:
        return int(size[1]) not in device.get_info(sycl.info.device.sub_group_sizes)
    return any(f"aspect.{a.name}, which the device" in what and not device.has(a)
               for a in OPTIONAL)
