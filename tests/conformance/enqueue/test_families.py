"""Many generations and many orders of children (OpenCL 3.0 §3.2.3)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi.experimental import device_global
from unisycl.ext.unisycl import (
    enqueue_kernel,
    enqueue_marker,
    enqueue_task,
    kernel_enqueue_flags,
    ndrange,
)

NOW, AFTER = kernel_enqueue_flags.no_wait, kernel_enqueue_flags.wait_kernel
RELAXED, DEVICE = sycl.memory_order.relaxed, sycl.memory_scope.device


def spread(it, out, depth):
    sycl.atomic_ref(out, depth, RELAXED, DEVICE).fetch_add(np.int32(1))
    if depth > 0:
        enqueue_kernel(NOW, 2, spread, out, depth - 1)


@pytest.mark.row("E-22")
def test_trees_of_several_queues_run_side_by_side(device: sycl.device) -> None:
    queues = [sycl.queue(device) for _ in range(3)]
    outs = [np.zeros(5, np.int32) for _ in range(6)]
    for k, out in enumerate(outs):
        queues[k % 3].parallel_for(2, spread, out, 4)
    for queue in queues:
        queue.wait_and_throw()
    assert all(out.tolist() == [2 * 2**k for k in range(4, -1, -1)] for out in outs)


def visit(clock, order, k):
    order[k] = sycl.atomic_ref(clock, 0, RELAXED, DEVICE).fetch_add(np.int32(1))


def diamonds(clock, order, n):
    """Enqueue n rhombs one below the other; each command is numbered 4 * rhomb + corner."""
    end = enqueue_marker(())
    for k in range(n):
        top = enqueue_task(NOW, visit, clock, order, 4 * k, wait_list=(end,))
        left = enqueue_task(AFTER, visit, clock, order, 4 * k + 1, wait_list=(top,))
        right = enqueue_task(NOW, visit, clock, order, 4 * k + 2, wait_list=(top,))
        end = enqueue_task(NOW, visit, clock, order, 4 * k + 3,
                           wait_list=(enqueue_marker((left, right)), left))


@pytest.mark.row("E-22", "E-17")
def test_a_chain_of_diamonds_keeps_its_order(queue: sycl.queue) -> None:
    clock, order = np.zeros(1, np.int32), np.full(80, -1, np.int32)
    queue.single_task(diamonds, clock, order, 20).wait_and_throw()
    at = order.reshape(20, 4)
    assert sorted(order) == list(range(80))
    assert (at[:, 0] < at[:, 1:3].min(axis=1)).all()
    assert (at[:, 3] > at[:, 1:3].max(axis=1)).all()
    assert (at[1:, 0] > at[:-1, 3]).all()


def tile(it, out, x, width, value):
    r, c = it.get_global_id(0), it.get_global_id(1)
    out[r * width + x + c] += value


def split(out, x, size, width, height):
    """Halve until the parts are narrow; give each part a launch over an nd_range."""
    if size > 8:
        half = size // 2
        enqueue_task(AFTER, split, out, x, half, width, height)
        enqueue_task(AFTER, split, out, x + half, size - half, width, height)
    else:
        enqueue_kernel(AFTER, ndrange((height, size), (2, 4)), tile, out, x, width, 1)


@pytest.mark.row("E-22")
def test_parts_of_a_picture_are_each_visited_once(queue: sycl.queue) -> None:
    out = np.zeros((10, 64), np.int32)
    queue.single_task(split, out.reshape(-1), 0, 64, 64, 10).wait_and_throw()
    assert (out == 1).all()


def deep(out, k, most):
    out[k] = k
    if k + 1 < most:
        enqueue_task(AFTER, deep, out, k + 1, most)


@pytest.mark.row("E-22")
def test_a_thousand_generations_run_one_after_another(queue: sycl.queue) -> None:
    out = np.zeros(1000, np.int64)
    queue.single_task(deep, out, 0, 1000).wait_and_throw()
    assert (out == np.arange(1000)).all()


hits = device_global(np.int32)
scale = sycl.specialization_id(np.int32, 1)


def counted(it, out, kh: sycl.kernel_handler):
    sycl.atomic_ref(hits, 0, RELAXED, DEVICE).fetch_add(np.int32(1))
    out[it] = kh.get_specialization_constant(scale) * it[0]


def counting(out):
    enqueue_kernel(AFTER, 10, counted, out)


@pytest.mark.row("E-22")
def test_children_use_device_globals_and_the_parents_constants(queue: sycl.queue) -> None:
    out, before, after = np.zeros(10, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    queue.copy(hits, before).wait()
    for factor in (3, 4):
        @queue.submit
        def _(h: sycl.handler, factor: int = factor) -> None:
            h.set_specialization_constant(scale, factor)
            h.single_task(counting, out)
        queue.wait_and_throw()
        assert out.tolist() == [factor * k for k in range(10)]
    queue.copy(hits, after).wait()
    assert after[0] - before[0] == 20


def fill(it, out, width):
    out[it[0] * width + it[1]] = it[0] * 10000 + it[1]


@pytest.mark.row("E-22")
@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (64, 1000), (1000, 3), (2, 70001)], ids=str)
def test_ranges_of_any_shape_are_covered(queue: sycl.queue, shape: tuple[int, int]) -> None:
    if queue.get_device().has(sycl.aspect.emulated) and shape[0] * shape[1] > 5000:
        shape = (shape[0] // 8 + 1, shape[1] // 8 + 1)

    def parent(out, n, m):
        enqueue_kernel(AFTER, (n, m), fill, out, m)
    out = np.full(shape, -1, np.int64)
    queue.single_task(parent, out.reshape(-1), *shape).wait_and_throw()
    rows, columns = np.indices(shape)
    assert (out == rows * 10000 + columns).all()
