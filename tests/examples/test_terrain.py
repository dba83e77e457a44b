"""The terrain example against NumPy, and its bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import unisycl as sycl
from unisycl.examples import terrain


def part(device: sycl.device) -> tuple[terrain.Terrain, int]:
    """Return terrain and steps that the device can do in a moment."""
    land = terrain.load_terrain()
    if not device.has(sycl.aspect.host_debuggable):
        return land, 40
    height = np.ascontiguousarray(land.height[40:80, 60:110])
    return terrain.Terrain(height, land.dx, land.dy), 5


def test_the_picture_is_the_reference_within_a_grey_level(device: sycl.device) -> None:
    land, steps = part(device)
    before = land.height.copy()
    queue = sycl.queue(device, sycl.property.queue.enable_profiling())
    ours, line = terrain.run_chain(queue, land, steps)
    gap = np.abs(ours.astype(int) - terrain.reference(land, steps))
    assert gap.max() <= 1
    assert len(line.milliseconds()) == steps + 2
    assert np.array_equal(before, land.height)


def test_without_steps_both_halves_are_equal(device: sycl.device) -> None:
    land, _ = part(device)
    queue = sycl.queue(device, sycl.property.queue.enable_profiling())
    ours, _ = terrain.run_chain(queue, land, 0)
    left, right = np.hsplit(ours, 2)
    assert np.array_equal(left, right)
    assert len(np.unique(left)) > 10, "it is a picture, and not one grey"


def test_the_program_writes_the_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    target = tmp_path / "terrain.png"
    assert terrain.main(["-o", str(target), "--steps", "3"]) == 0
    with Image.open(target) as written:
        assert written.size == (2 * 403, 344)
    assert "heat_step x 3" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--device", "toaster"], ["--steps", "-1"]])
def test_bad_input_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        terrain.main(arguments)
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
