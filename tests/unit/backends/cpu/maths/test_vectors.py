"""Vector mathematics in sub-groups of every size, for machines of every vector size."""

from __future__ import annotations

import numpy as np
import pytest

from bench import functions
from unisycl.backends.cpu.compile.target import machine
from unisycl.base.dtypes import DTYPES
from unisycl.ir.builtins import BUILTINS

SIZES = [bits for bits in (128, 256, 512) if bits <= machine().vector_bits]
# One function for each thing that sheets can do: exponents, tables, branches, loops, calls.
NAMES = {"exp": np.exp, "erf": None, "sin": np.sin, "fmod": np.fmod, "pow": np.power,
         "rsqrt": lambda x: 1 / np.sqrt(x), "logb": lambda x: np.floor(np.log2(x)),
         "ldexp": np.ldexp}
SHAPES = [(lanes, widest) for lanes, widest in (
    (1, 512), (2, 512), (4, 512), (8, 512), (16, 512), (64, 512), (4, 256), (16, 256), (8, 128))
    if widest in SIZES]


def run(monkeypatch, name: str, type: str, lanes: int, widest: int, xs: list) -> np.ndarray:
    monkeypatch.setattr(functions, "REPEATS", 1)
    module = functions.loop(name, DTYPES[type], lanes, widest, library=False)
    out = np.zeros(functions.COUNT, type)
    functions.compiled(module, len(xs))(*xs, out)
    return out


@pytest.mark.parametrize(("lanes", "widest"), SHAPES)
@pytest.mark.parametrize("type", ["float32", "float64"])
@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_lanes_gives_the_same(monkeypatch, name, type, lanes, widest):
    random = np.random.default_rng(7)
    xs = [random.integers(-9, 9, functions.COUNT).astype(np.int32) if x == "k"
          else random.uniform(0.5, 9, functions.COUNT).astype(type)
          for x in BUILTINS[name].operands]
    found = run(monkeypatch, name, type, lanes, widest, xs)
    if NAMES[name] is None:
        special = pytest.importorskip("scipy.special")
        expected = special.erf(xs[0])
    else:
        expected = NAMES[name](*xs)
    np.testing.assert_allclose(found, expected, rtol=64 * np.finfo(type).eps)


@pytest.mark.parametrize("widest", SIZES)
def test_one_lane_in_many_takes_the_rare_way(monkeypatch, widest):
    x = np.full(functions.COUNT, 0.5, np.float32)
    x[5::97] = 3e7
    found = run(monkeypatch, "cos", "float32", 16, widest, [x])
    np.testing.assert_allclose(found, np.cos(x.astype(np.float64)), rtol=1e-6)


def test_a_long_function_is_written_once():
    module = functions.loop("pow", DTYPES["float32"], 16, 512, library=False)
    assert 1 == module.text().count("define internal fastcc")
