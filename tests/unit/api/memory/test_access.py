"""The arguments of accessors."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.api.memory.access import Request


def test_arguments_are_told_apart_by_what_they_are() -> None:
    r = Request("accessor", (sycl.range(4), sycl.id(2), sycl.write_only, sycl.no_init))
    assert ((4,), (2,), sycl.access_mode.write) == (r.range, r.offset, r.mode)
    assert (sycl.no_init,) == r.properties
    r = Request("accessor", (4, 2, sycl.access_mode.read, sycl.target.host_task))
    assert ((4,), (2,), sycl.target.host_task) == (r.range, r.offset, r.target)


def test_anything_else_is_refused() -> None:
    with pytest.raises(sycl.exception, match="did not expect a str"):
        Request("accessor", ("read",))


def test_a_window_needs_a_buffer() -> None:
    with pytest.raises(sycl.exception, match="expected a buffer first, got ndarray"):
        sycl.accessor(np.zeros(3))
