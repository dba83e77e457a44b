"""Specialization constants by the public API (SYCL 2020 §4.9.5)."""

from __future__ import annotations

import threading
from dataclasses import dataclass

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


EXTREMES = [
    (np.bool_, True), (np.int8, -128), (np.uint8, 255), (np.int16, -2**15), (np.uint16, 2**16 - 1),
    (np.int32, -2**31), (np.uint32, 2**32 - 1), (np.int64, -2**63), (np.uint64, 2**64 - 1),
    (np.float16, 65504), (np.float32, np.inf), (np.float32, -0.0), (np.float32, np.nan),
    (np.float64, 5e-324), (np.complex64, 1 - 2j), (np.complex128, complex(0.1, np.inf))]


@pytest.mark.row("C-24")
@pytest.mark.parametrize("case", EXTREMES, ids=lambda c: f"{c[0].__name__} {c[1]}")
def test_every_number_arrives_bit_for_bit(queue: sycl.queue, case: tuple[type, object]) -> None:
    dtype, value = case
    name = sycl.specialization_id(dtype, 1)

    def ask(p, kh: sycl.kernel_handler):
        p[0] = kh.get_specialization_constant(name)
    p = sycl.malloc_shared(1, dtype, queue)
    queue.single_task(ask, p).wait()
    assert 1 == p[0]

    def group(h: sycl.handler) -> None:
        h.set_specialization_constant(name, value)
        h.single_task(ask, p)
    queue.submit(group).wait()
    want = np.array([value], dtype)
    assert want.tobytes() == p[:].tobytes() or np.isnan(want)[0] and np.isnan(p[0])


def asking(name: sycl.specialization_id) -> object:
    """Return a kernel; all that this makes have the same code."""
    def ask(i, p, kh: sycl.kernel_handler):
        p[i] = kh.get_specialization_constant(name)
    return ask


@pytest.mark.row("C-24")
def test_kernels_of_one_code_that_ask_for_other_constants_differ(queue: sycl.queue) -> None:
    names = [sycl.specialization_id(np.int32, k) for k in range(4)]
    for _ in range(2):
        assert [0, 1, 2, 3] == [run(queue, asking(n), np.int32) for n in names]
    assert 7 == run(queue, asking(names[1]), np.int32, (names[1], 7))
    assert 2 == run(queue, asking(names[2]), np.int32, (names[1], 7))


@dataclass
class Shape:
    at: sycl.float4
    mass: np.float32
    tag: int

    def total(self):
        return self.at.x + self.at.w + self.mass + self.tag


@pytest.mark.row("C-24")
def test_constants_may_be_vectors_and_dataclasses(queue: sycl.queue) -> None:
    lanes = sycl.specialization_id(sycl.float4, (1, 2, 3, 4))
    array = sycl.specialization_id(sycl.marray(np.int32, 3), sycl.marray(np.int32, 3)(5))
    first = Shape(sycl.float4(1, 2, 3, 4), np.float32(0.5), 10)
    shape = sycl.specialization_id(Shape, first)
    first.tag = 99  # the default is what it was

    def kernel(i, p, kh: sycl.kernel_handler):
        v = kh.get_specialization_constant(lanes)
        s = kh.get_specialization_constant(shape)
        v.x = v.x * 2  # the constant stays as it is
        p[i] = s.total() * 100 + v.x + v.w + kh.get_specialization_constant(array)[2]
    assert 1561 == run(queue, kernel, np.float64)
    assert 1561 == run(queue, kernel, np.float64)
    other = Shape(sycl.float4(0), np.float32(1), 1)
    assert 208 == run(queue, kernel, np.float64, (shape, other), (lanes, sycl.float4(1)))
    assert 1561 == run(queue, kernel, np.float64)
    with pytest.raises(sycl.exception, match="expected a Shape"):
        shape.convert(3)
    with pytest.raises(sycl.exception, match="is no float4"):
        lanes.convert((1, 2, 3))


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
        for name, value in (("count", 3), (count, "nine"), (count, 2**40), (weak, "x"),
                            (count, [1]), (Config.flag, "no"), (Config.wide, "3")):
            with pytest.raises(sycl.exception) as caught:
                h.set_specialization_constant(name, value)
            assert sycl.errc.invalid == caught.value.code()
    queue.submit(group).wait()
    with pytest.raises(sycl.exception, match="cannot be of type"):
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
