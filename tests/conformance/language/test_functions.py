"""Functions called from kernels, closures, defaults, methods and objects that are kernels."""

from __future__ import annotations

import dataclasses
import functools
import operator
import sys

import numpy as np
import pytest

import unisycl as sycl
import unisycl.ext.oneapi as syclex
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 21
DATA = (np.arange(N) * 7919 % 23 - 11).astype(np.int32)
GLOBAL_SCALE = 3
SETTINGS = (2, 5, "fast", None)


def clamp(x, low=-4, high=4):
    if x < low:
        return low
    if x > high:
        return high
    return x


def weigh(x, *, factor, offset=1):
    return clamp(x * factor, high=20) + offset


def both(x, y):
    return weigh(x, factor=2), weigh(y, factor=GLOBAL_SCALE, offset=0)


def first_multiple(values, of, default):
    for k in range(len(values)):
        if values[k] % of == 0 and k > 2:
            return k
    return default


def put(out, i, value):
    if value < 0:
        return
    out[i] = value


def test_helpers_call_helpers_to_any_depth(queue):
    def build(a, out):
        def kernel(i):
            p, q = both(a[i], i)
            out[i] = p * 100 + q + clamp(x=a[i], high=2)
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_helpers_return_from_loops_and_take_memory(queue):
    def build(a, out):
        def kernel(i):
            out[i] = first_multiple(a, 2 + i % 5, -1)
            put(out, i, a[i])
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_a_helper_serves_several_kernels_with_other_types(queue):
    for dtype in (np.int8, np.float32, np.float64, np.uint32):
        def build(a, out):
            def kernel(i):
                out[i] = clamp(a[i], 1, 9)
            return kernel
        agree(queue, build, 12, a=np.arange(12).astype(dtype), out=np.zeros(12, dtype))


def test_nested_functions_see_variables_as_they_are_when_called(queue):
    def build(a, out):
        def kernel(i):
            x = a[i]

            def shifted(y):
                return x * 10 + y
            out[i] = shifted(1)
            x = 5
            out[i] += shifted(2) * 1000
            for x in range(3):
                out[i] += shifted(x)
            add = lambda u, v=7: u + v + x  # noqa: E731
            out[i] += add(1) + add(1, 2)
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_functions_are_values_that_can_be_passed(queue):
    def twice(f, x):
        return f(f(x))

    def compose(f, g):
        def made(x):
            return f(g(x))
        return made

    def build(a, out):
        def kernel(i):
            inc = compose(lambda x: x + 1, lambda x: x * 2)
            out[i] = twice(lambda x: x - 3, a[i]) + 100 * inc(i)
            for f in (clamp, lambda x: x * x, abs):
                out[i] = out[i] * 7 + f(a[i])
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_lambdas_on_one_line_are_told_apart(queue):
    a, out = DATA.copy(), ints(2, N)
    kernels = [lambda i: put(out[0], i, a[i] * 2), lambda i: put(out[1], i, a[i] * 3)]
    for kernel in kernels:
        queue.parallel_for(N, kernel).wait()
    for k in range(2):
        assert [max(0, int(x) * (k + 2)) for x in a] == out[k].tolist()


def test_closures_made_in_a_loop_keep_their_own_values(queue):
    out = ints(4)
    kernels = []
    for k in range(4):
        def kernel(i, k=k):
            out[k] = k * 10 + i
        kernels.append(kernel)
    made = [functools.partial(lambda c, fn: fn, k) for k in range(4)]
    assert len(made) == 4
    for kernel in kernels:
        queue.parallel_for(1, kernel).wait()
    assert [0, 10, 20, 30] == out.tolist()


def test_a_new_closure_of_the_same_code_has_its_own_data_and_helpers(queue):
    def build(out, value, helper):
        def kernel(i):
            out[i] = helper(value) + i
        return kernel
    for value, helper in ((1, lambda x: x + 5), (2, lambda x: x * 7), (3, clamp)):
        out = ints(3)
        queue.parallel_for(3, build(out, value, helper)).wait()
        assert [helper(value) + i for i in range(3)] == out.tolist()


def test_barriers_in_a_second_closure_of_the_same_code(queue):
    def build(out, shift):
        tile = np.zeros(8, np.int32)

        def exchange(it, x):
            tile[it.get_local_id(0)] = x
            sycl.group_barrier(it.get_group())
            return tile[(it.get_local_id(0) + shift) % 8]

        def kernel(it):
            out[it.get_global_id(0)] = exchange(it, it.get_global_id(0))
        return kernel
    for shift in (1, 3):
        out = ints(8)
        queue.parallel_for(sycl.nd_range(8, 8), build(out, shift)).wait()
        assert [(k + shift) % 8 for k in range(8)] == out.tolist()


