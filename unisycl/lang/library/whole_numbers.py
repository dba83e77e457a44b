"""Python's functions of whole numbers, written in the kernel language (``math``, ``numpy``).

Non-goals: numbers beyond 64 bits. Invariant: what Python gives wherever the result fits; what it
raises for is checked by the caller.
"""

from __future__ import annotations

import math
from typing import Any

__kernel_language__ = True


def gcd(a: Any, b: Any) -> Any:
    """Return the greatest common divisor, never negative."""
    while b != 0:
        rest = a % b
        a = b
        b = rest
    return -a if a < 0 else a


def lcm(a: Any, b: Any) -> Any:
    """Return the least common multiple, never negative; 0 with a 0."""
    if a == 0 or b == 0:
        return a * b
    first, second = abs(a), abs(b)
    return first // gcd(first, second) * second


def product_modulo(a: Any, b: Any, m: Any) -> Any:
    """Return ``a * b % m`` of numbers from 0 to m, without larger ones on the way."""
    if m <= 3037000499:
        return a * b % m
    total = 0
    while b > 0:
        if b & 1:
            total = total - (m - a) if total >= m - a else total + a
        a = a - (m - a) if a >= m - a else a + a
        b >>= 1
    return total


def inverse(a: Any, m: Any) -> Any:
    """Return the number whose product with ``a`` is 1 modulo ``m``, if there is one."""
    more, rest, x, y = m, a, 0, 1
    while rest != 0:
        q = more // rest
        more, rest = rest, more - q * rest
        x, y = y, x - q * y
    return x % m


def power_modulo(a: Any, b: Any, m: Any) -> Any:
    """Return ``pow(a, b, m)``; 0 if m is 0."""
    size = abs(m)
    if size == 0:
        return 0
    base = a % size
    if b < 0:
        base = inverse(base, size)
        b = -b
    found = 1 % size
    while b > 0:
        if b & 1:
            found = product_modulo(found, base, size)
        base = product_modulo(base, base, size)
        b >>= 1
    return found + m if m < 0 and found > 0 else found


def factorial(n: Any) -> Any:
    """Return the product of 1 to n."""
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


def isqrt(n: Any) -> Any:
    """Return the whole part of a square root, digit by digit."""
    root = 0
    for k in range(31, -1, -1):
        more = root | (1 << k)
        if more <= 3037000499 and more * more <= n:
            root = more
    return root


def comb(n: Any, k: Any) -> Any:
    """Return in how many ways k of n can be chosen."""
    if k > n or k < 0:
        return 0
    found = 1
    for j in range(min(k, n - k)):
        common = gcd(found, j + 1)  # so that no product is larger than the result
        found = found // common * ((n - j) // ((j + 1) // common))
    return found


def perm(n: Any, k: Any) -> Any:
    """Return in how many ways k of n can be put in a row."""
    if k > n or k < 0:
        return 0
    found = 1
    for j in range(k):
        found *= n - j
    return found


def isclose(a: Any, b: Any, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    """Say whether two numbers are close to each other."""
    if a == b:
        return True
    apart = abs(b - a)
    if apart * 0.0 != 0.0:  # infinite, or one is NaN
        return False
    return apart <= abs(rel_tol * b) or apart <= abs(rel_tol * a) or apart <= abs_tol


def ulp(x: Any) -> Any:
    """Return how far a float is from the next larger one, by its size."""
    size = abs(x)
    if size * 0.0 != 0.0:  # infinite, or NaN
        return size
    above = math.nextafter(size, math.inf)
    return size - math.nextafter(size, 0.0) if above == math.inf else above - size
