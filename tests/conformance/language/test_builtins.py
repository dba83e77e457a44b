"""Every row of the table of builtins, in every type, on every device (catalogue D-19 to D-30).

Values and special cases are here; errors in units in the last place are in test_accuracy.
"""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.arithmetic import edges, make, ulps
from tests.conformance.language.special_values import pinned
from tests.property import accuracy, meanings, reference
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.builtins.row import UNSPECIFIED

FLOATS = ("float32", "float64", "float16")
INTS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
KS = np.array([0, 1, -1, 2, -2, 3, 40, -40, 160, -160, 2000, -2000, (1 << 31) - 1, -(1 << 31)],
              np.int32)
EXTRA = np.array([0.5, -0.5, 1.5, -1.5, 3.5, 0.25, -3.25, 0.49999, 4097, -3.7, 6.5],
                 np.float32)
SIGNLESS = ("fmin", "fmax", "min", "max", "maxmag", "minmag")  # of two zeros either is right
INNER = ("minimum_of", "maximum_of")  # NumPy's, by whose names kernels call them

PUBLIC = [row for row in BUILTINS.values() if hasattr(sycl, row.name)]
OF_FLOATS = [row for row in PUBLIC if set(row.operands) <= set("fnk") and "k" != row.operands]
EXACT = [row.name for row in OF_FLOATS if row.name not in ("sincos", "lgamma_r") and (
    row.parts or (row.bound.ulp(32) <= 0.5 and not row.bound.absolute))]
FAST = [row.name for row in PUBLIC if set(row.operands) == {"s"} and row.bound.ulp(32) <= 0.5]
INEXACT = [row.name for row in OF_FLOATS if row.name not in EXACT and row.name != "mad"
           and not row.bound.absolute]

OF_INTEGERS = [row.name for row in PUBLIC if set(row.operands) <= set("ni")]
OWN_TESTS = ("mul24", "mad24", "upsample", "select", "nan")  # each has one of its name, below
LOOSE = ("mad", "mix", "smoothstep")


def call(queue, name: str, xs: list[np.ndarray], *outs: np.ndarray) -> list[np.ndarray]:
    """Return the results of a function of arrays, computed by a kernel."""
    names = {f"x{k}": x for k, x in enumerate(xs)} | {f"y{k}": y for k, y in enumerate(outs)}
    results = ", ".join(f"y{k}[i]" for k in range(len(outs)))
    given = ", ".join(f"x{k}[i]" for k in range(len(xs)))
    kernel = make(f"def kernel(i):\n    {results} = sycl.{name}({given})", sycl=sycl, **names)
    queue.parallel_for(len(outs[0]), kernel).wait()
    return list(outs)


def call_all(queue, calls: dict[str, tuple[list[np.ndarray], list[np.ndarray]]]) -> None:
    """Store the results of several functions of arrays, all computed by one kernel."""
    names, lines = {}, []
    for n, (name, (xs, outs)) in enumerate(calls.items()):
        names |= {f"x{n}_{k}": x for k, x in enumerate(xs)}
        names |= {f"y{n}_{k}": y for k, y in enumerate(outs)}
        given = ", ".join(f"x{n}_{k}[i]" for k in range(len(xs)))
        results = ", ".join(f"y{n}_{k}[i]" for k in range(len(outs)))
        lines.append(f"    {results} = sycl.{name}({given})")
    kernel = make("\n".join(["def kernel(i):", *lines]), sycl=sycl, **names)
    queue.parallel_for(len(outs[0]), kernel).wait()


def outputs(row, kind: np.dtype, count: int) -> list[np.ndarray]:
    kinds = {"f": kind, "n": kind, "i": kind, "s": np.dtype("float32"), "j": kind,
             "k": np.dtype("int32"), "b": np.dtype(bool)}
    if row.results == "w":
        return [np.zeros(count, f"{kind.kind}{2 * kind.itemsize}")]
    return [np.zeros(count, kinds[x]) for x in row.results]


