"""Device selectors: callables that rank devices (SYCL 2020 §4.6.1.1).

Non-goals: listing devices. Invariant: a negative score never selects; of equal scores the device
listed first wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from unisycl.api.devices.device_info import type_of
from unisycl.api.devices.info import device_type
from unisycl.base.enums import aspect, backend
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices import devices
from unisycl.runtime.devices.devices import DeviceState

Selector = Callable[[Any], int]


def default_selector_v(device: Any) -> int:
    """Rank every device: GPU, CPU, accelerator, then emulated ones; ``UNISYCL_DEVICE`` wins."""
    state: DeviceState = device.state
    wanted = devices.preferred()
    if wanted:
        return 1000 if state is devices.find(
            wanted, ", which UNISYCL_DEVICE asks for") else -1
    return devices.score(state)


def cpu_selector_v(device: Any) -> int:
    """Select a CPU."""
    return _of_type(device, device_type.cpu)


def gpu_selector_v(device: Any) -> int:
    """Select a GPU."""
    return _of_type(device, device_type.gpu)


def accelerator_selector_v(device: Any) -> int:
    """Select an accelerator."""
    return _of_type(device, device_type.accelerator)


def host_selector_v(device: Any) -> int:
    """Select the host device, where CPython runs the kernels and a debugger can step."""
    return 1 if device.state.info.backend is backend.host else -1


NEAR = (default_selector_v, cpu_selector_v, host_selector_v)
"""Selectors that choose none of the devices which ``devices.near_devices`` leaves out."""


def _of_type(device: Any, kind: device_type) -> int:
    state: DeviceState = device.state
    return devices.score(state) if type_of(state) is kind else -1


@ends_at_call
def aspect_selector(*required: Any, denied: Iterable[aspect] = ()) -> Selector:
    """Return a selector of devices that have all aspects given and none denied.

    Args:
        required: aspects; or a list of aspects, then if wanted a list of those denied.
        denied: aspects the device must not have.

    Without any it is ``default_selector_v`` (SYCL 2020 §4.6.1.1).
    """
    lists = [x for x in required if isinstance(x, list | tuple)]
    if len(lists) == len(required) == 2:
        required, denied = (lists[0],), (*lists[1], *denied)
    wanted: list[aspect] = []
    for item in required:
        wanted.extend(item if isinstance(item, list | tuple) else [item])
    refused = list(denied)
    for given in (*wanted, *refused):
        if not isinstance(given, aspect):
            raise UsageError(errc.invalid, "aspect_selector: expected aspects, or a list of them "
                             f"and a list of those denied; got {given!r}")
    if not wanted and not refused:
        return default_selector_v

    def select(device: Any) -> int:
        if all(device.has(a) for a in wanted) and not any(device.has(a) for a in refused):
            return devices.score(device.state)
        return -1

    select.__name__ = f"aspect_selector({', '.join(a.name for a in wanted)})"
    return select


def named(name: str) -> Selector:
    """Return a selector of the device of a name such as ``cpu`` or ``name:1``."""
    wanted = devices.find(name)

    def select(device: Any) -> int:
        return 1 if device.state is wanted else -1

    select.__name__ = repr(name)
    return select


def pick(selector: Any, candidates: Iterable[Any]) -> Any:
    """Return the candidate with the highest score; ``errc.runtime`` if none scores at least 0."""
    if isinstance(selector, str):
        selector = named(selector)
    if not callable(selector):
        raise UsageError(errc.invalid, "expected a device selector (a callable that ranks devices, "
                         "such as gpu_selector_v) or a device's name, got "
                         f"{type(selector).__name__}")
    best, best_score, seen = None, 0, []
    for candidate in candidates:
        points = selector(candidate)
        if not _is_number(points):
            raise UsageError(errc.invalid, "a device selector returns a number for each device "
                             f"(negative: not this one); this one returned {points!r}")
        seen.append(candidate.state.name)
        if points >= 0 and (best is None or points > best_score):
            best, best_score = candidate, points
    if best is None:
        name = getattr(selector, "__name__", repr(selector))
        more = devices.advice("gpu") if selector is gpu_selector_v else (
            "; 'python -m unisycl doctor' says what was looked for")
        raise UsageError(errc.runtime, f"{name} selects none of the devices found: "
                         f"{', '.join(seen) or 'there are none'}{more}")
    if selector is default_selector_v:
        devices.tell_default(best.state)
    return best


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | np.bool_)
