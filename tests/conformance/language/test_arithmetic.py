"""Python's operators mean on every device what NumPy's scalars mean (design.md, "Types")."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.arithmetic import (
    BINARY,
    DTYPES,
    apply,
    edges,
    make,
    pairs,
    same,
    ulps,
)

PAIRS = list(itertools.product(DTYPES, DTYPES))


def run(queue: sycl.queue, source: str, count: int, **names: object) -> None:
    queue.parallel_for(count, make(source, **names)).wait()


@pytest.mark.row("D-1", "D-2")
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_binary_operators_give_numpys_values(queue, left, right):
    a, b = pairs(left, right)
    expected = {name: found for name in BINARY
                if (found := apply(name, a, b)) is not None}
    outs = {f"out_{name}": np.zeros_like(value) for name, value in expected.items()}
    lines = "\n".join(f"    out_{name}[i] = x {BINARY[name]} y" for name in expected)
    run(queue, f"def kernel(i):\n    x, y = a[i], b[i]\n{lines}", len(a), a=a, b=b, **outs)
    wrong = {}
    for name, value in expected.items():
        found = outs[f"out_{name}"]
        if not same(value, found):
            bad = [k for k in range(len(a)) if not same(value[k:k + 1], found[k:k + 1])]
            wrong[name] = [(a[k], b[k], value[k], found[k]) for k in bad[:4]]
    assert wrong == {}


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # of exponents
@pytest.mark.row("D-1")
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_binary_operators_give_numpys_types(queue, left, right):
    x, y = np.ones(1, left), np.ones(1, right)
    types = {name: apply(name, x, y) for name in [*BINARY, "pow"]}
    tests = [(f"isinstance(x {BINARY.get(name, '**')} y, np.{found.dtype.type.__name__})")
             for name, found in types.items() if found is not None]
    out = np.zeros(len(tests), np.int32)
    lines = "\n".join(f"    out[{k}] = {test}" for k, test in enumerate(tests))
    run(queue, f"def kernel(i):\n    x, y = a[i], b[i]\n{lines}", 1, a=x, b=y, out=out)
    assert [t for t, ok in zip(tests, out) if not ok] == []


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # of exponents
@pytest.mark.row("D-1")
@pytest.mark.parametrize("name", DTYPES)
def test_powers_of_integers_wrap_and_those_of_floats_are_close(queue, name):
    kind = np.dtype(name)
    if kind.kind == "f":
        a, b = np.meshgrid(np.array([0.3, 0.5, 1, 1.5, 2, 3.7], kind),
                           np.array([-3, -1, -0.5, 0, 0.5, 1, 2, 3, 2.25], kind))
    else:
        a, b = np.meshgrid(edges(name), np.arange(0, 2 if kind.kind == "b" else 12).astype(kind))
    a, b = a.ravel(), b.ravel()
    expected = apply("pow", a, b)
    out = np.zeros_like(expected)
    run(queue, "def kernel(i):\n    out[i] = a[i] ** b[i]", len(a), a=a, b=b, out=out)
    if kind.kind == "f":
        assert ulps(expected.astype(np.float64), out).max() <= 16
    else:
        assert expected.tolist() == out.tolist()


@pytest.mark.row("D-1")
@pytest.mark.parametrize(("name", "exponent"), [
    (name, e) for name in DTYPES for e in (0, 1, 2, 3, 5, -1, -2, 0.5, 2.5)
    if e >= 0 or name.startswith("float")])
def test_powers_by_a_literal(queue, name, exponent):
    a = np.array([0, 1, 2, 3, 5]).astype(name)
    with np.errstate(all="ignore"):
        expected = a ** exponent
    out = np.zeros_like(expected)
    run(queue, f"def kernel(i):\n    out[i] = a[i] ** {exponent}", len(a), a=a, out=out)
    assert ulps(expected.astype(np.float64), out).max() <= (2 if out.dtype.kind == "f" else 0)


@pytest.mark.row("D-1")
@pytest.mark.parametrize("name", DTYPES)
def test_unary_operators(queue, name):
    a = edges(name)
    kind = a.dtype.kind
    ops = {"neg": "-x", "pos": "+x", "invert": "~x", "abs": "abs(x)"}
    if kind == "b":
        ops = {"invert": "~x", "abs": "abs(x)"}
    elif kind == "f":
        del ops["invert"]
    with np.errstate(all="ignore"):
        expected = {"neg": lambda: -a, "pos": lambda: +a, "invert": lambda: ~a,
                    "abs": lambda: np.abs(a)}
        expected = {op: expected[op]() for op in ops}
    outs = {f"out_{op}": np.zeros_like(a) for op in ops}
    lines = "\n".join(f"    out_{op}[i] = {text}" for op, text in ops.items())
    truth = np.zeros(len(a), np.int8)
    run(queue, f"def kernel(i):\n    x = a[i]\n{lines}\n    truth[i] = not x", len(a), a=a,
        truth=truth, **outs)
    for op in ops:
        assert same(expected[op], outs[f"out_{op}"]), op
    assert [not x for x in a] == [bool(t) for t in truth]


LITERALS = [True, 0, 1, 2, 7, -1, -3, 100, 0.0, 0.5, -2.5, 3.0]


@pytest.mark.row("D-1")
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("literal", LITERALS)
def test_literals_take_the_other_operands_type(queue, name, literal):
    a = edges(name)
    tests, values = [], {}
    for op, sign in BINARY.items():
        for swap in (False, True):
            try:
                with np.errstate(all="ignore"):
                    x = (literal, a) if swap else (a, literal)
                    found = np.asarray(_operate(op, *x))
            except (TypeError, OverflowError):
                continue
            label = f"{op}{int(swap)}"
            values[label] = found
            tests.append((label, f"{literal!r} {sign} x" if swap else f"x {sign} {literal!r}"))
    outs = {f"out_{label}": np.zeros_like(value) for label, value in values.items()}
    lines = "\n".join(f"    out_{label}[i] = {text}" for label, text in tests)
    run(queue, f"def kernel(i):\n    x = a[i]\n{lines}", len(a), a=a, **outs)
    wrong = [text for label, text in tests if not same(values[label], outs[f"out_{label}"])]
    assert wrong == []


def _operate(name, x, y):
    import operator
    return getattr(operator, name)(x, y)


@pytest.mark.row("D-1")
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_conversions(queue, name, target):
    a = edges(name)
    if a.dtype.kind == "f" and np.dtype(target).kind in "iu":
        info = np.iinfo(target)
        a = a[np.isfinite(a)]
        a = a[(a.astype(np.float64) > float(info.min) - 1) & (a.astype(np.float64) < info.max)]
    with np.errstate(all="ignore"):
        expected = a.astype(target)
    out, stored = np.zeros(len(a), target), np.zeros(len(a), target)
    run(queue, f"def kernel(i):\n    out[i] = np.{expected.dtype.type.__name__}(a[i])\n"
        "    stored[i] = a[i]", len(a), a=a, out=out, stored=stored)
    assert same(expected, out)
    assert same(expected, stored)


@pytest.mark.row("D-1")
@pytest.mark.parametrize("name", DTYPES)
def test_pythons_own_types_convert(queue, name):
    a = np.array([0, 1, 3, 100]).astype(name)
    whole, real, truth = np.zeros(4, np.int64), np.zeros(4), np.zeros(4, bool)
    run(queue, """
        def kernel(i):
            whole[i] = int(a[i])
            real[i] = float(a[i]) / 4
            truth[i] = bool(a[i])
        """, 4, a=a, whole=whole, real=real, truth=truth)
    assert [int(x) for x in a] == whole.tolist()
    assert [float(x) / 4 for x in a] == real.tolist()
    assert [bool(x) for x in a] == truth.tolist()


@pytest.mark.row("D-1")
def test_a_python_number_that_is_captured_is_weak(queue):
    a, b = np.array([1.5], np.float32), np.array([200], np.uint8)
    half, one = 0.1, 100
    out, wrapped = np.zeros(1), np.zeros(1, np.int32)

    def kernel(i):
        out[i] = a[i] * half
        wrapped[i] = b[i] + one

    queue.parallel_for(1, kernel).wait()
    with np.errstate(all="ignore"):
        assert [float(np.float32(1.5) * 0.1)] == out.tolist()
        assert [int(np.uint8(200) + 100)] == wrapped.tolist()


@pytest.mark.row("D-1")
def test_a_numpy_scalar_that_is_captured_is_strong(queue):
    a, scale = np.array([1.5], np.float32), np.float64(0.1)
    out = np.zeros(1)

    def kernel(i):
        out[i] = a[i] * scale

    queue.parallel_for(1, kernel).wait()
    assert [float(np.float32(1.5) * np.float64(0.1))] == out.tolist()


@pytest.mark.row("D-1")
def test_a_variable_joins_what_it_is_given(queue):
    x = np.array([0.1, 0.2, 0.3], np.float32)
    out = np.zeros(2)

    def kernel(i):
        total = 0.0
        count = 0
        for k in range(3):
            total += x[k]
            count += 1
        out[0] = total
        out[1] = count / 2

    queue.parallel_for(1, kernel).wait()
    total = np.float32(0)
    for v in x:
        total += v
    assert [float(total), 1.5] == out.tolist()


@pytest.mark.row("D-1")
def test_python_integers_are_exact_while_compiling(queue):
    out = np.zeros(3, np.uint64)

    def kernel(i):
        out[0] = (1 << 64) - 1
        out[1] = np.uint64(0xFFFFFFFFFFFFFFFF) >> 60
        out[2] = 3 ** 40 // 7

    queue.parallel_for(1, kernel).wait()
    assert [(1 << 64) - 1, 15, 3 ** 40 // 7] == out.tolist()


@pytest.mark.row("D-1")
@pytest.mark.parametrize("bound", [300, -300, 256, -1, 255, 128])
@pytest.mark.parametrize("name", ["int8", "uint8", "uint64", "int64"])
def test_comparisons_with_python_integers_are_exact(queue, name, bound):
    a = edges(name)
    n = bound
    lines = []
    expected = []
    for k, sign in enumerate(["==", "!=", "<", "<=", ">", ">="]):
        lines.append(f"    out[{2 * k}, i] = a[i] {sign} {bound}")
        lines.append(f"    out[{2 * k + 1}, i] = n {sign} a[i]")
        expected.append([bool(eval(f"{int(x)} {sign} {bound}")) for x in a])
        expected.append([bool(eval(f"{bound} {sign} {int(x)}")) for x in a])
    out = np.zeros((12, len(a)), bool)
    run(queue, "def kernel(i):\n" + "\n".join(lines), len(a), a=a, out=out, n=n)
    assert expected == out.tolist()
