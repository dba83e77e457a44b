"""What buffers and accessors are made from, and that nothing else is taken (SYCL 2020 §4.7.2.1)."""

from __future__ import annotations

import ctypes
import weakref

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import refusal

ZEROS = np.zeros(6)


def bump(h: sycl.handler, b: sycl.buffer) -> None:
    acc = sycl.accessor(b, h)
    h.parallel_for(b.get_range(), one_more, acc)


def one_more(i, acc):
    acc[i] += 1


@pytest.mark.row("B-4", "I-18")
@pytest.mark.parametrize(("text", "source"), [
    ("no order", {1: 2}), ("no order", {1, 2}), ("no order", frozenset({1})),
    ("got the type", np.float32), ("got the type", int), ("got the type", np.dtype(np.int8)),
    ("one element", None), ("one element", True), ("one element", np.float32(3.5)),
    ("mask", np.ma.array([1, 2], mask=[0, 1])), ("no type", "abc"), ("no type", ["a"]),
    ("no type", np.array([object()])), ("do not form", [[1], [2, 3]]), ("got object", object()),
    ("negative", -1), ("byte order", np.zeros(2, np.dtype(np.int32).newbyteorder()))])
def test_what_is_no_data_is_refused(text: str, source: object) -> None:
    assert text in refusal(sycl.buffer, source)


@pytest.mark.row("B-1", "B-4", "B-10")
def test_arguments_without_a_meaning_are_refused() -> None:
    base = sycl.buffer(8)
    for extra in ((np.float64, 7), (sycl.range(3),), (4,), (4, 5)):
        assert "buffer: " in refusal(sycl.buffer, 3, *extra)
    for extra in ((object(),), ((2, 3), 5), ((2, 3), (1, 1)), (sycl.read_only,), ("x",)):
        assert "buffer: " in refusal(sycl.buffer, ZEROS, *extra)
    assert "whole elements" in refusal(sycl.buffer, bytearray(7), dtype=np.int32)
    assert "base holds" in refusal(sycl.buffer, base, 2, 3, dtype=np.int32)
    assert "sub-buffer" in refusal(sycl.buffer, base, 2)
    for what in (None, "nonsense", object):
        refusal(base.reinterpret, what)


@pytest.mark.row("B-4")
def test_the_type_of_an_element_may_follow(queue: sycl.queue) -> None:
    assert np.int32 == sycl.buffer(4, np.int32).dtype
    assert np.float32 == sycl.buffer([1, 2], np.float32).dtype
    assert np.float64 == sycl.buffer(ZEROS, np.float64).dtype
    assert "astype" in refusal(sycl.buffer, ZEROS, np.float32)
    raw = bytearray(8)
    with sycl.buffer(raw, dtype=np.int32) as b:
        queue.submit(lambda h: bump(h, b))
    assert [1, 1] == np.frombuffer(raw, np.int32).tolist()
    numbers = (ctypes.c_int32 * 3)(1, 2, 3)
    with sycl.buffer(numbers) as b:
        queue.submit(lambda h: bump(h, b))
    assert [2, 3, 4] == list(numbers)


@pytest.mark.row("A-31", "B-2")
def test_a_buffer_of_a_buffer_is_the_same_one(queue: sycl.queue) -> None:
    x = np.zeros(4, np.int32)
    with sycl.buffer(x, sycl.property.buffer.use_host_ptr()) as b:
        again = sycl.buffer(b)
        assert again == b
        assert hash(again) == hash(b)
        assert again.has_property(sycl.property.buffer.use_host_ptr)
        assert not again.is_sub_buffer()
        queue.submit(lambda h: bump(h, again))
        queue.submit(lambda h: bump(h, b))
        again.close()  # the base owns the memory
    assert [2] * 4 == x.tolist()


@pytest.mark.row("B-7")
def test_final_data_of_more_elements_keeps_the_rest(queue: sycl.queue) -> None:
    wide, gaps, raw = np.full(6, 9, np.int32), np.full((4, 2), 9, np.int32), bytearray(b"\x09" * 20)
    shared = gaps[:, 0]
    for target in (wide, shared, raw, lambda data: seen.append(bytes(data))):
        seen: list[bytes] = []
        b = sycl.buffer([1, 2, 3], np.int32)
        b.set_final_data(target)
        queue.submit(lambda h, b=b: bump(h, b))
        b.close()
    assert [2, 3, 4, 9, 9, 9] == wide.tolist()
    assert [[2, 9], [3, 9], [4, 9], [9, 9]] == gaps.tolist()
    assert [2, 3, 4, 0x09090909, 0x09090909] == np.frombuffer(raw, np.int32).tolist()
    assert [2, 3, 4] == np.frombuffer(seen[0], np.int32).tolist()


@pytest.mark.row("B-7")
def test_final_data_of_another_kind_is_refused(queue: sycl.queue) -> None:
    b = sycl.buffer([1, 2], np.int32)
    assert "got list" in refusal(b.set_final_data, [1, 2])
    assert "holds float64" in refusal(b.set_final_data, np.zeros(2))
    assert "8 bytes" not in refusal(b.set_final_data, np.zeros(1, np.int32))
    assert "read-only" in refusal(b.set_final_data, bytes(8))
    assert "got queue" in refusal(b.set_final_data, weakref.ref(queue))
    queue.submit(lambda h: bump(h, b))
    with sycl.host_accessor(b) as view:  # the buffer is as usable as before
        assert [2, 3] == list(view)


@pytest.mark.row("B-22", "B-21")
def test_accessors_take_each_thing_once(queue: sycl.queue) -> None:
    b = sycl.buffer(np.zeros((3, 4)))
    for make in (sycl.accessor, sycl.host_accessor):
        assert "more than one access mode" in refusal(make, b, sycl.read_only, sycl.write_only)
        assert "dimensions=1" in refusal(make, b, dimensions=1)
        assert "no element" in refusal(make, sycl.buffer(0), dimensions=0)
        assert (3, 4) == make(b, sycl.read_only, dimensions=2).shape
    assert "type of an element" in refusal(sycl.accessor, b, dtype="nonsense")
    assert "type of an element" in refusal(sycl.local_accessor, 4, np.int32)

    def group(h: sycl.handler) -> None:
        assert "takes no handler" in refusal(sycl.host_accessor, b, h)
        h.fill(sycl.accessor(b, h), 1)
    queue.submit(group)
    with sycl.host_accessor(b) as view:
        assert 12 == view.get_view().sum()


@pytest.mark.row("B-26")
def test_an_accessor_of_no_dimensions_is_a_number(queue: sycl.queue) -> None:
    b = sycl.buffer(np.array([2.5, 7.0]))
    with sycl.host_accessor(b, dimensions=0) as one:
        assert (2.5, 2, 2.5 + 0j) == (float(one), int(one), complex(one))
        one[()] = 4.5
    seen = []

    def group(h: sycl.handler) -> None:
        one = sycl.accessor(b, h, sycl.read_only_host_task, dimensions=0)
        h.host_task(lambda: seen.append(float(one)))
    queue.submit(group).wait()
    assert [4.5] == seen
    with sycl.host_accessor(b) as both, pytest.raises(TypeError):
        float(both)
