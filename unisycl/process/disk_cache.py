"""A private directory of compiled code, keyed by the content it was made from.

Entries are written whole or not at all, carry a checksum, and are used only if this user owns them
and nobody else may write them. The directory bears a mark, set while it held nothing but entries.
Non-goals: what an entry holds. Invariants: a damaged, truncated, foreign or half-written entry
reads as absent; nothing is deleted but entries, and only below the mark; trouble with the directory
costs speed, never correctness, and is said once.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from unisycl.base import settings, start_folder
from unisycl.base.dataclass import dataclass
from unisycl.process.notices import tell

LIMIT_BYTES = 256 << 20
MARK = ".unisycl-cache"
_MARK_TEXT = (b"Compiled kernels of unisycl. It deletes its own files here when they have not been "
              b"used for\nlong; python -m unisycl cache tells of them, and clears them.\n")
_MAGIC = b"unisycl1"
_HEAD = len(_MAGIC) + 32
_ENTRY = re.compile(r"[0-9a-f]{64}")
_HALF = re.compile(r"new-[a-z0-9_]{8}\.unisycl")
_HALF_SECONDS = 86400.0
_OFF = ("0", "off", "none", "no", "false")
_ON = ("1", "on", "yes", "true")
_READ = (os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
         | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
_SWEEP_EVERY = 64
_writes = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """One file of ours: when it was last used, its bytes; ``half``: it was never finished."""

    path: Path
    used: float
    size: int
    half: bool


def key_of(*parts: str | bytes) -> str:
    """Return the key of an entry made from these parts."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()


# ---------------------------------------------------------------------- the directory
@functools.cache
def directory() -> Path | None:
    """Return the cache directory, made if need be; None if there is none that can be trusted."""
    where, why = find()
    if where is None and why:
        _say(why)
    return where


def find() -> tuple[Path | None, str]:
    """Return the directory, or None and why there is none: nothing where it was switched off."""
    asked = settings.CACHE.get().strip().lower()
    if asked in _OFF:
        return None, ""
    try:
        path = (None if asked in _ON else settings.CACHE.path()) or _default()
        return _opened(path), ""
    except Foreign as error:
        return None, str(error)
    except (OSError, RuntimeError, ValueError) as error:
        return None, f"no cache directory can be used ({error})"


class Foreign(Exception):
    """The directory is not ours to use."""


def _default() -> Path:
    root = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if root.is_absolute():  # others are to be ignored, says the XDG specification
        return root / "unisycl"
    return settings.home() / ".cache" / "unisycl"


def _opened(path: Path) -> Path:
    """Return the directory of a path: itself, or one of our own in it if it holds other things."""
    if (is_marked(path) or not _lived_in(path)) and _taken(path):
        return path.resolve()
    inside = path / "unisycl"
    if _taken(inside):
        return inside.resolve()
    raise Foreign(f"{path} and {inside} hold files that are not unisycl's")


def _lived_in(path: Path) -> bool:
    """Say whether a directory is somebody's place, however empty it is."""
    places = [Path(path.anchor), Path(tempfile.gettempdir())]
    if start_folder.FOLDER:
        places.append(Path(start_folder.FOLDER))
    with contextlib.suppress(RuntimeError):
        places.append(settings.home())
    return path.exists() and any(p.exists() and path.samefile(p) for p in places)


def _taken(folder: Path) -> bool:
    """Make a directory and mark it, unless it was there and held anything but entries."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_ours(folder.stat()):
        raise Foreign(f"the cache directory {folder} belongs to or is writable by someone else")
    if is_marked(folder):
        return True
    if not all(p.name == MARK or _kept(p) for p in folder.iterdir()):
        return is_marked(folder)  # by another process, which has begun to write here
    with contextlib.suppress(FileExistsError):
        handle = os.open(folder / MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(_MARK_TEXT)
    return is_marked(folder)


def is_marked(folder: Path) -> bool:
    """Say whether a directory bears our mark: a plain file of this user's, under its name."""
    try:
        found = (folder / MARK).lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and _is_ours(found)


def _is_ours(found: os.stat_result, owners: frozenset[int] | None = None) -> bool:
    """Say whether this user, or one of others, owns a file and nobody else may write it."""
    if not hasattr(os, "getuid"):
        return True
    mine = found.st_uid in (owners or (os.getuid(),))
    return mine and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


# ---------------------------------------------------------------------- one that others filled
@functools.cache
def shared() -> tuple[Path, frozenset[int]] | None:
    """Return the folder of a cache that others filled, and who may own what is in it."""
    try:
        where = settings.SHARED_CACHE.path()
        return None if where is None else _trusted(where.resolve())
    except (Foreign, OSError, RuntimeError, ValueError) as error:
        tell(f"UNISYCL_SHARED_CACHE is not used: {error}")
        return None


def _trusted(where: Path) -> tuple[Path, frozenset[int]]:
    """Return the folder and its owners, if it and its mark are theirs alone to write."""
    owners = frozenset({0, *_owner(settings.SHARED_CACHE_OWNER.get().strip())})
    for path in (where, where / MARK):
        found = path.lstat()
        if not _is_ours(found, owners):
            raise Foreign(f"{path} belongs to somebody else than root and "
                           "UNISYCL_SHARED_CACHE_OWNER, or is writable by others")
    return where, owners


