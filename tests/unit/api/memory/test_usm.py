"""USM apart from any device."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.unit.runtime.null import null_queue


def test_a_missing_aspect_is_named() -> None:
    q = null_queue(aspects=frozenset())
    with pytest.raises(sycl.exception, match="usm_shared_allocations") as caught:
        sycl.malloc_shared(4, np.int32, q)
    assert sycl.errc.feature_not_supported == caught.value.code()


def test_bytes_are_the_default_and_dtype_may_be_named() -> None:
    q = null_queue()
    assert np.uint8 == sycl.malloc_host(4, q).dtype
    assert np.float16 == sycl.malloc_host(4, q, dtype="float16").dtype


def test_where_must_be_said() -> None:
    with pytest.raises(sycl.exception, match="a queue, or a device and a context"):
        sycl.malloc_shared(4, np.int32)
    with pytest.raises(sycl.exception, match="which kind"):
        sycl.malloc(4, np.int32, null_queue())


def test_pointer_arithmetic_stays_inside() -> None:
    q = null_queue()
    p = sycl.malloc_shared(8, np.int16, q)
    assert (p.address() + 6, 5) == (p.pointer_to(3).address(), len(p.pointer_to(3)))
    assert p == p.pointer_to(0)
    with pytest.raises(sycl.exception, match="outside"):
        _ = p.pointer_to(9)
    with pytest.raises(sycl.exception, match="inside an allocation"):
        sycl.free(p.pointer_to(1), q)


def test_types_kernels_do_not_have_are_refused() -> None:
    with pytest.raises(sycl.exception, match="datetime64"):
        sycl.malloc_shared(4, "M8[s]", null_queue())


def test_a_repr_worth_reading() -> None:
    q = null_queue()
    p = sycl.malloc_device((2, 3), np.int16, q)
    assert "<usm device: 2 x 3 of int16>" == repr(p)
    sycl.free(p, q)
    assert "<usm device: 2 x 3 of int16, freed>" == repr(p)
