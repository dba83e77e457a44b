"""What a rank last did, where whoever started the ranks can read it after its death.

``python -m unisycl mpirun`` names a folder; each rank keeps a file of one page there. Non-goals:
logs. Invariant: writing is a copy into mapped memory, and never fails a command.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from pathlib import Path

from unisycl.base import settings
from unisycl.ranks.links.link import Link

SIZE = 512


def nothing(words: str) -> None:
    """Keep no words: nobody will read them."""


def writer(link: Link) -> Callable[[str], None]:
    """Return what keeps a rank's last words; nothing where nobody asks for them."""
    folder = os.environ.get(settings.RANKS_FOLDER)
    return nothing if not folder or link.provider != "MPI" else keep(Path(folder), link.rank)


def keep(folder: Path, rank: int) -> Callable[[str], None]:
    """Return a function that keeps the last words it was given, with their number."""
    with (folder / f"rank{rank}").open("w+b") as file:
        file.truncate(SIZE)
        page = mmap.mmap(file.fileno(), SIZE)
    count = 0

    def write(words: str) -> None:
        nonlocal count
        count += 1
        text = f"{count} {words}".encode()[:SIZE - 1]
        page[:len(text) + 1] = text + b"\0"
    return write


def read(folder: Path, rank: int) -> tuple[int, str] | None:
    """Return the number and the words of a rank's last command; None if it had none."""
    try:
        data = (folder / f"rank{rank}").read_bytes()
    except OSError:
        return None
    number, _, words = data.split(b"\0")[0].decode(errors="replace").partition(" ")
    return (int(number), words) if number.isdecimal() else None
