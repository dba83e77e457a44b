"""The cache on disk gives back what was kept, or nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from unisycl.process import disk_cache

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
    disk_cache.shared.cache_clear()


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
        disk_cache.save(disk_cache.key_of("other"), b"code")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it was said, whatever the next file would be called
        disk_cache.save(disk_cache.key_of("other"), b"code")
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


# ---------------------------------------------------------------------- what is the user's
def fill(where: Path, count: int = 3) -> list[Path]:
    """Put in what a user may have lying in a folder, some of it under names like ours."""
    where.mkdir(exist_ok=True)
    files = [where / name for name in (
        "thesis.bin", "new-chapter", f"{KEY}.txt", KEY, "new-abcdefgh.unisycl")[:count]]
    for file in files:
        file.write_bytes(b"years of work")
        os.utime(file, (1, 1))
    return files


def write_many(count: int = 2 * disk_cache._SWEEP_EVERY) -> None:
    for k in range(count):
        disk_cache.save(disk_cache.key_of(str(k)), bytes(1000))


def sweep_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_cache, "LIMIT_BYTES", 20_000)


def test_a_folder_with_other_files_is_left_alone(
        place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = fill(place, 5)
    sweep_soon(monkeypatch)
    write_many()
    assert [b"years of work"] * 5 == [file.read_bytes() for file in files]
    assert {*files, place / "unisycl"} == set(place.iterdir())
    assert disk_cache.directory() == place / "unisycl"
    assert disk_cache.load(disk_cache.key_of("127")) == bytes(1000)


def test_files_put_into_the_cache_later_are_left_alone(
        place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep_soon(monkeypatch)
    write_many(1)
    files = fill(place, 4)
    (place / disk_cache.key_of("folder")).mkdir()
    (place / disk_cache.key_of("link")).symlink_to(files[0])
    write_many()
    disk_cache.clear(place)
    assert [b"years of work"] * 4 == [file.read_bytes() for file in files]
    assert (place / disk_cache.key_of("folder")).is_dir()
    assert (place / disk_cache.key_of("link")).is_symlink()
    assert not list(disk_cache.entries(place))


def test_a_full_cache_drops_what_was_used_longest_ago(
        place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep_soon(monkeypatch)
    monkeypatch.setattr(disk_cache, "_writes", 0)
    for k in range(disk_cache._SWEEP_EVERY):
        if k == disk_cache._SWEEP_EVERY - 1:
            for age, kept in enumerate(disk_cache.entries(place)):
                os.utime(kept.path, (age, age))
        disk_cache.save(disk_cache.key_of(str(k)), bytes(1000))
    left = list(disk_cache.entries(place))
    assert 0 < sum(kept.size for kept in left) <= 10_000
    assert disk_cache.load(disk_cache.key_of(str(disk_cache._SWEEP_EVERY - 1))) == bytes(1000)
    assert disk_cache.is_marked(place)


def test_what_a_killed_process_left_is_dropped_a_day_later(place: Path) -> None:
    write_many(1)
    young, old = place / "new-abcdefgh.unisycl", place / "new-01234567.unisycl"
    for file in (young, old):
        file.write_bytes(b"")
    os.utime(old, (1, 1))
    write_many()
    assert young.exists()
    assert not old.exists()


def test_without_the_mark_nothing_is_deleted(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep_soon(monkeypatch)
    write_many(10)
    (place / disk_cache.MARK).unlink()
    write_many()
    assert disk_cache.clear(place) == (0, 0)
    assert len(list(place.iterdir())) == 2 * disk_cache._SWEEP_EVERY


@pytest.mark.parametrize("kind", ["home", "start", "temporary", "root"])
def test_a_place_people_live_in_is_never_ours(
        kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = tmp_path / "empty"
    where.mkdir(mode=0o700)
    assert not disk_cache._lived_in(where)
    if kind == "home":
        monkeypatch.setenv("HOME", str(where))
    elif kind == "start":
        monkeypatch.setattr(disk_cache.start_folder, "FOLDER", str(where))
    elif kind == "temporary":
        monkeypatch.setattr(disk_cache.tempfile, "gettempdir", lambda: str(where))
    else:
        where = Path("/")
    assert disk_cache._lived_in(where)
    if kind != "root":
        monkeypatch.setenv("UNISYCL_CACHE", str(where))
        assert disk_cache.find() == (where / "unisycl", "")
        assert [where / "unisycl"] == list(where.iterdir())


def test_entries_of_an_earlier_version_are_taken_over(place: Path) -> None:
    disk_cache.save(KEY, b"code")
    (place / disk_cache.MARK).unlink()
    forget()
    assert disk_cache.load(KEY) == b"code"
    assert disk_cache.is_marked(place)


def test_a_folder_of_others_files_in_both_places_is_refused_with_the_way_out(place: Path) -> None:
    files = [*fill(place), *fill(place / "unisycl")]
    with pytest.warns(RuntimeWarning, match=r"files that are not unisycl's.*Set UNISYCL_CACHE"):
        assert disk_cache.directory() is None
    assert all(file.exists() for file in files)


@pytest.mark.parametrize("kind", ["fifo", "folder", "link", "device"])
def test_what_lies_where_an_entry_belongs_is_not_waited_for(place: Path, kind: str) -> None:
    write_many(1)
    entry, elsewhere = place / KEY, place.parent / "elsewhere"
    disk_cache.save(KEY, b"code")
    entry.rename(elsewhere)
    if kind == "fifo":
        os.mkfifo(entry)
    elif kind == "folder":
        entry.mkdir()
    else:
        entry.symlink_to(elsewhere if kind == "link" else "/dev/zero")
    assert disk_cache.load(KEY) is None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        disk_cache.save(KEY, b"other")
    assert (kind == "folder") == bool(said)
    assert disk_cache.load(KEY) == (None if kind == "folder" else b"other")
    assert disk_cache._read(elsewhere) is not None


@pytest.mark.parametrize("kind", ["fifo", "folder", "link"])
def test_a_mark_that_is_no_plain_file_is_none(place: Path, kind: str) -> None:
    place.mkdir()
    mark = place / disk_cache.MARK
    if kind == "fifo":
        os.mkfifo(mark)
    elif kind == "folder":
        mark.mkdir()
    else:
        mark.symlink_to("/etc/passwd")
    assert disk_cache.find() == (place / "unisycl", "")


def test_a_linked_folder_is_followed_once(place: Path) -> None:
    real, other = place.parent / "real", place.parent / "other"
    for folder in (real, other):
        folder.mkdir(mode=0o700)
    place.symlink_to(real)
    disk_cache.save(KEY, b"code")
    place.unlink()
    place.symlink_to(other)
    assert disk_cache.load(KEY) == b"code"
    assert not list(other.iterdir())


def test_a_path_may_begin_at_home_and_does_not_move_with_the_process(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("UNISYCL_CACHE", "~/kept")
    assert disk_cache.find() == (tmp_path / "kept", "")
    monkeypatch.setattr(disk_cache.start_folder, "FOLDER", str(tmp_path))
    monkeypatch.setenv("UNISYCL_CACHE", "beside")
    monkeypatch.chdir("/")
    assert disk_cache.find() == (tmp_path / "beside", "")
    assert not Path("/beside").exists()
    assert not (Path.cwd() / "~").exists()


@pytest.mark.parametrize(("settings", "reason"), [
    ({"UNISYCL_CACHE": "", "HOME": "", "XDG_CACHE_HOME": ""}, "HOME is ''"),
    ({"UNISYCL_CACHE": "", "HOME": "here", "XDG_CACHE_HOME": "there"}, "HOME is 'here'"),
    ({"UNISYCL_CACHE": "~/x", "HOME": "here"}, "UNISYCL_CACHE=~/x: HOME is 'here'"),
    ({"UNISYCL_CACHE": "~", "HOME": ""}, "UNISYCL_CACHE=~: HOME is ''"),
    ({"UNISYCL_CACHE": "~nobody-at-all/x"}, "UNISYCL_CACHE=~nobody-at-all/x: "),
    ({"UNISYCL_CACHE": "/proc/nowhere"}, "no cache directory"),
    ({"UNISYCL_CACHE": "/dev/null/x"}, "no cache directory"),
    ({"UNISYCL_CACHE": "/tmp/" + "x" * 300}, "too long"),
])
def test_a_setting_that_cannot_be_used_is_told(
        settings: dict[str, str], reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    forget()
    with pytest.warns(RuntimeWarning, match=re.escape(reason)):
        assert disk_cache.directory() is None
    forget()


def test_words_switch_the_cache_on_and_off(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for word, found in (("1", tmp_path / "unisycl"), (" on ", tmp_path / "unisycl"),
                        ("false", None), ("Off", None)):
        monkeypatch.setenv("UNISYCL_CACHE", word)
        assert disk_cache.find() == (found, "")


def test_where_warnings_are_errors_the_cache_says_so_and_goes_on(
        place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place.write_text("a file")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert disk_cache.directory() is None
        disk_cache.save(KEY, b"code")
        assert disk_cache.load(KEY) is None
    assert "no cache directory can be used" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_costs_speed_only(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_many(1)
    made = place / "new-abcdefgh.unisycl"

    def mkstemp(**_named: object) -> tuple[int, str]:
        made.write_bytes(b"")
        return os.open("/dev/full", os.O_WRONLY), str(made)
    monkeypatch.setattr(disk_cache.tempfile, "mkstemp", mkstemp)
    with pytest.warns(RuntimeWarning, match="cannot be written .No space left"):
        disk_cache.save(KEY, b"code")
    assert not made.exists()
    assert disk_cache.load(KEY) is None


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
               for _ in range(6)]
    assert [0] * 6 == [p.wait(timeout=300) for p in running]
    assert not [p for p in (tmp_path / "cache").iterdir() if p.name.startswith("new-")]


def test_a_damaged_entry_of_a_kernel_is_rebuilt_and_never_run(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    root = Path(disk_cache.__file__).parents[2]
    cache = tmp_path / "cache"
    environment = {**os.environ, "UNISYCL_CACHE": str(cache), "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, str(program)], env=environment, check=True)
    for entry in (kept.path for kept in disk_cache.entries(cache)):
        raw = bytearray(entry.read_bytes())
        raw[len(raw) // 2:] = bytes(len(raw) - len(raw) // 2)
        entry.write_bytes(raw)
    subprocess.run([sys.executable, str(program)], env=environment, check=True)
    whole = {e: e.read_bytes() for e in cache.iterdir() if e.name != disk_cache.MARK}
    assert whole
    assert all(disk_cache._checksum(e.name, raw[40:]) == raw[8:40] for e, raw in whole.items())


@pytest.fixture
def others(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that another user filled, who is this one to the system, and an empty one."""
    disk_cache.save(KEY, b"code")
    disk_cache.save(disk_cache.key_of("another"), b"more")
    there = tmp_path / "shared"
    assert disk_cache.share(place, there) == 2
    disk_cache.clear(place)
    monkeypatch.setenv("UNISYCL_SHARED_CACHE", str(there))
    monkeypatch.setenv("UNISYCL_SHARED_CACHE_OWNER", str(os.getuid()))
    disk_cache.shared.cache_clear()
    return there


