"""PyOpenCL's objects behind those of a driver (SYCL 2020 App. C.4).

Non-goals: objects that a program brings (``adopted``). Invariant: errors of PyOpenCL's are ours.
"""

from __future__ import annotations

from typing import Any

from unisycl.backends.native_objects import NativeObjects
from unisycl.backends.opencl.interop import pyopencl_objects
from unisycl.backends.opencl.launch import programs
from unisycl.backends.opencl.launch.failed_calls import guarded

_guarded = guarded("a native object")


class ClObjects(NativeObjects):
    """What a driver of a device of OpenCL's gives."""

    __slots__ = ()

    @_guarded
    def platform(self) -> Any:
        """Return the device's platform."""
        return self._driver.opened()[1].platform

    @_guarded
    def device(self) -> Any:
        """Return the device."""
        return self._driver.opened()[1]

    @_guarded
    def context(self) -> Any:
        """Return the context."""
        return self._driver.opened()[0].context

    @_guarded
    def queue(self) -> Any:
        """Return the queue; a program's own commands come behind all that was submitted."""
        return self._driver.shared_queue()

    @_guarded
    def memory(self, view: Any) -> Any:
        """Return the Buffer, whatever part of it a view is."""
        return pyopencl_objects.memory_of(self._driver.opened()[0], view)

    @_guarded
    def kernel(self, executable: Any) -> Any:
        """Return the kernel."""
        return executable.main

    @_guarded
    def program(self, executable: Any) -> Any:
        """Return the program."""
        return self._driver.opened()[0].cl.Program(executable.program)

    @_guarded
    def binary(self, executable: Any) -> bytes:
        """Return the program's binary for this device."""
        session, device, _ = self._driver.opened()
        return programs.binary_of(session, executable.program, device)

    @_guarded
    def sampler(self, *, normalized: bool, addressing: int, filtering: int) -> Any:
        """Return a sampler of the context."""
        session = self._driver.opened()[0]
        return session.cl.Sampler(session.context, normalized, addressing, filtering)

    @_guarded
    def user_event(self) -> Any:
        """Return a user event of the context."""
        session = self._driver.opened()[0]
        return session.cl.UserEvent(session.context)
