"""A kernel of the backend's own that command groups launch (SYCL 2020 App. C.7.6).

Non-goals: making one (``make``). Invariant: what it is given is passed by position; a position
that is not given keeps what was set on the native kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unisycl.base import foreign_objects
from unisycl.base.enums import backend
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import Capturable, Group, LocalSize
from unisycl.runtime.launch.args import bind_array

if TYPE_CHECKING:
    from unisycl.api.devices.context import context


@ends_at_call
class native_kernel:
    """A native kernel with a context; made by ``make_kernel`` or taken from a bundle of source."""

    __slots__ = ("_executable", "_owner", "_state")
    __kernel_refusal__ = "launch native kernels from the host"
    _executable: Any
    _owner: context
    _state: DeviceState

    def __init__(self, *args: Any) -> None:
        raise UsageError(errc.invalid, "a native_kernel is made by make_kernel, not by a program")

    @classmethod
    def _of(cls, executable: Any, state: DeviceState, owner: context) -> native_kernel:
        made = object.__new__(cls)
        made._executable, made._state, made._owner = executable, state, owner
        return made

    @property
    def name(self) -> str:
        """The function's name."""
        return str(self._executable.name)

    def get_backend(self) -> backend:
        """Return the backend."""
        return self._state.info.backend

    def get_context(self) -> context:
        """Return the context."""
        return self._owner

    def get_native(self) -> Any:
        """Return the backend's own object."""
        return self._executable.native

    def executable(self, channel: Channel) -> Any:
        """Return what a driver launches (internal); refuses queues of other contexts."""
        if channel.context is not self._owner.state:
            raise UsageError(errc.invalid, f"kernel '{self.name}' belongs to another context than "
                             "the queue; make it with queue.get_context()")
        return self._executable

    def __repr__(self) -> str:
        return f"<native kernel '{self.name}'>"


def bind(values: dict[int, Any], group: Group, channel: Channel) -> tuple[Any, ...]:
    """Return the values of a launch by position, None where none is given."""
    out: list[Any] = [None] * (max(values, default=-1) + 1)
    local: dict[int, int] = {}
    for at, value in values.items():
        out[at] = _bound(at, value, group, channel)
        if isinstance(out[at], LocalSize) and local.setdefault(id(value), at) != at:
            raise UsageError(errc.kernel_argument, f"set_arg({at}): argument {local[id(value)]} is "
                             "this local_accessor, too, and a native kernel has a memory for each "
                             "argument; pass one argument, or make two")
    return tuple(out)


def _bound(at: int, value: Any, group: Group, channel: Channel) -> Any:
    if isinstance(value, Capturable):
        return value.bind(group, channel)
    if isinstance(value, np.generic):
        return value
    if isinstance(value, np.ndarray):
        return bind_array(value, channel)
    if (lent := foreign_objects.description(value)) is not None:
        if lent.problem:
            raise UsageError(errc.kernel_argument, f"set_arg({at}): {lent.problem}")
        if lent.layout:
            raise UsageError(errc.kernel_argument, f"set_arg({at}): a native kernel knows nothing "
                             "of strides; pass a C-contiguous copy of the array")
        return bind_array(value, channel)
    if hasattr(value, "__array__"):
        return np.asarray(value)
    raise UsageError(errc.kernel_argument, f"set_arg({at}): a native kernel's argument needs a "
                     f"type of known size, not {type(value).__name__}; give np.int32(...) or "
                     "such, a vector, an accessor, a local_accessor, USM memory or an array" +
                     foreign_objects.native_help(value))
