"""``make_ptr``: SYCL 1.2's way to a ``multi_ptr`` (§3.6.5.1), usable in kernels.

Non-goals: pointers themselves. Invariant: the same as calling ``multi_ptr``.
"""

from __future__ import annotations

from unisycl.lang.memory.pointer import multi_ptr


def make_ptr(source, space=None):  # type: ignore[no-untyped-def]  # compiled as user code
    """Return a pointer to memory, declared to an address space; that of the memory if left out."""
    if space is None:
        return multi_ptr(source)
    return multi_ptr(source, space)
