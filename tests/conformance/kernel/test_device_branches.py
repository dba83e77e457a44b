"""Kernels that are another program on another device, and sizes that unisycl chooses."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

x = sycl.ext.oneapi.experimental
device_is = sycl.ext.unisycl.device_is
pytestmark = pytest.mark.row("K-9")


def refused_everywhere(i, p):
    p[i] = print.nothing(i)


def by_backend(i, p):
    if device_is(sycl.backend.cpu):
        p[i] = 1
    elif device_is(sycl.backend.host):
        p[i] = 2
    elif device_is(sycl.backend.opencl):
        p[i] = 3
    elif device_is(sycl.backend.cuda):
        p[i] = 4
    else:
        refused_everywhere(i, p)


BACKENDS = {"cpu": 1, "host": 2, "opencl": 3, "cuda": 4}


def test_one_kernel_takes_the_branch_of_its_device(queue: sycl.queue) -> None:
    data = np.zeros(5, np.int32)
    queue.parallel_for(5, by_backend, data).wait()
    wanted = BACKENDS[queue.get_device().get_backend().name]
    assert data.tolist() == [wanted] * 5


def test_all_devices_in_turn_keep_their_branches() -> None:
    for _ in range(2):
        for device in sycl.device.get_devices():
            data = np.zeros(3, np.int32)
            sycl.queue(device).parallel_for(3, by_backend, data).wait()
            assert data[0] == BACKENDS[device.get_backend().name]


def test_the_branch_not_taken_is_not_compiled(queue: sycl.queue) -> None:
    has = queue.get_device().has(sycl.aspect.fp64)

    def wide(i, p):
        if device_is(sycl.aspect.fp64):
            p[i] = np.float32(np.float64(p[i]) / 3.0)
        else:
            p[i] = p[i] / np.float32(3)

    def never(i, p):
        if device_is(sycl.aspect.custom):
            refused_everywhere(i, p)
        else:
            p[i] += 1

    data = np.arange(4, dtype=np.float32)
    queue.parallel_for(4, wide, data).wait()
    one = np.arange(4, dtype=np.float32)
    assert data.tolist() == ((one.astype(float) if has else one) / 3).astype("f4").tolist()
    data[:] = 0, 0, 0, 1
    queue.parallel_for(4, never, data).wait()
    assert data[3] == data[0] + 1


def test_several_questions_at_once_and_in_called_functions(queue: sycl.queue) -> None:
    def number() -> int:
        return 7 if device_is(sycl.aspect.custom, sycl.backend.cpu) else 8

    def ask(i, p):
        p[i] = number()

    data = np.zeros(2, np.int32)
    queue.parallel_for(2, sycl.kernel(ask), data).wait()
    assert data.tolist() == [8, 8]


def test_chains_by_architecture_and_by_aspects(queue: sycl.queue) -> None:
    mine = next(a for a in x.architecture
                if queue.get_device().ext_oneapi_architecture_is(a))
    other = next(a for a in x.architecture if a is not mine)

    def chain(i, p):
        def one():
            p[i] = 1

        def two():
            p[i] = 2

        def three():
            refused_everywhere(i, p)

        x.if_architecture_is(other, three).else_if_architecture_is((other, mine), one).otherwise(
            three)
        if p[i] == 1:
            x.if_device_has((sycl.aspect.custom, sycl.aspect.fp64), three).otherwise(two)
        if x.architecture_is(other):
            three()
        if not x.architecture_is(other, mine):
            three()

    data = np.zeros(3, np.int32)
    queue.parallel_for(3, chain, data).wait()
    assert data.tolist() == [2, 2, 2]


def test_what_is_no_question_is_refused(queue: sycl.queue) -> None:
    def wrong(i, p):
        if device_is(3):
            p[i] = 1

    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(3, wrong, np.zeros(3, np.int32))
    assert "error K046" in caught.value.what()
    for call in (lambda: device_is(sycl.aspect.cpu),
                 lambda: x.architecture_is(x.architecture.x86_64)):
        with pytest.raises(sycl.exception, match="only in a kernel") as caught:
            call()
        assert caught.value.code() == sycl.errc.invalid


SIZES = [((1000,), (250,)), ((1021,), (1,)), ((64, 64), (4, 64)), ((3, 5, 7), (3, 5, 7)),
         ((0,), (1,))]


@pytest.mark.parametrize(("whole", "local"), SIZES)
def test_a_local_range_is_chosen_that_divides(queue: sycl.queue, whole: tuple[int, ...],
                                              local: tuple[int, ...]) -> None:
    space = sycl.nd_range(whole, x.auto_range(len(whole)))
    assert tuple(space.get_local_range()) == local
    data = np.zeros(max(1, int(np.prod(whole))), np.int32)

    def mark(it, p):
        p[it.get_global_linear_id()] += it.get_group().get_local_linear_range()

    queue.parallel_for(space, mark, data).wait()
    assert (data == (np.prod(local) if 0 not in whole else 0)).all()
    with pytest.raises(sycl.exception) as caught:
        sycl.nd_range(whole, x.auto_range(len(whole) % 3 + 1))
    assert caught.value.code() == sycl.errc.nd_range
