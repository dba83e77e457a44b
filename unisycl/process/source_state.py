"""What tells one state of unisycl's own sources from another, wherever and whenever installed.

Non-goals: versions, which two states may share. Invariant: two processes with the same answer for
some rooms run the same text of them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from unisycl.process import disk_cache

_ROOT = Path(__file__).parents[1]


@functools.cache
def of(*rooms: str) -> str:
    """Return the digest of the sources of some rooms; '' if they are not files.

    It is kept on disk by their names, times and sizes, since reading them takes a while.
    """
    found = sorted(x for room in rooms for x in _sources(str(_ROOT / room)))
    if not found:
        return ""
    key = disk_cache.key_of("state", *(f"{path}:{when}:{size}" for path, when, size in found))
    kept = disk_cache.load(key)
    if kept is not None:
        return kept.decode()
    digest = hashlib.sha256()
    for path, _, _ in found:
        digest.update(path[len(str(_ROOT)):].encode() + b"\0")
        digest.update(hashlib.sha256(Path(path).read_bytes()).digest())
    disk_cache.save(key, digest.hexdigest().encode())
    return digest.hexdigest()


def _sources(folder: str) -> Iterator[tuple[str, int, int]]:
    with contextlib.suppress(OSError), os.scandir(folder) as found:  # imported from an archive
        for entry in found:
            if entry.is_dir():
                yield from _sources(entry.path)
            elif entry.name.endswith((".py", ".ll", ".h")):
                about = entry.stat()
                yield entry.path, about.st_mtime_ns, about.st_size
