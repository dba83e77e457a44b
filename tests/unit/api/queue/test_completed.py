"""Going through events as their commands end."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


def test_events_come_as_their_commands_have_ended(queue):
    memory = [sycl.malloc_device(4, np.int32, queue) for _ in range(3)]
    events = [queue.fill(p, 1) for p in memory]
    found = sycl.ext.unisycl.as_completed(events)
    assert len(found) == 3
    for k, one in enumerate(found):
        assert one == events[k]
        assert one.get_info(sycl.info.event.command_execution_status) == (
            sycl.info.event_command_status.complete)


def test_what_is_no_event_is_refused():
    with pytest.raises(sycl.exception, match="expected an event"):
        sycl.ext.unisycl.as_completed([1])


def test_the_error_of_a_command_is_raised_in_its_turn():
    queue = sycl.queue("cpu")

    def fails():
        raise KeyError("here")

    events = [queue.submit(lambda h: h.host_task(lambda: None)),
              queue.submit(lambda h: h.host_task(fails))]
    seen = iter(sycl.ext.unisycl.as_completed(events))
    assert next(seen) == events[0]
    with pytest.raises(Exception, match="here"):
        next(seen)
