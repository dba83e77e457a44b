"""Python's ``round(x, n)``, written in the kernel language.

Non-goals: more digits than 22 on either side, for which powers of ten are no floats. Invariant: the
float nearest to the decimal number that is nearest to ``x``; in the middle the even one.
"""

from __future__ import annotations

from typing import Any

from unisycl.lang.numbers.math import fma, rint

__kernel_language__ = True


def behind_point(x: Any, scale: Any) -> Any:
    """Return a float rounded to digits behind the point; ``scale`` is their power of ten."""
    product = x * scale
    if not abs(product) < 9007199254740992.0:
        return x  # its neighbours are further away than the next decimal number, or it is none
    near = rint(product)
    lost = fma(x, scale, -product)  # product + lost is what x * scale is exactly
    rest = product - near
    if rest >= 0.5 and lost > 0.0:
        near += 1.0
    elif rest <= -0.5 and lost < 0.0:
        near -= 1.0
    return near / scale


def before_point(x: Any, scale: Any) -> Any:
    """Return a float rounded to a multiple of a power of ten."""
    quotient = x / scale
    if not abs(quotient) < 9007199254740992.0:
        return x
    near = rint(quotient)
    rest = fma(-near, scale, x)
    half = scale / 2.0
    odd = near % 2.0 != 0.0
    if rest > half or (rest == half and odd):
        near += 1.0
    elif rest < -half or (rest == -half and odd):
        near -= 1.0
    return near * scale


def whole(x: Any, scale: Any) -> Any:
    """Return an integer rounded to a multiple of a power of ten."""
    quotient = x // scale
    rest = x - quotient * scale
    if 2 * rest > scale or (2 * rest == scale and quotient % 2 != 0):
        quotient += 1
    return quotient * scale


__all__ = ["before_point", "behind_point", "whole"]
