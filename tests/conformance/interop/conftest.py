"""PyOpenCL for the tests of this folder that take it."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import unisycl as sycl
from unisycl.testing import find_device

OPENCL = sycl.backend.opencl


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is about OpenCL's objects on other devices, but for rows that are."""
    elsewhere = [item for item in items if "cl" in getattr(item, "fixturenames", ())
                 and not named(item) <= ONLY_NATIVE and not of_opencl(item)]
    if elsewhere:
        gone = {id(item) for item in elsewhere}
        items[:] = [item for item in items if id(item) not in gone]
        config.hook.pytest_deselected(items=elsewhere)


def named(item: pytest.Item) -> set[str]:
    """Return the rows that a test checks."""
    return {row for mark in item.iter_markers("row") for row in mark.args}


def of_opencl(item: pytest.Item) -> bool:
    """Say whether a test runs on a device of OpenCL's, or on one that is not there."""
    return _is_opencl(item.callspec.params["device"])


@functools.cache
def _is_opencl(name: str) -> bool:
    try:
        return find_device(name).get_backend() is OPENCL
    except LookupError:
        return True


ONLY_NATIVE = {f"I-{k}" for k in range(2, 14)} | {"J-12", "K-5", "K-8"}
"""Rows that are about OpenCL's objects alone: devices of other backends refuse all of each."""


@pytest.fixture
def cl(device: sycl.device) -> Any:
    """PyOpenCL, once unisycl has shown it its runtimes; devices of other backends refuse."""
    if device.get_backend() != OPENCL:
        with pytest.raises(sycl.exception) as caught:
            sycl.get_native(OPENCL, device)
        assert sycl.errc.backend_mismatch == caught.value.code()
        pytest.skip("refused: the device is not one of OpenCL's")
    sycl.get_native(OPENCL, device)
    return pytest.importorskip("pyopencl")
