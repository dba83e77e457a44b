"""What a USM pointer and a buffer say to those who take them for arrays.

Non-goals: being arrays. Invariant: nothing here succeeds; each error names what to write instead.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from unisycl.base.errors import UsageError, errc


class NoArray:
    """Base of ``usm_pointer``: refuses arithmetic with elements and an array's methods."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        hint = ""
        if name.endswith("_interface__"):  # a card's memory may have one
            return super().__getattr__(name)  # type: ignore[misc]
        if not name.startswith("__") and hasattr(np.ndarray, name):
            hint = (f"; it is a pointer: its elements as an array, without a copy, are get_view(), "
                    f"so write p.get_view().{name}")
        raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'{hint}")

    def __add__(self, other: Any) -> Any:
        return _no_arithmetic(other)

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __add__
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __add__
    __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __add__
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __add__
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __add__
    __lt__ = __le__ = __gt__ = __ge__ = __add__

    def __iadd__(self, other: Any) -> Any:
        raise _refusal()  # with an array, too: the name would become one, the memory stay as it is

    __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __iadd__
    __ipow__ = __imatmul__ = __iand__ = __ior__ = __ixor__ = __ilshift__ = __irshift__ = __iadd__

    def __neg__(self) -> Any:
        raise _refusal()

    __pos__ = __abs__ = __invert__ = __neg__


def _no_arithmetic(other: Any) -> Any:
    """Leave arrays of NumPy to NumPy; refuse everything else."""
    if isinstance(other, np.ndarray):
        return NotImplemented
    raise _refusal()


def refuse_numbers(other: object) -> Any:
    """Refuse to say whether a pointer equals a number; of other things it is simply none."""
    if isinstance(other, int | float | complex | np.number | np.bool_):
        raise _refusal()
    return NotImplemented


def _refusal() -> UsageError:
    return UsageError(errc.invalid, "outside of kernels a usm_pointer has no operators, since a "
                      "pointer and an array mean different things by them: for the elements write "
                      "np.asarray(p) + 1, p.get_view() + 1 or p[:] += 1; for the pointer to an "
                      "element p.pointer_to(1)")


class NoElements:
    """Base of ``buffer``: refuses to be read without an accessor."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> NoReturn:
        _no_elements()

    def __setitem__(self, index: Any, value: Any) -> NoReturn:
        _no_elements()

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        _no_elements()


def _no_elements() -> NoReturn:
    raise UsageError(errc.invalid, "a buffer is not read or written directly, since commands may "
                     "be using it: write 'with unisycl.host_accessor(b) as x:' and use x, or make "
                     "an accessor in a command group")
