"""Buffers apart from any device."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.parametrize(("source", "shape", "dtype"), [
    (4, (4,), np.float64), ((2, 3), (2, 3), np.float64), (sycl.range(2), (2,), np.float64),
    ([1.5, 2], (2,), np.float64), (np.zeros((2, 2), np.int8), (2, 2), np.int8),
    (np.array(3, np.int32), (1,), np.int32), (bytearray(5), (5,), np.uint8),
    ((x for x in (1, 2, 3)), (3,), np.int64)])
def test_forms(source, shape, dtype) -> None:
    b = sycl.buffer(source)
    assert (shape, np.dtype(dtype)) == (b.shape, b.dtype)


def test_data_may_be_given_another_range() -> None:
    assert (2, 3) == sycl.buffer(np.zeros(6), (2, 3)).shape
    with pytest.raises(sycl.exception, match="has 4 elements, the data 6"):
        sycl.buffer(np.zeros(6), (2, 2))


def test_the_dtype_of_data_is_not_changed_silently() -> None:
    with pytest.raises(sycl.exception, match="astype"):
        sycl.buffer(np.zeros(3), dtype=np.float32)


@pytest.mark.parametrize("bad", [None, 3.5, object(), [[1], [2, 3]]])
def test_what_is_no_data_is_refused(bad) -> None:
    with pytest.raises(sycl.exception):
        sycl.buffer(bad)


@pytest.mark.parametrize(("target", "text"), [
    (3, "got int"), (np.zeros(1), "8 bytes"), (np.broadcast_to(0.0, 4), "read-only")])
def test_final_data_must_be_able_to_take_it(target, text) -> None:
    with pytest.raises(sycl.exception, match=text):
        sycl.buffer(4).set_final_data(target)


def test_reprs_say_what_it_is() -> None:
    b = sycl.buffer(np.zeros((2, 3), np.float32))
    assert "<buffer: 2 x 3 of float32>" == repr(b)
    b.close()
    assert "<buffer: 2 x 3 of float32, closed>" == repr(b)
