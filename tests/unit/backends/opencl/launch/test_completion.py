"""Time stamps of devices in the host's time."""

from __future__ import annotations

import time

import pytest

from unisycl.backends.opencl.launch.completion import Clock


def test_a_device_with_the_hosts_clock_is_believed() -> None:
    clock = Clock()
    clock.compare(100, 150, 200)
    assert clock.host_time(170, None) == 170


def test_a_device_with_another_clock_is_set_by_the_host() -> None:
    clock = Clock()
    clock.compare(10_000, 7, 10_100)
    assert clock.host_time(7, None) == 10_050
    assert clock.host_time(8, None) == 10_051


def test_the_raw_clock_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It and the host's drift apart: what was between them at the first is nothing later on."""
    drift = 247
    monkeypatch.setattr(time, "monotonic_ns", lambda: 5000 + drift)
    monkeypatch.setattr(time, "clock_gettime_ns", lambda _: 5000)
    clock = Clock()
    clock.compare(4900 + drift, 4950, 5000 + drift)
    assert clock.host_time(4950, None) == 4950 + drift
    drift = 300
    assert clock.host_time(4960, None) == 4960 + drift
