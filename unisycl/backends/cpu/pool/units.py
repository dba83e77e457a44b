"""The CPU's compute units: which processors they are, what they share, pools confined to some.

Non-goals: splitting a device (``runtime.devices.partition``). Invariants: unit k is the k-th
processor this process may use, where there are as many units as processors; a part never has more
threads at work than units.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from unisycl.backends.cpu.compile.target import threads
from unisycl.backends.cpu.pool.job import NativeJob
from unisycl.backends.cpu.pool.pool import NativePool

_SYSTEM = Path("/sys/devices/system")


@functools.cache
def processors() -> tuple[int, ...]:
    """Return the processor of each compute unit; () if units are not processors here."""
    if not hasattr(os, "sched_getaffinity"):
        return ()
    found = tuple(sorted(os.sched_getaffinity(0)))
    return found if len(found) == threads() else ()


@functools.cache
def domains(system: Path = _SYSTEM) -> dict[str, tuple[tuple[int, ...], ...]]:
    """Return, by affinity domain, the units of each part; all domains that the system tells of."""
    found: dict[str, set[tuple[int, ...]]] = {}
    for node in _folders(system / "node", "node"):
        _add(found, "numa", node / "cpulist")
    for processor in processors():
        for cache in _folders(system / "cpu" / f"cpu{processor}" / "cache", "index"):
            if _read(cache / "type") != "Instruction":
                _add(found, f"L{_read(cache / 'level')}_cache", cache / "shared_cpu_list")
    return {name: tuple(sorted(parts)) for name, parts in found.items()}


def within(units: Iterable[int], parts: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    """Return the parts of a domain among these units."""
    mine = set(units)
    cut = (tuple(u for u in part if u in mine) for part in parts)
    return tuple(dict.fromkeys(part for part in cut if part))


def parse_list(text: str) -> list[int]:
    """Return the numbers of a list as Linux prints it: ``0-3,8``."""
    out: list[int] = []
    for item in text.split(","):
        first, _, last = item.strip().partition("-")
        if first:
            out += range(int(first), int(last or first) + 1)
    return out


def _add(found: dict[str, set[tuple[int, ...]]], domain: str, file: Path) -> None:
    place = {p: u for u, p in enumerate(processors())}
    with contextlib.suppress(ValueError):
        units = tuple(sorted(place[p] for p in parse_list(_read(file)) if p in place))
        if units:
            found.setdefault(domain, set()).add(units)


def _folders(where: Path, prefix: str) -> list[Path]:
    try:
        return sorted(p for p in where.iterdir() if p.name.removeprefix(prefix).isdigit())
    except OSError:
        return []


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


class ConfinedPool(NativePool):
    """A pool on some of the compute units: so many threads, on these processors, and no more.

    Threads that wait do not take part in its jobs, for they would be one more.

    Args:
        units: the compute units, by number.
        threads: how many threads; 0: as many as units.
    """

    def __init__(self, units: tuple[int, ...], threads: int = 0) -> None:
        super().__init__(threads or len(units))
        known = processors()
        self._processors = {known[u] for u in units if u < len(known)}

    def submit(self, *args: Any, assisted: bool = False, **options: Any) -> NativeJob:
        """As ``NativePool.submit``, with the pool's own threads only."""
        return super().submit(*args, assisted=False, **options)

    def _start(self) -> None:
        """Start the threads on their processors: they inherit those of the thread that does."""
        if not self._processors:
            super()._start()
            return
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self._processors)
        try:
            super()._start()
        finally:
            os.sched_setaffinity(0, before)
