"""What all routines share: events, futures, policies, and what is refused before anything runs."""

from __future__ import annotations

import gc
import operator
import re
import traceback
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental as x
from unisycl.oneapi import dpl, mkl
from unisycl.oneapi.frame import plans, progress

pytestmark = pytest.mark.part("L-1")


def test_routines_wait_for_events_and_commands_for_routines(queue: sycl.queue) -> None:
    a = sycl.malloc_shared(1000, np.int32, queue)
    go = sycl.ext.unisycl.user_event()
    first = dpl.fill_async(queue, a, 3, depends_on=go)
    second = dpl.transform_async(queue, a, a, lambda v: v * 5, depends_on=[first])
    total = dpl.reduce_async(queue, a, depends_on=second)

    def add(i):
        a[i] = a[i] + 1

    last = queue.parallel_for(1000, add, depends_on=[total.get_event()])
    assert last.get_info(sycl.info.event.command_execution_status) != (
        sycl.info.event_command_status.complete)
    go.set()
    assert total.get() == 15000
    last.wait()
    assert (a[:] == 16).all()
    sycl.free(a, queue)


def test_routines_are_recorded_in_graphs(queue: sycl.queue) -> None:
    a, out = (sycl.malloc_shared(500, np.int64, queue) for _ in range(2))
    graph = x.command_graph(queue)
    a[:] = 0
    for _ in range(3):
        dpl.sort(queue, a)  # known by now, which nothing of a recorded queue is to run
    with graph.record(queue):
        first = dpl.iota_async(queue, a, 1)
        scanned = dpl.inclusive_scan_async(queue, a, out, depends_on=first)
        total = dpl.reduce_async(queue, out, depends_on=scanned)
        with pytest.raises(sycl.UsageError, match=r"it waits .* sort\.later is recorded"):
            dpl.sort(queue, a)
        with pytest.raises(sycl.UsageError, match="it waits, .* generate_async is recorded"):
            mkl.rng.generate(mkl.rng.uniform(), mkl.rng.philox4x32x10(queue, 1), out)
    replay = graph.finalize()
    out[:] = 0
    with pytest.raises(sycl.UsageError, match="give the event of a run"):
        total.get()
    assert total.get(queue.ext_oneapi_graph(replay)) == np.cumsum(np.arange(1, 501)).sum()
    assert np.array_equal(np.cumsum(np.arange(1, 501)), out)
    with pytest.raises(sycl.UsageError, match="no command graph recorded"):
        dpl.reduce_async(queue, a).get(sycl.event())
    out[:500] = np.arange(500)[::-1]
    dpl.sort(queue, out)
    assert np.array_equal(np.arange(500), out)
    for memory in (a, out):
        sycl.free(memory, queue)


def test_in_order_queues_and_policies_do_the_same(device: sycl.device) -> None:
    values = np.arange(300, dtype=np.float32)
    for policy in (sycl.queue(device, sycl.property.queue.in_order()), dpl.seq, dpl.par,
                   dpl.unseq, dpl.par_unseq, dpl.make_device_policy(sycl.queue(device)),
                   dpl.make_device_policy(device), dpl.dpcpp_default, dpl.make_device_policy()):
        out = np.zeros_like(values)
        dpl.inclusive_scan(policy, values, out)
        assert np.array_equal(np.cumsum(values), out)


