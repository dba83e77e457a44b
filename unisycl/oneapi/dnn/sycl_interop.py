"""Public: engines, streams and memory from SYCL's objects, and back (``dnnl::sycl_interop``).

Non-goals: anything that engines and streams do not take themselves. Invariant: nothing is copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import unisycl as sycl
from unisycl.oneapi.dnn.descriptors import desc
from unisycl.oneapi.dnn.engines import engine, stream
from unisycl.oneapi.dnn.memories import memory
from unisycl.oneapi.dnn.primitives import primitive


def make_engine(device: sycl.device, context: Any = None) -> engine:
    """Return the engine of a device; its context is the device's own."""
    del context
    return engine(device)


def make_stream(where: engine, queue: sycl.queue) -> stream:
    """Return the stream of a queue."""
    del where
    return stream(queue)


def make_memory(what: desc, where: engine, *handle: Any) -> memory:
    """Return memory over an allocation or a buffer; a kind of memory before it is not needed."""
    return memory(what, where, handle[-1] if handle else None)


def get_device(where: engine) -> sycl.device:
    """Return an engine's device."""
    return where.get_device()


def get_context(where: engine) -> sycl.context:
    """Return the context of an engine's queue."""
    return where.queue.get_context()


def get_queue(where: stream) -> sycl.queue:
    """Return a stream's queue."""
    return where.queue


def execute(what: primitive, where: stream, given: Mapping[int, Any],
            deps: Any = ()) -> sycl.event:
    """Execute a primitive behind events, and return its event."""
    return what.execute(where, given, depends_on=deps)
