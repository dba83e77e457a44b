"""Kernels that wait for one another are launched as one, or fail and say what is missing."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.library import FakeCuda
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text import joined
from unisycl.ext.intel import pipe
from unisycl.ext.oneapi import experimental as ext

numbers, answers = pipe(np.int32, 4), pipe(np.int32, 4)


def put(count: int) -> None:
    for k in range(count):
        numbers.write(k)


def take(out: Any, count: int) -> None:
    for k in range(count):
        out[k] = numbers.read()


def pass_on(count: int) -> None:
    for _ in range(count):
        answers.write(numbers.read())


def test_two_kernels_are_one_cooperative_launch(fake: FakeCuda, queue: sycl.queue) -> None:
    out = np.zeros(20, np.int32)
    before = len(fake.launches)
    queue.single_task(put, 20)
    queue.memset(sycl.malloc_device(4, np.int32, queue), 0, 16).wait()  # nothing to do with them
    assert len(fake.launches) == before
    queue.single_task(take, out, 20).wait()
    assert [*range(20)] == out.tolist()
    assert [(2, 1, 1, 1, 1, 1)] == [x[:6] for x in fake.launches[before:]]


@pytest.mark.parametrize(("kernel", "given", "want"), [
    (put, (1,), "kernel 'put' at .* may wait to write in the pipe 'numbers', .* that reads it"),
    (take, (np.zeros(1, np.int32), 1), "may wait to read in the pipe 'numbers', .* writes it"),
    (pass_on, (1,), "may wait to (write in the pipe 'answers'|read in the pipe 'numbers')")])
def test_a_kernel_alone_fails_at_once(queue: sycl.queue, kernel: Any, given: Any,
                                      want: str) -> None:
    queue.single_task(kernel, *given)
    with pytest.raises(sycl.exception, match=want) as caught:
        queue.wait()
    assert sycl.errc.invalid is caught.value.code()
    assert "command_graph" in str(caught.value)
    queue.single_task(put, 2)
    out = np.zeros(2, np.int32)
    queue.single_task(take, out, 2).wait()
    assert [0, 1] == out.tolist()


def test_what_comes_behind_a_lone_kernel_does_not_run(queue: sycl.queue) -> None:
    ran = []
    event = queue.single_task(put, 1)
    queue.submit(lambda h: (h.depends_on(event), h.host_task(lambda: ran.append(1))))
    with pytest.raises(sycl.exception, match="no kernel that reads it"):
        queue.wait()
    assert ran == []


def test_kernels_that_follow_one_another_are_told(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    out = np.zeros(1, np.int32)
    queue.single_task(put, 1)
    queue.single_task(take, out, 1)
    with pytest.raises(sycl.exception, match="'take' at .* comes behind kernel 'put'") as caught:
        queue.wait()
    assert sycl.errc.invalid is caught.value.code()


def test_a_kernel_waits_for_what_its_partner_comes_behind(queue: sycl.queue) -> None:
    out = np.zeros(3, np.int32)
    slow = queue.submit(lambda h: h.host_task(lambda: time.sleep(0.2)))
    event = queue.single_task(take, out, 3)
    queue.submit(lambda h: (h.depends_on(slow), h.single_task(put, 3)))
    event.wait()
    assert [0, 1, 2] == out.tolist()


def test_a_partner_that_cannot_run_is_missed(queue: sycl.queue) -> None:
    def fail() -> None:
        time.sleep(0.2)
        raise RuntimeError("the disk is full")
    bad = queue.submit(lambda h: h.host_task(fail))
    event = queue.single_task(take, np.zeros(1, np.int32), 1)
    queue.submit(lambda h: (h.depends_on(bad), h.single_task(put, 1)))
    with pytest.raises(sycl.exception, match="no kernel that writes it"):
        event.wait()
    with pytest.raises(sycl.exception, match="the disk is full"):
        queue.wait()


def test_host_tasks_and_futures_let_kernels_begin(queue: sycl.queue) -> None:
    """The program waits by means of its own, so a partner that comes later begins at once."""
    out, done = np.zeros(2, np.int32), threading.Event()
    event = queue.single_task(take, out, 2)
    queue.submit(lambda h: (h.depends_on(event), h.host_task(done.set)))
    assert not done.wait(0.05)
    queue.single_task(put, 2)
    assert done.wait(30)
    assert [0, 1] == out.tolist()
    queue.single_task(put, 2)
    assert queue.single_task(take, out, 2).ext_unisycl_future().result(30) is None


def test_a_coroutine_that_awaits_a_lone_kernel_is_told(queue: sycl.queue) -> None:
    out = np.zeros(2, np.int32)

    async def both() -> None:
        queue.single_task(put, 2)
        await queue.single_task(take, out, 2)

    async def alone() -> None:
        await queue.single_task(put, 2)
    asyncio.run(both())
    assert [0, 1] == out.tolist()
    with pytest.raises(sycl.exception, match="no kernel that reads it"):
        asyncio.run(alone())


def test_the_host_takes_no_part_while_a_kernel_is_held(queue: sycl.queue) -> None:
    queue.single_task(take, np.zeros(1, np.int32), 1)
    for call in (lambda: numbers.host_write_nb(queue, 1), lambda: numbers.host_read_nb(queue)):
        with pytest.raises(sycl.exception, match=r"_nb: kernel 'take' at .* is held back"):
            call()
    with pytest.raises(sycl.exception, match="no kernel that writes it"):
        queue.wait()
    assert numbers.host_write_nb(queue, 5)
    assert numbers.host_read_nb(queue) == (5, True)


def test_kernels_that_do_not_fit_are_refused_with_numbers(queue: sycl.queue) -> None:
    def wide(it: Any) -> None:
        numbers.write(it.get_global_id(0))
    queue.parallel_for(sycl.nd_range(1 << 22, 256), wide)
    queue.single_task(take, np.zeros(1, np.int32), 1)
    with pytest.raises(sycl.exception, match=r"16385 of 256 work-items \('wide' over 4194304, "
                                             r"'take' over 1\), and \d+ fit") as caught:
        queue.wait()
    assert sycl.errc.nd_range is caught.value.code()


def test_an_array_of_the_host_is_not_given_to_both(queue: sycl.queue) -> None:
    both = np.zeros(4, np.int32)

    def send(given: Any, count: int) -> None:
        for k in range(count):
            numbers.write(given[k])
    queue.single_task(send, both, 4)
    queue.single_task(take, both, 4)
    with pytest.raises(sycl.exception, match="given one array of the host's"):
        queue.wait()


def test_what_such_kernels_lack_is_said(queue: sycl.queue) -> None:
    def show(count: int) -> None:
        for _ in range(count):
            print(numbers.read())

    def add(i: Any, total: Any) -> None:
        total += numbers.read()
    queue.single_task(put, 1)
    queue.single_task(show, 1)
    with pytest.raises(sycl.exception, match="'show' waits .* and prints or is checked"):
        queue.wait()
    with pytest.raises(sycl.exception, match="and this one has reductions") as caught:
        queue.parallel_for(4, sycl.reduction(sycl.malloc_shared(1, np.int32, queue), sycl.plus()),
                           add)
    assert sycl.errc.kernel_not_supported is caught.value.code()


def test_graphs_join_when_they_are_finalized(fake: FakeCuda, queue: sycl.queue) -> None:
    out = sycl.malloc_shared(8, np.int32, queue)
    graph = ext.command_graph(queue)
    ask = graph.add(lambda h: h.single_task(put, 8))
    with pytest.raises(sycl.exception, match="finalize: kernel 'put' .*no kernel that reads it"):
        graph.finalize()
    graph.add(lambda h: h.single_task(take, out, 8))
    ready, before = graph.finalize(), len(fake.launches)
    for _ in range(2):
        out[:] = -1
        queue.ext_oneapi_graph(ready).wait()
        assert [*range(8)] == out[:].tolist()
    assert [(2, 1, 1, 1, 1, 1)] * 2 == [x[:6] for x in fake.launches[before:]]
    other = ext.command_graph(queue)
    ask = other.add(lambda h: h.single_task(put, 8))
    other.add(lambda h: h.single_task(take, out, 8), ext.property.node.depends_on(ask))
    with pytest.raises(sycl.exception, match="finalize: kernel .* no kernel that"):
        other.finalize()


def test_chains_of_a_graph_that_close_a_circle_are_refused(queue: sycl.queue) -> None:
    """A waits for B and C for D, but D comes behind A and B behind C."""
    def ask() -> None:
        answers.write(1)

    def hear(out: Any) -> None:
        out[0] = answers.read()
    out = sycl.malloc_shared(1, np.int32, queue)
    graph = ext.command_graph(queue)
    first = graph.add(lambda h: h.single_task(put, 1))
    third = graph.add(lambda h: h.single_task(ask))
    graph.add(lambda h: h.single_task(take, out, 1), ext.property.node.depends_on(third))
    graph.add(lambda h: h.single_task(hear, out), ext.property.node.depends_on(first))
    with pytest.raises(sycl.exception, match="one comes behind the other") as caught:
        graph.finalize()
    assert sycl.errc.invalid is caught.value.code()


def test_the_text_of_joined_kernels_is_compiled(fake: FakeCuda, queue: sycl.queue,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    fakes = compiler.compile_kernel

    def noted(source: Any, kernel: Any, target: Any) -> bytes:
        found.append((source, kernel))
        return fakes(source, kernel, target)
    monkeypatch.setattr(compiler, "compile_kernel", noted)

    def wide(it: Any, tile: Any) -> None:
        tile[it.get_local_id(1)] = it.get_global_id(0)
        sycl.group_barrier(it.get_group())
        total = sycl.reduce_over_group(it.get_group(), tile[it.get_local_id(1)], sycl.plus())
        if it.get_local_id(1) == 0:
            numbers.write(total)
    out = sycl.malloc_shared(4, np.int32, queue)
    queue.submit(lambda h: h.parallel_for(sycl.nd_range((2, 96), (1, 48)), wide,
                                          sycl.local_accessor(np.int32, 48, h)))
    queue.single_task(take, out, 4).wait()
    assert [0, 0, 48, 48] == sorted(out[:].tolist())
    source, kernel = next(x for x in found if x[0].name == joined.NAME)
    if isinstance(compiler._found(), str):
        pytest.skip(compiler._found())
    tool = compiler.compiler()
    for name in ("sm_80", "sm_90", "sm_100"):
        code, log = tool.compile(source.text, compiler.options(kernel, name), "CUBIN")
        assert (bool(code), log) == (True, "")
