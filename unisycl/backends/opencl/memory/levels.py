"""How much memory a device shares with the host, and which allocations that gives.

Non-goals: allocating (``shared``, ``unified``). Invariant: a level is one that the device reports
or a quirk vouches for; ``UNISYCL_MEMORY`` only takes away.
"""

from __future__ import annotations

import enum

from unisycl.backends.base import HOST
from unisycl.backends.opencl.discovery.traits import (
    SCOPE_ALL,
    SVM_ATOMICS,
    SVM_COARSE,
    SVM_FINE,
    SVM_SYSTEM,
    USM_ACCESS,
    USM_CONCURRENT,
    USM_CONCURRENT_ATOMICS,
    Traits,
)
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base import settings
from unisycl.base.enums import aspect, usm_kind


class Level(enum.IntEnum):
    """What kernels reach besides memory objects, the most first."""

    system = 0
    """Any memory of the host, by its address."""
    unified = 1
    """Allocations of the host's, of the device's own and shared ones, by an extension."""
    fine = 2
    """Shared allocations, while the host uses them as well."""
    coarse = 3
    """Shared allocations, while the host has given them up."""
    separate = 4
    """Nothing."""


_KINDS = {usm_kind.device: "device_mem", usm_kind.host: "host_mem",
          usm_kind.shared: "single_device_shared_mem"}
_PLAIN = {usm_kind.device: aspect.usm_device_allocations,
          usm_kind.host: aspect.usm_host_allocations,
          usm_kind.shared: aspect.usm_shared_allocations}
_ATOMIC = {usm_kind.host: aspect.usm_atomic_host_allocations,
           usm_kind.shared: aspect.usm_atomic_shared_allocations}


def level_of(traits: Traits, quirks: Quirks) -> Level:
    """Return the level of a device, within what ``UNISYCL_MEMORY`` allows."""
    reported = traits.number_of("svm_capabilities")
    has = {Level.system: (quirks.addresses_host or bool(reported & SVM_SYSTEM)
                          or reaches_host_by_extension(traits)),
           Level.unified: _unified(traits),
           Level.fine: bool(reported & SVM_FINE), Level.coarse: bool(reported & SVM_COARSE),
           Level.separate: True}
    most = settings.LEVELS.index(settings.MEMORY.value())
    return next(level for level in Level if level >= most and has[level])


def _unified(traits: Traits) -> bool:
    """Say whether the extension gives device memory, and nothing is missing that SVM would give."""
    kinds = kinds_of(traits)
    svm = traits.number_of("svm_capabilities") & (SVM_COARSE | SVM_FINE)
    return usm_kind.device in kinds and (len(kinds) == len(_KINDS) or not svm)


def by_extension(traits: Traits, quirks: Quirks, level: Level) -> bool:
    """Say whether addresses are given to kernels by the extension's functions, not by SVM's."""
    svm = quirks.addresses_host or traits.number_of("svm_capabilities") & SVM_SYSTEM
    return level is Level.unified or (level is Level.system and not svm)


def reaches_host_by_extension(traits: Traits) -> bool:
    """Say whether kernels reach any memory of the host, while that uses it as well."""
    return capable(traits, "shared_system_mem", USM_ACCESS | USM_CONCURRENT)


def kinds_of(traits: Traits) -> list[usm_kind]:
    """Return the kinds of allocations that a device has by the extension."""
    return [kind for kind, name in _KINDS.items() if capable(traits, name, USM_ACCESS)]


def capable(traits: Traits, name: str, bits: int) -> bool:
    """Say whether a device has all of some abilities with a kind of the extension's memory."""
    return traits.number_of(f"{name}_capabilities_intel") & bits == bits


def usm_aspects(traits: Traits, level: Level) -> set[aspect]:
    """Return the kinds of USM that a device of a level has."""
    if level is Level.unified:
        return _unified_aspects(traits)
    out = {aspect.usm_device_allocations}
    if level is not Level.separate:
        out |= {aspect.usm_host_allocations, aspect.usm_shared_allocations}
    if level is Level.system:
        out.add(aspect.usm_system_allocations)
    atomics = traits.number_of("svm_capabilities") & SVM_ATOMICS
    if level <= Level.fine and atomics and atomics_everywhere(traits):
        out |= {aspect.usm_atomic_host_allocations, aspect.usm_atomic_shared_allocations}
    return out


def _unified_aspects(traits: Traits) -> set[aspect]:
    """Return the aspects by what the extension reports of each kind.

    Kernels' atomics must have the scope of all devices besides.
    """
    kinds = kinds_of(traits)
    out = {_PLAIN[kind] for kind in kinds}
    if atomics_everywhere(traits):
        out |= {made for kind, made in _ATOMIC.items() if kind in kinds and capable(
            traits, _KINDS[kind], USM_CONCURRENT_ATOMICS)}
    return out


def atomics_everywhere(traits: Traits) -> bool:
    """Say whether atomics reach the host: OpenCL 2.x does not ask it, but has it with its SVM."""
    if traits.number_of("atomic_memory_capabilities") & SCOPE_ALL:
        return True
    second = traits.version.startswith("OpenCL 2.")
    return second and bool(traits.number_of("svm_capabilities") & SVM_ATOMICS)


def memory_of(traits: Traits, quirks: Quirks, level: Level) -> tuple[str, bool]:
    """Return what a device's memory is called, and whether no other device of its platform has it.

    All devices of a context have the same, by one driver.
    """
    apart = quirks.own_contexts
    own = f" {traits.number}" if apart else ""
    return HOST if level is Level.system else f"{traits.platform} {traits.library}{own}", apart
