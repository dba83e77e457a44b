"""Pictures and kernels that the tests of images share."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import unisycl as sycl
from tests.conformance.image import reference

Array = np.ndarray[Any, np.dtype[Any]]

NAMED = tuple(sycl.image_format)
ORDERS = {f: ("bgra" if f.name.startswith("b8") else "rgba") for f in NAMED}
_TYPES = {"unorm": "unorm_int", "sint": "signed_int", "uint": "unsigned_int", "sfloat": "fp"}


def channel_type(form: sycl.image_format) -> str:
    """Return the channel type of a named format, as the reference calls it."""
    layout, _, coding = form.name.partition("_")
    return _TYPES[coding] + ("8" if layout[1] == "8" else layout[1:3])


def stored(order: str, type: str, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Return random stored channels, (*shape, count), with the extreme numbers among them."""
    dtype, count = reference.stored_dtype(order, type)
    rng = np.random.default_rng(seed)
    if dtype.kind == "f":
        return rng.normal(0, 3, (*shape, count)).astype(dtype)
    limits = np.iinfo(dtype)
    out = rng.integers(limits.min, limits.max, (*shape, count), endpoint=True, dtype=dtype)
    out.reshape(-1)[-1], out.reshape(-1)[0] = limits.max, limits.min
    return out


def coordinates(sizes: tuple[int, ...], *, normalized: bool, count: int = 60) -> Array:
    """Return float32 coordinates, x first: inside, at every seam, outside, far away."""
    dims = len(sizes)
    rng = np.random.default_rng(dims)
    size = np.array(sizes, "f4")
    inside = rng.uniform(-1.2, 2.2, (count, dims)).astype("f4") * size
    steps = (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5) if dims < 3 else (-0.5, 0.0, 1.0)
    grid = np.array(list(itertools.product(steps, repeat=dims)), "f4")
    out = np.concatenate([inside, grid, size - grid])
    out = (out / size).astype("f4") if normalized else out
    return np.concatenate([out, np.array([[1e9] * dims, [-1e9] * dims], "f4")])


def sampler(mode: str, *, normalized: bool, linear: bool) -> sycl.image_sampler:
    """Return a sampler."""
    kind = sycl.coordinate_normalization_mode
    return sycl.image_sampler(
        sycl.addressing_mode[mode], kind.normalized if normalized else kind.unnormalized,
        sycl.filtering_mode.linear if linear else sycl.filtering_mode.nearest)


def sample(queue: sycl.queue, image: sycl.sampled_image, at: Array) -> Array:
    """Return the colours a kernel reads at coordinates, (n, 4) float32."""
    out = np.zeros((len(at), 4), "f4")

    def group(h: sycl.handler) -> None:
        img = sycl.sampled_image_accessor(image, h)

        def line(i: sycl.item) -> None:
            put(i, img.read(at[i, 0]))

        def plane(i: sycl.item) -> None:
            put(i, img.read(sycl.float2(at[i, 0], at[i, 1])))

        def space(i: sycl.item) -> None:
            put(i, img.read(sycl.float4(at[i, 0], at[i, 1], at[i, 2], 0)))

        def put(i: sycl.item, v: Any) -> None:
            for k in range(4):
                out[i, k] = v[k]
        h.parallel_for(len(at), (line, plane, space)[at.shape[1] - 1])
    queue.submit(group).wait()
    return out


def copy(queue: sycl.queue, source: sycl.unsampled_image, target: sycl.unsampled_image,
         color: Any) -> None:
    """Write every pixel of one image to the same place of another, seen as ``color``."""
    extent = tuple(source.get_range())

    def group(h: sycl.handler) -> None:
        src = sycl.unsampled_image_accessor(source, h, color, sycl.read_only)
        dst = sycl.unsampled_image_accessor(target, h, color, sycl.write_only, sycl.no_init)

        def line(it: sycl.item) -> None:
            dst.write(it, src.read(it))

        def plane(it: sycl.item) -> None:
            at = sycl.int2(it[1], it[0])
            dst.write(at, src.read(at))

        def space(it: sycl.item) -> None:
            at = sycl.int4(it[2], it[1], it[0], 0)
            dst.write(at, src.read(at))
        h.parallel_for(extent[::-1], (line, plane, space)[len(extent) - 1])
    queue.submit(group)
