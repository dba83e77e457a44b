"""``kernel`` in SYCL 1.2's spelling (§3.7.2.5), and OpenCL's kernels.

Non-goals: launching. Invariant: a kernel made of OpenCL's runs in whatever context of SYCL's stands
for the context it belongs to.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.bundles.native_kernel import native_kernel
from unisycl.api.devices.context import context
from unisycl.api.devices.info import Descriptor
from unisycl.api.interop.make import make_context
from unisycl.api.interop.native_objects import get_native
from unisycl.base.enums import NATIVE_OF_12
from unisycl.base.errors import UsageError, errc
from unisycl.base.foreign_objects import is_native
from unisycl.base.tracebacks import ends_at_call
from unisycl.compat12.devices import device, retained
from unisycl.lang.kernels.kernel import kernel as modern
from unisycl.runtime.graph.channel import Channel


@ends_at_call
class cl_kernel(native_kernel):
    """A kernel of OpenCL's, whose arguments are those that were set on it."""

    __slots__ = ("_native",)

    def __init__(self, native: Any, owner: context | None = None) -> None:
        if not hasattr(native, "function_name"):
            raise UsageError(errc.invalid, "kernel: expected a native Kernel, got "
                             f"{type(native).__name__}")
        self._native = retained(native)
        self._state = device(native.context.devices[0]).state
        self._owner = context_of(native.context) if owner is None else owner

    @property
    def name(self) -> str:
        """The function's name."""
        return self.get_function_name()

    def executable(self, channel: Channel) -> Any:
        """Return what a driver launches (internal); refuses queues of other contexts."""
        found = channel.device.driver.adopt.kernel(self._native)
        if found is None:
            raise UsageError(errc.invalid, f"kernel '{self.name}' belongs to another context than "
                             "the queue; make the queue of that context")
        return found

    def get_native(self) -> Any:
        """Return OpenCL's kernel."""
        return self._native

    def get(self) -> Any:
        """Return OpenCL's kernel, retained for the caller (SYCL 1.2 §2.5.10)."""
        return retained(self._native)

    def get_program(self) -> object:
        """Refuse: only a kernel that was taken from a program has one."""
        raise UsageError(errc.invalid, "get_program: this is a native kernel; give its program to "
                         "program(context, native) and take it from there")

    def get_function_name(self) -> str:
        """Return the kernel's name."""
        return str(self._native.function_name)

    def get_kernel_attributes(self) -> str:
        """Return the kernel's attributes, in OpenCL's words."""
        return str(self._native.attributes)

    def get_info(self, what: Any) -> Any:
        """Return what a descriptor of ``info.kernel``, or OpenCL's number, asks for."""
        if isinstance(what, Descriptor):
            if what.owner != "kernel" or what.name not in _INFO:
                raise UsageError(errc.invalid, f"get_info: {what!r} is not for native kernels")
            return getattr(self, f"get_{what.name}")() if what.name == "context" else getattr(
                self._native, what.name)
        return self._native.get_info(int(what))


_INFO = frozenset(("function_name", "num_args", "attributes", "reference_count", "context"))


def context_of(native: Any) -> context:
    """Return a context for OpenCL's: that of its devices where they are in it, else one over it."""
    first = device(native.devices[0])
    if get_native(NATIVE_OF_12, first) and get_native(NATIVE_OF_12, context(first)) == native:
        return context([device(d) for d in native.devices])
    return make_context(NATIVE_OF_12, native)


class kernel(modern):
    """A kernel: of OpenCL's kernel, with its arguments set, or of a function as in SYCL 2020."""

    __slots__ = ()

    def __new__(cls, function: Any = None, /, **named: Any) -> Any:
        """Return the kernel, or a decorator that makes it with attributes."""
        if is_native(function):
            return cl_kernel(function)
        return super().__new__(cls, function, **named)
