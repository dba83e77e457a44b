"""Sharing with OpenGL (SYCL 1.2 §4.4), where a device has OpenCL's extension for it.

Command groups acquire the objects that they access as ``cl_gl_buffer`` or ``cl_gl_image``, and
release them behind their kernel. Non-goals: OpenGL's functions, which are the program's to call.
Invariants: a refusal asks the device; acquired objects are released even where the kernel fails.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from unisycl.api.devices import context as contexts
from unisycl.api.devices.device import device
from unisycl.api.images.image_accessor import unsampled_image_accessor
from unisycl.api.interop.native_objects import get_native
from unisycl.api.memory import accessor as accessors
from unisycl.api.memory.access import read_only_host_task, write_only_host_task
from unisycl.api.memory.buffer import buffer
from unisycl.api.properties import no_init
from unisycl.api.queue.event import event
from unisycl.api.queue.handler import handler
from unisycl.api.queue.queue import queue
from unisycl.base.enums import NATIVE_OF_12, access_mode
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.image_formats import image_channel_order, image_channel_type

PROPERTIES = {"CL_GL_CONTEXT_KHR": 0x2008, "CL_EGL_DISPLAY_KHR": 0x2009,
              "CL_GLX_DISPLAY_KHR": 0x200A, "CL_WGL_HDC_KHR": 0x200B,
              "CL_CGL_SHAREGROUP_KHR": 0x200C}
"""What a context that shares with OpenGL is asked for (SYCL 1.2 Table 4.4)."""
_EXTENSIONS = ("cl_khr_gl_sharing", "cl_APPLE_gl_sharing")
_contexts: weakref.WeakKeyDictionary[Any, dict[int, int]] = weakref.WeakKeyDictionary()


def is_able(one: device) -> bool:
    """Say whether a device reports that it shares with OpenGL."""
    return any(one.has_extension(name) for name in _EXTENSIONS)


def refuse(what: str, devices: list[Any]) -> NoReturn:
    """Refuse what needs a context that shares with OpenGL, and say why there is none."""
    unable = [d for d in devices if not is_able(d)]
    if unable:
        raise UnsupportedError(errc.feature_not_supported, f"{what}: {unable[0]!r} does not report "
                               "cl_khr_gl_sharing, so no context of it shares memory with OpenGL; "
                               "copy through the host")
    raise UsageError(errc.invalid, f"{what}: this context shares nothing with OpenGL; make it with "
                     "its properties: context({'CL_GL_CONTEXT_KHR': ..., 'CL_GLX_DISPLAY_KHR': "
                     "...}, device)")


def asked_of(given: Mapping[Any, int]) -> dict[int, int]:
    """Return the properties of a context by their numbers; ``errc.invalid`` for others."""
    known: dict[Any, int] = {number: number for number in PROPERTIES.values()}
    known.update(PROPERTIES)
    if not given or any(key not in known for key in given):
        raise UsageError(errc.invalid, f"context: no such properties: {list(given)}; there are "
                         f"{', '.join(PROPERTIES)}")
    return {known[key]: int(value) for key, value in given.items()}


def native_context(asked: dict[int, int], devices: list[device]) -> Any:
    """Return OpenCL's context of devices that shares with OpenGL's."""
    if not all(is_able(d) for d in devices):
        refuse("context", devices)
    natives = [get_native(NATIVE_OF_12, d) for d in devices]
    return devices[0].state.driver.adopt.gl_context(asked, natives)


def note(made: contexts.context, asked: dict[int, int]) -> None:
    """Remember that a context shares with OpenGL."""
    _contexts[made.state] = asked


def devices_of(what: str, owner: contexts.context, which: str) -> list[Any]:
    """Return OpenCL's devices for the OpenGL context that a context shares with."""
    asked = _contexts.get(owner.state)
    if asked is None:
        refuse(what, owner.get_devices())
    found: list[Any] = owner.state.devices[0].driver.adopt.gl_devices(asked, which)
    return found


