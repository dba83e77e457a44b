"""Python's ``math`` and ``cmath`` without exceptions, for the host device's unchecked kernels.

A domain error gives NaN, a pole or an overflow infinity, as on every other device. Non-goals:
kernels that are debugged, where Python itself raises. Invariant: where Python gives a result, it
is that one.
"""

from __future__ import annotations

import cmath
import functools
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from unisycl.ir.builtins import BY_MATH, Builtin
from unisycl.lang.library import whole_numbers

_LEAST = -(1 << 63)  # what a device makes of a float that no integer is


def _of_row(row: Builtin, *args: Any) -> Any:
    kinds = [np.int32 if letter == "k" else np.float64 for letter in row.operands]
    with np.errstate(all="ignore"):
        found = row.host(*(kind(x) for kind, x in zip(kinds, args, strict=True)))
    return found.item()


def _log(x: Any, base: Any = math.e) -> float:
    with np.errstate(all="ignore"):
        found = np.log(np.float64(x))
        return float(found if base is math.e else found / np.log(np.float64(base)))


def _none(*args: Any) -> int:
    return _LEAST


_OTHERS: dict[str, Callable[..., Any]] = {
    "log": _log, "floor": _none, "ceil": _none, "trunc": _none, "factorial": lambda n: 1,
    "isqrt": lambda n: 0, "comb": lambda n, k: 0, "perm": lambda n, k=None: 0 if k else 1,
    "isclose": whole_numbers.isclose,
}


def _quiet(function: Callable[..., Any], otherwise: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except (ValueError, OverflowError, ZeroDivisionError):
            return otherwise(*args, **named)
    return called


def _of_complex(name: str, z: Any, base: Any = None) -> complex:
    with np.errstate(all="ignore"):
        found = getattr(np, name)(np.complex128(z))
        return complex(found if base is None else found / np.log(np.complex128(base)))


_COMPLEX = ("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh")


class _Module:
    """Stands for a module, some of whose functions are others."""

    def __init__(self, module: ModuleType, others: dict[str, Callable[..., Any]]) -> None:
        self._module = module
        self._others = {name: _quiet(getattr(module, name), otherwise)
                        for name, otherwise in others.items() if hasattr(module, name)}
        FUNCTIONS.update((getattr(module, name), fn) for name, fn in self._others.items())

    def __getattr__(self, name: str) -> Any:
        found = self._others.get(name)
        return getattr(self._module, name) if found is None else found


FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""What stands for each function that may raise."""
MODULES: dict[Any, Any] = {
    math: _Module(math, {**{name: functools.partial(_of_row, row)
                            for name, row in BY_MATH.items()}, **_OTHERS}),
    cmath: _Module(cmath, {name: functools.partial(_of_complex, name) for name in _COMPLEX}),
}
"""What stands for each module."""
