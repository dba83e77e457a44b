"""One kernel per set of types and constants, found again while nothing changed."""

from __future__ import annotations

import dataclasses
import gc
import weakref

import numpy as np
import pytest

import unisycl as sycl
from tests.executed import execute
from tests.unit.frontend.lowering import lower
from unisycl.base.errors import KernelError, UsageError
from unisycl.frontend.specialize import find, specialize
from unisycl.lang.kernels.kernel import kernel as mark


def closure(out, scale):
    def kernel(i):
        out[i] = scale * i
    return kernel


def test_new_closures_of_one_code_share_a_kernel_while_types_agree():
    first = specialize(closure(np.zeros(4), 2), "range", 1)
    assert first is specialize(closure(np.ones(9), 7), "range", 1)
    assert first is not specialize(closure(np.zeros(4, np.float32), 2), "range", 1)
    assert first is not specialize(closure(np.zeros(4), 2.5), "range", 1)
    assert first is not specialize(closure(np.zeros(4, np.int8), True), "range", 1)


def test_a_launch_fetches_its_own_objects():
    a, b = np.zeros(4), np.zeros(4)
    spec = specialize(closure(a, 2), "range", 1)
    found, raw = find(closure(b, 5), "range", 1)
    assert found is spec
    assert raw[[p.name for p in spec.kernel.params].index("out")] is b
    assert 5 in raw


def test_no_launch_keeps_what_its_closure_captured():
    big = np.zeros(1000)
    seen = weakref.ref(big)
    specialize(closure(big, 2), "range", 1)
    del big
    gc.collect()
    assert seen() is None


def test_read_only_arrays_make_another_kernel():
    a = np.zeros(4)

    def reading(x):
        def kernel(i):
            y = x[i]
            assert y
        return kernel
    first = specialize(reading(a), "range", 1)
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    assert specialize(reading(frozen), "range", 1) is not first


def test_equal_code_from_another_text_shares_the_kernel():
    made = []
    for _ in range(2):
        space = {"out": np.zeros(3)}
        execute("def kernel(i):\n    out[i] = 1\n", space)
        made.append(specialize(space["kernel"], "range", 1))
    assert made[0] is made[1]


def test_constants_count_by_value_and_by_sign_of_zero():
    def build(t):
        def kernel(i):
            t[1][i] = t[0]
        return kernel
    out = np.zeros(3)
    first = specialize(build((0.0, out)), "range", 1)
    assert specialize(build((-0.0, out)), "range", 1) is not first
    assert specialize(build((0.0, out)), "range", 1) is first
    nan = specialize(build((float("nan"), out)), "range", 1)
    assert specialize(build((float("nan"), out)), "range", 1) is nan


def test_a_helper_that_was_replaced_is_noticed():
    space = {"out": np.zeros(3)}
    execute("def helper(x):\n    return x\ndef kernel(i):\n    out[i] = helper(i)\n", space)
    first = specialize(space["kernel"], "range", 1)
    assert specialize(space["kernel"], "range", 1) is first
    execute("def helper(x):\n    return x * 2\n", space)
    assert specialize(space["kernel"], "range", 1) is not first


def test_attributes_and_their_types_are_watched():
    class Functor:
        def __init__(self, out, n):
            self.out, self.n = out, n

        def __call__(self, i):
            self.out[i] = self.n
    out = np.zeros(4)
    first = specialize(Functor(out, 1), "range", 1)
    assert first is specialize(Functor(out, 3), "range", 1)
    assert first is not specialize(Functor(out, 1.5), "range", 1)


def test_attributes_of_objects_in_tuples_are_watched_as_those_of_others():
    class Pair:
        def __init__(self, out, n):
            self.out, self.n = out, n

    def kernel(i, pairs):
        pairs[0].out[i] = pairs[1].n

    def made(n):
        return specialize(kernel, "range", 1, ((Pair(np.zeros(4), 0), Pair(np.zeros(2), n)),))
    first = made(1)
    assert first is made(3)
    assert first is not made(1.5)


def test_the_local_size_and_sub_group_size_are_part_of_the_kernel():
    out = np.zeros(8)

    def body(it):
        out[it.get_global_id(0)] = 1
    first = specialize(body, "nd_range", 1, local=(4,))
    assert first is not specialize(body, "nd_range", 1, local=(8,))
    assert 8 == specialize(mark(reqd_sub_group_size=8)(body), "nd_range", 1,
                           local=(4,)).kernel.sub_group


def test_what_is_no_kernel_is_refused():
    for wrong in (3, "text", len, int, sycl):
        with pytest.raises(UsageError, match="a kernel must be"):
            specialize(wrong, "range", 1)


def test_unsettled_types_end_in_a_join():
    out = np.zeros(1)

    def kernel(i):
        x = 1
        for _ in range(3):
            x = x * np.float32(0.5)
            y = x
            x = y + np.float64(1)
        out[0] = x
    assert lower(kernel).name == "kernel"


def test_expressions_nested_too_deeply_are_refused_not_crashed():
    text = "-(" * 900 + "i" + ")" * 900
    space = {"out": np.zeros(1)}
    try:
        execute(f"def kernel(i):\n    out[i] = {text}\n", space)
    except (RecursionError, MemoryError, SyntaxError):
        pytest.skip("this Python refuses the text itself")
    with pytest.raises(KernelError, match="nested|K022"):
        specialize(space["kernel"], "range", 1)


def test_uses_name_every_function_and_its_meeting_points():
    tile = np.zeros(4)

    def meet(it):
        sycl.group_barrier(it.get_group())

    def kernel(it):
        tile[it.get_local_id(0)] = 1
        meet(it)
    spec = specialize(kernel, "nd_range", 1, local=(4,))
    assert [(u.code.co_name, len(u.convergent)) for u in spec.uses] == [("kernel", 1), ("meet", 1)]


@dataclasses.dataclass(eq=False)
class Sides:
    a: object
    b: object


def if_there(i, sides):
    if sides.b is not None:
        sides.b[i] = 1
    sides.a[i] = 2


def test_that_something_is_not_none_asks_for_its_type_alone():
    def sides(*args):
        return (Sides(*args),)

    class held:
        def __init__(self, at):
            self.at = at

    def inner(i, x):
        if x.b is not None:
            x.b.at[i] = 1
        x.a[i] = 2

    a, b = np.zeros(4), np.ones(4)
    spec, _ = find(inner, "range", 1, sides(a, held(b)))
    assert find(inner, "range", 1, sides(b, held(a)))[0] is spec
    assert find(inner, "range", 1, sides(a, None))[0] is not spec
    assert find(if_there, "range", 1, sides(a, b))[0] is find(
        if_there, "range", 1, sides(b, a))[0]
