"""``event`` in SYCL 1.2's spelling (§3.5.7): converted from and to OpenCL's.

Non-goals: the state of commands. Invariant: what ``get`` returns ends when the event ends, with an
error where the event has one.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.devices.context import context
from unisycl.api.devices.device import device as any_device
from unisycl.api.interop.make import make_event
from unisycl.api.queue import event as events
from unisycl.base.enums import NATIVE_OF_12, backend
from unisycl.base.errors import UsageError, errc
from unisycl.base.foreign_objects import is_native
from unisycl.base.tracebacks import ends_at_call
from unisycl.compat12 import graphics
from unisycl.compat12.devices import Legacy, device, retained


@ends_at_call
class event(Legacy, events.event):
    """The progress of one command.

    Args:
        source: OpenCL's event, or another event, whose command this one shares; left out, it is an
            event that is complete. Or a context that shares with OpenGL.
        sync: after a context, the address of OpenGL's sync object.
    """

    __slots__ = ("_native", "_sync")
    _native: Any

    def __init__(self, source: Any = None, sync: Any = None) -> None:
        super().__init__()
        if isinstance(source, context):
            native = graphics.event_of(source, sync)
            self._sync, self._native = sync, native
            self.task = make_event(NATIVE_OF_12, native, source).task
        elif isinstance(source, events.event):
            self.task = source.task
        elif is_native(source):
            if not hasattr(source, "context"):
                raise UsageError(errc.invalid, "event: expected a native Event, got "
                                 f"{type(source).__name__}")
            self._native = retained(source)
            owner = context(device(source.context.devices[0]))
            self.task = make_event(NATIVE_OF_12, self._native, owner).task
        elif source is not None:
            raise UsageError(errc.invalid, "event: expected a native event or another event, got "
                             f"{type(source).__name__}")

    def get_backend(self) -> backend:
        """Return the backend the command runs on; of a new event that of the default queue."""
        return super().get_backend() if getattr(self, "_native", None) is None else NATIVE_OF_12

    def get(self) -> Any:
        """Return OpenCL's event, retained for the caller (SYCL 1.2 §2.5.10).

        Of a command whose end only the runtime knows it is one that ends when the command does.
        """
        own = getattr(self, "_native", None)
        if own is not None:
            return retained(own)
        self.check_native()
        task = self.task
        where = any_device().state if task is None or task.channel is None else task.channel.device
        return retained(native_end(self, where.driver))

    def get_gl_info(self) -> Any:
        """Return the sync object of OpenGL's that it was made of (SYCL 1.2 Table 4.14)."""
        found = getattr(self, "_sync", None)
        if found is None:
            raise UsageError(errc.invalid, "get_gl_info: this event was not made of a sync object "
                             "of OpenGL's")
        return found

    def get_wait_list(self) -> list[events.event]:
        """Return the events of the direct predecessors; completed ones may be left out."""
        return [event(e) for e in super().get_wait_list()]


def native_end(of: events.event, driver: Any) -> Any:
    """Return a native event of a driver that ends when a command of it does."""
    known = getattr(of.task and of.task.completion, "event", None)
    if known is not None and is_native(known):
        return known  # else the runtime knows of the end, and no native event does
    gate = driver.native.user_event()

    def ended(ready: events.event) -> None:
        gate.set_status(0 if ready.task is None or ready.task.error is None else -1)
    if of.task is None or of.task.done():
        ended(of)
    else:
        of.ext_unisycl_add_callback(ended)
    return gate
