"""``python -m unisycl cache``: where compiled kernels are kept; they can be cleared, and shared.

``clear`` deletes them; ``share`` copies them to a folder that all users may read. Non-goals:
the caches of OpenCL's drivers. Invariant: nothing is deleted but what unisycl wrote.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from unisycl.process import disk_cache
from unisycl.tools.devices import size_text


def add_command(commands: Any) -> None:
    """Add ``cache`` to the command line."""
    parser = commands.add_parser("cache", help="tell where compiled kernels are kept; clear or "
                                 "share them")
    parser.add_argument("action", choices=("info", "clear", "share"), nargs="?", default="info")
    parser.add_argument("folder", nargs="?", type=Path, help="where share puts them")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Tell of the cache, or empty it; exit status 1 if there should be one and is none."""
    where, why = disk_cache.find()
    if where is None:
        sys.stderr.write(f"there is no cache: {why or 'UNISYCL_CACHE switches it off'}\n")
        return 1 if why else 0
    if options.action == "share":
        return _share(where, options.folder)
    if options.action == "clear":
        count, size = disk_cache.clear(where)
        print(f"{where}: {count} entries deleted, {size_text(size)}")
    else:
        print("\n".join(describe(where)))
    return 0


def _share(where: Path, to: Path | None) -> int:
    if to is None:
        sys.stderr.write("share: give the folder to put the entries into\n")
        return 2
    try:
        count = disk_cache.share(where, to)
    except (OSError, disk_cache.Foreign) as error:
        sys.stderr.write(f"share: {error}\n")
        return 2
    print(f"{to}: {count} entries; others read them with UNISYCL_SHARED_CACHE={to}")
    return 0


def describe(where: Path) -> list[str]:
    """Return the lines about a cache."""
    found = list(disk_cache.entries(where))
    size = sum(kept.size for kept in found)
    most = size_text(disk_cache.LIMIT_BYTES)
    lines = [f"{'folder':18}{where}",
             f"{'entries':18}{len(found)}, {size_text(size)} of at most {most}"]
    others = disk_cache.shared()
    if others is not None:
        lines.append(f"{'shared':18}{others[0]}")
    known = {kept.path for kept in found} | {where / disk_cache.MARK}
    strange = sum(path not in known for path in where.iterdir())
    if strange:
        lines.append(f"{'other files':18}{strange}, which unisycl neither reads nor deletes")
    return lines
