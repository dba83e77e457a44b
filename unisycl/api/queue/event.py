"""Events: the state of a submitted command (SYCL 2020 §4.6.6).

Non-goals: scheduling. Invariant: two events of one command are equal and hash equally.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

from unisycl.api.devices.device import check_descriptor, device
from unisycl.api.devices.info import Descriptor, HasBackendInfo, reference_count
from unisycl.base.enums import backend, info_event_status
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import RAISED, ends_at_call, shorten
from unisycl.runtime.graph import ordering, partners
from unisycl.runtime.graph.callbacks import Callback, when_done
from unisycl.runtime.graph.completions import Recorded
from unisycl.runtime.graph.tasks import Task

if TYPE_CHECKING:
    import concurrent.futures


class command_times(NamedTuple):
    """When a command came into each of OpenCL's six states, in nanoseconds (OpenCL 3.0 §3.2).

    No time is before the one to its left. Where a device does not tell ``ended`` from ``complete``,
    which is when the command's children have ended too, the two are one time.
    """

    queued: int
    submitted: int
    ready: int
    running: int
    ended: int
    complete: int


_new = object.__new__


@ends_at_call
class event(HasBackendInfo):
    """The progress of one command (SYCL 2020 §4.6.6). A new one is complete.

    ``wait`` and ``wait_and_throw`` also take a list when called on the class:
    ``event.wait([a, b])``.
    """

    __slots__ = ("task",)
    __kernel_refusal__ = "give events to depends_on instead"
    __capture_refusal__ = ""
    task: Task | None

    def __init__(self) -> None:
        self.task = None

    @classmethod
    def _of(cls, task: Task) -> Self:
        made = _new(cls)
        made.task = task
        return made

    def wait(self: Any) -> None:
        """Block until the command has ended; Ctrl-C interrupts.

        Raises its error if no asynchronous handler will see it (see ``queue.wait``).
        """
        try:
            if not isinstance(self, event):
                for one in checked(self):
                    one.wait()
                return
            task = self.task
            if task is None:
                return
            if not task.settled or ordering.state.on:
                task.wait()
            if task.error is not None:
                self._raise_own(task)
        except RAISED as error:
            shorten(error)
            raise

    def wait_and_throw(self: Any) -> None:
        """Block, then deliver the undelivered errors of the command's queue."""
        try:
            if not isinstance(self, event):
                events = checked(self)
                for one in events:
                    if one.task is not None:
                        one.task.wait()
                for one in events:
                    one.wait_and_throw()
                return
            task = self.task
            if task is not None:
                task.wait()
                if task.channel is not None:
                    task.channel.deliver()
        except RAISED as error:
            shorten(error)
            raise

    def __await__(self) -> Generator[Any, None, None]:
        """Suspend a coroutine of asyncio until the command has ended, then do as ``wait`` does."""
        task = self.task
        if task is not None and not task.done():
            yield from _wake(task)
        self.wait()

    def ext_unisycl_add_callback(self, function: Callable[[event], Any]) -> event:
        """Call a function with this event once its command has ended, failed or not.

        It runs on a thread of the runtime and sees the command's effects; ``wait`` on the queue
        waits for it, too. What it raises becomes an asynchronous error of the queue.

        Returns:
            An event that completes after the function has returned.
        """
        if not callable(function):
            raise UsageError(errc.invalid, "ext_unisycl_add_callback: expected a function that "
                             f"takes the event, got {type(function).__name__}")
        task = self.task
        if task is not None and type(task.completion) is Recorded:
            task.completion.done()  # says what to do instead
        before = Task(None, "an event") if task is None else task
        channel = before.channel
        made = Callback(channel, f"a callback of {before.label}", lambda: function(self))
        if task is None:
            before.ended_at_once()
        made.after(before)
        return event._of(made)

    def ext_unisycl_future(self) -> concurrent.futures.Future[None]:
        """Return a future of Python's that ends with the command, for ``concurrent.futures.wait``.

        Its result is None, or it raises what ``wait`` would raise. Cancelling it is refused, as a
        command cannot be taken back. ``await event`` needs none.
        """
        futures: Any = importlib.import_module("concurrent.futures")
        future: concurrent.futures.Future[None] = futures.Future()
        future.set_running_or_notify_cancel()
        task = self.task
        if task is not None and type(task.completion) is Recorded:
            task.completion.done()  # says what to do instead

        def tell() -> None:
            try:
                self.wait()
            except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
                future.set_exception(error)
            else:
                future.set_result(None)
        if task is None or task.done():
            tell()
        else:
            when_done(task, tell)
        return future

    def refuse(self) -> bool:
        """Raise ``errc.invalid`` if nothing may wait for this event (internal)."""
        return False

    def _raise_own(self, task: Task) -> None:
        channel = task.channel
        if channel is not None and channel.handler is None:
            error = channel.claim(task)
            if error is not None:
                raise error

    def get_wait_list(self) -> list[event]:
        """Return the events of the direct predecessors; completed ones may be left out."""
        return [] if self.task is None else [event._of(t) for t in self.task.predecessors()]

    def get_backend(self) -> backend:
        """Return the backend the command runs on; of a new event that of the default queue."""
        task = self.task
        if task is not None and task.channel is not None:
            return task.channel.device.info.backend
        return device().get_backend()

    def get_info(self, what: Descriptor) -> Any:
        """Return the command's status for ``info.event.command_execution_status``."""
        check_descriptor(what, "event")
        task = self.task
        if what.name == "reference_count":
            return reference_count(getattr(task and task.completion, "event", None))
        if task is None or task.done():
            ordering.seen()
            return info_event_status.complete
        if partners.look(task):
            return info_event_status.submitted
        return info_event_status.running if task.running() else info_event_status.submitted

    def get_profiling_info(self, what: Descriptor) -> int:
        """Return a time of the command in nanoseconds; blocks until it is known.

        Raises ``errc.invalid`` if the queue lacks ``property.queue.enable_profiling``
        (SYCL 2020 §4.6.6.5).
        """
        check_descriptor(what, "event_profiling")
        task = self._timed()
        if what.name == "command_submit":
            return task.submitted
        self.wait()
        start, end = task.times
        late = max(0, task.submitted - start)  # the device's clock is not quite the host's
        return late + (start if what.name == "command_start" else max(end, start))

    def ext_unisycl_get_times(self) -> command_times:
        """Return when the command came into each of its six states; blocks until all are known.

        ``queued``, ``running`` and ``ended`` are what ``get_profiling_info`` gives as submit, start
        and end; between them it was ``submitted`` to its device and became ``ready``, as all that
        it waits for had ended. Raises ``errc.invalid`` as ``get_profiling_info`` does.
        """
        task = self._timed()
        self.wait()
        start, end = task.times
        late = max(0, task.submitted - start)
        start, end = start + late, max(end, start) + late
        handed = min(max(task.handed, task.submitted), start)
        ready = min(max(task.ready, handed), start)
        return command_times(task.submitted, handed, ready, start, end, end)

    def _timed(self) -> Task:
        """Return the command, if its times are kept."""
        task = self.task
        if task is None or task.channel is None or not task.channel.profiling:
            raise UsageError(errc.invalid, "this event has no times; make its queue with "
                             "property.queue.enable_profiling()")
        return task

    def __reduce__(self) -> NoReturn:
        raise UsageError(errc.invalid, "an event cannot be pickled: its command runs in this "
                         "process; wait for it and pickle the results")

    def __copy__(self) -> event:
        return self

    def __deepcopy__(self, memo: object) -> event:
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, event):
            return NotImplemented
        return self is other or (self.task is not None and self.task is other.task)

    def __hash__(self) -> int:
        return hash(("event", id(self if self.task is None else self.task)))

    def __repr__(self) -> str:
        if self.task is None:
            return "<event: complete>"
        if type(self.task.completion) is Recorded:
            return f"<event of {self.task.label}: recorded>"
        status = self.get_info(Descriptor("event", "command_execution_status"))
        failed = ", failed" if self.task.error is not None else ""
        return f"<event of {self.task.label}: {status.name}{failed}>"


def _wake(task: Task) -> Generator[Any, None, None]:
    """Suspend the coroutine until a task has ended."""
    asyncio: Any = sys.modules.get("asyncio")  # where a loop runs, it has been imported
    if asyncio is None:
        raise UsageError(errc.invalid, "await: events can be awaited in a coroutine that asyncio "
                         "runs; elsewhere call wait()")
    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def finish() -> None:
        if not future.done():
            future.set_result(None)

    def tell() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(finish)
    partners.insist(task)
    when_done(task, tell)
    yield from future.__await__()


def checked(events: Any) -> list[event]:
    """Return a list of events from an event or an iterable of them; ``errc.invalid`` if not."""
    if isinstance(events, event):
        return [events]
    if isinstance(events, Iterable):
        found = list(events)
        if all(isinstance(e, event) for e in found):
            return found
    raise UsageError(errc.invalid, f"expected an event or a list of events, got {events!r}")


def tasks_of(events: Any, *, recording: bool = False) -> list[Task]:
    """Return the tasks to depend on; recorded commands only where more is recorded."""
    found = [e.task for e in checked(events) if not e.refuse() and e.task is not None]
    if not recording:
        for task in found:
            if type(task.completion) is Recorded:
                task.completion.done()  # says what to do instead
    return found
