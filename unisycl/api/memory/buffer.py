"""Buffers: arrays shared by commands in an order that their accessors define (SYCL 2020 §4.7.2).

Non-goals: where the bytes lie and when they are written back (``runtime.memory.buffers``).
Invariants: a buffer over a NumPy array uses that array in place; sub-buffers and reinterpretations
keep their base alive.
"""

from __future__ import annotations

import html
import math
import weakref
from types import GenericAlias
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api import properties
from unisycl.api.memory import preview
from unisycl.api.memory.access import Backed, read_only
from unisycl.api.memory.accessor import accessor
from unisycl.api.memory.allocators import buffer_allocator
from unisycl.api.memory.array_advice import NoElements
from unisycl.api.memory.buffer_source import checked_dtype, checked_target, make_region, sub_region
from unisycl.api.memory.closing import Closing
from unisycl.api.memory.host_accessor import host_accessor
from unisycl.api.memory.shared_ptr import shared_ptr
from unisycl.api.properties import HasProperties, Property, property_list
from unisycl.base import geometry as geo
from unisycl.base.dtypes import as_dtype
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.memory.allocation import is_allocator
from unisycl.runtime.memory.regions import Region
from unisycl.runtime.memory.usage import Usage


@ends_at_call
class buffer(NoElements, Backed, HasProperties, Closing):
    """A one- to three-dimensional array for kernels (SYCL 2020 §4.7.2).

    Args:
        source: a NumPy array (used in place; read-only if the array is), any object with a
            writable buffer (``bytearray``, ``array.array``), an iterable of values (copied, never
            written back), a range, an int or a tuple of ints (uninitialised), a ``shared_ptr``, or
            a buffer: with an offset and a range a sub-buffer, alone another name of it.
        args: an extent for ``source``, or offset and range of a sub-buffer; an allocator;
            properties; for an uninitialised buffer the type of an element.
        dtype: the type of an element; for an uninitialised buffer float64 if left out.
        allocator: where memory of the buffer's own comes from: an object with ``allocate(nbytes)``
            and ``deallocate(memory)``.

    Leaving a ``with`` block, ``close()`` and garbage collection wait for the work and write back.
    Example::

        with unisycl.buffer(x) as bx:
            ...
    """

    __slots__ = ("__weakref__", "_finalizer", "_properties", "_root", "region")
    __class_getitem__: Any = classmethod(GenericAlias)
    __kernel_refusal__ = "make an accessor of it in the command group and use that"
    __capture_refusal__ = "make an accessor of the buffer in the command group and capture that"

    def __init__(self, source: Any, *args: Any, dtype: npt.DTypeLike | None = None,
                 allocator: Any = None) -> None:
        places = [a for a in args if not _is_property(a)]
        if allocator is None and places and is_allocator(places[-1]):
            allocator = places.pop()
        self._properties = properties.check(
            properties.flatten(a for a in args if _is_property(a)), "buffer")
        self._root: buffer | None = None  # not itself: a cycle would put off its end
        if isinstance(source, buffer):
            self._root = source._root or source
            self.region = sub_region(source, places, dtype)
            self._properties = self._properties or source._properties
            return
        self.region = make_region(source, places, dtype, allocator)
        self._heed()
        self._finalizer = weakref.finalize(self, self.region.memory.finalize)

    def _heed(self) -> None:
        """Act on the properties given."""
        kinds, memory = properties.property.buffer, self.region.memory
        if self.has_property(kinds.context_bound):
            memory.bound_context = self.get_property(kinds.context_bound).get_context().state
        if self.has_property(kinds.use_mutex):
            lock = self.get_property(kinds.use_mutex).get_mutex_ptr()
            memory.usage = Usage(lock.acquire, lock.release)

    # ------------------------------------------------------------------ asking
    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self.region.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, as a tuple of ints."""
        return self.region.shape

    def get_range(self) -> geo.range:
        """Return the extents."""
        return geo.range(*self.region.shape)

    def size(self) -> int:
        """Return the number of elements."""
        return math.prod(self.region.shape)

    def byte_size(self) -> int:
        """Return the number of bytes."""
        return self.size() * self.dtype.itemsize

    def get_count(self) -> int:
        """Return the number of elements; deprecated in SYCL 2020."""
        return self.size()

    def get_size(self) -> int:
        """Return the number of bytes; deprecated in SYCL 2020."""
        return self.byte_size()

    def is_sub_buffer(self) -> bool:
        """Say whether the buffer was made from a part of another (SYCL 2020 §4.7.2.2)."""
        whole = (self._root or self).region
        return self.region.start > 0 or self.region.stop < whole.stop

    def get_allocator(self) -> Any:
        """Return the allocator given, or the default one (SYCL 2020 §4.7.2.2)."""
        given = self.region.memory.allocator
        return buffer_allocator() if given is None else given

    def __len__(self) -> int:
        return self.size()

    # ------------------------------------------------------------------ views
    def reinterpret(self, dtype: npt.DTypeLike, extent: Any = None) -> buffer:
        """Return the same bytes as another type and shape (SYCL 2020 §4.7.2.2).

        Raises ``errc.invalid`` if the sizes in bytes differ.
        """
        kind = checked_dtype(as_dtype("reinterpret", dtype))
        have = self.byte_size()
        if extent is not None:
            shape = tuple(geo.as_range(extent))
        elif kind.itemsize == self.dtype.itemsize:
            shape = self.shape
        elif len(self.shape) == 1 and have % kind.itemsize == 0:
            shape = (have // kind.itemsize,)
        else:
            raise UsageError(errc.invalid, f"reinterpret: {have} bytes in {len(self.shape)} "
                             f"dimension(s) have no evident range as {kind}; give one")
        need = math.prod(shape) * kind.itemsize
        if need != have:
            raise UsageError(errc.invalid, f"reinterpret: {shape} of {kind} takes {need} bytes; "
                             f"the buffer has {have}")
        return self._view(Region(self.region.memory, kind, shape, self.region.start))

    def _view(self, region: Region) -> buffer:
        made = object.__new__(buffer)
        made._root, made.region = self._root or self, region
        made._properties = self._properties
        return made

    def get_access(self, *args: Any) -> accessor:
        """Return ``accessor(self, *args)``."""
        return accessor(self, *args)

    def get_host_access(self, *args: Any) -> host_accessor:
        """Return ``host_accessor(self, *args)``."""
        return host_accessor(self, *args)

    # ------------------------------------------------------------------ the end
    def set_final_data(self, target: Any = None) -> None:
        """Say where the contents go at the end; None: nowhere (SYCL 2020 §4.7.2.2).

        Args:
            target: a writable array or buffer of elements of this type or of bytes, at least as
                many; a weak reference to one or to a ``shared_ptr``; or a callable that gets the
                bytes. Elements beyond the buffer's own keep their values.

        What earlier commands wrote into the source array in place stays written.
        """
        memory = self.region.memory
        target = checked_target(target, memory.nbytes, self.dtype)
        memory.check_open()
        memory.detach()
        memory.target = weakref.ref(target) if isinstance(target, shared_ptr) else target

    def set_write_back(self, flag: bool = True) -> None:
        """Allow or cancel writing back at the end (SYCL 2020 §4.7.2.2)."""
        memory = self.region.memory
        memory.check_open()
        if not flag:
            memory.detach()
        memory.write_back = bool(flag)

    def close(self) -> None:
        """Wait for the work, write back, and refuse further use; idempotent.

        Raises the error of a command that failed if no handler will see it. Closing a sub-buffer
        or a reinterpretation does nothing: the base owns the memory.
        """
        if self._root is None:
            self.region.memory.close()

    def _check_open(self) -> None:
        self.region.memory.check_open()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the contents: blocks until commands that write have ended."""
        with host_accessor(self, read_only) as view:
            return (_unpickled, (view.get_view().copy(),))

    def __copy__(self) -> buffer:
        return self

    def __deepcopy__(self, memo: object) -> buffer:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, buffer):
            return NotImplemented
        a, b = self.region, other.region
        return a is b or (a.memory is b.memory and (a.dtype, a.shape, a.start) == (
            b.dtype, b.shape, b.start))

    def __hash__(self) -> int:
        return hash((id(self.region.memory), self.region.shape, self.region.start))

    def __repr__(self) -> str:
        extent = " x ".join(map(str, self.shape))
        part = ", sub-buffer" if self.is_sub_buffer() else ""
        state = ", closed" if self.region.memory.closed else ""
        return f"<buffer: {extent} of {self.dtype}{part}{state}>"

    def __str__(self) -> str:
        """Return the values where seeing them costs no wait and no copy; else how to see them."""
        return f"{self!r}\n{preview.buffer_values(self.region)}"

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        values = preview.buffer_values(self.region)
        return f"<p>{html.escape(repr(self))}</p><pre>{html.escape(values)}</pre>"


def _unpickled(contents: np.ndarray[Any, np.dtype[Any]]) -> buffer:
    """Return a buffer over contents that were pickled."""
    return buffer(contents)


def _is_property(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(_is_property(v) for v in value)
    return isinstance(value, Property | property_list) or properties.is_property(value)
