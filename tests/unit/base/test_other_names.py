"""What other systems' names are called here."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.base import other_names


@pytest.mark.parametrize("name", ["zeros", "array", "syncthreads", "atomicAdd", "reduce"])
def test_a_name_of_another_system_is_answered_with_ours(name):
    with pytest.raises(AttributeError) as caught:
        getattr(sycl, name)
    assert other_names.advice(name) in str(caught.value)


def test_no_public_name_is_taken_for_another_systems():
    assert [name for name in other_names.OTHER_NAMES if name in dir(sycl)] == []


def test_what_is_advised_exists():
    for name in ("group_barrier", "atomic_ref", "local_accessor", "shift_group_left", "reduction",
                 "permute_group_by_xor", "select_from_group", "reduce_over_group"):
        assert hasattr(sycl, name)
        assert any(name in text for text in other_names.OTHER_NAMES.values()), name
    assert all(hasattr(sycl.ext.unisycl, name) for name in (
        "array", "zeros", "ones", "empty", "full", "arange", "linspace"))


def refusal(kernel, *arguments):
    with pytest.raises(sycl.exception) as caught:
        sycl.queue("host").parallel_for(sycl.nd_range(4, 4), kernel, *arguments)
    return " ".join(str(caught.value).split())


def test_kernels_in_others_words_are_told_ours():
    a = np.zeros((4, 4))

    def barrier(it):
        sycl.syncthreads()

    def thread(it, a):
        a[it.threadIdx, 0] = 1

    def inside(it):
        sycl.local_accessor(np.float32, 4)

    def method(it, a):
        a[0, 0] = a[1].std()

    def drawn(it, a):
        a[0, 0] = np.random.random()  # noqa: NPY002 - as newcomers write it

    assert "write unisycl.group_barrier" in refusal(barrier)
    assert "write it.get_local_id(0)" in refusal(thread, a)
    assert "outside of the kernel" in refusal(inside)
    assert "loop over them" in refusal(method, a)
    assert "make the numbers before" in refusal(drawn, a)
    assert "rng.device" in refusal(drawn, a)
    assert "a lambda cannot assign" in refusal(lambda it, a: a.__setitem__(0, 1), a)


@pytest.mark.parametrize(("kernel", "way_out"), [
    (lambda it, a: print(np.linalg.norm(a[0])), "math.sqrt(sum(x * x for x in a))"),
    (lambda it, a: print(np.median(a[0])), "of a row there are sum, mean"),
    (lambda it, a: print(a[0].std()), "of a row there are sum, mean"),
    (lambda it, a: print(a.sum(axis=1)), "take it row by row: a[i].sum()"),
    (lambda it, a: print(a[0].sum(axis=0)), "a row has one axis: leave it out"),
    (lambda it, a: print(sorted(a[0])[1]), "[a[k] for k in range(3)]"),
])
def test_what_rows_do_not_have_is_told_with_a_way_out(kernel, way_out):
    assert way_out in refusal(kernel, np.zeros((4, 4)))


def test_a_statement_that_cannot_be_compiled_is_one_error():
    def rows(it, a):
        for k in range(3):
            d = a[k] - 1
            if d < 2:
                a[0, 0] = d

    assert "(1 error)" in refusal(rows, np.zeros((4, 4)))


def test_usm_is_made_of_values(queue):
    made = sycl.ext.unisycl.array([[1, 2], [3, 4]], np.float32, queue)
    assert made.shape == (2, 2)
    assert np.asarray(made).tolist() == [[1, 2], [3, 4]]
    assert np.asarray(sycl.ext.unisycl.ones(3, queue=queue)).tolist() == [1, 1, 1]
    with pytest.raises(sycl.exception, match=r"ext\.unisycl\.array"):
        sycl.malloc_shared(np.zeros(3), queue)
    sycl.free(made)
    with pytest.raises(sycl.exception, match="freed before"):
        sycl.free(made, queue)
