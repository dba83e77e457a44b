"""What objects of PyOpenCL that a program brings are to a driver, and what a driver gives.

Non-goals: SYCL's names for it (``api.interop.make``). Invariants: what is taken over is retained;
of another device or context there is nothing here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unisycl.backends.opencl.interop import pyopencl_arrays, pyopencl_objects, sources
from unisycl.backends.opencl.interop.graphics import Graphics
from unisycl.backends.opencl.interop.pyopencl_images import NativePicture
from unisycl.backends.opencl.interop.pyopencl_objects import ForeignKernel
from unisycl.backends.opencl.launch import programs
from unisycl.backends.opencl.memory.objects import DeviceArray
from unisycl.backends.opencl.session import Session

if TYPE_CHECKING:
    from unisycl.backends.opencl.driver import ClDriver


def adopt(driver: ClDriver, what: str, native: Any) -> Any:
    """Return what an object of PyOpenCL is here (``backends.base.Driver``)."""
    if what == "language":
        return sources.compiles(driver.traits, native)
    session, device, queue = driver.opened()
    if what == "source":
        return sources.build(session, device, driver.traits, native)
    if what == "options":
        sources.check_options(session, device, driver.traits, native)
        return native
    if what == "array":
        return pyopencl_arrays.lend(session, queue, native, shares_host=driver.shares_host,
                         alignment=driver.devices()[0].mem_base_addr_align // 8)
    if what == "program":
        pyopencl_objects.check_kind(session.cl, what, native[0])
        return sources.take(session, device, driver.devices()[0].name, native)
    if what.startswith("gl "):
        return _graphics(Graphics(session, device.platform), queue, what, native)
    if what == "library":
        pyopencl_objects.check_kind(session.cl, "program", native)
        return sources.library(session.cl, session.context, native)
    pyopencl_objects.check_kind(session.cl, what, native)
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


def _graphics(functions: Graphics, queue: Any, what: str, asked: Any) -> Any:
    match what:
        case "gl context":
            return functions.context(*asked)
        case "gl devices":
            return functions.devices(*asked)
        case "gl event":
            return functions.event(asked)
    return functions.make(queue, *asked)


def given(session: Session, device: Any, what: str, thing: Any) -> Any:
    """Return PyOpenCL's object of a kind; None of a kind that there is none of."""
    match what:
        case "device":
            return device
        case "context":
            return session.context
        case "platform":
            return device.platform
        case "user event":
            return session.cl.UserEvent(session.context)
        case "sampler":
            return session.cl.Sampler(session.context, *thing)
        case "kernel":
            return thing.main
        case "program":
            return session.cl.Program(thing.program)
        case "binary":
            return programs.binary_of(session, thing.program, device)
    return None
