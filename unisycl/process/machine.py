"""Facts of the machine this process runs on: memory, processor, clock and caches, read once.

Non-goals: what code may use of it (``backends.cpu.compile.target``), which units there are.
Invariant: what the system does not tell is 0 or the architecture's name, never a guess.
"""

from __future__ import annotations

import functools
import os
import platform
from pathlib import Path

_SYSTEM = Path("/sys/devices/system/cpu/cpu0")
_VENDORS = {"AuthenticAMD": 0x1022, "GenuineIntel": 0x8086, "HygonGenuine": 0x1D94}
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def memory_bytes() -> int:
    """Return the bytes of physical memory; 0 where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


@functools.cache
def _lines() -> dict[str, str]:
    """Return what /proc/cpuinfo says of the first processor."""
    found: dict[str, str] = {}
    for line in _read(Path("/proc/cpuinfo")).splitlines():
        if not line.strip():
            break
        key, _, value = line.partition(":")
        found[key.strip()] = value.strip()
    return found


def processor() -> str:
    """Return the processor's name."""
    return _lines().get("model name") or platform.processor() or platform.machine()


def vendor() -> str:
    """Return who made the processor; the architecture's name if that is unknown."""
    return _lines().get("vendor_id") or platform.machine()


def vendor_id() -> int:
    """Return the maker's PCI number; 0 if unknown."""
    return _VENDORS.get(vendor(), 0)


def clock_mhz() -> int:
    """Return the highest clock frequency, failing that the present one, in MHz; 0 if unknown."""
    highest = _read(_SYSTEM / "cpufreq" / "cpuinfo_max_freq").strip()
    if highest.isdecimal():
        return int(highest) // 1000
    try:
        return int(float(_lines().get("cpu MHz", "0")))
    except ValueError:
        return 0


@functools.cache
def last_cache(system: Path = _SYSTEM) -> tuple[int, int]:
    """Return the bytes of the largest cache of a processor, and of its lines; 0 if unknown."""
    best = (0, 0)
    for folder in system.glob("cache/index*"):
        size = parse_size(_read(folder / "size"))
        line = _read(folder / "coherency_line_size").strip()
        best = max(best, (size, int(line) if line.isdecimal() else 0))
    return best


def parse_size(text: str) -> int:
    """Return the bytes of a size as Linux prints it, such as ``1024K``; 0 if it is none."""
    word = text.strip()
    unit = _UNITS.get(word[-1:], 1)
    digits = word.rstrip("KMG")
    return int(digits) * unit if digits.isdecimal() else 0


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
