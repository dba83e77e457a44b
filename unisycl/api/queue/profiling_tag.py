"""Tags that measure spans of commands of a queue (sycl_ext_oneapi_profiling_tag).

Non-goals: times of commands (``property.queue.enable_profiling``). Invariant: a tag has one time,
on the host's monotonic clock as the times of commands are: when all before it had ended.
"""

from __future__ import annotations

import time
from typing import Any, Self

from unisycl.api.devices.device import check_descriptor
from unisycl.api.devices.info import Descriptor
from unisycl.api.queue.event import event
from unisycl.api.queue.handler import handler, run
from unisycl.api.queue.queue import queue
from unisycl.base.enums import aspect
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.graph.tasks import Task, begin_python


@ends_at_call
class tag_event(event):
    """The event of a tag: all of its times are one."""

    __slots__ = ("_times",)
    _times: list[int]

    @classmethod
    def _with(cls, task: Task, times: list[int]) -> Self:
        made = cls._of(task)
        made._times = times
        return made

    def get_profiling_info(self, what: Descriptor) -> int:
        """Return when the tag was reached, in nanoseconds; blocks until it is known."""
        check_descriptor(what, "event_profiling")
        self.wait()
        if not self._times:
            raise UsageError(errc.invalid, "this profiling tag was never reached: something before "
                             "it failed")
        return self._times[0]


@ends_at_call
def submit_profiling_tag(where: queue) -> event:
    """Submit a tag: its event has the time when all earlier commands had completed.

    Later commands begin after it. ``errc.invalid`` where neither the device has
    ``aspect.ext_oneapi_queue_profiling_tag`` nor the queue ``enable_profiling``.
    """
    if not isinstance(where, queue):
        raise UsageError(errc.invalid, "submit_profiling_tag: expected a queue, got "
                         f"{type(where).__name__}")
    channel = where.channel
    if not (channel.profiling or where.get_device().has(aspect.ext_oneapi_queue_profiling_tag)):
        raise UsageError(errc.invalid, f"submit_profiling_tag: '{channel.device.info.name}' lacks "
                         "aspect.ext_oneapi_queue_profiling_tag; make the queue with "
                         "property.queue.enable_profiling()")
    if channel.recorder is not None:
        raise UsageError(errc.invalid, "submit_profiling_tag: the queue is being recorded into a "
                         "graph; measure around the graph's submission")
    times: list[int] = []

    def tag(h: Any) -> None:
        if not channel.in_order:
            for task in channel.snapshot():
                h.add_dependency(task)
            h.fences = True
        h.set_command("a profiling tag", begin_python(
            lambda: times.append(time.monotonic_ns())), native=False)
    return tag_event._with(run(tag, handler(channel)), times)
