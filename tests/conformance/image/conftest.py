"""A device that lacks images, whatever the devices found have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import unisycl as sycl


@pytest.fixture
def masked() -> Iterator[sycl.queue]:
    """A queue whose device does not have aspect.image."""
    queue = sycl.queue(sycl.cpu_selector_v)
    state = queue.channel.device
    info = state.info
    without = replace(info, aspects=info.aspects - {sycl.aspect.image})
    object.__setattr__(state, "info", without)
    try:
        yield queue
        queue.wait_and_throw()
    finally:
        object.__setattr__(state, "info", info)
