"""SYCL objects made of a backend's own (SYCL 2020 §4.5.1.2, App. C.7.1), and native kernels.

Non-goals: what a native object is (``Driver.adopt``). Invariants: what is taken over is retained
until the last SYCL object made of it is gone; an object of another backend or context is refused.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unisycl.api.bundles.native_kernel import native_kernel
from unisycl.api.bundles.source_bundle import built_bundle
from unisycl.api.devices.context import context
from unisycl.api.devices.device import device, platform
from unisycl.api.images.image import sampled_image, unsampled_image
from unisycl.api.memory.buffer import buffer
from unisycl.api.queue.event import event
from unisycl.api.queue.queue import queue
from unisycl.base import geometry as geo
from unisycl.base.dtypes import as_dtype
from unisycl.base.enums import backend, bundle_state
from unisycl.base.errors import DeviceError, UnsupportedError, UsageError, errc
from unisycl.base.foreign_objects import description, is_native
from unisycl.base.image_formats import image_channel_order, image_channel_type, image_sampler
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import ContextState, DeviceState, all_devices
from unisycl.runtime.graph.tasks import Task, begin_nothing
from unisycl.runtime.launch import program

Kind: TypeAlias = Callable[[Any], Callable[[Any], Any]]
"""Which method of a driver's ``Adoption`` takes an object."""


@ends_at_call
def make_platform(wanted: backend, native: Any) -> platform:
    """Return the platform of a native one (SYCL 2020 §4.5.1.2)."""
    for state in _candidates(wanted):
        if state.driver.native.platform() == native:
            return platform._of(state.platform)
    raise _unknown("make_platform", wanted, native)


@ends_at_call
def make_device(wanted: backend, native: Any) -> device:
    """Return the root device of a native one (SYCL 2020 §4.5.1.2)."""
    return device._of(_find("make_device", wanted, lambda adopt: adopt.device, native)[0])


@ends_at_call
def make_context(wanted: backend, native: Any,
                 async_handler: Callable[..., Any] | None = None) -> context:
    """Return a context over a native one (SYCL 2020 §4.5.1.2), its devices in the same order.

    Its queues, memory and kernels belong to the native context.
    """
    made, problem = [], None
    for state in _candidates(wanted):
        try:
            driver = _adopt(state, lambda adopt: adopt.context, native)
        except DeviceError as error:  # the device of another runtime may be unusable
            problem = error
            continue
        if driver is not None:
            made.append(DeviceState(state.name, driver, state.info, state.platform, twin=state))
    if not made:
        raise problem or _unknown("make_context", wanted, native)
    order = list(getattr(native, "devices", ()))
    if order:
        made.sort(key=lambda d: order.index(d.driver.native.device()))
    owner = ContextState(tuple(made), async_handler)
    weakref.finalize(owner, program.forget, [d.number for d in made]).atexit = False
    return context._of(owner)


@ends_at_call
def make_queue(wanted: backend, native: Any, owner: context,
               async_handler: Callable[..., Any] | None = None) -> queue:
    """Return a queue whose commands go to a native one, in that one's order.

    Args:
        wanted: the backend.
        native: the queue; its context is that of ``owner``.
        owner: the context, made of the native one or the default one of the platform.
        async_handler: for asynchronous errors; the context's if left out.
    """
    for state in _context("make_queue", owner).devices:
        if state.info.backend is not wanted:
            continue
        driver = _adopt(state, lambda adopt: adopt.queue, native)
        if driver is not None:
            if state.driver.native.context() != driver.native.context():
                raise UsageError(errc.invalid, "make_queue: the native queue belongs to another "
                                 "context; give make_context of its own")
            own = DeviceState(state.name, driver, state.info, state.platform,
                              twin=state.twin or state)
            made = queue._over(own, owner, async_handler)
            weakref.finalize(made.channel, program.forget, [own.number]).atexit = False
            return made
    raise _unknown("make_queue", wanted, native)


@ends_at_call
def make_event(wanted: backend, natives: Any, owner: context) -> event:
    """Return an event that completes with a native one, or with a list of them."""
    tasks = []
    for native in natives if isinstance(natives, Iterable) else [natives]:
        _, completion = _find("make_event", wanted, lambda adopt: adopt.event, native, owner)
        task = Task(None, "a native event")
        task.begun(completion)
        tasks.append(task)
    whole = tasks[0] if len(tasks) == 1 else Task(None, "native events")
    if len(tasks) != 1:
        whole.enqueue(tasks, begin_nothing)
    made = foreign_event._of(whole)
    made._wanted = wanted
    return made


