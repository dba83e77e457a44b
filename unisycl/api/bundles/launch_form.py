"""From a declared form of a kernel to its compiled self on each device.

Non-goals: declaring (``lang.kernels.forms``). Invariant: a form is compiled exactly as the launch
that it stands for would be.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unisycl.api.queue.reduction import reduction
from unisycl.base import geometry as geo
from unisycl.lang.kernels import forms
from unisycl.lang.kernels.specialization import Arguments, Constants
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.launch import compile_ahead, launch


def compile_all(function: Any, devices: Iterable[DeviceState],
                constants: Constants) -> dict[DeviceState, list[compile_ahead.Compiled]]:
    """Compile a kernel's forms; devices that cannot run it are left out.

    Raises ``BuildError``.
    """
    made: dict[DeviceState, list[compile_ahead.Compiled]] = {}
    declared = tuple(forms.forms_of(forms.code_of(function)))
    for device in devices:
        if not compatible(function, device):
            continue
        found = [_compile(function, form, device, constants) for form in declared]
        if found and all(c is None for c in found):
            continue
        made[device] = [c for c in found if c is not None]
    return made


def _compile(function: Any, form: forms.Form, device: DeviceState,
             constants: Constants) -> compile_ahead.Compiled | None:
    geometry, arguments, reductions = launched(form)
    if constants:
        arguments = Arguments.with_constants(arguments, constants)
    return compile_ahead.compile_form(device, function, geometry, arguments, reductions)


def launched(form: forms.Form) -> tuple[Any, tuple[Any, ...], tuple[Any, ...]]:
    """Return the geometry, the arguments and the reductions that a form stands for."""
    rest, offset = form.rest, None
    if rest and isinstance(rest[0], geo.id):
        offset, rest = rest[0], rest[1:]
    count = 0
    while count < len(rest) and isinstance(rest[count], reduction):
        count += 1
    reductions, arguments = rest[:count], rest[count:]
    geometry = launch.SINGLE if form.space is None else launch.space_geometry(form.space, offset)
    return geometry, arguments, reductions


def compatible(function: Any, device: DeviceState) -> bool:
    """Say whether a kernel's attributes allow a device (SYCL 2020 §5.8.1)."""
    inner = getattr(function, "__unisycl_function__", function)
    return not compile_ahead.lacks(
        device, getattr(inner, "__unisycl_device_has__", frozenset()),
        getattr(function, "reqd_work_group_size", ()), getattr(function, "reqd_sub_group_size", 0))
