"""Reductions apart from any device."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.unit.runtime.null import null_queue


def test_the_identity_is_known_given_or_missing() -> None:
    one = np.zeros(1, np.int32)
    assert 0 == sycl.reduction(one, sycl.plus).identity
    assert np.iinfo(np.int32).max == sycl.reduction(one, sycl.minimum).identity
    assert np.int32(7) == sycl.reduction(one, 7, lambda a, b: a).identity
    assert sycl.reduction(one, lambda a, b: a).identity is None


def test_the_result_is_one_element() -> None:
    q = null_queue()
    p = sycl.malloc_shared(8, np.float32, q)
    view, drop = sycl.reduction(p.pointer_to(3), sycl.plus).bind_result(None, q.channel)
    assert ((1,), False) == (view.shape, drop)
    assert p.address() + 12 == view.memory[view.offset:].ctypes.data


@pytest.mark.parametrize("bad", [np.zeros((2, 2)), np.broadcast_to(0, 1), 3, sycl.buffer(1)])
def test_what_cannot_take_the_result_is_refused(bad) -> None:
    with pytest.raises(sycl.exception) as caught:
        sycl.reduction(bad, sycl.plus)
    assert sycl.errc.invalid == caught.value.code()
