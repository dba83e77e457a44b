"""Commands as free functions that make no event (sycl_ext_oneapi_enqueue_functions).

Each takes a queue or a handler first. Non-goals: accessors in copies, as the extension has it.
Invariant: the same command as the member function of that name; only ``submit_with_event`` makes an
``event``.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.api import properties as props
from unisycl.api.queue.event import event
from unisycl.api.queue.handler import check_callable, check_group, handler, run
from unisycl.api.queue.queue import queue
from unisycl.api.queue.reduction import reduction
from unisycl.base import geometry as geo
from unisycl.base.enums import node_type
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import RAISED, ends_at_call, shorten
from unisycl.lang.kernels.kernel import with_properties
from unisycl.lang.kernels.kernel_properties import properties
from unisycl.lang.memory.scratch import work_group_scratch_size
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.launch import launch
from unisycl.runtime.recorded.command_graph import plan_of

Where = queue | handler


class prefetch_type(enum.Enum):
    """Where ``prefetch`` brings memory: to the queue's device, or to the host."""

    device = "device"
    host = "host"


@ends_at_call
class launch_config(props.HasProperties):
    """An index space and properties of its launch, as one object.

    Args:
        space: a range (an int or a tuple counts as one) or an nd_range.
        given: properties of the launch: ``work_group_scratch_size``, also in ``properties(...)``.
            Those of kernels belong to the kernel and are refused.
    """

    __slots__ = ("_properties", "kernel_properties", "space")

    def __init__(self, space: Any, *given: Any) -> None:
        self.space = space if isinstance(space, geo.nd_range) else geo.as_range(space)
        listed = [one for some in given for one in (
            some.properties if isinstance(some, properties) else (some,))]
        own = [one for one in listed if isinstance(one, work_group_scratch_size)]
        self.kernel_properties = properties(*own) if own else None
        self._properties = props.check(props.flatten(
            [one for one in listed if one not in own]), "launch_config")

    def has_property(self, kind: Any) -> bool:
        """Say whether a property of this class was given."""
        own = self.kernel_properties
        return (own is not None and own.has_property(kind)) or super().has_property(kind)

    def get_property(self, kind: Any) -> Any:
        """Return the property given; ``errc.invalid`` if there is none."""
        own = self.kernel_properties
        if own is not None and own.has_property(kind):
            return own.get_property(kind)
        return super().get_property(kind)

    def __repr__(self) -> str:
        return f"launch_config({self.space!r})"


@ends_at_call
def submit(where: queue, group_function: Callable[[handler], Any]) -> None:
    """Submit a command group function; no event is made."""
    _group(_queue("submit", where), group_function)


@ends_at_call
def submit_with_event(where: queue, group_function: Callable[[handler], Any]) -> event:
    """Submit a command group function and return its event."""
    return _queue("submit_with_event", where)._made(_group(where, group_function))


def single_task(where: Where, kernel: Any, *rest: Any) -> None:
    """Run a kernel once.

    Args:
        where: a queue or a handler, here and in all functions below.
        kernel: the kernel; rest: its arguments.
    """
    try:
        _launch("single_task", where, launch.SINGLE, kernel, rest)
    except RAISED as error:
        shorten(error)
        raise


def parallel_for(where: Where, space: Any, kernel: Any, *rest: Any) -> None:
    """Run a kernel over a range.

    Args:
        where: a queue or a handler.
        space: a range, an int, a tuple, or a ``launch_config`` of one.
        kernel: the kernel; rest: reductions, and its further arguments.
    """
    try:
        inner, kernel = _configured(space, kernel)
        if isinstance(inner, geo.nd_range):
            raise UsageError(errc.invalid, "parallel_for: an nd_range is launched with nd_launch")
        _launch("parallel_for", where, launch.space_geometry(inner), kernel, rest)
    except RAISED as error:
        shorten(error)
        raise


def nd_launch(where: Where, space: Any, kernel: Any, *rest: Any) -> None:
    """Run a kernel over an nd_range.

    Args:
        where: a queue or a handler.
        space: an nd_range, or a ``launch_config`` of one.
        kernel: the kernel; rest: reductions, and its further arguments.
    """
    try:
        inner, kernel = _configured(space, kernel)
        if not isinstance(inner, geo.nd_range):
            raise UsageError(errc.invalid, "nd_launch: expected an nd_range, got "
                             f"{type(inner).__name__}; launch a range with parallel_for")
        _launch("nd_launch", where, launch.space_geometry(inner), kernel, rest)
    except RAISED as error:
        shorten(error)
        raise


