"""Unified shared memory underneath: allocations, who may use them, and finding one by address.

Non-goals: SYCL's overloads (``api.memory.usm``). Invariants: memory stays alive while a command or
a NumPy view uses it, whatever was freed; an allocation belongs to one context.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from unisycl.backends.base import HOST
from unisycl.base import allocations as known_allocations
from unisycl.base import checked_mode, requested_checks
from unisycl.base.enums import aspect, usm_kind
from unisycl.base.errors import UsageError, errc
from unisycl.base.strides import span_of
from unisycl.process.callers import Where, caller, place
from unisycl.runtime.devices.devices import ContextState, DeviceState, require_aspect
from unisycl.runtime.graph import ordering
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView, Capturable, Group
from unisycl.runtime.memory.allocation import ALIGNMENT, Array, aligned_bytes
from unisycl.runtime.memory.regions import pitches_of
from unisycl.runtime.memory.staging import Staged


class Block:
    """One allocation. ``free`` forgets the memory; views and commands keep what they use.

    ``addressed``: kernels keep the address of a device allocation in memory.
    """

    __slots__ = ("__weakref__", "address", "before_access", "context", "device", "exported",
                 "fate", "freed", "kind", "made", "memory", "nbytes", "users")

    def __init__(self, nbytes: int, kind: usm_kind, context: ContextState, device: DeviceState,
                 alignment: int = ALIGNMENT, memory: Array | None = None, *,
                 addressed: bool = False) -> None:
        self.memory: Any = memory if memory is not None else _fresh(
            nbytes, kind, device, max(alignment, ALIGNMENT), addressed=addressed)
        self.address: int = self.memory.ctypes.data if isinstance(
            self.memory, np.ndarray) else self.memory.address
        self.nbytes = nbytes
        self.kind = kind
        self.context = context
        self.device = device
        self.before_access: Any = getattr(self.memory, "before_access", None)
        self.made = caller() if "uninitialised" in requested_checks.environment() else None
        self.freed = False
        self.fate = known_allocations.note(self.memory if memory is None else None, self)
        self.exported = False
        self.users: weakref.WeakSet[Any] = weakref.WeakSet()
        context.allocations[self.address] = self

    @classmethod
    def over(cls, memory: Array, context: ContextState, device: DeviceState) -> Block:
        """Return an allocation over another owner's memory, given as bytes."""
        return cls(memory.size, usm_kind.shared, context, device, memory=memory)

    def bytes(self) -> Any:
        """Return the memory; ``errc.invalid`` once it was freed."""
        memory = self.memory
        if memory is None or self.freed:
            self.fate.bytes()
        return memory

    def free(self) -> None:
        """Give the memory back as soon as nothing uses it; a second call raises ``errc.invalid``.

        So does a call while a command uses it, where races between commands are looked for.
        Consumers of ``__array_interface__`` hold an address, not the memory, so the block keeps it
        for them until the block itself goes.
        """
        if self.freed:
            raise UsageError(errc.invalid, f"this {self.kind.name} allocation of {self.nbytes} "
                             "bytes was freed before; free each allocation once")
        user = ordering.user_of(self) if ordering.state.on else None
        if user is not None:
            at = f", submitted at {place(user.where)}," if user.where is not None else ""
            raise UsageError(errc.invalid, f"this {self.kind.name} allocation of {self.nbytes} "
                             f"bytes is freed while {user.label}{at} uses it; wait for that first")
        self.freed = self.fate.freed = True
        self.fate.told = f"{self.kind.name} allocation of {self.nbytes} bytes"
        self.context.allocations.pop(self.address, None)
        for user in tuple(self.users):
            user.drop()
        if not self.exported:
            self.memory = None


def check_alive(array: Array, group: Group | None = None) -> None:
    """Refuse an array over memory of an allocation that was freed, which a slice of it may be.

    A group that is given uses the allocation from now on.
    """
    fate = known_allocations.fate_of(array)
    if fate is None:
        return
    if fate.freed:
        fate.bytes()
    if group is not None and fate.block is not None:
        group.blocks.append(fate.block)


def _fresh(nbytes: int, kind: usm_kind, device: DeviceState, alignment: int, *,
           addressed: bool) -> Any:
    """Return memory of a device: the host's, or where it has its own, that."""
    own = device.driver.allocate(max(nbytes, 1), kind, alignment, addressed=addressed)
    if own is not None:
        return own
    found = aligned_bytes(max(nbytes, 1), alignment)
    if "uninitialised" in requested_checks.environment():
        found.fill(checked_mode.UNWRITTEN)
    return found