def test_what_is_captured_is_read_at_submission(queue):
    out, scale = ints(1), 4

    def kernel(i):
        out[i] = scale * 2

    queue.parallel_for(1, kernel).wait()
    scale = 9
    queue.parallel_for(1, kernel).wait()
    assert [18] == out.tolist()


def test_globals_are_constants_that_are_read_anew_at_each_launch(queue):
    global GLOBAL_SCALE
    out = ints(1)

    def kernel(i):
        out[i] = GLOBAL_SCALE + np.iinfo(np.int8).bits

    if False:
        queue.parallel_for(1, kernel)

    def reading(i):
        out[i] = GLOBAL_SCALE
    try:
        queue.parallel_for(1, reading).wait()
        assert [3] == out.tolist()
        GLOBAL_SCALE = 11
        queue.parallel_for(1, reading).wait()
        assert [11] == out.tolist()
    finally:
        GLOBAL_SCALE = 3


@pytest.mark.row("D-60")
def test_branches_on_constants_are_taken_while_compiling(queue):
    def build(out, mode, extra, kinds):
        def kernel(i):
            if mode == "sum":
                out[i] = 1
            elif mode in ("product", "power"):
                out[i] = 2
            else:
                out[i] = nonexistent(i)  # noqa: F821
            if extra is None:
                out[i] += 10
            else:
                out[i] += extra[0] * 100
            if isinstance(kinds[1], str) and kinds[0] > 1 and not kinds[3]:
                out[i] += 1000
            else:
                out[i] = [i]
        return kernel
    for mode, extra, expected in (("sum", None, 1011), ("power", (4, 5), 1402)):
        out = ints(2)
        queue.parallel_for(2, build(out, mode, extra, (2, "a", 0, None))).wait()
        assert [expected] * 2 == out.tolist()


@pytest.mark.row("D-60")
def test_types_are_constants_that_can_be_called_and_compared(queue):
    def build(out, kind):
        def kernel(i):
            x = kind(i) / kind(2)
            if kind is np.float32:
                x += kind(0.5)
            out[i] = x
        return kernel
    for kind in (np.float32, np.float64, np.int16):
        out = np.zeros(5)
        queue.parallel_for(5, build(out, kind)).wait()
        assert [float(i / 2 + 0.5 * (kind is np.float32)) for i in range(5)] == out.tolist()


@pytest.mark.row("D-10")
def test_an_object_with_call_is_a_kernel_and_its_attributes_are_parameters(queue):
    class Base:
        bias = 4

        def shift(self, x):
            return x + self.bias + self.offset

    class Scale(Base):
        def __init__(self, out, factor, offset):
            self.out, self.factor, self.offset = out, factor, offset

        @staticmethod
        def square(x):
            return x * x

        def __call__(self, i):
            self.out[i] = self.shift(self.square(i) * self.factor)

    for factor, offset in ((2, 100), (3, 0)):
        out = ints(6)
        queue.parallel_for(6, Scale(out, factor, offset)).wait()
        assert [i * i * factor + 4 + offset for i in range(6)] == out.tolist()


@pytest.mark.row("D-10")
def test_bound_methods_and_slots(queue):
    class Model:
        __slots__ = ("out", "weight")

        def __init__(self, out, weight):
            self.out, self.weight = out, weight

        def value(self, i):
            return self.weight * i

        def run(self, i):
            self.out[i] = self.value(i) + 1

    out = ints(4)
    queue.parallel_for(4, Model(out, 5).run).wait()
    assert [1, 6, 11, 16] == out.tolist()


