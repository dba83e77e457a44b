"""Indices out of range, in every kind of memory, with the words of the host device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place, told
from unisycl.testing import refused

RECORD = np.dtype([("a", np.float32, (2, 3)), ("b", np.int32)])
checked = sycl.kernel(debug="bounds")


@checked
def a_member(i: Any, at: Any, x: Any) -> None:
    x[i].a[1, at[i]] = 1


@checked
def an_element(i: Any, at: Any, x: Any) -> None:
    v = sycl.float4(1, 2, 3, 4)
    x[i].b = np.int32(v[at[i]])


@checked
def a_slice(i: Any, at: Any, x: Any) -> None:
    part = at[2:6]
    x[i].b = part[at[i]]


@checked
def a_tuple(i: Any, at: Any, x: Any) -> None:
    pair = (i[0], 7)
    x[i].b = np.int32(pair[at[i] - 7])


@checked
def private_memory(i: Any, at: Any, x: Any) -> None:
    own = sycl.private_array(np.int32, 4)
    own[at[i]] = 1
    x[i].b = own[0]


@checked
def one_below(i: Any, at: Any, x: Any) -> None:
    x[i].b = at[at[i] - 10]


@pytest.mark.row("Q-1")
@pytest.mark.parametrize(("kernel", "line", "text"), [
    (a_member, "x[i].a", "IndexError: index 9 is out of bounds for axis 1 with size 3"),
    (an_element, "v[at", "element 9 of a float4 does not exist: it has 4, counted from 0"),
    (a_slice, "part[at", "index 9 is outside 'at[2:6]' (range 4): valid is 0 to 3"),
    (a_tuple, "pair[at", "IndexError: "),
    (private_memory, "own[at", "index 9 is outside 'private array' (range 4): valid is 0 to 3"),
    (one_below, "at[at", "index -1 is outside 'at' (range 8): valid is 0 to 7"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_out_of_range_is_told_and_not_touched(
        device: sycl.device, kernel: Any, line: str, text: str) -> None:
    right = {"a_member": 2, "one_below": 17, "a_tuple": 8}.get(kernel.__name__, 3)
    at, x = np.full(8, right, np.int32), np.zeros(8, RECORD)
    assert told(device, lambda q: q.parallel_for(8, kernel, at, x)) == ""
    at[5], x = 9, np.zeros(8, RECORD)
    found = told(device, lambda q: q.parallel_for(8, kernel, at, x))
    assert f"kernel '{kernel.__name__}' failed in work-item id(5) at {place(kernel, line)}: " in \
        found
    assert text in found
    assert x["a"][5].sum() == x["b"][5] == 0


@checked
def a_pixel(i: Any, image: Any) -> None:
    image[i[0], 3 * i[0]] = sycl.float4(1, 1, 1, 1)


@pytest.mark.row("Q-1")
def test_a_pixel_out_of_range_is_told(device: sycl.device) -> None:
    with refused(device, sycl.aspect.image):
        image = sycl.unsampled_image(
            sycl.image_format.r32g32b32a32_sfloat, sycl.range(4, 4))
        found = told(device, lambda q: q.submit(lambda h: h.parallel_for(2, a_pixel,
            sycl.unsampled_image_accessor(image, h, sycl.float4, sycl.write_only))))
        assert found == ""
        found = told(device, lambda q: q.submit(lambda h: h.parallel_for(3, a_pixel,
            sycl.unsampled_image_accessor(image, h, sycl.float4, sycl.write_only))))
        assert f"in work-item id(2) at {place(a_pixel, 'image[')}: y = 6 is outside the image " in \
            found
        assert "valid is 0 to 3" in found


@checked
def beyond_local(it: Any, out: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    tile[2 * k] = k
    out[it.get_global_id(0)] = tile[k]


@pytest.mark.row("Q-1")
def test_local_memory_sub_buffers_and_usm_have_their_own_extents(device: sycl.device) -> None:
    out = np.zeros(8, np.int32)
    found = told(device, lambda q: q.parallel_for(
        sycl.nd_range(8, 4), beyond_local, out, sycl.local_accessor(np.int32, 4)))
    assert "index 4 is outside 'tile' (range 4): valid is 0 to 3" in found
    assert "(id(2) of group id(" in found

    whole = sycl.buffer(np.zeros(384, np.int32))
    part = sycl.buffer(whole, 128, 32)

    @checked
    def past_the_part(i: Any, a: Any) -> None:
        a[i[0] + 1] = 1
    found = told(device, lambda q: q.submit(lambda h: h.parallel_for(
        32, past_the_part, sycl.accessor(part, h))))
    assert "in work-item id(31) at" in found
    assert "index 32 is outside 'a' (range 32): valid is 0 to 31" in found
    assert whole.get_host_access()[160] == 0

    queue = sycl.queue(device)
    with refused(device, sycl.aspect.usm_shared_allocations):
        p = sycl.malloc_shared(16, np.int32, queue)
        p[:] = 0

        @checked
        def pointed(i: Any, p: Any) -> None:
            q = p + 10
            q[i[0]] = 1
        found = told(device, lambda q: q.parallel_for(8, pointed, p))
        assert "in work-item id(6) at" in found
        assert "index 16 is outside 'p' (range 16): valid is 0 to 15" in found
        sycl.free(p, queue)


@checked
def past_the_end(i: Any, x: Any, grid: Any) -> None:
    x[i[0] + 1] = 7  # one
    grid[i[0] // 4, i[0] % 4 + 1] = 7  # two


@pytest.mark.row("Q-1")
def test_what_lies_behind_memory_is_left_alone(device: sycl.device) -> None:
    """Windows of larger arrays, in buffers, so that what lies around them can be seen."""
    one = "index 8 is outside 'x' (range 8): valid is 0 to 7"
    two = "index 4 in dimension 1 is outside 'grid' (range 2, 4): valid is 0 to 3"
    for line, size, rest in (("# one", 8, one), ("# two", 9, two)):
        row, grid = np.zeros(64, np.int32), np.zeros((4, 4), np.int32)
        with sycl.buffer(row[:size]) as a, sycl.buffer(grid[:2]) as b:
            found = told(device, lambda q, a=a, b=b: q.submit(lambda h: h.parallel_for(
                8, past_the_end, sycl.accessor(a, h), sycl.accessor(b, h))))
        assert place(past_the_end, line) in found or size == 8, found
        assert rest in found or (size == 8 and "is outside" in found), found
        assert not row[size:].any()
        assert not grid[2:].any()


def outside_each(it: Any, which: Any, x: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    own = sycl.private_array(np.int32, 4)
    tile[k] = own[k] = k
    if which == 0:
        x[k + 1] = 1  # 0
    elif which == 1:
        tile[k + 1] = 1  # 1
    elif which == 2:
        own[k + 1] = 1  # 2
    else:
        part = x[1:3]
        part[k] = 1  # 3


@pytest.mark.row("Q-1")
def test_the_host_device_looks_without_being_asked(device: sycl.device) -> None:
    texts = ("index 4 is outside 'x' (range 4)", "index 4 is outside 'tile' (range 4)",
             "index 4 is outside 'private array' (range 4)",
             "index 2 is outside 'x[1:3]' (range 2)")
    asked = () if device.get_backend() is sycl.backend.host else (sycl.property.queue.debug(
        "bounds"),)
    for which, text in enumerate(texts):
        errors: list[sycl.exception] = []
        queue = sycl.queue(device, lambda found, e=errors: e.extend(found), *asked)
        queue.parallel_for(sycl.nd_range(4, 4), outside_each, which, np.zeros(4, np.int32),
                           sycl.local_accessor(np.int32, 4))
        queue.wait_and_throw()
        (found,) = errors
        item = 2 if which == 3 else 3
        assert f"work-item id({item}) (id({item}) of group id(0)) at " in found.what()
        assert place(outside_each, f"# {which}") in found.what()
        assert f"{text}: valid is 0 to " in found.what()


def beyond(i: Any, totals: Any) -> None:
    totals[i[0]] += 1  # beyond


@pytest.mark.part("Q-1")
def test_a_variable_that_a_reduction_has_not_is_told(device: sycl.device) -> None:
    queue = sycl.queue(device)
    totals = sycl.malloc_shared(4, np.int32, queue)
    totals[:] = 0
    found = told(device, lambda q: q.parallel_for(
        8, sycl.reduction(sycl.span(totals, 4), sycl.plus()), sycl.kernel(debug=True)(beyond)))
    assert f"kernel 'beyond' failed in work-item id(4) at {place(beyond, '# beyond')}: " in found
    assert "there is no variable 4 in a reduction of 4: valid is 0 to 3" in found
