"""What images are made of, what they say of themselves, and where their pixels end (§4.7.3)."""

from __future__ import annotations

import copy
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.image import pictures
from unisycl.testing import refused

RGBA8, RGBA32F = sycl.image_format.r8g8b8a8_unorm, sycl.image_format.r32g32b32a32_sfloat
NEAREST = pictures.sampler("clamp", normalized=False, linear=False)


def invert(queue: sycl.queue, image: sycl.unsampled_image) -> sycl.event:
    """Replace every colour c of a 2-D image by 1 - c."""
    def group(h: sycl.handler) -> None:
        src = sycl.unsampled_image_accessor(image, h, sycl.read_only)
        dst = sycl.unsampled_image_accessor(image, h, sycl.write_only)

        def kernel(it: sycl.item) -> None:
            at = sycl.int2(it[1], it[0])
            dst.write(at, sycl.float4(1) - src.read(at))
        width, height = image.get_range()
        h.parallel_for((height, width), kernel)
    return queue.submit(group)


# ---- what an image is made of
@pytest.mark.row("B-35")
@pytest.mark.parametrize(("source", "extent"), [
    (np.zeros((3, 5, 4), "u1"), (5, 3)), (np.zeros((3, 5), "u4"), (5, 3)),
    (np.zeros((3, 5), "4u1"), (5, 3)), (np.zeros((2, 3, 5, 4), "u1"), (5, 3, 2)),
    (np.zeros((7, 4), "u1"), (7,)), (np.zeros(7, "u4"), (7,)),
    (np.zeros((3, 5), [(c, "u1") for c in "rgba"]), (5, 3)),
], ids=["2d", "words", "sub-arrays", "3d", "1d", "1d words", "records"])
def test_the_range_follows_from_an_arrays_shape_with_x_first(
        source: Any, extent: tuple[int, ...]) -> None:
    with sycl.unsampled_image(source, RGBA8) as image:
        assert image.get_range() == sycl.range(*extent)
        assert image.size() == len(image) == np.prod(extent)
        assert image.byte_size() == 4 * image.size()
        assert (image.get_count(), image.get_size()) == (image.size(), image.byte_size())


@pytest.mark.row("B-35")
def test_the_default_pitches_are_those_of_the_specification() -> None:
    image = sycl.unsampled_image(RGBA32F, (5, 3, 2))
    assert image.get_pitch() == sycl.range(5 * 16, 5 * 3 * 16)
    assert sycl.unsampled_image(RGBA32F, (5, 3)).get_pitch() == sycl.range(80)
    with pytest.raises(sycl.exception, match="no pitch"):
        sycl.unsampled_image(RGBA32F, 5).get_pitch()


@pytest.mark.row("B-35")
def test_a_pitched_image_goes_there_and_back(device: sycl.device, queue: sycl.queue) -> None:
    memory = np.random.default_rng(0).integers(0, 256, 3 * 64, dtype="u1")
    before = memory.copy().reshape(3, 64)
    with refused(device, sycl.aspect.image), sycl.unsampled_image(
            memory, RGBA8, (5, 3), 64) as image:
        assert image.get_pitch() == sycl.range(64)
        assert image.byte_size() == 3 * 64 >= image.size() * 4
        invert(queue, image)
    after = memory.reshape(3, 64)
    np.testing.assert_array_equal(after[:, :20], 255 - before[:, :20])
    np.testing.assert_array_equal(after[:, 20:], before[:, 20:])


@pytest.mark.row("B-35")
def test_slices_of_three_dimensions_have_a_pitch_too(
        device: sycl.device, queue: sycl.queue) -> None:
    memory = np.random.default_rng(0).integers(0, 256, 2 * 160, dtype="u1")
    target = np.zeros((2, 3, 5, 4), "u1")
    with refused(device, sycl.aspect.image), \
            sycl.unsampled_image(memory, RGBA8, (5, 3, 2), (48, 160)) as source, \
            sycl.unsampled_image(target, RGBA8) as image:
        assert source.byte_size() == 320
        pictures.copy(queue, source, image, sycl.float4)
    rows = memory.reshape(2, 160)[:, :144].reshape(2, 3, 48)[:, :, :20].reshape(2, 3, 5, 4)
    np.testing.assert_array_equal(target, rows)


