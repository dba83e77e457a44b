"""Image accesses become loads, stores and arithmetic; run on the CPU they give the reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.conformance.image import reference
from tests.unit.ir.test_imaging import coordinates, pixels, sampler_of
from unisycl.backends.base import BoundView, Geometry, Launch
from unisycl.backends.cpu.driver import make_driver
from unisycl.base import dtypes as d
from unisycl.base.enums import access_mode
from unisycl.base.image_formats import (
    PixelFormat,
    find_format,
    image_channel_order,
    image_channel_type,
)
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.text import kernel_text
from unisycl.ir.types import WEAK_INT, Scalar, View, image_view
from unisycl.passes.shared import images
from unisycl.runtime.memory.regions import pitches_of

F, INT = Scalar(d.FLOAT32), Scalar(d.INT32)


def form_of(order: str, type: str) -> PixelFormat:
    form = find_format((image_channel_order[order], image_channel_type[type]))
    assert form is not None
    return form


def sampling(form: PixelFormat, dims: int, sampler: Any, *, wide: bool = False) -> n.Kernel:
    """Return ``out[i, :] = img.read(at[i, :])`` over a range of one dimension."""
    img = n.Param("img", image_view(form, dims, access_mode.read, d.FLOAT32, sampler, wide=wide), 0)
    at, out = (n.Param(name, View(F, 2), k) for k, name in ((1, "at"), (2, "out")))
    here = n.Query(WEAK_INT, "global_id", 0)
    results = tuple(n.Local(c, F) for c in "rgba")
    coords = tuple(n.Load(F, n.Place(at, (here, n.Const(WEAK_INT, k)), F)) for k in range(dims))
    stores = tuple(n.Store(n.Place(out, (here, n.Const(WEAK_INT, k)), F), n.Read(F, x))
                   for k, x in enumerate(results))
    return n.Kernel("sampling", (img, at, out), (
        n.ImageRead(results, img, coords, sampler), *stores), "range", 1)


def copying(form: PixelFormat, *, swap: bool = False, single: bool = False) -> n.Kernel:
    """Return ``dst.write(p, src.read(p))`` for every pixel p of a 2-D image."""
    src = n.Param("src", image_view(form, 2, access_mode.read, d.FLOAT32), 0)
    dst = n.Param("dst", image_view(form, 2, access_mode.write, d.FLOAT32), 1)
    y, x = (n.Cast(INT, n.Query(WEAK_INT, "global_id", k)) for k in range(2))
    at = (y, x) if swap else (x, y)
    if single:
        at = (n.Const(INT, 2), n.Const(INT, 1))
    results = tuple(n.Local(c, F) for c in "rgba")
    return n.Kernel("copying", (src, dst), (
        n.ImageRead(results, src, at), n.ImageWrite(dst, at, tuple(n.Read(F, r) for r in results)),
    ), "single" if single else "range", 1 if single else 2)


def view(array: Any, form: PixelFormat | None = None) -> BoundView:
    if form is None:
        return BoundView(array.reshape(-1), 0, array.shape, pitches_of(array.shape))
    flat = np.ascontiguousarray(array).reshape(-1).view(f"V{form.size}")
    return BoundView(flat, 0, array.shape[:-1], pitches_of(array.shape[:-1]))


def run(kernel: n.Kernel, extent: tuple[int, ...], *views: BoundView) -> None:
    driver = make_driver()
    kind = kernel.index_kind
    space = Geometry(kind, extent, (), (0,) * len(extent))
    done = driver.launch(Launch(driver.compile(kernel, space), space, views), ())
    done.wait()
    assert done.error() is None


@pytest.mark.parametrize("sizes", [(9,), (7, 5), (3, 4, 2)])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("mode", ["clamp", "repeat"])
def test_samples_are_those_of_the_reference(
        mode: str, linear: bool, sizes: tuple[int, ...]) -> None:
    spec = {1: ("rg", "unorm_int8"), 2: ("rgba", "fp32"), 3: ("rgba", "unorm_int16")}[len(sizes)]
    form, sampler = form_of(*spec), sampler_of(mode, True, linear)
    stored = pixels(form, sizes[::-1])
    at = coordinates(len(sizes), sizes, normalized=True)
    for wide in (False, True):
        out = np.zeros((len(at), 4), "f4")
        run(sampling(form, len(sizes), sampler, wide=wide), (len(at),), view(stored, form),
            view(at), view(out))
        expected, slack = reference.sample(reference.decode(stored, *spec), spec[0], mode, True,
                                           linear, at)
        assert np.all(np.abs(out - expected) <= slack)


@pytest.mark.parametrize("spec", [
    ("rgba", "fp32"), ("rgba", "fp16"), ("rgba", "unorm_int8"), ("r", "unorm_int8"),
    ("rgbx", "unorm_short_565"), ("rg", "snorm_int8")], ids=".".join)
@pytest.mark.parametrize("shape", [(4, 64), (3, 37), (1, 1)])
def test_pixels_are_copied_one_by_one(spec: tuple[str, str], shape: tuple[int, int]) -> None:
    form = form_of(*spec)
    src = pixels(form, shape)
    if spec[1].startswith("snorm"):
        src = np.maximum(src, -127)  # the lowest number has two spellings
    dst = np.zeros_like(src)
    for swap in (False, True):
        dst[...] = 0
        run(copying(form, swap=swap), shape[::-1] if swap else shape, view(src, form),
            view(dst, form))
        np.testing.assert_array_equal(dst, src)
    one = np.zeros_like(pixels(form, (3, 5)))
    run(copying(form, single=True), (1,), view(pixels(form, (3, 5)), form), view(one, form))
    assert np.flatnonzero(one.any(axis=-1)).tolist() in ([7], [])


def test_other_targets_get_plain_loads_and_stores() -> None:
    kernel = images.expand(copying(form_of("rgba", "fp32")), many=False)
    assert not visit.contains(kernel.body, (n.ImageRead, n.ImageWrite, n.LoadMany, n.StoreMany))
    assert 4 == sum(isinstance(s, n.Store) for s in visit.statements(kernel.body))


def test_accesses_inside_control_flow_are_found() -> None:
    kernel = copying(form_of("rgba", "unorm_int8"))
    nested = replace(kernel, body=(n.If(n.true(), (n.Scope(1, kernel.body),)),))
    expanded = images.expand(nested)
    assert not visit.contains(expanded.body, (n.ImageRead, n.ImageWrite))
    assert images.expand(expanded) is expanded


def test_accesses_print_as_text() -> None:
    text = kernel_text(sampling(form_of("rgba", "fp32"), 2, sampler_of("clamp", False, True)))
    assert "img: 2-d image of r32g32b32a32_sfloat" in text
    assert "r, g, b, a = image img(at[global_id(0), 0], at[global_id(0), 1]) clamp " in text
    text = kernel_text(images.expand(copying(form_of("rgba", "fp32"))))
    assert "from dst[0, 0][p" in text
