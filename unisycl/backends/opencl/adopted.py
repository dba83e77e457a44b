"""What objects of PyOpenCL that a program brings are to a driver.

Non-goals: SYCL's names for it (``api.native``). Invariants: what is taken over is retained; of
another device or context there is nothing here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unisycl.backends.opencl import foreign, lent, sources
from unisycl.backends.opencl.foreign import ForeignKernel
from unisycl.backends.opencl.memory import DeviceArray
from unisycl.backends.opencl.pictures import NativePicture

if TYPE_CHECKING:
    from unisycl.backends.opencl.driver import ClDriver


def adopt(driver: ClDriver, what: str, native: Any) -> Any:
    """Return what an object of PyOpenCL is here (``backends.base.Driver``)."""
    if what == "language":
        return sources.compiles(driver.traits, native)
    session, device, queue = driver.opened()
    if what == "source":
        return sources.build(session, device, driver.traits, native)
    if what == "array":
        return lent.lend(session, queue, native, shares_host=driver.shares_host,
                         alignment=driver.devices()[0].mem_base_addr_align // 8)
    if what == "program":
        foreign.check_kind(session.cl, what, native[0])
        return sources.take(session, device, driver.devices()[0].name, native)
    foreign.check_kind(session.cl, what, native)
    kept = type(native).from_int_ptr(native.int_ptr, retain=True)
    if what == "device":
        return kept == device or None
    if what == "context":
        return driver.within(kept, None) if device in kept.devices else None
    if what == "queue":
        return driver.within(kept.context, kept) if kept.device == device else None
    if what == "event":
        if device not in kept.context.devices:
            return None
        return driver.completion(kept, kept, "a native event")
    if what == "memory":
        return DeviceArray.over(kept, int(kept.size)) if kept.context == session.context else (
            None)
    if what == "image":
        ours = isinstance(kept, session.cl.MemoryObjectHolder) and (
            kept.context == session.context)
        return NativePicture(session, queue, kept) if ours else None
    if what == "kernel":
        return ForeignKernel(session, device, kept) if kept.context == session.context else (
            None)
    raise AssertionError(what)