def grid(row, type: str) -> list[np.ndarray]:
    """Return all combinations of edges as operands."""
    values = np.concatenate([edges(type), EXTRA.astype(type)])
    values = values[::3] if row.arity == 3 else values
    return [m.ravel() for m in np.meshgrid(*[KS if x == "k" else values for x in row.operands])]


def expected_of(row, xs: list[np.ndarray]) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        found = [row.host(*(x[k] for x in xs)) for k in range(len(xs[0]))]
    return [np.array(c) for c in zip(*found, strict=True)] if row.parts else [np.array(found)]


def differing(name: str, xs, expected, found, *, special: bool = False) -> list[tuple]:
    """Return operands and results that differ; ``special``: in NaN, infinity or a zero's sign."""
    wrong = []
    for k, (e, f) in enumerate(zip(expected, found, strict=True)):
        e, f = float(e), float(f)
        same = (math.isnan(e) and math.isnan(f)) or (
            e == f and (math.copysign(1, e) == math.copysign(1, f) or name in SIGNLESS))
        if special and math.isfinite(e) and math.isfinite(f) and e != 0 and f != 0:
            same = True
        if not same:
            wrong.append((*(x[k].item() for x in xs), e, f))
    return wrong


@pytest.mark.part("D-20", "D-21", "D-22")
def test_every_function_is_judged_by_a_reference_that_is_not_its_own_meaning():
    measured = {row.name for row in accuracy.measured()}
    parts = {part for row in BUILTINS.values() for part in row.parts}
    for name, row in BUILTINS.items():
        stem = name.removeprefix("native_").removeprefix("half_")
        ways = {"exact": meanings.MEANINGS.keys() & (
                    *EXACT, *FAST, *OF_INTEGERS, *OWN_TESTS, *INNER),
                "measured": measured, "loose": {*LOOSE} & meanings.LOOSE.keys(),
                "of parts": meanings.PARTS.keys()}
        known = {way for way, names in ways.items() if name in names}
        if name in measured:
            assert stem in reference.WIDE, name
            assert stem in reference.EXACT or stem in reference.ROUGH, name
        if row.bound is UNSPECIFIED or row.bound.absolute:
            assert known <= {"loose", "measured"}, (name, known)
        elif max(row.bound.ulp(bits) for bits in (16, 32, 64)) > 0.5:
            assert known == {"measured"}, (name, known)
        assert known or ("." in name and name in parts), name


@pytest.mark.row("D-21", "D-23", "D-28", "D-29", "D-30")
@pytest.mark.parametrize(("name", "type"), [
    *((name, type) for name in EXACT for type in FLOATS), *((name, "float32") for name in FAST)])
def test_exact_functions_are_exact(queue, name, type):
    row = BUILTINS[name]
    xs = grid(row, type)
    if name == "clamp":
        keep = xs[1] <= xs[2]  # undefined where the lower limit is above the upper (§4.17.8)
        xs = [x[keep] for x in xs]
    if name == "bitselect":
        xs[2] = np.abs(xs[2])
    found = call(queue, name, xs, *outputs(row, np.dtype(type), len(xs[0])))
    for e, f in zip(meanings.expected(name, xs, found), found, strict=True):
        assert differing(name, xs, e, f) == []


@pytest.mark.row("D-19", "D-20", "D-23")
@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("name", INEXACT)
def test_edges_are_those_of_the_host(queue, name, type):
    row = BUILTINS[name]
    xs = grid(row, type)
    found = call(queue, name, xs, *outputs(row, np.dtype(type), len(xs[0])))
    for e, f in zip(expected_of(row, xs), found, strict=True):
        assert differing(name, xs, e, f, special=True) == []


