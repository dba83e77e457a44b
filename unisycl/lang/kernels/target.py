"""Questions that kernels ask about their device while they are compiled.

``device_is`` and its kin are constants in a kernel, so that only the branch that is taken is
compiled; the chains are those of sycl_ext_oneapi_device_if and _device_architecture, in the kernel
language. Non-goals: properties found out while running. Invariant: on the host device the
questions have the same answers as in a kernel compiled for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.base.architecture import architecture, checked, fits
from unisycl.base.errors import UsageError, errc
from unisycl.lang.index.environment import this_device

__kernel_language__ = True


def device_is(*what: Any) -> bool:
    """Say whether the device that runs the kernel is all of this; known while compiling.

    Args:
        what: aspects, backends and architectures, such as ``aspect.gpu`` or ``backend.cpu``, or
            tuples of them.

    A branch on it is decided before the other one is looked at. Raises ``errc.invalid`` outside
    kernels, and where anything else is asked.
    """
    device = this_device()
    if device is None:
        raise UsageError(errc.invalid, "device_is has an answer only in a kernel; on the host ask "
                         "device.has(aspect) or device.get_backend()")
    return all(fits(device, one) for one in checked("device_is", what))


def architecture_is(*any_of: Any) -> bool:
    """Say whether the device that runs the kernel is of one of these architectures."""
    device = this_device()
    if device is None:
        raise UsageError(errc.invalid, "architecture_is has an answer only in a kernel; on the "
                         "host ask device.ext_oneapi_architecture_is(...)")
    return any(fits(device, one) for one in checked("architecture_is", any_of, (architecture,)))


class _Decided:
    """What follows a branch that was taken: nothing is."""

    def else_if_architecture_is(self, any_of: Any, fn: Callable[[], None]) -> Any:
        return self

    def else_if_device_has(self, all_of: Any, fn: Callable[[], None]) -> Any:
        return self

    def otherwise(self, fn: Callable[[], None]) -> None:
        pass


class _Open:
    """What follows branches that were not taken."""

    def else_if_architecture_is(self, any_of: Any, fn: Callable[[], None]) -> Any:
        return if_architecture_is(any_of, fn)

    def else_if_device_has(self, all_of: Any, fn: Callable[[], None]) -> Any:
        return if_device_has(all_of, fn)

    def otherwise(self, fn: Callable[[], None]) -> None:
        fn()


_DECIDED, _OPEN = _Decided(), _Open()


def if_architecture_is(any_of: Any, fn: Callable[[], None]) -> Any:
    """Call a function where the device is of an architecture, or of one in a tuple.

    Returns what ``else_if_architecture_is(any_of, fn)`` and ``otherwise(fn)`` are called on. What
    is not called is not compiled (sycl_ext_oneapi_device_architecture).
    """
    if architecture_is(any_of):
        fn()
        return _DECIDED
    else:  # noqa: RET505 - decided while compiling
        return _OPEN


def if_device_has(all_of: Any, fn: Callable[[], None]) -> Any:
    """Call a function where the device has an aspect, or all of a tuple of them.

    Returns what ``else_if_device_has(all_of, fn)`` and ``otherwise(fn)`` are called on. What is not
    called is not compiled (sycl_ext_oneapi_device_if).
    """
    if device_is(all_of):
        fn()
        return _DECIDED
    else:  # noqa: RET505 - decided while compiling
        return _OPEN
