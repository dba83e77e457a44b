"""Virtual memory: ranges of addresses, and memory that is put there (sycl_ext_oneapi_virtual_mem).

Non-goals: how a driver does it (``Driver.virtual``). Invariants: only what was reserved is mapped,
nothing is mapped twice, and a range that has memory is not given back; each refusal names the call.
"""

from __future__ import annotations

import enum
import threading
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.api.devices.queue_base import QueueBase
from unisycl.api.memory import usm
from unisycl.base.enums import aspect, usm_kind
from unisycl.base.errors import UsageError, errc, exception
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import ContextState, DeviceState, require_aspect
from unisycl.runtime.memory import usm as blocks

_WANTED = aspect.ext_oneapi_virtual_mem


class granularity_mode(enum.Enum):
    """Which sizes ``get_mem_granularity`` returns."""

    minimum = "minimum"
    recommended = "recommended"


class address_access_mode(enum.Enum):
    """What may be done with a range of virtual memory."""

    none = "none"
    read = "read"
    read_write = "read_write"


class _Ranges:
    """What of a context is reserved, and what is mapped: where it begins, and its bytes."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.reserved: dict[int, tuple[int, DeviceState]] = {}
        self.mapped: dict[int, tuple[blocks.Block, address_access_mode]] = {}

    def within(self, start: int, nbytes: int) -> DeviceState | None:
        """Return whose range a part is of, all of it."""
        for first, (whole, state) in self.reserved.items():
            if first <= start and start + nbytes <= first + whole:
                return state
        return None

    def touching(self, start: int, nbytes: int) -> list[int]:
        """Return where mapped ranges begin that have some of these bytes."""
        return [first for first, (block, _) in self.mapped.items()
                if first < start + nbytes and start < first + block.nbytes]


_known: weakref.WeakKeyDictionary[ContextState, _Ranges] = weakref.WeakKeyDictionary()


# ------------------------------------------------------------------ arguments
def _states(what: str, given: tuple[Any, ...]) -> tuple[ContextState, list[DeviceState]]:
    """Return the context that is given, or a queue's, and the devices meant; all have it."""
    owner: ContextState | None = None
    found: list[DeviceState] = []
    for one in given:
        if isinstance(one, QueueBase):
            owner, found = one.channel.context, [one.channel.device]
        elif isinstance(one, context):
            owner = one.state
        elif isinstance(one, device):
            found = [one.state]
    if owner is None and not found:
        raise UsageError(errc.invalid, f"{what}: expected a queue, a context or a device among "
                         "the arguments")
    for state in found or (owner.devices if owner is not None else ()):
        require_aspect(state, _WANTED, what)
    if owner is None:
        raise UsageError(errc.invalid, f"{what}: expected a context among the arguments")
    return owner, found or list(owner.devices)


def _ranges(owner: ContextState) -> _Ranges:
    return _known.setdefault(owner, _Ranges())


def _whole(what: str, name: str, given: Any, step: int, least: int = 1) -> int:
    if not hasattr(given, "__index__") or int(given) % step or int(given) < least:
        raise UsageError(errc.invalid, f"{what}: {name} is a multiple of {step} bytes (see "
                         f"get_mem_granularity), not {given!r}")
    return int(given)


def _step(states: list[DeviceState]) -> int:
    return max(int(s.driver.virtual.granularity(recommended=False)) for s in states)


def _address(what: str, given: Any) -> int:
    """Return an address: a number, or a pointer's."""
    if isinstance(given, usm.usm_pointer):
        return given.address()
    if not hasattr(given, "__index__"):
        raise UsageError(errc.invalid, f"{what}: expected an address, got {type(given).__name__}")
    return int(given)


# ------------------------------------------------------------------ addresses
@ends_at_call
def get_mem_granularity(*given: Any) -> int:
    """Return what sizes and addresses are multiples of: ``([device,] context[, mode])``."""
    modes = [x for x in given if isinstance(x, granularity_mode)]
    _, states = _states("get_mem_granularity", given)
    recommended = (modes or [granularity_mode.recommended])[0] is granularity_mode.recommended
    return max(int(s.driver.virtual.granularity(recommended=recommended)) for s in states)


@ends_at_call
def reserve_virtual_mem(*given: Any) -> int:
    """Return a range of addresses without memory: ``([start,] bytes, context)``."""
    what = "reserve_virtual_mem"
    owner, states = _states(what, given)
    numbers = [x for x in given if hasattr(x, "__index__")]
    if not 1 <= len(numbers) <= 2 or len(states) != 1:
        raise UsageError(errc.invalid, f"{what}: expected ([start,] bytes, context), the context "
                         f"of one device, got {given!r}")
    step = _step(states)
    nbytes = _whole(what, "the size", numbers[-1], step)
    start = _whole(what, "the start", numbers[0], step, 0) if len(numbers) > 1 else 0
    try:
        found = int(states[0].driver.virtual.reserve(start, nbytes))
    except exception as error:
        raise UsageError(errc.memory_allocation, f"{what}: {nbytes} bytes of addresses cannot be "
                         f"had: {error.what()}") from error
    ranges = _ranges(owner)
    with ranges.lock:
        ranges.reserved[found] = nbytes, states[0]
    return found


