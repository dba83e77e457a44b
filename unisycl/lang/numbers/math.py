"""Every row of the table of builtins as a callable, by its name (SYCL 2020 §4.17.5 to §4.17.9).

Non-goals: meanings; a row's ``host`` has them. Invariants: one callable per row; a function
of integers that got Python ints only gives a Python int, so it stays weak (NEP 50).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.ir.builtins import BUILTINS, Builtin
from unisycl.lang.index.environment import here
from unisycl.lang.index.item import item
from unisycl.lang.numbers import short_floats
from unisycl.lang.numbers.convert import convert
from unisycl.lang.numbers.elements import Operators, elementwise, silent
from unisycl.lang.numbers.geometric import OF_VECTORS, QUICK
from unisycl.lang.numbers.written import WRITTEN

_NONE: Any = object()
_NUMBERS = (bool, int, float, np.generic)


class builtin_function:
    """A mathematical function of the kernel language; also callable on the host.

    Operands are promoted as NumPy promotes them; integers become float64 where the function is one
    of floating-point numbers. ``quick`` does the same as a call, as a function of Python's, which
    takes less time to be called.
    """

    def __init__(self, row: Builtin) -> None:
        self.row = row
        self._arity = row.arity
        self._plans: dict[Any, Callable[..., Any]] = {}
        self.quick = _caller(self._plans, self._slow)
        self.__name__ = row.name
        self.__doc__ = f"{row.doc} (SYCL 2020 §{row.section})"

    def __call__(self, *operands: Any) -> Any:
        """Compute the function of numbers; of one with several results, a tuple."""
        return self.quick(*operands)

    def _slow(self, operands: tuple[Any, ...]) -> Any:
        """Compute the function of operands whose types have not been seen before."""
        given, row = len(operands), self.row
        key: Any = type(operands[0]) if given == 1 else tuple(map(type, operands))
        if given != self._arity:
            raise UsageError(errc.invalid, f"{row.name} takes {row.arity} operand(s), got "
                             f"{given}")
        if any(isinstance(x, Operators) for x in operands):
            return self._of_vectors(key, operands)
        numbers = [x if isinstance(x, _NUMBERS) else _number(row.name, x) for x in operands]
        kinds = _operand_types(row, numbers)
        narrow = next((k for k in kinds if short_floats.is_short(k)), None)
        if narrow is not None:
            kinds = short_floats.widened(kinds)
        with np.errstate(all="ignore"):
            found = row.host(*(convert(x, k) for x, k in zip(numbers, kinds, strict=True)))
            found = found if narrow is None else short_floats.narrowed(found, narrow)
        weak = not any(isinstance(x, np.generic) for x in _sharing(row, numbers))
        if narrow is None and not weak and not row.parts and all(
                isinstance(x, np.generic) for x in operands):
            self._plans[key] = _plan(row.host, tuple(kinds), tuple(map(type, operands)))
        if row.parts:
            return tuple(_finished(letter, x, weak)
                         for letter, x in zip(row.results, found, strict=True))
        return _finished(row.results, found, weak)

    def _of_vectors(self, key: Any, operands: tuple[Any, ...]) -> Any:
        """Compute the function of vectors, and note what does so of operands of these types."""
        name = self.row.name
        whole = OF_VECTORS.get(name)
        if whole is None:
            return elementwise(self, name, operands)
        own = getattr(operands[0], "_type", None)
        if own is not None and own.quicken is not None:
            if not here.inside:
                return whole(*operands)
            own.quicken()
        alike = len({*map(type, operands)}) == 1
        quick = WRITTEN[QUICK[name]].get(type(operands[0])) if alike and name in QUICK else None
        self._plans[key] = found = quick or whole
        return found(*operands)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_function, (self.row.name,))

    def __repr__(self) -> str:
        return f"unisycl.{self.__name__}"


def _caller(plans: dict[Any, Callable[..., Any]],
            slow: Callable[[tuple[Any, ...]], Any]) -> Callable[..., Any]:
    """Return a function of operands by the plans that there are for their types."""
    def call(a: Any = _NONE, b: Any = _NONE, /, *more: Any) -> Any:
        kind = a.__class__
        if b is _NONE:
            plan = plans.get(kind)
            return plan(a) if plan is not None else slow(() if a is _NONE else (a,))
        if not more:
            plan = plans.get((kind, b.__class__))
            return plan(a, b) if plan is not None else slow((a, b))
        plan = plans.get((kind, b.__class__, *map(type, more)))
        return plan(a, b, *more) if plan is not None else slow((a, b, *more))
    return call


def _plan(host: Callable[..., Any], kinds: tuple[np.dtype[Any], ...],
          given: tuple[type, ...]) -> Callable[..., Any]:
    """Return a function for NumPy's numbers of types that have been seen before."""
    # In a kernel NumPy warns of nothing, and need not be told for each call.
    def one(x: Any) -> Any:
        return host(x) if here.inside else silent(host, x)

    def several(*numbers: Any) -> Any:
        return host(*numbers) if here.inside else silent(host, *numbers)
    same = one if len(kinds) == 1 else several

    def converted(*numbers: Any) -> Any:
        return same(*map(convert, numbers, kinds))
    return same if given == tuple(kind.type for kind in kinds) else converted


