"""Textures: what they are made of is kept, and wrong ones are refused.

Non-goals: sampling. Invariant: one that was given back is known no more.
"""

from __future__ import annotations

from typing import Any

from tests.cuda_fake.core import INVALID_VALUE, number
from tests.cuda_fake.sharing import Sharing


class Textures(Sharing):
    """Functions about textures; ``textures`` are those that live."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.textures: dict[int, tuple[Any, ...]] = {}
        """What each has: address, pixels in a row, rows, pitch, format, channels, way."""

    def _cuTexObjectCreate(self, out: Any, resource: Any, way: Any, view: Any) -> int:
        r, w = resource._obj, way._obj
        if view is not None or r.resType != 3 or r.devPtr % 512 or r.pitchInBytes % 32:
            return INVALID_VALUE
        self.textures[len(self.textures) + 1] = (
            r.devPtr, r.width, r.height, r.pitchInBytes, r.format, r.numChannels,
            (*w.addressMode, w.filterMode, w.flags))
        out._obj.value = len(self.textures)
        return 0

    def _cuTexObjectDestroy(self, texture: Any) -> int:
        return 0 if self.textures.pop(number(texture), None) else INVALID_VALUE
