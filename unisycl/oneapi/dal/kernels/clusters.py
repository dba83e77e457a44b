"""Kernels of k-means: which centre is nearest, and the sums of each centre's rows.

Written in the kernel language. Centres lie column by column, and are filled up to a multiple of
``TILE`` with infinities. Invariant: sums are made in parts, which are added in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True

TILE = 8


def assign(i: Any, x: Any, centres: Any, kind: Any, labels: Any, far: Any) -> None:
    """Find the nearest centre of a row, whose columns follow one another."""
    low = kind(np.inf)
    at = np.int32(0)
    for first in range(0, centres.count, TILE):
        total = sycl.private_array(kind, TILE)
        for c in range(TILE):
            total[c] = 0
        for f in range(x.width):
            v = x.at[f * x.count + i]
            for c in range(TILE):
                t = v - centres.at[f * centres.count + first + c]
                total[c] += t * t
        for c in range(TILE):
            if total[c] < low:
                low = total[c]
                at = np.int32(first + c)
    labels[i] = at
    far[i] = low


def gather(it: Any, x: Any, count: Any, labels: Any, out: Any) -> None:
    """Add up one column of a part's rows for each centre."""
    p, f = it[0], it[1]
    for c in range(count):
        out[(p * count + c) * x.width + f] = 0
    last = min((p + 1) * x.part, x.count)
    for i in range(p * x.part, last):
        at = (p * count + labels[i]) * x.width + f
        out[at] = out[at] + x.at[i * x.width + f]


def nearer(i: Any, x: Any, centre: Any, far: Any, out: Any) -> None:
    """Write how far a row is from the nearest centre, where one more is there."""
    total = far[i] - far[i]
    for f in range(x.width):
        t = x.at[f * x.count + i] - centre[f]
        total += t * t
    out[i] = min(total, far[i])
