"""Buffers and accessors in SYCL 1.2's spelling (§3.6).

Non-goals: images (``images``). Invariant: an accessor made here is one of SYCL 2020, in the
command group that the calling thread is in.
"""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api.devices.context import context
from unisycl.api.devices.device_info import answer
from unisycl.api.images.image import unsampled_image
from unisycl.api.interop.make import make_buffer
from unisycl.api.interop.native_objects import get_native
from unisycl.api.memory import accessor as accessors
from unisycl.api.memory import buffer as buffers
from unisycl.api.memory import host_accessor as host_accessors
from unisycl.api.queue.event import event
from unisycl.api.queue.queue import queue
from unisycl.base import geometry as geo
from unisycl.base.enums import NATIVE_OF_12, access_mode, memory_order
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.foreign_objects import is_native
from unisycl.base.tracebacks import ends_at_call
from unisycl.compat12.devices import device, retained
from unisycl.compat12.graphics import Shared, refuse
from unisycl.compat12.groups import acquire, current
from unisycl.compat12.images import image_accessor, shared_accessor
from unisycl.compat12.modes import mode, target
from unisycl.compat12.native_access import native_accessor
from unisycl.compat12.storages import Attachment, storage
from unisycl.ir.types import View
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.memory.regions import Region

memory_order_relaxed = memory_order.relaxed

_NATIVE = (target.cl_buffer, target.cl_image)
_SHARED = (target.cl_gl_buffer, target.cl_gl_image)
_OF_IMAGES = (target.image, target.host_image, target.image_array)


