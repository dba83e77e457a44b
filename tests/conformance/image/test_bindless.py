"""Images by handle: read, sampled and written through handles (sycl_ext_oneapi_bindless_images)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.image import pictures
from tests.sampling import by_turns
from unisycl.testing import refused

ext: Any = sycl.ext.oneapi.experimental
kinds = ext.image_channel_type
WANTED = sycl.aspect.ext_oneapi_bindless_images
STORED = {
    "unsigned_int8": np.uint8, "unsigned_int16": np.uint16, "unsigned_int32": np.uint32,
    "signed_int8": np.int8, "signed_int16": np.int16, "signed_int32": np.int32,
    "fp16": np.float16, "fp32": np.float32, "unorm_int8": np.uint8, "unorm_int16": np.uint16,
    "snorm_int8": np.int8, "snorm_int16": np.int16}
MODES = [*((m.name, True) for m in sycl.addressing_mode if m.name != "none"),
         ("clamp_to_edge", False), ("clamp", False)]
COUNTS = {"unsigned_int8": (4,), "unsigned_int16": (2,), "unsigned_int32": (1,),
          "signed_int8": (1,), "signed_int16": (4,), "signed_int32": (2,), "fp16": (2,)}
POINTS = (((7,), "unorm_int16"), ((5, 4), "unorm_int8"), ((3, 4, 2), "fp16"), ((5, 4), "fp32"))


def sampler(mode: str, *, normalized: bool, linear: bool, **more: Any) -> Any:
    kind = sycl.coordinate_normalization_mode
    return ext.bindless_image_sampler(
        sycl.addressing_mode[mode], kind.normalized if normalized else kind.unnormalized,
        sycl.filtering_mode.linear if linear else sycl.filtering_mode.nearest, **more)


def made(queue: sycl.queue, pixels: np.ndarray, desc: Any) -> Any:
    """Return image memory with these pixels."""
    memory = ext.image_mem(desc, queue)
    queue.ext_oneapi_copy(pixels, memory, desc).wait_and_throw()
    return memory


def shared(queue: sycl.queue, values: np.ndarray) -> Any:
    found = sycl.malloc_shared(values.shape, values.dtype, queue)
    found[:] = values
    return found


def sample_1(i, handles, at, out):
    k, j = i
    color = ext.sample_image(handles[k], at[j, 0], sycl.float4)
    for c in range(4):
        out[k, j, c] = color[c]


def sample_2(i, handles, at, out):
    k, j = i
    color = ext.sample_image(handles[k], sycl.float2(at[j, 0], at[j, 1]), sycl.float4)
    for c in range(4):
        out[k, j, c] = color[c]


def sample_3(i, handles, at, out):
    k, j = i
    color = ext.sample_image(handles[k], (at[j, 0], at[j, 1], at[j, 2]), sycl.float4)
    for c in range(4):
        out[k, j, c] = color[c]


@pytest.mark.row("M-9")
@pytest.mark.parametrize(("sizes", "name"), POINTS, ids=["1d", "2d", "3d", "2d fp32"])
def test_samples_have_the_bits_that_accessors_read(
        device: sycl.device, queue: sycl.queue, sizes: tuple[int, ...], name: str) -> None:
    pixels = pictures.stored("rgba", name, sizes[::-1])
    desc = ext.image_descriptor(sizes, 4, kinds[name])
    with refused(device, WANTED):
        memory = made(queue, pixels, desc)
    ways = [(m, n, linear) for m, n in MODES for linear in (False, True)]
    for norm in (False, True):
        at = pictures.coordinates(sizes, normalized=norm, count=8)[::2].copy()
        some = by_turns(device, [w for w in ways if w[1] is norm])
        handles = sycl.malloc_shared(len(some), ext.sampled_image_handle, queue)
        for k, (mode, normalized, linear) in enumerate(some):
            handles[k] = ext.create_image(memory, desc, sampler(
                mode, normalized=normalized, linear=linear), queue)
        out = sycl.malloc_shared((len(some), len(at), 4), np.float32, queue)
        kernel = (sample_1, sample_2, sample_3)[len(sizes) - 1]
        queue.parallel_for((len(some), len(at)), kernel, handles, shared(queue, at),
                           out).wait_and_throw()
        form = sycl.image_channel_order.rgba, sycl.image_channel_type[name]
        for k, (mode, normalized, linear) in enumerate(some):
            modes = pictures.sampler(mode, normalized=normalized, linear=linear)
            with sycl.sampled_image(pixels, form, modes) as image:
                want = pictures.sample(queue, image, at)
            np.testing.assert_array_equal(out[k].view(np.uint32), want.view(np.uint32),
                                          f"{mode} {normalized} {linear}")


def fetched(i, handle, out, kind):
    y, x = i
    color = ext.fetch_image(handle, sycl.int2(x, y), kind)
    if isinstance(color, sycl.vec):
        for c in range(len(color)):
            out[y, x, c] = color[c]
    else:
        out[y, x, 0] = color


def copied(i, source, target, kind):
    y, x = i
    ext.write_image(target, (x, y), ext.fetch_image(source, (x, y), kind))


def as_floats(pixels: np.ndarray, name: str) -> np.ndarray:
    if not name.startswith(("unorm", "snorm")):
        return pixels
    largest = np.iinfo(pixels.dtype).max
    return np.maximum(pixels.astype(np.float32) / np.float32(largest), np.float32(-1))


@pytest.mark.row("M-9")
@pytest.mark.parametrize("name", STORED)
def test_pixels_are_read_and_written_as_they_lie(
        device: sycl.device, queue: sycl.queue, name: str) -> None:
    stored = STORED[name]
    seen = np.float32 if name.startswith(("unorm", "snorm")) else stored
    if stored is np.float16 and not device.has(sycl.aspect.fp16):
        pytest.skip("the device has no halves")
    for channels in COUNTS.get(name, (1, 2, 4)):
        raw = pictures.stored("rgba", name, (3, 5))[..., :channels].copy()
        desc = ext.image_descriptor((5, 3), channels, kinds[name])
        with refused(device, WANTED):
            memory = made(queue, raw, desc)
        kind = np.dtype(seen).type if channels == 1 else sycl.vec(seen, channels)
        source, other = ext.create_image(memory, desc, queue), ext.image_mem(desc, queue)
        target = ext.create_image(other, desc, queue)
        out = sycl.malloc_shared((3, 5, channels), seen, queue)
        queue.parallel_for((3, 5), fetched, source, out, kind).wait_and_throw()
        np.testing.assert_array_equal(out[:], as_floats(raw, name))
        queue.parallel_for((3, 5), copied, source, target, kind).wait_and_throw()
        back = np.zeros_like(raw)
        queue.ext_oneapi_copy(other, back, desc).wait_and_throw()
        if name.startswith("snorm"):  # -128 and -127 are both -1
            raw = np.maximum(raw, -np.iinfo(stored).max)
        np.testing.assert_array_equal(back, raw)


def rounded(i, handle, values):
    ext.write_image(handle, i, values[i])


@pytest.mark.row("M-9")
def test_fractions_are_rounded_and_cut_when_written(
        device: sycl.device, queue: sycl.queue) -> None:
    values = np.array([-9, -1, -0.2, 0, 0.3, 0.5, 1, 7, np.nan, np.inf], np.float32)
    for name in ("unorm_int8", "snorm_int8", "unorm_int16", "snorm_int16"):
        desc = ext.image_descriptor(10, 1, kinds[name])
        with refused(device, WANTED):
            memory = ext.image_mem(desc, queue)
        queue.parallel_for(10, rounded, ext.create_image(memory, desc, queue),
                           shared(queue, values)).wait_and_throw()
        back = np.zeros(10, STORED[name])
        queue.ext_oneapi_copy(memory, back, desc).wait_and_throw()
        limits = np.iinfo(back.dtype)
        known = np.nan_to_num(values, nan=0, posinf=9)
        want = np.rint(np.clip(known * np.float32(limits.max), limits.min, limits.max))
        np.testing.assert_array_equal(back, want.astype(back.dtype))


@pytest.mark.row("M-9")
def test_halves_are_all_read_and_written(device: sycl.device, queue: sycl.queue) -> None:
    raw = np.arange(1 << 16, dtype=np.uint16)
    halves = ext.image_descriptor(1 << 16, 1, kinds.fp16)
    with refused(device, WANTED):
        memory = made(queue, raw, halves)
    out = sycl.malloc_shared(1 << 16, np.float32, queue)
    if not device.has(sycl.aspect.host_debuggable):  # one by one, by Python
        queue.parallel_for(1 << 16, one_of, ext.create_image(memory, halves, queue), out)
        queue.wait_and_throw()
        np.testing.assert_array_equal(out[:], raw.view(np.float16).astype(np.float32))
    edges = raw.view(np.float16)[::113].astype(np.float32)
    edges = edges[np.isfinite(edges)]
    more = np.concatenate([edges, np.nextafter(edges, np.float32(9e9)), edges * np.float32(1.0005),
                           np.float32([65519, 65520, 1e30, -1e-30, 2.0 ** -25, np.nan])])
    count = len(more)
    target = ext.image_mem(ext.image_descriptor(count, 1, kinds.fp16), queue)
    handle = ext.create_image(target, target.get_descriptor(), queue)
    queue.parallel_for(count, rounded, handle, shared(queue, more)).wait_and_throw()
    back = np.zeros(count, np.float16)
    queue.ext_oneapi_copy(target, back, target.get_descriptor()).wait_and_throw()
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(back, more.astype(np.float16))


def layers(i, handle, seen, out):
    layer, y, x = i
    ext.write_image_array(handle, sycl.int2(x, y), layer,
                          ext.fetch_image_array(handle, sycl.int2(x, y), layer, np.int32) + 1)
    at = (np.float32(x) + np.float32(0.5), np.float32(y) + np.float32(0.5))
    out[layer, y, x] = ext.sample_image_array(seen, at, layer, np.float32)


@pytest.mark.row("M-9")
def test_arrays_of_images_are_read_layer_by_layer(device: sycl.device, queue: sycl.queue) -> None:
    whole = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    desc = ext.image_descriptor((5, 4), 1, kinds.signed_int32, ext.image_type.array, 1, 3)
    floats = ext.image_descriptor((5, 4), 1, kinds.fp32, ext.image_type.array, 1, 3)
    with refused(device, WANTED):
        memory, other = made(queue, whole, desc), made(queue, whole.astype("f4"), floats)
    seen = ext.create_image(other, floats, sampler("clamp_to_edge", normalized=False,
                                                   linear=True), queue)
    out = sycl.malloc_shared((3, 4, 5), np.float32, queue)
    queue.parallel_for((3, 4, 5), layers, ext.create_image(memory, desc, queue), seen,
                       out).wait_and_throw()
    np.testing.assert_array_equal(out[:], whole)
    back = np.zeros_like(whole)
    queue.ext_oneapi_copy(memory, back, desc).wait_and_throw()
    np.testing.assert_array_equal(back, whole + 1)


def levels(i, handle, lods, out):
    out[i] = ext.sample_mipmap(handle, sycl.float2(0.25, 0.75), lods[i], np.float32)


@pytest.mark.row("M-9")
def test_mipmaps_are_sampled_at_and_between_levels(device: sycl.device, queue: sycl.queue) -> None:
    desc = ext.image_descriptor((8, 4), 1, kinds.fp32, ext.image_type.mipmap, 3)
    with refused(device, WANTED):
        memory = ext.image_mem(desc, queue)
    pixels = []
    for level in range(3):
        one = desc.get_mip_level_desc(level)
        assert (8 >> level, 4 >> level) == (one.width, one.height)
        pixels.append(np.arange(one.width * one.height, dtype=np.float32).reshape(
            one.height, one.width) + 100 * level)
        queue.ext_oneapi_copy(pixels[-1], memory.get_mip_level_mem_handle(level),
                              one).wait_and_throw()
    lods = np.array([-3, 0, 0.25, 0.5, 1, 1.75, 2, 9], np.float32)
    near = [p[int(0.75 * p.shape[0]), int(0.25 * p.shape[1])] for p in pixels]
    out = sycl.malloc_shared(8, np.float32, queue)
    for between in sycl.filtering_mode:
        handle = ext.create_image(memory, desc, sampler(
            "clamp_to_edge", normalized=True, linear=False, mipmap_filtering=between,
            max_mipmap_level_clamp=9.0), queue)
        queue.parallel_for(8, levels, handle, shared(queue, lods), out).wait_and_throw()
        for lod, got in zip(np.clip(lods, 0, 2), out[:], strict=True):
            low = int(lod)
            part = lod - low if between is sycl.filtering_mode.linear else 0
            first = low if part or between is sycl.filtering_mode.linear else int(lod + 0.5)
            assert got == (1 - part) * near[first] + part * near[min(first + 1, 2)]
    single = desc.get_mip_level_desc(1)
    handle = ext.create_image(memory.get_mip_level_mem_handle(1), single, queue)
    seen = sycl.malloc_shared((2, 4, 1), np.float32, queue)
    queue.parallel_for((2, 4), fetched, handle, seen, np.float32).wait_and_throw()
    np.testing.assert_array_equal(seen[..., 0], pixels[1])
    with pytest.raises(sycl.exception, match="sampled only") as caught:
        ext.create_image(memory, desc, queue)
    assert caught.value.code() == sycl.errc.runtime


def faces(i, handle, directions, out):
    d = sycl.float3(directions[i, 0], directions[i, 1], directions[i, 2])
    out[i] = ext.sample_cubemap(handle, d, np.uint8)


@pytest.mark.row("M-9")
def test_cube_maps_are_sampled_by_direction(device: sycl.device, queue: sycl.queue) -> None:
    pixels = np.arange(24, dtype=np.uint8).reshape(6, 2, 2)
    desc = ext.image_descriptor((2, 2), 1, kinds.unsigned_int8, ext.image_type.cubemap, 1, 6)
    with refused(device, WANTED):
        memory = made(queue, pixels, desc)
    handle = ext.create_image(memory, desc, sampler("clamp_to_edge", normalized=True,
                                                    linear=False), queue)
    axes = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    across = [(0, 0, -1), (0, 0, 1), (1, 0, 0), (1, 0, 0), (1, 0, 0), (-1, 0, 0)]
    down = [(0, -1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0), (0, -1, 0)]
    directions, want = [], []
    for face, (u, v) in itertools.product(range(6), itertools.product((-0.5, 0.5), repeat=2)):
        directions.append([3 * (axes[face][k] + u * across[face][k] + v * down[face][k])
                           for k in range(3)])
        want.append(pixels[face, int(v > 0), int(u > 0)])
    out = sycl.malloc_shared(24, np.uint8, queue)
    queue.parallel_for(24, faces, handle, shared(queue, np.array(directions, np.float32)),
                       out).wait_and_throw()
    np.testing.assert_array_equal(out[:], want)


def chosen(i, handles, which, out):
    out[i] = ext.fetch_image(handles[which[i]], 0, np.float32)


@pytest.mark.row("M-9")
def test_an_array_of_handles_is_indexed_in_a_kernel(device: sycl.device, queue: sycl.queue) -> None:
    desc = ext.image_descriptor(4, 1, kinds.fp32)
    with refused(device, WANTED):
        memories = [made(queue, np.full(4, 10 * k, np.float32), desc) for k in range(5)]
    handles = np.zeros(5, ext.unsampled_image_handle)
    for k, memory in enumerate(memories):
        handles[k] = ext.create_image(memory, desc, queue)
    which = shared(queue, np.array([3, 0, 4, 4, 1, 2, 3], np.int32))
    out = sycl.malloc_shared(7, np.float32, queue)
    with sycl.buffer(handles) as b:
        def group(h: sycl.handler) -> None:
            h.parallel_for(7, chosen, sycl.accessor(b, h, sycl.read_only), which, out)
        queue.submit(group).wait_and_throw()
    np.testing.assert_array_equal(out[:], 10 * which[:])
    one = handles[2]

    @queue.parallel_for(7)
    def captured(i):
        out[i] = ext.fetch_image(one, 1, np.float32) + i
    captured.wait_and_throw()
    np.testing.assert_array_equal(out[:], 20 + np.arange(7))


@pytest.mark.row("M-9")
def test_images_over_usm_have_a_pitch(device: sycl.device, queue: sycl.queue) -> None:
    desc = ext.image_descriptor((5, 3), 2, kinds.unsigned_int16)
    raw = pictures.stored("rg", "unsigned_int16", (3, 5))
    with refused(device, WANTED):
        memory, pitch = ext.pitched_alloc_device(desc, queue)
    queue.ext_oneapi_copy(raw, memory, desc, pitch).wait_and_throw()
    out = sycl.malloc_shared((3, 5, 2), np.uint16, queue)
    for handle in (ext.create_image(memory, pitch, desc, queue),
                   ext.create_image(memory, pitch, desc, sampler(
                       "clamp", normalized=True, linear=False), queue)):
        queue.parallel_for((3, 5), fetched, handle, out, sycl.ushort2).wait_and_throw()
        np.testing.assert_array_equal(out[:], raw)
    back = np.zeros_like(raw)
    queue.ext_oneapi_copy(memory, back, desc, pitch).wait_and_throw()
    np.testing.assert_array_equal(back, raw)
    line = shared(queue, np.arange(8, dtype=np.float32))
    flat = ext.image_descriptor(8, 1, kinds.fp32)
    seen = sycl.malloc_shared(8, np.float32, queue)
    queue.parallel_for(8, lambda i, h, o: one_of(i, h, o), ext.create_image(line, 0, flat, queue),
                       seen).wait_and_throw()
    np.testing.assert_array_equal(seen[:], np.arange(8))
    for wrong in (lambda: ext.create_image(memory, 8, desc, queue),
                  lambda: ext.create_image(line, 0, ext.image_descriptor(9, 1, kinds.fp32), queue)):
        with pytest.raises(sycl.exception) as caught:
            wrong()
        assert caught.value.code() == sycl.errc.runtime


def one_of(i, handle, out):
    out[i] = ext.fetch_image(handle, i, np.float32)


@pytest.mark.row("M-9")
def test_parts_of_images_are_copied(device: sycl.device, queue: sycl.queue) -> None:
    rng = np.random.default_rng(7)
    whole = rng.integers(0, 255, (4, 5, 6, 2), np.uint8)
    desc = ext.image_descriptor((6, 5, 4), 2, kinds.unsigned_int8)
    with refused(device, WANTED):
        memory, other = made(queue, whole, desc), ext.image_mem(desc, queue)
    assert (6, 5, 4) == tuple(memory.get_range())
    queue.ext_oneapi_copy(memory, other, desc).wait_and_throw()
    part = rng.integers(0, 255, (3, 3, 3, 2), np.uint8)
    queue.ext_oneapi_copy(part, (1, 0, 1), (3, 3, 3), other, (2, 1, 1), desc, (2, 3, 2),
                          ).wait_and_throw()
    want = whole.copy()
    want[1:3, 1:4, 2:4] = part[1:3, 0:3, 1:3]
    back = np.zeros((4, 6, 7, 2), np.uint8)
    queue.submit(lambda h: h.ext_oneapi_copy(other, (0, 0, 0), desc, back, (1, 0, 0), (7, 6, 4),
                                             (6, 5, 4))).wait_and_throw()
    np.testing.assert_array_equal(back[:, :5, 1:], want)
    assert not back[:, 5:].any()
    assert not back[:, :, 0].any()
    queue.ext_oneapi_copy(other, (1, 1, 1), desc, memory, (0, 0, 0), desc, (3, 2, 1)).wait()
    whole[0, :2, :3] = want[1, 1:3, 1:4]
    found = np.zeros_like(whole)
    queue.ext_oneapi_copy(memory, found, desc).wait_and_throw()
    np.testing.assert_array_equal(found, whole)
    for wrong in ((memory, (4, 0, 0), desc, back, (0, 0, 0), (7, 6, 4), (3, 1, 1)),
                  (part, memory, desc), (memory, found), (found, memory, desc, 7),
                  (found, memory, ext.image_descriptor((6, 5, 3), 2, kinds.unsigned_int8))):
        with pytest.raises(sycl.exception) as caught:
            queue.ext_oneapi_copy(*wrong)
        assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("M-9")
def test_what_no_image_can_be_is_refused(device: sycl.device, queue: sycl.queue) -> None:
    made_of = ext.image_descriptor
    for desc in (made_of((0,), 4), made_of((4, 4), 3), made_of((4, 4), 4, kinds.unorm_short_565),
                 made_of((4, 4), 4, kinds.fp32, ext.image_type.standard, 2),
                 made_of((4, 4), 4, kinds.fp32, ext.image_type.mipmap, 4),
                 made_of((4, 4), 4, kinds.fp32, ext.image_type.array, 1, 1),
                 made_of((4, 3), 4, kinds.fp32, ext.image_type.cubemap, 1, 6)):
        with pytest.raises(sycl.exception, match="image_descriptor") as caught:
            desc.verify()
        assert caught.value.code() == sycl.errc.invalid
    desc = made_of((4, 4), 1, kinds.signed_int8)
    with refused(device, WANTED):
        handle = ext.alloc_image_mem(desc, queue)
    for wrong in (sampler("clamp", normalized=False, linear=True),
                  sampler("repeat", normalized=False, linear=False)):
        with pytest.raises(sycl.exception) as caught:
            ext.create_image(handle, desc, wrong, queue)
        assert caught.value.code() == sycl.errc.invalid
    with pytest.raises(sycl.exception, match="not of") as caught:
        ext.create_image(handle, made_of((4, 4), 1, kinds.unsigned_int8), queue)
    assert caught.value.code() == sycl.errc.runtime
    image = ext.create_image(handle, desc, queue)
    ext.destroy_image_handle(image, queue)
    assert not image.bytes
    ext.free_image_mem(handle, ext.image_type.standard, queue)
    with pytest.raises(sycl.exception, match="freed"):
        ext.create_image(handle, desc, queue)


@pytest.mark.row("M-9")
def test_a_device_without_them_refuses(masked: sycl.queue) -> None:
    state = masked.channel.device
    object.__setattr__(state, "info", state.info.__class__(**{
        **{f: getattr(state.info, f) for f in state.info.__dataclass_fields__},
        "aspects": state.info.aspects - {WANTED}}))
    with pytest.raises(sycl.exception, match="ext_oneapi_bindless_images") as caught:
        ext.alloc_image_mem(ext.image_descriptor((4, 4)), masked)
    assert caught.value.code() == sycl.errc.feature_not_supported


@pytest.mark.row("M-9")
def test_checked_kernels_tell_of_places_and_types_that_are_wrong(
        device: sycl.device, queue: sycl.queue) -> None:
    desc = ext.image_descriptor((4, 4), 1, kinds.fp32)
    with refused(device, WANTED):
        memory = made(queue, np.zeros((4, 4), np.float32), desc)
    handle, out = ext.create_image(memory, desc, queue), sycl.malloc_shared(1, np.float32, queue)

    @sycl.kernel(debug=True)
    def beside(i, h, o):
        o[0] = ext.fetch_image(h, (4, 0), np.float32)

    @sycl.kernel(debug=True)
    def other(i, h, o):
        o[0] = ext.fetch_image(h, (0, 0), np.int32)
    for kernel, words in ((beside, "outside the image"), (other, "another type")):
        errors: list[Any] = []
        told = sycl.queue(device, lambda found, errors=errors: errors.extend(found))
        mine = made(told, np.zeros((4, 4), np.float32), desc)
        told.parallel_for(1, kernel, ext.create_image(mine, desc, told),
                          sycl.malloc_shared(1, np.float32, told))
        told.wait_and_throw()
        assert words in str(errors[0]), errors
    assert handle.width == 4
    assert out.size() == 1


COARSE = ((1, 16, "fp16", 2), (8, 16, "unorm_int8", 4))


@pytest.mark.row("M-9")
@pytest.mark.parametrize(("rows", "width", "name", "channels"), COARSE, ids=lambda x: str(x))
def test_coarse_samples_are_those_of_places_in_steps(
        device: sycl.device, queue: sycl.queue, rows: int, width: int, name: str,
        channels: int) -> None:
    rng = np.random.default_rng(3)
    pixels = (rng.random((rows, width, channels)) * (255 if name == "unorm_int8" else 1)).astype(
        STORED[name])
    sizes = (width, rows) if rows > 1 else (width,)
    desc = ext.image_descriptor(sizes, channels, kinds[name])
    with refused(device, WANTED):
        memory = made(queue, pixels, desc)
    kind = {1: np.float32, 2: sycl.float2, 4: sycl.float4}[channels]
    for norm in (False, True):
        ways = by_turns(device, [(m, n, f) for m, n in MODES for f in (False, True) if n is norm])
        # between pixels' edges, where a step of 1/256 changes no nearest one
        at = (rng.integers(-16 * 16, 32 * 16, (24, 2)) / 16 + 1 / 32).astype(np.float32)
        at = shared(queue, at / np.float32((width, rows)) if norm else at)
        shape = (len(ways), 24, channels)
        exact, coarse = (sycl.malloc_shared(shape, np.float32, queue) for _ in range(2))
        for out in (exact, coarse):
            handles = sycl.malloc_shared(len(ways), ext.sampled_image_handle, queue)
            for k, (mode, normalized, linear) in enumerate(ways):
                handles[k] = ext.create_image(memory, desc, sampler(
                    mode, normalized=normalized, linear=linear,
                    ext_unisycl_coarse=out is coarse), queue)
                found = handles[k]["texture"] != 0
                assert found == (out is coarse and device.has(
                    sycl.aspect.ext_unisycl_coarse_sampling))
            queue.parallel_for(shape[:2], sample_some, handles, at, out, kind,
                               len(sizes)).wait_and_throw()
        if device.has(sycl.aspect.ext_unisycl_coarse_sampling):
            np.testing.assert_allclose(coarse[:], exact[:], 0, 3 / 256)
        else:
            np.testing.assert_array_equal(coarse[:], exact[:])


def sample_some(i, handles, at, out, kind, count):
    k, j = i
    if count == 2:
        color = ext.sample_image(handles[k], (at[j, 0], at[j, 1]), kind)
    else:
        color = ext.sample_image(handles[k], at[j, 0], kind)
    if isinstance(color, sycl.vec):
        for c in range(len(color)):
            out[k, j, c] = color[c]
    else:
        out[k, j, 0] = color
