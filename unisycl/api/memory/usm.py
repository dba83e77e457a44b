"""Unified shared memory (SYCL 2020 §4.8): allocate, index, free, ask.

Non-goals: system allocations (any NumPy array is one). Invariants: device allocations
cannot be indexed from the host; ``free`` raises where C++ would corrupt the heap.
"""

from __future__ import annotations

import html
import math
import operator
from collections.abc import Iterator
from types import GenericAlias
from typing import Any, NoReturn, Self

import numpy as np
import numpy.typing as npt

from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.api.devices.queue_base import QueueBase
from unisycl.api.memory import preview
from unisycl.api.memory.array_advice import NoArray, refuse_numbers
from unisycl.api.memory.dlpack import export, interface_of
from unisycl.api.memory.parts import piece
from unisycl.api.properties import (
    Property,
    between_processes,
    check,
    flatten,
    is_property,
    property_list,
)
from unisycl.base import geometry as geo
from unisycl.base.enums import access_mode, aspect, usm_kind
from unisycl.base.errors import UsageError, errc, exception
from unisycl.base.shared_words import Words
from unisycl.base.tracebacks import RAISED, ends_at_call, shorten
from unisycl.ir.types import View, global_view
from unisycl.lang.memory.views import storable
from unisycl.runtime.devices.devices import ContextState, DeviceState, host_words, require_aspect
from unisycl.runtime.memory import named_memory
from unisycl.runtime.memory import usm as blocks
from unisycl.runtime.memory.allocation import Array

_ASPECTS = {usm_kind.device: aspect.usm_device_allocations,
            usm_kind.host: aspect.usm_host_allocations,
            usm_kind.shared: aspect.usm_shared_allocations}
_UNSEEN = ("a device allocation cannot be accessed from the host; copy it with queue.memcpy or "
           "queue.copy, or use malloc_shared")
_MOST_ALIGNED = 1 << 24
_ATOMICS = {usm_kind.host: aspect.usm_atomic_host_allocations,
            usm_kind.shared: aspect.usm_atomic_shared_allocations}


class usm:
    """Names of SYCL's ``sycl::usm`` namespace (SYCL 2020 §4.8.2)."""

    alloc = usm_kind


class _Bits:
    """Elements whose type an array interface cannot name, as their bits.

    NumPy keeps this, so the pointer and its memory live as long as arrays over them.
    """

    def __init__(self, pointer: usm_pointer, view: Array) -> None:
        self._pointer = pointer
        self.__array_interface__ = {**view.view(np.dtype((np.void, view.itemsize)))
                                    .__array_interface__}


