"""Operands that algorithms make for themselves: flags of elements, and room for elements.

Non-goals: iterators of users (``iterators``). Invariant: flags are kept nowhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.oneapi.dpl.iterators import Computed, transform_iterator, zip_iterator
from unisycl.oneapi.dpl.kernels import selections
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Operand, Type


def room(call: Call, count: int, dtype: Type) -> Operand:
    """Return memory of the routine's own for elements, of tuples a memory for each place."""
    if isinstance(dtype, tuple):
        return zip_iterator(*(room(call, count, t) for t in dtype))
    return call.own(count, dtype)


class Heads(Computed):
    """Flags of the elements that begin a run of equal ones."""

    def __init__(self, base: Operand, same: Any) -> None:
        self._over(base)
        self.same, self.dtype, self.size = same, np.dtype(np.bool_), base.size

    def _made(self, *bases: Any) -> Any:
        return selections.heads(bases[0], self.same)


class Asked(transform_iterator):
    """Flags of the elements of which a predicate is true."""

    def __init__(self, base: Operand, predicate: Any) -> None:
        super().__init__(base, predicate, np.bool_)
        self.predicate, self.size = predicate, base.size
