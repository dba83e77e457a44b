"""The photograph example against SciPy and NumPy, and its bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import unisycl as sycl
from unisycl.examples import photo
from unisycl.examples.program import Picture, read_picture, sample


def crop(device: sycl.device, rgb: Picture) -> Picture:
    """Return what the device can do in a moment: everything, or 70 x 45 pixels of the face."""
    slow = device.has(sycl.aspect.host_debuggable)
    return np.ascontiguousarray(rgb[100:170, 230:275]) if slow else rgb


def profiling_queue(device: sycl.device) -> sycl.queue:
    return sycl.queue(device, sycl.property.queue.enable_profiling())


def test_the_picture_is_the_reference_within_a_grey_level(device: sycl.device) -> None:
    rgb = crop(device, read_picture(sample("grace_hopper.jpg")))
    ours, line = photo.run_chain(profiling_queue(device), rgb)
    gap = np.abs(ours.astype(int) - photo.reference(rgb))
    assert gap.max() <= 1
    assert [name for name, _ in line.milliseconds()] == [
        "luminance", "blur_rows", "blur_columns", "sobel", "clear", "histogram", "prefix_sum",
        "equalise"]
    assert all(spent >= 0 for _, spent in line.milliseconds())


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (17, 16), (16, 33)])
def test_any_size_will_do(device: sycl.device, shape: tuple[int, int]) -> None:
    rgb = np.random.default_rng(7).integers(0, 256, (*shape, 3), np.uint8)
    ours, _ = photo.run_chain(profiling_queue(device), rgb)
    assert np.abs(ours.astype(int) - photo.reference(rgb)).max() <= 1


def test_the_program_writes_the_picture_and_prints_the_times(
    device: sycl.device, tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    source, target = tmp_path / "in.png", tmp_path / "out.png"
    rgb = crop(device, read_picture(sample("grace_hopper.jpg")))
    Image.fromarray(rgb).save(source)
    name = device.get_backend().name
    assert photo.main([str(source), "-o", str(target), "--device", name]) == 0
    with Image.open(target) as written:
        assert np.abs(np.asarray(written).astype(int) - photo.reference(rgb)).max() <= 1
    text = capsys.readouterr().out
    for part in (f"[{name}]", "histogram", " ms", "SciPy/NumPy", "grey levels"):
        assert part in text


def refused_line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the program; return the one line it prints before it exits with code 2."""
    with pytest.raises(SystemExit) as stop:
        photo.main([*arguments, "-o", "unused.png"])
    assert stop.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0]


def test_a_missing_picture_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot read a picture from nowhere.jpg" in refused_line(capsys, "nowhere.jpg")


def test_a_file_that_is_no_picture_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("not a picture")
    assert "cannot read a picture from" in refused_line(capsys, str(text))


def test_a_truncated_picture_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    half = tmp_path / "half.jpg"
    half.write_bytes(sample("grace_hopper.jpg").read_bytes()[:20000])
    assert "cannot read a picture from" in refused_line(capsys, str(half))


def test_a_folder_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot read a picture from" in refused_line(capsys, str(tmp_path))


def test_a_wrong_device_name_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = refused_line(capsys, "--device", "toaster")
    assert "no device is named 'toaster'; choose one of: default, " in line
    assert "host" in line


def test_a_place_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    source = tmp_path / "in.png"
    Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(source)
    with pytest.raises(SystemExit) as stop:
        photo.main([str(source), "-o", str(tmp_path / "no" / "out.png")])
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith("cannot write the picture")
