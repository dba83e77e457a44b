"""Short vectors of float32 and float64 by Python's own numbers, as the host device computes them.

``struct`` takes a value apart and puts one together in a third of the time that NumPy takes for
arrays of so few. Functions are written out for a number of elements when a kernel first needs
them. float32 is computed in float64 and rounded after each operation, which is float32's own result
of ``+ - * /`` and square roots: 53 bits are more than twice 24, and 2. Non-goals: integers, short
floats, more than 8 elements (``quick``). Invariant: what Python raises where NumPy gives an
infinity or NaN goes the slow way, as do operands that are not of one plain type.
"""

from __future__ import annotations

import functools
import math
import struct
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np

MOST = 8
EXACT = 1 << 24
AT_ONCE = 32
_FORMATS = {np.dtype(np.float32): "f", np.dtype(np.float64): "d"}
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/"}

make: Any = np.float32(0).__reduce__()[0]
"""NumPy's ``scalar(dtype, bytes)``, by which its numbers are unpickled: the quickest way to one.

Not to a value of several elements, which could not be changed: that is a view of a ``bytearray``
(``places``).
"""

Place = tuple[Any, bytearray, int]
"""A value that nobody has yet, the memory that it is a view of, and where in that it lies."""

WRITTEN: dict[str, dict[Any, Callable[..., Any]]] = {
    "dot": {}, "length": {}, "normalize": {}, "cross": {}}
"""Functions of vectors, by the class of the values, once kernels have used their types."""


def suits(element: np.dtype[Any], count: int) -> bool:
    """Say whether there are functions for vectors of a type."""
    return element in _FORMATS and 2 <= count <= MOST


def places(dtype: np.dtype[Any]) -> tuple[Callable[[], Place], Callable[[], Place]]:
    """Return what gives a new value of a type, and what does so where that raises IndexError.

    Making many at once takes half of what one by one would. No place is given twice; threads may
    ask at the same time, as a list gives each of them another one.
    """
    free: list[Place] = []
    size = dtype.itemsize

    def more() -> Place:
        memory = bytearray(AT_ONCE * size)
        values, offsets = np.frombuffer(memory, dtype), range(0, AT_ONCE * size, size)
        first, *others = zip(values, [memory] * AT_ONCE, offsets, strict=True)
        free.extend(others)
        return first
    return free.pop, more


def copying(dtype: np.dtype[Any]) -> Callable[..., Any]:
    """Return a function that copies a value of a type, perhaps one at an offset in a record."""
    whole = struct.Struct(f"{dtype.itemsize}s")
    pop, more = places(dtype)
    take, put = whole.unpack_from, whole.pack_into

    def copied(found: Any, offset: int = 0) -> Any:
        try:
            x, memory, at = pop()
        except IndexError:
            x, memory, at = more()
        put(memory, at, *take(found, offset))
        return x
    return copied


