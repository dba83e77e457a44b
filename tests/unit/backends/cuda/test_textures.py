"""Samplers of a card's own for images by handle, on the driver that is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import cuda_texts
from tests.cuda_fake.core import H200
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import FakeCuda
from unisycl.backends.base import Geometry
from unisycl.backends.cuda.text import compile
from unisycl.backends.cuda.text.target import Target
from unisycl.frontend import specialize

ext: Any = sycl.ext.oneapi.experimental
kinds = ext.image_channel_type
CARD = {**H200, 14: 512, 51: 32, 70: 131072, 71: 65000, 72: 2097120}
LINEAR, NORMAL = sycl.filtering_mode.linear, sycl.coordinate_normalization_mode.normalized


@pytest.fixture
def fake() -> Iterator[FakeCuda]:
    made = FakeCuda((CARD,))
    with installed(made):
        yield made
    assert made.misuse == []


def sampler(**more: Any) -> Any:
    modes = (sycl.addressing_mode.repeat, sycl.addressing_mode.clamp, sycl.addressing_mode.none)
    return ext.bindless_image_sampler(modes, NORMAL, LINEAR, ext_unisycl_coarse=True, **more)


def image(queue: sycl.queue, *shape: Any) -> Any:
    """Return what ``create_image`` takes: memory and its description."""
    desc = ext.image_descriptor(*shape)
    return ext.image_mem(desc, queue), desc


def test_a_texture_is_made_of_rows_and_counted(fake: FakeCuda, queue: sycl.queue) -> None:
    assert queue.get_device().has(sycl.aspect.ext_unisycl_coarse_sampling)
    memory, desc = image(queue, (1024, 512), 4, kinds.unorm_int8)
    first, second = (ext.create_image(memory, desc, sampler(), queue) for _ in range(2))
    (texture,) = fake.textures.values()
    address = memory.get_handle().raw_handle
    assert (address, 1024, 512, 4096, 1, 4, (0, 3, 1, 1, 2)) == texture
    assert first["texture"] == second["texture"] != 0
    ext.destroy_image_handle(first, queue)
    assert len(fake.textures) == 1
    assert first["texture"] == 0
    ext.destroy_image_handle(second, queue)
    assert not fake.textures
    row, desc = image(queue, 1001, 1, kinds.fp32)
    assert ext.create_image(row, desc, sampler(), queue)["texture"]
    ((_, *shape, _),) = fake.textures.values()
    assert [1001, 1, 4032, 0x20, 1] == shape


def test_other_images_have_none(fake: FakeCuda, queue: sycl.queue) -> None:
    plain = ext.bindless_image_sampler(sycl.addressing_mode.clamp, NORMAL, LINEAR)
    for shape, way in ((((1024, 512), 4, kinds.unorm_int8), plain),
                       (((1001, 512), 1, kinds.fp32), sampler()),  # rows of 4004 bytes
                       (((64, 32, 8), 1, kinds.fp32), sampler()),
                       (((64, 32), 1, kinds.fp32, ext.image_type.array, 1, 4), sampler())):
        memory, desc = image(queue, *shape)
        assert not ext.create_image(memory, desc, way, queue)["texture"]
    fake.fail("cuTexObjectCreate", 1)
    memory, desc = image(queue, (1024, 512), 1, kinds.fp16)
    assert not ext.create_image(memory, desc, sampler(), queue)["texture"]
    assert not fake.textures


def test_kernels_sample_it_by_one_instruction(queue: sycl.queue) -> None:
    if why := compile.problem():
        pytest.skip(why)
    out = sycl.malloc_device((4, 4), sycl.half2, queue)
    handles = sycl.malloc_device(2, ext.sampled_image_handle, queue)

    def kernel(i: Any, handles: Any, out: Any) -> None:
        y, x = i
        out[y, x] = ext.sample_image(handles[1], sycl.float2(x, y), sycl.half2)
        out[y, x] += ext.sample_image(handles[0], np.float32(x), sycl.half2)

    info = queue.get_device().state.info  # type: ignore[attr-defined]
    found = specialize.find(kernel, "range", 2, (handles, out), (), (), info)[0].kernel
    text = cuda_texts.text_of(found, Geometry("range", (4, 4), (), (0, 0)), Target((9, 0))).text
    assert text.count("tex.2d.v4.f32.f32") == 1
    assert "" == cuda_texts.refusal(found, text, 90)
