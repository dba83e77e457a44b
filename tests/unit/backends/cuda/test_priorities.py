"""Queues with a priority give kernels to streams that have it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.library import FakeCuda

kinds = sycl.property.queue


def add(i: Any, p: Any) -> None:
    p[i] = p[i] + 1


def double(i: Any, p: Any) -> None:
    p[i] = p[i] * 2


def priority(fake: FakeCuda, launch: int) -> int:
    return fake.priorities.get(fake.streams[launch], 0)


@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize(("kind", "want"), [
    (kinds.priority_high, -5), (kinds.priority_low, 0), (kinds.priority_normal, 0)])
def test_kernels_go_to_streams_of_their_priority(fake: FakeCuda, kind: Any, want: int, *,
                                                 in_order: bool) -> None:
    plain = sycl.queue("cuda")
    queue = sycl.queue("cuda", kind(), *([kinds.in_order()] if in_order else []))
    p = sycl.malloc_shared(8, np.int64, queue)
    queue.fill(p, 0).wait()
    bound: Any = queue.bind(8, add, p)
    for _ in range(6):
        queue.parallel_for(8, add, p).wait()
        assert priority(fake, -1) == want
        bound()
        queue.wait()
        assert priority(fake, -1) == want
        plain.parallel_for(8, add, p).wait()
        assert priority(fake, -1) == 0
    assert p.get_view().tolist() == [18] * 8


def test_queues_of_several_priorities_follow_one_another(fake: FakeCuda) -> None:
    queues = [sycl.queue("cuda", *x) for x in ((), (kinds.priority_high(),), (
        kinds.priority_low(),))]
    given = np.ones(8, np.int64)
    with sycl.buffer(given) as b:
        def group(h: sycl.handler) -> None:
            h.parallel_for(8, kernel, sycl.accessor(b, h))

        want = 1
        for turn in range(24):
            kernel = (add, double)[turn % 2]
            want = want + 1 if kernel is add else want * 2
            queues[turn % 3].submit(group)
    assert given.tolist() == [want] * 8
    assert {0, -5} == {priority(fake, k) for k in range(-24, 0)}


def test_more_than_one_priority_is_refused(fake: FakeCuda) -> None:
    with pytest.raises(sycl.exception, match="more than one priority"):
        sycl.queue("cuda", kinds.priority_high(), kinds.priority_low())