class Pointer(Capturable):
    """A place in a block, seen as a row-major array: what kernels and copies are given."""

    __slots__ = ("_bound", "block", "dtype", "offset", "shape")
    __kernel_address__ = True

    @property
    def __made__(self) -> Where | None:
        return self.block.made

    def __init__(self, block: Block, dtype: np.dtype[Any], shape: tuple[int, ...],
                 offset: int = 0) -> None:
        self.block = block
        self.dtype = dtype
        self.shape = shape
        self.offset = offset
        count = int(np.prod(shape, dtype=np.int64))
        self._bound = BoundView(self._elements(count), 0, shape, pitches_of(shape))

    def _elements(self, count: int) -> Any:
        whole = self.block.bytes()
        return whole[self.offset:self.offset + count * self.dtype.itemsize].view(self.dtype)

    def __getattr__(self, name: str) -> Any:
        """Return an array interface that the backend's form of a device allocation has."""
        if name.startswith("__") and name.endswith("_interface__"):
            native = native_of(self)
            if hasattr(native, name):
                self.block.exported = True
                return getattr(native, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def bound(self) -> BoundView:
        """Return the memory as commands are given it."""
        return self._bound

    def bind(self, group: Group | None, channel: Channel) -> BoundView:
        """Return the argument of a launch; refuses freed memory and another context's."""
        block = self.block
        if block.freed:
            block.bytes()
        if group is not None:
            group.blocks.append(block)
        if block.context is not channel.context:
            raise UsageError(errc.invalid, f"this {block.kind.name} allocation belongs to another "
                             f"context (of {block.device.name}) than the queue's (of "
                             f"{channel.device.name}); allocate it with this queue")
        return self._bound


def native_of(pointer: Pointer) -> Any:
    """Return a device allocation as its backend gives it to other libraries; None otherwise."""
    block = pointer.block
    if block.kind is not usm_kind.device or block.freed:
        return None
    found = block.device.driver.native.memory(pointer.bound())
    return found if hasattr(found, "__dlpack__") and not isinstance(found, np.ndarray) else None


def lasting(raw: Iterable[Any]) -> set[Any]:
    """Return what objects given to a launch that is kept must not have ended: ask ``freed``.

    Allocations, and what the ``__lasting__`` of others returns; ``bytes`` says what is wrong.
    """
    found = {known_allocations.fate_of(r) if isinstance(r, np.ndarray) else
             r.block if isinstance(r, Pointer) else r.__lasting__() for r in raw
             if isinstance(r, np.ndarray | Pointer) or hasattr(type(r), "__lasting__")}
    return found - {None}



class _Table(np.ndarray[Any, Any]):
    """Where allocations begin and end; it keeps their memory as long as a launch has it."""

    kept: Any


def allocations(channel: Channel) -> BoundView | Staged:
    """Return the first and the last but one byte of each allocation a queue's kernels may touch.

    Raises ``errc.feature_not_supported`` where the device knows no addresses.
    """
    device = channel.device
    known = [(at, nbytes, memory) for at, nbytes, memory, where in channel.context.variables
             if where is device]
    known += [(block.address, block.nbytes, block.memory)
              for block in live(channel.context)
              if block.kind is not usm_kind.device or block.device.root() is device.root()]
    if device.driver.memory != HOST and not any(isinstance(m, np.ndarray) for _, _, m in known):
        # memory objects have no addresses that kernels share
        require_aspect(device, aspect.usm_shared_allocations, "a pointer kept in memory")
    bounds = [x for at, nbytes, _ in known for x in (at, at + nbytes)]
    table = np.array(bounds or (0, 0), np.int64).view(_Table)
    table.kept = [memory for _, _, memory in known]
    if device.driver.memory != HOST:
        return Staged(table)
    return BoundView(table, 0, (len(table),), (1,))


def in_place(array: Array, channel: Channel) -> Any:
    """Return the bytes of an array as those of the allocation of the queue's context they lie in.

    None where they lie in none, where their elements lie at odd addresses, and where devices use
    the host's memory anyway. A copy of them would be made when it is asked for, which may be before
    what writes them has ended.
    """
    if channel.driver.memory == HOST or not array.flags.aligned or not array.size:
        return None
    start, stop = span_of(array)
    fate = known_allocations.fate_of(array)
    block: Block | None = find(channel.context, start) if fate is None else fate.block
    if block is None or block.context is not channel.context:
        return None
    return _held(block, start, stop)


def inside(context: ContextState, array: Array) -> Array | None:
    """Return bytes of the host as those of the allocation that holds them; None: there is none."""
    at = array.ctypes.data
    block = find(context, at)
    return None if block is None else _held(block, at, at + array.nbytes)


def _held(block: Block, start: int, stop: int) -> Array | None:
    """Return the bytes of an allocation between two addresses; None where it does not hold them."""
    memory, low = block.memory, start - block.address
    if not isinstance(memory, np.ndarray) or low < 0 or stop - block.address > block.nbytes:
        return None
    return memory[low:low + stop - start]


def find(context: ContextState, address: int) -> Block | None:
    """Return the block that holds an address, which may be inside it; None if there is none."""
    exact = context.allocations.get(address)
    if exact is not None:
        return exact  # type: ignore[no-any-return]
    for block in live(context):
        if block.address <= address < block.address + block.nbytes:
            return block
    return None


def live(context: ContextState) -> list[Block]:
    """Return the allocations of a context, while other threads may make and free some."""
    refs = context.allocations.valuerefs()  # in one step, which going through them is not
    return [block for ref in refs if (block := ref()) is not None]
