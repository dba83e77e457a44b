"""The program that times a kernel by both clocks."""

from __future__ import annotations

import pytest

import unisycl as sycl
from unisycl.examples import timing


@pytest.mark.row("J-8")
def test_both_times_are_printed_for_each_device(capsys: pytest.CaptureFixture[str]) -> None:
    assert timing.main(["--size", "8", "--rounds", "3"]) == 0
    text = capsys.readouterr().out
    found = [d for d in sycl.device.get_devices() if d.has(sycl.aspect.queue_profiling)]
    assert len(found) >= 2
    for line in ("clock around submit and wait", "event: started to ended", "equal to NumPy"):
        assert text.count(line) == len(found)
    assert all(d.get_info(sycl.info.device.name) in text for d in found)


@pytest.mark.row("J-8")
def test_times_are_of_one_order(device: sycl.device) -> None:
    queue = sycl.queue(device, sycl.property.queue.enable_profiling())
    times = timing.measure(queue, 8, 1)
    assert times.right
    assert 0 <= times.running <= times.clock
    assert 0 <= times.waiting <= times.clock
    assert timing.gigaflops(1000, 2.0) == 1000
