"""The command of random programs that a device and the host device run by their number."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.testing import find_device


def compare(about: str | None, run: Callable[..., Any]) -> int:
    """Run programs on a device and on the host device; print what differs, return 1 if any does.

    Args:
        about: what the command is, for ``--help``.
        run: the result of the program of a seed on a device, with checks if it is given ``debug``.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--debug", action="store_true", help="compile with checks")
    asked = parser.parse_args()
    host, device = find_device("host"), find_device(asked.device)
    wrong = 0
    for seed in range(asked.seed, asked.seed + asked.count):
        try:
            expected = run(seed, host)
            found = run(seed, device, debug=asked.debug)
            text = "" if np.array_equal(expected, found) else f"{expected[:12]} {found[:12]}"
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is the result
            text = f"{type(error).__name__}: {error}"
        if text:
            wrong += 1
            print(f"seed {seed}: {text}", flush=True)
    print(f"{asked.count} programs on {asked.device}, {wrong} of them differ")
    return 1 if wrong else 0
