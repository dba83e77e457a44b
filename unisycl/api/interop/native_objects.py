"""The backends' own objects behind SYCL's (SYCL 2020 §4.5.1, §4.10.2).

What a backend gives for a memory, a queue and so on is the backend's affair (``Driver.native``, one
method per kind); the CPU and the host device give NumPy arrays for memory. Non-goals: making SYCL
objects of native ones. Invariants: the kind of an object is its class or one that it derives from,
whatever it is called; asking for another backend's object is ``errc.backend_mismatch``, never a
guess.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.bundles.kernel_bundle import device_kernel, kernel_bundle
from unisycl.api.bundles.native_kernel import native_kernel
from unisycl.api.bundles.source_bundle import built_bundle
from unisycl.api.devices.context import context
from unisycl.api.devices.device import device, platform
from unisycl.api.devices.queue_base import QueueBase
from unisycl.api.images.image_window import ImageWindow, Picture
from unisycl.api.memory.accessor import accessor
from unisycl.api.memory.buffer import buffer
from unisycl.api.queue.event import event
from unisycl.base.enums import backend
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView, HostUser


@ends_at_call
def get_native(wanted: backend, thing: Any) -> Any:
    """Return the native object of a SYCL object (SYCL 2020 §4.5.1.1).

    Args:
        wanted: the backend whose object is asked for; ``errc.backend_mismatch`` if the object
            belongs to another one.
        thing: a platform, device, context, queue, event, kernel, bundle, buffer or image.

    Returns:
        What the backend has: for events a list, one or none; for bundles a list of programs; for
        buffers and images a list of the memory that devices have got for them so far (none where
        kernels use the host's in place).
    """
    check_backend(wanted)
    if isinstance(thing, buffer | Picture):
        memory = thing.region.memory if isinstance(thing, buffer) else thing.memory
        return [memory.storage()] if wanted in (backend.cpu, backend.host) else _of_memory(
            wanted, memory)
    if isinstance(thing, event):
        return _of_event(wanted, thing)
    if isinstance(thing, native_kernel | device_kernel | built_bundle | kernel_bundle):
        check(wanted, thing.get_backend())
        return _of_kernels(thing)
    if isinstance(thing, QueueBase):
        return _objects(wanted, thing.channel.device).queue()
    if isinstance(thing, context):
        return _objects(wanted, thing.state.devices[0]).context()
    if isinstance(thing, device):
        return _objects(wanted, thing.state).device()
    if isinstance(thing, platform) and thing.states():
        return _objects(wanted, thing.states()[0]).platform()
    raise UsageError(errc.invalid, "get_native: expected a platform, device, context, queue, "
                     f"event, kernel, bundle, buffer or image, got {type(thing).__name__}")


def _objects(wanted: backend, state: DeviceState) -> Any:
    """Return what gives the native objects of a device."""
    check(wanted, state.info.backend)
    return state.driver.native


def _of_memory(wanted: backend, memory: Any) -> list[Any]:
    """Return the memory that devices of a backend have got for a buffer or an image."""
    if memory.copies is None:
        return []
    return [driver.native.memory(BoundView(held, 0, (held.size,), (1,)))
            for driver, held in list(memory.copies.held.values()) if driver.backend is wanted]


def _of_event(wanted: backend, thing: event) -> list[Any]:
    """Return what stands for the command in its backend, while it has not ended."""
    task = thing.task
    completion = None if task is None else task.completion
    if task is None or task.channel is not None:
        check(wanted, thing.get_backend())
    return [] if completion is None else [getattr(completion, "event", completion)]


def _of_kernels(thing: Any) -> Any:
    """Return the native kernel of a kernel, the native programs of a bundle."""
    if isinstance(thing, native_kernel):
        return thing.get_native()
    if isinstance(thing, built_bundle):
        return thing.natives()
    compiled = thing.compiled_forms()
    if isinstance(thing, kernel_bundle):
        return [c.device.driver.native.program(c.program.executable) for c in compiled]
    found = [c.device.driver.native.kernel(c.program.executable) for c in compiled]
    if not found:
        raise UsageError(errc.invalid, f"get_native: {thing!r} has not been compiled; name the "
                         "forms of its launches with kernel.declare")
    return found[0]


def reference_count(wanted: backend, thing: Any) -> int:
    """Return how often the native object of a SYCL object is retained (SYCL 2020 App. C.7.3).

    Args:
        wanted: the backend.
        thing: a device, context, queue, event, kernel, bundle, or buffer; of several native objects
            the first one counts, and none is 0.
    """
    native = get_native(wanted, thing)
    if isinstance(native, list):
        if not native:
            return 0
        native = native[0]
    count = getattr(native, "reference_count", None)
    if count is None:
        raise UsageError(errc.invalid, f"get_reference_count: a {type(thing).__name__} is not "
                         "counted")
    return int(count)


def check(wanted: Any, have: backend) -> None:
    """Refuse to give an object of ``have`` for one of another backend."""
    check_backend(wanted, have)
    if wanted is not have:
        raise UsageError(errc.backend_mismatch, f"this object belongs to the backend "
                         f"'{have.name}', not to '{wanted.name}'")


def check_backend(wanted: Any, such_as: backend = backend.cpu) -> None:
    """Refuse anything but a backend."""
    if not isinstance(wanted, backend):
        raise UsageError(errc.invalid, f"expected a backend such as backend.{such_as.name}, got "
                         f"{type(wanted).__name__}")


@ends_at_call
class interop_handle:
    """Gives a host task its native objects (SYCL 2020 §4.10.2); made by the runtime.

    Each method takes the backend that the caller expects, or none to take what there is.
    """

    __slots__ = ("_channel", "_given", "_queue", "_users")

    def __init__(self, *args: Any) -> None:
        if len(args) not in (2, 3) or not isinstance(args[0], Channel):
            raise UsageError(errc.invalid, "an interop_handle is made for a host task, not by a "
                             "program")
        self._channel: Channel = args[0]
        self._users: list[HostUser] = args[1]
        self._queue: Any = args[2] if len(args) > 2 else None
        self._given: list[Any] = []  # native interfaces may not keep their arguments alive

    def get_backend(self) -> backend:
        """Return the backend of the queue the command group runs on."""
        return self._channel.device.info.backend

    def get_native_queue(self, wanted: backend | None = None) -> Any:
        """Return the native queue the command group runs on."""
        if self._queue is not None:
            self._check(wanted)
            return self._queue
        return self._native(wanted).queue()

    def get_native_device(self, wanted: backend | None = None) -> Any:
        """Return the native device of that queue."""
        return self._native(wanted).device()

    def get_native_context(self, wanted: backend | None = None) -> Any:
        """Return the native context of that queue."""
        return self._native(wanted).context()

    def get_native_mem(self, source: Any, wanted: backend | None = None) -> Any:
        """Return the native memory of an accessor of this command group (SYCL 2020 §4.10.2).

        ``errc.invalid`` for an accessor that the group does not require. On the CPU and the host
        device it is a NumPy array over the memory, of the accessor's range (of an image, its
        stored pixels as bytes); elsewhere the memory of the whole buffer or sub-buffer.
        """
        self._check(wanted)
        if not isinstance(source, accessor | ImageWindow) or source not in self._users:
            raise UsageError(errc.invalid, "get_native_mem: the accessor does not belong to this "
                             "command group; make it with its handler, or require it")
        memory = self._channel.driver.native.memory(source.bound_window(self._channel))
        self._given.append(memory)
        return memory

    def __repr__(self) -> str:
        return f"<interop_handle on {self._channel.device.name}>"

    def _native(self, wanted: backend | None) -> Any:
        self._check(wanted)
        return self._channel.driver.native

    def _check(self, wanted: backend | None) -> None:
        if wanted is not None:
            check(wanted, self.get_backend())
