"""The devices of this process, and the contexts over them.

Non-goals: what a user asks of a device (``api``). Invariants: discovery happens on first use and
gives the same objects in the same order afterwards; a device belongs to one driver.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.backends import registry
from unisycl.backends.base import HOST, DeviceInfo, Driver
from unisycl.base import settings
from unisycl.base.dataclass import dataclass, field
from unisycl.base.enums import aspect
from unisycl.base.errors import UnsupportedError, UsageError, errc, exception_list
from unisycl.base.shared_words import Words
from unisycl.process import notices
from unisycl.runtime.threads.per_process import process

AsyncHandler = Callable[[exception_list], Any]


@dataclass(frozen=True, eq=False, slots=True)
class DeviceState:
    """A root device: one entry of a driver's list, or a part of one. Compared by identity.

    ``parent`` is what a part was split off; ``split`` how: a partition property and a domain.
    """

    name: str
    driver: Driver
    info: DeviceInfo
    platform: str
    parent: DeviceState | None = None
    split: tuple[str, str] = ("no_partition", "not_applicable")
    parts: dict[Any, DeviceState] = field(default_factory=dict, repr=False)
    twin: DeviceState | None = None
    """The listed device that this one is, if it belongs to a native context of a program's own."""
    reached: set[str] = field(default_factory=set, repr=False)
    """The names of devices whose memory kernels here were let use."""
    number: int = field(default_factory=itertools.count().__next__, repr=False)
    """Unlike ``id``, never used again for another device."""

    def root(self) -> DeviceState:
        """Return the listed device that this one is or is a part of."""
        device = self
        while device.parent is not None:
            device = device.parent
        return device


@dataclass(eq=False)
class ContextState:
    """What a context owns: its devices, its handler, and the USM allocated in it."""

    devices: tuple[DeviceState, ...]
    handler: AsyncHandler | None = None
    allocations: weakref.WeakValueDictionary[int, Any] = field(
        default_factory=weakref.WeakValueDictionary)
    owner: object = None
    variables: list[tuple[int, int, Any, DeviceState]] = field(default_factory=list)
    """The address, size, memory and device of each device_global that was used."""
    generation: int = field(default_factory=lambda: process.generation)

    def local(self, device: DeviceState) -> DeviceState:
        """Return this context's form of a device."""
        return next((d for d in self.devices if d.twin is device), device)

    def covers(self, device: DeviceState) -> bool:
        """Say whether a device is one of the context's, or a part of one."""
        at: DeviceState | None = self.local(device)
        while at is not None and at not in self.devices:
            at = at.parent
        return at is not None


class _Found:
    """The result of discovery; replaced as a whole."""

    def __init__(self) -> None:
        self.platforms: dict[str, tuple[DeviceState, ...]] = {}
        self.states: dict[str, tuple[DeviceState, ...]] = {}
        self.contexts: dict[str, ContextState] = {}
        self.source: dict[str, Driver] = {}


_found = _Found()
_told = False


def platforms(*, near: bool = False) -> dict[str, tuple[DeviceState, ...]]:
    """Return the root devices by platform name, the same objects on every call.

    ``near``: those of ``near_devices`` suffice.
    """
    global _found
    drivers = registry.drivers(near=near)
    if _found.source != drivers:
        fresh = _Found()
        fresh.source = drivers
        for name, driver in drivers.items():
            fresh.states[name] = _states(name, driver)
            for state in fresh.states[name]:
                group = fresh.platforms.get(state.platform, ())
                fresh.platforms[state.platform] = (*group, state)
        fresh.contexts = {name: context for name, context in _found.contexts.items()
                          if fresh.platforms.get(name) == _found.platforms.get(name)}
        _found = fresh
    return _found.platforms


def _states(name: str, driver: Driver) -> tuple[DeviceState, ...]:
    """Return the devices of a driver: the same objects as before if it was found before."""
    if _found.source.get(name) is driver:
        return _found.states[name]
    infos = driver.devices()
    return tuple(DeviceState(name if len(infos) == 1 else f"{name}:{k}", driver, info,
                             info.platform or name) for k, info in enumerate(infos))


def all_devices() -> tuple[DeviceState, ...]:
    """Return every root device, platform after platform."""
    return tuple(d for group in platforms().values() for d in group)


