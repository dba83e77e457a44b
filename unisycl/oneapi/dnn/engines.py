"""Engines and streams: a device, and a queue of it.

Non-goals: computing. Invariant: a stream is a queue, so its primitives are ordered with whatever
else is submitted to that queue.
"""

from __future__ import annotations

import enum
import functools
from typing import Any

import unisycl as sycl
from unisycl.oneapi.dnn.names import error


class engine_kind(enum.IntEnum):
    """What kind of device an engine is of."""

    any = 0
    cpu = 1
    gpu = 2


def _devices(kind: engine_kind) -> list[sycl.device]:
    found = sycl.device.get_devices()
    if kind is engine_kind.cpu:
        return [d for d in found if d.is_cpu()]
    return [d for d in found if d.is_gpu()] if kind is engine_kind.gpu else found


class engine:
    """A device (``dnnl::engine``).

    Args:
        where: a kind, as ``engine.kind.cpu``; or a device, its name, a selector, or a queue.
        index: which device of its kind.
    """

    kind = engine_kind

    __slots__ = ("device", "queue")

    def __init__(self, where: Any = engine_kind.any, index: int = 0) -> None:
        if isinstance(where, engine_kind):
            found = _devices(where)
            if where is engine_kind.any and index == 0:
                self.device = sycl.device()
            elif 0 <= index < len(found):
                self.device = found[index]
            else:
                raise error(f"engine: there is no {where.name} device {index}; there are "
                            f"{len(found)}; engine.get_count(kind) says how many")
        elif isinstance(where, sycl.queue | sycl.device):
            self.device = where.get_device() if isinstance(where, sycl.queue) else where
        else:
            self.device = sycl.queue(where).get_device()
        self.queue = _queue_of(self.device)

    @staticmethod
    def get_count(kind: engine_kind) -> int:
        """Return how many devices of a kind there are."""
        return len(_devices(kind))

    def get_kind(self) -> engine_kind:
        """Return what kind of device it is."""
        return engine_kind.gpu if self.device.is_gpu() else engine_kind.cpu

    def get_device(self) -> sycl.device:
        """Return the device."""
        return self.device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, engine) and self.device == other.device

    def __hash__(self) -> int:
        return hash(self.device)

    def __repr__(self) -> str:
        return f"<engine '{self.device.get_info(sycl.info.device.name)}'>"


@functools.lru_cache(maxsize=64)
def _queue_of(device: sycl.device) -> sycl.queue:
    """Return the queue by which an engine allocates."""
    return sycl.queue(device)


class stream_flags(enum.IntFlag):
    """Whether primitives of a stream run one after the other."""

    in_order = 1
    out_of_order = 2
    default_flags = in_order


class stream:
    """Where primitives are executed (``dnnl::stream``).

    Args:
        where: the engine; or a queue, which is used as it is.
        flags: whether primitives wait for those before them. Out of order they wait for what
            ``depends_on`` names, and for buffers.
    """

    flags = stream_flags

    __slots__ = ("engine", "queue")

    def __init__(self, where: engine | sycl.queue,
                 flags: stream_flags = stream_flags.default_flags) -> None:
        if isinstance(where, sycl.queue):
            self.engine, self.queue = engine(where), where
            return
        if not isinstance(where, engine):
            raise error(f"stream: give an engine or a queue, got {type(where).__name__}")
        self.engine = where
        ordered = [sycl.property.queue.in_order()] if flags & stream_flags.in_order else []
        self.queue = sycl.queue(where.device, *ordered)

    def wait(self) -> stream:
        """Wait for all that was executed in it; errors of these are raised."""
        self.queue.wait_and_throw()
        return self

    def get_engine(self) -> engine:
        """Return the engine."""
        return self.engine

    def get_queue(self) -> sycl.queue:
        """Return the queue."""
        return self.queue


def require_engine(name: str, given: Any) -> engine:
    """Return an engine that was given; refuse what is none."""
    if isinstance(given, stream | sycl.queue | sycl.device):
        return given.engine if isinstance(given, stream) else engine(given)
    if not isinstance(given, engine):
        raise error(f"{name}: an engine is needed, as engine(engine.kind.cpu, 0), got "
                    f"{type(given).__name__}")
    return given


