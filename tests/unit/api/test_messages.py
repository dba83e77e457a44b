"""What is said to those who come from other systems, or mix up what goes where."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends import registry


@sycl.kernel
def fill(i, x):
    x[i] = 2


@pytest.fixture(name="x")
def memory(queue):
    return np.zeros(8, np.float32)


def said(call: Any) -> str:
    """Return the text of the error of a call."""
    with pytest.raises(sycl.exception) as caught:
        call()
    return str(caught.value)


def test_a_kernel_without_an_index_is_told_that_it_comes_first(queue, x):
    def lacking(a):
        a[0] = 1

    text = said(lambda: queue.parallel_for(8, lacking, x))
    assert "'lacking' takes (a); the index (an item) and 1 argument(s) behind the kernel" in text
    assert "the first parameter of a kernel is its index, an item" in text


def test_an_index_of_two_dimensions_is_one_parameter(queue, x):
    def two(i, j):
        x[i] = j

    text = said(lambda: queue.parallel_for((2, 4), two))
    assert "an index of 2 dimensions is one parameter: at[0], at[1]" in text
    assert "dimensions" not in said(lambda: queue.parallel_for(8, two))


def test_a_kernel_of_nd_range_gets_an_nd_item_and_a_single_task_nothing(queue):
    def none():
        pass

    def one(i):
        pass

    assert "its index, an nd_item" in said(lambda: queue.parallel_for(
        sycl.nd_range(8, 4), none))
    assert "single_task gives no index" in said(lambda: queue.single_task(one))


@pytest.mark.parametrize("arguments", [(fill,), (fill, 8), (lambda i: None, 8)])
def test_a_kernel_in_the_place_of_the_range_is_told_the_order(queue, arguments):
    expected = "parallel_for(range, [reductions,] kernel, *arguments)"
    assert expected in said(lambda: queue.parallel_for(*arguments))
    assert expected in said(lambda: queue.submit(lambda h: h.parallel_for(*arguments)))


def test_a_device_named_gpu_is_told_what_to_install():
    text = said(lambda: sycl.queue("gpu"))
    assert "gpu_selector_v takes the first graphics card" in text
    assert "unisycl[cuda]" in text
    assert "unisycl[opencl]" in text
    assert registry.advice("cpu") == ""


def test_a_selector_of_graphics_cards_says_what_to_install():
    if sycl.device.get_devices(sycl.info.device_type.gpu):
        pytest.skip("there is a graphics card")
    assert "unisycl[cuda]" in said(lambda: sycl.queue(sycl.gpu_selector_v))


@pytest.mark.parametrize(("function", "name"), [
    (max, "maximum()"), (min, "minimum()"), (sum, "plus()"), (all, "logical_and()")])
def test_a_reduction_by_a_function_of_python_is_told_the_operator(x, function, name):
    assert f"unisycl.{name}" in said(lambda: sycl.reduction(x[:1], function))


def test_a_reduction_behind_the_kernel_is_told_the_order(queue, x):
    def total(i, r):
        r += x[i]

    text = said(lambda: queue.parallel_for(8, total, sycl.reduction(x[:1], sycl.plus())))
    assert "reductions come before the kernel: parallel_for(range, reduction, kernel" in text


def test_a_name_that_is_assigned_to_is_told_to_be_indexed(queue, x):
    memory = x

    def adds(i):
        memory += 1  # noqa: F841, F823

    assert "write memory[i] = ..." in said(lambda: queue.parallel_for(8, adds))


def test_nonlocal_names_are_told_what_takes_their_place(queue):
    count = 0

    def counts(i):
        nonlocal count
        count += 1

    text = said(lambda: queue.parallel_for(8, counts))
    assert "use a reduction or an atomic_ref" in text
    assert "needs no 'nonlocal'" in text


def test_a_kernel_called_like_a_function_without_its_index_is_told_how_it_runs(x):
    with pytest.raises(TypeError) as caught:
        fill(x)
    assert "queue.parallel_for(range, fill, *arguments) runs it" in caught.value.__notes__[0]
    fill(3, x)
    assert x.tolist() == [0, 0, 0, 2, 0, 0, 0, 0]


@pytest.mark.parametrize("shape", [8, (2, 4)])
def test_a_launch_in_brackets_is_told_how_it_is_written(shape):
    text = said(lambda: fill[shape])
    assert "queue.parallel_for(range, fill, *arguments)" in text
    assert "nd_range(blocks * threads, threads)" in text


def test_a_kernel_given_to_submit_is_told_what_runs_it(queue):
    assert "queue.parallel_for(range, fill, *arguments) runs the kernel" in said(
        lambda: queue.submit(fill))


def test_what_grows_a_list_is_told_what_to_use(queue):
    def grows(i):
        found = []
        found.append(i)

    assert "a sycl.private_array(dtype, n)" in said(lambda: queue.parallel_for(8, grows))


def test_a_kernel_launches_itself(queue, x):
    first = fill.launch(queue, 8, x)
    fill.launch(queue, 8, x, depends_on=first).wait()
    assert x.tolist() == [2] * 8


def test_sums_of_generators_run(queue, x):
    x[:] = range(8)
    out = np.zeros(8, np.float32)

    def before(i, x, out):
        out[i] = sum(x[j] for j in range(i))

    queue.parallel_for(8, before, x, out).wait()
    assert out.tolist() == [sum(range(i)) for i in range(8)]
