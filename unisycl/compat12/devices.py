"""Selectors, devices, contexts and queues in SYCL 1.2's spelling (§3.5).

Each is also made of OpenCL's object, as PyOpenCL has it, and gives one back by ``get``. Non-goals:
those of the CPU and the host device; there are none. Invariant: the host device of 1.2 is the one
where CPython runs the kernels.
"""

from __future__ import annotations

import abc
from types import TracebackType
from typing import Any

from unisycl.api.devices import context as contexts
from unisycl.api.devices import device as devices
from unisycl.api.devices import selector
from unisycl.api.devices.info import HasBackendInfo, device_type
from unisycl.api.interop.make import make_context, make_device, make_platform, make_queue
from unisycl.api.interop.native_objects import get_native
from unisycl.api.queue import queue as queues
from unisycl.base.enums import NATIVE_OF_12, backend
from unisycl.base.errors import UsageError, errc
from unisycl.base.foreign_objects import is_native
from unisycl.base.tracebacks import ends_at_call
from unisycl.compat12 import graphics


class Legacy(HasBackendInfo):
    """What SYCL 1.2 asks of every object of the runtime."""

    __slots__ = ()

    def is_host(self) -> bool:
        """Say whether it is the host device, or on it (SYCL 1.2 §2.11)."""
        return self.get_backend() is backend.host

    def get(self) -> Any:
        """Return OpenCL's object, retained for the caller (SYCL 1.2 §2.5.10).

        It is released when the caller drops it. Raises ``errc.backend_mismatch`` on the host device
        and wherever else there is none behind it.
        """
        self.check_native()
        return retained(get_native(NATIVE_OF_12, self))

    def check_native(self) -> None:
        """Refuse ``get`` where no object of OpenCL's is behind this one (internal)."""
        if self.get_backend() is not NATIVE_OF_12:
            raise UsageError(errc.backend_mismatch, f"get: the backend '{self.get_backend().name}' "
                             "has none of the native objects that SYCL 1.2 means; get_native gives "
                             "what it has")


# CL_DEVICE_TYPE_DEFAULT and so on, which SYCL 1.2's get_devices take.
_TYPES = {1: device_type.automatic, 2: device_type.cpu, 4: device_type.gpu,
          8: device_type.accelerator, 16: device_type.custom, 0xFFFFFFFF: device_type.all}


def _type(kind: Any) -> Any:
    """Return the type that is meant; the callee refuses anything else."""
    if kind is None:
        return device_type.all
    return _TYPES.get(kind, kind) if isinstance(kind, int) else kind


def retained(native: Any) -> Any:
    """Return another reference to an object of PyOpenCL's, counted by OpenCL as one."""
    return type(native).from_int_ptr(native.int_ptr, retain=True)


@ends_at_call
class device_selector(abc.ABC):
    """Ranks devices: a subclass defines ``__call__(device) -> int`` (SYCL 1.2 §3.5.1)."""

    @abc.abstractmethod
    def __call__(self, device: Any) -> int:
        """Return the device's score; a negative one never selects."""

    def select_device(self) -> device:
        """Return the device with the highest score; ``errc.runtime`` if none may be selected."""
        return device(self)


class default_selector(device_selector):
    """Selects the best device there is."""

    __call__ = staticmethod(selector.default_selector_v)


class cpu_selector(device_selector):
    """Selects a CPU."""

    __call__ = staticmethod(selector.cpu_selector_v)


class gpu_selector(device_selector):
    """Selects a GPU."""

    __call__ = staticmethod(selector.gpu_selector_v)


class accelerator_selector(device_selector):
    """Selects an accelerator."""

    __call__ = staticmethod(selector.accelerator_selector_v)


class host_selector(device_selector):
    """Selects the host device."""

    __call__ = staticmethod(selector.host_selector_v)


@ends_at_call
class platform(Legacy, devices.platform):
    """A platform (SYCL 1.2 §3.5.2).

    Args:
        source: as for ``unisycl.platform``, or OpenCL's platform.

    ``get_devices`` of the class gives those of all platforms: ``platform.get_devices(kind)``.
    """

    __slots__ = ()

    def __init__(self, source: Any = selector.default_selector_v) -> None:
        if is_native(source):
            self._name = make_platform(NATIVE_OF_12, source)._name
        else:
            super().__init__(source)

    @staticmethod
    def get_platforms() -> list[devices.platform]:
        """Return all platforms (Table 3.6)."""
        return [platform._of(p._name) for p in devices.platform.get_platforms()]

    def get_devices(self: Any = None, kind: Any = None) -> list[devices.device]:
        """Return the devices of a type: of this platform, or called on the class of all of them.

        Args:
            kind: an ``info.device_type``, or OpenCL's number of one; all if left out.
        """
        if isinstance(self, platform):
            return [device._of(d.state) for d in devices.platform.get_devices(self, _type(kind))]
        return device.get_devices(self if kind is None else kind)


