"""What is said of kernels and loops to compilers for hardware: attributes and pragmas.

Those that know ``cl_intel_channels`` take them (Intel FPGA SDK for OpenCL, Programming Guide 5.2
and 5.3). Non-goals: what any of it means (``lang.library.hardware``). Invariant: none changes a
result.
"""

from __future__ import annotations

from unisycl.backends.cfamily.dialect import Head
from unisycl.backends.opencl.discovery.traits import Traits

_PRAGMAS = {"initiation_interval": "ii", "ivdep": "ivdep", "loop_coalesce": "loop_coalesce",
            "max_concurrency": "max_concurrency", "max_interleaving": "max_interleaving",
            "speculated_iterations": "speculated_iterations",
            "disable_loop_pipelining": "disable_loop_pipelining"}
_BARE = frozenset(("ivdep", "loop_coalesce", "disable_loop_pipelining"))  # where 0 means no number
_ATTRIBUTES = ("max_global_work_dim", "scheduler_target_fmax_mhz")


def described(traits: Traits) -> bool:
    """Say whether a device's compiler takes descriptions of hardware."""
    return traits.has("cl_intel_channels")


def control(name: str, number: int) -> str:
    """Return the pragma of a loop's control; '' for ``unroll``, which every compiler has."""
    word = _PRAGMAS.get(name, "")
    if not word or (not number and name in _BARE):
        return f"#pragma {word}" if word else ""
    return f"#pragma {word} " + (f"safelen({number})" if name == "ivdep" else str(number))


def nothing(name: str, number: int) -> str:
    """Say nothing of a loop's control: for all other compilers."""
    return ""


def attributes(of: Head) -> list[str]:
    """Return the attributes of a kernel; the work-group's size, where known, is required anyway."""
    found = []
    for name, values in of.traits:
        if name == "no_global_work_offset":
            found.append("uses_global_work_offset(0)")
        elif name in _ATTRIBUTES or (name == "num_simd_work_items" and _divides(values[0], of)):
            found.append(f"{name}({values[0]})")
    return [f"__attribute__(({word}))" for word in found]


def _divides(count: int, of: Head) -> bool:
    """Say whether a work-group's last dimension, the first one of C, is a multiple of a number."""
    return bool(of.local) and int(of.local.partition(",")[0]) % count == 0