@ends_at_call
class buffer(buffers.buffer):
    """A buffer that is accessed through itself (SYCL 1.2 §3.6.1).

    Args:
        source: what a buffer of SYCL 2020 is made of, or a ``storage``, or OpenCL's memory, or a
            context that shares with OpenGL.
        args: the range, and so on; after OpenCL's memory a queue of its context, and the event that
            the contents are complete with; after a context the name of OpenGL's buffer.
    """

    __slots__ = ("shared",)
    shared: Shared
    """The object of OpenGL's, of a buffer that was made of one."""

    def __init__(self, source: Any, *args: Any, dtype: npt.DTypeLike | None = None) -> None:
        if isinstance(source, context):
            self._over_graphics(source, *args, dtype=dtype)
            return
        if is_native(source):
            self._over_native(source, *args, dtype=dtype)
            return
        if not isinstance(source, storage):
            super().__init__(source, *args, dtype=dtype)
            return
        data = source.get_host_data()
        initial = source.get_initial_data()
        kind = np.dtype(dtype if dtype is not None else next(
            (np.asarray(a).dtype for a in (data, initial) if a is not None), np.float64))
        super().__init__(geo.range(source.get_size()), dtype=kind)
        self.region = _region(source, self.region, args, data, initial)

    def _over_native(self, native: Any, on: queue, available: event | None = None, *,
                     dtype: npt.DTypeLike | None) -> None:
        made = make_buffer(NATIVE_OF_12, native, on.get_context(), available,
                           dtype=np.uint8 if dtype is None else dtype)
        super().__init__(made.get_range(), dtype=made.region.dtype)
        self._finalizer.detach()  # of memory that nobody has used
        made._finalizer.detach()
        self.region = made.region
        self._finalizer = weakref.finalize(self, self.region.memory.finalize)

    def _over_graphics(self, owner: context, name: int, *, dtype: npt.DTypeLike | None) -> None:
        self.shared = Shared("buffer: one of an OpenGL buffer", owner, "buffer", int(name))
        kind, nbytes = np.dtype(np.uint8 if dtype is None else dtype), self.shared.native.nbytes
        if nbytes % kind.itemsize:
            raise UsageError(errc.invalid, f"buffer: the OpenGL buffer's {nbytes} bytes are no "
                             f"whole number of {kind} ({kind.itemsize} bytes each); give another "
                             "dtype=")
        super().__init__(geo.range(nbytes // kind.itemsize), dtype=kind)

    def get_gl_info(self, name: int | None = None) -> int:
        """Return what kind of object of OpenGL's is behind it, by OpenCL's number (Table 4.7)."""
        return int(shared_of("get_gl_info", self).native.info()[0])

    def get(self) -> Any:
        """Return OpenCL's memory, retained for the caller (SYCL 1.2 §2.5.10).

        Raises ``errc.backend_mismatch`` where no device of OpenCL's has got memory for it yet.
        """
        found = get_native(NATIVE_OF_12, self)
        if not found:
            raise UsageError(errc.backend_mismatch, "get: there is no native memory behind this "
                             "buffer; kernels work in the host's, or none has used it yet")
        return retained(found[0])

    def get_access(self, *args: Any) -> Any:
        """Return an accessor: ``get_access(mode[, target][, range, offset])`` (Table 3.20)."""
        return accessor(self, *args)

    def get_size(self) -> int:
        """Return the number of bytes."""
        return self.byte_size()


def _region(source: storage, plain: Region, args: tuple[Any, ...], data: Any,
            initial: Any) -> Region:
    """Return the region of a buffer over a storage object."""
    shape = tuple(geo.as_range(args[0])) if args else plain.shape
    if math.prod(shape) != source.get_size():
        raise UsageError(errc.invalid, f"buffer: the range {shape} has {math.prod(shape)} "
                         f"elements, the storage {source.get_size()}")
    memory = plain.memory
    if data is not None:
        memory.adopt(np.asarray(data).reshape(-1).view(np.uint8))
    if initial is not None and initial is not data:
        memory.storage()[:] = np.ascontiguousarray(initial).reshape(-1).view(np.uint8)
    Attachment(source, memory)
    return Region(memory, plain.dtype, shape)


@ends_at_call
def accessor(source: Any, *args: Any) -> Any:
    """Return an accessor of SYCL 1.2 (§3.6.4.3).

    Args:
        source: the buffer or the image; for local memory the dtype.
        args: the range and the offset if only a part is meant (for local memory the range), a mode
            and a target of ``access``; for target cl_buffer a queue.

    Raises ``errc.invalid`` for combinations that Tables 3.29 and 3.30 do not have.
    """
    how = next((a for a in args if isinstance(a, mode)), mode.read_write)
    where = next((a for a in args if isinstance(a, target)), target.global_buffer)
    places = [a for a in args if not isinstance(a, mode | target)]
    if where in _SHARED:
        return _of_graphics(source, how, where, places)
    if hasattr(source, "shared"):
        raise UsageError(errc.invalid, f"accessor: target {where.name} does not acquire the object "
                         "of OpenGL's; use cl_gl_buffer or cl_gl_image")
    if where in _NATIVE:
        return _native(source, how, where, places)
    if isinstance(source, unsampled_image) and where in _OF_IMAGES:
        return image_accessor(source, how, where, places)
    if where in _OF_IMAGES or isinstance(source, buffers.buffer) == (where is target.local):
        raise UsageError(errc.invalid, f"accessor: target {where.name} does not go with "
                         f"{source!r}")
    if how not in _MODES[where]:
        raise UsageError(errc.invalid, f"accessor: mode {how.name} does not go with target "
                         f"{where.name}; these do: {', '.join(m.name for m in _MODES[where])}")
    if where is target.local:
        return _local(source, places, how)
    if where is target.host_buffer:
        modern, properties = how.modern()
        return host_buffer_accessor(source, *places, modern, *properties)
    made = _of_buffer(source, how, places)
    if where is target.constant_buffer:
        _check_constant(made)
    return made


def _of_graphics(source: Any, how: mode, where: target, places: list[Any]) -> Any:
    """Return an accessor whose command group acquires and releases an object of OpenGL's."""
    if not isinstance(source, unsampled_image if where is target.cl_gl_image else buffers.buffer):
        raise UsageError(errc.invalid, f"accessor: target {where.name} does not go with "
                         f"{source!r}")
    if where is target.cl_gl_image:
        return shared_accessor(source, how, where, places)
    if not hasattr(source, "shared"):
        refuse(f"accessor: {where.name}", [device._of(current("accessor").channel.device)])
    acquire("accessor", source, how)
    return _of_buffer(source, how, places)


def _of_buffer(source: Any, how: mode, places: list[Any]) -> legacy_accessor:
    modern, properties = how.modern()
    made = legacy_accessor(source, current("get_access"), modern, *properties)
    made.window(places)
    return made


def shared_of(what: str, source: Any) -> Shared:
    """Return the object of OpenGL's that a buffer or an image was made of."""
    found: Shared | None = getattr(source, "shared", None)
    if found is None:
        raise UsageError(errc.invalid, f"{what}: {source!r} was not made of an object of OpenGL's")
    return found


def _native(source: Any, how: mode, where: target, places: list[Any]) -> native_accessor:
    """Return an accessor for the program's own native commands (SYCL 1.2 §3.6.4.8)."""
    on = next((p for p in places if isinstance(p, queue)), None)
    if where is target.cl_image or on is None or not isinstance(source, buffers.buffer):
        raise UnsupportedError(errc.feature_not_supported, f"accessor: {where.name} is for a "
                               "buffer with the queue whose context it is to be in, as in "
                               "accessor(buffer, access.read_write, access.cl_buffer, queue); of "
                               "images there are no native objects; use a host task")
    if how is mode.atomic:
        raise UsageError(errc.invalid, "accessor: mode atomic does not go with target cl_buffer")
    return native_accessor(source, how, on)


_MODES = {
    target.global_buffer: tuple(mode),
    target.host_buffer: tuple(m for m in mode if m is not mode.atomic),
    target.constant_buffer: (mode.read,),
    target.local: (mode.read, mode.write, mode.read_write, mode.atomic),
}


class legacy_accessor(accessors.accessor):
    """An accessor whose indices count from the start of the buffer, ranged or not (X-6)."""

    __slots__ = ("_part",)

    def window(self, places: list[Any]) -> None:
        """Note the range asked for; the elements are counted from the buffer's start."""
        extent = tuple(geo.as_range(places[0])) if places else self.shape
        offset = tuple(geo.as_id(places[1])) if len(places) > 1 else (0,) * len(self.shape)
        if len(extent) != len(self.shape) or any(
                o + e > s for o, e, s in zip(offset, extent, self.shape, strict=True)):
            raise UsageError(errc.invalid, f"accessor: range {extent} at offset {offset} exceeds "
                             f"the buffer's range {self.shape}")
        self._part = (geo.range(*extent), geo.id(*offset))

    def get_range(self) -> geo.range:
        """Return the range asked for."""
        return self._part[0]

    def get_offset(self) -> geo.id:
        """Return the offset asked for."""
        return self._part[1]

    def get_size(self) -> int:
        """Return the number of elements of the buffer (Table 3.28)."""
        return self.size()

    def _access(self) -> Access:
        """For the order of commands an atomic access is one that reads and writes."""
        asked = super()._access()
        if asked.mode is not access_mode.atomic:
            return asked
        return Access(asked.key, asked.start, asked.stop, access_mode.read_write, asked.no_init,
                      asked.target)


@ends_at_call
class host_buffer_accessor(host_accessors.host_accessor):
    """A host accessor with SYCL 1.2's ``get_size``."""

    __slots__ = ()

    def get_size(self) -> int:
        """Return the number of elements."""
        return self.size()


class legacy_local_accessor(accessors.local_accessor):
    """Local memory with SYCL 1.2's modes."""

    __slots__ = ()

    def restrict(self, how: access_mode) -> None:
        """Let kernels do only what a mode allows."""
        seen = self._type
        self._type = View(seen.elem, seen.ndim, seen.space, how)

    def get_size(self) -> int:
        """Return the number of elements."""
        return self.size()


def _local(dtype: Any, places: list[Any], how: mode) -> legacy_local_accessor:
    made = legacy_local_accessor(dtype, *places, current("accessor"))
    made.restrict(how.modern()[0])
    return made


def _check_constant(made: legacy_accessor) -> None:
    """Refuse more constant memory than the device has (SYCL 1.2 §3.6.4.4)."""
    device = current("get_access").channel.device
    most = answer(device, "max_constant_buffer_size")
    if made.byte_size() > most:
        raise UsageError(errc.accessor, f"accessor: {made.byte_size()} bytes of constant memory; "
                         f"the device '{device.info.name}' has {most}; use target global_buffer")


