"""Matrix products and transposes as the example programs compute them."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.examples import matmul, transpose

SIZES = [(1, 1, 1), (16, 16, 16), (17, 33, 5), (3, 40, 20)]


@pytest.mark.row("J-7")
@pytest.mark.parametrize("form", ["naive", "tiled"])
@pytest.mark.parametrize("size", SIZES)
def test_products_of_any_size_match_numpy(
        queue: sycl.queue, form: str, size: tuple[int, int, int]) -> None:
    m, n, k = size
    generator = np.random.default_rng(m)
    a = generator.normal(size=(m, k)).astype(np.float32)
    b = generator.normal(size=(k, n)).astype(np.float32)
    submit = matmul.submit_naive if form == "naive" else matmul.submit_tiled
    gap = np.abs(matmul.multiply(queue, submit, a, b) - a.astype(np.float64) @ b)
    assert gap.max() <= matmul.error_bound(a, b)


@pytest.mark.row("J-7")
def test_a_product_of_integers_is_exact(queue: sycl.queue) -> None:
    a = np.arange(9 * 17, dtype=np.int32).reshape(9, 17)
    b = (a % 7).T.copy()
    for submit in (matmul.submit_naive, matmul.submit_tiled):
        assert np.array_equal(a @ b, matmul.multiply(queue, submit, a, b))


@pytest.mark.row("J-10")
@pytest.mark.parametrize("shape", [(1, 1), (16, 16), (1, 40), (17, 31), (33, 48)])
def test_transposes_are_exact(queue: sycl.queue, shape: tuple[int, int]) -> None:
    matrix = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    for result in (transpose.naive(queue, matrix), transpose.tiled(queue, matrix),
                   transpose.tiled(queue, matrix, padding=0)):
        assert np.array_equal(matrix.T, result)