@pytest.mark.row("D-10")
def test_an_object_that_is_captured_gives_its_attributes_and_methods(queue):
    class Grid:
        def __init__(self, width, data):
            self.width, self.data = width, data

        def at(self, x, y):
            return self.data[y * self.width + x]

    grid, out = Grid(3, np.arange(6)), ints(6)

    def kernel(i):
        out[i] = grid.at(i % 3, i // 3) * 10 + grid.width

    queue.parallel_for(6, kernel).wait()
    assert [k * 10 + 3 for k in range(6)] == out.tolist()


def test_decorated_kernels_take_arguments_after_the_index(queue):
    @sycl.kernel
    def fill(i, out, value, step=2):
        out[i] = value + step * i

    out = ints(4)
    queue.parallel_for(4, fill, out, 7).wait()
    assert [7, 9, 11, 13] == out.tolist()
    queue.parallel_for(4, fill, out, np.int32(1), 5).wait()
    assert [1, 6, 11, 16] == out.tolist()


def test_operators_and_function_objects_can_be_called(queue):
    def build(a, out):
        def kernel(i):
            x = a[i]
            out[i] = (sycl.plus(x, 2) * sycl.multiplies(x, 3) + sycl.minimum(x, 1)
                      + sycl.maximum(x, 4) + sycl.bit_xor(x, 5))
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


@pytest.mark.row("D-57")
def test_builtins_of_python(queue):
    def build(a, out):
        def kernel(i):
            x = a[i]
            q, r = divmod(x, 4)
            out[i, 0] = q * 100 + r
            out[i, 1] = min(x, 3, -2) * 100 + max((x, 0, 7))
            out[i, 2] = abs(x) + len(a) + len((1, 2, 3)) + sum((x, 1, i))
            out[i, 3] = round(x / 4) * 100 + int(x / 3)
            out[i, 4] = isinstance(x, np.int32) + 2 * isinstance(out, int) + 4 * isinstance(
                x * 0.5, (np.floating, int)) + 8 * isinstance(3, int) + 16 * isinstance(0.5, int)
            out[i, 5] = pow(x, 3) + pow(2, 5)
        return kernel
    out = ints(N, 6)
    kernel_out = out.copy()
    agree(queue, build, N, a=DATA, out=kernel_out)


def test_min_and_max_return_the_first_of_equals_and_nan_as_python_does(queue):
    def build(a, out):
        def kernel(i):
            x = a[i]
            out[i, 0], out[i, 1] = min(x, 1.0), min(1.0, x)
            out[i, 2], out[i, 3] = max(x, 1.0), max(1.0, x)
            out[i, 4] = min(x, 0.0)
        return kernel
    agree(queue, build, 5, a=np.array([np.nan, 2, -0.0, 0.0, -np.inf]), out=np.zeros((5, 5)))


def test_numpys_functions_with_the_same_meaning(queue):
    def build(a, b, out):
        def kernel(i):
            x, y = a[i], b[i]
            out[i, 0] = np.where(x > 0, x, y)
            out[i, 1] = np.minimum(x, y) + np.maximum(x, 2) * 10
            out[i, 2] = np.add(x, y) - np.multiply(x, np.floor(y / 3))
            out[i, 3] = np.less(x, y) + 2 * np.isnan(y)
            out[i, 4] = np.abs(x) + np.float32(1)
        return kernel
    agree(queue, build, N, a=DATA, b=(DATA[::-1] * 0.5).astype(np.float32), out=np.zeros((N, 5)))


def test_the_operator_module_works_by_its_functions(queue):
    table = (operator.add, operator.mul, operator.floordiv)

    def build(a, out):
        def kernel(i):
            for f in table:
                out[i] = out[i] * 3 + f(a[i], 4)
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_math_gives_python_numbers(queue):
    import math

    def build(a, out):
        def kernel(i):
            x = a[i]
            out[i, 0] = math.floor(x / 3) * 100 + math.ceil(x / 3)
            out[i, 1] = math.sqrt(abs(x)) * math.pi
            out[i, 2] = x * math.fabs(-0.1)
            out[i, 3] = math.inf * (x > 100) if x else -1
        return kernel
    out = np.zeros((N, 4))
    a = DATA.astype(np.float32)
    found = out.copy()
    queue.parallel_for(N, build(a, found)).wait()
    kernel = build(a, out)
    with np.errstate(all="ignore"):
        for i in range(N):
            kernel(i)
    np.testing.assert_allclose(found, out, rtol=1e-15, equal_nan=True)


@pytest.mark.row("D-10", "D-12")
def test_ranges_and_ids_are_device_copyable(queue):
    @dataclasses.dataclass
    class Window:
        extent: sycl.range
        at: sycl.id
        scale: np.float32

    for kind in (sycl.range, sycl.id, tuple[sycl.id, np.int32], Window, np.float32, sycl.float4):
        assert sycl.is_device_copyable(kind)
    for kind in (sycl.queue, sycl.nd_range, list, tuple[sycl.id, list]):
        assert not sycl.is_device_copyable(kind)
    extent, at, out = sycl.range(3, 4), sycl.id(1, 2), np.zeros(4, np.int64)

    def kernel():
        out[0], out[1], out[2], out[3] = extent[0], extent[1], at[0], at[1]
    queue.single_task(kernel).wait()
    assert [3, 4, 1, 2] == out.tolist()


# ---- functions that meet
def plus(x):
    return x + 1


def times(x):
    return x * 3


def scaled(k, x):
    return x * k


def chosen_by(c):
    if c:
        return plus
    return times


def test_branches_choose_functions(queue):
    def build(a, out):
        def kernel(i):
            if a[i] > 3:
                f = plus
            elif a[i] > 0:
                f = lambda x: x - 2  # noqa: E731 - that is what is tested
            elif a[i] > -5:
                f = functools.partial(scaled, a[i])
            else:
                f = abs
            first = f
            if i % 3 == 0:
                f = functools.partial(scaled, i)
            out[i] = first(a[i]) * 100 + f(a[i]) + chosen_by(i % 2 == 0)(a[i])
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # sums kept in 64 bits say so
def test_a_chosen_function_is_the_one_of_its_time(queue):
    def build(a, out):
        def kernel(i):
            n = 5 if i < 4 else 7

            def inner(x):
                return x * n
            if i % 2:
                f = inner
            else:
                f = plus
            g = f
            n = 1
            k = a[i]
            p = functools.partial(scaled, k)
            k = 1000
            if i % 5 == 0:
                f, p = p, f
            out[i] = f(a[i]) + 10 * g(a[i]) + 100 * p(k)
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_loops_bind_functions_anew(queue):
    def build(a, out):
        def kernel(i):
            f, g = plus, times
            t = a[i]
            for k in range(i % 4):
                if t % 2:
                    f, g = g, f
                t = f(t)
            h = abs
            while t > 40:
                h, t = functools.partial(scaled, t % 3), t // 2
            out[i] = t + h(7)
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))


