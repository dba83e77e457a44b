"""What objects of PyOpenCL that a program brings are to a driver.

Non-goals: SYCL's names for it (``api.interop.make``), a driver's own objects (``given``).
Invariants: what is taken over is retained; of another device or context there is nothing here;
errors of PyOpenCL's are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unisycl.backends.native_objects import Adoption
from unisycl.backends.opencl.interop import pyopencl_arrays, sources
from unisycl.backends.opencl.interop.graphics import Graphics
from unisycl.backends.opencl.interop.pyopencl_images import NativePicture
from unisycl.backends.opencl.interop.pyopencl_objects import ForeignKernel, check_kind
from unisycl.backends.opencl.launch.failed_calls import guarded
from unisycl.backends.opencl.memory.objects import DeviceArray
from unisycl.base.enums import bundle_state, source_language

_guarded = guarded("an object of PyOpenCL's")


class ClAdoption(Adoption):
    """What a driver of a device of OpenCL's takes over."""

    __slots__ = ()

    @_guarded
    def device(self, native: Any) -> Any:
        """Return True if it is the driver's device."""
        session, device, _ = self._driver.opened()
        return _retained(session, "Device", native) == device or None

    @_guarded
    def context(self, native: Any) -> Any:
        """Return a driver of this device within that context."""
        session, device, _ = self._driver.opened()
        kept = _retained(session, "Context", native)
        return self._driver.within(kept, None) if device in kept.devices else None

    @_guarded
    def queue(self, native: Any) -> Any:
        """Return a driver whose commands go to that queue."""
        session, device, _ = self._driver.opened()
        kept = _retained(session, "CommandQueue", native)
        return self._driver.within(kept.context, kept) if kept.device == device else None

    @_guarded
    def event(self, native: Any) -> Any:
        """Return the command's end."""
        session, device, _ = self._driver.opened()
        kept = _retained(session, "Event", native)
        if device not in kept.context.devices:
            return None
        return self._driver.completion(kept, kept, "a native event")

    @_guarded
    def memory(self, native: Any) -> Any:
        """Return an array over a Buffer."""
        session = self._driver.opened()[0]
        kept = _retained(session, "Buffer", native)
        return DeviceArray.over(kept, int(kept.size)) if kept.context == session.context else None

    @_guarded
    def image(self, native: Any) -> Any:
        """Return the pixels of an Image."""
        session, _, queue = self._driver.opened()
        kept = type(native).from_int_ptr(native.int_ptr, retain=True)
        ours = isinstance(kept, session.cl.MemoryObjectHolder) and kept.context == session.context
        return NativePicture(session, queue, kept) if ours else None

    @_guarded
    def kernel(self, native: Any) -> Any:
        """Return an executable over a Kernel."""
        session, device, _ = self._driver.opened()
        kept = _retained(session, "Kernel", native)
        return ForeignKernel(session, device, kept) if kept.context == session.context else None

    @_guarded
    def built_in(self, name: str) -> Any:
        """Return an executable over a kernel that the device has built in."""
        session, device, _ = self._driver.opened()
        program = session.cl._cl._Program.create_with_built_in_kernels(
            session.context, [device], name)
        program._build(b"", [device])
        return ForeignKernel(session, device, session.cl.Kernel(program, name))

    @_guarded
    def array(self, native: Any) -> Any:
        """Return a view of an array of PyOpenCL's."""
        session, _, queue = self._driver.opened()
        return pyopencl_arrays.lend(session, queue, native, shares_host=self._driver.shares_host,
                                    alignment=self._driver.devices()[0].mem_base_addr_align // 8)

    @_guarded
    def library(self, native: Any) -> Any:
        """Return the number of a compiled Program."""
        session = self._driver.opened()[0]
        check_kind(session.cl, "Program", native)
        return sources.library(session.cl, session.context, native)

    @_guarded
    def program(self, native: Any, state: bundle_state) -> Any:
        """Return a Program, compiled and linked up to a state."""
        session, device, _ = self._driver.opened()
        check_kind(session.cl, "Program", native)
        return sources.take(session, device, self._driver.devices()[0].name, (native, state))

    @_guarded
    def options(self, words: tuple[str, ...]) -> Any:
        """Return the words, which a program of nothing was built with."""
        session, device, _ = self._driver.opened()
        sources.check_options(session, device, self._driver.traits, words)
        return words

    def language(self, language: source_language) -> bool:
        """Say whether the device takes programs in a language."""
        return sources.compiles(self._driver.traits, language)

    @_guarded
    def source(self, language: source_language, text: str | bytes, words: tuple[str, ...]) -> Any:
        """Return a program built of a text."""
        session, device, _ = self._driver.opened()
        return sources.build(session, device, self._driver.traits, (language, text, words))

    @_guarded
    def gl_context(self, asked: Mapping[int, int], devices: Sequence[Any]) -> Any:
        """Return a Context that shares with OpenGL's."""
        return self._graphics().context(asked, devices)

    @_guarded
    def gl_devices(self, asked: Mapping[int, int], which: str) -> Any:
        """Return the Devices of an OpenGL context."""
        return self._graphics().devices(asked, which)

    @_guarded
    def gl_event(self, sync: int) -> Any:
        """Return the Event of a sync object of OpenGL's."""
        return self._graphics().event(sync)

    @_guarded
    def gl_object(self, kind: str, *numbers: int) -> Any:
        """Return an object of OpenGL's as memory."""
        return self._graphics().make(self._driver.opened()[2], kind, *numbers)

    def _graphics(self) -> Graphics:
        session, device, _ = self._driver.opened()
        return Graphics(session, device.platform)


def _retained(session: Any, kind: str, native: Any) -> Any:
    """Return an object of PyOpenCL's again, retained; ``errc.invalid`` for one of another kind."""
    check_kind(session.cl, kind, native)
    return type(native).from_int_ptr(native.int_ptr, retain=True)
