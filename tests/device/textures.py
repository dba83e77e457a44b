"""What textures of a card bring beside arithmetic: samples of images, timed and compared.

::

    python -m tests.device.textures [--size 4096]

Three programs over an image: ``gather`` (nearest pixels at scattered places), ``warp`` (a turned
picture, linear filter) and ``blur`` (nine linear samples a pixel). Ways: an accessor and a handle
of this package, both exact; a handle with ``ext_unisycl_coarse``, a texture over rows of memory;
the same by CUDA C++, and a texture over one of CUDA's arrays, whose pixels lie in blocks. Printed
are microseconds by the card's own times and the largest difference from the exact samples, in
steps of 1/256 of a pixel's range. Non-goals: judging.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.backends.cuda.api import Copy2D, PitchedResource, TextureDesc
from unisycl.testing import find_device

ext: Any = sycl.ext.oneapi.experimental
TURNS = 9
TEXT = r"""
__device__ float4 at(unsigned long long t, float x, float y) { return tex2D<float4>(t, x, y); }
extern "C" __global__ void gather(unsigned long long t, float4 *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned k = (unsigned)(y * n + x) * 2654435761u;
    out[(size_t)y * n + x] = at(t, (float)(k % n) + 0.5f, (float)((k >> 16) % n) + 0.5f);
}
extern "C" __global__ void warp(unsigned long long t, float4 *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = 0.8f * x - 0.6f * y + 0.25f * n, v = 0.6f * x + 0.8f * y - 0.125f * n;
    out[(size_t)y * n + x] = at(t, u, v);
}
extern "C" __global__ void blur(unsigned long long t, float4 *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float4 s = make_float4(0, 0, 0, 0);
    for (int k = -1; k < 2; k++)
        for (int j = -1; j < 2; j++) {
            float4 c = at(t, x + 0.5f + 1.3f * j, y + 0.5f + 1.3f * k);
            s.x += c.x; s.y += c.y; s.z += c.z; s.w += c.w;
        }
    out[(size_t)y * n + x] = make_float4(s.x / 9, s.y / 9, s.z / 9, s.w / 9);
}
extern "C" __global__ void put(unsigned long long s, float4 *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    surf2Dwrite(in[(size_t)y * n + x], s, x * 16, y);
}
extern "C" __global__ void put_rows(float4 *out, float4 *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[(size_t)y * n + x] = in[(size_t)y * n + x];
}
"""


# ------------------------------------------------------------------ kernels of ours
def gathers(read: Any, i: Any, n: int) -> Any:
    y, x = i
    k = np.uint32(y * n + x) * np.uint32(2654435761)
    u, v = k % np.uint32(n), (k >> np.uint32(16)) % np.uint32(n)
    half = np.float32(0.5)
    return read(sycl.float2(np.float32(u) + half, np.float32(v) + half))


def warps(read: Any, i: Any, n: int) -> Any:
    x, y, f = np.float32(i[1]), np.float32(i[0]), np.float32
    u = f(0.8) * x - f(0.6) * y + f(0.25) * f(n)
    return read(sycl.float2(u, f(0.6) * x + f(0.8) * y - f(0.125) * f(n)))


def blurs(read: Any, i: Any, n: int) -> Any:
    f = np.float32
    x, y, s = f(i[1]) + f(0.5), f(i[0]) + f(0.5), sycl.float4(0)
    for k in range(-1, 2):
        for j in range(-1, 2):
            s += read(sycl.float2(x + f(1.3) * f(j), y + f(1.3) * f(k)))
    return s / f(9)


PROGRAMS = {"gather": gathers, "warp": warps, "blur": blurs}


def by_handle(i: Any, handle: Any, out: Any, program: Any, n: int, kind: Any) -> None:
    def read(at: Any) -> Any:
        c = ext.sample_image(handle, at, kind)
        return sycl.float4(c, 0, 0, 1) if kind is np.float32 else c
    out[i[0] * n + i[1]] = program(read, i, n)


def by_accessor(i: Any, image: Any, out: Any, program: Any, n: int) -> None:
    out[i[0] * n + i[1]] = program(image.read, i, n)


# ------------------------------------------------------------------ timing
def timed(q: sycl.queue, submit: Callable[[], Any]) -> float:
    about, found = sycl.info.event_profiling, []
    for _ in range(TURNS):
        event = submit()
        event.wait_and_throw()
        found.append(event.get_profiling_info(about.command_end)
                     - event.get_profiling_info(about.command_start))
    return float(statistics.median(found[2:])) / 1e3


def array_of(lib: Any, memory: Any, n: int, fmt: int, channels: int, size: int) -> ctypes.c_uint64:
    """Return one of CUDA's arrays with the pixels of rows in memory."""
    shape = (ctypes.c_size_t * 3)(n, n)
    words = ctypes.cast(ctypes.byref(shape, 16), ctypes.POINTER(ctypes.c_int))
    words[0], words[1] = fmt, channels
    made = (ctypes.c_size_t * 6)(n, n, 0)  # CUDA_ARRAY3D_DESCRIPTOR, with surfaces
    kinds = ctypes.cast(ctypes.byref(made, 24), ctypes.POINTER(ctypes.c_int))
    kinds[0], kinds[1], kinds[2] = fmt, channels, 2
    array = ctypes.c_uint64()
    check(lib.cuArray3DCreate_v2(ctypes.byref(array), made))
    if memory is not None:
        copy = Copy2D(srcMemoryType=2, srcDevice=memory, srcPitch=n * size, dstMemoryType=3,
                      dstArray=array.value, WidthInBytes=n * size, Height=n)
        check(lib.cuMemcpy2D_v2(ctypes.byref(copy)))
    return array