def _owner(name: str) -> set[int]:
    """Return the number of a user; ``Foreign`` if there is none of that name."""
    if not name or not hasattr(os, "getuid"):
        return set()
    if name.isdecimal():
        return {int(name)}
    try:
        return {importlib.import_module("pwd").getpwnam(name).pw_uid}
    except KeyError:
        raise Foreign(f"UNISYCL_SHARED_CACHE_OWNER={name}: there is no such user") from None


def share(where: Path, to: Path) -> int:
    """Copy the entries of a cache to a folder that others may read; return how many there are."""
    to.mkdir(mode=0o755, parents=True, exist_ok=True)
    if hasattr(os, "getuid") and to.stat().st_uid != os.getuid():
        raise Foreign(f"{to} belongs to somebody else, who could change what is put there")
    if not is_marked(to) and any(to.iterdir()):
        raise Foreign(f"{to} holds files that are not unisycl's")
    to.chmod(0o755)
    count = 0
    for kept in [*entries(where), Kept(where / MARK, 0.0, 0, half=False)]:
        raw = None if kept.half else _read(kept.path)
        if raw is None:
            continue
        handle, temporary = tempfile.mkstemp(dir=to, prefix="new-", suffix=".unisycl")
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), 0o644)
        Path(temporary).replace(to / kept.path.name)
        count += kept.path.name != MARK
    return count


def _say(what: str) -> None:
    """Warn, once in a process: callers are cached."""
    tell(f"{what}; kernels are compiled anew in every process. Set UNISYCL_CACHE to a private "
         "directory, or to 'off' to silence this")


# ---------------------------------------------------------------------- entries
def _checksum(key: str, payload: bytes) -> bytes:
    """Return what an entry is checked by; an entry under another's name is damaged, too."""
    return hashlib.sha256(key.encode() + payload).digest()


def load(key: str) -> bytes | None:
    """Return the payload of an entry; None if there is none that is whole and ours."""
    where, others = directory(), shared()
    found = None if where is None else _sound(_read(where / key), key)
    if found is None and others is not None:
        return _sound(_read(others[0] / key, owners=others[1]), key)
    return found


def _sound(raw: bytes | None, key: str) -> bytes | None:
    """Return the payload of an entry that is whole."""
    if raw is None:
        return None
    payload = raw[_HEAD:]
    if raw[:len(_MAGIC)] != _MAGIC or _checksum(key, payload) != raw[len(_MAGIC):_HEAD]:
        return None
    return payload


def _read(path: Path, most: int = -1, owners: frozenset[int] | None = None) -> bytes | None:
    """Return what a plain file of ours holds; None for anything else, which is not waited for."""
    try:
        with os.fdopen(os.open(path, _READ), "rb", buffering=0) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or not _is_ours(found, owners):
                return None
            return file.read(most)
    except OSError:
        return None


def save(key: str, payload: bytes) -> None:
    """Keep a payload; does nothing, said once, where that is not possible."""
    where = directory()
    if where is None:
        return
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=where, prefix="new-", suffix=".unisycl")
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + _checksum(key, payload) + payload)
        Path(temporary).replace(where / key)
    except OSError as error:
        _cannot_write(error.strerror or str(error))  # with the name each would be another one
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        return
    _sweep(where)


@functools.cache
def _cannot_write(reason: str) -> None:
    _say(f"the cache directory cannot be written ({reason})")


def _kept(path: Path) -> Kept | None:
    """Return what a file is if we wrote it: by its name, its kind, its owner and how it begins."""
    half = _HALF.fullmatch(path.name) is not None
    if not half and _ENTRY.fullmatch(path.name) is None:
        return None
    try:
        found = path.lstat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode) or not _is_ours(found):
        return None
    if not half and _read(path, len(_MAGIC)) != _MAGIC:
        return None
    return Kept(path, max(found.st_atime, found.st_mtime), found.st_size, half)


def entries(where: Path) -> Iterator[Kept]:
    """Yield our files in a directory, if it bears our mark."""
    if not is_marked(where):
        return
    with contextlib.suppress(OSError):
        for path in where.iterdir():
            found = _kept(path)
            if found is not None:
                yield found


def clear(where: Path) -> tuple[int, int]:
    """Delete every entry of a directory; return how many there were, and their bytes."""
    gone = [kept for kept in entries(where) if _unlink(kept.path)]
    return len(gone), sum(kept.size for kept in gone)


def _unlink(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True


def _worth_a_look(where: Path) -> bool:
    """Say whether a sweep may find anything to drop, by names and sizes: no file is opened."""
    total = 0
    with contextlib.suppress(OSError), os.scandir(where) as found:
        for entry in found:
            if entry.name.startswith("new-"):
                return True
            with contextlib.suppress(OSError):
                total += entry.stat(follow_symlinks=False).st_size
    return total > LIMIT_BYTES


def _sweep(where: Path) -> None:
    """Now and then drop the entries used longest ago, down to half the limit."""
    global _writes
    _writes += 1
    if _writes % _SWEEP_EVERY or not _worth_a_look(where):
        return
    found = sorted(entries(where), key=lambda kept: kept.used, reverse=True)
    old = time.time() - _HALF_SECONDS
    full = sum(kept.size for kept in found) > LIMIT_BYTES
    total = 0
    for kept in found:
        total += kept.size
        if (kept.half and kept.used < old) or (
                full and not kept.half and total > LIMIT_BYTES // 2):
            _unlink(kept.path)