@pytest.mark.row("B-35")
def test_a_part_of_a_picture_is_used_in_place(device: sycl.device, queue: sycl.queue) -> None:
    whole = np.random.default_rng(0).integers(0, 256, (8, 10, 4), dtype="u1")
    before = whole.copy()
    with refused(device, sycl.aspect.image), sycl.unsampled_image(
            whole[2:5, 3:9], RGBA8) as image:
        assert image.get_range() == sycl.range(6, 3)
        assert image.get_pitch() == sycl.range(40)
        invert(queue, image)
    before[2:5, 3:9] = 255 - before[2:5, 3:9]
    np.testing.assert_array_equal(whole, before)


@pytest.mark.row("B-35")
def test_bytes_that_are_not_aligned_are_copied_and_written_back(
        device: sycl.device, queue: sycl.queue) -> None:
    memory = np.zeros(3 * 5 * 4 + 1, "u1")[1:]
    with refused(device, sycl.aspect.image), sycl.unsampled_image(memory, RGBA8, (5, 3)) as image:
        invert(queue, image)
    assert memory.tolist() == [255] * 60
    with pytest.raises(sycl.exception, match="not aligned"):
        sycl.unsampled_image(memory, RGBA8, (5, 3), sycl.property.image.use_host_ptr())


@pytest.mark.row("B-35")
@pytest.mark.parametrize(("arguments", "text"), [
    ((RGBA8,), "range is needed"), ((RGBA8, (0, 3)), "no pixels"),
    ((RGBA8, (5, 3), 16), "row pitch of 16"), ((RGBA8, (5, 3), 22), "multiple of the 4 bytes"),
    ((RGBA8, (5, 3), (20, 60)), r"has 1 pitch\(es\), not 2"), ((RGBA8, 5, 20), "has 0 pitch"),
    ((RGBA8, (5, 3, 2), (20, 40)), "slice pitch of 40"),
    ((np.zeros(59, "u1"), RGBA8, (5, 3)), "takes 60 bytes"),
    ((np.zeros(100, "u1"), RGBA8, (5, 3), 64), "takes 148 bytes"),
    ((np.zeros((3, 5, 3), "u1"), RGBA8), "is no picture of r8g8b8a8_unorm"),
    ((np.zeros((3, 10, 4), "u1")[:, ::2], RGBA8), "do not follow one another along x"),
    ((np.zeros((3, 5, 4), "u1")[::-1], RGBA8), "no pitch of pixels"),
    ((np.zeros((3, 5, 4), "u1"),), "format is missing"),
    ((np.zeros((3, 5, 4), "u1"), (5, 3)), "expected an image_format"),
    ((object(), RGBA8, (5, 3)), "expected an array or memory"),
    ((np.zeros((3, 5, 4), "u1"), RGBA8, (5, 3), 20, 7), "did not expect 7"),
])
def test_what_makes_no_image_is_refused(arguments: tuple[Any, ...], text: str) -> None:
    with pytest.raises(sycl.exception, match=text) as caught:
        sycl.unsampled_image(*arguments)
    assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("B-36")
def test_a_sampled_image_has_data_and_is_never_written(
        device: sycl.device, queue: sycl.queue) -> None:
    with pytest.raises(sycl.exception, match="it needs data"):
        sycl.sampled_image(None, RGBA8, NEAREST)
    with pytest.raises(sycl.exception, match="expected an image_sampler"):
        sycl.sampled_image(np.zeros((2, 2, 4), "u1"), RGBA8, "linear")  # type: ignore[arg-type]
    image = sycl.sampled_image(np.zeros((3, 5, 4), "u1"), RGBA8, NEAREST)
    assert image.get_range() == sycl.range(5, 3)
    assert not hasattr(image, "set_final_data")

    def group(h: sycl.handler, mode: Any) -> None:
        sycl.sampled_image_accessor(image, h, mode)
    with refused(device, sycl.aspect.image):
        queue.submit(lambda h: group(h, sycl.read_only))
        for mode in (sycl.write_only, sycl.read_write, sycl.access_mode.write):
            with pytest.raises(sycl.exception, match="read-only"):
                queue.submit(lambda h, mode=mode: group(h, mode))
    with pytest.raises(sycl.exception, match="read-only"):
        sycl.host_sampled_image_accessor(image, sycl.write_only)


