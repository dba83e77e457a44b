"""PyOpenCL for the tests of this folder that take it."""

from __future__ import annotations

from typing import Any

import pytest

import unisycl as sycl

OPENCL = sycl.backend.opencl


ONLY_NATIVE = {f"I-{k}" for k in range(2, 14)} | {"J-12", "K-5", "K-8"}
"""Rows that are about OpenCL's objects alone: devices of other backends refuse all of each."""


@pytest.fixture
def cl(device: sycl.device, request: pytest.FixtureRequest) -> Any:
    """PyOpenCL, once unisycl has shown it its runtimes; devices of other backends refuse."""
    if device.get_backend() != OPENCL:
        with pytest.raises(sycl.exception) as caught:
            sycl.get_native(OPENCL, device)
        assert sycl.errc.backend_mismatch == caught.value.code()
        rows = {row for mark in request.node.iter_markers("row") for row in mark.args}
        pytest.skip(f"{'refused: ' * (rows <= ONLY_NATIVE)}the device is not one of OpenCL's")
    sycl.get_native(OPENCL, device)
    return pytest.importorskip("pyopencl")
