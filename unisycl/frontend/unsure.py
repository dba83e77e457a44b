"""Numbers that have one type or another, as the path by which a kernel got to them decides.

In Python a name has the type of what it was given last; where two ways meet, compiled code has one
type. Such a number is kept in a type that holds both exactly, and used only where every type it may
have gives the same result: stored, compared, an index, or with an operand that makes them equal.
Non-goals: where that arises (``joins``). Invariant: nothing of this type is ever part of the IR.
"""

from __future__ import annotations

from dataclasses import replace

from unisycl.base import dtypes
from unisycl.base.record import dataclass, field
from unisycl.base.span import Span
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar


@dataclass(frozen=True, slots=True)
class Unsure(Scalar):
    """A type that holds a number of any of the types ``among``.

    ``wraps``: it is what arithmetic gave, so only its lowest bits are known, as many as the
    narrowest of the types has. ``name`` and ``places``: which variable it is and where each type
    was given, for messages.
    """

    among: frozenset[Scalar] = frozenset()
    wraps: bool = False
    name: str = field(default="", compare=False)
    places: tuple[tuple[Scalar, Span], ...] = field(default=(), compare=False)

    @property
    def plain(self) -> Scalar:
        """The type of the variable that holds it."""
        return Scalar(self.dtype)

    @property
    def bits(self) -> int:
        """How many bits the narrowest of the types has."""
        return min(t.dtype.bits for t in self.among)

    def __str__(self) -> str:
        return " or ".join(sorted(map(str, self.among)))


def alternatives(type: Scalar) -> frozenset[Scalar]:
    """Return the types a number may have."""
    return type.among if isinstance(type, Unsure) else frozenset((type,))


def plain(x: n.Expr) -> n.Expr:
    """Return a number as the IR has it."""
    return replace(x, type=x.type.plain) if isinstance(x.type, Unsure) else x


def exact(type: Scalar) -> bool:
    """Say whether a number is known exactly, whichever type it has."""
    return not (isinstance(type, Unsure) and type.wraps)


def holds(kind: Scalar, value: object) -> bool:
    """Say whether a float type holds a literal exactly; integers hold what fits."""
    if not isinstance(value, int | float) or not kind.dtype.is_float:
        return isinstance(value, int)
    return kind.weak or kind.dtype is dtypes.FLOAT64 or float(kind.dtype.numpy.type(value)) == value