@pytest.mark.row("B-35", "B-36")
def test_the_two_kinds_of_images_have_accessors_of_their_own(queue: sycl.queue) -> None:
    plain = sycl.unsampled_image(RGBA8, (2, 2))
    sampled = sycl.sampled_image(np.zeros((2, 2, 4), "u1"), RGBA8, NEAREST)
    for make, image, wanted in (
            (sycl.host_unsampled_image_accessor, sampled, "an unsampled_image"),
            (sycl.host_sampled_image_accessor, plain, "a sampled_image"),
            (sycl.host_unsampled_image_accessor, np.zeros(3), "an unsampled_image")):
        with pytest.raises(sycl.exception, match=f"expected {wanted} first"):
            make(image)


@pytest.mark.row("B-35", "A-31")
def test_a_copy_is_the_same_image() -> None:
    image = sycl.unsampled_image(RGBA8, (2, 2))
    assert copy.copy(image) is image
    assert copy.deepcopy(image) is image
    assert {image: 1}[copy.copy(image)] == 1


# ---- where the pixels go at the end
@pytest.mark.row("B-35")
def test_nothing_is_written_back_without_a_place_for_it(
        device: sycl.device, queue: sycl.queue) -> None:
    with refused(device, sycl.aspect.image), sycl.unsampled_image(RGBA8, (5, 3)) as image:
        invert(queue, image)


@pytest.mark.row("B-35")
@pytest.mark.parametrize("shape", [(3, 5, 4), (60,), (3, 5)], ids=str)
def test_final_data_gets_the_pixels_of_a_pitched_image(
        device: sycl.device, queue: sycl.queue, shape: tuple[int, ...]) -> None:
    target = np.zeros(shape, "u4" if len(shape) == 2 else "u1")
    with refused(device, sycl.aspect.image), sycl.unsampled_image(RGBA8, (5, 3), 32) as image:
        with image.get_host_access(sycl.write_only) as pixels:
            for x in range(5):
                for y in range(3):
                    pixels.write((x, y), sycl.float4(x, y, 0, 255) / 255.0)
        invert(queue, image)
        image.set_final_data(target)
    got = target.view("u1").reshape(3, 5, 4)
    assert got[1, 2].tolist() == [253, 254, 255, 0]
    assert got[2, 4].tolist() == [251, 253, 255, 0]


@pytest.mark.row("B-35")
def test_final_data_of_the_same_pitch_keeps_what_lies_between_rows(
        device: sycl.device, queue: sycl.queue) -> None:
    target = np.full((3, 32), 7, "u1")
    source = np.zeros((3, 5, 4), "u1")
    wide = np.zeros((3, 8, 4), "u1")
    with refused(device, sycl.aspect.image), sycl.unsampled_image(wide[:, :5], RGBA8) as image:
        image.set_final_data(target.reshape(-1))
        invert(queue, image)
    assert target[:, :20].tolist() == [[255] * 20] * 3
    assert target[:, 20:].tolist() == [[7] * 12] * 3
    assert not wide.any()
    assert not source.any()


@pytest.mark.row("B-35")
def test_final_data_may_be_weak_or_a_function(device: sycl.device, queue: sycl.queue) -> None:
    target, seen = np.zeros((3, 5, 4), "u1"), []
    with refused(device, sycl.aspect.image):
        for final in (weakref.ref(target), lambda data: seen.append(data.copy())):
            with sycl.unsampled_image(np.zeros((3, 5, 4), "u1"), RGBA8) as image:
                image.set_final_data(final)
                invert(queue, image)
    assert target.min() == 255
    assert seen[0].tolist() == [255] * 60


@pytest.mark.row("B-35")
def test_write_back_can_be_cancelled(device: sycl.device, queue: sycl.queue) -> None:
    source = np.zeros((3, 5, 4), "u1")
    with refused(device, sycl.aspect.image), sycl.unsampled_image(source, RGBA8) as image:
        image.set_write_back(False)
        invert(queue, image)
    assert not source.any()
    with refused(device, sycl.aspect.image), sycl.unsampled_image(source, RGBA8) as image:
        image.set_final_data(None)
        invert(queue, image)
    assert not source.any()


@pytest.mark.row("B-35")
@pytest.mark.parametrize(("target", "text"), [
    (np.zeros(59, "u1"), "60 bytes"), (np.zeros((3, 10), "u1")[:, ::2], "contiguous"),
    (3, "got int"),
    (np.broadcast_to(np.zeros(1, "u1"), (60,)), "read-only")])
