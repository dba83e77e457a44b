"""Every row of the table of builtins, in every type, on every device (catalogue D-19 to D-30)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.arithmetic import edges, make, ulps
from unisycl.ir.builtins import BUILTINS

FLOATS = ("float32", "float64", "float16")
INTS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")

# D-20: the largest error in units in the last place; D-22 has the same for double.
ULP = {
    "sqrt": 3, "rsqrt": 2, "cbrt": 2, "log1p": 2, "exp": 3, "exp2": 3, "exp10": 3, "expm1": 3,
    "log": 3, "log2": 3, "log10": 3, "sin": 4, "cos": 4, "sinh": 4, "cosh": 4, "acos": 4, "asin": 4,
    "acosh": 4, "asinh": 4, "hypot": 4, "tan": 5, "tanh": 5, "atan": 5, "atanh": 5, "atan2": 6,
    "pow": 16, "erf": 16, "erfc": 16, "degrees": 2, "radians": 2,
}
# D-21: to be met bit by bit.
EXACT = ("ceil", "floor", "trunc", "rint", "round", "fabs", "copysign", "fmin", "fmax", "fmod",
         "fdim", "fma", "fract", "step", "sign", "abs", "min", "max", "minimum_of", "maximum_of",
         "clamp", "isnan", "isinf", "isfinite", "signbit", "isequal", "isnotequal", "isgreater",
         "isgreaterequal", "isless", "islessequal", "isordered", "isunordered")
LOOSE = {"mad": None, "mix": 1e-3, "smoothstep": 1e-5}
DOMAIN = {"acosh": (1, 50), "asin": (-1, 1), "acos": (-1, 1), "atanh": (-0.999, 0.999),
          "exp": (-9, 9), "exp2": (-13, 13), "exp10": (-4, 4), "expm1": (-9, 9), "sinh": (-9, 9),
          "cosh": (-9, 9), "log": (0, 100), "log2": (0, 100), "log10": (0, 100), "sqrt": (0, 100),
          "rsqrt": (0.001, 100), "log1p": (-0.99, 100), "erf": (-4, 4), "erfc": (-3, 3)}
WIDE = {"sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
        "atan": np.arctan, "atan2": np.arctan2, "asinh": np.arcsinh, "acosh": np.arccosh,
        "atanh": np.arctanh, "rsqrt": lambda x: 1 / np.sqrt(x), "pow": np.power,
        "exp10": lambda x: np.power(np.longdouble(10), x),
        "degrees": lambda x: x * 180 / np.longdouble(np.arccos(np.longdouble(-1))),
        "radians": lambda x: x * np.longdouble(np.arccos(np.longdouble(-1))) / 180}


def samples(name: str, dtype: str) -> list[np.ndarray]:
    """Return operands over the function's domain, and its edges where they are defined."""
    rng = np.random.default_rng(len(name))
    low, high = DOMAIN.get(name, (-50, 50))
    count = 400
    row = BUILTINS[name]
    xs = [rng.uniform(low, high, count).astype(dtype) for _ in range(row.arity)]
    for x in xs:
        x[::7] = rng.uniform(max(low, -1), min(high, 1) if low < 1 else high, len(x[::7]))
    if name == "pow":
        xs[0], xs[1] = np.abs(xs[0]) + np.asarray(0.01, dtype), xs[1] / 20
    return [np.asarray(x, dtype) for x in xs]


def call(queue, name: str, xs: list[np.ndarray], out: np.ndarray) -> np.ndarray:
    names = {f"x{k}": x for k, x in enumerate(xs)}
    arguments = ", ".join(f"{k}[i]" for k in names)
    kernel = make(f"def kernel(i):\n    out[i] = sycl.{name}({arguments})", out=out, sycl=sycl,
                  **names)
    queue.parallel_for(len(out), kernel).wait()
    return out


def public(name: str) -> str:
    return name if hasattr(sycl, name) else ""


@pytest.mark.row("D-19", "D-20", "D-22")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", sorted(ULP))
def test_functions_are_as_accurate_as_the_table_asks(queue, name, dtype):
    xs = samples(name, dtype)
    with np.errstate(all="ignore"):
        if name in ("erf", "erfc"):
            mpmath = pytest.importorskip("mpmath")
            wide = np.array([float(getattr(mpmath, name)(mpmath.mpf(float(x)))) for x in xs[0]])
        else:
            fn = WIDE.get(name) or getattr(np, name)
            wide = fn(*(x.astype(np.longdouble) for x in xs))
        error = ulps(wide, call(queue, name, xs, np.zeros(len(xs[0]), dtype)))
    worst = int(error.argmax())
    # Underflow in half comes early: there an absolute step decides, which ulps() counts as well.
    assert error[worst] <= ULP[name], [float(x[worst]) for x in xs]


def grid(name: str, dtype: str) -> list[np.ndarray]:
    values = edges(dtype)
    extra = np.array([0.5, -0.5, 1.5, 2.5, -1.5, 0.49999, 4097, -3.7], np.float32).astype(dtype)
    values = np.concatenate([values, extra])
    if BUILTINS[name].arity == 3:
        values = values[::3]
    return [m.ravel() for m in np.meshgrid(*[values] * BUILTINS[name].arity)]