def test_progress_is_shown_where_it_is_asked_for(
        capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_LARGE", 2000)
    monkeypatch.setattr(progress, "_SHORT", -1)
    q, a = sycl.queue("cpu"), np.arange(40_000, dtype=np.int32)
    out, seen = np.zeros_like(a), []

    def bar(events):
        for k, event in enumerate(events, 1):
            yield event
            seen.append((k, len(events)))

    dpl.transform(q, a, out, lambda v: v + 1, progress=bar)
    assert np.array_equal(a + 1, out)
    assert seen[-1][0] == seen[-1][1] == 17  # 16 parts, and the end
    assert dpl.reduce(q, a, progress=bar) == a.sum(dtype=np.int32)
    assert not capsys.readouterr().err
    dpl.sort(q, out, operator.gt)
    assert not capsys.readouterr().err
    dpl.sort(q, out, progress=True)
    assert np.array_equal(a + 1, out)
    assert re.search(r"sort: 2 of \d+ commands, \d+\.\d s", capsys.readouterr().err)
    for call, text in ((dpl.sort, "True, or a function"), (dpl.sort_async, "calls that wait")):
        with pytest.raises(sycl.UsageError, match=text):
            call(q, out, progress=3)


def test_seq_goes_through_the_elements_in_order() -> None:
    last, wrong = np.full(1, -1, np.int64), np.zeros(1, np.int64)

    def follow(k):
        if last[0] != k - 1:
            wrong[0] = wrong[0] + 1
        last[0] = k

    dpl.for_each(dpl.seq, dpl.counting_iterator(0, 10000), follow)
    assert [9999, 0] == [last[0], wrong[0]]


ONES = np.ones(10, np.float32)
READ_ONLY = np.ones(10, np.float32)
READ_ONLY.flags.writeable = False
BAD = {
    "copy: the output has 5 elements where 10 are needed": lambda q: dpl.copy(q, ONES, ONES[:5]),
    "overlaps other memory": lambda q: dpl.transform(q, ONES[1:], ONES[:-1], abs),
    "got list": lambda q: dpl.fill(q, [1, 2], 1),
    "array of 2 dimensions": lambda q: dpl.reduce(q, ONES.reshape(2, 5)),
    "the other byte order": lambda q: dpl.reduce(q, ONES.astype(ONES.dtype.newbyteorder())),
    "do not lie where their type asks for": lambda q: dpl.sort(
        q, np.zeros(9, [("a", np.int8), ("b", np.int32)])["b"]),
    "the output cannot be written": lambda q: dpl.copy(q, ONES, READ_ONLY),
    "the memory cannot be written": lambda q: dpl.reverse(q, READ_ONLY),
    "has no end; say where": lambda q: dpl.reduce(q, dpl.counting_iterator(0)),
    "is no value of elements of float32": lambda q: dpl.fill(q, ONES, "a"),
    "first argument is a queue or a policy": lambda q: dpl.reduce(ONES),
    "lies 3 elements before": lambda q: dpl.reduce(q, dpl.end(ONES), dpl.end(ONES) - 3),
    "position 11 is not in memory of 10": lambda q: dpl.reduce(q, dpl.begin(ONES) + 11),
    "depends_on: expected events": lambda q: dpl.reduce(q, ONES, depends_on=3),
    "give a start": lambda q: dpl.reduce(q, ONES[:0], None, max),
    "middle is 11": lambda q: dpl.rotate(q, ONES.copy(), 11),
    "count must be at least 0": lambda q: dpl.fill_n(q, ONES, -1, 0),
    "the second argument has 9 elements": lambda q: dpl.equal(q, ONES, ONES[:9]),
    "which kernels do not have": lambda q: dpl.reduce(q, np.array(["a"], object)),
    "reduce: the elements are tuples": lambda q: dpl.reduce(q, dpl.zip_iterator(ONES, ONES)),
    "two to ten": lambda q: dpl.zip_iterator(ONES),
}


def test_bad_input_is_refused_before_anything_runs(queue: sycl.queue) -> None:
    for text, call in BAD.items():
        with pytest.raises(sycl.UsageError, match=re.escape(text)) as found:
            call(queue)
        assert found.value.code() is sycl.errc.invalid
    assert (ONES == 1).all()


def test_a_wrong_function_is_told_with_its_line(queue: sycl.queue) -> None:
    with pytest.raises(sycl.KernelError, match=r"test_frame\.py:\d+"):
        dpl.transform(queue, ONES, ONES.copy(), lambda v: v.nothing)


def test_tracebacks_end_at_the_programs_line(queue: sycl.queue) -> None:
    for call in (lambda: dpl.fill(queue, [1, 2], 1), lambda: dpl.fill_async(queue, [1, 2], 1),
                 lambda: dpl.transform(queue, ONES, ONES.copy(), lambda v: v.nothing)):
        with pytest.raises(sycl.exception) as found:
            call()
        frames = traceback.extract_tb(found.value.__traceback__)
        assert frames[-1].filename == __file__


def test_seq_does_what_other_policies_do() -> None:
    x = np.random.default_rng(3).integers(-50, 50, 5000).astype(np.int32)
    for policy in (dpl.seq, dpl.par):
        y, out, bins = x.copy(), np.zeros_like(x), np.zeros(5, np.int64)
        dpl.sort(policy, y)
        assert np.array_equal(np.sort(x), y)
        dpl.sort(policy, y, lambda a, b: a > b)
        assert np.array_equal(np.sort(x)[::-1], y)
        assert dpl.reduce(policy, x) == x.sum()
        assert dpl.min_element(policy, x) == x.argmin()
        kept = dpl.copy_if(policy, x, out, lambda v: v > 0)
        assert np.array_equal(x[x > 0], out[:kept])
        dpl.histogram(policy, x, 5, -50, 50, bins)
        assert np.array_equal(np.bincount((x + 50) // 20, minlength=5), bins)
        assert dpl.reduce_by_segment(policy, y, x, out, out.copy()) == np.unique(x).size
        both = np.concatenate([np.sort(x[:900]), np.sort(x[900:])])
        dpl.inplace_merge(policy, both, 900)
        assert np.array_equal(np.sort(x), both)


def test_memory_of_a_routine_lives_as_long_as_its_commands(queue: sycl.queue) -> None:
    a, out = (sycl.malloc_shared(3000, np.int64, queue) for _ in range(2))
    dpl.iota(queue, a)
    go = sycl.ext.unisycl.user_event()
    scan = dpl.inclusive_scan_async(queue, a, out, lambda x, y: x + y, depends_on=go)
    dpl.sort_async(queue, a, lambda x, y: x > y, depends_on=scan.get_event())
    del scan
    gc.collect()
    others = [sycl.malloc_shared(3000, np.int64, queue) for _ in range(4)]
    for other in others:
        dpl.fill(queue, other, -1)
    go.set()
    queue.wait()
    for memory in others:
        sycl.free(memory, queue)
    assert np.array_equal(np.arange(3000)[::-1], a)
    assert np.array_equal(np.cumsum(np.arange(3000)), out)
    sycl.free(a, queue)
    sycl.free(out, queue)


def test_checked_queues_ask_operators_whether_they_are_associative(device: sycl.device) -> None:
    checked, plain = sycl.queue(device, sycl.property.queue.debug()), sycl.queue(device)
    out, ones = np.zeros(10, np.float32), np.ones(10, np.float32)

    def mean(a, b):
        return (a + b) / 2

    for call in (lambda: dpl.inclusive_scan(checked, ones, out, mean),
                 lambda: dpl.reduce(checked, ones, None, lambda a, b: a - b),
                 lambda: dpl.reduce(checked, ones, None, lambda a, b: b),
                 lambda: dpl.inclusive_scan_by_segment(checked, ones, ones, out, op=mean)):
        with pytest.raises(sycl.UsageError, match=r"must be associative.*op\(op\(a, b\), c\)"):
            call()
    assert (out == 0).all()
    dpl.inclusive_scan(checked, ones, out, lambda a, b: a + b)
    assert np.array_equal(np.arange(1, 11), out)
    dpl.inclusive_scan(checked, ones, out, lambda a, b: b)
    dpl.inclusive_scan(plain, ones, out, mean)
    assert dpl.reduce(checked, ones, None, lambda a, b: min(a, b)) == 1


def test_calls_that_come_again_do_what_they_say_each_time(queue: sycl.queue) -> None:
    """A third call submits the launches of the second; what it may not take for the same is new."""
    x, out = np.arange(12, dtype=np.int32), np.zeros(12, np.int32)

    def more(v: int) -> bool:
        return v > limit

    for turn in range(5):
        x[:] = np.arange(12) + turn
        limit = 2 + turn
        assert dpl.reduce(queue, x) == x.sum()
        assert dpl.reduce(queue, x, turn) == x.sum() + turn
        assert dpl.copy_if(queue, x, out, more) == 9
        assert dpl.copy_if(queue, x, out, lambda v: v % 2 == 0) == 6
        dpl.inclusive_scan(queue, x, out)
        assert np.array_equal(np.cumsum(x), out)
    x.flags.writeable = False
    with pytest.raises(sycl.UsageError, match="written"):
        dpl.sort(queue, x)
    memory = sycl.malloc_shared(12, np.int32, queue)
    for turn in range(3):
        memory[:] = np.arange(12)[::-1] + turn
        dpl.sort(queue, memory)
        assert np.array_equal(memory, np.arange(12) + turn)
    sycl.free(memory, queue)
    with pytest.raises(sycl.exception):
        dpl.sort(queue, memory)


def test_plans_do_not_keep_large_memory(
        queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "_SMALL", 16)
    monkeypatch.setattr(plans.PLANS, "_known", {})
    x, out = (sycl.malloc_shared(100, np.int32, queue) for _ in range(2))
    for turn in range(4):
        x[:] = np.arange(100) + turn
        dpl.inclusive_scan(queue, x, out)
        assert np.array_equal(np.cumsum(np.asarray(x)), np.asarray(out))
    blocks = [weakref.ref(p.block) for p in (x, out)]
    assert list(map(bool, plans.PLANS._known.values())) == [True]
    del x
    gc.collect()
    assert not plans.PLANS._known
    assert [b() is None for b in blocks] == [True, False]


def test_threads_may_repeat_one_call_together(queue: sycl.queue) -> None:
    x = np.arange(100, dtype=np.int64)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: dpl.reduce(queue, x), range(24)))
    assert found == [4950] * 24
