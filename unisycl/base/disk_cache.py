"""A private directory of compiled code, keyed by the content it was made from.

Entries are written whole or not at all, carry a checksum, and are used only if this user owns them
and nobody else may write them. Non-goals: what an entry holds. Invariant: a damaged, truncated,
foreign or half-written entry reads as absent; trouble with the directory costs speed, never
correctness, and is said once.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import tempfile
import warnings
from pathlib import Path

from unisycl.base import config

_MAGIC = b"unisycl1"
_LIMIT_BYTES = 256 << 20
_SWEEP_EVERY = 64
_writes = 0


def key_of(*parts: str | bytes) -> str:
    """Return the key of an entry made from these parts."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()


@functools.cache
def directory() -> Path | None:
    """Return the cache directory, made if need be; None if there is none that can be trusted."""
    asked = config.CACHE.get()
    if asked.lower() in ("0", "off", "none"):
        return None
    try:
        path = Path(asked) if asked else _default()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(path.stat()):
            _say(f"the cache directory {path} belongs to or is writable by someone else")
            return None
    except (OSError, RuntimeError) as error:
        _say(f"no cache directory can be used ({error})")
        return None
    return path


def _default() -> Path:
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "unisycl"


def _is_ours(found: os.stat_result) -> bool:
    """Say whether this user owns a file or directory and nobody else may write it."""
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _say(what: str) -> None:
    """Warn, once in a process: callers are cached."""
    warnings.warn(f"unisycl: {what}; kernels are compiled anew in every process. Set UNISYCL_CACHE "
                  "to a private directory, or to 'off' to silence this", RuntimeWarning,
                  stacklevel=2)


def _checksum(key: str, payload: bytes) -> bytes:
    """Return what an entry is checked by; an entry under another's name is damaged, too."""
    return hashlib.sha256(key.encode() + payload).digest()


def load(key: str) -> bytes | None:
    """Return the payload of an entry; None if there is none that is whole and ours."""
    where = directory()
    if where is None:
        return None
    try:
        with (where / key).open("rb") as file:
            if not _is_ours(os.fstat(file.fileno())):
                return None
            raw = file.read()
    except OSError:
        return None
    payload = raw[40:]
    if raw[:8] != _MAGIC or _checksum(key, payload) != raw[8:40]:
        return None
    return payload


def save(key: str, payload: bytes) -> None:
    """Keep a payload; does nothing, said once, where that is not possible."""
    where = directory()
    if where is None:
        return
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=where, prefix="new-")
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


def _sweep(where: Path) -> None:
    """Now and then drop the entries used longest ago, down to half the limit."""
    global _writes
    _writes += 1
    if _writes % _SWEEP_EVERY:
        return
    entries = []
    with contextlib.suppress(OSError):
        for path in where.iterdir():
            with contextlib.suppress(OSError):
                found = path.stat()
                entries.append((max(found.st_atime, found.st_mtime), found.st_size, path))
    if sum(e[1] for e in entries) <= _LIMIT_BYTES:
        return
    total = 0
    for _, size, path in sorted(entries, reverse=True, key=lambda e: e[0]):
        total += size
        if total > _LIMIT_BYTES // 2:
            with contextlib.suppress(OSError):
                path.unlink()