@pytest.mark.row("D-21", "D-23", "D-28", "D-30")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [n for n in EXACT if public(n)])
def test_exact_functions_are_exact(queue, name, dtype):
    xs = grid(name, dtype)
    if name == "clamp":
        keep = xs[1] <= xs[2]  # undefined where the lower limit is above the upper (§4.17.8)
        xs = [x[keep] for x in xs]
    row = BUILTINS[name]
    with np.errstate(all="ignore"):
        expected = np.array([row.host(*(x[k] for x in xs)) for k in range(len(xs[0]))])
    found = call(queue, name, xs, np.zeros(len(xs[0]), bool if row.rule == "float_test" else dtype))
    wrong = [(*(float(x[k]) for x in xs), float(e), float(f))
             for k, (e, f) in enumerate(zip(expected, found))
             if not (np.isnan(e) and np.isnan(f)) and not (
                 e == f and (np.signbit(float(e)) == np.signbit(float(f))
                             or name in ("fmin", "fmax", "fract", "min", "max")))]
    assert wrong == []


@pytest.mark.row("D-28", "D-19")
@pytest.mark.parametrize("dtype", FLOATS[:2])
@pytest.mark.parametrize("name", sorted(LOOSE))
def test_loosely_defined_functions_are_close(queue, name, dtype):
    rng = np.random.default_rng(3)
    xs = [rng.uniform(0, 1, 200).astype(dtype) for _ in range(3)]
    if name == "smoothstep":
        xs[1] = xs[0] + np.asarray(0.5, dtype)
    with np.errstate(all="ignore"):
        expected = BUILTINS[name].host(*xs)
    found = call(queue, name, xs, np.zeros(200, dtype))
    limit = LOOSE[name] or 4 * np.finfo(dtype).eps
    assert np.abs(expected - found).max() <= limit


@pytest.mark.row("D-27")
@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("name", [n for n, r in BUILTINS.items() if r.rule in ("int", "any")
                                  and hasattr(sycl, n)])
def test_integer_functions_are_exact(queue, name, dtype):
    row = BUILTINS[name]
    if dtype in ("int8", "uint8") and row.arity < 3:
        info = np.iinfo(dtype)
        values = np.arange(info.min, info.max + 1).astype(dtype)[::1 if row.arity == 1 else 5]
    else:
        values = edges(dtype)[:: 1 if row.arity < 3 else 2]
    xs = [m.ravel() for m in np.meshgrid(*[values] * row.arity)]
    if name == "clamp":
        keep = xs[1] <= xs[2]
        xs = [x[keep] for x in xs]
    with np.errstate(all="ignore"):
        expected = [int(row.host(*(x[k] for x in xs))) for k in range(len(xs[0]))]
    assert expected == call(queue, name, xs, np.zeros(len(xs[0]), dtype)).tolist()


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


@pytest.mark.row("D-20")
def test_large_arguments_of_trigonometry_are_reduced(queue):
    x = np.array([1e5, 12345.678, 3e6, -7.5e4], np.float32)
    for name in ("sin", "cos", "tan"):
        found = call(queue, name, [x], np.zeros(4, np.float32))
        wide = getattr(np, name)(x.astype(np.float64))
        assert ulps(wide, found).max() <= ULP[name]


@pytest.mark.row("D-19", "D-23")
@pytest.mark.parametrize("dtype", FLOATS[:2])
def test_poles_and_domains(queue, dtype):
    inf, nan = math.inf, math.nan
    cases = {"sqrt": [(-1, nan), (inf, inf), (-0.0, -0.0)],
             "log": [(0, -inf), (-1, nan), (inf, inf)],
             "exp": [(-inf, 0), (inf, inf), (nan, nan), (1000, inf), (-1000, 0)],
             "acos": [(2, nan), (1, 0)], "atanh": [(1, inf), (-1, -inf)], "tanh": [(inf, 1)],
             "atan": [(inf, math.pi / 2), (-0.0, -0.0)], "cbrt": [(-8, -2), (-0.0, -0.0)],
             "erf": [(inf, 1), (-inf, -1)], "erfc": [(-inf, 2), (inf, 0)],
             "log1p": [(-1, -inf)], "sin": [(inf, nan)], "rsqrt": [(0, inf), (inf, 0)],
             "sinh": [(1000, inf), (-1000, -inf)], "cosh": [(-1000, inf)], "expm1": [(-inf, -1)],
             "log2": [(8, 3), (0, -inf)], "log10": [(1000, 3)], "exp2": [(10, 1024), (-inf, 0)]}
    wrong = []
    for name, rows in cases.items():
        x = np.array([a for a, _ in rows], dtype)
        found = call(queue, name, [x], np.zeros(len(x), dtype))
        for (a, e), f in zip(rows, found):
            if not ((math.isnan(e) and np.isnan(f)) or np.isclose(f, e, rtol=1e-6, atol=0)):
                wrong.append((name, a, e, float(f)))
    assert wrong == []
