"""Handlers apart from any device."""

from __future__ import annotations

import pytest

import unisycl as sycl
from tests.unit.runtime.null import null_queue
from unisycl.api.queue.handler import check_callable, split


def test_what_follows_the_range_is_sorted() -> None:
    def kernel() -> None:
        """Do nothing."""
    import numpy as np
    total = sycl.reduction(np.zeros(1), sycl.plus)
    assert (None, (), kernel, (1, 2)) == split((kernel, 1, 2))
    assert (sycl.id(1), (total,), kernel, ()) == split((sycl.id(1), total, kernel))
    assert (None, (total,), None, ()) == split((total,))


def test_a_kernel_must_be_callable() -> None:
    with pytest.raises(sycl.exception, match="got int") as caught:
        check_callable(3)
    assert sycl.errc.kernel_argument == caught.value.code()


def test_a_refused_command_leaves_room_for_another() -> None:
    def group(h: sycl.handler) -> None:
        with pytest.raises(sycl.exception):
            h.parallel_for(-1, lambda i: None)
        h.single_task(lambda: None)
    null_queue().submit(group).wait()


def test_decorators_leave_the_function() -> None:
    def group(h: sycl.handler) -> None:
        @h.parallel_for(4)
        def kernel(i):
            pass
        assert callable(kernel)
    null_queue().submit(group).wait()