def near_devices() -> tuple[DeviceState, ...]:
    """Return the devices among which a CPU, the host device or the default is to be chosen.

    What is left out are processors that the native CPU is preferred to: finding them takes longer
    than all else that comes before the first kernel.
    """
    return tuple(d for group in platforms(near=True).values() for d in group)


def host_words() -> Words | None:
    """Return native atomic access to the host's memory; None where no device has it."""
    native = (d.driver.words() for d in near_devices() if d.driver.memory == HOST)
    return next((w for w in native if w is not None), None)


def of_platform(name: str) -> tuple[DeviceState, ...]:
    """Return the root devices of a platform; those of one that was found without looking again."""
    return _found.platforms.get(name) or platforms().get(name, ())


def default_context(device: DeviceState) -> ContextState:
    """Return the context shared by the queues of a platform that name none.

    Of a driver whose devices share none, those of one device.
    """
    root = device.root()
    alone = root.driver.apart
    whose = f"{device.platform} {root.number}" if alone else device.platform
    known = (root,) if alone else of_platform(device.platform)
    context = _found.contexts.get(whose)
    if context is None:
        known = known or (device,)
        context = _found.contexts.setdefault(whose, ContextState(known))
    return context


def check_together(chosen: Sequence[DeviceState], what: str) -> None:
    """Raise ``UnsupportedError`` for devices that their driver does not take in one context."""
    if any(d.driver.apart for d in chosen) and len({d.root() for d in chosen}) > 1:
        raise UnsupportedError(errc.feature_not_supported, f"{what}: {names(chosen)} share no "
                               "context by this driver; give each its own, or use one device of "
                               "it at a time (buffers move between contexts by themselves)")


def score(device: DeviceState) -> int:
    """Rank a device for the default selector: the fastest kind first, the debugger last."""
    aspects = device.info.aspects
    if aspect.host_debuggable in aspects or aspect.emulated in aspects:
        return 1
    for kind, points in ((aspect.gpu, 400), (aspect.accelerator, 200), (aspect.cpu, 300)):
        if kind in aspects:
            return points
    return 100


def find(name: str, asked: str = "") -> DeviceState:
    """Return the device of a short name such as ``cpu`` or ``name:1``; else ``errc.runtime``.

    Without a position it is the first of a backend. ``asked`` is said of a name there is none of.
    """
    wanted = name.strip().lower()
    for listed in (near_devices, all_devices):
        for device in listed():
            if wanted in (device.name, f"{device.name}:0", device.name.partition(":")[0]):
                return device
    known = ", ".join(d.name for d in all_devices()) or "none"
    kind = wanted.partition(":")[0]
    why = "".join(f"; {part}: {reason}" for part, reason in registry.problems().items()
                  if part.partition(" ")[0] == kind)
    raise UsageError(errc.runtime, f"there is no device '{name}'{asked}; there are: "
                     f"{known}{why}{registry.advice(kind)}")


advice = registry.advice


def tell_default(chosen: DeviceState) -> None:
    """Warn, once, where the default device stands in for the native CPU, which cannot be used."""
    global _told
    if _told or preferred() or aspect.gpu in chosen.info.aspects:
        return
    why = registry.native_problem()
    if why:
        slow = ("; it runs kernels as plain Python, thousands of times slower"
                if aspect.host_debuggable in chosen.info.aspects else "")
        notices.warn(f"the default device is '{chosen.name}' ({chosen.info.name}), for the native "
                     f"CPU cannot be used: {why}{slow}. 'python -m unisycl doctor' says more; "
                     f"UNISYCL_DEVICE={chosen.name} chooses this device without a warning")
        _told = True


def preferred() -> str:
    """Return the name of the device the environment asks for, or nothing."""
    return settings.DEVICE.value()


def require_aspect(device: DeviceState, needed: aspect, what: str, way_out: str = "") -> None:
    """Refuse ``what`` on a device that lacks an aspect, naming both; and say the way out."""
    if needed not in device.info.aspects:
        raise UsageError(errc.feature_not_supported, f"{what} needs aspect.{needed.name}, which "
                         f"the device '{device.info.name}' does not have{way_out}")


def forget() -> None:
    """Drop what was found, in a forked child."""
    global _found
    _found = _Found()


def names(devices: Sequence[DeviceState]) -> str:
    """Return the devices' short names, for messages and reprs."""
    return ", ".join(d.name for d in devices)
