"""What a device is, as far as a kernel may ask: its architecture, its backend, its aspects.

The names are those of sycl_ext_oneapi_device_architecture, with ``aarch64`` for processors of that
kind. Non-goals: finding devices, telling cards apart. Invariant: ``fits`` has one answer for a
device, for ever.
"""

from __future__ import annotations

import enum
import platform
from collections.abc import Mapping
from typing import Any, Protocol

from unisycl.base.enums import aspect, backend
from unisycl.base.errors import UsageError, errc
from unisycl.base.matrices import MatrixUnit, unit_of


class architecture(enum.Enum):
    """Families of processors (sycl_ext_oneapi_device_architecture); all cards are ``unknown``."""

    unknown = "unknown"
    x86_64 = "x86_64"
    aarch64 = "aarch64"


class Target(Protocol):
    """What is asked about a device; ``backends.base.DeviceInfo`` has it."""

    @property
    def backend(self) -> backend:
        """The backend."""

    @property
    def aspects(self) -> frozenset[aspect]:
        """The aspects."""

    @property
    def sub_group_sizes(self) -> tuple[int, ...]:
        """The sizes that sub-groups may have."""

    @property
    def details(self) -> Mapping[str, Any]:
        """What the backend says about it beyond that."""


_PROCESSORS = {"x86_64": architecture.x86_64, "amd64": architecture.x86_64,
               "aarch64": architecture.aarch64, "arm64": architecture.aarch64}


def architecture_of(device: Target) -> architecture:
    """Return the family a device belongs to: this machine's if it is its processor."""
    if aspect.cpu in device.aspects or device.backend is backend.host:
        return _PROCESSORS.get(platform.machine().lower(), architecture.unknown)
    return architecture.unknown


def fits(device: Target | None, what: aspect | backend | architecture | MatrixUnit) -> bool:
    """Say whether a device has an aspect, or is of a backend or architecture; None is nothing."""
    if isinstance(what, MatrixUnit):
        return unit_of(device) == what
    if device is None:
        return False
    if isinstance(what, aspect):
        return what in device.aspects
    if isinstance(what, backend):
        return device.backend is what
    return architecture_of(device) is what


def checked(name: str, given: tuple[Any, ...],
            kinds: tuple[type, ...] = (aspect, backend, architecture)) -> tuple[Any, ...]:
    """Return questions that ``fits`` answers; ``errc.invalid`` for others and for none.

    Tuples of questions count as what is in them.
    """
    given = tuple(x for one in given for x in (one if isinstance(one, tuple) else (one,)))
    if not given or not all(isinstance(one, kinds) for one in given):
        raise UsageError(errc.invalid, f"{name}: expected values of "
                         f"{', '.join(k.__name__ for k in kinds)}, got "
                         f"{', '.join(map(repr, given)) or 'nothing'}")
    return given
