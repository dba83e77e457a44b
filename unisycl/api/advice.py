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

    def __getattr__(self, name: str) -> NoReturn:
        hint = ""
        if not name.startswith("__") and hasattr(np.ndarray, name):
            hint = (f"; it is a pointer: its elements as an array, without a copy, are get_view(), "
                    f"so write p.get_view().{name}")
        raise AttributeError(f"'{type(self).__name__}' has no attribute '{name}'{hint}")

    def __mul__(self, other: Any) -> Any:
        return no_arithmetic(other)

    __rmul__ = __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __mul__


def no_arithmetic(other: Any) -> Any:
    """Leave arrays of NumPy to NumPy; refuse everything else."""
    if isinstance(other, np.ndarray):
        return NotImplemented
    raise UsageError(errc.invalid, "a usm_pointer is a pointer: + moves it by elements, and there "
                     "is no other arithmetic; for that of its elements write p.get_view() (or "
                     "p[:]), which is an array over the same memory")


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
