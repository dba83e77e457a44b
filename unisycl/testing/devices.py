"""The devices that tests run on, by short name.

Non-goals: choosing a device for a program (selectors do that). Invariant: a name is the backend's,
with the position behind a colon where a backend has several devices (``opencl:1``).
"""

from __future__ import annotations

from collections import Counter

import unisycl as sycl

EXPECTED = ("cpu", "host")
"""Every installation has these; a test on one that is missing is skipped and says so."""


def _named() -> dict[str, sycl.device]:
    found = [d for p in sycl.platform.get_platforms() for d in p.get_devices()]
    several = Counter(d.get_backend().name for d in found)
    seen: Counter[str] = Counter()
    named = {}
    for device in found:
        backend = device.get_backend().name
        named[f"{backend}:{seen[backend]}" if several[backend] > 1 else backend] = device
        seen[backend] += 1
    return named


def device_names() -> list[str]:
    """Return the names of the devices found, the expected ones first."""
    named = _named()
    return [n for n in EXPECTED if n in named] + [n for n in named if n not in EXPECTED]


def find_device(name: str) -> sycl.device:
    """Return the device of that name; ``opencl:0`` is also ``opencl`` where there is but one.

    Raises:
        LookupError: there is none; the message lists the names there are.
    """
    named = _named()
    if name not in named and name.endswith(":0"):
        name = name.removesuffix(":0")
    if name not in named:
        raise LookupError(f"no device is named '{name}'; there are: {', '.join(named) or 'none'}")
    return named[name]
