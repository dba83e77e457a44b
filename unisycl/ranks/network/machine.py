"""The machine that a simulation is of: its network, and its devices.

Non-goals: topologies; a network is ports of equal speed at one switch. Invariant: all times are in
seconds, all sizes in bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from unisycl.base.errors import UsageError, errc

_UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
DEVICES = {"h100": (3.35e12, 4e-6), "h200": (4.8e12, 4e-6), "a100": (2.0e12, 4e-6)}
"""Bytes a second of a device's memory and seconds of a launch, as its maker states them."""


@dataclass(frozen=True)
class Machine:
    """What messages and kernels cost.

    ``latency``, ``overhead`` and ``bandwidth`` are L, o and 1/G of LogGP; ``group`` is what a rank
    takes to submit one command group. ``oversubscribed`` says how much more the ports could send
    than the switch carries. ``memory`` and ``launch`` are of a device that is not here: kernels
    then take as long as its memory does for what they declare; 0 where kernels are measured.
    """

    latency: float = 2e-6
    overhead: float = 1e-6
    bandwidth: float = 25e9
    oversubscribed: float = 1.0
    group: float = 5e-5
    memory: float = 0.0
    launch: float = 0.0


def bits(text: str) -> float:
    """Return bytes a second of a text in bits a second, as ``200G``."""
    found = re.fullmatch(r"([\d.]+)([kKmMgGtT]?)(?:bit/s|bps|b)?", text.strip())
    if found is None or not float(found[1]):
        raise UsageError(errc.invalid, f"a network's speed is bits a second, as 200G, not {text!r}")
    return float(found[1]) * _UNITS[found[2].lower()] / 8


def seconds(text: str) -> float:
    """Return seconds of a text as ``2us``."""
    found = re.fullmatch(r"([\d.]+)\s*(s|ms|us|ns)", text.strip())
    if found is None:
        raise UsageError(errc.invalid, f"a time has a unit, as 2us, not {text!r}")
    return float(found[1]) * _TIMES[found[2]]