@ends_at_call
def memcpy(where: Where, dst: Any, src: Any, nbytes: int | None = None) -> None:
    """Copy bytes between USM memory and arrays; all of the source by default."""
    _command("memcpy", where, lambda h: h.memcpy(dst, src, nbytes))


@ends_at_call
def copy(where: Where, src: Any, dst: Any, count: int | None = None) -> None:
    """Copy elements between USM memory and arrays."""
    _command("copy", where, lambda h: h.copy(src, dst, count))


@ends_at_call
def memset(where: Where, pointer: Any, value: int, nbytes: int | None = None) -> None:
    """Write one byte everywhere."""
    _command("memset", where, lambda h: h.memset(pointer, value, nbytes))


@ends_at_call
def fill(where: Where, pointer: Any, pattern: Any, count: int | None = None) -> None:
    """Write one value everywhere."""
    _command("fill", where, lambda h: h.fill(pointer, pattern, count))


@ends_at_call
def prefetch(where: Where, pointer: Any, nbytes: int | None = None,
             type: prefetch_type = prefetch_type.device) -> None:
    """Say that the device, or the host, will use shared memory soon: a hint."""
    if not isinstance(type, prefetch_type):
        raise UsageError(errc.invalid, f"prefetch: expected a prefetch_type, got {type!r}")
    to_host = type is prefetch_type.host
    _command("prefetch", where, lambda h: h.hint(
        "prefetch", node_type.prefetch, pointer, nbytes, to_host=to_host))


@ends_at_call
def mem_advise(where: Where, pointer: Any, nbytes: int | None = None, advice: int = 0) -> None:
    """Advise how memory will be used: a hint."""
    _command("mem_advise", where, lambda h: h.mem_advise(pointer, nbytes, advice))


@ends_at_call
def barrier(where: Where) -> None:
    """Let no later command begin before all commands submitted so far have completed."""
    _command("barrier", where, lambda h: h.ext_oneapi_barrier())


@ends_at_call
def partial_barrier(where: Where, events: Sequence[event]) -> None:
    """Let no later command begin before these events have completed."""
    _command("partial_barrier", where, lambda h: h.ext_oneapi_barrier(events))


@ends_at_call
def execute_graph(where: Where, graph: Any) -> None:
    """Run an executable graph."""
    if isinstance(where, queue) and where.channel.recorder is None:
        plan_of(graph).submit(where.channel, ())
    else:
        _command("execute_graph", where, lambda h: h.ext_oneapi_graph(graph))


def _configured(space: Any, kernel: Any) -> tuple[Any, Any]:
    """Return an index space, and the kernel with the properties of its launch."""
    if not isinstance(space, launch_config):
        return space, kernel
    if space.kernel_properties is not None and callable(kernel):
        kernel = with_properties(kernel, space.kernel_properties)
    return space.space, kernel


def _launch(what: str, where: Any, geometry: Any, kernel: Any, rest: tuple[Any, ...]) -> None:
    count = 0
    while count < len(rest) and isinstance(rest[count], reduction):
        count += 1
    reductions, arguments = rest[:count], rest[count:]
    if isinstance(where, handler):
        where.check_free(what)
        where.launch(geometry, kernel, arguments, reductions)
        return
    check_callable(kernel)
    launch.launch_now(_queue(what, where).channel, kernel, geometry, arguments, reductions, ())


def _command(what: str, where: Any, ask: Callable[[handler], None]) -> None:
    if isinstance(where, handler):
        ask(where)
    else:
        _group(_queue(what, where), ask)


def _group(where: queue, group_function: Callable[[handler], Any]) -> Task:
    check_group(group_function)
    return run(group_function, handler(where.channel))


def _queue(what: str, where: Any) -> queue:
    if not isinstance(where, queue):
        raise UsageError(errc.invalid, f"{what}: expected a queue or a handler first, got "
                         f"{type(where).__name__}")
    return where