@ends_at_call
class usm_pointer(NoArray, blocks.Pointer):
    """USM memory with a type and a shape (SYCL 2020 §4.8).

    Kernels index it, and so does the host unless it is a device allocation: parts of that,
    ``p[a:b]``, are pointers. ``p.pointer_to(n)`` is the pointer to element n, which kernels write
    ``p + n``; ``numpy.asarray(p)`` shares the memory.
    """

    __slots__ = ("__weakref__", "_type", "_view")
    __kernel_type_at__ = "_type"
    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(self, block: blocks.Block, dtype: np.dtype[Any], shape: tuple[int, ...],
                 offset: int = 0) -> None:
        kind = global_view(dtype, len(shape), access_mode.read_write)
        if kind is None:
            raise UsageError(errc.invalid, f"USM: kernels have no type {dtype}; use bool, an "
                             "integer, a float or a structured dtype of these")
        super().__init__(block, dtype, shape, offset)
        memory = self._bound.memory
        if isinstance(memory, np.ndarray) and not memory.flags.writeable:
            kind = global_view(dtype, len(shape), access_mode.read)
        assert kind is not None
        self._type = kind
        self._view: Array | None = None

    def __kernel_type__(self) -> View:
        """Return the type kernels see."""
        return self._type

    def get_view(self) -> Array:
        """Return the memory as an array, without a copy; refused for device allocations."""
        try:
            if self.block.kind is usm_kind.device:
                raise UsageError(errc.invalid, _UNSEEN)
            if self.block.freed:
                self.block.bytes()
            view = self._view
            if view is None:
                view = self._view = np.asarray(self._bound.memory).reshape(self.shape)
            if self.block.before_access is not None:
                self.block.before_access()
            return view
        except RAISED as error:
            shorten(error)
            raise

    @property
    @ends_at_call
    def __array_interface__(self) -> dict[str, Any]:
        interface = interface_of(self.get_view())
        self.block.exported = True
        return interface

    @property
    @ends_at_call
    def __sycl_usm_array_interface__(self) -> dict[str, Any]:
        self.block.bytes()
        self.block.exported = True
        return {"data": (self.address(), not self._type.mode.writes), "shape": self.shape,
                "strides": None, "typestr": self.dtype.str, "offset": 0, "version": 1,
                "syclobj": context._of(self.block.context)}

    @property
    def usm_type(self) -> str:
        """The kind of memory as dpctl names it: host, device or shared."""
        return self.block.kind.name

    def __dlpack__(self, **options: Any) -> Any:
        """Return a DLPack capsule over the memory, used behind commands that were waited for.

        Refused for device allocations, but for those of backends whose memory DLPack knows.
        """
        native = blocks.native_of(self)
        return export(self.get_view(), options) if native is None else native.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's name of the host's memory, or of the device."""
        native = blocks.native_of(self)
        found = self.get_view() if native is None else native
        device, index = found.__dlpack_device__()
        return int(device), int(index)

    def __reduce__(self) -> NoReturn:
        raise UsageError(errc.invalid, "USM memory cannot be pickled: it belongs to a context of "
                         "this process; pickle a copy, p[:].copy()")

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        view = self.get_view()
        self.block.exported = True
        return np.array(np.asarray(_Bits(self, view)).view(view.dtype), dtype=dtype, copy=copy)

    def __atomic_words__(self) -> Words | None:
        """Return what an ``atomic_ref`` on the host works by; None where Python's threads suffice.

        Raises ``errc.feature_not_supported`` where kernels and the host are not atomic together.
        """
        wanted = _ATOMICS.get(self.block.kind)
        if wanted is not None:
            require_aspect(self.block.device, wanted, "an atomic_ref on the host")
        return host_words()

    def address(self) -> int:
        """Return the address of the first element."""
        return self.block.address + self.offset

    def __address__(self) -> int:
        """Return the address for memory to keep; ``errc.feature_not_supported`` if it has none."""
        if self.block.kind is usm_kind.device and not isinstance(self._bound.memory, np.ndarray):
            raise UsageError(errc.feature_not_supported, f"{self!r} has no address that memory can "
                             f"keep on '{self.block.device.info.name}', which keeps device "
                             "allocations as memory objects; use malloc_shared")
        return self.address()

    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def byte_size(self) -> int:
        """Return the number of bytes."""
        return self.size() * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        try:
            if self.block.kind is usm_kind.device:
                return self._part(index if isinstance(index, tuple) else (index,))
            return self.get_view()[tuple(index) if isinstance(index, geo.id) else index]
        except RAISED as error:
            shorten(error)
            raise

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            if self.dtype.kind == "V":
                value = storable(value, self.dtype)
            self.get_view()[tuple(index) if isinstance(index, geo.id) else index] = value
        except RAISED as error:
            shorten(error)
            raise

    def __iter__(self) -> Iterator[Any]:
        return iter(self.get_view())

    def _part(self, index: tuple[Any, ...]) -> Self:
        """Return the part of device memory that an index names, without a look into it."""
        found = piece(index, self.shape)
        if found is None:
            raise UsageError(errc.invalid, _UNSEEN)
        skip, shape = found
        return type(self)(self.block, self.dtype, shape, self.offset + skip * self.dtype.itemsize)

    def pointer_to(self, index: int) -> Self:
        """Return the pointer to an element: what C++ writes ``p + index``, and kernels, too."""
        try:
            skip = operator.index(index)
        except TypeError:
            raise UsageError(errc.invalid, f"pointer_to: expected an integer, got {index!r}"
                             ) from None
        size = self.dtype.itemsize
        if not -(self.offset // size) <= skip <= self.size():
            raise UsageError(errc.invalid, f"{self!r}: element {skip} lies outside the allocation")
        return type(self)(self.block, self.dtype, (self.size() - skip,), self.offset + skip * size)

    def distance(self, first: Any) -> int:
        """Return how many elements another pointer into the allocation lies before this one."""
        if not isinstance(first, usm_pointer) or first.block is not self.block \
                or first.dtype != self.dtype:
            raise UsageError(errc.invalid, f"{self!r} and {first!r}: only pointers into one "
                             "allocation, to one type, have a distance")
        return (self.offset - first.offset) // self.dtype.itemsize

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, usm_pointer):
            return refuse_numbers(other)
        return self.block is other.block and self.offset == other.offset

    def __hash__(self) -> int:
        return hash((id(self.block), self.offset))

    def __repr__(self) -> str:
        extent = " x ".join(map(str, self.shape))
        state = ", freed" if self.block.freed else ""
        return f"<usm {self.block.kind.name}: {extent} of {self.dtype}{state}>"

    def __str__(self) -> str:
        """Return the values where no command is pending that could use them; else how to see."""
        return f"{self!r}\n{preview.values(self)}"

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        return f"<p>{html.escape(repr(self))}</p><pre>{html.escape(preview.values(self))}</pre>"


@ends_at_call
def malloc(count: Any, *args: Any, kind: usm_kind | None = None, alignment: int = 0,
           dtype: npt.DTypeLike | None = None) -> usm_pointer:
    """Allocate USM of a kind (SYCL 2020 §4.8.3.5).

    Args:
        count: the number of elements, or a shape of one to three dimensions.
        args: the type of an element (left out: bytes), then a queue, or a device and a context,
            or for host memory a context; ``usm.alloc`` if not given as ``kind``; properties.
        kind: host, device or shared.
        alignment: in bytes, a power of two; 0 for the default of 64.
        dtype: the type of an element, by name.

    Raises ``errc.memory_allocation`` where there is not enough memory, or none so aligned, and
    ``errc.feature_not_supported`` if the device lacks the aspect.
    """
    if isinstance(count, np.ndarray):
        raise UsageError(errc.invalid, "malloc: the number of elements or a shape comes first, not "
                         "an array; ext.unisycl.array(values, queue=q) makes USM of values")
    where: list[Any] = []
    given: list[Any] = []
    for arg in args:
        if isinstance(arg, Property | property_list) or is_property(arg):
            given.append(arg)
        elif isinstance(arg, usm_kind) and kind in (None, arg):
            kind = arg
        elif isinstance(arg, QueueBase | device | context):
            where.append(arg)
        elif dtype is None and arg is not None:
            dtype = arg
        else:
            raise UsageError(errc.invalid, f"malloc: did not expect {arg!r}; give (count, dtype, "
                             "queue), or (count, dtype, device, context)")
    shared = bool(given) and between_processes(check(flatten(given), "USM allocation"))
    if kind is None or kind is usm_kind.unknown:
        raise UsageError(errc.invalid, "malloc: say which kind, e.g. usm.alloc.shared")
    state, owner = place(kind, where)
    try:
        known = np.dtype(np.uint8 if dtype is None else dtype)
    except TypeError as err:
        raise UsageError(errc.invalid, "malloc: expected the number of elements or a shape, then "
                         f"their type and a queue, got {count!r} and {dtype!r}") from err
    return allocate(count, known, kind, alignment, state, owner, shared=shared)


def place(kind: usm_kind, where: list[Any]) -> tuple[DeviceState, ContextState]:
    """Return the device and context of an allocation (SYCL 2020 §4.8.3)."""
    if len({type(x) for x in where}) < len(where) or len(where) > 2:
        raise UsageError(errc.invalid, f"USM is allocated with one queue, or one device and one "
                         f"context, got {where!r}")
    found = next((q for q in where if isinstance(q, QueueBase)), None)
    if found is not None and len(where) == 1:
        return found.channel.device, found.channel.context
    owner = next((c for c in where if isinstance(c, context)), None)
    chosen = next((d for d in where if isinstance(d, device)), None)
    if owner is None or (chosen is None and kind is not usm_kind.host):
        raise UsageError(errc.invalid, "USM is allocated with a queue, or a device and a context")
    state = owner.state.devices[0] if chosen is None else chosen.state
    if not owner.state.covers(state):
        raise UsageError(errc.invalid, f"the device '{state.info.name}' is not in the context; use "
                         "one of its devices")
    return owner.state.local(state), owner.state


def allocate(count: Any, dtype: np.dtype[Any], kind: usm_kind, alignment: int,
             state: DeviceState, owner: ContextState, *, shared: bool = False) -> usm_pointer:
    """Return an allocation, once what was asked for is known to be right (internal)."""
    shape = tuple(geo.as_range(count))
    if not hasattr(alignment, "__index__") or alignment < 0 or alignment & (alignment - 1):
        raise UsageError(errc.invalid, f"an alignment must be a power of two, not {alignment!r}")
    other = "" if kind is usm_kind.device else ", or malloc_device and copies"
    require_aspect(state, _ASPECTS[kind], f"a {kind.name} allocation", f"; use buffers{other}")
    nbytes = math.prod(shape) * dtype.itemsize
    most = state.info.max_mem_alloc_size or state.info.global_mem_size
    if alignment > _MOST_ALIGNED:
        raise _no_memory(nbytes, kind, state, f"none is aligned to {alignment} bytes; ask for "
                         f"{_MOST_ALIGNED} at most")
    if most and nbytes > most:
        raise _no_memory(nbytes, kind, state, f"one allocation has {most} at most; use smaller "
                         "ones")
    try:
        block = (named_memory.allocate if shared else blocks.Block)(
            nbytes, kind, owner, state, alignment)
    except (MemoryError, ValueError, OverflowError) as err:
        if isinstance(err, exception) and err.code() != errc.memory_allocation:
            raise  # it says already what is wrong
        raise _no_memory(nbytes, kind, state, "there is not so much left; free some, or use "
                         "less") from err
    return usm_pointer(block, dtype, shape)


def _no_memory(nbytes: int, kind: usm_kind, state: DeviceState, why: str) -> exception:
    """Return the error of an allocation that cannot be had."""
    return exception(errc.memory_allocation, f"{nbytes} bytes of {kind.name} memory of "
                     f"'{state.info.name}' cannot be allocated: {why}")


@ends_at_call
def malloc_device(count: Any, *args: Any, dtype: npt.DTypeLike | None = None) -> usm_pointer:
    """Allocate memory that only kernels and copies reach (SYCL 2020 §4.8.3.2); see ``malloc``."""
    return malloc(count, *args, kind=usm_kind.device, dtype=dtype)


@ends_at_call
def malloc_host(count: Any, *args: Any, dtype: npt.DTypeLike | None = None) -> usm_pointer:
    """Allocate host memory that kernels reach (SYCL 2020 §4.8.3.3); see ``malloc``."""
    return malloc(count, *args, kind=usm_kind.host, dtype=dtype)


@ends_at_call
def malloc_shared(count: Any, *args: Any, dtype: npt.DTypeLike | None = None) -> usm_pointer:
    """Allocate memory that host and kernels share (SYCL 2020 §4.8.3.4); see ``malloc``."""
    return malloc(count, *args, kind=usm_kind.shared, dtype=dtype)


@ends_at_call
def aligned_alloc(alignment: int, count: Any, *args: Any, kind: usm_kind | None = None,
                  dtype: npt.DTypeLike | None = None) -> usm_pointer:
    """Allocate USM at a multiple of ``alignment`` bytes (SYCL 2020 §4.8.3.5)."""
    return malloc(count, *args, kind=kind, alignment=alignment, dtype=dtype)


@ends_at_call
def aligned_alloc_device(alignment: int, count: Any, *args: Any,
                         dtype: npt.DTypeLike | None = None) -> usm_pointer:
    """As ``malloc_device``, at a multiple of ``alignment`` bytes (SYCL 2020 §4.8.3.2)."""
    return malloc(count, *args, kind=usm_kind.device, alignment=alignment, dtype=dtype)


@ends_at_call
def aligned_alloc_host(alignment: int, count: Any, *args: Any,
                       dtype: npt.DTypeLike | None = None) -> usm_pointer:
    """As ``malloc_host``, at a multiple of ``alignment`` bytes (SYCL 2020 §4.8.3.3)."""
    return malloc(count, *args, kind=usm_kind.host, alignment=alignment, dtype=dtype)


@ends_at_call
def aligned_alloc_shared(alignment: int, count: Any, *args: Any,
                         dtype: npt.DTypeLike | None = None) -> usm_pointer:
    """As ``malloc_shared``, at a multiple of ``alignment`` bytes (SYCL 2020 §4.8.3.4)."""
    return malloc(count, *args, kind=usm_kind.shared, alignment=alignment, dtype=dtype)


@ends_at_call
def free(pointer: usm_pointer | None, where: Any = None) -> None:
    """Free an allocation (SYCL 2020 §4.8.3.6); None is ignored, freeing twice raises.

    Args:
        pointer: what an allocation function returned.
        where: the queue or the context it was allocated with; may be left out.
    """
    if pointer is None:
        return
    if not isinstance(pointer, usm_pointer):
        raise UsageError(errc.invalid, f"free: expected USM memory, got {type(pointer).__name__}")
    if where is not None and _context_of(where) is not pointer.block.context:
        raise UsageError(errc.invalid, "free: the memory belongs to another context; give the "
                         "queue or context it was allocated with")
    if pointer.offset:
        raise UsageError(errc.invalid, "free: the pointer lies inside an allocation; free what the "
                         "allocation function returned")
    pointer.block.free()


def _context_of(where: Any) -> ContextState:
    if isinstance(where, QueueBase):
        return where.channel.context
    if isinstance(where, context):
        return where.state
    raise UsageError(errc.invalid, f"expected a queue or a context, got {type(where).__name__}")


def _find(pointer: Any, owner: ContextState) -> blocks.Block | None:
    if isinstance(pointer, usm_pointer):
        block = pointer.block
        return block if block.context is owner and not block.freed else None
    if isinstance(pointer, np.ndarray):
        return blocks.find(owner, pointer.ctypes.data)
    return blocks.find(owner, pointer) if isinstance(pointer, int) else None


@ends_at_call
def get_pointer_type(pointer: Any, where: Any) -> usm_kind:
    """Return the kind of memory a pointer, an address or an array lies in (SYCL 2020 §4.8.4)."""
    block = _find(pointer, _context_of(where))
    return usm_kind.unknown if block is None else block.kind


@ends_at_call
def get_pointer_device(pointer: Any, where: Any) -> device:
    """Return the device an allocation belongs to; ``errc.invalid`` outside any (§4.8.4)."""
    owner = _context_of(where)
    block = _find(pointer, owner)
    if block is None:
        raise UsageError(errc.invalid, "get_pointer_device: this is no USM allocation of the "
                         "context")
    return device._of(owner.devices[0] if block.kind is usm_kind.host else block.device)
