"""Every row of the table of builtins as a callable, by its name (SYCL 2020 §4.17.5 to §4.17.9).

Non-goals: meanings; a row's ``host`` has them. Invariants: one callable per row; a function
of integers that got Python ints only gives a Python int, so it stays weak (NEP 50).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.ir.builtins import BUILTINS, Builtin
from unisycl.lang.convert import convert
from unisycl.lang.range_item import item

_NUMBERS = (bool, int, float, np.generic)


class builtin_function:
    """A mathematical function of the kernel language; also callable on the host.

    Operands are promoted as NumPy promotes them; integers become float64 where the function is one
    of floating-point numbers.
    """

    def __init__(self, row: Builtin) -> None:
        self.row = row
        self.__name__ = row.name
        self.__doc__ = f"{row.doc} (SYCL 2020 §{row.section})"

    def __call__(self, *operands: Any) -> Any:
        """Compute the function of numbers."""
        row = self.row
        if len(operands) != row.arity:
            raise UsageError(errc.invalid, f"{row.name} takes {row.arity} operand(s), got "
                             f"{len(operands)}")
        numbers = [x if isinstance(x, _NUMBERS) else _number(row.name, x) for x in operands]
        kind = _operand_type(row, numbers)
        with np.errstate(all="ignore"):
            result = row.host(*(convert(x, kind) for x in numbers))
        if row.rule == "float_int":
            return np.int32(result)
        if row.rule.startswith("float") or any(isinstance(x, np.generic) for x in numbers):
            return result
        return result.item() if isinstance(result, np.generic) else result

    def __reduce__(self) -> tuple[Any, ...]:
        return (_function, (self.row.name,))

    def __repr__(self) -> str:
        return f"unisycl.{self.__name__}"


def _number(name: str, x: Any) -> Any:
    if isinstance(x, item) or hasattr(x, "__index__"):
        return x.__index__()
    raise UsageError(errc.invalid, f"{name} takes numbers, not {type(x).__name__}")


def _operand_type(row: Builtin, numbers: list[Any]) -> np.dtype[Any]:
    """Return the one type all operands get, by the row's rule; Python numbers are weak."""
    kind = np.result_type(*numbers)
    if kind.kind == "f":
        if row.rule == "int":
            raise UsageError(errc.invalid, f"{row.name} takes integers, not {kind}")
        return kind
    if row.rule.startswith("float"):
        return np.dtype(np.float64)
    if kind.kind == "b" and row.rule == "int":
        raise UsageError(errc.invalid, f"{row.name} takes integers, not bool")
    return kind


def _function(name: str) -> builtin_function:
    return FUNCTIONS[name]


FUNCTIONS: dict[str, builtin_function] = {
    name: builtin_function(row) for name, row in BUILTINS.items()}


def __getattr__(name: str) -> builtin_function:
    try:
        return FUNCTIONS[name]
    except KeyError:
        raise AttributeError(f"unisycl has no builtin '{name}'") from None


def __dir__() -> list[str]:
    return sorted([*FUNCTIONS, "FUNCTIONS", "builtin_function"])
