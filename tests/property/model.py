"""What a program should do, by Python and NumPy alone: no device, no compiler, no rewriting.

Work-items run one after another, so only programs without barriers and group functions have a
model. Non-goals: vectors, whose elements are no plain NumPy values. Invariant: nothing of
``unisycl`` but scalar functions and the classes of structs takes part.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import unisycl as sycl

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "plus": np.add, "multiplies": np.multiply, "minimum": np.minimum, "maximum": np.maximum,
    "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}


def possible(case: Any, text: str) -> bool:
    """Say whether a program has a model."""
    return case.kind in ("range", "single") and not any(
        word in text for word in ("oo_", "sycl.vec(", "sycl.marray(", "g_image",
                                  " hmove_", " hread_", " hadd_"))


class Index(int):
    """An item of a range; its integer counts in one dimension only."""

    at: tuple[int, ...]
    linear: int

    def __new__(cls, case: Any, at: tuple[int, ...]) -> Index:
        self = super().__new__(cls, at[0])
        self.at = at
        offset = case.offset or (0,) * len(at)
        self.linear = int(np.ravel_multi_index(
            [a - o for a, o in zip(at, offset, strict=True)], case.span))
        return self

    def get_id(self, dim: int) -> int:
        return self.at[dim]

    def get_linear_id(self) -> int:
        return self.linear

    def __getitem__(self, dim: int) -> int:
        return self.at[dim]


class Atomic:
    """A reference to an element, or part of one, that nobody else is looking at."""

    def __init__(self, memory: Any, index: Any, *_: Any) -> None:
        *path, self.index = index if isinstance(index, tuple) else (index,)
        for step in path:
            memory = memory[step]
        self.memory = memory

    def load(self) -> Any:
        return self.memory[self.index]

    def compare_exchange_strong(self, expected: Any, desired: Any) -> tuple[bool, Any]:
        old = self.memory[self.index]
        if old == expected:
            self.memory[self.index] = desired
        return old == expected, old

    compare_exchange_weak = compare_exchange_strong

    def _update(self, fn: Callable[[Any, Any], Any], value: Any) -> Any:
        old = self.memory[self.index]
        self.memory[self.index] = fn(old, type(old)(value))
        return old

    def __getattr__(self, name: str) -> Callable[[Any], Any]:
        fn = {"add": np.add, "sub": np.subtract, "and": np.bitwise_and, "or": np.bitwise_or,
              "xor": np.bitwise_xor, "min": np.minimum, "max": np.maximum}[name[6:]]
        return lambda value: self._update(fn, value)

    def _augmented(self, fn: Callable[[Any, Any], Any], value: Any) -> Atomic:
        self._update(fn, value)
        return self

    def __iadd__(self, value: Any) -> Atomic:
        return self._augmented(np.add, value)

    def __ixor__(self, value: Any) -> Atomic:
        return self._augmented(np.bitwise_xor, value)

    def __ior__(self, value: Any) -> Atomic:
        return self._augmented(np.bitwise_or, value)


class Reducer:
    """A reduction variable."""

    def __init__(self, target: np.ndarray[Any, Any], fn: Callable[[Any, Any], Any]) -> None:
        self.target, self.fn = target, fn

    def combine(self, value: Any) -> None:
        kind = self.target.dtype.type
        self.target[0] = self.fn(self.target[0], kind(value))

    def __iadd__(self, value: Any) -> Reducer:
        self.combine(value)
        return self


def run(case: Any, names: dict[str, Any], given: dict[str, Any],
        reductions: list[tuple[np.ndarray[Any, Any], str]]) -> None:
    """Run a program on memory made for it."""
    facade = SimpleNamespace(**{k: getattr(sycl, k) for k in dir(sycl) if hasattr(sycl, k)})
    facade.private_array = lambda kind, shape: np.zeros(
        shape, kind if issubclass(kind, np.generic) else kind.dtype)
    facade.atomic_ref = Atomic
    kernel = names["kernel"]
    kernel.__globals__["sycl"] = facade
    kernel.__globals__["copy"] = SimpleNamespace(copy=lambda element: element.copy())
    handler = SimpleNamespace(get_specialization_constant=lambda name: name)
    for k, value in enumerate(case.constants):
        kernel.__globals__[f"K{k}"] = np.int32(value)
    reducers = [Reducer(target, OPERATORS.get(op) or names[op]) for target, op in reductions]
    args = [*given.values(), *([handler] if case.constants else [])]
    offset = case.offset or (0,) * len(case.span)
    with np.errstate(all="ignore"):
        for _ in range(case.launches):
            if case.kind == "single":
                kernel(*args)
                continue
            for at in itertools.product(*(range(o, o + n) for o, n in zip(
                    offset, case.span, strict=True))):
                kernel(Index(case, at), *reducers, *args)
