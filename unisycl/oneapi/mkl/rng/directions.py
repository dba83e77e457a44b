"""The direction numbers of Sobol's points (Joe and Kuo, 2008).

Non-goals: points (``sequence_kernels``), and more than 40 dimensions.
"""

from __future__ import annotations

DIMENSIONS = (
    (3, 1), (7, 1, 3), (11, 1, 3, 1), (13, 1, 1, 1), (19, 1, 1, 3, 3), (25, 1, 3, 5, 13), (37, 1,
    1, 5, 5, 17), (41, 1, 1, 5, 5, 5), (47, 1, 1, 7, 11, 19), (55, 1, 1, 5, 1, 1), (59, 1, 1, 1,
    3, 11), (61, 1, 3, 5, 5, 31), (67, 1, 3, 3, 9, 7, 49), (91, 1, 1, 1, 15, 21, 21), (97, 1, 3,
    1, 13, 27, 49), (103, 1, 1, 1, 15, 7, 5), (109, 1, 3, 1, 15, 13, 25), (115, 1, 1, 5, 5, 19,
    61), (131, 1, 3, 7, 11, 23, 15, 103), (137, 1, 3, 7, 13, 13, 15, 69), (143, 1, 1, 3, 13, 7,
    35, 63), (145, 1, 3, 5, 9, 1, 25, 53), (157, 1, 3, 1, 13, 9, 35, 107), (167, 1, 3, 1, 5, 27,
    61, 31), (171, 1, 1, 5, 11, 19, 41, 61), (185, 1, 3, 5, 3, 3, 13, 69), (191, 1, 1, 7, 13, 1,
    19, 1), (193, 1, 3, 7, 5, 13, 19, 59), (203, 1, 1, 3, 9, 25, 29, 41), (211, 1, 3, 5, 13, 23,
    1, 55), (213, 1, 3, 7, 3, 13, 59, 17), (229, 1, 3, 1, 3, 5, 53, 69), (239, 1, 1, 5, 5, 23, 33,
    13), (241, 1, 1, 7, 7, 1, 61, 123), (247, 1, 1, 7, 9, 13, 61, 49), (253, 1, 3, 3, 5, 3, 55,
    33), (285, 1, 3, 1, 15, 31, 13, 49, 245), (299, 1, 3, 5, 15, 31, 59, 63, 97), (301, 1, 3, 1,
    11, 11, 11, 77, 249))
"""Primitive polynomials and first directions of dimensions 2 to 40 (Joe and Kuo, 2008)."""


def directions(dimension: int) -> list[int]:
    """Return the 32 direction numbers of a dimension, from 0 on."""
    if dimension == 0:
        return [1 << (31 - k) for k in range(32)]
    polynomial, *first = DIMENSIONS[dimension - 1]
    degree = len(first)
    found = [m << (31 - k) for k, m in enumerate(first)]
    for k in range(degree, 32):
        v = found[k - degree] ^ (found[k - degree] >> degree)
        for j in range(1, degree):
            if polynomial >> (degree - j) & 1:
                v ^= found[k - j]
        found.append(v)
    return found