def functions(own: Any, slow: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return the functions for values of a type, by name.

    Args:
        own: the type: ``value``, ``element``, ``dtype``, ``count`` and ``room`` are asked.
        slow: what they call where they have no short way; of the same names.
    """
    form, count, element = _FORMATS[own.element], own.count, own.element
    whole = struct.Struct(f"{count}{form}{(own.room - count) * element.itemsize}x")
    pop, more = places(own.dtype)
    products, one = struct.Struct(f"{2 * count}{form}"), struct.Struct(form)
    space: dict[str, Any] = {
        "value": own.value, "number": element.type, "element": element,
        "make": make, "pop": pop, "more": more, "take": whole.unpack_from,
        "pack": whole.pack, "pack_into": whole.pack_into, "unpack": whole.unpack,
        "pack_many": products.pack, "unpack_many": products.unpack,
        "pack_one": one.pack, "unpack_one": one.unpack, "slow": slow, "EXACT": EXACT,
        "root": math.sqrt, "infinity": math.inf, "isnan": math.isnan,
        "near": _near,
    }
    exec(_code(count, form == "f"), space)  # noqa: S102 - made of our own words below
    return {name: space[name] for name in _names(count)}


def _near(number: Any) -> float | None:
    """Return an integer of Python as an element; None of others, and of what may not fit."""
    return float(number) if type(number) is int and -EXACT <= number <= EXACT else None


def _names(count: int) -> tuple[str, ...]:
    both = (f"__{side}{name}__" for name in _OPERATORS for side in ("", "r"))
    return (*both, "__neg__", "build", "dot", "length", "normalize",
            *(["cross"] if count in (3, 4) else []))


@functools.cache
def _code(count: int, rounds: bool) -> CodeType:
    """Return the code of all functions for a number of elements."""
    a, b = ([f"{x}{k}" for k in range(count)] for x in "ab")
    parts = [_operator(f"__{name}__", symbol, a, b) for name, symbol in _OPERATORS.items()]
    parts += [_operator(f"__r{name}__", symbol, a, b, swap=True)
              for name, symbol in _OPERATORS.items()]
    parts += [_negation(a), _constructor(a), _dot(a, b, rounds), _length(a), _normalize(a)]
    if count in (3, 4):
        parts.append(_cross(a, b, rounds))
    return compile("\n".join(parts), "<vectors>", "exec")


def _made(terms: list[str], depth: int) -> str:
    """Return lines that return a new value with these elements."""
    return ("\n" + depth * "    ").join([
        "try:", "    x, memory, at = pop()", "except IndexError:", "    x, memory, at = more()",
        f"pack_into(memory, at, {', '.join(terms)})", "return x"])


def _operator(name: str, symbol: str, a: list[str], b: list[str], *, swap: bool = False) -> str:
    def of(x: str, y: str) -> str:
        return f"{y} {symbol} {x}" if swap else f"{x} {symbol} {y}"
    return f"""
def {name}(a, b):
    try:
        if type(b) is value:
            {', '.join(a)} = take(a)
            {', '.join(b)} = take(b)
            {_made([of(x, y) for x, y in zip(a, b, strict=True)], 3)}
        c = float(b) if type(b) is number else unpack_one(pack_one(b))[0] \\
            if type(b) is float and -EXACT <= b <= EXACT else near(b)
        if c is not None:
            {', '.join(a)} = take(a)
            {_made([of(x, 'c') for x in a], 3)}
    except (OverflowError, ZeroDivisionError):
        pass
    return slow["{name}"](a, b)
"""


def _negation(a: list[str]) -> str:
    return f"""
def __neg__(a):
    {', '.join(a)} = take(a)
    {_made([f'-{x}' for x in a], 1)}
"""


def _constructor(a: list[str]) -> str:
    kinds = [f"k{k}" for k in range(len(a))]
    tests = [f"({k} is number or {k} is float or {k} is int and -EXACT <= {x} <= EXACT)"
             for k, x in zip(kinds, a, strict=True)]
    return f"""
def build(parts):
    if len(parts) != {len(a)}:
        return None
    {', '.join(a)} = parts
    {', '.join(kinds)} = {', '.join(f'{x}.__class__' for x in a)}
    if {' and '.join(tests)}:
        try:
            {_made(a, 3)}
        except OverflowError:
            pass
    return None
"""


def _dot(a: list[str], b: list[str], rounds: bool) -> str:
    terms = [f"{x} * {y}" for x, y in zip(a, b, strict=True)]
    between = "\n        ".join(
        f"total, = unpack_one(pack_one(total + {x}))" if rounds else f"total += {x}"
        for x in a[1:-1]) or "pass"
    products = f"unpack(pack({', '.join(terms)}))" if rounds else ", ".join(terms)
    return f"""
def dot(a, b):
    try:
        {', '.join(a)} = take(a)
        {', '.join(b)} = take(b)
        {', '.join(a)} = {products}
        total = {a[0]}
        {between}
        return make(element, pack_one(total + {a[-1]}))
    except OverflowError:
        return slow["dot"](a, b)
"""


def _norm(a: list[str], otherwise: str) -> str:
    """Return lines that leave the length of float64 elements in ``norm``: those of ``_norm``."""
    parts = ", ".join(f"{x} / longest" for x in a)
    squares = " + ".join(f"p{k} * p{k}" for k in range(len(a)))
    return f"""
    {', '.join(a)} = take(a)
    longest = max({', '.join(f'abs({x})' for x in a)})
    if not 0 < longest < infinity:
        return {otherwise}
    {', '.join(f'p{k}' for k in range(len(a)))} = {parts}
    norm = longest * root({squares})
    if isnan(norm):  # max may have passed over it
        return {otherwise}"""


def _length(a: list[str]) -> str:
    otherwise = 'slow["length"](a)'
    return f"""
def length(a):{_norm(a, otherwise)}
    try:
        return make(element, pack_one(norm))
    except OverflowError:
        return {otherwise}
"""


def _normalize(a: list[str]) -> str:
    return f"""
def normalize(a):{_norm(a, 'slow["normalize"](a)')}
    {_made([f'{x} / norm' for x in a], 1)}
"""


def _cross(a: list[str], b: list[str], rounds: bool) -> str:
    pairs = [(1, 2), (2, 1), (2, 0), (0, 2), (0, 1), (1, 0)]
    terms = [f"{a[j]} * {b[k]}" for j, k in pairs]
    filler = ["0.0"] * (2 * len(a) - len(terms))
    products = f"unpack_many(pack_many({', '.join([*terms, *filler])}))" if rounds else \
        ", ".join([*terms, *filler])
    results = ["p0 - p1", "p2 - p3", "p4 - p5", *["0.0"] * (len(a) - 3)]
    return f"""
def cross(a, b):
    try:
        {', '.join(a)} = take(a)
        {', '.join(b)} = take(b)
        {', '.join(f'p{k}' for k in range(2 * len(a)))} = {products}
        {_made(results, 2)}
    except OverflowError:
        return slow["cross"](a, b)
"""
