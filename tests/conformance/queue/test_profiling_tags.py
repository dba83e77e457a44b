"""Tags that measure spans of commands (sycl_ext_oneapi_profiling_tag)."""

from __future__ import annotations

import time

import numpy as np
import pytest

import unisycl as sycl

syclex = sycl.ext.oneapi.experimental
TIMES = sycl.info.event_profiling


def triple(i, p):  # type: ignore[no-untyped-def]
    p[i] = 3 * p[i] + 1


@pytest.mark.row("P-5")
@pytest.mark.parametrize("properties", [(), (sycl.property.queue.in_order,),
                                        (sycl.property.queue.enable_profiling,)], ids=len)
def test_two_tags_enclose_commands(device, properties) -> None:  # type: ignore[no-untyped-def]
    q = sycl.queue(device, *(make() for make in properties))
    assert device.has(sycl.aspect.ext_oneapi_queue_profiling_tag)
    p = sycl.malloc_shared(64, np.int32, q)
    q.fill(p, 1)
    before = time.monotonic_ns()
    first = syclex.submit_profiling_tag(q)
    between = q.parallel_for(64, triple, p)
    second = syclex.submit_profiling_tag(q)
    later = q.parallel_for(64, triple, p)
    q.wait()
    after = time.monotonic_ns()
    start, end = (e.get_profiling_info(TIMES.command_end) for e in (first, second))
    assert before <= start <= end <= after
    for name in ("command_submit", "command_start", "command_end"):
        assert first.get_profiling_info(getattr(TIMES, name)) == start
    assert p[:].tolist() == [13] * 64
    if q.khr_is_profiling_enabled() and device.get_backend() in (
            sycl.backend.cpu, sycl.backend.host):
        assert start <= between.get_profiling_info(TIMES.command_start)
        assert between.get_profiling_info(TIMES.command_end) <= end
        assert end <= later.get_profiling_info(TIMES.command_start)


@pytest.mark.row("P-5")
def test_a_tag_waits_for_what_came_before_and_holds_back_what_comes_after(
        device: sycl.device) -> None:
    q, seen = sycl.queue(device), []
    gate = sycl.ext.unisycl.user_event()
    q.submit(lambda h: (h.depends_on(gate), h.host_task(lambda: seen.append("before"))))
    tag = syclex.submit_profiling_tag(q)
    q.submit(lambda h: h.host_task(lambda: seen.append("after")))
    status = tag.get_info(sycl.info.event.command_execution_status)
    assert (status.name, seen) == ("submitted", [])
    gate.set()
    tag.wait()
    assert tag.get_profiling_info(TIMES.command_start) > 0
    q.wait()
    assert seen == ["before", "after"]
    with pytest.raises(sycl.exception, match="expected a queue"):
        syclex.submit_profiling_tag(3)  # type: ignore[arg-type]