def check(result: int) -> None:
    if result:
        raise RuntimeError(f"CUDA's error {result}")


def texture_of(lib: Any, resource: Any, *, linear: bool) -> int:
    way, out = TextureDesc(addressMode=(ctypes.c_int * 3)(1, 1, 1), filterMode=int(linear)), \
        ctypes.c_uint64()
    check(lib.cuTexObjectCreate(ctypes.byref(out), ctypes.byref(resource), ctypes.byref(way), None))
    return out.value


def image_resource(array: int) -> Any:
    found = PitchedResource(resType=0)
    found.devPtr = array  # the first word of what the description is of
    return found


def _how(*, linear: bool) -> tuple[Any, ...]:
    """Return what both kinds of samplers are made of."""
    return (sycl.addressing_mode.clamp_to_edge, sycl.coordinate_normalization_mode.unnormalized,
            sycl.filtering_mode.linear if linear else sycl.filtering_mode.nearest)


# ------------------------------------------------------------------ one kind of pixel
def measure(q: sycl.queue, name: str, channels: int, n: int) -> None:
    rng = np.random.default_rng(1)
    kinds = ext.image_channel_type
    fmt, pixel = (0x20, 4 * channels) if name == "fp32" else (1, channels)
    pixels = (rng.random((n, n, channels), np.float32) if name == "fp32"
              else rng.integers(0, 256, (n, n, channels), np.uint8))
    desc = ext.image_descriptor((n, n), channels, kinds[name])
    memory = ext.image_mem(desc, q)
    q.ext_oneapi_copy(pixels, memory, desc).wait_and_throw()
    out = sycl.malloc_device(n * n, sycl.float4, q)
    lib = ctypes.CDLL("libcuda.so.1")
    driver: Any = q.get_device().state.driver
    kind = np.float32 if channels == 1 else sycl.float4
    bundle = ext.build(ext.create_kernel_bundle_from_source(
        q.get_context(), ext.source_language.cuda, TEXT))
    address = memory.get_handle().raw_handle
    with driver.opened().session:
        array = array_of(lib, address, n, fmt, channels, pixel)
    for title, program in PROGRAMS.items():
        linear = title != "gather"
        handles = {way: ext.create_image(memory, desc, ext.bindless_image_sampler(
            *_how(linear=linear), ext_unisycl_coarse=way == "coarse"), q)
            for way in ("handle", "coarse")}
        assert handles["coarse"]["texture"], "no texture was made"
        rows = int(handles["coarse"]["texture"])
        with driver.opened().session:
            blocks = texture_of(lib, image_resource(array.value), linear=linear)
        ways: dict[str, Callable[[], Any]] = {
            way: functools.partial(q.parallel_for, (n, n), by_handle, h, out, program, n, kind)
            for way, h in handles.items()}
        if channels == 4:
            form = sycl.image_channel_order.rgba, getattr(sycl.image_channel_type, name)
            image = sycl.sampled_image(pixels, form, sycl.image_sampler(*_how(linear=linear)))

            def group(h: Any) -> None:
                acc = sycl.sampled_image_accessor(image, h)
                h.parallel_for((n, n), by_accessor, acc, out, program, n)

            ways = {"accessor": lambda: q.submit(group), **ways}
        kernel = bundle.ext_oneapi_get_kernel(title)
        for way, texture in (("C++, rows", rows), ("C++, blocks", blocks)):
            def by_text(h: Any, texture: int = texture) -> None:
                h.set_args(np.uint64(texture), out, np.int32(n))
                h.parallel_for(sycl.nd_range((n, n), (8, 32)), kernel)

            ways[way] = functools.partial(q.submit, by_text)
        first, line = None, []
        for way, submit in ways.items():
            us = timed(q, submit)
            got = np.empty((n * n, 4), np.float32)
            q.memcpy(got, out, got.nbytes).wait_and_throw()
            got = got[:, :channels]
            first = got if first is None else first
            line.append(f"{way} {us:.1f} ({float(np.abs(got - first).max()) * 256:.2f}, "
                        f"{int((got != first).any(1).sum())})")
        print(f"{name} x {channels} {title:7}: " + ", ".join(line), flush=True)
    if name == "fp32" and channels == 4:
        surfaces(q, bundle, lib, n, out)


