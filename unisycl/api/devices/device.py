"""Platforms and devices (SYCL 2020 §4.6.2, §4.6.4).

Both classes stand in one file because each returns the other. Non-goals: the answers to descriptors
(``device_info``). Invariant: objects are values that name a listed device or platform; equal ones
hash equally.
"""

from __future__ import annotations

import importlib
from typing import Any, Self

import numpy as np

from unisycl.api.devices import device_info, device_table, khr_info, progress_info, selector
from unisycl.api.devices.info import (
    PROGRESS,
    Descriptor,
    HasBackendInfo,
    device_type,
    partition_affinity_domain,
    partition_property,
)
from unisycl.base.architecture import architecture, checked, fits
from unisycl.base.enums import aspect, backend, peer_access, source_language
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices import devices, partition
from unisycl.runtime.devices.devices import DeviceState


@ends_at_call
class device(HasBackendInfo):
    """A device that runs kernels (SYCL 2020 §4.6.4).

    Args:
        source: a selector such as ``gpu_selector_v``; or a name as in ``UNISYCL_DEVICE`` and in
            ``python -m unisycl devices``; or a device. The default selector if left out.

    Raises ``errc.runtime`` where no device matches. Example::

        d = unisycl.device(unisycl.cpu_selector_v)  # or unisycl.device("cpu")
        print(d.get_info(unisycl.info.device.name))
    """

    __slots__ = ("state",)
    __kernel_refusal__ = "ask the device before the launch and pass the answer"
    __capture_refusal__ = ""
    state: DeviceState

    def __init__(self, source: Any = selector.default_selector_v) -> None:
        if isinstance(source, str):
            self.state = devices.find(source)
        else:
            self.state = source.state if isinstance(source, device) else selector.pick(
                source, device._candidates(source)).state

    @classmethod
    def _of(cls, state: DeviceState) -> Self:
        made = object.__new__(cls)
        made.state = state.twin or state
        return made

    @staticmethod
    def _candidates(source: Any) -> list[device]:
        """Return the devices that a selector ranks, without looking for those it would pass by."""
        if any(source is s for s in selector.NEAR):
            near = [device._of(s) for s in devices.near_devices()]
            if any(source(d) >= 0 for d in near):
                return near
        return device.get_devices()

    @staticmethod
    def get_devices(kind: device_type = device_type.all) -> list[device]:
        """Return the root devices of a type, in a fixed order (SYCL 2020 §4.6.4.3)."""
        return [d for p in platform.get_platforms() for d in p.get_devices(kind)]

    def get_backend(self) -> backend:
        """Return the backend the device is reached through."""
        return self.state.info.backend

    def get_platform(self) -> platform:
        """Return the platform the device belongs to."""
        return platform._of(self.state.platform)

    def is_cpu(self) -> bool:
        """Say whether the device is a CPU."""
        return self.has(aspect.cpu)

    def is_gpu(self) -> bool:
        """Say whether the device is a GPU."""
        return self.has(aspect.gpu)

    def is_accelerator(self) -> bool:
        """Say whether the device is an accelerator."""
        return self.has(aspect.accelerator)

    def has(self, wanted: aspect) -> bool:
        """Say whether the device has an aspect (SYCL 2020 §4.6.4.5)."""
        _check_aspect(wanted)
        return wanted in self.state.info.aspects

    def ext_oneapi_architecture_is(self, kind: architecture) -> bool:
        """Say whether the device is of an architecture (sycl_ext_oneapi_device_architecture)."""
        return fits(self.state.info, checked("architecture_is", (kind,), (architecture,))[0])

    def ext_oneapi_can_access_peer(self, peer: device,
                                   value: peer_access = peer_access.access_supported) -> bool:
        """Say whether kernels here may use device allocations of another device, once enabled."""
        return value.value in self.state.driver.peers(peer.state.driver)

    def ext_oneapi_enable_peer_access(self, peer: device) -> None:
        """Let kernels use memory of another device of the context, which they reach in place.

        ``errc.feature_not_supported`` where they cannot, ``errc.invalid`` if it was enabled before.
        """
        if not self.ext_oneapi_can_access_peer(peer):
            raise UnsupportedError(errc.feature_not_supported, f"{self!r} cannot access memory of "
                                   f"{peer!r}; copy it, or use a buffer")
        if peer.state.name in self.state.reached:
            raise UsageError(errc.invalid, f"{self!r} has access to memory of {peer!r} already")
        self.state.driver.grant(peer.state.driver)
        self.state.reached.add(peer.state.name)

    def ext_oneapi_disable_peer_access(self, peer: device) -> None:
        """End what ``ext_oneapi_enable_peer_access`` began (``errc.invalid``: it never did)."""
        if peer.state.name not in self.state.reached:
            raise UsageError(errc.invalid, f"{self!r} has no access to memory of {peer!r}")
        self.state.reached.discard(peer.state.name)
        self.state.driver.revoke(peer.state.driver)

    def ext_oneapi_can_compile(self, language: source_language) -> bool:
        """Say whether source bundles of a language are built for it."""
        return language is source_language.sycl or self.state.driver.adopt.language(language)

    def has_extension(self, name: str) -> bool:
        """Say whether an extension is supported; deprecated in SYCL 2020 in favour of ``has``."""
        return name in device_info.answer(self.state, "extensions")

    def get_info(self, what: Descriptor) -> Any:
        """Return what the descriptor asks for, e.g. ``info.device.name`` (SYCL 2020 §4.6.4.4)."""
        _check(what, "device")
        if what.name == "platform":
            return self.get_platform()
        if what.name == "parent_device" and self.state.parent is not None:
            return device._of(self.state.parent)
        if what.name in PROGRESS:
            return progress_info.of_device(self.state, what)
        if what.name in khr_info.NAMES:
            return khr_info.of_device(self.state, what)
        return device_info.answer(self.state, what.name)

    def create_sub_devices(self, kind: partition_property, *args: Any) -> list[device]:
        """Split the device into parts with compute units of their own (SYCL 2020 §4.6.4.2).

        Args:
            kind: ``info.partition_property.partition_equally``, ``.partition_by_counts`` or
                ``.partition_by_affinity_domain``.
            args: the compute units of each part; the numbers of units of the parts; or an
                ``info.partition_affinity_domain``.

        Returns:
            The parts; the same ones for the same arguments. On the CPU a part runs on so many
            threads, each on the processors of its units. Raises ``errc.feature_not_supported``
            for what the device cannot do, ``errc.invalid`` for more units than it has.
        """
        what = partition_property
        if kind is what.partition_equally and len(args) == 1 and hasattr(args[0], "__index__"):
            made = partition.equally(self.state, int(args[0]))
        elif kind is what.partition_by_counts and args:
            counts = args if isinstance(args[0], int | np.integer) else args[0]
            made = partition.by_counts(self.state, [int(c) for c in counts])
        elif kind is what.partition_by_affinity_domain and len(args) == 1 and isinstance(
                args[0], partition_affinity_domain):
            made = partition.by_domain(self.state, args[0].name)
        else:
            raise UsageError(errc.invalid, "create_sub_devices: give info.partition_property's "
                             "partition_equally and a number, partition_by_counts and a list of "
                             "numbers, or partition_by_affinity_domain and an "
                             "info.partition_affinity_domain")
        return [device._of(state) for state in made]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name; only root devices have one that another process knows."""
        if self.state.parent is not None:
            raise UsageError(errc.invalid, f"{self!r} is a part of a device and cannot be pickled; "
                             "split the device in the other process")
        return (_named, (self.state.name,))

    def __copy__(self) -> device:
        return self

    def __deepcopy__(self, memo: object) -> device:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and other.state is self.state

    def __hash__(self) -> int:
        return hash(("device", id(self.state)))

    def __repr__(self) -> str:
        info = self.state.info
        return f"<device {self.state.name}: {info.name}, {info.max_compute_units} compute units>"

    def _repr_html_(self) -> str:
        """Return what matters about the device as a table, for a notebook."""
        return device_table.of([self.state])


@ends_at_call
class platform(HasBackendInfo):
    """A backend with its devices (SYCL 2020 §4.6.2).

    Args:
        source: a selector or a device's name; the platform is that of this device. Or a platform.
    """

    __slots__ = ("_name",)
    __kernel_refusal__ = "ask the platform before the launch and pass the answer"
    __capture_refusal__ = ""
    _name: str

    def __init__(self, source: Any = selector.default_selector_v) -> None:
        self._name = source._name if isinstance(source, platform) else (
            device(source).state.platform)

    @classmethod
    def _of(cls, name: str) -> Self:
        made = object.__new__(cls)
        made._name = name
        return made

    @staticmethod
    def get_platforms() -> list[platform]:
        """Return every platform of every backend, in a fixed order (SYCL 2020 §4.6.2.3)."""
        return [platform._of(name) for name in devices.platforms()]

    def states(self) -> tuple[DeviceState, ...]:
        """Return the platform's devices as the runtime knows them (internal)."""
        return devices.of_platform(self._name)

    def get_backend(self) -> backend:
        """Return the platform's backend."""
        found = self.states()
        return found[0].info.backend if found else backend[self._name]

    def get_devices(self, kind: device_type = device_type.all) -> list[device]:
        """Return the root devices of a type; ``automatic`` gives one (SYCL 2020 §4.6.2.2)."""
        _check_type(kind)
        found = [device._of(s) for s in self.states()]
        if kind is device_type.all:
            return found
        if kind is device_type.automatic:
            return [selector.pick(lambda d: devices.score(d.state), found)] if found else []
        return [d for d in found if device_info.type_of(d.state) is kind]

    def khr_get_default_context(self) -> Any:
        """Return the context of queues that name none: that of all devices of the platform.

        (sycl_khr_default_context). Raises ``UnsupportedError`` where its devices share none.
        """
        found = self.states()
        if not found:
            raise UsageError(errc.invalid, f"{self!r} has no device, so it has no context")
        devices.check_together(found, "khr_get_default_context")
        # The module of contexts needs this one.
        made: Any = importlib.import_module("unisycl.api.devices.context")
        return made.context._of(devices.default_context(found[0]))

    def ext_oneapi_get_default_context(self) -> Any:
        """Return the same by its older name (sycl_ext_oneapi_default_context)."""
        return self.khr_get_default_context()

    def has(self, wanted: aspect) -> bool:
        """Say whether every device has the aspect; False if there are none."""
        _check_aspect(wanted)
        found = self.get_devices()
        return bool(found) and all(d.has(wanted) for d in found)

    def has_extension(self, name: str) -> bool:
        """Say whether the platform or each device has it; deprecated in SYCL 2020."""
        found = self.get_devices()
        return name in self.get_info(Descriptor("platform", "extensions")) or (
            bool(found) and all(d.has_extension(name) for d in found))

    def get_info(self, what: Descriptor) -> Any:
        """Return what the descriptor asks for, e.g. ``info.platform.name``."""
        _check(what, "platform")
        found = self.states()
        if what.name == "profile" and not (found and "profile" in found[0].info.details):
            raise UsageError(errc.invalid, "info.platform.profile is not defined for the backend "
                             f"'{self.get_backend().name}'")
        if what.name == "profile":
            return found[0].info.details["profile"]
        if what.name == "extensions":
            return list(found[0].info.details.get("platform_extensions", ())) if found else []
        if what.name == "name":
            return (found[0].info.platform if found else "") or f"unisycl {self._name}"
        return getattr(found[0].info, what.name) if found else ""

    def __reduce__(self) -> tuple[Any, ...]:
        return (platform._of, (self._name,))

    def __copy__(self) -> platform:
        return self

    def __deepcopy__(self, memo: object) -> platform:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, platform) and other._name == self._name

    def __hash__(self) -> int:
        return hash(("platform", self._name))

    def __repr__(self) -> str:
        return f"<platform {self._name}: {len(self.states())} device(s)>"

    def _repr_html_(self) -> str:
        """Return its devices as a table, for a notebook."""
        return device_table.of(self.states())


