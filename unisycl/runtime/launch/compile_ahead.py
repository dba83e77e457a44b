"""Compiling kernels before they are launched, for kernel bundles.

Non-goals: which kernels, and when (``api.bundles.kernel_bundle``). Invariant: what was compiled
here is what a launch of the same form finds.
"""

from __future__ import annotations

from typing import Any

from unisycl.backends.base import Geometry
from unisycl.base.dataclass import dataclass
from unisycl.base.enums import aspect
from unisycl.base.errors import BuildError, KernelError, errc, exception
from unisycl.ir.nodes import Kernel
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.launch import args, program


@dataclass(frozen=True, slots=True)
class Compiled:
    """One kernel in one form on one device."""

    device: DeviceState
    kernel: Kernel
    geometry: Geometry
    program: program.Program

    def private_bytes(self) -> int:
        """Return the private arrays of a work-item, in bytes."""
        return args.private_bytes(self.kernel)


def compile_form(device: DeviceState, function: Any, geometry: Geometry,
                 arguments: tuple[Any, ...], reductions: tuple[Any, ...]) -> Compiled | None:
    """Compile a kernel for launches like this one; None if the device lacks what it needs.

    Raises ``BuildError`` with the diagnostics of the front end or the log of the compiler.
    """
    try:
        spec, loaded, _ = program.prepare(device, function, geometry, arguments, reductions)
    except exception as err:
        if err.code() is errc.kernel_not_supported:
            return None
        if isinstance(err, KernelError):
            raise BuildError(errc.build, err.what()) from err
        raise
    return Compiled(device, spec.kernel, geometry, loaded)


def lacks(device: DeviceState, aspects: frozenset[str], required: tuple[int, ...],
          sub_group: int) -> bool:
    """Say whether a device lacks what these attributes of a kernel need."""
    info = device.info
    if any(aspect(a) not in info.aspects for a in aspects):
        return True
    if sub_group and sub_group not in info.sub_group_sizes:
        return True
    size = 1
    for asked, most in zip(required, info.max_work_item_sizes[-len(required):], strict=False):
        size *= asked
        if asked > most:
            return True
    return bool(required) and size > info.max_work_group_size


