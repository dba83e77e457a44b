"""Memory of the host that other processes open by a name, as files in memory.

Non-goals: who may use it when. Invariants: a file belongs to this user and nobody else may open it;
it goes with the memory of the process that made it, and what others mapped stays theirs.
"""

from __future__ import annotations

import mmap
import os
import stat
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.base.enums import aspect
from unisycl.base.errors import UsageError, errc

_FOLDER = Path("/dev/shm")
_STEM = "unisycl-memory-"


class HostSharing:
    """Makes, names and opens such memory (``Driver.sharing``)."""

    alignment = mmap.PAGESIZE
    of_host = True

    @staticmethod
    def is_there() -> bool:
        """Say whether the system has such files."""
        return hasattr(os, "getuid") and _FOLDER.is_dir()

    def allocate(self, nbytes: int) -> tuple[Any, bytes]:
        """Return bytes, all 0, and what another process opens them by."""
        path = _FOLDER / f"{_STEM}{os.urandom(16).hex()}"
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.ftruncate(file, max(nbytes, 1))
            made = np.frombuffer(mmap.mmap(file, max(nbytes, 1)), np.uint8)
        except BaseException:
            path.unlink()
            raise
        finally:
            os.close(file)
        weakref.finalize(made, _unlink, path, os.getpid())
        return made, path.name.encode()

    def open(self, name: bytes, nbytes: int) -> Any:
        """Return the bytes of a name; ``errc.invalid`` if there are none (any more)."""
        text = name.decode(errors="replace")
        path = _FOLDER / text
        if not text.startswith(_STEM) or path.name != text:
            raise UsageError(errc.invalid, "ipc_memory.open: this is no handle of ipc_memory.get")
        try:
            file = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        except OSError as error:
            raise UsageError(errc.invalid, "ipc_memory.open: the memory of this handle is not "
                             f"there: {error.strerror}; the process that has it must keep it, on "
                             "this machine, for the same user") from error
        try:
            known = os.fstat(file)
            if known.st_uid != os.getuid() or not stat.S_ISREG(known.st_mode) or (
                    known.st_size < nbytes):
                raise UsageError(errc.invalid, "ipc_memory.open: the memory of this handle is "
                                 "another user's, or smaller than the handle says")
            return np.frombuffer(mmap.mmap(file, known.st_size), np.uint8)
        finally:
            os.close(file)


def shared_between_processes() -> frozenset[aspect]:
    """Return the aspect of devices that work in the host's memory, where the system has this."""
    return frozenset({aspect.ext_oneapi_ipc_memory} if HostSharing.is_there() else ())


def _unlink(path: Path, maker: int) -> None:
    if os.getpid() == maker:  # not a forked child of it
        path.unlink(missing_ok=True)
