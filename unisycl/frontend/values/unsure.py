"""Numbers that have one type or another, as the path by which a kernel got to them decides.

In Python a name has the type of what it was given last; where two ways meet, compiled code has one
type. Such a number is kept in a type that holds both exactly, and used only where every type it may
have gives the same result: stored, compared, an index, or with an operand that makes them equal.
Non-goals: where that arises (``joins``). Invariant: nothing of this type is ever part of the IR.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass, field, replace
from unisycl.base.errors import KernelWarning
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar


@dataclass(frozen=True, slots=True)
class Unsure(Scalar):
    """A type that holds a number of any of the types ``among``.

    ``wraps``: it is what arithmetic gave, so only its lowest ``known`` bits are known, and no more
    than the narrowest of the types has. ``name`` and ``places``: which variable it is and where
    each type was given, for messages. ``notice`` is called where all of a number is asked for that
    was a Python integer on some path: it is exact as long as the other type would not overflow.
    """

    among: frozenset[Scalar] = frozenset()
    wraps: bool = False
    known: int = 64
    notice: Callable[[], None] | None = field(default=None, compare=False)
    name: str = field(default="", compare=False)
    places: tuple[tuple[Scalar, Span], ...] = field(default=(), compare=False)

    @property
    def plain(self) -> Scalar:
        """The type of the variable that holds it."""
        return Scalar(self.dtype)

    @property
    def bits(self) -> int:
        """How many of the lowest bits are known."""
        return min(self.known, *(t.dtype.bits for t in self.among))

    def __str__(self) -> str:
        return " or ".join(sorted(map(str, self.among)))


def alternatives(type: Scalar) -> frozenset[Scalar]:
    """Return the types a number may have."""
    return type.among if isinstance(type, Unsure) else frozenset((type,))


def either(dtype: dtypes.DType, among: frozenset[Scalar], parts: Sequence[Unsure]) -> Unsure:
    """Return the type of a number of which only low bits are known on some path.

    ``parts``: the types that it has on such paths. Nothing is known of the bits of a float.
    """
    notices = [t.notice for t in parts if t.notice is not None]

    def notice() -> None:
        for told in notices:
            told()
    return Unsure(dtype, among=among, wraps=True,
                  known=min(t.bits for t in parts) if dtype.is_integer else 0,
                  notice=notice if len(notices) == len(parts) else None)


def plain(x: n.Expr) -> n.Expr:
    """Return a number as the IR has it."""
    return replace(x, type=x.type.plain) if isinstance(x.type, Unsure) else x


def exact(type: Scalar) -> bool:
    """Say whether a number is known exactly, whichever type it has, or may be taken to be."""
    if not isinstance(type, Unsure) or not type.wraps:
        return True
    if type.notice is None:
        return False
    type.notice()
    return True


def holds(kind: Scalar, value: object) -> bool:
    """Say whether a float type holds a literal exactly; integers hold what fits."""
    if not isinstance(value, int | float) or not kind.dtype.is_float:
        return isinstance(value, int)
    return kind.weak or kind.dtype is dtypes.FLOAT64 or float(kind.dtype.numpy.type(value)) == value


def warn(sums: dict[Span, Scalar]) -> bool:
    """Warn of numbers that are exact here, and in Python on some paths only; say if any are."""
    for span, type in sums.items():
        assert isinstance(type, Unsure)
        narrow = min(type.among, key=lambda t: (t.weak, t.dtype.bits))
        warnings.warn_explicit(
            f"{type.name or 'this'} is a Python int or {narrow} here, as the path taken decides: "
            f"this is exact, where Python's result would wrap beyond {narrow.dtype.bits} bits if "
            f"it is {narrow}; convert it where it gets its value, so that it has one type",
            KernelWarning, span.file.name, span.line)
    return bool(sums)
