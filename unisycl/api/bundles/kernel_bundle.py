"""``kernel_bundle``: kernels compiled together, ahead of their launches (SYCL 2020 §4.11).

Non-goals: the functions that make bundles (``bundles``). Invariants: a bundle's devices belong to
its context; constants can be set in input state only; a bundle never changes its state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from unisycl.api.bundles import kernel_constants, launch_form
from unisycl.api.bundles.device_kernel import device_kernel
from unisycl.api.bundles.kernel_id import as_ids, kernel_id
from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.api.devices.info import HasBackendInfo
from unisycl.base.enums import backend, bundle_state
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels.kernel import with_traits
from unisycl.lang.kernels.kernel_properties import Traits
from unisycl.lang.kernels.specialization import Constants, likeness, specialization_id
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.launch.compile_ahead import Compiled


@ends_at_call
class device_image:
    """One kernel of a bundle, for all its devices (SYCL 2020 §4.11.12).

    ``constants`` are those set before it was compiled or its bundle joined, ``traits`` the options
    it was compiled with.
    """

    __slots__ = ("compiled", "constants", "devices", "id", "traits")

    def __init__(self, id: kernel_id, devices: tuple[DeviceState, ...],
                 compiled: tuple[Compiled, ...] = (), constants: Constants | None = None,
                 traits: Traits = ()) -> None:
        self.traits = traits
        self.id = id
        self.devices = devices
        self.compiled = compiled
        self.constants: Constants = constants or {}

    def likeness(self) -> tuple[Any, ...]:
        """Return what equal images have in common (internal)."""
        return self.id, frozenset(self.devices), likeness(self.constants), self.traits

    def has_kernel(self, kernel: Any, on: device | None = None) -> bool:
        """Say whether the image holds a kernel, for a device if one is given (§4.11.12)."""
        found = as_ids([kernel])[0]
        return found == self.id and (on is None or any(
            on.state in (d, d.twin) for d in self.devices))

    def __copy__(self) -> device_image:
        return self

    def __deepcopy__(self, memo: object) -> device_image:
        return self

    def __repr__(self) -> str:
        return f"<device_image of {self.id.get_name()}>"


@ends_at_call
class kernel_bundle(HasBackendInfo):
    """Kernels for the devices of a context, in one state (SYCL 2020 §4.11.7).

    Made by ``get_kernel_bundle``, ``compile``, ``link``, ``build`` and ``join``. Iterating gives
    its ``device_image`` objects.
    """

    __slots__ = ("_before", "_constants", "_devices", "_images", "_owner", "state")
    __kernel_refusal__ = "give it to handler.use_kernel_bundle"

    def __init__(self, *args: Any) -> None:
        if len(args) != 4:
            raise UsageError(errc.invalid, "a kernel_bundle is made by get_kernel_bundle, not by a "
                             "program")
        self._owner: context
        self._devices: tuple[DeviceState, ...]
        self._images: tuple[device_image, ...]
        self._owner, self._devices, self._images, self.state = args
        self._constants: dict[specialization_id, Any] = {}
        self._before: dict[specialization_id, Any] = {}

    # ------------------------------------------------------------------ asking
    def empty(self) -> bool:
        """Say whether there is no kernel in it (SYCL 2020 §4.11.12)."""
        return not self._images

    def get_backend(self) -> backend:
        """Return the backend of its context."""
        return self._owner.get_backend()

    def get_context(self) -> context:
        """Return its context."""
        return self._owner

    def get_devices(self) -> list[device]:
        """Return its devices."""
        return [device._of(d) for d in self._devices]

    def has_kernel(self, kernel: Any, on: device | None = None) -> bool:
        """Say whether it holds a kernel, for a device if one is given (SYCL 2020 §4.11.12)."""
        return any(image.has_kernel(kernel, on) for image in self._images)

    def compiled_forms(self) -> tuple[Compiled, ...]:
        """Return what was compiled of all its kernels (internal)."""
        return tuple(c for image in self._images for c in image.compiled)

    def get_kernel_ids(self) -> list[kernel_id]:
        """Return the ids of its kernels."""
        return list(dict.fromkeys(image.id for image in self._images))

    def get_kernel(self, kernel: Any) -> device_kernel:
        """Return a kernel of an executable bundle; ``errc.invalid`` if it is not in it."""
        found = as_ids([kernel])[0]
        image = next((i for i in self._images if i.id == found), None)
        if image is None or self.state is not bundle_state.executable:
            raise UsageError(errc.invalid, f"{self!r} has no kernel {found.get_name()}"
                             if image is None else "get_kernel: the bundle is in state "
                             f"{self.state.name}; link or build it first")
        return device_kernel._of(with_traits(found.function, image.traits), self, image.devices,
                                 image.compiled)

    def __iter__(self) -> Iterator[device_image]:
        return iter(self._images)

    # ------------------------------------------------------------------ constants
    def contains_specialization_constants(self) -> bool:
        """Say whether a kernel of it asks for any constant (SYCL 2020 §4.11.12.2)."""
        return any(kernel_constants.used_by(i.id.function) for i in self._images)

    def native_specialization_constant(self) -> bool:
        """Say whether all constants are compiled in, as they always are (§4.11.12.2)."""
        return self.contains_specialization_constants()

    def has_specialization_constant(self, name: specialization_id) -> bool:
        """Say whether a kernel of it asks for this constant (SYCL 2020 §4.11.12.2)."""
        return any(name in kernel_constants.used_by(i.id.function) for i in self._images)

    def set_specialization_constant(self, name: specialization_id, value: Any) -> None:
        """Set a constant for all kernels; in input state only, else ``errc.invalid``."""
        if self.state is not bundle_state.input:
            raise UsageError(errc.invalid, "set_specialization_constant: constants are fixed when "
                             "a bundle is compiled, and this one is in state "
                             f"{self.state.name}")
        known = kernel_constants.checked_id(name)
        self._constants[known] = known.convert(value)

    def get_specialization_constant(self, name: specialization_id) -> Any:
        """Return the value set here, else in a bundle that this one was made of, else the default.

        (SYCL 2020 §4.11.12.2)
        """
        known = kernel_constants.checked_id(name)
        return {**self._before, **self._constants}.get(known, name.default)

    # ------------------------------------------------------------------ internal
    def constants_of(self, kernel: Any) -> Constants:
        """Return the constants that a kernel of it was compiled with (internal)."""
        found = as_ids([kernel])[0]
        return next((i.constants for i in self._images if i.id == found), {})

    def traits_of(self, kernel: Any) -> Traits:
        """Return the options that a kernel of it was compiled with (internal)."""
        found = as_ids([kernel])[0]
        return next((i.traits for i in self._images if i.id == found), ())

    def images(self) -> tuple[device_image, ...]:
        """Return the images with the constants as they are now (internal)."""
        if not self._constants:
            return self._images
        return tuple(device_image(i.id, i.devices, i.compiled, {**i.constants, **self._constants},
                                  i.traits) for i in self._images)

    def compiled(self, devices: Iterable[DeviceState], traits: Traits = ()) -> kernel_bundle:
        """Return this bundle compiled for some of its devices, with options (internal)."""
        chosen = tuple(devices)
        images = []
        for image in self.images():
            made = launch_form.compile_all(
                with_traits(image.id.function, traits), chosen, image.constants)
            usable = tuple(d for d in chosen if d in image.devices and d in made)
            if usable:
                images.append(device_image(
                    image.id, usable, tuple(c for d in usable for c in made[d]), image.constants,
                    traits))
        return self.derived(bundle_state.object, chosen, tuple(images))

    def derived(self, state: bundle_state, devices: tuple[DeviceState, ...],
                images: tuple[device_image, ...]) -> kernel_bundle:
        """Return a bundle made of this one, with the same context (internal)."""
        made = kernel_bundle(self._owner, devices, images, state)
        made.inherit(self)
        return made

    def inherit(self, other: kernel_bundle) -> None:
        """Note the constants that were set in a bundle that this one is made of (internal)."""
        self._before.update({**other._before, **other._constants})

    def __copy__(self) -> kernel_bundle:
        return self

    def __deepcopy__(self, memo: object) -> kernel_bundle:
        return self

    def __eq__(self, other: object) -> bool:
        """Say whether context, state, devices and images are the same (SYCL 2020 §4.11.12)."""
        if not isinstance(other, kernel_bundle):
            return NotImplemented
        return self is other or (hash(self) == hash(other) and self._owner == other._owner
                                 and self.state is other.state
                                 and set(self._devices) == set(other._devices)
                                 and {i.likeness() for i in self.images()}
                                 == {i.likeness() for i in other.images()})

    def __hash__(self) -> int:
        return hash((self._owner, self.state, frozenset(self._devices),
                     frozenset(i.id for i in self._images)))

    def __repr__(self) -> str:
        names = ", ".join(i.get_name().rpartition(".")[2] for i in self.get_kernel_ids()[:3])
        more = ", ..." if len(self.get_kernel_ids()) > 3 else ""
        return f"<kernel_bundle, {self.state.name}: {names or 'no kernels'}{more}>"
