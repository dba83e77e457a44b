"""Children that a card launches: the texts, and what the runtime takes over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import cuda_texts
from tests.cuda_fake.library import FakeCuda
from unisycl.backends.base import BoundView
from unisycl.backends.children import Left
from unisycl.backends.cuda.launch import linking, offspring
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text import scheduler
from unisycl.backends.cuda.text.dialect import make_dialect
from unisycl.backends.cuda.text.target import Target
from unisycl.ext.unisycl import enqueue_kernel, enqueue_task, kernel_enqueue_flags, ndrange
from unisycl.ir.enqueue_records import CAPACITY, WORDS
from unisycl.runtime.launch import enqueued_kernels
from unisycl.runtime.launch.enqueued_kernels import memory_of

SOON = kernel_enqueue_flags.no_wait


def grouped(it: Any, out: Any, tile: Any, x: Any, flag: Any) -> None:
    tile[it.get_local_id(0)] = x
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0) + it.get_global_id(1)] += np.int32(tile[1]) + int(flag)


def boxed(it: Any, out: Any, h: Any) -> None:
    out[it[0] + it[1] + it[2]] += int(h)


def ranged(i: Any, out: Any) -> None:
    out[i] += 1


def grow(depth: Any, out: Any, tile: Any) -> None:
    if depth > 0:
        enqueue_kernel(SOON, ndrange((4, 4), (2, 2)), grouped, out, tile, np.float64(depth),
                       depth > 1)
        enqueue_kernel(SOON, (4, 4, 2), boxed, out, np.float16(depth))
        enqueue_kernel(SOON, 8, ranged, out)
        enqueue_task(SOON, grow, depth - 1, out, tile)


def count(out: Any, k: Any) -> None:
    out[k] += 1


def start(out: Any, n: Any) -> None:
    for k in range(n):
        enqueue_task(SOON, count, out, k)


@pytest.fixture
def trees(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The trees that were planned."""
    found: list[Any] = []
    plan = enqueued_kernels.plan

    def noted(*given: Any) -> Any:
        found.append(plan(*given))
        return found[-1]

    monkeypatch.setattr(enqueued_kernels, "plan", noted)
    return found


def launched(queue: sycl.queue) -> None:
    """Have a tree planned; its items meet in memory, so only its texts matter."""
    out = sycl.malloc_shared(64, np.int32, queue)
    queue.fill(out, 0).wait()

    def group(h: sycl.handler) -> None:
        h.single_task(grow, np.int32(2), out, sycl.local_accessor(np.float32, 4, h))
    queue.submit(group).wait()


@pytest.mark.parametrize("arch", [80, 90, 100])
def test_schedulers_compile_without_warnings(queue: sycl.queue, trees: list[Any],
                                             arch: int) -> None:
    driver: Any = queue.get_device().state.driver
    launched(queue)
    made = offspring.printed(driver, trees[0], make_dialect(Target(divmod(arch, 10))))
    assert made is not None
    assert made.slots > 1
    tool = compiler.compiler()
    if arch not in tool.architectures:
        pytest.skip(f"this NVRTC compiles for no sm_{arch}")
    code, log = tool.compile(made.source.text, [
        f"--gpu-architecture=sm_{arch}", "--std=c++17", compiler._SILENT,
        *cuda_texts.strict(), linking.RELOCATABLE], "CUBIN")
    assert code, log
    assert log == ""


def test_a_scheduler_refuses_what_waits_and_what_is_too_large(queue: sycl.queue,
                                                              trees: list[Any]) -> None:
    driver: Any = queue.get_device().state.driver
    launched(queue)
    made = offspring.printed(driver, trees[0], make_dialect(Target((9, 0))))
    assert made is not None
    text = made.source.text
    assert "r[0] < 0 ? -1" in text
    assert "r[2] == 0" in text
    assert f">= {1 << 30}) return false" in text
    assert text.count("<<<") == 5
    assert text.count("cudaGetLastError()") == 5
    assert scheduler.WAVE * 2 <= 2048


class Stub:
    """What starts nothing, and leaves what it was told to."""

    def __init__(self, driver: Any, channel: Any, leave: Callable[[Any], Left]) -> None:
        self._driver, self._leave = driver, leave
        self._channel = channel
        self._memory: dict[bool, BoundView] = {}
        self._facts: Any = None

    def starter(self, tree: Any, facts: Any) -> Stub:
        self._facts = facts
        return self

    def memory(self, what: Any) -> BoundView:
        view = self._memory[what.counts] = memory_of(self._channel, what)
        if what.counts:
            self._copy(view, BoundView(self._facts, 0, self._facts.shape, (1,)))
        return view

    def _copy(self, dst: BoundView, src: BoundView) -> None:
        end = self._driver.copy(dst, src, ())
        while not end.wait(1.0):
            continue

    def run(self, parent: Any) -> Left:
        while not parent.wait(1.0):
            continue
        counts, words = np.zeros(16, np.int32), np.zeros(CAPACITY * WORDS, np.int64)
        for host, view in ((counts, self._memory[True]), (words, self._memory[False])):
            self._copy(BoundView(host, 0, host.shape, (1,)), view)
        return self._leave(words.reshape(-1, WORDS)[:counts[0]])


@pytest.mark.parametrize("leave", [
    lambda records: Left(parents=((0, 0, records),)),
    lambda records: Left(commands=tuple((1, 1, r) for r in records)),
    lambda records: Left(parents=((0, 3, records[:2]),),
                         commands=tuple((1, 1, r) for r in records[2:]))])
def test_the_runtime_starts_what_a_card_leaves(
        fake: FakeCuda, queue: sycl.queue, monkeypatch: pytest.MonkeyPatch,
        leave: Callable[[Any], Left]) -> None:
    driver: Any = queue.get_device().state.driver
    channel = type("channel", (), {"driver": driver})
    monkeypatch.setattr(driver, "starter", Stub(driver, channel, leave).starter)
    out = sycl.malloc_shared(8, np.int32, queue)
    queue.fill(out, 0).wait()
    queue.single_task(start, out, 5).wait()
    assert out[:].tolist() == [1] * 5 + [0] * 3


def test_a_parent_that_is_too_deep_fails_the_command(
        fake: FakeCuda, queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    driver: Any = queue.get_device().state.driver
    channel = type("channel", (), {"driver": driver})
    stub = Stub(driver, channel, lambda records: Left(parents=((0, 1024, records),)))
    monkeypatch.setattr(driver, "starter", stub.starter)
    out = sycl.malloc_shared(8, np.int32, queue)
    with pytest.raises(sycl.exception, match="generation 1024"):
        queue.single_task(start, out, 5).wait()