@ends_at_call
def free_virtual_mem(start: int, nbytes: int, where: Any) -> None:
    """Give a range of addresses back, which has no memory any more."""
    what = "free_virtual_mem"
    owner, _ = _states(what, (where,))
    ranges = _ranges(owner)
    with ranges.lock:
        known = ranges.reserved.get(_address(what, start))
        if known is None or known[0] != nbytes:
            raise UsageError(errc.invalid, f"{what}: no {nbytes!r} bytes were reserved at "
                             f"{start!r} in this context")
        if ranges.touching(start, nbytes):
            raise UsageError(errc.invalid, f"{what}: the range has memory still; unmap that first")
        del ranges.reserved[start]
        known[1].driver.virtual.free(start, nbytes)


# ------------------------------------------------------------------ memory
@ends_at_call
class physical_mem:
    """Memory of a device without an address: ``physical_mem(queue, bytes)``.

    ``physical_mem(device, context, bytes)`` does as well. It goes when this object has gone, and
    nothing is mapped of it any more.
    """

    __slots__ = ("__weakref__", "_device", "_memory", "_owner", "_size")

    def __init__(self, *given: Any) -> None:
        what = "physical_mem"
        self._owner, states = _states(what, given)
        numbers = [x for x in given if hasattr(x, "__index__")]
        if len(numbers) != 1 or len(states) != 1:
            raise UsageError(errc.invalid, f"{what}: expected a queue, or a device and a context, "
                             f"then bytes, got {given!r}")
        self._device = states[0]
        virtual = self._device.driver.virtual
        self._size = _whole(what, "the size", numbers[0], _step(states))
        try:
            self._memory = int(virtual.make(self._size))
        except exception as error:
            raise UsageError(errc.memory_allocation, f"{what}: {self._size} bytes of memory of "
                             f"'{self._device.info.name}' cannot be had: {error.what()}") from error
        weakref.finalize(self, virtual.release, self._memory)

    def map(self, start: int, nbytes: int, mode: address_access_mode, offset: int = 0,
            dtype: npt.DTypeLike = np.uint8) -> usm.usm_pointer:
        """Put memory at addresses that were reserved; return the pointer to it.

        Args:
            start, nbytes: which addresses.
            mode: what may be done there.
            offset: where of this memory they begin.
            dtype: the type of the pointer's elements.
        """
        what, step = "physical_mem.map", _step([self._device])
        start = _whole(what, "the start", start, step)
        nbytes = _whole(what, "the size", nbytes, step)
        offset = _whole(what, "the offset", offset, step, 0)
        if not isinstance(mode, address_access_mode):
            raise UsageError(errc.invalid, f"{what}: expected an address_access_mode, got {mode!r}")
        if offset + nbytes > self._size:
            raise UsageError(errc.invalid, f"{what}: {nbytes} bytes from {offset} on of memory "
                             f"that has {self._size}")
        element, ranges = np.dtype(dtype), _ranges(self._owner)
        with ranges.lock:
            if ranges.within(start, nbytes) is not self._device:
                raise UsageError(errc.invalid, f"{what}: {nbytes} bytes at {start:#x} were not "
                                 "reserved for this device and context")
            if ranges.touching(start, nbytes):
                raise UsageError(errc.invalid, f"{what}: there is memory at {start:#x} already")
            memory = self._device.driver.virtual.map(start, nbytes, self._memory, offset,
                                                     mode.name)
            block = blocks.Block(nbytes, usm_kind.device, self._owner, self._device, memory=memory)
            ranges.mapped[start] = block, mode
        return usm.usm_pointer(block, element, (nbytes // element.itemsize,))

    def get_context(self) -> context:
        """Return the context."""
        return context._of(self._owner)

    def get_device(self) -> device:
        """Return the device."""
        return device._of(self._device)

    def size(self) -> int:
        """Return the bytes."""
        return self._size


def _mapped(what: str, pointer: Any, nbytes: int, ranges: _Ranges) -> int:
    """Return where a mapped range begins; it is what is meant, no more and no less."""
    start = _address(what, pointer)
    found = ranges.mapped.get(start)
    if found is None or found[0].nbytes != nbytes:
        raise UsageError(errc.invalid, f"{what}: no {nbytes!r} bytes are mapped at {start:#x} in "
                         "this context; give the range as it was mapped")
    return start


@ends_at_call
def set_access_mode(pointer: Any, nbytes: int, mode: address_access_mode, where: Any) -> None:
    """Say what may be done with a range that was mapped."""
    what = "set_access_mode"
    owner, _ = _states(what, (where,))
    if not isinstance(mode, address_access_mode):
        raise UsageError(errc.invalid, f"{what}: expected an address_access_mode, got {mode!r}")
    ranges = _ranges(owner)
    with ranges.lock:
        start = _mapped(what, pointer, nbytes, ranges)
        block, _ = ranges.mapped[start]
        block.device.driver.virtual.allow(start, nbytes, mode.name)
        ranges.mapped[start] = block, mode


@ends_at_call
def get_access_mode(pointer: Any, nbytes: int, where: Any) -> address_access_mode:
    """Return what may be done with a range that was mapped."""
    owner, _ = _states("get_access_mode", (where,))
    ranges = _ranges(owner)
    with ranges.lock:
        return ranges.mapped[_mapped("get_access_mode", pointer, nbytes, ranges)][1]


@ends_at_call
def unmap(pointer: Any, nbytes: int, where: Any) -> None:
    """Take memory from the addresses where it was mapped, once the device has nothing to do."""
    owner, _ = _states("unmap", (where,))
    ranges = _ranges(owner)
    with ranges.lock:
        start = _mapped("unmap", pointer, nbytes, ranges)
        block, _ = ranges.mapped.pop(start)
        if not block.freed:
            block.free()
        block.device.driver.virtual.unmap(start, nbytes)
