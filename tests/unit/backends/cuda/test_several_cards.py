"""Several cards in one process: whose context is current, and data that go from one to another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.install import all_installed
from tests.cuda_fake.library import H200, FakeCuda


def add(i: Any, p: Any) -> None:
    p[i] = p[i] + 1


@pytest.fixture
def two() -> Iterator[FakeCuda]:
    fake = FakeCuda((H200, H200), seed=3)
    with all_installed(fake):
        yield fake
    assert fake.misuse == []


def test_launches_that_come_again_are_as_few_calls_on_each_card(two: FakeCuda) -> None:
    queues = [sycl.queue(f"card{k}", sycl.property.queue.in_order()) for k in range(2)]
    memories = [sycl.malloc_device(8, np.int64, q) for q in queues]
    for q, p in zip(queues, memories, strict=True):
        q.fill(p, 0)
    for _ in range(4):
        for q, p in zip(queues, memories, strict=True):
            q.parallel_for(8, add, p).wait()
    two.called("cuCtxSetCurrent", (0x77,))  # another library's
    before = two.calls.copy()
    for _ in range(30):
        for q, p in zip(queues, memories, strict=True):
            q.parallel_for(8, add, p)
    for q in queues:
        q.wait()
    spent = two.calls - before
    assert spent["cuLaunchKernelEx"] == 60
    assert spent["cuEventRecord"] <= 4
    assert spent["cuCtxPushCurrent_v2"] == spent["cuCtxPopCurrent_v2"] <= 120
    assert two._stack()[-1] == 0x77
    for q, p in zip(queues, memories, strict=True):
        out = np.zeros(8, np.int64)
        q.memcpy(out, p, out.nbytes).wait()
        assert out.tolist() == [34] * 8


def test_commands_of_two_cards_are_ordered_by_events(two: FakeCuda) -> None:
    queues = [sycl.queue(f"card{k}") for k in range(2)]
    memories = [sycl.malloc_device(8, np.int64, q) for q in queues]
    for q, p in zip(queues, memories, strict=True):
        q.fill(p, 5).wait()
        q.parallel_for(8, add, p).wait()
    two.held = True
    try:
        before = two.calls.copy()
        first = queues[0].parallel_for(8, add, memories[0])
        second = queues[1].parallel_for(8, add, memories[1], depends_on=[first])
        third = queues[0].parallel_for(8, add, memories[0], depends_on=[second])
        spent = two.calls - before
        assert spent["cuLaunchKernelEx"] == 3  # all were given, and none has ended
        assert spent["cuStreamWaitEvent"] >= 2
    finally:
        two.held = False
    third.wait_and_throw()
    for k, want in ((0, 8), (1, 7)):
        out = np.zeros(8, np.int64)
        queues[k].memcpy(out, memories[k], out.nbytes).wait_and_throw()
        assert out.tolist() == [want] * 8


def triple(i: Any, p: Any) -> None:
    p[i] = p[i] * 3


@pytest.mark.parametrize("apart", [False, True])
def test_buffers_go_from_card_to_card_where_they_may(two: FakeCuda, *, apart: bool) -> None:
    if apart:
        two.apart |= {(0, 1), (1, 0)}
    queues = [sycl.queue(f"card{k}") for k in range(2)]
    given = np.arange(1000, dtype=np.int64)
    want = given.copy()
    with sycl.buffer(given) as b:
        def group(h: sycl.handler) -> None:
            h.parallel_for(1000, kernel, sycl.accessor(b, h))

        for turn in range(6):
            kernel = (add, triple)[turn % 2]
            want = want + 1 if kernel is add else want * 3
            queues[turn % 2].submit(group)
    assert (given == want).all()
    assert two.calls["cuMemcpyPeerAsync"] == (0 if apart else 5)


def test_a_buffer_in_parts_stays_where_its_parts_were_written(two: FakeCuda) -> None:
    queues = [sycl.queue(f"card{k}") for k in range(2)]
    given = np.zeros(1000, np.int64)

    def copies() -> int:
        return sum(two.calls[f"cuMemcpy{kind}Async"] for kind in ("", "Peer", "HtoD", "DtoH"))
    with sycl.buffer(given) as b:
        halves = [sycl.buffer(b, sycl.id(500 * k), sycl.range(500)) for k in range(2)]

        def rounds(count: int) -> None:
            for _ in range(count):
                for q, half in zip(queues, halves, strict=True):
                    q.submit(lambda h, half=half: h.parallel_for(500, add, sycl.accessor(half, h)))
            for q in queues:
                q.wait()
        rounds(1)
        before = copies()
        rounds(3)
        assert copies() == before  # each half is where it was

        def whole(h: sycl.handler) -> None:
            h.parallel_for(1000, triple, sycl.accessor(b, h))
        queues[0].submit(whole).wait()
        assert copies() == before + 1
    assert given.tolist() == [12] * 1000


def test_kernels_use_memory_of_a_peer_once_they_may(two: FakeCuda) -> None:
    first, second = (sycl.device(f"card{k}") for k in range(2))
    what = sycl.ext.oneapi.peer_access
    assert first.ext_oneapi_can_access_peer(second)
    assert first.ext_oneapi_can_access_peer(second, what.atomics_supported)
    assert not first.ext_oneapi_can_access_peer(first)
    with pytest.raises(sycl.exception) as caught:
        first.ext_oneapi_disable_peer_access(second)
    assert caught.value.code() == sycl.errc.invalid
    first.ext_oneapi_enable_peer_access(second)
    with pytest.raises(sycl.exception, match="already") as caught:
        first.ext_oneapi_enable_peer_access(second)
    assert caught.value.code() == sycl.errc.invalid
    both = sycl.context([first, second])
    here, there = (sycl.queue(both, d) for d in (first, second))
    p = sycl.malloc_device(8, np.int64, second, both)
    there.fill(p, 4).wait()
    here.parallel_for(8, add, p).wait()
    there.parallel_for(8, triple, p).wait()
    out = np.zeros(8, np.int64)
    there.memcpy(out, p, out.nbytes).wait()
    assert out.tolist() == [15] * 8
    first.ext_oneapi_disable_peer_access(second)
    assert two.enabled == set()


def test_cards_that_are_apart_say_so(two: FakeCuda) -> None:
    two.apart |= {(0, 1), (1, 0)}
    first, second = (sycl.device(f"card{k}") for k in range(2))
    assert not first.ext_oneapi_can_access_peer(second)
    with pytest.raises(sycl.exception) as caught:
        first.ext_oneapi_enable_peer_access(second)
    assert caught.value.code() == sycl.errc.feature_not_supported
