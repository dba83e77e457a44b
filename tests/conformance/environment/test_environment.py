"""Versions, feature tests and what an import does (SYCL 2020 §5.6, §6.3.3, §3.9.12)."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import unisycl as sycl


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


def only_in_plain_python() -> int:
    return int("2")


@sycl.SYCL_EXTERNAL
def where(x):
    if sycl.device_only():
        return x + 1
    return only_in_plain_python()


@pytest.mark.row("A-36", "C-34")
def test_a_helper_knows_whether_it_is_in_a_kernel(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = 0

    def kernel(i, p):
        p[i] = where(p[i])
        if sycl.target_spir() or sycl.fast_relaxed_math():
            p[i] = only_in_plain_python()
    queue.parallel_for(8, kernel, p).wait()
    assert [1] * 8 == p[:].tolist()
    assert 2 == where(0)
    assert not sycl.device_only()


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
    subprocess.run([sys.executable, "-c", CHOSEN, device.get_backend().name,
                    device.get_info(sycl.info.device.name)], check=True)
