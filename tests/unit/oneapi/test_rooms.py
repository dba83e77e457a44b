"""Memory of routines that is used again: only when nobody uses it, and not without end."""

from __future__ import annotations

import numpy as np

from unisycl.oneapi.frame.rooms import LINE, Rooms


def address(x: np.ndarray) -> int:
    return int(x.__array_interface__["data"][0])


def test_a_block_is_given_out_again_when_no_view_of_it_is_left() -> None:
    rooms = Rooms()
    first = rooms.take(1 << 20, np.dtype(np.float32))
    assert first.shape == (1 << 20,)
    assert first.flags.writeable
    assert address(first) % LINE == 0
    view, where = first[10:20], address(first)
    del first
    other = rooms.take(1 << 20, np.dtype(np.float32))
    assert address(other) != where
    view[:] = 3
    del view, other
    again = {address(rooms.take(1 << 20, np.dtype(np.int32))) for _ in range(3)}
    assert len(again) == 1


def test_no_more_is_kept_than_is_said(monkeypatch) -> None:
    monkeypatch.setattr("unisycl.oneapi.frame.rooms._KEPT", 5 << 20)
    rooms = Rooms()
    held = [rooms.take(2 << 20, np.dtype(np.uint8)) for _ in range(4)]
    del held
    assert sum(b.size for b in rooms._free) <= 5 << 20
    assert rooms._free
    rooms.clear()
    assert not rooms._free
