"""What is computed before a barrier is the same behind it, for every form of expression.

Each form is computed, kept somewhere across a barrier, and stored behind it; NumPy's scalars,
in plain Python, say what it should be. Local sizes are those at which compilers go other ways:
one item, less than a vector, a vector, more. A driver that mixed up work-items here for negated
floats only is why (``shared_negations`` in ``unisycl/backends/opencl/text/quirks.py``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import unisycl as sycl
from tests.sampling import by_turns
from unisycl.ir.builtins import BUILTINS

SIZES = (1, 2, 3, 7, 8, 16, 17, 64)
GROUPS = 3

REAL = (
    lambda a, b, c: -a,
    lambda a, b, c: -(a + b),
    lambda a, b, c: -(a - b),
    lambda a, b, c: b - a,
    lambda a, b, c: a * -1,
    lambda a, b, c: a / -1,
    lambda a, b, c: -0.0 - a,
    lambda a, b, c: 0.0 - a,
    lambda a, b, c: -2 * a,
    lambda a, b, c: -a * b,
    lambda a, b, c: -(a * b),
    lambda a, b, c: -a * -b,
    lambda a, b, c: -a / b,
    lambda a, b, c: -1 / a,
    lambda a, b, c: a + -b,
    lambda a, b, c: abs(-a),
    lambda a, b, c: -abs(a),
    lambda a, b, c: +a,
    lambda a, b, c: -a if c > 0 else a,
    lambda a, b, c: -a if c > 0 else -b,
    lambda a, b, c: (a if c > 0 else b) * -1.0,
    lambda a, b, c: a * (-1.0 if c > 0 else 1.0),
    lambda a, b, c: -a if a < 0 else a,
    lambda a, b, c: np.float32(-a),
    lambda a, b, c: -np.float32(c),
    lambda a, b, c: int(-a),
    lambda a, b, c: np.int32(-a) & 3,
    lambda a, b, c: -a < b,
    lambda a, b, c: not -a < b,
    lambda a, b, c: min(-a, -b),
    lambda a, b, c: max(-a, b),
    lambda a, b, c: np.sqrt(-(-abs(a))),
    lambda a, b, c: np.sin(-a),
    lambda a, b, c: np.exp(-abs(a)),
    lambda a, b, c: np.floor(-a),
    lambda a, b, c: np.copysign(a, -b),
    lambda a, b, c: np.copysign(a, -1.0),
    lambda a, b, c: np.where(c > 0, -a, b),
    lambda a, b, c: -a // b,
    lambda a, b, c: -a % b,
    lambda a, b, c: flips(a, 3),
    lambda a, b, c: signs(a),
    lambda a, b, c: last_of_table(a),
    lambda a, b, c: complex(a, -b).conjugate().imag,
    lambda a, b, c: (-complex(a, b)).real,
    lambda a, b, c: (complex(a, b) * -1j).imag,
)
WHOLE = (
    lambda a, b, c: -a & 0x7f if a > 0 else -a,
    lambda a, b, c: ~a & 0x7f,
    lambda a, b, c: (0 - a) & 15,
    lambda a, b, c: (b - a) % 101,
    lambda a, b, c: -(a + b) // 2 % 50,
    lambda a, b, c: a * b + a,
    lambda a, b, c: a ^ 1,
    lambda a, b, c: (a << 3) | (b >> 1),
    lambda a, b, c: a // b,
    lambda a, b, c: a % b,
    lambda a, b, c: abs(a),
    lambda a, b, c: max(a, b) - min(a, b),
    lambda a, b, c: a if c > 0 else b,
    lambda a, b, c: ~a < b,
    lambda a, b, c: not a,
    lambda a, b, c: a == b or c > 2,
    lambda a, b, c: int(-np.float32(a)),
    lambda a, b, c: int(np.float32(a) * -1),
    lambda a, b, c: np.int64(a) * -3,
    lambda a, b, c: np.uint8(a & 7),
    lambda a, b, c: np.int16(c) - 1,
    lambda a, b, c: a / b > 0.5,
    lambda a, b, c: np.int64(c) * -1,
)
REALS, WHOLES = ("float32", "float64", "float16"), (
    "int32", "uint8", "int64", "uint64", "int8", "int16", "uint16", "uint32")


def flips(x, n):
    """Return ±x, the sign made in a loop that a compiler may unroll."""
    y = x
    for k in range(n):
        y = y * (2 * (k & 1) - 1) if k < 2 else -y
    return y


def signs(x):
    """Return a product with a number that only a compiler knows to be -1."""
    one = 1.0
    return x * (one - 2)


def last_of_table(x):
    """Return a product with what lies in a private array."""
    table = np.zeros(3, np.float32)
    for k in range(3):
        table[k] = k - 3
    return x * table[2]


@dataclass
class Held:
    """Two values as members."""

    one: object
    two: object


def in_scalar(it, f, wide, a, b, c):
    w = f(a, b, c)
    sycl.group_barrier(it.get_group())
    return w


def in_array(it, f, wide, a, b, c):
    w = f(a, b, c)
    kept = sycl.private_array(wide, 4)
    kept[c & 3] = wide(w)
    sycl.group_barrier(it.get_group())
    return kept[c & 3]


def in_vector(it, f, wide, a, b, c):
    w = np.float32(f(a, b, c))
    kept = sycl.float4(w, 1, -w, 2)
    sycl.group_barrier(it.get_group())
    return -kept.z


def in_tuple(it, f, wide, a, b, c):
    kept = (f(a, b, c), -a)
    sycl.group_barrier(it.get_group())
    return kept[0]


def in_object(it, f, wide, a, b, c):
    kept = Held(f(a, b, c), f(b, a, c))
    sycl.group_barrier(it.get_group())
    return kept.one


def in_loop(it, f, wide, a, b, c):
    w = f(b, a, c)
    for _ in range(c + 2 - c):
        sycl.group_barrier(it.get_group())
        w = f(a, b, c)
    sycl.group_barrier(it.get_group())
    return w


def in_branch(it, f, wide, a, b, c):
    w = f(b, a, c)
    if it.get_group_linear_id() < 5:
        w = f(a, b, c)
        sycl.group_barrier(it.get_group())
    return w


def twice(it, f, wide, a, b, c):
    first = f(a, b, c)
    sycl.group_barrier(it.get_group())
    second = f(a, b, c)
    return first if c > 1 else second


def in_shared(it, f, wide, a, b, c):
    """A group function's operand: the item's own value, taken back from the group."""
    w = f(a, b, c)
    total = sycl.reduce_over_group(it.get_group(), np.int64(1), sycl.plus())
    return w if total > 0 else f(b, a, c)


HOMES = (in_scalar, in_array, in_vector, in_tuple, in_object, in_loop, in_branch, twice,
         in_shared)


def operands(kind: str, count: int) -> tuple[np.ndarray, ...]:
    chance = np.random.default_rng(count)
    a, b = chance.integers(1, 100, (2, count)), chance.integers(1, 40, (2, count))[0]
    c = chance.integers(-4, 5, count).astype(np.int32)
    if np.dtype(kind).kind == "f":
        return (a[0] * np.where(c < 0, -0.125, 0.25)).astype(kind), (b / 8 - 2.3).astype(kind), c
    sign = np.where(c < 0, -1, 1) if np.dtype(kind).kind == "i" else 1
    return (a[0] * sign).astype(kind), b.astype(kind), c


def expected(forms, kind: str, a, b, c) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.array([[f(*x) for x in zip(a, b, c, strict=True)] for f in forms],
                        np.float64 if np.dtype(kind).kind == "f" else np.int64)


@pytest.mark.row("D-36", "E-31")
@pytest.mark.parametrize("home", HOMES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", REALS)
def test_forms_of_floats_are_the_same_behind_a_barrier(queue, kind, home):
    check(queue, REAL, kind, home)


@pytest.mark.row("D-36", "E-31")
@pytest.mark.parametrize("home", [h for h in HOMES if h is not in_vector],
                         ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", WHOLES)
def test_forms_of_integers_are_the_same_behind_a_barrier(queue, kind, home):
    check(queue, WHOLE, kind, home)


def check(queue, forms, kind: str, home) -> None:
    """Compare all forms; barriers under conditions a few at a time.

    PoCL takes twice as long, or more, for each of them that a kernel has.
    """
    few = 4 if home is in_branch else len(forms)
    for first in range(0, len(forms), few):
        compare(queue, forms[first:first + few], kind, home)


def compare(queue, forms, kind: str, home) -> None:
    turn = HOMES.index(home) + 3 * (REALS + WHOLES).index(kind)
    sizes = SIZES[turn % len(SIZES)], SIZES[(turn + 3) % len(SIZES)]
    for size in by_turns(queue.get_device(), sizes):  # all, by turns
        count = GROUPS * size
        a, b, c = operands(kind, count)
        whole = np.dtype(kind).kind != "f"
        wide = np.int64 if whole else np.float64 if kind == "float64" else np.float32
        out = np.zeros((len(forms), count), wide)

        def kernel(it):
            i = it.get_global_id(0)
            for k, f in enumerate(forms):
                out[k, i] = home(it, f, wide, a[i], b[i], c[i])  # noqa: B023

        queue.parallel_for(sycl.nd_range(count, size), kernel).wait()
        want = expected(forms, kind, a, b, c)
        if whole:
            assert np.array_equal(want, out), differing(want, out, size)
        else:
            near = 3e-3 if kind == "float16" else 3e-6
            assert np.allclose(want, out, near, near, equal_nan=True), differing(want, out, size)


def differing(want: np.ndarray, out: np.ndarray, size: int) -> str:
    rows = [k for k in range(len(want)) if not np.allclose(want[k], out[k], 3e-3, equal_nan=True)]
    return f"local size {size}, forms {rows}: {want[rows]} expected, {out[rows]} found"


UNARY = [row.name for row in BUILTINS.values() if hasattr(sycl, row.name)
         and row.operands in ("f", "ff", "fff") and row.results == "f"]


@pytest.mark.row("D-36")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", REALS)
@pytest.mark.parametrize("part", range(0, len(UNARY), 30))
def test_functions_are_the_same_behind_a_barrier(queue, kind, size, part):
    functions = tuple((getattr(sycl, name), BUILTINS[name].arity)
                      for name in UNARY[part:part + 30])
    a = operands(kind, GROUPS * size)[0] / np.dtype(kind).type(8)
    before = np.zeros((len(functions), len(a)), kind)
    behind = np.zeros_like(before)

    def kernel(it):
        i = it.get_global_id(0)
        for k, (f, arity) in enumerate(functions):
            before[k, i] = called(f, arity, a[i])
            behind[k, i] = kept(it, f, arity, a[i])

    queue.parallel_for(sycl.nd_range(len(a), size), kernel).wait()
    np.testing.assert_array_equal(before, behind)
    assert behind.any()


def called(f, arity, x):
    if arity == 1:
        return f(x)
    return f(x, -x) if arity == 2 else f(x, -x, x)


def kept(it, f, arity, x):
    w = called(f, arity, x)
    sycl.group_barrier(it.get_group())
    return w


@pytest.mark.row("D-36")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", REALS)
def test_groups_take_negated_operands(queue, kind, size):
    a = operands(kind, GROUPS * size)[0]
    out = np.zeros((5, len(a)), kind)

    def kernel(it):
        g, i = it.get_group(), it.get_global_id(0)
        x = -a[i]
        out[0, i] = sycl.reduce_over_group(g, x, sycl.maximum())
        out[1, i] = sycl.reduce_over_group(g, -x, sycl.minimum())
        out[2, i] = sycl.inclusive_scan_over_group(g, x * -1, sycl.maximum())
        out[3, i] = sycl.group_broadcast(g, x, size - 1)
        out[4, i] = x

    queue.parallel_for(sycl.nd_range(len(a), size), kernel).wait()
    groups = a.reshape(GROUPS, size)
    want = [(-groups).max(1, keepdims=True), groups.min(1, keepdims=True),
            np.maximum.accumulate(groups, 1), -groups[:, -1:], -groups]
    for k, rows in enumerate(want):
        assert np.array_equal(np.broadcast_to(rows, groups.shape).ravel(), out[k]), k


@pytest.mark.row("D-36")
@pytest.mark.parametrize("kind", REALS)
def test_reductions_take_negated_operands(queue, kind):
    a = operands(kind, 1000)[0]
    least, sums = np.full(1, np.inf, kind), np.zeros(1, np.float32)

    def kernel(i, low, total):
        low.combine(-a[i])
        total += np.float32(a[i]) * -1

    queue.parallel_for(a.size, sycl.reduction(least, sycl.minimum()),
                       sycl.reduction(sums, sycl.plus()), kernel).wait()
    assert (-a).min() == least[0]
    assert math.isclose(-a.astype(np.float64).sum(), sums[0], rel_tol=1e-4)


@pytest.mark.row("D-36")
@pytest.mark.parametrize("size", SIZES)
def test_work_items_of_hierarchical_kernels_keep_negated_numbers(queue, size):
    a = operands("float32", GROUPS * size)[0]
    out, ends = np.zeros_like(a), np.zeros(GROUPS, np.float32)

    @queue.submit
    def group_of(h):
        def kernel(g):
            mine = sycl.private_memory(np.float32, g)
            end = -a[g.get_group_id(0) * size]

            def first(it):
                mine[it] = -a[it.get_global_id(0)]

            def second(it):
                out[it.get_global_id(0)] = mine[it]

            g.parallel_for_work_item(first)
            g.parallel_for_work_item(second)
            ends[g.get_group_id(0)] = end

        h.parallel_for_work_group(sycl.range(GROUPS), sycl.range(size), kernel)

    queue.wait()
    assert np.array_equal(-a, out)
    assert np.array_equal(-a[::size], ends)


@pytest.mark.row("D-36")
@pytest.mark.parametrize("size", SIZES)
def test_the_top_bit_flipped_is_kept_like_a_sign(queue, size):
    a = operands("float32", GROUPS * size)[0]
    out, bits = np.zeros_like(a), np.zeros(len(a), np.uint32)

    def kernel(it):
        i = it.get_global_id(0)
        flipped = sycl.bit_cast(np.uint32, a[i] * 2) ^ 0x80000000
        back = sycl.bit_cast(np.float32, flipped)
        sycl.group_barrier(it.get_group())
        out[i] = back
        bits[i] = flipped

    queue.parallel_for(sycl.nd_range(len(a), size), kernel).wait()
    assert np.array_equal(-2 * a, out)
    assert np.array_equal((-2 * a).view(np.uint32), bits)


@pytest.mark.row("D-36")
@pytest.mark.parametrize("size", [3, 16, 64])
def test_quick_arithmetic_keeps_differences(queue, size):
    x = sycl.ext.oneapi.experimental
    a = operands("float32", GROUPS * size)[0]
    out = np.zeros((3, len(a)), np.float32)

    @sycl.kernel(properties=[x.build_options("-ffast-math")])
    def kernel(it):
        i = it.get_global_id(0)
        one, two, three = 0.0 - a[i], a[i] - 2 * a[i], 2 * a[i] - 3 * a[i]
        sycl.group_barrier(it.get_group())
        out[0, i], out[1, i], out[2, i] = one, two, three

    queue.parallel_for(sycl.nd_range(len(a), size), kernel).wait()
    for row in out:
        np.testing.assert_allclose(row, -a, rtol=1e-5)
