"""The turn example against SciPy, and its bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import unisycl as sycl
from unisycl.examples import turn
from unisycl.examples.program import read_picture, sample
from unisycl.testing import refused


def picture(device: sycl.device) -> turn.Picture:
    """Return as much of the photograph as the device can do in a moment."""
    rgb = read_picture(sample("grace_hopper.jpg"))
    return rgb[100:120, 200:230] if device.has(sycl.aspect.host_debuggable) else rgb


@pytest.mark.parametrize(("angle", "zoom"), [(30.0, 0.5), (-100.0, 1.7)])
def test_the_picture_is_the_reference_within_a_grey_level(
        device: sycl.device, angle: float, zoom: float) -> None:
    rgb = picture(device)
    queue = sycl.queue(device, sycl.property.queue.enable_profiling())
    with refused(device, sycl.aspect.image):
        ours, line = turn.run_chain(queue, rgb, angle, zoom)
    gap = np.abs(ours.astype(int) - turn.reference(rgb, angle, zoom))
    assert gap.max() <= 1
    assert (gap > 0).mean() < 0.01
    assert len(line.milliseconds()) == 1


def test_a_picture_that_is_not_turned_stays_as_it_is(device: sycl.device) -> None:
    rgb = picture(device)
    queue = sycl.queue(device, sycl.property.queue.enable_profiling())
    with refused(device, sycl.aspect.image):
        ours, _ = turn.run_chain(queue, rgb, 0.0, 1.0)
    np.testing.assert_array_equal(ours, rgb)


def test_the_program_writes_the_picture(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "turn.png"
    assert turn.main(["-o", str(target), "--angle", "45"]) == 0
    with Image.open(target) as written:
        assert written.size == (512, 600)
        assert written.mode == "RGB"
    assert "greatest difference from SciPy, in grey levels: " in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--device", "toaster"], ["--zoom", "0"],
                                       ["--angle", "nan"], ["no/such/picture.png"]])
def test_bad_input_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        turn.main(arguments)
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
