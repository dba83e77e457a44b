"""Handles of images, as kernels take them by value or keep them in memory.

A handle is a record: where the pixels lie, their shape, their kind and their sampler
(sycl_ext_oneapi_bindless_images). Non-goals: making them (``api.images.bindless``), reading through
them (``lang.library.bindless``). Invariant: distances are counted in channels, not in bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.lang.memory.records import is_device_copyable
from unisycl.lang.memory.stored_pointers import pointer_to

_Bytes: Any = pointer_to(np.uint8)
_Halves: Any = pointer_to(np.uint16)
_Words: Any = pointer_to(np.uint32)
_NONE, _NO, _FIRST = np.int32(0), np.int64(0), np.float32(0)
_NOTHING = np.uint64(0)


@dataclass
class _Pixels:
    """Where the pixels lie, seen as three kinds of channels, and what they are."""

    bytes: _Bytes = None
    halves: _Halves = None
    words: _Words = None
    row: np.int64 = _NO
    slice: np.int64 = _NO
    layer: np.int64 = _NO
    width: np.int32 = _NONE
    height: np.int32 = _NONE
    depth: np.int32 = _NONE
    layers: np.int32 = _NONE
    kind: np.int32 = _NONE
    channels: np.int32 = _NONE


@is_device_copyable.register
@dataclass
class unsampled_image_handle(_Pixels):
    """An image that kernels read and write at whole pixels."""


@is_device_copyable.register
@dataclass
class sampled_image_handle(_Pixels):
    """An image that kernels sample, or read at whole pixels."""

    sampler: np.int32 = _NONE
    levels: np.int32 = _NONE
    lowest: np.float32 = _FIRST
    highest: np.float32 = _FIRST
    texture: np.uint64 = _NOTHING
    """The device's own sampler of it; 0 where there is none, or nobody asked for it."""
