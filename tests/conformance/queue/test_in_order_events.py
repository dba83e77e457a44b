"""The last event of in-order queues, events from outside, and queues without events."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

IN_ORDER = sycl.property.queue.in_order()
STATUS = sycl.info.event.command_execution_status


def double(i, p):  # type: ignore[no-untyped-def]
    p[i] *= 2


def ordered(device: sycl.device) -> sycl.queue:
    return sycl.queue(device, IN_ORDER)


@pytest.mark.row("P-4")
def test_a_chain_over_two_queues_by_external_events(device: sycl.device) -> None:
    one, two = ordered(device), ordered(device)
    gate = sycl.ext.unisycl.user_event()
    p = sycl.malloc_shared(4, np.int32, one)
    p[:] = 1
    one.ext_oneapi_set_external_event(gate)
    assert one.ext_oneapi_get_last_event() == gate
    first = one.parallel_for(4, double, p)
    assert one.ext_oneapi_get_last_event() == first != gate
    two.ext_oneapi_set_external_event(one.ext_oneapi_get_last_event())
    second = two.submit(lambda h: h.host_task(lambda: p.__setitem__(0, p[0] + 1)))
    one.ext_oneapi_set_external_event(second)
    one.parallel_for(4, double, p)
    one.parallel_for(4, double, p)
    assert first.get_info(STATUS) != sycl.info.event_command_status.complete
    p[:] = 5
    gate.set()
    one.wait()
    assert p[:].tolist() == [(5 * 2 + 1) * 4, 40, 40, 40]
    assert one.ext_oneapi_get_last_event().get_info(STATUS).name == "complete"


@pytest.mark.row("P-4")
def test_the_last_event_set_is_the_one_that_counts(device: sycl.device) -> None:
    q = ordered(device)
    never, gate = sycl.ext.unisycl.user_event(), sycl.ext.unisycl.user_event()
    p = sycl.malloc_shared(4, np.int32, q)
    p[:] = 1
    q.ext_oneapi_set_external_event(never)
    q.ext_oneapi_set_external_event(gate)
    q.parallel_for(4, double, p)
    gate.set()
    q.wait()
    assert p[:].tolist() == [2] * 4
    q.ext_oneapi_set_external_event(never)
    q.ext_oneapi_set_external_event(sycl.event())  # complete: nothing to wait for
    q.parallel_for(4, double, p)
    q.wait()
    assert p[:].tolist() == [4] * 4
    never.fail("nobody waits for it")
    q.wait()
    last = sycl.ext.unisycl.user_event()
    q.ext_oneapi_set_external_event(last)
    last.set()
    q.wait()  # waits for the event, too


@pytest.mark.row("P-4")
def test_a_failed_external_event_fails_the_next_command(device: sycl.device) -> None:
    errors: list[sycl.exception_list] = []
    q = sycl.queue(device, errors.append, IN_ORDER)
    p = sycl.malloc_shared(4, np.int32, q)
    p[:] = 1
    gate = sycl.ext.unisycl.user_event()
    q.ext_oneapi_set_external_event(gate)
    q.parallel_for(4, double, p)
    gate.fail("no more")
    q.wait_and_throw()
    assert p[:].tolist() == [1] * 4
    assert any("no more" in e.what() for e in errors[0])
    q.parallel_for(4, double, p).wait()
    assert p[:].tolist() == [2] * 4


@pytest.mark.row("P-4")
def test_only_in_order_queues_know_their_last_event(device: sycl.device) -> None:
    discards = sycl.ext.oneapi.property.queue.discard_events()
    for q in (sycl.queue(device), sycl.queue(device, IN_ORDER, discards)):
        for call in (q.ext_oneapi_get_last_event,
                     lambda q=q: q.ext_oneapi_set_external_event(sycl.event())):
            with pytest.raises(sycl.exception, match="in_order") as caught:
                call()
            assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("P-4")
def test_a_queue_may_make_no_events(device: sycl.device) -> None:
    discards = sycl.ext.oneapi.property.queue.discard_events()
    q = sycl.queue(device, sycl.property_list(discards, IN_ORDER))
    p = sycl.malloc_shared(4, np.int32, q)
    e = q.fill(p, 3)
    for other in (q.parallel_for(4, double, p), q.bind(4, double, p)(),
                  q.submit(lambda h: h.parallel_for(4, double, p)),
                  q.ext_oneapi_submit_barrier()):
        assert other.get_info(STATUS) == sycl.info.event_command_status.ext_oneapi_unknown
    q.wait()
    assert p[:].tolist() == [24] * 4
    for call in (e.wait, e.wait_and_throw, e.get_wait_list, lambda: sycl.event.wait([e]),
                 lambda: sycl.event.wait_and_throw([e]),
                 lambda: q.submit(lambda h: h.depends_on(e)),
                 lambda: q.submit(lambda h: h.depends_on([sycl.event(), e])),
                 lambda: q.fill(p, 0, depends_on=e)):
        with pytest.raises(sycl.exception, match="discard_events") as caught:
            call()
        assert caught.value.code() == sycl.errc.invalid
    assert p[:].tolist() == [24] * 4
    with pytest.raises(sycl.exception, match="one of the two"):
        sycl.queue(device, discards, sycl.property.queue.enable_profiling())
