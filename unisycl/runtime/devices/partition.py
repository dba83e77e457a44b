"""Sub-devices: a device split into parts that run on compute units of their own.

Non-goals: SYCL's overloads (``api.devices.device``), how a driver keeps to its units. Invariant:
the same split of the same device gives the same parts, so threads and compiled kernels are shared.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.runtime.devices.devices import DeviceState

DOMAINS = ("numa", "L4_cache", "L3_cache", "L2_cache", "L1_cache")
"""Affinity domains from the widest to the narrowest: the order of ``next_partitionable``."""

_lock = threading.Lock()


def kinds(device: DeviceState) -> list[str]:
    """Return the partition properties that give a device at least two parts."""
    if len(device.info.units) < 2:
        return []
    return ["partition_equally", "partition_by_counts", *(
        ["partition_by_affinity_domain"] if device.info.domains else [])]


def affinity_domains(device: DeviceState) -> list[str]:
    """Return the affinity domains that give a device at least two parts."""
    found = [d for d in DOMAINS if d in device.info.domains] if kinds(device) else []
    return [*found, "next_partitionable"] if found else []


def equally(device: DeviceState, count: int) -> list[DeviceState]:
    """Split into as many parts of ``count`` units as there are; the rest is not used."""
    units = _units(device, "partition_equally")
    if not 1 <= count <= len(units):
        raise UsageError(errc.invalid, f"partition_equally: {count} compute units each; "
                         f"'{device.info.name}' has {len(units)} in all")
    return _make(device, [units[k:k + count] for k in range(0, len(units) - count + 1, count)],
                 ("partition_equally", "not_applicable"))


def by_counts(device: DeviceState, counts: Sequence[int]) -> list[DeviceState]:
    """Split into parts of these numbers of units; zeros are skipped."""
    units = _units(device, "partition_by_counts")
    wanted = [c for c in counts if c]
    if not wanted or min(wanted) < 0 or sum(wanted) > len(units):
        raise UsageError(errc.invalid, f"partition_by_counts: {list(counts)} adds up to "
                         f"{sum(wanted)} compute units; '{device.info.name}' has {len(units)}; "
                         "give positive numbers of no more than that")
    groups, start = [], 0
    for count in wanted:
        groups.append(units[start:start + count])
        start += count
    return _make(device, groups, ("partition_by_counts", "not_applicable"))


def by_domain(device: DeviceState, domain: str) -> list[DeviceState]:
    """Split into parts that share a cache or a memory node."""
    _units(device, "partition_by_affinity_domain")
    known = affinity_domains(device)
    if domain not in known:
        raise UnsupportedError(
            errc.feature_not_supported, f"'{device.info.name}' cannot be split by {domain}; "
            f"its affinity domains are: {', '.join(known) or 'none'}")
    chosen = known[0] if domain == "next_partitionable" else domain
    return _make(device, list(device.info.domains[chosen]),
                 ("partition_by_affinity_domain", chosen))


def _units(device: DeviceState, kind: str) -> tuple[int, ...]:
    known = kinds(device)
    if kind not in known:
        raise UnsupportedError(
            errc.feature_not_supported, f"'{device.info.name}' does not support {kind}; "
            f"info.device.partition_properties lists: {', '.join(known) or 'nothing'}")
    return device.info.units


def _make(device: DeviceState, groups: Sequence[tuple[int, ...]],
          split: tuple[str, str]) -> list[DeviceState]:
    root = device.root()
    out = []
    with _lock:
        for units in groups:
            key = (units, split)
            found = device.parts.get(key)
            if found is None:
                driver = root.driver.part(units)
                found = device.parts[key] = DeviceState(
                    f"{root.name}/{_spell(units)}", driver, driver.devices()[0], root.platform,
                    device, split)
            out.append(found)
    return out


def _spell(units: tuple[int, ...]) -> str:
    """Return units as ``0-3`` or ``0,2``."""
    if len(units) > 1 and units[-1] - units[0] == len(units) - 1:
        return f"{units[0]}-{units[-1]}"
    return ",".join(map(str, units))