def test_what_cannot_hold_the_pixels_is_refused(target: Any, text: str) -> None:
    image = sycl.unsampled_image(RGBA8, (5, 3))
    with pytest.raises(sycl.exception, match=text):
        image.set_final_data(target)


@pytest.mark.row("B-35")
def test_a_closed_image_is_refused(queue: sycl.queue) -> None:
    image = sycl.unsampled_image(RGBA8, (5, 3))
    image.close()
    image.close()
    with pytest.raises(sycl.exception, match="the image is closed"):
        image.get_host_access()


@pytest.mark.row("B-35")
def test_the_end_by_garbage_collection_waits_and_writes_back(
        device: sycl.device, queue: sycl.queue) -> None:
    source = np.zeros((16, 16, 4), "u1")
    image = sycl.unsampled_image(source, RGBA8)
    with refused(device, sycl.aspect.image):
        invert(queue, image)
        del image
        assert source.min() == 255


@pytest.mark.row("B-35", "B-36")
def test_data_owned_together_is_written_back_while_the_owner_lives(
        device: sycl.device, queue: sycl.queue) -> None:
    owner = sycl.shared_ptr(np.zeros((3, 5, 4), "u1"))
    with refused(device, sycl.aspect.image), sycl.unsampled_image(owner, RGBA8) as image:
        invert(queue, image)
    array = owner.get()
    assert array is not None
    assert array.min() == 255
    empty = sycl.unsampled_image(sycl.shared_ptr(), RGBA8, (5, 3))
    assert empty.size() == 15
    assert sycl.sampled_image(owner, RGBA8, NEAREST).size() == 15


# ---- allocators and properties
class Counting:
    """An allocator that counts."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def allocate(self, count: int) -> Any:
        self.asked.append(count)
        return bytearray(count)

    def deallocate(self, memory: Any) -> None:
        del memory


@pytest.mark.row("B-13", "B-35")
def test_memory_of_its_own_comes_from_the_allocator(
        device: sycl.device, queue: sycl.queue) -> None:
    own = Counting()
    with refused(device, sycl.aspect.image), sycl.unsampled_image(
            RGBA8, (5, 3), own) as image:
        invert(queue, image)
        sycl.host_unsampled_image_accessor(image).close()
        assert image.get_allocator() is own
    assert own.asked == [60]
    assert sycl.unsampled_image(RGBA8, 4).get_allocator() == sycl.image_allocator()


@pytest.mark.row("B-41")
def test_a_mutex_is_held_while_commands_use_the_image(
        device: sycl.device, queue: sycl.queue) -> None:
    lock, source = threading.Lock(), np.zeros((3, 5, 4), "u1")
    held = sycl.property.image.use_mutex(lock)
    assert held.get_mutex_ptr() is lock
    with refused(device, sycl.aspect.image), sycl.unsampled_image(source, RGBA8, held) as image:
        assert image.has_property(sycl.property.image.use_mutex)
        with lock:
            event = invert(queue, image)
            assert not source.any()
        event.wait()
    assert source.min() == 255


@pytest.mark.row("B-41")
def test_an_image_bound_to_a_context_is_refused_elsewhere(device: sycl.device) -> None:
    here, there = sycl.context(device), sycl.context(device)
    bound = sycl.property.image.context_bound(here)
    image = sycl.unsampled_image(np.zeros((3, 5, 4), "u1"), RGBA8, bound)
    assert image.get_property(sycl.property.image.context_bound).get_context() == here
    with refused(device, sycl.aspect.image):
        invert(sycl.queue(here, device), image).wait()
        with pytest.raises(sycl.exception, match="bound to another context"):
            invert(sycl.queue(there, device), image)


@pytest.mark.row("B-41", "A-33")
def test_properties_of_buffers_are_not_those_of_images() -> None:
    assert sycl.is_property_of(sycl.property.image.use_host_ptr, sycl.unsampled_image)
    assert sycl.is_property_of(sycl.property.image.use_mutex, sycl.sampled_image)
    with pytest.raises(sycl.exception, match="no property of an unsampled_image"):
        sycl.unsampled_image(RGBA8, 4, sycl.property.buffer.use_host_ptr())
