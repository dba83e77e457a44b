"""A kernel taken out of a bundle, to be asked about its devices (SYCL 2020 §4.11.13).

Non-goals: launching; the function itself is launched. Invariant: its bundle is executable.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from unisycl.api.devices import progress_info
from unisycl.api.devices.context import context
from unisycl.api.devices.device import check_descriptor
from unisycl.api.devices.info import Descriptor, HasBackendInfo, reference_count
from unisycl.base import geometry as geo
from unisycl.base.enums import backend
from unisycl.base.errors import UsageError, errc
from unisycl.lang.kernels.kernel import kernel, required_progress
from unisycl.observe import compile_report
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.launch.compile_ahead import Compiled

if TYPE_CHECKING:
    from unisycl.api.bundles.kernel_bundle import kernel_bundle


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
