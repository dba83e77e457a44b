"""The project of the tutorial's section 5.6: one film, one memory, all libraries of oneAPI."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys

import numpy as np
import pytest

import unisycl as sycl
from tests.ranks.processes import ROOT, starter
from tests.runtimes import skip_where_one_kernel_cannot_overlap
from unisycl.examples.project import __main__ as program
from unisycl.examples.project.chain import SECTORS, Project, Queues
from unisycl.examples.project.film import LUMA, SIDE, film
from unisycl.oneapi import ccl, mkl

FRAMES = 5


def features(batch: np.ndarray) -> np.ndarray:
    """Return how strong the waves of each picture are in each direction, by NumPy in float64."""
    place = (np.arange(SIDE) + 0.5) / SIDE
    fade = np.outer(*[np.sin(np.pi * place) ** 2] * 2)
    spectra = np.fft.rfft2((batch[:, :LUMA].reshape(-1, SIDE, SIDE) - 128.0) * fade)
    found = np.zeros((len(batch), SECTORS))
    for i, down in enumerate(np.fft.fftfreq(SIDE)):
        for j, along in enumerate(np.fft.rfftfreq(SIDE)):
            if np.hypot(down, along) > 0.1:
                k = round(np.arctan2(down, along) / np.pi * SECTORS) % SECTORS
                found[:, k] += np.abs(spectra[:, i, j]) ** 2 / LUMA
    return np.log1p(found)


def scores(seen: np.ndarray) -> np.ndarray:
    """Return how likely each class is: what stands out near 0, 60 and 120 degrees."""
    out = np.maximum(seen - seen.mean(1, keepdims=True), 0)
    sums = [sum(out[:, (c + d) % SECTORS] for d in (-1, 0, 1)) / 4 for c in (0, 4, 8)]
    likely = np.exp(np.stack(sums, 1))
    return likely / likely.sum(1, keepdims=True)


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch):
    """Count what is copied between memories, whatever device's driver does it."""
    found: list[int] = []

    def count(kind: type) -> None:
        original = kind.copy

        def copy(self, dst, src, deps):
            found.append(int(np.prod(dst.shape)) if hasattr(dst, "shape") else -1)
            return original(self, dst, src, deps)
        monkeypatch.setattr(kind, "copy", copy)

    kinds = set()
    for platform in sycl.platform.get_platforms():
        for device in platform.get_devices():
            kinds.add(next(k for k in type(sycl.queue(device).channel.driver).__mro__
                           if "copy" in vars(k)))
    for kind in kinds:
        count(kind)
    return found


@pytest.mark.row("L-1")
@pytest.mark.row("L-23")
def test_the_chain_is_numpys_and_nothing_is_copied_between_libraries(
        queue: sycl.queue, copies: list[int]) -> None:
    cpu = sycl.queue(sycl.cpu_selector_v)
    apart = queue.channel.driver.memory != "host"
    batch = film(None, cpu, range(FRAMES))
    assert len(batch) == FRAMES
    assert batch[:, :LUMA].std() > 20
    right = features(batch)
    # The transform's table comes in, too, where the device does not read the host's memory; a
    # library of the device's has its own.
    table = not queue.get_device().has(sycl.aspect.usm_system_allocations) and not (
        queue.get_backend() == sycl.backend.cuda and "cufft" in mkl.available("mkl.dft"))
    # One queue: pictures and three tables come in, scores go out. Or parts on two devices: what
    # was prepared and one table come in, features go out.
    for queues, moved in (([queue] * 3, 5), ([cpu, queue, cpu], 3)):
        copies.clear()
        project = Project(Queues(cpu, *queues), batch)
        found = project.run()
        assert len(copies) == (moved + table if apart else 0), copies
        with sycl.host_accessor(project.features, sycl.read_only) as seen:
            np.testing.assert_allclose(np.array(seen).reshape(FRAMES, SECTORS), right,
                                       rtol=2e-4, atol=2e-4)
        np.testing.assert_allclose(found, scores(right), rtol=5e-4)
        assert found.argmax(1).tolist() == [k % 3 for k in range(FRAMES)]


@pytest.mark.row("L-23")
def test_ranks_share_the_film_and_add_up_what_they_found(queue: sycl.queue) -> None:
    skip_where_one_kernel_cannot_overlap(queue.get_device())
    queues = Queues(sycl.queue(sycl.cpu_selector_v), *[queue] * 3)
    found = ccl.run_threads(2, lambda comm: program.work(queues, None, 3, comm))
    assert [len(batch) for batch, _, _ in found] == [2, 1]
    assert [counts.tolist() for _, _, counts in found] == [[1, 1, 1, 3]] * 2


@pytest.mark.row("L-23")
def test_the_program_passes_with_whatever_devices_there_are(
        device: sycl.device, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("default", device.state.name):
        assert program.main(["--frames", "3", "--device", name]) == 0
        text = capsys.readouterr().out
        for what in ("data prepared by dpl", "spectra by mkl", "network by dnn"):
            assert re.search(f"^{what}.* \\[\\w+\\]: ", text, re.MULTILINE), text
        assert "3 pictures: 1 upright, 1 rising, 1 falling" in text
        assert text.endswith("3 of 3 as they were made\n")
    assert device.get_info(sycl.info.device.name) in text


@pytest.mark.row("L-23")
def test_films_are_read_or_made_where_there_is_no_decoder(
        tmp_path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "found.png"
    with monkeypatch.context() as m:
        m.setattr(importlib.util, "find_spec", lambda name: None)
        assert program.main(["--frames", "4", "--device", "cpu"]) == 0
        assert "4 of 4" in capsys.readouterr().out
        for wrong in (["--frames", "0"], [str(tmp_path / "absent")], [__file__]):
            with pytest.raises(SystemExit) as ended:
                program.main([*wrong, "--device", "cpu"])
            assert ended.value.code == 2
        assert capsys.readouterr().err.count("\n") == 3
    pytest.importorskip("av", reason="PyAV is not installed")
    from unisycl.examples import video
    out = tmp_path / "film.mjpeg"
    video.main(["--frames", "2", "--codec", "mjpeg", "--device", "cpu", "-o", str(out)])
    capsys.readouterr()
    drawn = ["-o", str(picture)] if importlib.util.find_spec("matplotlib") else []
    assert program.main([str(out), "--frames", "9", "--device", "cpu", *drawn]) == 0
    assert "\n2 pictures: " in capsys.readouterr().out
    assert picture.exists() or not drawn


@pytest.mark.row("L-23")
def test_processes_of_mpi_share_the_film() -> None:
    starter()
    done = subprocess.run(
        [sys.executable, "-m", "unisycl", "mpirun", "-n", "2", "-m", "unisycl.examples.project",
         "--frames", "3"], cwd=ROOT, text=True, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("3 pictures on 2 ranks: 1 upright, 1 rising, 1 falling") == 1