class foreign_event(event):
    """An event of commands that the runtime did not submit."""

    __slots__ = ("_wanted",)
    _wanted: backend

    def get_backend(self) -> backend:
        """Return the backend whose commands they are."""
        return self._wanted


@ends_at_call
def make_buffer(wanted: backend, native: Any, owner: context, available: event | None = None, *,
                dtype: npt.DTypeLike = np.uint8, shape: Any = None) -> Any:
    """Return a buffer over native memory (SYCL 1.2 §3.6.1, SYCL 2020 App. C.7.1).

    What commands change is in the native memory when the buffer has ended; until then nothing else
    may use that memory.

    Args:
        wanted: the backend.
        native: the memory.
        owner: the context it belongs to.
        available: the event that the contents are complete with; commands on the buffer wait for
            it, the call itself does not.
        dtype: the type of an element.
        shape: the range; all of the memory in one dimension if left out.

    Memory that kernels may only read (``CL_MEM_READ_ONLY``) takes read_only accessors only. Raises
    ``errc.invalid`` where elements of the type do not fill the memory and no shape is given.
    """
    state, memory = _find("make_buffer", wanted, lambda adopt: adopt.memory, native, owner)
    kind = as_dtype("make_buffer", dtype)
    if shape is None and memory.nbytes % kind.itemsize:
        raise UsageError(errc.invalid, f"make_buffer: the native memory's {memory.nbytes} bytes "
                         f"are no whole number of {kind} ({kind.itemsize} bytes each); give "
                         "shape= for a buffer over the first ones, or another dtype=")
    extent = (memory.nbytes // kind.itemsize,) if shape is None else tuple(geo.as_range(shape))
    made = buffer(extent, dtype=kind)
    if made.byte_size() > memory.nbytes:
        raise UsageError(errc.invalid, f"make_buffer: {made.byte_size()} bytes are asked for, the "
                         f"native memory has {memory.nbytes}")
    after = None if available is None else available.task
    made.region.memory.take_over(memory, state.driver, after)
    made.region.memory.const = not memory.writable
    return made


@ends_at_call
def make_unsampled_image(wanted: backend, native: Any, owner: context,
                         available: event | None = None) -> unsampled_image:
    """Return an image with the pixels of a native one, which gets them back (SYCL 2020 §4.5.1.2).

    The pixels are copied when it is made and when it has ended (``close``, ``with``, or nobody
    refers to it); until then nothing else may use the native image.

    Args:
        wanted: the backend.
        native: an image of one to three dimensions; arrays of images and images over buffers are
            refused (``errc.feature_not_supported``).
        owner: the context it belongs to.
        available: the event that its contents are complete with.
    """
    found, form = _picture("make_unsampled_image", wanted, native, owner)
    if available is not None:
        available.wait()
    made = unsampled_image(found.read(), form, geo.range(*found.extent))
    made.set_final_data(found.write)
    return made


@ends_at_call
def make_sampled_image(wanted: backend, native: Any, owner: context, sampler: image_sampler,
                       available: event | None = None) -> sampled_image:
    """Return an image with the pixels of a native one, read through a sampler; see above."""
    found, form = _picture("make_sampled_image", wanted, native, owner)
    if available is not None:
        available.wait()
    return sampled_image(found.read(), form, sampler, geo.range(*found.extent))


def _picture(call: str, wanted: backend, native: Any, owner: context) -> tuple[Any, Any]:
    """Return a native image and its format."""
    _, found = _find(call, wanted, lambda adopt: adopt.image, native, owner)
    try:
        return found, (image_channel_order[found.order], image_channel_type[found.type])
    except KeyError:
        raise UnsupportedError(errc.feature_not_supported, f"{call}: images here have no pixels "
                               f"of order {found.order} and type {found.type}") from None


@ends_at_call
def make_kernel(wanted: backend, native: Any, owner: context) -> native_kernel:
    """Return a kernel over a native one, for ``parallel_for`` and ``single_task`` of a handler.

    Its arguments are those set on the native kernel, or by ``handler.set_args``. Ranges have SYCL's
    order: the last dimension is the native interface's first (SYCL 2020 App. C.7.7).
    """
    state, executable = _find("make_kernel", wanted, lambda adopt: adopt.kernel, native, owner)
    return native_kernel._of(executable, state, owner)


@ends_at_call
def make_kernel_bundle(wanted: backend, native: Any, owner: context,
                       state: bundle_state = bundle_state.executable) -> built_bundle:
    """Return a bundle over a native program (SYCL 2020 §4.5.1.2, App. C.7.1).

    Args:
        wanted: the backend.
        native: the program; one from source is in state input, a compiled one in state object, a
            linked or built one executable.
        owner: the context it belongs to.
        state: the state of the bundle; the program is compiled, linked or built for that.
            ``errc.invalid`` for a state before its own.

    Kernels are taken from it by name: ``bundle.ext_oneapi_get_kernel("scale")``.
    """
    return bundle_of(owner, _context("make_kernel_bundle", owner).devices, [native],
                     (wanted, state))


def bundle_of(owner: context, states: Iterable[DeviceState], natives: Iterable[Any],
              what: tuple[backend, bundle_state]) -> built_bundle:
    """Return a bundle of native programs, and of native kernels (internal)."""
    wanted, state = what
    _candidates(wanted)
    given = list(natives)
    made: dict[DeviceState, tuple[Any, ...]] = {}
    for device_state in states:
        if device_state.info.backend is wanted:
            found = [_program(device_state, n, state) for n in given]
            if None not in found:
                made[device_state] = tuple(found)
    if not made:
        raise _unknown("make_kernel_bundle", wanted, given[0] if len(given) == 1 else given)
    return built_bundle(owner, made, state)


def _program(state: DeviceState, native: Any, wanted: bundle_state) -> Any:
    if not is_native(native):
        return None
    if hasattr(type(native), "function_name"):
        found = state.driver.adopt.kernel(native)
        return None if found is None else _Lone(found)
    return state.driver.adopt.program(native, wanted)


class _Lone:
    """A native kernel as a program of its own."""

    def __init__(self, executable: Any) -> None:
        self.names = (str(executable.name),)
        self.native = executable.native
        self._executable = executable

    def kernel(self, name: str) -> Any:
        """Return the kernel."""
        return self._executable


def _candidates(wanted: backend) -> list[DeviceState]:
    if not isinstance(wanted, backend):
        raise UsageError(errc.invalid, f"expected a backend first, got {type(wanted).__name__}")
    found = [d for d in all_devices() if d.info.backend is wanted]
    if not found:
        raise UsageError(errc.backend_mismatch, f"no device of the backend '{wanted.name}' was "
                         "found here")
    return found


def _context(call: str, owner: Any) -> ContextState:
    if not isinstance(owner, context):
        raise UsageError(errc.invalid, f"{call}: expected a context, got {type(owner).__name__}; "
                         "give queue.get_context(), or one of make_context")
    return owner.state


def _instead(given: Any) -> str:
    """Say what to do with an object that is no native one."""
    if hasattr(type(given), "get_backend"):
        return ", which is SYCL's already; get_native gives what it stands for"
    if description(given) is not None:
        return "; give its memory, array.data, with dtype=array.dtype and shape=array.shape"
    if hasattr(given, "__array__"):
        return "; a buffer or an image of an array is made by buffer or unsampled_image themselves"
    return ""


def _adopt(state: DeviceState, kind: Kind, native: Any) -> Any:
    adopt = state.driver.adopt
    return kind(adopt)(native) if is_native(native) or adopt.is_handle(native) else None


def _find(call: str, wanted: backend, kind: Kind, native: Any,
          owner: context | None = None) -> tuple[DeviceState, Any]:
    """Return the device that takes a native object of a kind, and what it makes of it."""
    states = _candidates(wanted)
    if owner is not None:
        states = [s for s in _context(call, owner).devices if s.info.backend is wanted]
    problem = None
    for state in states:
        try:
            found = _adopt(state, kind, native)
        except DeviceError as error:  # the device of another runtime may be unusable
            problem = error
            continue
        if found is not None:
            return state, found
    raise problem or _unknown(call, wanted, native)


def _unknown(call: str, wanted: backend, native: Any) -> UsageError:
    known = is_native(native) or any(s.driver.adopt.is_handle(native)
                                     for s in _candidates(wanted))
    if not known and not isinstance(native, list | tuple):
        return UsageError(errc.invalid, f"{call}: expected an object of the native interface of "
                          f"'{wanted.name}', got {type(native).__name__}{_instead(native)}")
    return UsageError(errc.invalid, f"{call}: {native!r} belongs to no device or context of the "
                      f"backend '{wanted.name}' given or found here; give the context that it "
                      "was made in")

