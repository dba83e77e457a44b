"""``kernel_bundle``: kernels compiled together, ahead of their launches (SYCL 2020 §4.11).

And its kernels, which answer queries about devices (§4.11.13). Non-goals: the functions
that make bundles (``functions``); launching: the function itself is launched. Invariants: a
bundle's devices belong to its context; constants can be set in input state only; a bundle never
changes its state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

from unisycl.api.bundles import kernel_constants, launch_form
from unisycl.api.bundles.native_kernel import native_kernel
from unisycl.api.devices import progress_info
from unisycl.api.devices.context import context
from unisycl.api.devices.device import check_descriptor, device
from unisycl.api.devices.info import Descriptor, HasBackendInfo, reference_count
from unisycl.base import geometry as geo
from unisycl.base.enums import backend, bundle_state
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.kernels.kernel import kernel, required_progress, with_traits
from unisycl.lang.kernels.kernel_id import as_ids, built_in_id, kernel_id
from unisycl.lang.kernels.kernel_properties import Traits
from unisycl.lang.kernels.specialization import Constants, likeness, specialization_id
from unisycl.observe import compile_report
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.launch.compile_ahead import Compiled


def runs(on: DeviceState, kernel: kernel_id) -> bool:
    """Say whether a device has a kernel built in, or a kernel's attributes allow the device."""
    if isinstance(kernel, built_in_id):
        return kernel.name in on.info.built_in_kernels
    return launch_form.compatible(kernel.function, on)


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
        """Return a key that equal images share (internal)."""
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
        """Return the compiled forms of all its kernels (internal)."""
        return tuple(c for image in self._images for c in image.compiled)

    def get_kernel_ids(self) -> list[kernel_id]:
        """Return the ids of its kernels."""
        return list(dict.fromkeys(image.id for image in self._images))

    @overload
    def get_kernel(self, kernel: built_in_id) -> native_kernel: ...
    @overload
    def get_kernel(self, kernel: Any) -> device_kernel: ...
    def get_kernel(self, kernel: Any) -> Any:
        """Return a kernel of an executable bundle; ``errc.invalid`` if it is not in it.

        One that a device has built in is launched as native kernels are.
        """
        found = as_ids([kernel])[0]
        image = next((i for i in self._images if i.id == found), None)
        if image is None or self.state is not bundle_state.executable:
            raise UsageError(errc.invalid, f"{self!r} has no kernel {found.get_name()}"
                             if image is None else "get_kernel: the bundle is in state "
                             f"{self.state.name}; link or build it first")
        if isinstance(found, built_in_id):
            on = image.devices[0]
            return native_kernel._of(on.driver.adopt.built_in(found.name), on, self._owner)
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
        """Return the value set here, else in a bundle this one came from, else the default.

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
            if isinstance(image.id, built_in_id):
                images.append(device_image(
                    image.id, tuple(d for d in chosen if d in image.devices)))
                continue
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
        """Return a bundle derived from this one, in the same context (internal)."""
        made = kernel_bundle(self._owner, devices, images, state)
        made.inherit(self)
        return made

    def inherit(self, other: kernel_bundle) -> None:
        """Copy the constants set in a bundle that this one comes from (internal)."""
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


class device_kernel(kernel, HasBackendInfo):
    """A kernel of an executable bundle (SYCL 2020 §4.11.13); made by ``bundle.get_kernel``."""

    __slots__ = ("_bundle", "_compiled", "_devices", "_source")
    _bundle: kernel_bundle
    _devices: tuple[DeviceState, ...]
    _compiled: tuple[Compiled, ...]
    _source: Any

    @classmethod
    def _of(cls, source: Any, bundle: kernel_bundle, devices: tuple[DeviceState, ...],
            compiled: tuple[Compiled, ...]) -> device_kernel:
        made: device_kernel = object.__new__(cls)
        made._source, made._bundle, made._devices, made._compiled = (
            source, bundle, devices, compiled)
        made.function = getattr(source, "__unisycl_function__", source)
        made.reqd_work_group_size = getattr(source, "reqd_work_group_size", ())
        made.work_group_size_hint = getattr(source, "work_group_size_hint", ())
        made.reqd_sub_group_size = getattr(source, "reqd_sub_group_size", 0)
        made.fast_math = getattr(source, "fast_math", False)
        made.traits = getattr(source, "traits", ())
        made.progress = required_progress(source)
        return made

    @property
    def __unisycl_function__(self) -> Callable[..., Any]:
        """Refuse to be launched (SYCL 2020 §4.9.4.2): only native kernels are launched so."""
        raise UsageError(errc.invalid, f"{self!r} cannot be launched itself; launch the function "
                         "and give the bundle to handler.use_kernel_bundle")

    def get_backend(self) -> backend:
        """Return the backend of its bundle."""
        return self._bundle.get_backend()

    def get_context(self) -> context:
        """Return the context of its bundle."""
        return self._bundle.get_context()

    def get_kernel_bundle(self) -> kernel_bundle:
        """Return the bundle it was taken from."""
        return self._bundle

    def get_info(self, what: Descriptor, on: Any = None, *arguments: Any) -> Any:
        """Return what a descriptor asks for (SYCL 2020 §4.11.13.1-2).

        Args:
            what: of ``info.kernel``, or with a device of ``info.kernel_device_specific``.
            on: the device; for launch queries such as ``info.kernel.max_num_work_groups`` the
                queue, followed by what the query takes (sycl_ext_oneapi_launch_queries).
            arguments: what else a launch query takes: a local range, bytes of local memory.

        ``errc.invalid`` for a device the kernel is not built for, and for what only native or
        built-in kernels have.
        """
        if getattr(what, "owner", "") == "kernel" and what.name in progress_info.LAUNCH:
            given = () if on is None else (on, *arguments)
            return progress_info.Limits(self.progress, self.reqd_sub_group_size).ask(what, given)
        if arguments:
            raise TypeError(f"get_info({what!r}) takes at most a device")
        if on is None:
            check_descriptor(what, "kernel")
            if what.name == "num_args":
                raise UsageError(errc.invalid, "info.kernel.num_args: only kernels made of native "
                                 "objects or built into a device have one")
            return _OWN[what.name](self)
        check_descriptor(what, "kernel_device_specific")
        if on.state not in self._devices:
            raise UsageError(errc.invalid, f"{self!r} is not built for {on!r}")
        return _ANSWERS[what.name](self, on.state)

    def ext_oneapi_get_info(self, what: Descriptor, *arguments: Any) -> Any:
        """Return what a launch query asks for: a queue, then what ``get_info`` takes for it."""
        return self.get_info(what, *arguments)

    def compiled_forms(self) -> tuple[Compiled, ...]:
        """Return what was compiled (internal)."""
        return self._compiled

    def report(self, *where: Any) -> str:
        """Return what was compiled for each declared form and device; or as ``kernel.report``."""
        if where:
            return super().report(*where)
        return "\n\n".join(
            compile_report.text(c.device, c.kernel, c.geometry) for c in self._compiled)

    def _attributes(self) -> str:
        found = {"reqd_work_group_size": self.reqd_work_group_size,
                 "work_group_size_hint": self.work_group_size_hint,
                 "reqd_sub_group_size": self.reqd_sub_group_size and (self.reqd_sub_group_size,),
                 "device_has": sorted(getattr(self.function, "__unisycl_device_has__", ()))}
        return " ".join(f"{name}({', '.join(map(str, values))})"
                        for name, values in found.items() if values)

    def _on(self, state: DeviceState) -> Sequence[Compiled]:
        return [c for c in self._compiled if c.device is state]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device_kernel) and other._bundle is self._bundle and (
            other.function is self.function)

    def __hash__(self) -> int:
        return hash((id(self._bundle), self.function))

    def __repr__(self) -> str:
        return f"<kernel {getattr(self.function, '__qualname__', self.function)} of a bundle>"


def _global_work_size(k: device_kernel, d: DeviceState) -> Any:
    raise UsageError(errc.invalid, "info.kernel_device_specific.global_work_size: only custom "
                     "devices and built-in kernels have one")


def _required(k: device_kernel, d: DeviceState) -> geo.id:
    return geo.id(*k.reqd_work_group_size) if k.reqd_work_group_size else geo.id(0, 0, 0)


def _widest(k: device_kernel, d: DeviceState) -> int:
    return k.reqd_sub_group_size or max(d.info.sub_group_sizes)


def _narrowest(k: device_kernel, d: DeviceState) -> int:
    return k.reqd_sub_group_size or min(d.info.sub_group_sizes)


def _multiple(k: device_kernel, d: DeviceState) -> int:
    return k.reqd_sub_group_size or int(
        d.info.details.get("preferred_work_group_size_multiple", d.info.sub_group_sizes[0]))


def _count(k: device_kernel) -> int:
    made = [c.device.driver.native.kernel(c.program.executable) for c in k.compiled_forms()]
    return reference_count(made[0] if made else None)


_OWN: dict[str, Callable[[device_kernel], Any]] = {
    "attributes": device_kernel._attributes,
    "function_name": lambda k: getattr(k.function, "__name__", type(k.function).__name__),
    "context": device_kernel.get_context,
    "reference_count": _count,
}
_ANSWERS: dict[str, Callable[[device_kernel, DeviceState], Any]] = {
    "global_work_size": _global_work_size,
    "work_group_size": lambda k, d: d.info.max_work_group_size,
    "compile_work_group_size": _required,
    "preferred_work_group_size_multiple": _multiple,
    "private_mem_size": lambda k, d: max((c.private_bytes() for c in k._on(d)), default=0),
    "max_num_sub_groups": lambda k, d: -(-d.info.max_work_group_size // _narrowest(k, d)),
    "compile_num_sub_groups": lambda k, d: 0,
    "max_sub_group_size": _widest,
    "compile_sub_group_size": lambda k, d: k.reqd_sub_group_size,
}
