"""How floats of eight bits lie in memory and are rounded.

All is done with whole numbers and products by powers of two, so denormal numbers of the small type,
which are none of float32, are right where those are not kept. Non-goals: which types there are
(``short_floats``). Invariant: a value is a float32 that the type has.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import FLOAT32, UINT8, UINT32
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, Scalar

Keep = Callable[[n.Expr], n.Expr]
_F32, _U8, _U32 = Scalar(FLOAT32), Scalar(UINT8), Scalar(UINT32)
_SIGN, _MAGNITUDE, _INFINITY, _QUIET = 0x80000000, 0x7FFFFFFF, 0x7F800000, 0x7FC00000


def _u(x: int) -> n.Expr:
    return n.Const(_U32, x)


def _whole(op: str, a: n.Expr, b: n.Expr | int) -> n.Expr:
    return n.Binary(_U32, op, a, _u(b) if isinstance(b, int) else b)


def _less(a: n.Expr, b: int) -> n.Expr:
    return n.Compare(BOOL, "lt", a, _u(b))


def _times(x: n.Expr, power: int) -> n.Expr:
    return n.Binary(_F32, "mul", x, n.Const(_F32, 2.0 ** power))


@dataclass(frozen=True, slots=True)
class SmallFloat:
    """A float of a sign, an exponent with this bias and so many bits of a fraction.

    ``finite``: it has no infinity, and its largest pattern alone is no number.
    """

    fraction: int
    bias: int
    finite: bool

    @property
    def _shift(self) -> int:
        return 23 - self.fraction

    @property
    def _least(self) -> int:
        """The exponent of the least normal number."""
        return 1 - self.bias

    @property
    def _offset(self) -> int:
        """What is added to a magnitude's bits, in the places of float32."""
        return (127 - self.bias) << 23

    @property
    def _beyond(self) -> int:
        """The bits of the float32 from which on there is no number of the type."""
        top = (1 << 7) - 1 if self.finite else ((1 << 7 - self.fraction) - 1) << self.fraction
        return (top << self._shift) + self._offset

    def widened(self, bits: n.Expr, keep: Keep) -> n.Expr:
        """Return the float32 of a pattern."""
        word = keep(n.Cast(_U32, bits))
        small = keep(_whole("and", word, 0x7F))
        normal = _whole("add", _whole("shl", small, self._shift), self._offset)
        tiny = n.Bitcast(_U32, _times(n.Cast(_F32, small), self._least - self.fraction))
        found = n.Select(_U32, _less(small, 1 << self.fraction), tiny, normal)
        if self.finite:
            found = n.Select(_U32, _less(small, 0x7F), found, _u(_QUIET))
        else:
            top = ((1 << 7 - self.fraction) - 1) << self.fraction
            special = _whole("or", _whole("shl", small, self._shift), _INFINITY)
            found = n.Select(_U32, _less(small, top), found, special)
        sign = _whole("shl", _whole("and", word, 0x80), 24)
        return n.Bitcast(_F32, _whole("or", found, sign))

    def bits(self, x: n.Expr, keep: Keep) -> n.Expr:
        """Return the pattern of a value."""
        word = keep(n.Bitcast(_U32, keep(x)))
        size = keep(_whole("and", word, _MAGNITUDE))
        normal = _whole("shr", _whole("sub", size, self._offset), self._shift)
        tiny = n.Cast(_U32, _times(n.Bitcast(_F32, size), self.fraction - self._least))
        low = _less(size, (127 + self._least) << 23)
        none = 0x7F if self.finite else 0x7E
        infinity = 0x7F if self.finite else 0x7C
        found = n.Select(_U32, low, tiny, n.Select(
            _U32, _less(size, _INFINITY), normal, n.Select(
                _U32, n.Compare(BOOL, "eq", size, _u(_INFINITY)), _u(infinity), _u(none))))
        return n.Cast(_U8, _whole("or", found, _whole("and", _whole("shr", word, 24), 0x80)))

    def rounded(self, x: n.Expr, keep: Keep) -> n.Expr:
        """Return the nearest value of the type, halves to even."""
        word = keep(n.Bitcast(_U32, keep(x)))
        size = keep(_whole("and", word, _MAGNITUDE))
        odd = _whole("and", _whole("shr", size, self._shift), 1)
        half = (1 << self._shift - 1) - 1
        mask = 0xFFFFFFFF >> self._shift << self._shift
        near = keep(_whole("and", _whole("add", _whole("add", size, half), odd), mask))
        past = _u(_QUIET if self.finite else _INFINITY)
        large = n.Select(_U32, _less(near, self._beyond), near, past)
        scaled = _times(n.Bitcast(_F32, size), self.fraction - self._least)
        whole = n.Call(_F32, BUILTINS["rint"], (scaled,))
        tiny = n.Bitcast(_U32, _times(whole, self._least - self.fraction))
        found = n.Select(_U32, _less(size, (127 + self._least) << 23), tiny, large)
        nan = n.Compare(BOOL, "gt", size, _u(_INFINITY))
        found = n.Select(_U32, nan, _u(_QUIET), found)
        return keep(n.Bitcast(_F32, _whole("or", found, _whole("and", word, _SIGN))))