def _number(name: str, x: Any) -> Any:
    if isinstance(x, item) or hasattr(x, "__index__"):
        return x.__index__()
    raise UsageError(errc.invalid, f"{name} takes numbers, not {type(x).__name__}")


def _finished(letter: str, result: Any, weak: bool) -> Any:
    """Return a result: integers of Python ints only are ints again."""
    if weak and letter in "inv" and isinstance(result, np.generic):
        return result.item()
    return result


def _operand_types(row: Builtin, numbers: list[Any]) -> list[np.dtype[Any]]:
    """Return the type each operand gets, by the signature; Python numbers are weak."""
    letters = row.operands
    letter = next((x for x in letters if x in "finjs"), "u")
    shared = _shared(row, letter, _sharing(row, numbers))
    return [shared if x in "finjs" else _other(row, x, number, shared, alone=letter == "u")
            for x, number in zip(letters, numbers, strict=True)]


def _sharing(row: Builtin, numbers: list[Any]) -> list[Any]:
    """Return the operands that share one type, or all if none does."""
    return [x for x, letter in zip(numbers, row.operands, strict=True)
            if letter in "finjs"] or numbers


def _shared(row: Builtin, letter: str, numbers: list[Any]) -> np.dtype[Any]:
    """Return the one type operands share."""
    kind = short_floats.result_type(*numbers)
    if kind.kind == "c" and row.name != "abs":
        raise _wrong(row, "real numbers", kind)
    narrow = short_floats.is_short(kind)
    if narrow and not row.widens:
        raise _wrong(row, "numbers of a type of its own", kind)
    weak = not any(isinstance(x, np.generic) for x in numbers)
    if letter == "f":
        return kind if kind.kind == "f" or narrow else np.dtype(np.float64)
    if letter == "s":
        if weak or narrow or (kind.kind == "f" and kind.itemsize <= 4):
            return np.dtype(np.float32)
        raise _wrong(row, "float32", kind)
    if letter != "n" and (narrow or kind.kind in "fb"):
        raise _wrong(row, "integers", kind)
    if row.results == "w" and kind.itemsize == 8:
        raise _wrong(row, "integers of at most 32 bits", kind)
    if letter == "j":
        if weak or kind.itemsize < 4:
            return np.dtype(np.int32)
        if kind.itemsize > 4:
            raise _wrong(row, "integers of 32 bits", kind)
    return kind


def _other(row: Builtin, letter: str, number: Any, shared: np.dtype[Any], *,
           alone: bool) -> np.dtype[Any]:
    """Return the type of an operand that does not share it."""
    if letter == "b":
        return np.dtype(np.bool_)
    kind = np.result_type(number)
    if kind.kind not in "iub":
        raise _wrong(row, "an integer", kind)
    if letter == "k":
        return np.dtype(np.int32)
    strong = isinstance(number, np.generic)
    fits = (kind.kind == "u" and kind.itemsize > 1) if alone else kind.itemsize == shared.itemsize
    if strong and not fits:
        raise _wrong(row, f"an unsigned integer{'' if alone else ' as wide as the first'}", kind)
    return np.dtype(f"u{shared.itemsize}")


def _wrong(row: Builtin, expected: str, found: np.dtype[Any]) -> UsageError:
    return UsageError(errc.invalid, f"{row.name} takes {expected}, not {found}")


def _function(name: str) -> builtin_function:
    return FUNCTIONS[name]


FUNCTIONS: dict[str, builtin_function] = {
    name: builtin_function(row) for name, row in BUILTINS.items() if "." not in name}
PUBLIC: tuple[str, ...] = tuple(
    name for name in FUNCTIONS
    if not name.startswith(("half_", "native_")) and not name.endswith("_of"))
"""Those that are names of ``unisycl`` itself; ``native`` and ``half_precision`` have the rest."""


def __getattr__(name: str) -> builtin_function:
    try:
        return FUNCTIONS[name]
    except KeyError:
        raise AttributeError(f"unisycl has no builtin '{name}'") from None


def __dir__() -> list[str]:
    return sorted([*FUNCTIONS, "FUNCTIONS", "PUBLIC", "builtin_function"])
