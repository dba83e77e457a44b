"""``python -m unisycl devices``: every device found, with what matters about each.

Non-goals: saying why a device was not found (``doctor`` does).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import unisycl as sycl
from unisycl.backends import registry

Commands = Any  # argparse keeps the type of subparsers to itself

KINDS = (sycl.aspect.cpu, sycl.aspect.gpu, sycl.aspect.accelerator, sycl.aspect.custom)


def add_command(commands: Commands) -> None:
    """Add ``devices`` to the command line."""
    parser = commands.add_parser("devices", help="list the devices (the default)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print every device; exit status 1 if there is none."""
    del options
    found = [d for p in sycl.platform.get_platforms() for d in p.get_devices()]
    if not found:
        sys.stderr.write("no device found; see: python -m unisycl doctor\n")
        return 1
    chosen = sycl.device(sycl.default_selector_v)
    for device in found:
        print("\n".join(describe(device, is_default=device == chosen)))
    for name, why in registry.problems().items():
        print(f"[{name}] no device: {why}")
    return 0


def describe(device: sycl.device, *, is_default: bool) -> list[str]:
    """Return the lines about one device."""
    about, place = sycl.info.device, device.get_platform()
    aspects = [a for a in sycl.aspect if device.has(a)]
    kind = next((a.name for a in KINDS if a in aspects), "emulated")
    head = f"[{device.state.name}] {device.get_info(about.name)}, {kind}"
    rows = {
        "platform": f"{place.get_info(sycl.info.platform.name)} "
                    f"{place.get_info(sycl.info.platform.version)}",
        "compute units": device.get_info(about.max_compute_units),
        "sub-group sizes": " ".join(map(str, device.get_info(about.sub_group_sizes))),
        "work-group limit": device.get_info(about.max_work_group_size),
        "local memory": size_text(device.get_info(about.local_mem_size)),
        "global memory": size_text(device.get_info(about.global_mem_size)),
        "aspects": " ".join(a.name for a in aspects),
    }
    return [head + (", default" if is_default else ""),
            *(f"    {label:18}{value}" for label, value in rows.items())]


def size_text(count: int) -> str:
    """Return a number of bytes as people read it."""
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.4g} {unit}"
    return f"{count} bytes"
