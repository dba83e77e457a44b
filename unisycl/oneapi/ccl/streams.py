"""Streams, devices and contexts of collective calls: queues and SYCL's own (oneCCL).

Non-goals: anything of their own. Invariant: a stream is its queue.
"""

from __future__ import annotations

from dataclasses import dataclass

import unisycl as sycl
from unisycl.oneapi.frame.refusals import refuse


def init() -> None:
    """Do what oneCCL asks of programs first; there is nothing to do."""


@dataclass(frozen=True)
class stream:
    """A queue, as collective calls take it."""

    queue: sycl.queue

    def get_native(self) -> sycl.queue:
        """Return the queue."""
        return self.queue


def create_stream(queue: sycl.queue) -> stream:
    """Return the stream of a queue."""
    if not isinstance(queue, sycl.queue):
        refuse("create_stream", f"expected a queue, got {type(queue).__name__}")
    return stream(queue)


def create_device(device: sycl.device) -> sycl.device:
    """Return the device."""
    return device


def create_context(context: sycl.context) -> sycl.context:
    """Return the context."""
    return context
