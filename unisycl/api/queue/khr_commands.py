"""Commands as free functions that make no event unless asked (sycl_khr_free_function_commands).

What a command needs, and the event that it is to signal, are its ``requirements``. Non-goals:
commands of another kind than the member functions of ``handler``, which do the work. Invariant: a
command that is refused signals nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unisycl.api.bundles.kernel_bundle import kernel_bundle
from unisycl.api.bundles.native_kernel import native_kernel
from unisycl.api.devices.context import context
from unisycl.api.memory.accessor import accessor
from unisycl.api.queue.event import event
from unisycl.api.queue.handler import handler, run
from unisycl.api.queue.queue import queue
from unisycl.api.queue.reduction import reduction
from unisycl.api.queue.user_event import user_event
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call


@ends_at_call
class wait_event:
    """The command runs after an event: ``wait_event(e)``."""

    __slots__ = ("value",)

    def __init__(self, e: event) -> None:
        self.value = _event("wait_event", e)


@ends_at_call
class wait_events:
    """The command runs after all events of a list."""

    __slots__ = ("value",)

    def __init__(self, events: Sequence[event]) -> None:
        self.value = [_event("wait_events", e) for e in events]


@ends_at_call
class signal_event:
    """The event stands for this command from now on: ``signal_event(e)``."""

    __slots__ = ("value",)

    def __init__(self, e: event) -> None:
        if isinstance(_event("signal_event", e), user_event):
            raise UsageError(errc.invalid, "signal_event: a user_event is completed by the "
                             "program; make one for commands with khr.make_event(context)")
        self.value = e


_ONCE = (("kernel_bundle", (kernel_bundle,)), ("wait_event or wait_events",
                                               (wait_event, wait_events)),
         ("signal_event", (signal_event,)))


@ends_at_call
class requirements:
    """Requirements on the scheduling of a command.

    Args:
        values: placeholder accessors, a kernel_bundle in executable state, ``wait_event`` or
            ``wait_events``, ``signal_event``; but for accessors, one of each kind.
    """

    __slots__ = ("values",)

    def __init__(self, *values: Any) -> None:
        for value in values:
            if not is_requirement(type(value)):
                raise UsageError(errc.invalid, "requirements: expected an accessor, a "
                                 "kernel_bundle, wait_event, wait_events or signal_event, got "
                                 f"{type(value).__name__}")
        for name, kinds in _ONCE:
            if sum(isinstance(v, kinds) for v in values) > 1:
                raise UsageError(errc.invalid, f"requirements: give one {name} at most")
        self.values = values

    def has(self, *kinds: type) -> bool:
        """Say whether a requirement is of one of these kinds (internal)."""
        return any(isinstance(v, kinds) for v in self.values)

    def register(self, h: handler) -> None:
        """Tell a handler of what its command needs (internal)."""
        for value in self.values:
            if isinstance(value, accessor):
                h.require(value)
            elif isinstance(value, kernel_bundle):
                h.use_kernel_bundle(value)
            elif isinstance(value, wait_event | wait_events):
                h.depends_on(value.value)


def is_requirement(kind: Any) -> bool:
    """Say whether objects of a class may be among ``requirements``."""
    return isinstance(kind, type) and issubclass(
        kind, (accessor, kernel_bundle, wait_event, wait_events, signal_event))


_NONE = requirements()


# ---------------------------------------------------------------------- kernels
@ends_at_call
def launch(where: queue | handler, space: Any, *rest: Any) -> None:
    """Run a kernel over a range: ``launch(q, range[, requirements], kernel, *arguments)``."""
    needs, kernel, arguments = _kernel("launch", rest)
    _submit("launch", where, needs, lambda h: h.parallel_for(
        geo.as_range(space), kernel, *arguments))


@ends_at_call
def launch_reduce(where: queue | handler, space: Any, *rest: Any) -> None:
    """Run a kernel with reductions over a range.

    ``launch_reduce(q, range[, requirements], kernel, *reductions)``
    """
    needs, kernel, given = _kernel("launch_reduce", rest)
    _check_reductions("launch_reduce", given)
    _submit("launch_reduce", where, needs, lambda h: h.parallel_for(
        geo.as_range(space), *given, kernel))


@ends_at_call
def launch_grouped(where: queue | handler, space: Any, size: Any, *rest: Any) -> None:
    """Run a kernel over work-groups of a size.

    ``launch_grouped(q, range, size[, requirements], kernel, *arguments)``
    """
    needs, kernel, arguments = _kernel("launch_grouped", rest)
    _submit("launch_grouped", where, needs, lambda h: h.parallel_for(
        geo.nd_range(space, size), kernel, *arguments))


@ends_at_call
def launch_grouped_reduce(where: queue | handler, space: Any, size: Any, *rest: Any) -> None:
    """Run a kernel with reductions over work-groups of a size.

    ``launch_grouped_reduce(q, range, size[, requirements], kernel, *reductions)``
    """
    needs, kernel, given = _kernel("launch_grouped_reduce", rest)
    _check_reductions("launch_grouped_reduce", given)
    _submit("launch_grouped_reduce", where, needs, lambda h: h.parallel_for(
        geo.nd_range(space, size), *given, kernel))


@ends_at_call
def launch_task(where: queue | handler, *rest: Any) -> None:
    """Run a kernel once: ``launch_task(q[, requirements], kernel, *arguments)``."""
    needs, kernel, arguments = _kernel("launch_task", rest)
    _submit("launch_task", where, needs, lambda h: h.single_task(kernel, *arguments))


@ends_at_call
def launch_host(where: queue | handler, *rest: Any) -> None:
    """Run a function of Python on the host: ``launch_host(q[, requirements], function)``."""
    needs, function, _ = _kernel("launch_host", rest)
    _check("launch_host", needs, kernel_bundle)
    _submit("launch_host", where, needs, lambda h: h.host_task(function))


# ---------------------------------------------------------------------- memory
@ends_at_call
def enqueue_memcpy(where: queue, dest: Any, src: Any, nbytes: int | None = None,
                   reqs: requirements = _NONE) -> None:
    """Copy bytes between USM memory and arrays."""
    _command("enqueue_memcpy", where, reqs, lambda h: h.memcpy(dest, src, nbytes))


@ends_at_call
def enqueue_copy(where: queue, src: Any, dest: Any, *rest: Any) -> None:
    """Copy elements: ``enqueue_copy(q, src, dest[, count][, requirements])``.

    Between USM memory, arrays and accessors; a placeholder accessor is registered automatically.
    """
    count, reqs = _counted("enqueue_copy", rest)
    _command("enqueue_copy", where, reqs, lambda h: h.copy(src, dest, count), src, dest)


@ends_at_call
def enqueue_memset(where: queue, pointer: Any, value: int, nbytes: int | None = None,
                   reqs: requirements = _NONE) -> None:
    """Write one byte everywhere."""
    _command("enqueue_memset", where, reqs, lambda h: h.memset(pointer, value, nbytes))


@ends_at_call
def enqueue_fill(where: queue, dest: Any, pattern: Any, *rest: Any) -> None:
    """Write one value everywhere: ``enqueue_fill(q, dest, pattern[, count][, requirements])``."""
    count, reqs = _counted("enqueue_fill", rest)
    _command("enqueue_fill", where, reqs, lambda h: h.fill(dest, pattern, count), dest)


@ends_at_call
def enqueue_update_host(where: queue, source: accessor, reqs: requirements = _NONE) -> None:
    """Bring the host's copy of an accessor's data up to date."""
    _command("enqueue_update_host", where, reqs, lambda h: h.update_host(source), source)


@ends_at_call
def enqueue_prefetch(where: queue, pointer: Any, nbytes: int | None = None,
                     reqs: requirements = _NONE) -> None:
    """Say that the device will use shared memory soon: a hint."""
    _command("enqueue_prefetch", where, reqs, lambda h: h.prefetch(pointer, nbytes))


@ends_at_call
def enqueue_mem_advise(where: queue, pointer: Any, nbytes: int | None = None, advice: int = 0,
                       reqs: requirements = _NONE) -> None:
    """Advise how memory will be used: a hint."""
    _command("enqueue_mem_advise", where, reqs, lambda h: h.mem_advise(pointer, nbytes, advice))


# ---------------------------------------------------------------------- barriers and events
@ends_at_call
def enqueue_barrier(where: queue, reqs: requirements = _NONE) -> None:
    """Let no later command begin before all earlier and required ones have ended."""
    _command("enqueue_barrier", where, reqs, lambda h: h.ext_oneapi_barrier())


@ends_at_call
def enqueue_signal_event(where: queue, e: event, reqs: requirements = _NONE) -> None:
    """Submit a barrier, which the event stands for from now on."""
    if _given("enqueue_signal_event", reqs).has(signal_event):
        raise UsageError(errc.invalid, "enqueue_signal_event: one event is signalled; leave "
                         "signal_event out")
    both = requirements(*reqs.values, signal_event(e))
    _command("enqueue_signal_event", where, both, lambda h: h.ext_oneapi_barrier())


@ends_at_call
def enqueue_wait_event(where: queue, e: event, reqs: requirements = _NONE) -> None:
    """Let no later command begin before an event."""
    _wait_for("enqueue_wait_event", where, [_event("enqueue_wait_event", e)], reqs)


@ends_at_call
def enqueue_wait_events(where: queue, events: Sequence[event],
                        reqs: requirements = _NONE) -> None:
    """Let no later command begin before these events."""
    _wait_for("enqueue_wait_events", where,
              [_event("enqueue_wait_events", e) for e in events], reqs)


@ends_at_call
def make_event(owner: context) -> event:
    """Return an event for ``signal_event``; until a command is to signal it, it is complete."""
    if not isinstance(owner, context):
        raise UsageError(errc.invalid, "khr.make_event: expected a context, got "
                         f"{type(owner).__name__}")
    return event()


# ---------------------------------------------------------------------- what they share
def _wait_for(what: str, where: Any, events: list[event], reqs: requirements) -> None:
    _check(what, reqs, wait_event, wait_events)
    _command(what, where, reqs, lambda h: h.ext_oneapi_barrier(events))


def _event(what: str, e: Any) -> event:
    if not isinstance(e, event):
        raise UsageError(errc.invalid, f"{what}: expected an event, got {type(e).__name__}")
    return e


def _given(what: str, reqs: Any) -> requirements:
    if not isinstance(reqs, requirements):
        raise UsageError(errc.invalid, f"{what}: expected khr.requirements(...), got "
                         f"{type(reqs).__name__}")
    return reqs


def _kernel(what: str, rest: tuple[Any, ...]) -> tuple[requirements, Any, tuple[Any, ...]]:
    """Sort what follows an index space: requirements, the kernel, and the rest."""
    needs, rest = (rest[0], rest[1:]) if rest and isinstance(rest[0], requirements) else (
        _NONE, rest)
    if not rest or not (callable(rest[0]) or isinstance(rest[0], native_kernel)):
        raise UsageError(errc.invalid, f"{what}: expected [requirements,] a function, got "
                         f"({', '.join(type(x).__name__ for x in rest)})")
    return needs, rest[0], rest[1:]


def _check_reductions(what: str, given: tuple[Any, ...]) -> None:
    if not given or not all(isinstance(one, reduction) for one in given):
        raise UsageError(errc.invalid, f"{what}: one or more reductions must follow the kernel; "
                         f"without any, use {what.removesuffix('_reduce')}")


def _counted(what: str, rest: tuple[Any, ...]) -> tuple[int | None, requirements]:
    """Sort what follows the operands of a copy: a count and requirements, or one of them."""
    reqs = rest[-1] if rest and isinstance(rest[-1], requirements) else _NONE
    count = rest[:-1] if reqs is not _NONE else rest
    if len(count) > 1:
        raise UsageError(errc.invalid, f"{what}: expected [count][, requirements] at the end")
    return (count[0] if count else None), reqs


def _check(what: str, reqs: Any, *wrong: type) -> None:
    if _given(what, reqs).has(*wrong):
        raise UsageError(errc.invalid, f"{what}: its requirements may have no "
                         f"{' or '.join(kind.__name__ for kind in wrong)}")


def _command(what: str, where: Any, reqs: Any, ask: Callable[[handler], None],
             *operands: Any) -> None:
    _check(what, reqs, kernel_bundle, accessor)

    def group(h: handler) -> None:
        for one in operands:
            if isinstance(one, accessor) and one.is_placeholder():
                h.require(one)
        ask(h)
    _submit(what, where, reqs, group)


def _submit(what: str, where: Any, reqs: requirements, ask: Callable[[handler], Any]) -> None:
    if isinstance(where, handler):
        _check(what, reqs, signal_event)
        reqs.register(where)
        ask(where)
        return
    if not isinstance(where, queue):
        raise UsageError(errc.invalid, f"{what}: expected a queue first, got "
                         f"{type(where).__name__}")

    def group(h: handler) -> None:
        reqs.register(h)
        ask(h)
    task = run(group, handler(where.channel))
    for value in reqs.values:
        if isinstance(value, signal_event):
            value.value.task = task
