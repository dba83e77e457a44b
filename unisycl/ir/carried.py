"""What was compiled ahead of kernels that came out of an installed package, by the kernel object.

A blob is what one backend made for one target: ``cpu:x86-64-v3``. Non-goals: what it holds, and
where packages are. Invariant: a kernel that something was compiled for is kept, so that its ``id``
stays its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unisycl.ir.nodes import Kernel

Fetch = Callable[[str], bytes | None]
_carried: dict[int, tuple[Kernel, Mapping[str, str], Fetch]] = {}


def note(kernel: Kernel, blobs: Mapping[str, str], fetch: Fetch) -> None:
    """Note the names of a kernel's blobs by target, and what returns a blob by its name."""
    _carried[id(kernel)] = kernel, blobs, fetch


def targets(kernel: Kernel) -> frozenset[str]:
    """Return the targets that something was compiled for."""
    found = _carried.get(id(kernel))
    return frozenset() if found is None else frozenset(found[1])


def blob(kernel: Kernel, target: str) -> bytes | None:
    """Return what was compiled for a target; None if nothing was."""
    found = _carried.get(id(kernel))
    return None if found is None or target not in found[1] else found[2](found[1][target])
