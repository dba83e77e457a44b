"""The program that decodes, filters and encodes a film."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("av", reason="PyAV is not installed")

from unisycl.examples import video  # noqa: E402


def test_a_film_is_filtered_and_its_last_line_tells_the_rate(tmp_path, capsys):
    out = tmp_path / "film.mjpeg"
    assert video.main(["--frames", "3", "--codec", "mjpeg", "--device", "cpu", "-o", str(out)]) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0].startswith("3 pictures decoded")
    assert re.fullmatch(r"[0-9.]+ frames a second", text[-1])
    assert video.main([str(out), "--frames", "2", "--device", "cpu"]) == 0
    assert capsys.readouterr().out.startswith("2 pictures")
    for wrong in (["--codec", "vc1"], ["absent.mp4"], [__file__]):
        with pytest.raises(SystemExit) as ended:
            video.main([*wrong, "--frames", "1", "--device", "cpu"])
        assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 3