@pytest.mark.row("D-19", "D-23")
@pytest.mark.parametrize("type", FLOATS)
def test_special_values_are_pinned(queue, type):
    cases = pinned(np.dtype(type))
    count = max(map(len, cases.values()))
    calls, wrong = {}, []
    for name, rows in cases.items():
        row = BUILTINS[name]
        calls[name] = ([np.resize(np.array([r[k] for r in rows], np.int32 if x == "k" else type),
                                  count) for k, x in enumerate(row.operands)],
                       outputs(row, np.dtype(type), count))
    for first in range(0, len(calls), 10):
        call_all(queue, dict(list(calls.items())[first:first + 10]))
    for name, rows in cases.items():
        row, found = BUILTINS[name], calls[name][1]
        for n, r in enumerate(rows):
            for f, e in zip(found, r[row.arity:], strict=True):
                e = f[n] if e is None else f.dtype.type(e)
                if not ((np.isnan(e) and np.isnan(f[n])) or (
                        ulps(np.array([e]), f[n:n + 1])[0] <= (5 if name in INEXACT else 0)
                        and np.signbit(e) == np.signbit(f[n]))):
                    wrong.append((name, *r[:row.arity], float(e), float(f[n])))
    assert wrong == []


@pytest.mark.row("D-28", "D-19")
@pytest.mark.parametrize("type", FLOATS[:2])
@pytest.mark.parametrize("name", LOOSE)
def test_loosely_defined_functions_are_close(queue, name, type):
    rng = np.random.default_rng(3)
    xs = [rng.uniform(0, 1, 200).astype(type) for _ in range(3)]
    if name == "smoothstep":
        xs[1] = xs[0] + np.asarray(0.5, type)
    bound = BUILTINS[name].bound
    found = call(queue, name, xs, np.zeros(200, type))[0]
    limit = 4 * np.finfo(type).eps if bound is UNSPECIFIED else bound.absolute
    assert max(meanings.off(name, xs, found)) <= limit


@pytest.mark.row("D-19", "D-20", "D-22")
@pytest.mark.parametrize("type", FLOATS)
def test_functions_of_two_results_are_as_accurate_as_those_of_one(queue, type):
    rng = np.random.default_rng(5)
    xs = np.concatenate([edges(type), EXTRA.astype(type), rng.uniform(-20, 20, 60).astype(type)])
    for name, parts in meanings.PARTS.items():
        row = BUILTINS[name]
        found = call(queue, name, [xs], *outputs(row, np.dtype(type), len(xs)))
        for part, values in zip(parts, found, strict=False):
            errors = reference.errors(part, [xs], values)
            assert errors.max() <= BUILTINS[part].bound.ulp(8 * xs.itemsize), (part, errors)
    plain = np.isfinite(xs) & ((xs > 0) | (xs != np.floor(xs)))
    signs = [int(mp.sign(mp.gamma(float(x)))) for x in xs[plain]]
    assert signs == found[1][plain].tolist()


@pytest.mark.row("D-30")
@pytest.mark.parametrize("type", [*FLOATS, "int16", "uint64"])
def test_the_extremes_of_numpy_are_nan_if_one_of_both_is(queue, type):
    xs = list(map(np.ravel, np.meshgrid(edges(type), edges(type))))
    low, high = np.zeros_like(xs[0]), np.zeros_like(xs[0])
    x, y = xs

    def kernel(i):
        low[i] = np.minimum(x[i], y[i])
        high[i] = np.maximum(x[i], y[i])
    queue.parallel_for(len(x), kernel).wait()
    for name, found in zip(INNER, (low, high), strict=True):
        (wanted,) = meanings.expected(name, xs, [found])
        assert np.array_equal(wanted, found, equal_nan=found.dtype.kind == "f"), name


# ---- integers
@pytest.mark.row("D-27")
@pytest.mark.parametrize("type", ["int8", "uint16", "int32", "uint32", "int64", "uint64"])
def test_a_product_and_a_sum_are_limited_together(queue, type):
    rng, info, row = np.random.default_rng(4), np.iinfo(type), BUILTINS["mad_sat"]
    xs = [rng.integers(info.min, info.max, 500, type, endpoint=True)
          >> rng.integers(0, info.bits, 500).astype(type) for _ in range(3)]
    found = call(queue, "mad_sat", xs, *outputs(row, np.dtype(type), 500))
    assert meanings.expected("mad_sat", xs, found)[0].tolist() == found[0].tolist()


