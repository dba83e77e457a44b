"""Command groups in SYCL 1.2's spelling: a function without a handler (§3.5.6, §3.7.3).

Non-goals: submitting. Invariant: the free functions here speak to the command group that the
calling thread is in, and to no other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from unisycl.api.bundles.native_kernel import native_kernel
from unisycl.api.queue import event as events
from unisycl.api.queue.handler import handler
from unisycl.api.queue.queue import queue
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.compat12.events import event
from unisycl.compat12.graphics import Sharing
from unisycl.compat12.modes import mode
from unisycl.compat12.programs import program
from unisycl.runtime.graph.tasks import Task, begin_nothing


class _Thread(threading.local):
    """The handler of the command group this thread is in, and what it has acquired."""

    handler: handler | None = None
    sharing: Sharing | None = None


_thread = _Thread()


def current(what: str) -> handler:
    """Return the handler of the command group the calling thread is in."""
    if _thread.handler is None:
        raise UsageError(errc.invalid, f"{what}: only inside the function given to command_group")
    return _thread.handler


def acquire(what: str, source: Any, how: mode) -> None:
    """Have the command group that the thread is in acquire an object of OpenGL's."""
    current(what)
    assert _thread.sharing is not None
    modern, properties = how.modern()
    _thread.sharing.acquire(source, modern, discard=bool(properties))


@ends_at_call
class command_group:
    """Runs a function that makes accessors and launches one kernel (SYCL 1.2 §3.5.6).

    Args:
        primary: the queue.
        rest: a secondary queue if wanted, then the function, which takes no arguments.

    Example::

        def body():
            a = buf.get_access(access.write)
            parallel_for(range(1024), lambda i: a.__setitem__(i, i))
        command_group(q, body)
    """

    __slots__ = ("_event", "_whole")

    def __init__(self, primary: queue, *rest: Any) -> None:
        second = rest[0] if len(rest) > 1 else None
        if not rest or not callable(rest[-1]):
            raise UsageError(errc.invalid, "command_group: give a queue, a secondary queue if "
                             "wanted, and a function without arguments")
        body: Callable[[], Any] = rest[-1]

        sharing = Sharing(primary)

        def group(h: Any) -> None:
            before = _thread.handler, _thread.sharing
            _thread.handler, _thread.sharing = h, sharing
            try:
                body()
            finally:
                _thread.handler, _thread.sharing = before
        try:
            self._event = primary.submit(group, second)
        except BaseException:
            sharing.release(None)
            raise
        self._whole = sharing.release(self._event) or self._event

    def start_event(self) -> events.event:
        """Return an event that ends when the group may begin (SYCL 1.2 Table 3.15)."""
        task = self._event.task
        waits = () if task is None else task.predecessors()
        if task is None or task.channel is None or not waits:
            return event()
        start = Task(task.channel, "the start of a command group", task.channel.driver)
        task.channel.submit(start, waits, begin_nothing)
        return event._of(start)

    def kernel_event(self) -> event:
        """Return the event of the group's kernel."""
        return event(self._event)

    def complete_event(self) -> event:
        """Return the event of the whole group."""
        return event(self._whole)


@ends_at_call
def single_task(*args: Any, name: str | None = None) -> None:
    """Run a kernel once: ``single_task([program,] fn)`` (SYCL 1.2 §3.7.3.1)."""
    h = current("single_task")
    _launch(h, h.single_task, [], list(args))


@ends_at_call
def parallel_for(space: Any, *args: Any, name: str | None = None) -> None:
    """Run a kernel over an index space (SYCL 1.2 §3.7.3.2).

    Args:
        space: a range or an nd_range.
        args: an offset id, the program whose kernel is to run, the kernel.
        name: accepted for the name that C++ needs; without effect.
    """
    h = current("parallel_for")
    rest = list(args)
    first = [space]
    if rest and isinstance(rest[0], geo.id):
        first.append(rest.pop(0))
    _launch(h, h.parallel_for, first, rest)


@ends_at_call
def parallel_for_work_group(space: Any, *args: Any, name: str | None = None) -> None:
    """Run a hierarchical kernel (SYCL 1.2 §3.7.3.3).

    Args:
        space: the number of work-groups (a range), or an nd_range of all work-items.
        args: the program whose kernel is to run, the kernel, which takes a group.
        name: accepted for the name that C++ needs; without effect.
    """
    h = current("parallel_for_work_group")
    first = [space]
    if isinstance(space, geo.nd_range):
        first = [space.get_group_range(), space.get_local_range()]
    _launch(h, h.parallel_for_work_group, first, list(args))


parallel_for_workgroup = parallel_for_work_group


def parallel_for_work_item(group, body):  # type: ignore[no-untyped-def]  # compiled as user code
    """Run a function for each work-item of a group, in a kernel (SYCL 1.2 §3.7.3.3)."""
    group.parallel_for_work_item(body)


parallel_for_workitem = parallel_for_work_item


def _launch(h: handler, launch: Any, first: list[Any], rest: list[Any]) -> None:
    """Launch a kernel, as a program has compiled it if one stands before it."""
    if rest and isinstance(rest[0], program):
        h.use_kernel_bundle(rest.pop(0).executable())
    if not rest or not (callable(rest[0]) or isinstance(rest[0], native_kernel)):
        raise UsageError(errc.kernel_argument, "expected a kernel, after the program if there is "
                         "one")
    launch(*first, *rest)
