"""What code may ask about where it runs."""

from __future__ import annotations

import threading

from unisycl.lang.index.environment import device_only, inside_kernel


def test_being_inside_a_kernel_belongs_to_the_thread_and_nests() -> None:
    seen: list[bool] = []
    with inside_kernel():
        with inside_kernel():
            assert device_only()
        assert device_only()
        other = threading.Thread(target=lambda: seen.append(device_only()))
        other.start()
        other.join()
    assert not device_only()
    assert [False] == seen
