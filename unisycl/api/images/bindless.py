"""Images by handle: their memory and their handles (sycl_ext_oneapi_bindless_images).

Non-goals: copies (``api.queue.image_copies``), imports (``external_memory``), reading in kernels
(``lang.library.bindless``). Invariants: pixels lie row after row, without gaps but for USM with a
pitch; a handle says all that kernels need, and holds no memory itself.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.api.devices.queue_base import QueueBase
from unisycl.api.memory import usm
from unisycl.base import geometry
from unisycl.base.bindless import (
    CHANNELS,
    PITCH_ALIGN,
    bindless_image_sampler,
    channel_size,
    image_descriptor,
    image_type,
)
from unisycl.base.enums import aspect, usm_kind
from unisycl.base.errors import UsageError, errc
from unisycl.base.image_formats import image_channel_type
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.memory.bindless_handles import sampled_image_handle, unsampled_image_handle
from unisycl.runtime.devices.devices import ContextState, DeviceState, require_aspect
from unisycl.runtime.memory import usm as blocks

_WANTED = aspect.ext_oneapi_bindless_images


@ends_at_call
class image_mem_handle:
    """The memory of an image, or of a level of a mipmap: what ``alloc_image_mem`` returns."""

    __slots__ = ("__weakref__", "desc", "level", "memory")

    def __init__(self, memory: usm.usm_pointer, desc: image_descriptor, level: int = -1) -> None:
        self.memory = memory
        self.desc = desc
        self.level = level

    @property
    def raw_handle(self) -> int:
        """The address of the first pixel."""
        return self.memory.address()

    def shape(self) -> image_descriptor:
        """Return the description of these pixels: of the level, if it is one."""
        return self.desc if self.level < 0 else self.desc.get_mip_level_desc(self.level)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, image_mem_handle) and (
            self.memory == other.memory and self.level == other.level)

    def __hash__(self) -> int:
        return hash((self.memory, self.level))

    def __repr__(self) -> str:
        return f"<image_mem_handle: {self.shape()!r}>"


@ends_at_call
class image_mem:
    """Image memory that is freed when the last copy goes: ``image_mem(desc, queue)``.

    ``image_mem(desc, device, context)`` does as well; ``image_mem()`` has none.
    """

    __slots__ = ("__weakref__", "_handle")

    def __init__(self, desc: image_descriptor | None = None, *where: Any) -> None:
        self._handle = None if desc is None else alloc_image_mem(desc, *where)
        if self._handle is not None:
            weakref.finalize(self, _let_go, self._handle.memory)

    def get_handle(self) -> image_mem_handle:
        """Return the handle of the memory."""
        if self._handle is None:
            raise UsageError(errc.invalid, "this image_mem has no memory; make one of an "
                             "image_descriptor and a queue")
        return self._handle

    def get_descriptor(self) -> image_descriptor:
        """Return the description."""
        return self.get_handle().desc

    def get_device(self) -> device:
        """Return the device."""
        return device._of(self.get_handle().memory.block.device)

    def get_context(self) -> context:
        """Return the context."""
        return context._of(self.get_handle().memory.block.context)

    def get_range(self) -> geometry.range:
        """Return width, height and depth; 0 for dimensions that it has not."""
        desc = self.get_descriptor()
        return geometry.range(desc.width, desc.height, desc.depth)

    def get_channel_type(self) -> image_channel_type:
        """Return what a channel is."""
        return self.get_descriptor().channel_type

    def get_num_channels(self) -> int:
        """Return the number of channels."""
        return self.get_descriptor().num_channels

    def get_type(self) -> image_type:
        """Return what the image is made of."""
        return self.get_descriptor().type

    def get_mip_level_mem_handle(self, level: int) -> image_mem_handle:
        """Return the memory of a level of a mipmap."""
        return get_mip_level_mem_handle(self.get_handle(), level)

    def __copy__(self) -> image_mem:
        return self

    def __deepcopy__(self, memo: object) -> image_mem:
        return self


def _let_go(memory: usm.usm_pointer) -> None:
    if not memory.block.freed:
        memory.block.free()


def _place(what: str, where: tuple[Any, ...]) -> tuple[DeviceState, ContextState]:
    """Return the device and context of the last arguments; they must have the aspect."""
    if not where or any(not isinstance(x, QueueBase | device | context) for x in where):
        raise UsageError(errc.invalid, f"{what}: expected a queue, or a device and a context, at "
                         f"the end, got {where!r}")
    state, owner = usm.place(usm_kind.device, list(where))
    require_aspect(state, _WANTED, what)
    return state, owner


def _check_owner(what: str, memory: usm.usm_pointer, state: DeviceState,
                 owner: ContextState) -> None:
    block = memory.block
    block.bytes()
    if block.context is not owner or (block.kind is usm_kind.device
                                      and block.device.root() is not state.root()):
        raise UsageError(errc.runtime, f"{what}: the memory is of another device or context than "
                         "the queue")


# ------------------------------------------------------------------ memory
@ends_at_call
def alloc_image_mem(desc: image_descriptor, *where: Any) -> image_mem_handle:
    """Allocate the memory of an image: ``(desc, queue)`` or ``(desc, device, context)``."""
    state, owner = _place("alloc_image_mem", where)
    if not isinstance(desc, image_descriptor):
        raise UsageError(errc.invalid, f"alloc_image_mem: expected an image_descriptor, got "
                         f"{type(desc).__name__}")
    desc.verify()
    return image_mem_handle(_allocated(desc.nbytes, state, owner), desc)


def _allocated(nbytes: int, state: DeviceState, owner: ContextState) -> usm.usm_pointer:
    try:
        block = blocks.Block(nbytes, usm_kind.device, owner, state, addressed=True)
    except (MemoryError, ValueError, OverflowError) as err:
        raise UsageError(errc.memory_allocation, f"{nbytes} bytes of image memory of "
                         f"'{state.info.name}' cannot be allocated") from err
    return usm.usm_pointer(block, np.dtype(np.uint8), (nbytes,))


@ends_at_call
def free_image_mem(handle: Any, type: image_type, *where: Any) -> None:
    """Free what ``alloc_image_mem`` returned: ``(handle, type, queue)`` or with device, context."""
    state, owner = _place("free_image_mem", where)
    if not isinstance(handle, image_mem_handle) or handle.level >= 0 or handle.desc.type != type:
        raise UsageError(errc.memory_allocation, f"free_image_mem: expected what alloc_image_mem "
                         f"returned for an image of that type, got {handle!r} and {type!r}")
    _check_owner("free_image_mem", handle.memory, state, owner)
    handle.memory.block.free()


@ends_at_call
def pitched_alloc_device(shape: Any, *given: Any) -> tuple[usm.usm_pointer, int]:
    """Allocate USM for a two-dimensional image; return it, as bytes, and the pitch of its rows.

    Args:
        shape: an ``image_descriptor``; or the bytes of a row, followed by the number of rows and
            the bytes of a channel.
        given: these, and a queue, or a device and a context.
    """
    if isinstance(shape, image_descriptor):
        shape.verify()
        if len(shape.extents) != 2 or shape.type is not image_type.standard:
            raise UsageError(errc.invalid, "pitched_alloc_device: the image has two dimensions, "
                             f"not those of {shape!r}")
        width, height = shape.width * shape.pixel_size, shape.height
    else:
        numbers, given = (shape, *given[:2]), given[2:]
        if len(numbers) < 3 or any(not hasattr(x, "__index__") or x <= 0 for x in numbers):
            raise UsageError(errc.invalid, "pitched_alloc_device: expected an image_descriptor, or "
                             "the bytes of a row, the number of rows and the bytes of a channel, "
                             f"got {numbers!r}")
        width, height = int(numbers[0]), int(numbers[1])
    state, owner = _place("pitched_alloc_device", given)
    pitch = -(-width // 64) * 64
    return _allocated(pitch * height, state, owner), pitch


# ------------------------------------------------------------------ what is known of memory
@ends_at_call
def get_image_range(handle: image_mem_handle, *where: Any) -> geometry.range:
    """Return width, height and depth of image memory; 0 for dimensions that it has not."""
    _place("get_image_range", where)
    desc = handle.shape()
    return geometry.range(desc.width, desc.height, desc.depth)


@ends_at_call
def get_image_channel_type(handle: image_mem_handle, *where: Any) -> image_channel_type:
    """Return what a channel of image memory is."""
    _place("get_image_channel_type", where)
    return handle.desc.channel_type


@ends_at_call
def get_image_num_channels(handle: image_mem_handle, *where: Any) -> int:
    """Return the number of channels of image memory."""
    _place("get_image_num_channels", where)
    return handle.desc.num_channels


@ends_at_call
def get_mip_level_mem_handle(handle: image_mem_handle, level: int, *where: Any,
                             ) -> image_mem_handle:
    """Return the memory of a level of a mipmap."""
    if where:
        _place("get_mip_level_mem_handle", where)
    handle.desc.get_mip_level_desc(level)
    start = handle.desc.levels()[level].start * channel_size(handle.desc.channel_type)
    return image_mem_handle(handle.memory.pointer_to(start), handle.desc, level)


# ------------------------------------------------------------------ handles
@ends_at_call
def create_image(memory: Any, *given: Any) -> Any:
    """Return a handle of an image: ``sampled_image_handle`` if a sampler is given.

    Args:
        memory: an ``image_mem``, an ``image_mem_handle`` or USM memory; of USM follows the pitch in
            bytes, which is ignored for one dimension.
        given: the ``image_descriptor``, a ``bindless_image_sampler`` or none, and a queue, or a
            device and a context.

    Captured by kernels, given to them, or kept in buffers and USM: ``malloc_shared(n,
    sampled_image_handle, queue)``.
    """
    what, rest = "create_image", list(given)
    pitch = 0
    if isinstance(memory, usm.usm_pointer):
        if not rest or not hasattr(rest[0], "__index__"):
            raise UsageError(errc.invalid, "create_image: behind USM memory comes the pitch of its "
                             "rows in bytes")
        pitch = int(rest.pop(0))
    desc = rest.pop(0) if rest else None
    sampler = rest.pop(0) if rest and isinstance(rest[0], bindless_image_sampler) else None
    if not isinstance(desc, image_descriptor):
        raise UsageError(errc.invalid, f"create_image: expected an image_descriptor, got {desc!r}")
    state, owner = _place(what, tuple(rest))
    desc.verify()
    pointer, row = _pixels(memory, pitch, desc)
    _check_owner(what, pointer, state, owner)
    kind: Any = unsampled_image_handle if sampler is None else sampled_image_handle
    made = np.zeros(1, kind.dtype)[0]
    _describe(made, pointer, row, desc)
    if sampler is not None:
        sampler.check(desc)
        last = desc.num_levels - 1
        made["sampler"], made["levels"] = sampler.code(), desc.num_levels
        made["lowest"] = min(last, max(0.0, sampler.min_mipmap_level_clamp))
        made["highest"] = min(last, max(made["lowest"], sampler.max_mipmap_level_clamp))
        textures = state.driver.textures if sampler.ext_unisycl_coarse else None
        if textures is not None and pointer.block.kind is usm_kind.device:
            made["texture"] = textures.make(pointer.address(), row, desc, sampler)
    elif desc.type is image_type.mipmap:
        raise UsageError(errc.runtime, "create_image: a mipmap is sampled only; give a "
                         "bindless_image_sampler, or a level of it")
    return made


def _pixels(memory: Any, pitch: int, desc: image_descriptor) -> tuple[usm.usm_pointer, int]:
    """Return where pixels begin, and the bytes of a row."""
    row = desc.width * desc.pixel_size
    if isinstance(memory, image_mem):
        memory = memory.get_handle()
    if isinstance(memory, image_mem_handle):
        if desc != memory.shape():
            raise UsageError(errc.runtime, f"create_image: the memory is of {memory.shape()!r}, "
                             f"not of {desc!r}")
        return memory.memory, row
    if not isinstance(memory, usm.usm_pointer):
        raise UsageError(errc.invalid, "create_image: expected an image_mem, an image_mem_handle "
                         f"or USM memory, got {type(memory).__name__}")
    if desc.type is not image_type.standard or len(desc.extents) > 2:
        raise UsageError(errc.feature_not_supported, "create_image: images over USM have one or "
                         f"two dimensions and one level and layer, not {desc!r}")
    size = channel_size(desc.channel_type)
    if len(desc.extents) == 2:
        if pitch < row or pitch % max(size, PITCH_ALIGN):
            raise UsageError(errc.runtime, f"create_image: a pitch of {pitch} bytes for rows of "
                             f"{row}; it is a multiple of {max(size, PITCH_ALIGN)}, and no less")
        row = pitch
    need = row * (max(desc.height, 1) - 1) + desc.width * desc.pixel_size
    if need > memory.byte_size() or memory.address() % size:
        raise UsageError(errc.runtime, f"create_image: {desc!r} takes {need} bytes, at a multiple "
                         f"of {size}; the memory has {memory.byte_size()}, from "
                         f"{memory.address():#x} on")
    return memory, row


def _describe(made: Any, pointer: usm.usm_pointer, row: int, desc: image_descriptor) -> None:
    size = channel_size(desc.channel_type)
    first = desc.levels()[0]
    made["bytes"] = made["halves"] = made["words"] = pointer.__address__()
    made["row"] = row // size
    made["slice"] = made["row"] * first.height
    made["layer"] = made["slice"] * first.depth
    made["width"], made["height"], made["depth"] = first.width, first.height, first.depth
    made["layers"] = desc.layers
    made["kind"], made["channels"] = CHANNELS.index(desc.channel_type), desc.num_channels


@ends_at_call
def destroy_image_handle(handle: Any, *where: Any) -> None:
    """Give a handle up: it names no image any more. Its memory stays."""
    state, _ = _place("destroy_image_handle", where)
    kinds = (unsampled_image_handle, sampled_image_handle)
    if not isinstance(handle, np.void) or handle.dtype not in [np.dtype(k) for k in kinds]:
        raise UsageError(errc.invalid, "destroy_image_handle: expected what create_image returned, "
                         f"got {type(handle).__name__}")
    names = handle.dtype.names or ()
    if "texture" in names and handle["texture"]:
        state.driver.textures.drop(int(handle["texture"]))
    for name in names:
        handle[name] = 0
