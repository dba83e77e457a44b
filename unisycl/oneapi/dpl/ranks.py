"""Which orders are those of digits: the ranks of keys by the numbers' own order, up or down.

Non-goals: what ranks are in kernels (``kernels.radix``). Invariant: keys that count as equal have
one rank: both zeros, and all NaN, which are behind all numbers in both orders.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.oneapi.dpl.kernels import radix
from unisycl.oneapi.dpl.operators import is_default, is_descending, spelt


def _rank_of(dtype: np.dtype[Any], *, descending: bool) -> Any:
    """Return the ranks of keys and their type; None of types that have no digits."""
    kind = np.dtype(f"u{dtype.itemsize}") if dtype.itemsize in (1, 2, 4, 8) else None
    if kind is None or dtype.kind not in "buif":
        return None, None
    make = kind.type
    every = np.iinfo(kind).max
    top = (every >> 1) + 1
    if dtype.kind in "bu":
        return radix.unsigned(make, make(every if descending else 0)), kind
    if dtype.kind == "i":
        return radix.signed(make, make(every ^ top if descending else top)), kind
    infinity = int(np.array(np.inf, dtype).view(kind))
    nan = 2 * infinity + 1  # numbers from the lowest on, both infinities and the zero they share
    if not descending:
        whole = np.dtype(f"i{dtype.itemsize}").type
        return radix.rising(make, whole, make(infinity), make(nan)), kind
    return radix.floating(make, make(top), make(top - infinity), make(nan),
                          make(every), make(nan)), kind


def rank_by(dtype: Any, comp: Any) -> Any:
    """Return the ranks of keys in an order, and their type; None where the order has none."""
    comp = spelt(comp)
    if isinstance(dtype, tuple) or not (is_default(comp) or is_descending(comp)):
        return None, None
    return _rank_of(dtype, descending=is_descending(comp))
