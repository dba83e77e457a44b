"""What a sample leaves to other devices, within a test that has many kernels.

Non-goals: cases of pytest, of which the plugin chooses. Invariant: what one of our devices leaves
out the other runs, and the same holds for the first two of each backend; without ``--sample``
each device runs all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import unisycl as sycl
from unisycl.testing import device_names, find_device

SAMPLE = [False]
T = TypeVar("T")


def by_turns(device: sycl.device, things: Iterable[T]) -> list[T]:
    """Return all things; in a sample of two or more those whose turn it is on a device.

    Places with an odd number of bits are of the second turn, so that what goes by twos or fours
    in a list comes in both.
    """
    every = list(things)
    if not SAMPLE[0] or len(every) < 2:
        return every
    turn = turn_of(device)
    return [thing for k, thing in enumerate(every) if k.bit_count() % 2 == turn]


def turn_of(device: sycl.device) -> int:
    """Return 0 or 1: the CPU and the first device of a backend begin, the others are second."""
    for name in device_names():
        if find_device(name) == device:
            place = name.partition(":")[2]
            return int(place) % 2 if place else int(name == "host")
    return 0
