"""Contexts: the devices that share allocations (SYCL 2020 §4.6.3).

Non-goals: memory itself. Invariant: all devices of a context belong to one platform.
"""

from __future__ import annotations

from typing import Any, Self

from unisycl.api.devices import device_info
from unisycl.api.devices.device import check_descriptor, device, platform
from unisycl.api.devices.info import Descriptor, HasBackendInfo, reference_count
from unisycl.api.properties import HasProperties, Property, check, flatten, property_list
from unisycl.base.enums import backend
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import ContextState, check_together, names


@ends_at_call
class context(HasProperties, HasBackendInfo):
    """A set of devices of one platform (SYCL 2020 §4.6.3).

    Args:
        source: a device or its name, a platform, a list of devices; the default device if left out.
        rest: an asynchronous handler (a callable taking an ``exception_list``), properties.

    Raises ``UnsupportedError`` for several devices whose driver takes one in a context.
    """

    __slots__ = ("_properties", "state")
    __kernel_refusal__ = "a kernel runs inside its context and needs no name for it"
    __capture_refusal__ = ""
    state: ContextState

    def __init__(self, source: Any = None, *rest: Any, async_handler: Any = None) -> None:
        properties: list[Any] = []
        for item in rest:
            if isinstance(item, Property | property_list | list | tuple):
                properties.append(item)
            elif callable(item):
                async_handler = item
            elif item is not None:
                raise UsageError(errc.invalid, "context: expected an async handler or properties, "
                                 f"got {type(item).__name__}")
        self._properties = check(flatten(properties), "context")
        chosen = tuple(d.state for d in _devices_of(source))
        check_together(chosen, "context")
        self.state = ContextState(chosen, async_handler)

    @classmethod
    def _of(cls, state: ContextState) -> Self:
        made = object.__new__(cls)
        made.state = state
        made._properties = ()
        return made

    def get_backend(self) -> backend:
        """Return the backend of the devices."""
        return self.state.devices[0].info.backend

    def get_platform(self) -> platform:
        """Return the platform of the devices."""
        return platform._of(self.state.devices[0].platform)

    def get_devices(self) -> list[device]:
        """Return the devices."""
        return [device._of(d) for d in self.state.devices]

    def get_info(self, what: Descriptor) -> Any:
        """Return what the descriptor asks for, e.g. ``info.context.devices``."""
        check_descriptor(what, "context")
        if what.name == "platform":
            return self.get_platform()
        if what.name == "devices":
            return self.get_devices()
        if what.name == "reference_count":
            first = self.state.devices[0]
            return reference_count(first.driver.native.context())
        answers = [device_info.answer(d, what.name) for d in self.state.devices]
        return [x for x in answers[0] if all(x in other for other in answers)]

    def __copy__(self) -> context:
        return self

    def __deepcopy__(self, memo: object) -> context:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, context) and other.state is self.state

    def __hash__(self) -> int:
        return hash(("context", id(self.state)))

    def __repr__(self) -> str:
        return f"<context of {names(self.state.devices)}>"


def _devices_of(source: Any) -> list[device]:
    """Return the devices meant by a context's first argument."""
    if source is None:
        return [device()]
    if isinstance(source, device):
        return [source]
    if isinstance(source, platform):
        found: list[Any] = list(source.get_devices())
    elif isinstance(source, list | tuple):
        found = list(source)
        wrong = [d for d in found if not isinstance(d, device)]
        if wrong:
            raise UsageError(errc.invalid, "context: expected a list of devices, got "
                             f"{type(wrong[0]).__name__} in it")
    elif callable(source) or isinstance(source, str):
        return [device(source)]
    else:
        raise UsageError(errc.invalid, "context: expected a device or its name, a platform "
                         f"or a list of devices, got {type(source).__name__}")
    if not found:
        raise UsageError(errc.invalid, "context: needs at least one device; the list is empty")
    if len({d.state.platform for d in found}) > 1:
        raise UsageError(errc.invalid, "context: all devices must belong to one platform; these "
                         f"belong to {', '.join(sorted({d.state.platform for d in found}))}")
    return list(dict.fromkeys(found))