@pytest.mark.row("D-27", "D-30")
@pytest.mark.parametrize("type", INTS)
@pytest.mark.parametrize("name", OF_INTEGERS)
def test_integer_functions_are_exact(queue, name, type):
    row = BUILTINS[name]
    if type in ("int8", "uint8") and row.arity < 3:
        info = np.iinfo(type)
        values = np.arange(info.min, info.max + 1).astype(type)[::1 if row.arity == 1 else 5]
    else:
        values = edges(type)[:: 1 if row.arity < 3 else 2]
    xs = [m.ravel() for m in np.meshgrid(*[values] * row.arity)]
    if name == "clamp":
        keep = xs[1] <= xs[2]
        xs = [x[keep] for x in xs]
    found = call(queue, name, xs, *outputs(row, np.dtype(type), len(xs[0])))
    assert meanings.expected(name, xs, found)[0].tolist() == found[0].tolist()


@pytest.mark.row("D-27")
@pytest.mark.parametrize("type", ["int32", "uint32"])
def test_products_of_24_bits(queue, type):
    top = (1 << 23) - 1 if type == "int32" else (1 << 24) - 1
    values = np.array([0, 1, 3, 1000, top, *([-1, -1000, -top - 1] if type == "int32" else [])],
                      type)
    a, b = (m.ravel() for m in np.meshgrid(values, values))
    exact = [(int(x) * int(y)) & 0xFFFFFFFF for x, y in zip(a, b, strict=True)]
    found = call(queue, "mul24", [a, b], np.zeros(len(a), type))[0]
    assert exact == (found.astype(np.int64) & 0xFFFFFFFF).tolist()
    found = call(queue, "mad24", [a, b, a], np.zeros(len(a), type))[0]
    assert [(e + int(x)) & 0xFFFFFFFF for e, x in zip(exact, a, strict=True)] == (
        found.astype(np.int64) & 0xFFFFFFFF).tolist()


