"""Accessors apart from any device."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.unit.runtime.null import null_queue


def test_the_kernel_type_has_the_mode_and_dimensions() -> None:
    b = sycl.buffer((2, 3), dtype=np.int16)
    kind = sycl.accessor(b, sycl.read_only).__kernel_type__()
    assert (2, sycl.access_mode.read) == (kind.ndim, kind.mode)
    assert kind is sycl.accessor(b, sycl.read_only).__kernel_type__()
    line, wide = sycl.buffer((6,), dtype=np.int16), sycl.buffer((2, 3), dtype=np.int32)
    for other in (sycl.accessor(b), sycl.accessor(line, sycl.read_only),
                  sycl.accessor(wide, sycl.read_only)):
        assert kind != other.__kernel_type__()


def test_the_whole_buffer_is_bound_as_it_is() -> None:
    b, q = sycl.buffer(np.zeros((4, 4))), null_queue()
    bound = []

    def group(h: sycl.handler) -> None:
        whole = sycl.accessor(b, h)
        part = sycl.accessor(b, h, (2, 2), (1, 1))
        bound.extend([whole.bind(h, h.channel), part.bind(h, h.channel)])
    q.submit(group)
    assert b.region.bound() is bound[0]
    assert (5, (2, 2), (4, 1)) == (bound[1].offset, bound[1].shape, bound[1].pitches)


def test_a_host_task_accessor_is_no_kernel_argument() -> None:
    b, q = sycl.buffer(np.zeros(4)), null_queue()

    def group(h: sycl.handler) -> None:
        sycl.accessor(b, h, sycl.read_only_host_task).bind(h, h.channel)
    with pytest.raises(sycl.exception, match="host tasks"):
        q.submit(group)


def test_a_local_accessor_of_another_group_is_refused() -> None:
    q, kept = null_queue(), []
    q.submit(lambda h: kept.append(sycl.local_accessor(np.int32, 4, h)))
    with pytest.raises(sycl.exception, match="outside its command group"):
        q.submit(lambda h: kept[0].bind(h, h.channel))


def test_reprs_say_what_it_is() -> None:
    b = sycl.buffer((2, 3), dtype=np.int16)
    assert "<accessor read: 2 x 3 of int16, placeholder>" == repr(sycl.accessor(b, sycl.read_only))
    assert "<local_accessor: 4 of int32>" == repr(sycl.local_accessor(np.int32, 4))