@ends_at_call
class device(Legacy, devices.device):
    """A device (SYCL 1.2 §3.5.3).

    Args:
        source: as for ``unisycl.device``, or OpenCL's device.
    """

    __slots__ = ()

    def __init__(self, source: Any = selector.default_selector_v) -> None:
        if is_native(source):
            self.state = make_device(NATIVE_OF_12, source).state
        else:
            super().__init__(source)

    def get_platform(self) -> platform:
        """Return the platform the device belongs to."""
        return platform._of(self.state.platform)

    @staticmethod
    def get_devices(kind: Any = None) -> list[devices.device]:
        """Return all devices of a type, which may be OpenCL's number of one (Table 3.8)."""
        return [device._of(d.state) for d in devices.device.get_devices(_type(kind))]


@ends_at_call
class context(Legacy, contexts.context):
    """A context (SYCL 1.2 §3.5.4).

    Args:
        args: as for ``unisycl.context``; or OpenCL's context, and an asynchronous handler if
            wanted; before the devices a dictionary of the properties of Table 4.4, for a context
            that shares memory with OpenGL (``errc.feature_not_supported`` where a device does not
            report that it can).
    """

    __slots__ = ()

    def __init__(self, *args: Any, **named: Any) -> None:
        asked = graphics.asked_of(args[0]) if args and isinstance(args[0], dict) else None
        if asked is not None:
            given = contexts.context(*args[1:2]).get_devices()
            args = (graphics.native_context(asked, given), *args[2:])
        if args and is_native(args[0]):
            made = make_context(NATIVE_OF_12, *args, **named)
            self.state, self._properties = made.state, made._properties
        else:
            super().__init__(*args, **named)
        if asked is not None:
            graphics.note(self, asked)

    def get_gl_current_device(self) -> device:
        """Return the device that draws for the OpenGL context (SYCL 1.2 Table 4.5).

        ``errc.feature_not_supported`` where the device does not share with OpenGL,
        ``errc.invalid`` for a context that was made without its properties.
        """
        return device(graphics.devices_of("get_gl_current_device", self, "current")[0])

    def get_gl_context_devices(self) -> list[device]:
        """Return the devices that share with the OpenGL context (SYCL 1.2 Table 4.5)."""
        return [device(d) for d in graphics.devices_of("get_gl_context_devices", self, "all")]


@ends_at_call
class queue(Legacy, queues.queue):
    """A queue whose end waits for its work (SYCL 1.2 §3.5.5).

    Args:
        args: a context, a device selector or a device, an asynchronous handler; a single function
            is the handler. Or OpenCL's queue, and the handler.

    Errors without a handler are dropped (SYCL 1.2 §3.5.5.1).
    """

    __slots__ = ("_native_queue",)

    def __init__(self, *args: Any, async_handler: Any = None) -> None:
        if args and is_native(args[0]):
            self._over_native(*args, named=async_handler)
            return
        handlers = [a for a in args if callable(a) and not isinstance(
            a, device_selector | devices.device | contexts.context | type)]
        rest = [a for a in args if not any(a is h for h in handlers)]
        if len(handlers) > 1:  # a function of SYCL 2020 that selects, then the handler
            rest.insert(0, handlers[0])
        found = async_handler or (handlers[-1] if handlers else _drop)
        super().__init__(*rest, async_handler=found)

    def _over_native(self, native: Any, found: Any = None, *, named: Any = None) -> None:
        """Be a queue whose commands go to OpenCL's."""
        if not hasattr(native, "context"):
            raise UsageError(errc.invalid, "queue: expected a native CommandQueue, got "
                             f"{type(native).__name__}")
        owner = make_context(NATIVE_OF_12, native.context)
        made = make_queue(NATIVE_OF_12, native, owner, named or found or _drop)
        self._native_queue = made  # its end retires the channel
        self.channel, self._context, self._made = made.channel, made._context, made._made
        self._properties, self._finalizer = made._properties, made._finalizer

    def get_device(self) -> device:
        """Return the device."""
        return device._of(self.channel.device)

    def get_context(self) -> context:
        """Return the context."""
        return context._of(self.channel.context)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.wait_and_throw()

    def __del__(self) -> None:
        channel = getattr(self, "channel", None)
        if channel is not None:
            channel.wait()


def _drop(errors: Any) -> None:
    """Do nothing with errors: SYCL 1.2's default."""
