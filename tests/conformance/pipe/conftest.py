"""Queues for tests of pipes: each in a context of its own, where the pipes are empty."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.intel import pipe

numbers = pipe(np.int32, 16)


@pytest.fixture
def own(device: sycl.device) -> sycl.queue:
    """Return a queue in a context of its own; pipes need atomics that order other accesses."""
    made = sycl.queue(sycl.context(device), device)
    if sycl.memory_order.acquire not in device.get_info(
            sycl.info.device.atomic_memory_order_capabilities):
        def kernel():
            numbers.write_nb(1)
        with sycl.testing.refused(device, able=False):
            made.single_task(kernel).wait()
            pytest.fail("a pipe worked without atomics of order acquire")
    return made


@pytest.fixture
def waiting(own: sycl.queue) -> sycl.queue:
    """Return such a queue on a device whose kernels can wait for one another."""
    def kernel():
        numbers.write(1)
        numbers.read()
    with sycl.testing.refused(own.get_device()):
        own.single_task(kernel).wait()
    return own


@pytest.fixture
def beside(own: sycl.queue) -> sycl.queue:
    """Return such a queue on a device whose kernels also wait for the host, or for a file."""
    with sycl.testing.refused(own.get_device()):
        numbers.host_write(own, 1)
        numbers.host_read(own)
    return own
