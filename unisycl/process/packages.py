"""Archives of kernels that installed packages bring: found, and read only where they are sound.

``python -m unisycl build`` puts one file beside the modules of a package. It is used where it lies
in a package by its absolute path, belongs to this user, the administrator or the owner of the
package's own code, nobody else may write it, and its digest is the one that the installer noted in
the distribution's RECORD. Non-goals: what an archive holds (``frontend.shipped``, the backends).
Invariant: bytes of an archive that fails any of this are never returned.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
import stat
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from unisycl.process import source_state
from unisycl.process.notices import tell

FILE = "_unisycl.kernels"
GROUP = "unisycl.kernels"
"""The group of entry points by which packages without a compiler beside them are found."""
_MAGIC = b"unisyclK"
_HEAD = len(_MAGIC) + 8
_ROOMS = ("backends", "base", "frontend", "ir", "lang", "passes", "process", "runtime")


class Archive:
    """One file of kernels: its table, and blobs by name."""

    __slots__ = ("_at", "_raw", "_table", "folder", "head")

    def __init__(self, folder: Path, raw: bytes) -> None:
        size = int.from_bytes(raw[len(_MAGIC):_HEAD], "little")
        found: Any = json.loads(raw[_HEAD:_HEAD + size])
        if not isinstance(found, dict) or not all(
                isinstance(found.get(part), dict) for part in ("blobs", "head")):
            raise ValueError("it has no table of what is in it")
        self._raw, self._at = raw, _HEAD + size
        self._table: dict[str, tuple[int, int]] = found["blobs"]
        self.head: dict[str, Any] = found["head"]
        self.folder = folder

    def blob(self, name: str) -> bytes | None:
        """Return what is kept by a name; None if nothing is."""
        place = self._table.get(name)
        if place is None:
            return None
        return self._raw[self._at + place[0]:self._at + place[0] + place[1]]


def packed(head: dict[str, Any], blobs: dict[str, bytes]) -> bytes:
    """Return the bytes of an archive."""
    table, at = {}, 0
    for name, blob in blobs.items():
        table[name] = (at, len(blob))
        at += len(blob)
    text = json.dumps({"head": head, "blobs": table}, sort_keys=True).encode()
    return b"".join((_MAGIC, len(text).to_bytes(8, "little"), text, *blobs.values()))


def state() -> str:
    """Return what tells the unisycl that can use an archive from others."""
    return source_state.of(*_ROOMS)


# ---------------------------------------------------------------------- which archives there are
def of_module(name: str) -> Archive | None:
    """Return the archive of the package that a module belongs to."""
    return _of_package(name.partition(".")[0])


@functools.cache
def _of_package(name: str) -> Archive | None:
    module = sys.modules.get(name)
    places = list(getattr(module, "__path__", ())) if isinstance(module, ModuleType) else []
    return _opened(str(places[0])) if len(places) == 1 else None


@functools.cache
def installed() -> tuple[Archive, ...]:
    """Return the archives of all installed packages; asked only where no compiler is."""
    found = []
    metadata: Any = importlib.import_module("importlib.metadata")  # takes long: not before needed
    for entry in metadata.entry_points(group=GROUP):
        where = entry.dist.locate_file(entry.value.replace(".", "/")) if entry.dist else None
        archive = None if where is None else _opened(str(where))
        if archive is not None:
            found.append(archive)
    return tuple(found)


@functools.cache
def _opened(folder: str) -> Archive | None:
    """Return the archive in a package's folder; None, and said, if there is none to be used."""
    path = Path(os.path.abspath(folder)) / FILE  # noqa: PTH100 - a link must not be followed
    if not path.exists():
        return None
    try:
        return _sound(path)
    except (_Unsound, OSError, ValueError, KeyError, RecursionError) as error:
        tell(f"the compiled kernels {path} are not used: {error}")
        return None


class _Unsound(Exception):
    """An archive that is not what was installed."""


def _sound(path: Path) -> Archive | None:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(handle, "rb") as file:
        _check_owner(os.fstat(file.fileno()), path.parent)
        raw = file.read()
    if not raw.startswith(_MAGIC):
        raise _Unsound("it is no such file")
    archive = Archive(path.parent, raw)
    found, noted = hashlib.sha256(raw).digest(), _noted(path, archive.head["distribution"])
    if noted != _in_record(found):
        raise _Unsound("its digest is not the one that was installed")
    if archive.head["state"] != state():
        raise _Unsound(f"they were compiled by another unisycl ({archive.head['unisycl']}); "
                       "install the version that the package was built with, or build it anew")
    return archive


def _in_record(digest: bytes) -> str:
    """Return a digest as installers write it."""
    text: bytes = importlib.import_module("base64").urlsafe_b64encode(digest)
    return text.rstrip(b"=").decode()


def _check_owner(found: os.stat_result, folder: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _Unsound("it is no plain file")
    if not hasattr(os, "getuid"):
        return
    if found.st_uid not in (0, os.getuid(), folder.stat().st_uid):
        raise _Unsound("it belongs to somebody else")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _Unsound("others than its owner may write it")


def _noted(path: Path, distribution: str) -> str:
    """Return the digest that the installer noted for a file."""
    site = path.parent.parent
    name = path.relative_to(site).as_posix()
    with (site / f"{distribution}.dist-info" / "RECORD").open(encoding="utf-8",
                                                              newline="") as file:
        for row in importlib.import_module("csv").reader(file):
            if row and row[0] == name:
                return str(row[1]).partition("sha256=")[2]
    raise _Unsound(f"{distribution} does not list it in its RECORD")


# ---------------------------------------------------------------------- code for no one kernel
def code(key: str) -> bytes | None:
    """Return what some installed package keeps by a key, whichever kernel needs it."""
    for archive in installed():
        found = archive.blob(f"code/{key}")
        if found is not None:
            return found
    return None


def brings(what: str) -> list[Any]:
    """Return what the heads of installed archives say by a word."""
    return [a.head[what] for a in installed() if a.head.get(what)]
