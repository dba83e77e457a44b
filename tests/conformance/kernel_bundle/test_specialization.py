"""Specialization constants by the public API (SYCL 2020 §4.9.5)."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import unisycl as sycl

count = sycl.specialization_id(np.int32, 2)
weak = sycl.specialization_id(1.5)


class Config:
    flag = sycl.specialization_id(np.bool_, False)
    wide = sycl.specialization_id(np.int64, 7)


def repeat(i, p, kh: sycl.kernel_handler):
    for k in range(kh.get_specialization_constant(count)):
        p[i] += k + 1


def run(queue: sycl.queue, kernel: object, dtype: object, *sets: object) -> list[object]:
    p = np.zeros(4, dtype)

    def group(h: sycl.handler) -> None:
        for name, value in sets:
            h.set_specialization_constant(name, value)
        h.parallel_for(4, kernel, p)
    queue.submit(group).wait()
    assert 1 == len(set(p.tolist()))
    return p[0].item()


@pytest.mark.row("C-24")
def test_each_group_has_its_own_value(queue: sycl.queue) -> None:
    assert 6 == run(queue, repeat, np.int32, (count, 3))
    assert 15 == run(queue, repeat, np.int32, (count, 5))
    assert 3 == run(queue, repeat, np.int32)
    assert 6 == run(queue, repeat, np.int32, (count, 3))


@pytest.mark.row("C-24")
def test_values_are_those_of_the_submission_from_many_threads(device: sycl.device) -> None:
    wrong: list[object] = []

    def work(k: int) -> None:
        queue = sycl.queue(device)
        for _ in range(5):
            if run(queue, repeat, np.int32, (count, k)) != k * (k + 1) // 2:
                wrong.append(k)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [] == wrong


def typed(i, p, kh: sycl.kernel_handler):
    if kh.get_specialization_constant(Config.flag):
        p[i] = kh.get_specialization_constant(Config.wide)
    else:
        p[i] = kh.get_specialization_constant(weak)


@pytest.mark.row("C-24")
def test_constants_of_every_type_and_of_classes(queue: sycl.queue) -> None:
    assert 1.5 == run(queue, typed, np.float32)
    assert 7 == run(queue, typed, np.float32, (Config.flag, True))
    assert 2**40 == run(queue, typed, np.float64, (Config.flag, 1), (Config.wide, 2**40))
    assert np.float32(0.1) == run(queue, typed, np.float32, (weak, 0.1))


@pytest.mark.row("C-24")
def test_a_shortcut_sees_the_defaults_and_tasks_may_ask(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    p[:] = 0
    queue.parallel_for(4, repeat, p).wait()
    assert [3] * 4 == p[:].tolist()

    def once(p, kh):
        p[0] = kh.get_specialization_constant(Config.wide)
    queue.single_task(once, p).wait()
    assert 7 == p[0]

    def items(it, p, kh: sycl.kernel_handler):
        p[it.get_global_id(0)] = kh.get_specialization_constant(count) + it.get_local_id(0)
    queue.parallel_for(sycl.nd_range(4, 2), items, p).wait()
    assert [2, 3, 2, 3] == p[:].tolist()


@pytest.mark.row("C-24")
def test_a_dead_branch_is_not_compiled(queue: sycl.queue) -> None:
    def kernel(i, p, kh: sycl.kernel_handler):
        if kh.get_specialization_constant(count) > 100:
            p[i] = input("nowhere")
        p[i] = 1
    assert 1 == run(queue, kernel, np.int32, (count, 3))
    with pytest.raises(sycl.KernelError, match="input"):
        run(queue, kernel, np.int32, (count, 101))


@pytest.mark.row("C-24")
def test_a_handler_answers_what_was_set(queue: sycl.queue) -> None:
    def group(h: sycl.handler) -> None:
        assert 2 == h.get_specialization_constant(count)
        h.set_specialization_constant(count, 9)
        assert 9 == h.get_specialization_constant(count)
        assert np.int32 is type(h.get_specialization_constant(count))
        for name, value in (("count", 3), (count, "nine"), (count, 2**40), (weak, "x")):
            with pytest.raises(sycl.exception) as caught:
                h.set_specialization_constant(name, value)
            assert sycl.errc.invalid == caught.value.code()
    queue.submit(group).wait()
    with pytest.raises(sycl.exception, match="no type"):
        sycl.specialization_id("U3", 1)
    with pytest.raises(sycl.exception, match="cannot make"):
        sycl.kernel_handler()


@pytest.mark.row("C-24")
def test_only_ids_can_be_asked_for(queue: sycl.queue) -> None:
    def wrong(i, p, kh: sycl.kernel_handler):
        p[i] = kh.get_specialization_constant(3)

    def misspelt(i, p, kh: sycl.kernel_handler):
        p[i] = kh.get_specialisation_constant(count)
    with pytest.raises(sycl.KernelError, match="specialization_id"):
        run(queue, wrong, np.int32)
    with pytest.raises(sycl.KernelError, match="get_specialization_constant"):
        run(queue, misspelt, np.int32)