def test_a_partial_of_a_number_of_one_type_or_another_meets_no_other(queue):
    def kernel(i, a, b, out):
        f = functools.partial(scaled, a[i] if i % 2 else b[i])
        for _ in range(i):
            f = abs
        out[i] = f(3)
    with pytest.raises(sycl.KernelError, match=r"K035: .* a function that holds one int64 or int8"):
        queue.parallel_for(4, kernel, np.ones(4, np.int8), ints(4), ints(4))


@functools.wraps(min)
def third(x, y):
    return (x + y) // 3


@functools.wraps(np.clip)
def scaled_by_global(x):
    return x * GLOBAL_FACTOR


@functools.wraps(syclex.group_local_memory)
def shifted_by_global(x):
    return x + GLOBAL_FACTOR


GLOBAL_FACTOR = 3


def test_a_function_that_bears_the_name_of_another_is_called_itself(queue, monkeypatch):
    def build(a, out):
        def kernel(i):
            out[i] = third(a[i], 3) * 100 + min(scaled_by_global(a[i]), shifted_by_global(i))
        return kernel
    agree(queue, build, N, a=DATA, out=ints(N))
    monkeypatch.setattr(sys.modules[__name__], "GLOBAL_FACTOR", 5)
    agree(queue, build, N, a=DATA, out=ints(N))


@pytest.mark.part("D-11")
def test_functions_of_the_kernel_may_decorate_others(queue):
    def decorated(i, out):
        def more(function):
            def made(*args, **named):
                return function(*args, **named) + 100
            return made

        def times(n):
            return lambda function: lambda *args: function(*args) * n

        @more
        def product(x, y=2):
            return x * y

        @times(3)
        @more
        def next_to(x):
            return x + 1
        out[i, 0] = product(i) + product(i, y=5) + next_to(i)
        out[i, 1] = pow(i, 3, 7) + pow(3, int(i), 7) + pow(i, i, 11)
    out = np.zeros((5, 2), np.int64)
    queue.parallel_for(5, decorated, out).wait()
    assert out.tolist() == [[200 + 7 * i + 3 * (i + 101),
                             pow(i, 3, 7) + pow(3, i, 7) + pow(i, i, 11)] for i in range(5)]

    def asks(i, out):
        out[i, 0] = isinstance(i, int)
        out[i, 1] = pow(3, i, 7)
    with pytest.raises(sycl.exception, match=r"no int(.|\n)*pow\(\) with three"):
        queue.parallel_for(5, asks, out)
