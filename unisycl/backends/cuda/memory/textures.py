"""Textures over rows of pixels in a card's memory: samplers of the hardware's own.

A texture is a view of memory: nothing is copied, and what is written before a kernel begins is what
it samples. Non-goals: textures over arrays of CUDA's, whose pixels have no addresses. Invariants:
images of one row or of rows at a pitch that the card takes, of channels that it gives as floats;
whatever else, and what the driver refuses, has none; equal textures are one, counted.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

from unisycl.backends.cuda.api import PitchedResource, TextureDesc
from unisycl.backends.cuda.session import Session
from unisycl.base.bindless import bindless_image_sampler, image_descriptor, image_type
from unisycl.base.image_formats import (
    addressing_mode,
    coordinate_normalization_mode,
    filtering_mode,
)

_ROWS = 3  # CU_RESOURCE_TYPE_PITCH2D
_NORMALIZED = 2  # CU_TRSF_NORMALIZED_COORDINATES
_FORMATS = {"fp32": 0x20, "fp16": 0x10, "unorm_int8": 1, "unorm_int16": 2, "snorm_int8": 8,
            "snorm_int16": 9}
_MODES = {addressing_mode.repeat: 0, addressing_mode.clamp_to_edge: 1, addressing_mode.none: 1,
          addressing_mode.mirrored_repeat: 2, addressing_mode.clamp: 3}


class CuTextures:
    """Makes textures and gives them back (``Driver.textures``)."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._made: dict[tuple[Any, ...], int] = {}
        self._users: dict[int, int] = {}

    def make(self, address: int, pitch: int, desc: image_descriptor,
             sampler: bindless_image_sampler) -> int:
        """Return a texture of rows that begin ``pitch`` bytes apart; 0 where there is none."""
        rows = max(desc.height, 1)
        if rows == 1:
            step = self._session.card.number("texture_pitch", 1)
            pitch = -(-pitch // step) * step
        if not self._takes(address, pitch, desc, rows):
            return 0
        key = (address, pitch, hash(desc), desc.width, rows, desc.num_channels, desc.channel_type,
               sampler.code())
        with self._lock:
            found = self._made.get(key) or self._new(address, pitch, desc, rows, sampler)
            if found:
                self._made[key] = found
                self._users[found] = self._users.get(found, 0) + 1
        return found

    def drop(self, texture: int) -> None:
        """Give a texture back that ``make`` returned."""
        with self._lock:
            left = self._users.get(texture, 0) - 1
            if left > 0:
                self._users[texture] = left
                return
            if self._users.pop(texture, None) is None:
                return
            self._made = {k: t for k, t in self._made.items() if t != texture}
            with self._session as api:
                api.call("cuTexObjectDestroy", texture)

    def _takes(self, address: int, pitch: int, desc: image_descriptor, rows: int) -> bool:
        number = self._session.card.number
        return (desc.type is image_type.standard and len(desc.extents) < 3
                and desc.channel_type.name in _FORMATS
                and address % number("texture_align", 512) == 0
                and pitch % number("texture_pitch", 32) == 0
                and desc.width <= number("texture_width") and rows <= number("texture_height")
                and pitch <= number("texture_row"))

    def _new(self, address: int, pitch: int, desc: image_descriptor, rows: int,
             sampler: bindless_image_sampler) -> int:
        pixels = PitchedResource(
            resType=_ROWS, devPtr=address, format=_FORMATS[desc.channel_type.name],
            numChannels=desc.num_channels, width=desc.width, height=rows, pitchInBytes=pitch)
        linear = int(sampler.filtering is filtering_mode.linear)
        normalized = sampler.coordinate is coordinate_normalization_mode.normalized
        way = TextureDesc(
            addressMode=(ctypes.c_int * 3)(*[_MODES[m] for m in sampler.addressing]),
            filterMode=linear, flags=_NORMALIZED * normalized)
        out = ctypes.c_uint64()
        with self._session as api:
            result = api.attempt("cuTexObjectCreate", ctypes.byref(out), ctypes.byref(pixels),
                                 ctypes.byref(way), None)
        return 0 if result else out.value
