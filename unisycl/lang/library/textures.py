"""Samples by the hardware of a device: what ``lang.library.bindless`` calls where there is one.

Non-goals: handles, and which images have such a sampler (``api.images.bindless``). Invariant: only
kernels of a device with ``aspect.ext_unisycl_coarse_sampling`` come here.
"""

from __future__ import annotations

from typing import Any


def textured(texture: Any, x: Any, y: Any) -> Any:
    """Return the colour, a ``float4``, that a texture has at a coordinate; channels it lacks too.

    Args:
        texture: its number; x, y: float32.
    """
    raise AssertionError("no device without textures samples by them")
