"""Facts of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from unisycl.process import machine


@pytest.mark.parametrize(("text", "size"), [
    ("1024K\n", 1 << 20), ("32M", 32 << 20), ("512", 512), ("", 0), ("much", 0)])
def test_sizes_are_read_as_linux_prints_them(text: str, size: int) -> None:
    assert size == machine.parse_size(text)


def test_the_largest_cache_is_the_last(tmp_path: Path) -> None:
    for k, size in enumerate(("32K", "8M", "1M")):
        folder = tmp_path / "cache" / f"index{k}"
        folder.mkdir(parents=True)
        (folder / "size").write_text(size)
        (folder / "coherency_line_size").write_text("64\n")
    assert (8 << 20, 64) == machine.last_cache(tmp_path)
    assert (0, 0) == machine.last_cache(tmp_path / "nothing")


def test_what_is_unknown_is_zero_and_names_are_never_empty() -> None:
    assert machine.memory_bytes() >= 0
    assert machine.clock_mhz() >= 0
    assert machine.processor()
    assert machine.vendor()