def surfaces(q: sycl.queue, bundle: Any, lib: Any, n: int, source: Any) -> None:
    """Print what writes of pixels cost, by a surface of an array and to rows of memory."""
    driver: Any = q.get_device().state.driver
    with driver.opened().session:
        array = array_of(lib, None, n, 0x20, 4, 16)
        surface = ctypes.c_uint64()
        resource = image_resource(array.value)
        check(lib.cuSurfObjectCreate(ctypes.byref(surface), ctypes.byref(resource)))
    target = sycl.malloc_device(n * n, sycl.float4, q)
    found = []
    for name, where in (("put", np.uint64(surface.value)), ("put_rows", target)):
        kernel = bundle.ext_oneapi_get_kernel(name)

        def group(h: Any, where: Any = where, kernel: Any = kernel) -> None:
            h.set_args(where, source, np.int32(n))
            h.parallel_for(sycl.nd_range((n, n), (8, 32)), kernel)

        found.append(f"{name} {timed(q, functools.partial(q.submit, group)):.1f}")
    print("writes of fp32 x 4: " + ", ".join(found), flush=True)


def main() -> None:
    """Measure each kind of pixel."""
    parser = argparse.ArgumentParser(prog="tests.device.textures", description=__doc__)
    parser.add_argument("--size", type=int, default=4096, help="pixels along an axis")
    options = parser.parse_args()
    q = sycl.queue(find_device("cuda"), sycl.property.queue.enable_profiling())
    print("us by the card (largest difference in 1/256, pixels that differ)")
    for name, channels in (("fp32", 1), ("unorm_int8", 4), ("fp32", 4)):
        measure(q, name, channels, options.size)


if __name__ == "__main__":
    main()
