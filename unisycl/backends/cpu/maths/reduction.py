"""Quarter turns of huge angles: the exact product with as many bits of 2/pi as it takes.

Non-goals: speed; hardly any program comes here. Invariant: what is left is as exact as the type,
whatever the finite operand.
"""

from __future__ import annotations

import itertools
import math

from unisycl.backends.cpu.maths.calls import call_rarely
from unisycl.backends.cpu.maths.terms import Sheet, Term
from unisycl.base.dtypes import FLOAT32, FLOAT64, INT64, UINT64

# The bits of 2/pi behind 64 bits of 0.
_BITS = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d192"
    "1cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05"
    "980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f"
    "8d5d0856033046fc7b6babf0cfbc209af4361d", 16)
# Words of 64 bits, one every 32.
_WORDS = tuple((_BITS << 1024 >> 1344 + 1024 - 32 * (k + 2)) % (1 << 64) for k in range(64))


def reduce_huge(s: Sheet, x: Term) -> list[Term]:
    """Return the whole quarter turns of an angle, mod 4 as an int64, and the radians left."""
    return call_rarely(s, "reduce", _reduce, x)


def _reduce(s: Sheet, x: Term) -> list[Term]:
    fraction, bias = (23, 127) if x.dtype is FLOAT32 else (52, 1023)
    raw = s.cast(s.bits(s.abs(x)), INT64)
    m = s.cast((raw & ((1 << fraction) - 1)) | (1 << fraction), UINT64)
    # x = m * 2**e; the bits of 2/pi that matter begin with the one that e moves to 2**1.
    position = (raw >> fraction) + (64 - 2 - bias - fraction)
    at, shift = position >> 5, s.cast(position & 31, UINT64)
    words = [s.lookup(_WORDS, at + 2 * k, UINT64) for k in range(3 if x.dtype is FLOAT32 else 4)]
    window = [s.funnel(a, b, shift) for a, b in itertools.pairwise(words)]
    high, low = _product(s, m, window)
    quarters = (high + (1 << 61)) >> 62
    left = s.cast(high - (quarters << 62), INT64)
    y = s.cast(left, FLOAT64)
    if low is not None:
        y = y + s.cast(low, FLOAT64) * 2.0 ** -64
    y = s.cast(y * (math.pi / 2 * 2.0 ** -62), x.dtype)
    negative = x < 0.0
    count = s.cast(quarters, INT64)
    return [s.where(negative, -count, count), s.where(negative, -y, y)]


def _product(s: Sheet, m: Term, window: list[Term]) -> tuple[Term, Term | None]:
    """Return m times the window modulo 4 quarter turns: the first 64 bits, the next 64."""
    if len(window) == 2:
        return m * window[0] + ((m * (window[1] >> 32)) >> 32), None
    below = high_product(s, m, window[2])
    low = m * window[1] + below
    carry = s.cast(low < below, UINT64)
    return m * window[0] + high_product(s, m, window[1]) + carry, low


def high_product(s: Sheet, a: Term, b: Term) -> Term:
    """Return the upper 64 bits of a product of two unsigned 64-bit integers."""
    mask = (1 << 32) - 1
    a1, a0, b1, b0 = a >> 32, a & mask, b >> 32, b & mask
    middle = a1 * b0 + ((a0 * b0) >> 32)
    other = a0 * b1 + (middle & mask)
    return a1 * b1 + (middle >> 32) + (other >> 32)
