"""The cache on disk gives back what was kept, or nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from unisycl.base import disk_cache

KEY = disk_cache.key_of("a", "kernel")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache directory of this test's own."""
    where = tmp_path / "cache"
    monkeypatch.setenv("UNISYCL_CACHE", str(where))
    forget()
    yield where
    forget()


def forget() -> None:
    disk_cache.directory.cache_clear()
    disk_cache._cannot_write.cache_clear()


def test_an_entry_comes_back_as_it_was(place: Path) -> None:
    assert disk_cache.load(KEY) is None
    disk_cache.save(KEY, b"code")
    assert disk_cache.load(KEY) == b"code"
    assert 0o700 == place.stat().st_mode & 0o777


def test_keys_depend_on_every_part_and_where_parts_end() -> None:
    keys = [disk_cache.key_of("ab", "c"), disk_cache.key_of("a", "bc"), disk_cache.key_of("abc")]
    assert 3 == len(set(keys))


@pytest.mark.parametrize("damage", [
    lambda raw: raw[:-1], lambda raw: raw[:20], lambda raw: b"", lambda raw: b"x" + raw[1:],
    lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]), lambda raw: raw + b"more"])
def test_a_damaged_entry_reads_as_absent(place: Path, damage: object) -> None:
    disk_cache.save(KEY, b"code that was compiled")
    entry = place / KEY
    entry.write_bytes(damage(entry.read_bytes()))  # type: ignore[operator]
    assert disk_cache.load(KEY) is None
    disk_cache.save(KEY, b"code that was compiled")
    assert disk_cache.load(KEY) == b"code that was compiled"


def test_an_entry_under_the_name_of_another_is_not_used(place: Path) -> None:
    disk_cache.save(KEY, b"code")
    other = disk_cache.key_of("another")
    (place / KEY).rename(place / other)
    assert disk_cache.load(other) is None


def test_an_entry_others_may_write_is_not_used(place: Path) -> None:
    disk_cache.save(KEY, b"code")
    (place / KEY).chmod(0o666)
    assert disk_cache.load(KEY) is None


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0,
                    reason="only root can give a file to another user")
def test_an_entry_of_another_user_is_not_used(place: Path) -> None:
    disk_cache.save(KEY, b"code")
    os.chown(place / KEY, 12345, 12345)
    assert disk_cache.load(KEY) is None


def test_a_directory_others_may_write_is_refused_and_said_once(place: Path) -> None:
    place.mkdir()
    place.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="someone else"):
        assert disk_cache.directory() is None
    disk_cache.save(KEY, b"code")
    assert disk_cache.load(KEY) is None
    assert not list(place.iterdir())


def test_a_directory_that_cannot_be_written_costs_speed_only(
        place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk_cache.save(KEY, b"code")

    names = iter("abc")

    def full(*_args: object, **_named: object) -> None:
        raise OSError(30, "Read-only file system", f"/cache/new-{next(names)}")
    monkeypatch.setattr(disk_cache.tempfile, "mkstemp", full)
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        disk_cache.save("other", b"code")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it was said, whatever the next file would be called
        disk_cache.save("other", b"code")
    assert disk_cache.load(KEY) == b"code"


def test_a_path_that_is_no_directory_costs_speed_only(place: Path) -> None:
    place.write_text("a file")
    with pytest.warns(RuntimeWarning, match="no cache directory"):
        assert disk_cache.directory() is None


def test_the_cache_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_CACHE", "off")
    forget()
    assert disk_cache.directory() is None
    forget()


PROGRAM = """
import numpy as np, unisycl as sycl
x = np.arange(100, dtype=np.float32)
def kernel(i):
    x[i] = x[i] * 2 + 1
sycl.queue(sycl.cpu_selector_v).parallel_for(100, kernel).wait()
assert np.array_equal(np.arange(100) * 2 + 1, x)
"""


def test_many_cold_processes_share_one_directory(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    root = Path(disk_cache.__file__).parents[2]
    environment = {**os.environ, "UNISYCL_CACHE": str(tmp_path / "cache"),
                   "PYTHONPATH": str(root)}
    running = [subprocess.Popen([sys.executable, str(program)], env=environment)
               for _ in range(32)]
    assert [0] * 32 == [p.wait(timeout=120) for p in running]
    assert not [p for p in (tmp_path / "cache").iterdir() if p.name.startswith("new-")]


def test_a_damaged_entry_of_a_kernel_is_rebuilt_and_never_run(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    root = Path(disk_cache.__file__).parents[2]
    cache = tmp_path / "cache"
    environment = {**os.environ, "UNISYCL_CACHE": str(cache), "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, str(program)], env=environment, check=True)
    for entry in cache.iterdir():
        raw = bytearray(entry.read_bytes())
        raw[len(raw) // 2:] = bytes(len(raw) - len(raw) // 2)
        entry.write_bytes(raw)
    subprocess.run([sys.executable, str(program)], env=environment, check=True)
    assert all(disk_cache._checksum(e.name, e.read_bytes()[40:]) == e.read_bytes()[8:40]
               for e in cache.iterdir())
