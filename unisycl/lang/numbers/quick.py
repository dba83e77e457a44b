"""Short ways for values of a type of vectors, for the operands that most kernels have.

Short vectors of floats get functions of Python's numbers (``written``) when a kernel first uses
their type, others a short way through NumPy. Non-goals: what operators mean (``elements``).
Invariant: results have the bits of the long ways, NaN's apart.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.lang.index.environment import here
from unisycl.lang.numbers import written
from unisycl.lang.numbers.elements import (
    ARITHMETIC,
    COMPARISONS,
    Elements,
    Operation,
    Operators,
    allows,
    elements_type,
)
from unisycl.lang.numbers.geometric import LONG
from unisycl.lang.numbers.written import EXACT, WRITTEN, make


def hasten(own: elements_type) -> None:
    """Give the values of a type the operators that it has, in their quick form."""
    for name, (symbol, fn) in ARITHMETIC.items():
        if allows(symbol, own.element):
            setattr(own.value, f"__{name}__", _quick(own, f"__{name}__", fn))
            setattr(own.value, f"__r{name}__", _quick(own, f"__r{name}__", fn, swap=True))
    for name, (_, fn) in COMPARISONS.items():
        setattr(own.value, f"__{name}__", _quick(own, f"__{name}__", fn, test=True))
    if own.element.kind in "biuf":
        own.value.__getitem__ = _by_index(own)
    if written.suits(own.element, own.count):
        own.quicken = lambda: _write(own)


def element_at(own: elements_type, place: int) -> property:
    """Return a property that is one element of the values of a type."""
    if own.element.kind not in "biuf":
        return property(lambda self: self._look()[place])
    element, offset = own.element, place * own.element.itemsize
    take = struct.Struct(f"{element.itemsize}s").unpack_from
    return property(lambda self: make(element, take(self, offset)[0]))


def _write(own: elements_type) -> None:
    """Give a type functions that are written out for its number of elements."""
    own.quicken = None
    value = own.value
    slow = {name: getattr(Operators, name) for name in dir(Operators)}
    for name, made in written.functions(own, slow | LONG).items():
        if name == "build":
            own.build = made
        elif name in WRITTEN:
            WRITTEN[name][value] = made
        else:
            setattr(value, name, made)


def _by_index(own: elements_type) -> Callable[[Any, Any], Any]:
    """Return ``v[k]`` of the values of a type."""
    slow, element, count = Elements.__getitem__, own.element, own.count
    size, take = element.itemsize, struct.Struct(f"{element.itemsize}s").unpack_from

    def read(self: Any, index: Any) -> Any:
        if type(index) is int and 0 <= index < count:
            return make(element, take(self, index * size)[0])
        return slow(self, index)
    return read


def _near(other: Any, element: np.dtype[Any]) -> Any:
    """Return a Python number that plainly suits elements of a type, converted; None of others."""
    kind = other.__class__
    if element.kind == "f" and (kind is float or (
            kind is int and element.itemsize > 2 and -EXACT <= other <= EXACT)):
        return element.type(other)
    return None


def _quick(own: elements_type, name: str, fn: Operation, *, swap: bool = False,
           test: bool = False) -> Callable[[Any, Any], Any]:
    """Return an operator of values of a type, with a short way for the operands of most kernels."""
    slow, view = getattr(Operators, name), np.frombuffer
    value, element, count, dtype = own.value, own.element, own.count, own.dtype
    scalar, of, full = element.type, own._test if test else own._of, count == own.room and not test
    padded = count != own.room and fn in (np.add, np.subtract, np.multiply)
    if padded:  # what pads a value takes part, for no number makes these fail, and is zero again
        count, full = own.room, True

    def operate(self: Any, other: Any) -> Any:
        if not here.inside:  # there NumPy's warnings are on
            return slow(self, other)
        if own.quicken is not None:
            own.quicken()
            return getattr(self, name)(other)
        kind = other.__class__
        if kind is value:
            theirs: Any = view(other, element, count)
        else:
            theirs = other if kind is scalar else _near(other, element)
            if theirs is None:
                return slow(self, other)
        mine = view(self, element, count)
        lanes = fn(theirs, mine) if swap else fn(mine, theirs)
        if padded:
            lanes[own.count:] = 0
        return view(bytearray(lanes.tobytes()), dtype)[0] if full else of(lanes)
    return operate
