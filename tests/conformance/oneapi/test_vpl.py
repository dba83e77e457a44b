"""oneVPL: sessions, codecs there and back, and video processing against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.moments import turns_for

pytest.importorskip("av", reason="PyAV is not installed")

from unisycl.oneapi import vpl  # noqa: E402

pytestmark = pytest.mark.row("L-18")

W, H = 38, 22
YY, XX = np.mgrid[0:H, 0:W]
WEIGHTS = {"bt601": (0.299, 0.587, 0.114), "bt709": (0.2126, 0.7152, 0.0722)}


def smooth(queue, name, width=W, height=H, step=0, **more):
    """Return a surface with waves in it."""
    made = vpl.surface(queue, name, width, height, **more)
    y, x = np.mgrid[0:height, 0:width]
    top = (1 << made.format.bits) - 1
    for k, (p, part) in enumerate(zip(made.format.parts, made.parts(), strict=True)):
        half = 2 if p.halved else 1
        wave = 0.5 + 0.3 * np.sin((x[::half, ::half] + 3 * step) / (9 + k)) * np.cos(
            y[::half, ::half] / (7 + k))
        plane = np.asarray(made.planes[p.plane]).reshape(-1, made.pitches[p.plane])
        rows, columns = wave.shape
        plane[:rows, p.first:p.first + columns * p.step:p.step] = (
            np.round(wave * top).astype(np.int64) << int(part.shift))
    return made


def parts(made):
    """Return the parts of a surface as arrays of floats."""
    found = []
    for p in made.format.parts:
        half = 2 if p.halved else 1
        plane = np.asarray(made.planes[p.plane]).reshape(-1, made.pitches[p.plane])
        found.append((plane[:-(-made.height // half), p.first::p.step][:, :-(-made.width // half)]
                      >> made.format.shift).astype(np.float64))
    return found


def stretched(plane, first, count, target):
    """Return a plane of which a stretch of each axis was resized, bilinear."""
    for axis in (0, 1):
        n = plane.shape[axis]
        at = first[axis] + (np.arange(target[axis]) + 0.5) * count[axis] / target[axis] - 0.5
        at = np.clip(at, max(int(np.floor(first[axis])), 0),
                     min(int(np.ceil(first[axis] + count[axis])), n) - 1)
        low = np.minimum(np.floor(at).astype(int), n - 2)
        shape = [1, 1]
        shape[axis] = -1
        weight = (at - low).reshape(shape)
        plane = plane.take(low, axis) * (1 - weight) + plane.take(low + 1, axis) * weight
    return plane


def colours(y, u, v, made):
    """Return red, green and blue of Y, U and V of one size."""
    kr, kg, kb = WEIGHTS[made.matrix]
    unit = 2 ** (made.format.bits - 8)
    if made.full_range:
        whole = ((1 << made.format.bits) - 1) / 255
        y, u, v = y / whole, (u - 128 * unit) / whole, (v - 128 * unit) / whole
    else:
        y = (y / unit - 16) * 255 / 219
        u, v = ((c / unit - 128) * 255 / 224 for c in (u, v))
    r, b = y + 2 * (1 - kr) * v, y + 2 * (1 - kb) * u
    return np.clip(np.stack([r, (y - kr * r - kb * b) / kg, b], -1), 0, 255)


CASES = [("nv12", "rgb4", "bt601", False), ("nv12", "rgb", "bt709", True),
         ("i420", "rgb", "bt601", True), ("p010", "rgb4", "bt709", False),
         ("i010", "rgb4", "bt601", True)]


@pytest.mark.parametrize(("name", "to", "matrix", "full"), CASES)
def test_colours_are_those_of_the_definition_at_any_size(queue, name, to, matrix, full):
    source = smooth(queue, name, matrix=matrix, full_range=full)
    kept = [np.array(p) for p in source.planes]
    for width, height, crop in ((W, H, None), (19, 17, None), (60, 13, (5, 3, 21, 15))):
        out = vpl.surface(queue, to, width, height)
        vpl.process(source, out, crop=crop).wait()
        left, top, w, h = crop or (0, 0, W, H)
        y, u, v = parts(source)
        size = height, width
        y = stretched(y, (top, left), (h, w), size)
        u, v = (stretched(c, (top / 2, left / 2), (h / 2, w / 2), size) for c in (u, v))
        right = colours(y, u, v, source)
        found = out.array()[..., ::-1][..., 1:] if to == "rgb4" else out.array()
        assert np.abs(found - right).max() <= 3.0
        assert np.abs(found - right).mean() <= 0.8
        assert to == "rgb" or (out.array()[..., 3] == 255).all()
    assert all((a == np.asarray(b)).all() for a, b in zip(kept, source.planes, strict=True))


@pytest.mark.parametrize(("name", "to", "matrix", "full"), [
    ("rgb", "nv12", "bt601", False), ("rgb4", "p010", "bt709", True),
    ("rgb", "i420", "bt709", False)])
def test_colours_come_back(queue, name, to, matrix, full):
    source = smooth(queue, name, W, H)
    between = vpl.surface(queue, to, W, H, matrix=matrix, full_range=full)
    out = vpl.surface(queue, name, W, H)
    done = vpl.process(source, between)
    vpl.process(between, out, depends_on=done).wait()
    difference = source.array()[..., :3].astype(float) - out.array()[..., :3]
    assert np.sqrt((difference ** 2).mean()) < 5  # chroma is halved
    kr, kg, kb = WEIGHTS[matrix]
    r, g, b = (c.astype(float) for c in parts(source)[:3])
    luma = kr * r + kg * g + kb * b
    unit = 2 ** (between.format.bits - 8)
    right = luma * ((1 << between.format.bits) - 1) / 255 if full else (
        luma * 219 / 255 + 16) * unit
    if full and between.format.bits > 8:
        right = luma * 1023 / 255
    assert np.abs(parts(between)[0] - right).max() <= 1.01


def test_planes_are_scaled_and_cropped(queue):
    for name, to in (("nv12", "i420"), ("p010", "nv12"), ("rgb", "rgb4"), ("rgb4", "rgb4")):
        source = smooth(queue, name)
        out = vpl.surface(queue, to, 20, 30)
        vpl.process(source, out, crop=(4, 2, 30, 16)).wait()
        scale = 2.0 ** (out.format.bits - source.format.bits)
        for p, mine, given in zip(out.format.parts, parts(out), parts(source), strict=False):
            half = 2 if p.halved else 1
            right = stretched(given, (2 / half, 4 / half), (16 / half, 30 / half),
                              (30 // half, 20 // half)) * scale
            assert np.abs(mine - right).max() <= 0.6, (name, to)
    nearest = vpl.surface(queue, "rgb", 2 * W, 2 * H)
    source = smooth(queue, "rgb")
    vpl.process(source, nearest, scaling="nearest").wait()
    assert (nearest.array() == source.array().repeat(2, 0).repeat(2, 1)).all()


def test_fields_noise_and_overlays(queue):
    source = smooth(queue, "nv12")
    out = vpl.surface(queue, "nv12", W, H)
    vpl.deinterlace(source, out, field="bottom").wait()
    y, found = parts(source)[0], parts(out)[0]
    assert (found[1::2] == y[1::2]).all()
    assert np.abs(found[2:-1:2] - (y[1:-2:2] + y[3::2]) / 2).max() <= 0.5
    clean = vpl.surface(queue, "rgb", W, H)
    clean.memory[:] = 90
    clean.array()[:, W // 2:] = 200
    noisy = vpl.surface(queue, "rgb", W, H)
    noisy.array()[:] = clean.array() + np.random.default_rng(1).integers(-8, 9, (H, W, 3))
    better = vpl.surface(queue, "rgb", W, H)
    vpl.denoise(noisy, better, strength=12).wait()
    error = [np.abs(s.array().astype(float) - clean.array()).mean() for s in (noisy, better)]
    assert error[1] < 0.6 * error[0]
    below, over = smooth(queue, "rgb4"), smooth(queue, "rgb4", 10, 8, 3)
    right = below.array().astype(float)
    alpha = over.array()[..., 3:].astype(float) / 255 * 0.75
    corner = right[5:13, 7:17, :3]
    right[5:13, 7:17, :3] = corner + (over.array()[..., :3] - corner) * alpha
    vpl.compose(over, below, left=7, top=5, alpha=0.75).wait()
    assert np.abs(below.array() - right).max() <= 0.6
    small = smooth(queue, "nv12", 8, 6)
    vpl.compose(small, out, left=4, top=6).wait()
    assert (parts(out)[1][3:6, 2:6] == parts(small)[1]).all()


PSNR = {"mjpeg": 35, "h264": 35, "hevc": 35, "av1": 33, "vp9": 33}


@pytest.mark.parametrize("codec", PSNR)
def test_codecs_bring_pictures_back(queue, codec):
    session = vpl.loader(queue).create_session()
    matrix = "bt601" if codec == "mjpeg" else "bt709"
    encoder = session.create_encoder(codec, 96, 64, matrix=matrix)
    pictures = [smooth(queue, "nv12" if k == 2 else "i420", 96, 64, k, matrix=matrix,
                       full_range=encoder.full_range) for k in range(5)]
    packets = [p for s in pictures for p in encoder.encode(s)] + encoder.flush()
    decoder = session.create_decoder(codec)
    found = [s for p in packets for s in decoder.decode(p)] + decoder.flush()
    assert len(found) == 5
    for mine, right in zip(found, pictures, strict=True):
        assert (mine.full_range, mine.matrix) == (right.full_range, matrix)
        for a, b in zip(parts(mine), parts(right), strict=True):
            assert 10 * np.log10(255 ** 2 / max(((a - b) ** 2).mean(), 1e-9)) > PSNR[codec]
    out = vpl.surface(queue, "rgb4", 48, 32)
    vpl.process(found[2], out).wait()  # a decoded picture, where it lies
    if queue.get_device().has(sycl.aspect.usm_system_allocations):
        with pytest.raises(vpl.invalid_argument, match="decoder may still need"):
            vpl.compose(pictures[0], found[2])
    y, u, v = (stretched(p, (0, 0), p.shape, (32, 48)) for p in parts(found[2]))
    assert np.abs(out.array()[..., 2::-1] - colours(y, u, v, found[2])).max() <= 3
    if codec in ("mjpeg", "h264", "hevc"):
        stream, decoder = b"".join(packets), session.create_decoder(codec)
        cut = [s for k in range(0, len(stream), 97)
               for s in decoder.decode(stream[k:k + 97], whole=True)] + decoder.flush()
        assert len(cut) == 5
    spoilt = [bytes(b ^ 0x5A for b in p) for p in packets]
    decoder = session.create_decoder(codec)
    with pytest.raises(vpl.bitstream_error, match=codec):
        _ = [decoder.decode(p) for p in spoilt] + [decoder.flush()]


def test_loaders_filter_what_there_is(queue):
    loader = vpl.loader(queue)
    loader.create_config().set_filter_property("mfxImplDescription.Impl", "software")
    found = loader.enum_implementations()
    assert [i.impl for i in found] == ["software"]
    assert set(PSNR) <= set(found[0].encoders)
    root = "mfxImplDescription.mfxEncoderDescription.encoder.CodecID"
    loader.create_config().set_filter_property(root, "vvc")
    with pytest.raises(vpl.unsupported, match="no implementation has .*vvc.*decodes mjpeg"):
        loader.create_session()
    session = vpl.loader(queue).create_session()
    for call, text in ((lambda: session.create_decoder("vc1"), "decodes no vc1; it decodes mjpeg"),
                       (lambda: vpl.loader().create_config().set_filter_property("x", 1),
                        "no property 'x'")):
        with pytest.raises((vpl.unsupported, vpl.invalid_argument), match=text):
            call()


def test_memory_is_the_programs_and_an_image(queue):
    memory = sycl.malloc_shared(W * H * 4, np.uint8, queue)
    made = vpl.surface(queue, "rgb4", W, H, memory=memory)
    vpl.process(smooth(queue, "nv12"), made).wait()
    assert (np.asarray(memory.get_view()).reshape(H, W, 4) == made.array()).all()
    own = vpl.surface(queue, "rgb4", W, H)
    vpl.process(smooth(queue, "nv12"), own).wait()
    image = own.image()
    assert tuple(image.get_range()) == (W, H)
    with image:
        @queue.submit
        def write(h):
            dst = sycl.unsampled_image_accessor(image, h, sycl.write_only)

            @h.single_task
            def kernel():
                dst.write(sycl.int2(3, 2), sycl.uint4(1, 2, 3, 4))
    assert own.array()[2, 3].tolist() == [1, 2, 3, 4]


def test_frames_tell_how_they_are_meant_and_any_address_will_do(queue):
    source = vpl.surface(queue, "nv12", 16, 8, matrix="bt709", full_range=True)
    for plane, value in zip(source.array(), (235, (100, 150) * 8), strict=True):
        plane[:] = value
    rgb = [vpl.surface(queue, "rgb", 16, 8), vpl.from_frame(queue, vpl.to_frame(source).reformat(
        format="rgb24", interpolation="BILINEAR"))]
    vpl.process(source, rgb[0]).wait()
    assert np.abs(rgb[0].array().astype(int) - rgb[1].array()).max() <= 2
    room = np.zeros(16 * 8 * 4 + 2, np.uint8)
    odd = vpl.surface(queue, "rgb4", 16, 8, memory=room[1:-1])
    vpl.process(source, odd).wait()
    assert np.abs(odd.array()[..., 2::-1].astype(int) - rgb[0].array()).max() <= 1
    assert (odd.array()[..., 3] == 255).all()
    assert room[0] == room[-1] == 0


def test_what_is_wrong_is_refused(queue):
    source, out = smooth(queue, "nv12"), vpl.surface(queue, "rgb", W, H)
    encoder = vpl.loader(queue).create_session().create_encoder("mjpeg", W, H)
    for call, text in (
            (lambda: vpl.surface(queue, "yuyv", W, H), "no format 'yuyv'"),
            (lambda: vpl.surface(queue, "nv12", 0, H), "width must be"),
            (lambda: vpl.surface(queue, "rgb", W, H, memory=np.zeros(5, np.uint8)), "2508 elem"),
            (lambda: vpl.surface(queue, "rgb", W, H, memory=sycl.malloc_device(
                W * H * 3, np.uint8, queue)), "malloc_shared"),
            (lambda: vpl.process(source, source), "share memory"),
            (lambda: vpl.process(source, out, crop=(30, 0, 20, 5)), "does not lie in"),
            (lambda: vpl.process(source, out, scaling="cubic"), "bilinear or nearest"),
            (lambda: vpl.deinterlace(source, out), "must be as the source"),
            (lambda: vpl.compose(out, vpl.surface(queue, "rgb", 8, 8)), "does not lie in"),
            (lambda: source.image(), "process the surface to rgb4"),
            (lambda: encoder.encode(out), "must be i420 or nv12"),
            (lambda: vpl.loader(queue).create_session().create_encoder(
                "mjpeg", W, H, options={"qualty": "9"}), "no option 'qualty'"),
            (lambda: encoder.encode(source), "takes full_range=True"),
            (lambda: encoder.encode(smooth(queue, "nv12", full_range=True, matrix="bt709")),
             "the stream tells matrix='bt601'"),
            (lambda: encoder.encode(smooth(queue, "nv12", 16, 16)), "is not 38 x 22"),
            (lambda: vpl.loader(queue).create_session().create_decoder("h264").decode(b""),
             "no bytes")):
        with pytest.raises((vpl.invalid_argument, vpl.unsupported), match=text):
            call()


def paint_slowly(i, x, n):
    s = np.float32(0)
    for k in range(n):
        s += np.sin(s + np.float32(k))
    x[i] = np.uint8(200 + s * np.float32(1e-30))


def test_pictures_that_commands_still_write_are_waited_for_wherever_they_lie(queue):
    rounds = turns_for(queue, paint_slowly, np.uint8)
    for offset in (0, 1):
        for size in ((5, 3), (4, 4)):  # chroma begins at an odd address in one of each
            count = size[0] * size[1] + (size[0] + 1) // 2 * ((size[1] + 1) // 2) * 2
            memory = sycl.malloc_shared(count + 1, np.uint8, queue)
            memory[:] = 0
            cells = np.asarray(memory.get_view())[offset:offset + count]
            source = vpl.surface(queue, "nv12", *size, memory=cells)
            target, right = (vpl.surface(queue, "rgb", *size) for _ in range(2))
            written = queue.parallel_for(count + 1, paint_slowly, memory, rounds)
            vpl.process(source, target, depends_on=written).wait()
            vpl.process(source, right).wait()
            assert (np.asarray(target.array()) == np.asarray(right.array())).all()


def test_what_is_no_number_no_surface_and_no_bytes_is_refused(queue):
    a, b = (vpl.surface(queue, "rgb4", 8, 8) for _ in range(2))
    session = vpl.loader(queue).create_session()
    encoder, decoder = session.create_encoder("h264", 64, 64), session.create_decoder("h264")
    for make in (
            lambda: vpl.process(a, b, crop=(0, 0, 3)), lambda: vpl.process(a, b, crop=5),
            lambda: vpl.process(a, b, crop=(0.5, 0, 2, 2)), lambda: vpl.process(a, b, crop=()),
            lambda: vpl.denoise(a, b, strength="x"), lambda: vpl.compose(a, b, alpha=None),
            lambda: vpl.compose(a, b, left="x"), lambda: vpl.surface(None, "rgb", 8, 8),
            lambda: vpl.surface(queue, "rgb", 8, 8, matrix=[]),
            lambda: vpl.surface(queue, "rgb4", 8, 8, memory=[0] * 256),
            lambda: vpl.surface(queue, "rgb4", 8, 8, memory=np.zeros(512, np.uint8)[::2]),
            lambda: vpl.loader(queue).create_session("a"), lambda: vpl.loader(3),
            lambda: session.create_encoder("h264", 64, 64, rate=0),
            lambda: session.create_encoder("h264", 64, 64, rate="fast"),
            lambda: session.create_encoder("h264", 64, 64, bit_rate=-5),
            lambda: session.create_encoder("av1", 96, 48),
            lambda: session.create_encoder("mjpeg", 96, 48, matrix="bt709"),
            lambda: session.create_encoder("h264", 96, 48, options={"crf": 20}),
            lambda: vpl.to_frame(3), lambda: vpl.from_frame(queue, np.zeros((3, 3))),
            lambda: session.create_encoder("h264", "64", 64), lambda: encoder.encode(None),
            lambda: decoder.decode(1 << 50), lambda: decoder.decode(None)):
        with pytest.raises(vpl.invalid_argument):
            make()
    with pytest.raises(vpl.unsupported):
        vpl.surface(queue, [], 8, 8)
