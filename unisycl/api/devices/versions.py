"""``show_versions``: what to put into a report of a fault.

Non-goals: finding out why a device is missing (``python -m unisycl doctor``).
"""

from __future__ import annotations

import importlib.metadata
import platform as machine
import re
import sys

from unisycl.api.devices.device import platform
from unisycl.api.devices.info import info
from unisycl.base.tracebacks import ends_at_call

_TOOLS = re.compile(r"extra == .(?:bench|docs|examples|test)\b")


def _packages() -> list[str]:
    """Return the packages that unisycl needs, and those of its devices."""
    try:
        asked = importlib.metadata.requires("unisycl") or []
    except importlib.metadata.PackageNotFoundError:  # it runs from its source tree
        asked = ["numpy", "llvmlite"]
    found = [re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in asked if not _TOOLS.search(text)]
    return ["unisycl", *dict.fromkeys(found)]


@ends_at_call
def show_versions() -> None:
    """Print the versions of Python, of the packages that matter, and of each device's driver."""
    rows = [("Python", f"{machine.python_version()} {machine.python_implementation()}"),
            ("system", machine.platform())]
    for package in _packages():
        try:
            rows.append((package, importlib.metadata.version(package)))
        except importlib.metadata.PackageNotFoundError:
            continue
    for place in platform.get_platforms():
        for d in place.get_devices():
            about = f"{d.get_info(info.device.name)} on {place.get_info(info.platform.name)}"
            rows.append(("device", f"{about}, driver {d.get_info(info.device.driver_version)}"))
    width = max(len(name) for name, _ in rows)
    sys.stdout.write("".join(f"{name:{width}}  {value}\n" for name, value in rows))