def _named(name: str) -> device:
    """Return the device of a name; ``errc.runtime`` if there is none."""
    return device._of(devices.find(name))


def _check(what: Any, owner: str) -> None:
    if not isinstance(what, Descriptor) or what.owner != owner:
        raise UsageError(errc.invalid, f"{owner}.get_info answers descriptors of info.{owner}, not "
                         f"{what!r}")


check_descriptor = _check


def _check_aspect(wanted: Any) -> None:
    if not isinstance(wanted, aspect):
        raise UsageError(errc.invalid, f"has: expected an aspect, such as aspect.fp64, got "
                         f"{wanted!r}")


def _check_type(kind: Any) -> None:
    if not isinstance(kind, device_type):
        raise UsageError(errc.invalid, "get_devices: expected a type of device, such as "
                         f"info.device_type.cpu, got {kind!r}")


@ends_at_call
def any_device_has(wanted: aspect) -> bool:
    """Say whether a device of this environment has the aspect (SYCL 2020 §4.6.4.6)."""
    _check_aspect(wanted)
    return any(wanted in d.info.aspects for d in devices.all_devices())


@ends_at_call
def all_devices_have(wanted: aspect) -> bool:
    """Say whether every device of this environment has the aspect (SYCL 2020 §4.6.4.6)."""
    _check_aspect(wanted)
    return all(wanted in d.info.aspects for d in devices.all_devices())
