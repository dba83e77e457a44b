"""Operators over all pairs of dtypes, and the values that show their edges."""

from __future__ import annotations

import operator
import textwrap
import types

import numpy as np

from tests.executed import execute

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64")
BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
    "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}


def edges(name: str) -> np.ndarray:
    """Return the values of a dtype at which operators change their minds."""
    kind = np.dtype(name)
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind == "f":
        big = np.finfo(kind)
        return np.array([0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.3, 7.0, -7.0, 100.0, np.inf, -np.inf,
                         np.nan, big.max, big.tiny, big.smallest_subnormal], kind)
    info = np.iinfo(kind)
    small = [0, 1, 2, 3, 7, 8, 31, 63, 64, 100, info.max, info.max - 1]
    return np.array(small + ([-1, -2, -3, -7, -8, -100, info.min, info.min + 1]
                             if kind.kind == "i" else []), kind)


def pairs(left: str, right: str) -> tuple[np.ndarray, np.ndarray]:
    """Return every pair of edges as two arrays."""
    a, b = np.meshgrid(edges(left), edges(right))
    return a.ravel(), b.ravel()


def apply(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """Return NumPy's answer; None where NumPy has none."""
    with np.errstate(all="ignore"):
        try:
            return np.asarray(getattr(operator, name)(a, b))
        except TypeError:
            return None


def make(source: str, **names: object) -> types.FunctionType:
    """Define the function ``kernel`` of a text, with captured values as its closure."""
    text = f"def outer({', '.join(names)}):\n" + textwrap.indent(textwrap.dedent(source), "    ")
    space: dict[str, object] = {"np": np}
    execute(text + "\n    return kernel\n", space, "<language test>")
    made = space["outer"](**names)
    assert isinstance(made, types.FunctionType)
    return made


def same(expected: np.ndarray, found: np.ndarray) -> bool:
    """Say whether arrays agree bit for bit, but for the bits of NaNs."""
    if expected.dtype.kind != "f":
        return bool(np.array_equal(expected, found))
    both = np.isnan(expected) & np.isnan(found)
    bits = {2: np.uint16, 4: np.uint32, 8: np.uint64}[expected.dtype.itemsize]
    return bool(np.all((expected.view(bits) == found.view(bits)) | both))


def ulps(expected: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Return how many steps of its type each found value is from the expected one."""
    if found.dtype.kind != "f":
        return np.abs(expected.astype(np.longdouble) - found.astype(np.longdouble))
    kind = found.dtype
    with np.errstate(all="ignore"):
        wide = expected.astype(np.longdouble)
        step = np.spacing(np.abs(expected.astype(kind)))
        step = np.where(np.isfinite(step), step, 1).astype(np.longdouble)
        step = np.maximum(step, np.finfo(kind).smallest_subnormal)
        distance = np.abs(found.astype(np.longdouble) - wide) / step
    same_kind = (np.isnan(expected) & np.isnan(found)) | (expected.astype(kind) == found)
    return np.where(same_kind, 0, np.where(np.isnan(distance), np.inf, distance))
