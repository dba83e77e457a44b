"""Undefined cases that a debug mode finds, besides races: see ``test_order_and_races``.

Row F-25 also says that kernels without checks never corrupt the host. The host device holds that;
compiled kernels may write anywhere, as in C++, so that nothing is claimed of other devices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl


@pytest.fixture(autouse=True)
def look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEBUG", "races,uninitialised,divergence")


def failure(device: sycl.device, launch: Callable[[sycl.queue], object]) -> str:
    """Return the text of the asynchronous error of a launch, "" if there is none."""
    errors: list[Any] = []
    queue = sycl.queue(device, lambda found: errors.extend(found))
    launch(queue)
    queue.wait_and_throw()
    return errors[0].what() if errors else ""


def needs_watch(device: sycl.device) -> None:
    if device.get_backend() not in (sycl.backend.host, sycl.backend.cpu):
        pytest.skip("the native CPU and the host device watch memory")


def unwritten(it, p, tile):
    p[it.get_global_id(0)] = tile[it.get_local_id(0)]


@pytest.mark.row("F-25")
def test_local_memory_that_nobody_wrote_is_told(device: sycl.device) -> None:
    needs_watch(device)
    p = np.zeros(8, np.float32)
    found = failure(device, lambda q: q.parallel_for(
        sycl.nd_range(8, 4), unwritten, p, sycl.local_accessor(np.float32, 4)))
    assert "work-item id(0)" in found
    assert "reads tile[0]" in found
    assert ("which no work-item of its group writes" in found) or "nobody has written" in found

    def written(it, p, tile):
        tile[it.get_local_id(0)] = p[it.get_global_id(0)]
        sycl.group_barrier(it.get_group())
        p[it.get_global_id(0)] = tile[3 - it.get_local_id(0)]
    assert "" == failure(device, lambda q: q.parallel_for(
        sycl.nd_range(8, 4), written, p, sycl.local_accessor(np.float32, 4)))


@pytest.mark.row("F-25")
def test_an_index_outside_and_divergence_are_told(device: sycl.device) -> None:
    p = np.zeros(8, np.int32)

    def outside(i, p):
        p[i[0] + 1] = 1

    def some(it, p):
        if p[it.get_global_id(0)] == it.get_local_id(0):
            sycl.group_barrier(it.get_group())
    assert "index 8 is outside 'p'" in failure(device, lambda q: q.parallel_for(8, outside, p))
    p[:] = 0

    def races(i, p):
        p[0] = p[0] + i[0]
    if device.get_backend() in (sycl.backend.host, sycl.backend.cpu):
        assert "data race" in failure(device, lambda q: q.parallel_for(8, races, p))
    p[:] = 0
    assert "not all work-items" in failure(
        device, lambda q: q.parallel_for(sycl.nd_range(8, 4), some, p))


@pytest.mark.row("F-25")
def test_placeholders_and_foreign_memory_are_refused_everywhere(device: sycl.device) -> None:
    queue = sycl.queue(device)
    b = sycl.buffer(np.zeros(4))
    loose = sycl.accessor(b)

    def store(i, p):
        p[i] = 1
    with pytest.raises(sycl.exception) as caught:
        queue.submit(lambda h: h.parallel_for(4, store, loose))
    assert caught.value.code() in (sycl.errc.kernel_argument, sycl.errc.accessor)
    foreign = sycl.queue(sycl.context(device), device)
    p = sycl.malloc_shared(4, np.int32, foreign)
    with pytest.raises(sycl.exception, match="context") as caught:
        queue.parallel_for(4, store, p)
    assert sycl.errc.invalid == caught.value.code()


def behind_memory(it, p, tile):
    p[it.get_global_id(0) + 8] = 1


def far_behind_memory(it, p, tile):
    p[10 ** 9 * (it.get_global_id(0) + 1)] = 1


def before_memory(it, p, tile):
    p[it.get_global_id(0) * 0 - 9] = 1


def behind_a_tile(it, p, tile):
    tile[it.get_local_id(0) + 4] = 1


def behind_a_private_array(it, p, tile):
    own = np.zeros(3, np.int32)
    own[it.get_local_id(0) + 3] = 1
    p[0] = own[0]


def a_read_behind_memory(it, p, tile):
    p[0] = p[it.get_global_id(0) + 8]


def only_some_come(it, p, tile):
    if p[it.get_global_id(0)] > it.get_local_id(0) + 5:
        sycl.group_barrier(it.get_group())
    p[0] = 7


@pytest.mark.row("F-25")
def test_kernels_without_checks_leave_the_host_as_it_was(
        device: sycl.device, monkeypatch: pytest.MonkeyPatch) -> None:
    if device.get_backend() != sycl.backend.host:
        pytest.skip("compiled kernels without checks may write anywhere, as in C++")
    monkeypatch.delenv("UNISYCL_DEBUG")
    around = np.full(24, 7, np.int32)
    for kernel in (behind_memory, far_behind_memory, before_memory, behind_a_tile,
                   behind_a_private_array, a_read_behind_memory, only_some_come):
        assert failure(device, lambda q, kernel=kernel: q.parallel_for(
            sycl.nd_range(8, 4), kernel, around[8:16], sycl.local_accessor(np.int32, 4)))
        assert (around == 7).all(), kernel.__name__
    queue = sycl.queue(device)
    freed = sycl.malloc_shared(4, np.int32, queue)
    sycl.free(freed, queue)
    with pytest.raises(sycl.exception, match="was freed"):
        queue.parallel_for(4, lambda i, p: p[i], freed)
    queue.parallel_for(24, lambda i, p: p[i] + 1, around).wait()  # and it goes on
