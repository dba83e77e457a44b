"""Images, samplers and storage of images in SYCL 1.2's spelling (§3.6.2, §3.6.3, §3.6.6)."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.testing import refused

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

RGBA, FLOAT = 0x10B5, 0x10DE  # CL_RGBA, CL_FLOAT


@pytest.fixture
def q(old: Any, device: sycl.device) -> Iterator[Any]:
    made = old.queue(device)
    with refused(device, sycl.aspect.image):
        image = old.image(np.zeros((1, 1, 4), np.float32), RGBA, FLOAT)
        made.submit(lambda h: sycl.unsampled_image_accessor(image, h, sycl.read_only))
    yield made
    made.wait_and_throw()


def until(condition: Any) -> None:
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.001)
    assert condition()


def pixels() -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.arange(3 * 5 * 4, dtype=np.float32).reshape(3, 5, 4)


@pytest.mark.row("X-9")
@pytest.mark.parametrize("name", ["image", "sampler"])
def test_the_old_names_warn_once(old: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old, "_warned", set())
    with pytest.warns(DeprecationWarning, match=f"'{name}' is SYCL 1.2"):
        getattr(old, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(old, name)


@pytest.mark.row("X-9", "B-39")
def test_an_image_is_read_and_written_by_subscripts(old: Any, q: Any) -> None:
    source, target = pixels(), np.zeros((3, 5, 4), np.float32)
    with old.image(source, RGBA, FLOAT, old.range(5, 3)) as one, \
            old.image(target, sycl.image_channel_order.rgba, sycl.image_channel_type.fp32) as two:
        assert isinstance(one, sycl.unsampled_image)
        assert (sycl.range(5, 3), 15, 240) == (one.get_range(), one.get_count(), one.get_size())
        assert sycl.range(80) == one.get_pitch()
        shared = old.image(two)

        def body() -> None:
            a = one.get_access(old.access.read)
            b = old.accessor(shared, old.access.discard_write, old.access.image, sycl.float4)

            def kernel(it):
                b[it[1]][it[0]] = a[it[1], it[0]] * 2
            old.parallel_for(old.range(3, 5), kernel)
        old.command_group(q, body)
        seen = two.get_access(old.access.read, old.access.host_image)
        assert [2 * v for v in source[2, 4]] == list(seen[4, 2])
        seen.close()
    np.testing.assert_array_equal(target, 2 * source)


@pytest.mark.row("X-9", "E-27")
def test_an_image_is_read_and_written_by_one_accessor_where_a_device_can(
        old: Any, q: Any, device: sycl.device) -> None:
    target, expected = pixels(), pixels() + 1
    with refused(device, sycl.aspect.image), old.image(target, RGBA, FLOAT) as one:
        def body() -> None:
            a = one.get_access(old.access.read_write)

            def kernel(it):
                a[it[1], it[0]] = a[it[1], it[0]] + 1
            old.parallel_for(old.range(3, 5), kernel)
        old.command_group(q, body)
    np.testing.assert_array_equal(target, expected)


@pytest.mark.row("X-9", "B-38")
@pytest.mark.parametrize("normal", [False, True])
def test_a_sampler_of_the_old_kind(old: Any, q: Any, normal: bool) -> None:
    kinds = old.sampler
    modes = kinds(normal, kinds.sampler_addressing_mode.SYCL_SAMPLER_ADDRESS_CLAMP_TO_EDGE,
                  kinds.sampler_filter_mode.SYCL_SAMPLER_FILTER_LINEAR)
    assert isinstance(modes, sycl.image_sampler)
    assert sycl.addressing_mode.clamp_to_edge is modes.addressing
    assert kinds.sampler_filter_mode.SYCL_SAMPLER_FILTER_LINEAR is modes.get_filter()
    assert "ADDRESS_CLAMP_TO_EDGE" in modes.get_address().name
    source, out = pixels(), np.zeros(5, np.float32)
    unit = 5.0 if normal else 1.0
    with old.image(source, RGBA, FLOAT) as one, old.buffer(out) as b:
        def body() -> None:
            a, o = one.get_access(old.access.read), b.get_access(old.access.write)

            def kernel(i):
                o[i] = a(modes)[np.float32(i[0] + 1) / np.float32(unit), np.float32(0)].x
            old.parallel_for(old.range(5), kernel)
        old.command_group(q, body)
    x = source[0, :, 0]
    np.testing.assert_allclose(out, (x + np.append(x[1:], x[-1])) / 2, atol=1e-4)
    with pytest.raises(sycl.exception, match="sampler_addressing_mode"):
        kinds(True, "clamp", 0)


@pytest.mark.row("X-9", "B-40")
def test_an_array_of_images(old: Any, q: Any) -> None:
    source = np.arange(2 * 3 * 4 * 4, dtype=np.float32).reshape(2, 3, 4, 4)
    target = np.zeros((3, 4, 4), np.float32)
    with old.image(source, RGBA, FLOAT) as one, old.image(target, RGBA, FLOAT) as two:
        def body() -> None:
            a = one.get_access(old.access.read, old.access.image_array)
            b = two.get_access(old.access.write)

            def kernel(it):
                y, x = it
                b[x, y] = a[1][x, y] - a[0][x, y]
            old.parallel_for(old.range(3, 4), kernel)
        old.command_group(q, body)
    np.testing.assert_array_equal(target, source[1] - source[0])


@pytest.mark.row("X-9", "B-17", "B-18")
@pytest.mark.parametrize("form", ["host", "initial"])
def test_an_image_over_a_storage_object(old: Any, q: Any, form: str) -> None:
    first, last = pixels(), np.zeros((3, 5, 4), np.float32)
    calls: list[str] = []

    class Mine(old.storage):
        def get_size(self) -> int:
            return 15

        def get_host_data(self) -> Any:
            return first if form == "host" else None

        def get_initial_data(self) -> Any:
            return first

        def get_final_data(self) -> Any:
            calls.append("final")
            return last

        def in_use(self) -> None:
            calls.append("in_use")

        def completed(self) -> None:
            calls.append("completed")

        def destroy(self) -> None:
            calls.append("destroy")
    before = first.copy()
    one = old.image(Mine(), RGBA, FLOAT, old.range(5, 3))

    def body() -> None:
        a = one.get_access(old.access.write)

        def kernel(it):
            a[it[1], it[0]] = sycl.float4(it[0], it[1], 7, 8)
        old.parallel_for(old.range(3, 5), kernel)
    old.command_group(q, body).complete_event().wait()
    with one.get_access(old.access.read, old.access.host_image) as seen:
        assert [2, 4, 7, 8] == list(seen[4, 2])
    one.close()
    y, x = np.indices((3, 5))
    expected = np.dstack([y, x, 0 * x + 7, 0 * x + 8])
    until(lambda: np.array_equal(expected, last))  # the image's end does not wait for the storage
    assert np.array_equal(first, last if form == "host" else before)
    assert 1 == calls.count("destroy")
    assert "final" == calls[-1]
    assert calls.count("in_use") == calls.count("completed") > 0


@pytest.mark.row("X-9")
def test_what_does_not_go_with_images_is_refused(old: Any) -> None:
    data = pixels()
    for order, kind in ((0x10BD, FLOAT), (RGBA, 7), ("rgba", FLOAT), (-1, FLOAT)):
        with pytest.raises(sycl.exception, match="number of one in CL/cl.h") as caught:
            old.image(data, order, kind)
        assert sycl.errc.invalid == caught.value.code()
    one = old.image(data, RGBA, FLOAT)
    for args in ((old.access.atomic,), (old.access.read, old.access.local),
                 (old.access.read, old.access.host_buffer)):
        with pytest.raises(sycl.exception, match="not for images") as caught:
            one.get_access(*args)
        assert sycl.errc.invalid == caught.value.code()
    with pytest.raises(sycl.exception, match="command_group"):
        one.get_access(old.access.read)

    class Short(old.storage):
        def get_size(self) -> int:
            return 4
    with pytest.raises(sycl.exception, match="4 pixels"):
        old.image(Short(), RGBA, FLOAT, old.range(5, 3))
