"""Typed windows into memory."""

from __future__ import annotations

import numpy as np
import pytest

from unisycl.runtime.memory.buffers import BufferMemory
from unisycl.runtime.memory.regions import Region, pitches_of


@pytest.mark.parametrize(("shape", "expected"), [
    ((), ()), ((5,), (1,)), ((2, 3), (3, 1)), ((2, 3, 4), (12, 4, 1)), ((0, 3), (3, 1))])
def test_pitches_are_row_major(shape, expected) -> None:
    assert expected == pitches_of(shape)


def test_a_window_starts_at_its_offset() -> None:
    region = Region(BufferMemory(48), np.dtype(np.int32), (3, 4))
    view = region.window((2, 2), (1, 1))
    assert (5, (2, 2), (4, 1)) == (view.offset, view.shape, view.pitches)
    region.flat()[:] = np.arange(12)
    assert [[5, 6], [9, 10]] == region.array((2, 2), (1, 1)).tolist()


def test_the_bound_view_is_kept_until_the_memory_moves() -> None:
    source = np.zeros(4)
    memory = BufferMemory(32, source.view(np.uint8), target=source)
    region = Region(memory, np.dtype(np.float64), (4,))
    first = region.bound()
    assert first is region.bound()
    memory.detach()
    assert first is not region.bound()
