"""What a queue is to others."""

from __future__ import annotations

import unisycl as sycl
from tests.unit.runtime.null import null_queue
from unisycl.api.devices.queue_base import QueueBase


def test_a_queue_is_its_channel() -> None:
    assert issubclass(sycl.queue, QueueBase)
    assert "null" == null_queue().channel.device.name
