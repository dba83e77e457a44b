"""``queue``: where command groups are submitted (SYCL 2020 §4.6.5).

Non-goals: the graph (``runtime``). Invariants: submitting never blocks; a submission that raises
leaves no trace; every member may be called from any thread.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Sequence
from types import FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, overload

from unisycl.api import properties
from unisycl.api.devices import selector
from unisycl.api.devices.context import context
from unisycl.api.devices.device import check_descriptor, device
from unisycl.api.devices.info import Descriptor, HasBackendInfo, reference_count
from unisycl.api.devices.queue_base import QueueBase
from unisycl.api.properties import HasProperties, Property, property_list
from unisycl.api.queue.bound_kernel import bound_kernel
from unisycl.api.queue.discarded_events import discarded_event
from unisycl.api.queue.event import event, tasks_of
from unisycl.api.queue.handler import (
    apply_properties,
    check_callable,
    check_group,
    handler,
    run,
    split,
)
from unisycl.api.queue.native_commands import NativeShortcuts
from unisycl.api.queue.reduction import reduction
from unisycl.base import geometry as geo
from unisycl.base.enums import aspect, backend, queue_state
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import RAISED, ends_at_call, shorten
from unisycl.lang.kernels.kernel import kernel
from unisycl.lang.kernels.kernel_properties import properties as kernel_traits
from unisycl.observe import compile_report
from unisycl.runtime.devices.devices import DeviceState, default_context, require_aspect
from unisycl.runtime.graph import external_events, partners, watching
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.tasks import Task, check_process
from unisycl.runtime.launch import launch
from unisycl.runtime.launch.launch import int_geometry, launch_now
from unisycl.runtime.launch.program import label
from unisycl.runtime.recorded.command_graph import plan_of

if TYPE_CHECKING:
    from unisycl.api.public_types import handler as group_handler

Kernel = Callable[..., Any]
_Space = SupportsIndex | Sequence[SupportsIndex] | geo.range | geo.nd_range
_Events = event | Sequence[event]
_Before = _Events | geo.id | kernel_traits | reduction
_NONE: tuple[Task, ...] = ()
_PLAIN = frozenset((FunctionType, kernel))
_GIVEN = (Property, property_list, list, tuple)


@ends_at_call
class queue(NativeShortcuts, QueueBase, HasProperties, HasBackendInfo):
    """Submits work to one device (SYCL 2020 §4.6.5). Out of order unless asked otherwise.

    Args:
        args: in any order: a device, its name (``"opencl:1"``) or a selector, a context, an
            asynchronous handler (a callable taking an ``exception_list``, after the device),
            properties.
        async_handler: the handler, by name.

    Without a handler here or on the context, errors of commands are raised out of ``wait``,
    ``wait_and_throw``, ``event.wait``, ``buffer.close`` and ``host_accessor``, and printed at exit.
    Example::

        q = unisycl.queue(unisycl.cpu_selector_v, unisycl.property.queue.in_order())
    """

    __slots__ = ("__weakref__", "_context", "_finalizer", "_made", "_properties")
    __kernel_refusal__ = "submit other kernels from the host"
    __capture_refusal__ = "queues live on the host"

    def __init__(self, *args: Any, async_handler: Any = None) -> None:
        chosen, owner, found, given = _arguments(args)
        in_context = None if owner is None else owner.get_devices()
        if chosen is None:
            chosen = device(selector.default_selector_v) if in_context is None else (
                selector.pick(selector.default_selector_v, in_context))
        elif not isinstance(chosen, device):
            chosen = device(chosen) if in_context is None else selector.pick(chosen, in_context)
        if owner is not None and not owner.state.covers(chosen.state):
            raise UsageError(errc.invalid, f"queue: {chosen!r} is not a device of the context; "
                             "choose one of context.get_devices(), or a part of one")
        self._properties = properties.check(properties.flatten(given), "queue")
        urgency = properties.urgency(self._properties)
        profiling = self.has_property(properties.property.queue.enable_profiling)
        self._made = self._event_maker(profiling=profiling)
        if profiling:
            require_aspect(chosen.state, aspect.queue_profiling, "property.queue.enable_profiling")
        self._context = context._of(default_context(chosen.state)) if owner is None else owner
        state = self._context.state
        self.channel = watching.open_channel(
            state.local(chosen.state), state, handler=async_handler or found or state.handler,
            in_order=self.has_property(properties.property.queue.in_order), profiling=profiling,
            checks=properties.checks(self._properties),
            timeout=properties.timeout(self._properties), urgency=urgency)
        self._finalizer = weakref.finalize(self, self.channel.retire)
        self._finalizer.atexit = False

    def _event_maker(self, *, profiling: bool) -> Callable[[Task], event]:
        """Return what makes an event of a command."""
        if not self.has_property(properties.property.queue.discard_events):
            return event._of
        if profiling:
            raise UsageError(errc.invalid, "queue: discard_events leaves no events for "
                             "enable_profiling; give one of the two")
        return discarded_event._of

    @classmethod
    def _over(cls, state: DeviceState, owner: context, async_handler: Any) -> Self:
        """Return a queue on a device whose driver has a native queue (internal)."""
        made = object.__new__(cls)
        made._properties, made._context, made._made = (), owner, event._of
        made.channel = watching.open_channel(
            state, owner.state, handler=async_handler or owner.state.handler)
        made._finalizer = weakref.finalize(made, made.channel.retire)
        made._finalizer.atexit = False
        return made

    # ------------------------------------------------------------------ asking
    def get_context(self) -> context:
        """Return the context."""
        return self._context

    def get_device(self) -> device:
        """Return the device."""
        return device._of(self.channel.device)

    def get_backend(self) -> backend:
        """Return the backend."""
        return self.channel.device.info.backend

    def is_in_order(self) -> bool:
        """Say whether each command runs after the one before it."""
        return self.channel.in_order

    def get_info(self, what: Descriptor) -> Any:
        """Return what the descriptor asks for, e.g. ``info.queue.device``."""
        check_descriptor(what, "queue")
        if what.name == "reference_count":
            return reference_count(self.channel.driver.native.queue())
        return self.get_context() if what.name == "context" else self.get_device()

    def khr_empty(self) -> bool:
        """Say whether no command is pending (sycl_khr_queue_empty_query)."""
        return partners.nothing_left(self.channel)

    def ext_oneapi_empty(self) -> bool:
        """Say the same by its older name (sycl_ext_oneapi_queue_empty)."""
        return partners.nothing_left(self.channel)

    def ext_oneapi_prod(self) -> None:
        """Do what ``khr_flush`` does, by its older name (sycl_ext_oneapi_prod)."""
        self.khr_flush()

    def khr_is_profiling_enabled(self) -> bool:
        """Say whether events of the queue have times (sycl_khr_properties)."""
        return self.channel.profiling

    def khr_flush(self) -> None:
        """Make pending commands progress; they do so here by themselves (sycl_khr_queue_flush)."""

    # ------------------------------------------------------------------ waiting
    def wait(self) -> None:
        """Block until everything submitted before has completed; Ctrl-C interrupts.

        Errors stay with the queue for its handler; without any handler they are raised here.
        """
        try:
            self.channel.wait()
            external_events.wait(self.channel)
            self.channel.deliver_unhandled()
        except RAISED as error:
            shorten(error)
            raise

    def wait_and_throw(self) -> None:
        """Block as ``wait``, then give undelivered errors to the handler (SYCL 2020 §4.13.1)."""
        try:
            self.channel.wait()
            external_events.wait(self.channel)
            self.channel.deliver()
        except RAISED as error:
            shorten(error)
            raise

    def throw_asynchronous(self) -> None:
        """Give undelivered errors to the handler without waiting (SYCL 2020 §4.13.1)."""
        self.channel.prune()
        self.channel.deliver()

    def close(self) -> None:
        """Wait and deliver errors, as leaving a ``with`` block does."""
        self.wait_and_throw()

    # ------------------------------------------------------------------ submitting
    def submit(self, group_function: Callable[[group_handler], Any],
               secondary: queue | None = None) -> event:
        """Run a command group function at once and submit what it asks for (SYCL 2020 §4.6.5.2).

        Works as a decorator: the name of the function then stands for the event.

        Args:
            group_function: called once, with a ``handler``.
            secondary: a queue to run the kernel, copy or fill on if it fails on this one; the
                failure is then not reported (SYCL 2020 §3.9.10). Host tasks are not run twice.
        """
        try:
            check_group(group_function)
            h = handler(self.channel, None if secondary is None else _secondary(secondary))
            return self._made(run(group_function, h))  # type: ignore[arg-type]
        except RAISED as error:
            shorten(error)
            raise

    @overload
    def single_task(self, *, depends_on: _Events = ()) -> Callable[[Kernel], event]: ...
    @overload
    def single_task(self, first: Kernel | _Before, /, *rest: Any,
                    depends_on: _Events = ()) -> event: ...
    def single_task(self, *rest: Any, depends_on: Any = ()) -> Any:
        """Run a kernel once (SYCL 2020 §4.6.5.3): ``single_task([events,] fn, *args)``."""
        try:
            rest, deps = self._dependencies(rest, depends_on)
            if not rest:
                return lambda fn: self.single_task(fn, depends_on=depends_on)
            rest = apply_properties(rest)
            check_callable(rest[0])
            return self._made(launch.launch_now(
                self.channel, rest[0], launch.SINGLE, rest[1:], (), deps))
        except RAISED as error:
            shorten(error)
            raise

    @overload
    def parallel_for(self, space: _Space, /, *given: _Before,
                     depends_on: _Events = ()) -> Callable[[Kernel], event]: ...
    @overload
    def parallel_for(self, space: _Space, first: Kernel | _Before, /, *rest: Any,
                     depends_on: _Events = ()) -> event: ...
    def parallel_for(self, space: Any, *rest: Any, depends_on: Any = ()) -> Any:
        """Run a kernel over an index space (SYCL 2020 §4.6.5.3).

        Args:
            space: a range, an int, a tuple, or an nd_range.
            rest: an event or a list of events to wait for, reductions, the kernel, its further
                arguments. Without a kernel, returns a decorator that submits it.
            depends_on: events to wait for, by name.

        Returns:
            The event. Kernels launched so use USM memory, not accessors.
        """
        try:
            if rest and not depends_on and type(first := rest[0]) in _PLAIN:
                channel = self.channel
                fn = (type(first) is kernel and channel.repeats and first.plain) or first
                made = int_geometry if type(space) is int else launch.space_geometry
                return self._made(launch_now(channel, fn, made(space), rest[1:], (), _NONE))
            rest, deps = self._dependencies(rest, depends_on)
            offset, reductions, fn, args = split(rest)
            geometry = launch.space_geometry(space, offset)
            if fn is None:
                return lambda f: self._made(launch.launch_now(
                    self.channel, f, geometry, (), reductions, deps))
            check_callable(fn)
            return self._made(launch.launch_now(
                self.channel, fn, geometry, args, reductions, deps))
        except RAISED as error:
            shorten(error)
            raise

    def bind(self, space: Any, kernel: Kernel, *arguments: Any) -> bound_kernel:
        """Return a launch that is ready to be submitted again and again: call it.

        Args:
            space: a range, an int, a tuple, or an nd_range.
            kernel: the kernel; what it captures is read now.
            arguments: its further arguments: USM memory, arrays, numbers, structs.

        Raises what ``parallel_for`` raises for a kernel or for arguments that do not fit.
        """
        check_callable(kernel)
        check_process(self.channel)
        made = launch.build(self.channel, None, kernel, launch.space_geometry(space), arguments)
        return bound_kernel(self.channel, made, label(kernel), self._made, kernel)

    def ext_unisycl_report(self, space: Any, kernel: Kernel, *arguments: Any) -> str:
        """Return what a launch would compile: options, loops, memories, pipes; nothing is run.

        Args:
            space: the index space as for ``parallel_for``; None for ``single_task``.
            kernel: the kernel; arguments: what it would be launched with.
        """
        check_callable(kernel)
        geometry = launch.SINGLE if space is None else launch.space_geometry(space)
        return compile_report.report(self.channel.device, kernel, geometry, arguments)

    def memcpy(self, dst: Any, src: Any, nbytes: int | None = None, *args: Any,
               offset: int = 0, depends_on: Any = ()) -> event:
        """Copy bytes between USM memory, arrays and device_globals (SYCL 2020 §4.6.5.3).

        For a device_global ``nbytes`` may be followed by the offset in bytes, then events.
        """
        offset, depends_on = _start("memcpy", args, offset, depends_on)
        return self._command(depends_on, lambda h: h.memcpy(dst, src, nbytes, offset))

    def copy(self, src: Any, dst: Any, count: int | None = None, *args: Any,
             start: int = 0, depends_on: Any = ()) -> event:
        """Copy elements between USM memory, arrays, placeholder accessors, device_globals.

        For a device_global ``count`` may be followed by the first element, then events
        (SYCL 2020 §4.6.5.3).
        """
        start, depends_on = _start("copy", args, start, depends_on)
        return self._command(depends_on, lambda h: h.copy(src, dst, count, start))

    def memset(self, dst: Any, value: int, nbytes: int | None = None,
               depends_on: Any = ()) -> event:
        """Write one byte everywhere (SYCL 2020 §4.6.5.3)."""
        return self._command(depends_on, lambda h: h.memset(dst, value, nbytes))

    def fill(self, dst: Any, value: Any, count: int | None = None, depends_on: Any = ()) -> event:
        """Write one value everywhere (SYCL 2020 §4.6.5.3)."""
        return self._command(depends_on, lambda h: h.fill(dst, value, count))

    def update_host(self, source: Any, depends_on: Any = ()) -> event:
        """Bring the host's copy of a placeholder accessor's data up to date (§4.6.5.3)."""
        return self._command(depends_on, lambda h: h.update_host(source))

    def prefetch(self, pointer: Any, nbytes: int | None = None, depends_on: Any = ()) -> event:
        """Say that the device will use shared memory soon: a hint (SYCL 2020 §4.6.5.3)."""
        return self._command(depends_on, lambda h: h.prefetch(pointer, nbytes))

    def mem_advise(self, pointer: Any, nbytes: int | None = None, advice: int = 0,
                   depends_on: Any = ()) -> event:
        """Advise how memory will be used: a hint (SYCL 2020 §4.6.5.3)."""
        return self._command(depends_on, lambda h: h.mem_advise(pointer, nbytes, advice))

    def _dependencies(self, rest: tuple[Any, ...],
                      named: Any) -> tuple[tuple[Any, ...], Sequence[Task]]:
        """Take the events that may stand before a kernel, and those given by name."""
        recording = self.channel.recorder is not None
        deps: list[Task] = tasks_of(named, recording=recording) if named else []
        if rest and isinstance(rest[0], event | Sequence):
            deps += tasks_of(rest[0], recording=recording)
            rest = rest[1:]
        return rest, tuple(dict.fromkeys(deps))

    def _command(self, depends_on: Any, ask: Callable[[handler], None]) -> event:
        def group(h: Any) -> None:
            h.depends_on(depends_on)
            ask(h)
        return self.submit(group)

    def ext_oneapi_submit_barrier(self, events: Sequence[event] | None = None) -> event:
        """Let no later command begin before these events, or all commands submitted so far.

        Returns:
            The event of the barrier (sycl_ext_oneapi_enqueue_barrier).
        """
        tasks = self.channel.snapshot() if events is None else tasks_of(
            events, recording=self.channel.recorder is not None)
        task = Task(self.channel, "a barrier", self.channel.driver)
        self.channel.barrier(task, tasks)
        return self._made(task)

    def ext_oneapi_get_last_event(self) -> event:
        """Return the event of the last command, or the external one that was set after it.

        Of in-order queues only (sycl_ext_oneapi_in_order_queue_events).
        """
        task = external_events.last_of(self._in_order("ext_oneapi_get_last_event"))
        return event() if task is None else event._of(task)

    def ext_oneapi_set_external_event(self, external_event: event) -> None:
        """Have the next command wait for an event, too; a later call replaces it.

        Of in-order queues only (sycl_ext_oneapi_in_order_queue_events).
        """
        found = tasks_of(external_event)
        external_events.expect(self._in_order("ext_oneapi_set_external_event"),
                        found[0] if found else None)

    def _in_order(self, what: str) -> Channel:
        if not self.channel.in_order or self._made != event._of:
            raise UsageError(errc.invalid, f"{what}: the queue must be made with "
                             "property.queue.in_order(), and without discard_events")
        return self.channel

    # ------------------------------------------------------------------ graphs
    def ext_oneapi_graph(self, graph: Any, depends_on: Any = ()) -> event:
        """Submit an executable graph as one command (sycl_ext_oneapi_graph)."""
        if self.channel.recorder is not None:
            return self._command(depends_on, lambda h: h.ext_oneapi_graph(graph))
        return self._made(plan_of(graph).submit(self.channel, tasks_of(depends_on)))

    def ext_oneapi_get_state(self) -> queue_state:
        """Say whether commands are run or recorded (sycl_ext_oneapi_graph)."""
        recording = self.channel.recorder is not None
        return queue_state.recording if recording else queue_state.executing

    # ------------------------------------------------------------------ as an object
    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self.channel.wait()

    def _repr_svg_(self) -> str | None:
        """Return a picture for a notebook: what was submitted inside ``recording``, else pending.

        None if that is nothing; the notebook shows text then.
        """
        return watching.svg_of_queue(self.channel)

    def __copy__(self) -> queue:
        return self

    def __deepcopy__(self, memo: object) -> queue:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, queue) and _lasting(other.channel) is _lasting(self.channel)

    def __hash__(self) -> int:
        return hash(("queue", id(_lasting(self.channel))))

    def __repr__(self) -> str:
        order = "in order" if self.channel.in_order else "out of order"
        self.channel.prune()
        pending = len(self.channel.pending)
        return f"<queue on {self.channel.device.name}: {order}, {pending} pending>"


def _lasting(channel: Any) -> Any:
    """Return the channel that a queue has while no graph records it: by that it is known."""
    return getattr(channel, "plain", None) or channel


def _start(what: str, args: tuple[Any, ...], start: int, depends_on: Any) -> tuple[int, Any]:
    """Sort what follows the count of a copy: where it starts, and events to wait for."""
    for arg in args:
        if isinstance(arg, event | list | tuple):
            depends_on = arg
        elif hasattr(arg, "__index__") and not isinstance(arg, bool):
            start = operator.index(arg)
        else:
            raise UsageError(errc.invalid, f"{what}: after the count come the start in a "
                             f"device_global and events, not {type(arg).__name__}")
    return start, depends_on


def _secondary(given: Any) -> Channel:
    if not isinstance(given, queue):
        raise UsageError(errc.invalid, f"submit: the secondary queue is a {type(given).__name__}")
    return given.channel


def _arguments(args: tuple[Any, ...]) -> tuple[Any, context | None, Any, list[Any]]:
    """Sort a constructor's arguments: device or selector, context, handler, properties."""
    chosen: Any = None
    owner: context | None = None
    found: Any = None
    given: list[Any] = []
    for arg in args:
        if isinstance(arg, context) and owner is None:
            owner = arg
        elif isinstance(arg, _GIVEN) or properties.is_property(arg):
            given.append(arg)
        elif chosen is None and (isinstance(arg, device | str) or callable(arg)):
            chosen = arg
        elif found is None and callable(arg):
            found = arg
        elif arg is not None:
            raise UsageError(errc.invalid, f"queue: did not expect a {type(arg).__name__}; give a "
                             "device, its name or a selector, a context, an async handler, "
                             "properties")
    return chosen, owner, found, given
