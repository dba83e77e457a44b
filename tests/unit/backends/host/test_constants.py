"""Numbers that a kernel of many work-items makes of literals are made once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.base import Geometry
from unisycl.backends.host import constants
from unisycl.base.errors import DeviceError
from unisycl.frontend.source import function_source

MANY = constants.MANY


def found_in(function):
    node = function_source(function.__code__).node
    return [(name, literal) for _, _, name, literal in constants.candidates(node, ())
            if literal is not None]


def test_calls_with_one_literal_are_candidates_and_no_others():
    def kernel(i, x):
        x[i] = np.float32(2) + np.int8(-1) + np.float64(-1.5) + np.float32(x[i]) + np.max(3, 4)
        x[i] += np.float32("2") + np.float32(True)
    assert sorted(found_in(kernel), key=repr) == sorted(
        [("np.float32", 2), ("np.int8", -1), ("np.float64", -1.5), ("np.float32", True)], key=repr)


def halves(x):
    return x * np.float32(0.5) + np.float32(-3)


@pytest.mark.parametrize("items", [MANY - 1, MANY])
def test_results_are_those_of_a_kernel_of_few(host, items):
    a = np.arange(items, dtype=np.float32)

    def kernel(i):
        a[i] = halves(a[i]) if a[i] > np.float32(2) else np.float32(1e39)
    host.range(kernel, items)
    assert a.tolist() == [np.inf if x <= 2 else x / 2 - 3 for x in range(items)]


def test_one_number_serves_all_work_items(host):
    seen = []
    real = constants.written

    def counted(function, found, resolve):
        numbers = real(function, found, resolve)
        seen.append(sorted(float(x) for x in numbers.values() if not callable(x)))
        return numbers
    a = np.zeros(MANY, np.float32)

    def kernel(i):
        a[i] = np.float32(7) * np.float32(i) + np.float32(-1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "written", counted)
        host.range(kernel, MANY)
        assert seen
        assert all(numbers == [-1.0, 7.0] for numbers in seen)
        seen.clear()
        host.range(kernel, MANY - 1)
        assert not seen
    assert a.tolist() == [7.0 * k - 1 for k in range(MANY)]


def test_an_error_names_the_line_of_the_user(host):
    a = np.zeros(MANY - 1, np.float32)

    def kernel(i):
        a[i] = np.float32(1)
    with pytest.raises(DeviceError, match=r"test_constants.py:\d+: index 127 is outside 'a'"):
        host.range(kernel, MANY)


single = np.float32


def test_names_that_the_kernel_binds_are_no_types(host):
    a = np.zeros(MANY, np.float32)

    def kernel(i):
        kind = np.float32(1)

        def single(x):  # hides that of the module
            return kind * x + kind
        a[i] = single(2)
    host.range(kernel, MANY)
    assert a.tolist() == [3.0] * MANY
    assert single is np.float32


@dataclass
class Box:
    """What a kernel makes of a number, and changes."""

    content: int


def test_objects_of_other_types_are_each_work_items_own(host):
    a = np.zeros(MANY, np.int64)

    def kernel(i):
        box = Box(1)
        box.content += i
        a[i] = box.content
    host.range(kernel, MANY)
    assert a.tolist() == [1 + k for k in range(MANY)]


def lengths(i, a, out):
    v = single3(a[i], 0, np.float32(4))
    w = single3(v * np.float32(2))
    out[i] = sycl.length(v) + np.float32(i) + root(w.y) + np.float32(1 << 40)


single3, root = sycl.float3, sycl.sqrt


@pytest.mark.parametrize("items", [MANY - 1, MANY])
def test_what_is_called_by_name_does_the_same_as_a_function(host, items):
    a, out = np.full(items, 3, np.float32), np.zeros(items, np.float32)
    host.range(lengths, items, a, out)
    expected = np.float32(5) + np.arange(items, dtype=np.float32) + np.float32(1 << 40)
    assert np.array_equal(out, expected)


def test_launches_of_few_work_items_come_to_many_together():
    cache, few = {}, Geometry("range", (MANY // 2,), ())
    assert [False, True, True] == [constants.pays(few, cache) for _ in range(3)]
    assert constants.pays(Geometry("work_group", (4,), (MANY // 4,)), {})