def test_a_shared_cache_is_read_and_never_written(others: Path, place: Path) -> None:
    before = sorted(others.iterdir())
    assert all(p.stat().st_mode & 0o777 == 0o644 for p in before)
    assert others.stat().st_mode & 0o777 == 0o755
    assert disk_cache.load(KEY) == b"code"
    disk_cache.save(disk_cache.key_of("new"), b"new")
    disk_cache.save(KEY, b"mine")
    assert disk_cache.load(KEY) == b"mine"
    assert disk_cache.clear(place)[0] == 2
    assert disk_cache.load(KEY) == b"code"
    assert sorted(others.iterdir()) == before


@pytest.mark.parametrize("spoil", [
    lambda p: p.chmod(0o777), lambda p: p.chmod(0o775), lambda p: (p / disk_cache.MARK).unlink(),
    lambda p: (p / disk_cache.MARK).chmod(0o666)])
def test_a_shared_cache_that_others_may_write_is_not_used(others: Path, spoil: object) -> None:
    spoil(others)  # type: ignore[operator]
    with pytest.warns(RuntimeWarning, match="UNISYCL_SHARED_CACHE is not used"):
        assert disk_cache.load(KEY) is None
    assert disk_cache.load(KEY) is None


def test_a_shared_cache_belongs_to_root_or_to_whom_a_setting_names(
        others: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = disk_cache._is_ours(others.lstat(), frozenset({os.getuid() + 1}))
    assert found is False
    for name, said in (("nobody-of-this-name", "there is no such user"),):
        monkeypatch.setenv("UNISYCL_SHARED_CACHE_OWNER", name)
        disk_cache.shared.cache_clear()
        with pytest.warns(RuntimeWarning, match=said):
            assert disk_cache.load(KEY) is None
    monkeypatch.delenv("UNISYCL_SHARED_CACHE_OWNER")
    disk_cache.shared.cache_clear()
    if os.getuid():
        with pytest.warns(RuntimeWarning, match="belongs to somebody else"):
            assert disk_cache.load(KEY) is None
    else:
        assert disk_cache.load(KEY) == b"code"


def test_single_entries_of_a_shared_cache_are_looked_at_as_ours_are(others: Path) -> None:
    (others / KEY).chmod(0o666)
    assert disk_cache.load(KEY) is None
    (others / KEY).chmod(0o644)
    raw = (others / KEY).read_bytes()
    (others / KEY).write_bytes(raw[:-1] + b"x")
    assert disk_cache.load(KEY) is None
    (others / KEY).write_bytes(raw)
    assert disk_cache.load(KEY) == b"code"


def test_a_cache_is_not_shared_into_a_folder_of_other_files(place: Path, tmp_path: Path) -> None:
    disk_cache.save(KEY, b"code")
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(disk_cache.Foreign):
        disk_cache.share(place, tmp_path)


def test_a_cache_is_not_shared_into_a_folder_of_somebody_else(
        place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk_cache.save(KEY, b"code")
    there = tmp_path / "theirs"
    there.mkdir(mode=0o777)
    uid = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: uid + 1)
    with pytest.raises(disk_cache.Foreign, match="belongs to somebody else"):
        disk_cache.share(place, there)
    assert not list(there.iterdir())
