"""Events from outside that the next command of an in-order queue waits for, too.

(sycl_ext_oneapi_in_order_queue_events) Non-goals: out-of-order queues, whose commands name what
they wait for. Invariant: the newest event set since the last command is the only one that is
waited for.
"""

from __future__ import annotations

from unisycl.base.errors import UsageError, errc
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.tasks import Task, begin_nothing, check_process
from unisycl.runtime.threads.per_process import process


class External(Task):
    """Stands for the last command and an event together, as what the next command waits for."""

    __slots__ = ("before", "event")

    def __init__(self, channel: Channel, event: Task, before: Task | None) -> None:
        # Of no channel: nobody is told of the failure of an event that another one has replaced.
        super().__init__(None, "an external event", channel.driver)
        self.event = event
        self.before = before


def last_of(channel: Channel) -> Task | None:
    """Return the command submitted last, or the event set after it; None if all has ended."""
    check_process(channel)
    last = channel._last
    if isinstance(last, External):
        return last.event
    return None if last is None or last.forgotten() else last


def expect(channel: Channel, event: Task | None) -> None:
    """Have the next command wait for an event, and for no other that was set before it."""
    check_process(channel)
    if channel.recorder is not None:
        raise UsageError(errc.invalid, "ext_oneapi_set_external_event: the queue is being recorded "
                         "into a graph; give the event to depends_on of the command")
    with process.lock:
        last = channel._last
        before = last.before if isinstance(last, External) else last
        made = None if event is None else External(channel, event, before)
        channel._last = before if made is None else made
    if made is not None and event is not None:
        deps = [event] if before is None else [before, event]
        made.explicit = (event,)
        made.enqueue(deps, begin_nothing)


def wait(channel: Channel) -> None:
    """Wait for an event that was set after the last command, and expect it no longer."""
    last = channel._last
    if isinstance(last, External):
        last.event.wait()
        with process.lock:
            if channel._last is last:
                channel._last = last.before
