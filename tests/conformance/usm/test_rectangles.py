"""Copies and fills of rectangles (sycl_ext_oneapi_memcpy2d), with NumPy's slices as reference."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

ROWS, COLUMNS = 7, 13


def matrix(queue: sycl.queue, dtype: str = "int32") -> sycl.usm_pointer:
    made = sycl.malloc_shared((ROWS, COLUMNS), dtype, queue)
    made[:] = np.arange(ROWS * COLUMNS, dtype=dtype).reshape(ROWS, COLUMNS)
    return made


@pytest.mark.row("P-2")
@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_a_window_is_copied_and_nothing_beside_it(queue: sycl.queue, dtype: str) -> None:
    source, expected = matrix(queue, dtype), matrix(queue, dtype)[:].copy()
    size = np.dtype(dtype).itemsize
    into = sycl.malloc_device((5, 9), dtype, queue)
    out = np.zeros((5, 9), dtype)
    corner = source.pointer_to(2 * COLUMNS + 3)
    queue.fill(into, 99).wait()
    queue.ext_oneapi_copy2d(corner, COLUMNS, into, 9, 6, 4).wait()
    queue.ext_oneapi_memcpy2d(out, 9 * size, into, 9 * size, 9 * size, 5).wait()
    window = np.full((5, 9), 99, dtype)
    window[:4, :6] = expected[2:6, 3:9]
    assert np.array_equal(out, window)
    queue.ext_oneapi_memcpy2d(corner, COLUMNS * size, out.reshape(-1)[9:], 9 * size, 5 * size,
                              2).wait()
    expected[2:4, 3:8] = window[1:3, :5]
    assert np.array_equal(source[:], expected)


@pytest.mark.row("P-2")
def test_windows_of_arrays_go_to_device_allocations_and_back(queue: sycl.queue) -> None:
    x, out = np.arange(ROWS * COLUMNS, dtype=np.int16), np.zeros(ROWS * COLUMNS, np.int16)
    there = sycl.malloc_device(ROWS * COLUMNS, np.int16, queue)
    queue.fill(there, -1).wait()
    queue.ext_oneapi_copy2d(x[2:], COLUMNS, there, 5, 5, ROWS - 1).wait()  # gaps on the host
    queue.ext_oneapi_copy2d(x, 5, there.pointer_to(40), COLUMNS, 5, 3).wait()  # and on the device
    queue.ext_oneapi_copy2d(there, 5, out[1:], COLUMNS, 5, ROWS - 1).wait()
    expected = np.zeros((ROWS, COLUMNS), np.int16)
    expected[:-1, 1:6] = x.reshape(ROWS, COLUMNS)[:-1, 2:7]
    assert np.array_equal(out.reshape(ROWS, COLUMNS), expected)
    queue.ext_oneapi_copy2d(there.pointer_to(40), COLUMNS, out, 6, 5, 3).wait()  # on both sides
    expected = expected.reshape(-1)
    for row in range(3):
        expected[6 * row:6 * row + 5] = x[5 * row:5 * row + 5]
    assert np.array_equal(out, expected)


@pytest.mark.row("P-2")
def test_rectangles_are_filled_by_value_and_by_byte(queue: sycl.queue) -> None:
    p, expected = matrix(queue), matrix(queue)[:].copy()
    e = queue.ext_oneapi_fill2d(p.pointer_to(1), COLUMNS, -5, 3, ROWS)
    queue.ext_oneapi_memset2d(p.pointer_to(5), COLUMNS * 4, 0x101, 2 * 4, 2, e).wait()
    expected[:, 1:4] = -5
    expected[:2, 5:7] = 0x01010101
    assert np.array_equal(p[:], expected)
    e = queue.submit(lambda h: h.ext_oneapi_fill2d(p, COLUMNS, 7, COLUMNS, 1))
    queue.submit(lambda h: (h.depends_on(e), h.ext_oneapi_memset2d(p, 1, 0, 1, 1)))
    queue.ext_oneapi_memset2d(p, 5, 9, 0, 4)
    queue.wait()
    expected[0] = 7
    expected[0, 0] = 0
    assert np.array_equal(p[:], expected)


@pytest.mark.row("P-2")
def test_rectangles_that_do_not_fit_are_refused(queue: sycl.queue) -> None:
    p, q = matrix(queue), sycl.malloc_shared(4, np.float32, queue)
    for wrong, say in (
            (lambda: queue.ext_oneapi_copy2d(p, 3, p, COLUMNS, 4, 2), "pitch of 3"),
            (lambda: queue.ext_oneapi_copy2d(p, COLUMNS, p, 3, 4, 2), "pitch of 3"),
            (lambda: queue.ext_oneapi_memset2d(p, 3, 0, 4, 1), "pitch of 3"),
            (lambda: queue.ext_oneapi_fill2d(p, COLUMNS, 0, COLUMNS, ROWS + 1), "has 91"),
            (lambda: queue.ext_oneapi_memcpy2d(q, 8, p, 8, 8, 3), "has 16"),
            (lambda: queue.ext_oneapi_fill2d(p, 4, 0, -1, 2), "negative"),
            (lambda: queue.ext_oneapi_copy2d(p, 2, q, 2, 2, 2), "float32")):
        with pytest.raises(sycl.exception, match=say) as caught:
            wrong()
        assert caught.value.code() == sycl.errc.invalid
    assert np.array_equal(p[:].reshape(-1), np.arange(ROWS * COLUMNS))


@pytest.mark.row("P-2")
def test_a_graph_has_copies_of_rectangles(queue: sycl.queue) -> None:
    p, out = matrix(queue), sycl.malloc_shared(6, np.int32, queue)
    graph = sycl.ext.oneapi.experimental.command_graph(queue.get_context(), queue.get_device())
    graph.add(lambda h: h.ext_oneapi_copy2d(p, COLUMNS, out, 2, 2, 3))
    ready = graph.finalize()
    p[0, :2] = (-1, -2)
    queue.ext_oneapi_graph(ready).wait()
    assert out[:].tolist() == [-1, -2, 13, 14, 26, 27]