@pytest.mark.row("D-27")
@pytest.mark.parametrize("type", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_upsample_joins_halves(queue, type):
    kind = np.dtype(type)
    high, low = (m.ravel() for m in np.meshgrid(edges(type), edges(f"uint{8 * kind.itemsize}")))
    row = BUILTINS["upsample"]
    found = call(queue, "upsample", [high, low], *outputs(row, kind, len(high)))[0]
    assert [(int(h) << 8 * kind.itemsize) | int(x) for h, x in zip(high, low, strict=True)] == \
        found.tolist()


@pytest.mark.row("D-30")
@pytest.mark.parametrize("type", ["int8", "uint64", "float16", "float64"])
def test_select_takes_the_second_where_the_condition_holds(queue, type):
    a, b = np.array([1, 2], type), np.array([3, 4], type)
    found = call(queue, "select", [a, b, np.array([False, True])], np.zeros(2, type))[0]
    assert [1, 4] == found.tolist()


@pytest.mark.row("D-19")
@pytest.mark.parametrize(("bits", "payload"), [(16, 5), (32, 0x1234), (64, 0x12345678)])
def test_nan_carries_a_payload(queue, bits, payload):
    out = call(queue, "nan", [np.array([payload], f"uint{bits}")], np.zeros(1, f"float{bits}"))[0]
    assert np.isnan(out[0])
    assert payload == int(out.view(f"uint{bits}")[0]) & payload


# ---- types
@pytest.mark.row("D-19")
@pytest.mark.parametrize("name", ["sqrt", "exp", "hypot", "isnan", "floor", "fma", "sin"])
def test_integers_become_doubles_and_mixtures_promote(queue, name):
    arity = BUILTINS[name].arity
    out = np.zeros(4, np.int32)
    x8, x32, half = np.array([3], np.int8), np.array([3], np.float32), 0.5
    more = ", half" * (arity - 1)
    test = "bool_" if name == "isnan" else None
    kernel = make(f"""
        def kernel(i):
            out[0] = isinstance(sycl.{name}(x8[i]{more}), np.{test or 'float64'})
            out[1] = isinstance(sycl.{name}(x32[i]{more}), np.{test or 'float32'})
            out[2] = isinstance(sycl.{name}(2{more}), np.{test or 'float64'})
            out[3] = isinstance(sycl.{name}(half{more}), np.{test or 'float64'})
        """, out=out, x8=x8, x32=x32, half=half, sycl=sycl)
    queue.parallel_for(1, kernel).wait()
    assert [1, 1, 1, 1] == out.tolist()


@pytest.mark.row("D-19", "D-27", "D-30")
def test_signatures_decide_types(queue):
    out = np.zeros(14, np.int32)
    x, i8, u8, i16 = (np.array([3], t) for t in (np.float32, np.int8, np.uint8, np.int16))
    kernel = make("""
        def kernel(i):
            f, e = sycl.frexp(x[i])
            s, c = sycl.sincos(x[i])
            out[0] = isinstance(f, np.float32) and isinstance(e, np.int32)
            out[1] = isinstance(s, np.float32) and isinstance(c, np.float32)
            out[2] = isinstance(sycl.ilogb(x[i]), np.int32)
            out[3] = isinstance(sycl.ldexp(x[i], i8[i]), np.float32)
            out[4] = isinstance(sycl.pown(x[i], 2), np.float32)
            out[5] = isinstance(sycl.upsample(i8[i], u8[i]), np.int16)
            out[6] = isinstance(sycl.mul24(i16[i], 3), np.int32)
            out[7] = isinstance(sycl.native.exp(x[i]), np.float32)
            out[8] = isinstance(sycl.half_precision.sin(0.5), np.float32)
            out[9] = isinstance(sycl.select(x[i], 1, True), np.float32)
            out[10] = isinstance(sycl.abs_diff(i8[i], 1), np.int8)
            out[11] = isinstance(sycl.nan(u8[i] + np.uint16(1)), np.float16)
            out[12] = isinstance(sycl.any(i8[i]), np.bool_)
            out[13] = isinstance(sycl.remquo(x[i], 2)[1], np.int32)
        """, out=out, x=x, i8=i8, u8=u8, i16=i16, sycl=sycl)
    queue.parallel_for(1, kernel).wait()
    assert [1] * 14 == out.tolist()


@pytest.mark.row("D-19")
def test_several_results_come_from_numpy_and_math_too(queue):
    out = np.zeros(8)
    x = np.array([-2.75])
    kernel = make("""
        def kernel(i):
            out[0], out[1] = np.modf(x[i])
            out[2], out[3] = math.modf(x[i])
            out[4], out[5] = np.frexp(x[i])
            out[6], out[7] = math.frexp(x[i])
        """, out=out, x=x, math=math)
    queue.parallel_for(1, kernel).wait()
    assert [-0.75, -2, -0.75, -2, -0.6875, 2, -0.6875, 2] == out.tolist()


@pytest.mark.row("D-20")
def test_large_arguments_of_trigonometry_are_reduced(queue):
    x = np.array([1e5, 12345.678, 3e6, -7.5e4, 1e38, -2.5e22], np.float32)
    for name in ("sin", "cos", "tan"):
        found = call(queue, name, [x], np.zeros(6, np.float32))[0]
        wide = getattr(np, name)(x.astype(np.longdouble))
        assert ulps(wide, found).max() <= BUILTINS[name].bound.fp32


@pytest.mark.row("D-29")
def test_scalars_have_lengths_that_do_not_overflow(queue):
    x = np.array([1e30, -1e30], np.float32)
    assert [1e30, 1e30] == pytest.approx(call(queue, "length", [x], np.zeros(2, np.float32))[0])
    y = np.array([3, -4], np.float32)
    assert [0, 2 * np.float32(4)] == call(queue, "distance", [y, np.array([3, 4], np.float32)],
                                          np.zeros(2, np.float32))[0].tolist()


@pytest.mark.row("D-24", "D-25")
@pytest.mark.parametrize("space", ["native", "half_precision"])
def test_rough_functions_take_only_float32(queue, space):
    x = np.array([1.0])
    kernel = make(f"def kernel(i):\n    x[i] = sycl.{space}.exp(x[i])", x=x, sycl=sycl)
    with pytest.raises(sycl.KernelError, match="it takes float32"):
        queue.parallel_for(1, kernel)
