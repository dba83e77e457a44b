"""Kernels for packages: OpenCL's drivers compile them where they run, so all that is needed is IR.

Non-goals: binaries of drivers, which fit one device and version. Invariant: nothing is compiled.
"""

from __future__ import annotations

from unisycl.backends.base import DeviceInfo, Geometry
from unisycl.base.enums import aspect, backend
from unisycl.base.errors import UsageError, errc
from unisycl.ir.nodes import Kernel


def info(what: str) -> DeviceInfo:
    """Return what kernels may ask about any device; what one lacks is refused by its launches."""
    if what:
        raise UsageError(errc.invalid, f"there are no kinds of OpenCL devices ('{what}') to "
                         "compile for: write opencl")
    return DeviceInfo("OpenCL", backend.opencl, frozenset(aspect) - {aspect.custom},
                      sub_group_sizes=tuple(1 << n for n in range(8)))


def make(kernel: Kernel, geometry: Geometry, what: str) -> None:
    """Make nothing ahead of the launch."""


def runtime() -> dict[str, bytes]:
    """Return nothing: the driver has all it runs on."""
    return {}


def facts() -> list[str]:
    """Return nothing to be said of the whole archive."""
    return []
