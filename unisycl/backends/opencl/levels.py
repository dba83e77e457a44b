"""How much memory a device shares with the host, and which allocations that gives.

Non-goals: allocating (``shared``). Invariant: a level is one that the device reports or a quirk
vouches for; ``UNISYCL_MEMORY`` only takes away.
"""

from __future__ import annotations

import enum

from unisycl.backends.opencl.quirks import Quirks
from unisycl.backends.opencl.traits import (
    SCOPE_ALL,
    SVM_ATOMICS,
    SVM_COARSE,
    SVM_FINE,
    SVM_SYSTEM,
    Traits,
)
from unisycl.base import config
from unisycl.base.enums import aspect
from unisycl.base.errors import UsageError, errc


class Level(enum.IntEnum):
    """What kernels reach besides memory objects, the most first."""

    system = 0
    """Any memory of the host, by its address."""
    fine = 1
    """Shared allocations, while the host uses them as well."""
    coarse = 2
    """Shared allocations, while the host has given them up."""
    separate = 3
    """Nothing."""


def level_of(traits: Traits, quirks: Quirks) -> Level:
    """Return the level of a device, within what ``UNISYCL_MEMORY`` allows."""
    reported = traits.number_of("svm_capabilities")
    has = {Level.system: quirks.addresses_host or bool(reported & SVM_SYSTEM),
           Level.fine: bool(reported & SVM_FINE), Level.coarse: bool(reported & SVM_COARSE),
           Level.separate: True}
    try:
        most = config.LEVELS.index(config.memory_level())
    except ValueError as error:
        raise UsageError(errc.invalid, str(error)) from None
    return next(level for level in Level if level >= most and has[level])


def usm_aspects(traits: Traits, level: Level) -> set[aspect]:
    """Return the kinds of USM that a device of a level has."""
    out = {aspect.usm_device_allocations}
    if level is not Level.separate:
        out |= {aspect.usm_host_allocations, aspect.usm_shared_allocations}
    if level is Level.system:
        out.add(aspect.usm_system_allocations)
    atomics = traits.number_of("svm_capabilities") & SVM_ATOMICS
    if level <= Level.fine and atomics and atomics_everywhere(traits):
        out |= {aspect.usm_atomic_host_allocations, aspect.usm_atomic_shared_allocations}
    return out


def atomics_everywhere(traits: Traits) -> bool:
    """Say whether atomics reach the host: OpenCL 2.x does not ask it, but has it with its SVM."""
    if traits.number_of("atomic_memory_capabilities") & SCOPE_ALL:
        return True
    second = traits.version.startswith("OpenCL 2.")
    return second and bool(traits.number_of("svm_capabilities") & SVM_ATOMICS)