def event_of(owner: contexts.context, sync: Any) -> Any:
    """Return OpenCL's event of a sync object of OpenGL's (SYCL 1.2 §4.4.2.4)."""
    if owner.state not in _contexts:
        refuse("event: one of an OpenGL sync object", owner.get_devices())
    first = owner.get_devices()[0]
    if not first.has_extension("cl_khr_gl_event"):
        raise UnsupportedError(errc.feature_not_supported, f"event: {first!r} does not report "
                               "cl_khr_gl_event; wait with glClientWaitSync")
    return first_driver(owner).adopt.gl_event(int(sync))


def first_driver(owner: contexts.context) -> Any:
    """Return the driver of a context's first device."""
    return owner.state.devices[0].driver


class Shared:
    """An object of OpenGL's and the context that it is shared in."""

    def __init__(self, what: str, owner: contexts.context, *asked: Any) -> None:
        if owner.state not in _contexts:
            refuse(what, owner.get_devices())
        self.owner = owner.state
        self.native = first_driver(owner).adopt.gl_object(*asked)
        self._held = False

    def acquire(self) -> None:
        """Have OpenCL use it; OpenGL must not until it is released."""
        self.native.acquire()
        self._held = True

    def release(self) -> None:
        """Give it back to OpenGL, if it was acquired."""
        if self._held:
            self._held = False
            self.native.release()

    def form(self) -> tuple[Any, Any]:
        """Return the channels of a picture; those of a depth image are one channel."""
        found = self.native.picture
        order = "r" if found.order == "depth" else found.order
        try:
            return image_channel_order[order], image_channel_type[found.type]
        except KeyError:
            raise UnsupportedError(errc.feature_not_supported, "image: images here have no pixels "
                                   f"of order {found.order} and type {found.type}") from None


class Sharing:
    """What one command group has acquired."""

    def __init__(self, on: queue) -> None:
        self.on = on
        self.taken: list[tuple[Any, Shared, access_mode]] = []

    def acquire(self, source: Any, how: access_mode, *, discard: bool) -> None:
        """Have the group's kernel run behind the acquisition of an object."""
        shared: Shared = source.shared
        if self.on.get_context().state is not shared.owner:
            raise UsageError(errc.invalid, "accessor: the object of OpenGL's is shared in another "
                             "context than the queue's; make the queue of that context")
        if any(shared is known for _, known, _ in self.taken):
            return
        keeps = not discard or how is not access_mode.write

        def begin(h: Any) -> None:
            held = _held(source, h, write_only_host_task, no_init)

            def task() -> None:
                shared.acquire()
                if keeps:
                    _bytes(source, held)[:] = shared.native.read()
            h.host_task(task)
        self.on.submit(begin)
        self.taken.append((source, shared, how))

    def release(self, ran: event | None) -> event | None:
        """Give everything back behind the kernel; where it failed as well."""
        last = ran
        for source, shared, how in self.taken:
            last = self.on.submit(self._ending(source, shared, how, last))
            last.ext_unisycl_add_callback(functools.partial(_give_up, shared))
        self.taken.clear()
        return last

    def _ending(self, source: Any, shared: Shared, how: access_mode, after: event | None) -> Any:
        def end(h: Any) -> None:
            held = _held(source, h, read_only_host_task)
            if after is not None:  # two that only read are not in order by themselves
                h.depends_on(after)

            def task() -> None:
                if how is not access_mode.read:
                    shared.native.write(np.array(_bytes(source, held)))
                shared.release()
            h.host_task(task)
        return end


def _give_up(shared: Shared, done: event) -> None:
    if done.task is not None and done.task.error is not None:
        shared.release()


def _held(source: Any, h: handler, *how: Any) -> Any:
    kind = accessors.accessor if isinstance(source, buffer) else unsampled_image_accessor
    return kind(source, h, *how)


def _bytes(source: Any, held: Any) -> Any:
    if isinstance(source, buffer):
        return np.asarray(held).reshape(-1).view(np.uint8)
    return source.memory.storage()
