"""Kernels of pooling and resampling, in three dimensions of space; tensors lie row by row.

Written in the kernel language. Invariant: what is outside a source counts for nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True

HALF, ONE, ZERO = np.float32(0.5), np.float32(1), np.float32(0)
LOWEST = np.float32(-3.4028234663852886e38)


def largest(i: Any, w: Any, source: Any, target: Any, noted: Any) -> None:
    """Find the largest element of a window, and note which one it is."""
    oy = i[0] % w.oh
    oz = i[0] // w.oh % w.od
    first = i[0] // (w.oh * w.od) * w.id
    best = LOWEST
    which = np.int32(0)
    for f in range(w.kd * w.kh * w.kw):
        z = oz * w.sd - w.pd + f // (w.kh * w.kw) * w.dd
        y = oy * w.sh - w.ph + f // w.kw % w.kh * w.dh
        x = i[1] * w.sw - w.pw + f % w.kw * w.dw
        if z >= 0 and z < w.id and y >= 0 and y < w.ih and x >= 0 and x < w.iw:
            value = source.load(((first + z) * w.ih + y) * w.iw + x)
            if value > best:
                best = value
                which = np.int32(f)
    target.store(i[0] * w.ow + i[1], best)
    noted.store(i[0] * w.ow + i[1], which)


def inside(o: Any, step: Any, before: Any, reach: Any, kernel: Any, size: Any) -> Any:
    """Return how many positions of a window lie in a source, in one dimension."""
    found = 0
    for f in range(kernel):
        at = o * step - before + f * reach
        if at >= 0 and at < size:
            found += 1
    return found


def share(w: Any, include: Any, oz: Any, oy: Any, ox: Any) -> Any:
    """Return the weight of each element of a window's mean."""
    count = w.kd * w.kh * w.kw
    if not include:
        count = inside(oz, w.sd, w.pd, w.dd, w.kd, w.id) * inside(
            oy, w.sh, w.ph, w.dh, w.kh, w.ih) * inside(ox, w.sw, w.pw, w.dw, w.kw, w.iw)
    if count == 0:
        return ZERO
    return ONE / np.float32(count)


def mean(i: Any, w: Any, include: Any, source: Any, target: Any) -> None:
    """Compute the mean of a window."""
    oy = i[0] % w.oh
    oz = i[0] // w.oh % w.od
    first = i[0] // (w.oh * w.od) * w.id
    total = ZERO
    for f in range(w.kd * w.kh * w.kw):
        z = oz * w.sd - w.pd + f // (w.kh * w.kw) * w.dd
        y = oy * w.sh - w.ph + f // w.kw % w.kh * w.dh
        x = i[1] * w.sw - w.pw + f % w.kw * w.dw
        if z >= 0 and z < w.id and y >= 0 and y < w.ih and x >= 0 and x < w.iw:
            total += source.load(((first + z) * w.ih + y) * w.iw + x)
    target.store(i[0] * w.ow + i[1], total * share(w, include, oz, oy, i[1]))


def back(i: Any, w: Any, part: Any, gradient: Any, noted: Any, target: Any) -> None:
    """Sum the gradients of the windows that an element is in, as ``part`` weighs them."""
    y = i[0] % w.ih
    z = i[0] // w.ih % w.id
    first = i[0] // (w.ih * w.id) * w.od
    total = ZERO
    for f in range(w.kd * w.kh * w.kw):
        tz = z + w.pd - f // (w.kh * w.kw) * w.dd
        ty = y + w.ph - f // w.kw % w.kh * w.dh
        tx = i[1] + w.pw - f % w.kw * w.dw
        on = tz % w.sd == 0 and ty % w.sh == 0 and tx % w.sw == 0
        if on and tz >= 0 and ty >= 0 and tx >= 0 and (
                tz < w.od * w.sd and ty < w.oh * w.sh and tx < w.ow * w.sw):
            oz, oy, ox = tz // w.sd, ty // w.sh, tx // w.sw
            at = ((first + oz) * w.oh + oy) * w.ow + ox
            total += gradient.load(at) * part(w, noted.load(at), f, oz, oy, ox)
    target.store(i[0] * w.iw + i[1], total)


def of_largest(w: Any, noted: Any, f: Any, oz: Any, oy: Any, ox: Any) -> Any:
    """Return 1 for the element that was the largest."""
    return ONE if noted == f else ZERO


def of_all(w: Any, noted: Any, f: Any, oz: Any, oy: Any, ox: Any) -> Any:
    """Return the weight in the mean of a whole window."""
    return share(w, True, oz, oy, ox)


def of_those_inside(w: Any, noted: Any, f: Any, oz: Any, oy: Any, ox: Any) -> Any:
    """Return the weight in the mean of what lies inside."""
    return share(w, False, oz, oy, ox)


# ---------------------------------------------------------------------------- resampling
def nearest(o: Any, i: Any, size: Any, result: Any) -> Any:
    """Return 1 if element i of a source is the nearest one to element o of a result."""
    at = (np.float32(o) + HALF) * np.float32(size) / np.float32(result) - HALF
    near = sycl.fmin(sycl.fmax(sycl.floor(at + HALF), ZERO), np.float32(size - 1))
    return ONE if near == np.float32(i) else ZERO


def linear(o: Any, i: Any, size: Any, result: Any) -> Any:
    """Return the weight of element i of a source in element o of a result."""
    at = (np.float32(o) + HALF) * np.float32(size) / np.float32(result) - HALF
    at = sycl.fmin(sycl.fmax(at, ZERO), np.float32(size - 1))
    return sycl.fmax(ONE - abs(at - np.float32(i)), ZERO)


def lowest(o: Any, size: Any, result: Any) -> Any:
    """Return the first element of a source that may count in element o of a result."""
    at = (np.float32(o) + HALF) * np.float32(size) / np.float32(result) - HALF
    return np.int64(sycl.fmin(sycl.fmax(sycl.floor(at), ZERO), np.float32(size - 1)))


def resample(e: Any, weigh: Any, w: Any, source: Any, target: Any) -> None:
    """Compute an element of the result."""
    ox, oy = e % w.ow, e // w.ow % w.oh
    oz = e // (w.ow * w.oh) % w.od
    first = e // (w.ow * w.oh * w.od) * w.id
    z0, y0, x0 = lowest(oz, w.id, w.od), lowest(oy, w.ih, w.oh), lowest(ox, w.iw, w.ow)
    total = ZERO
    for corner in range(8):
        z, y, x = z0 + corner // 4, y0 + corner // 2 % 2, x0 + corner % 2
        if z < w.id and y < w.ih and x < w.iw:
            share = weigh(oz, z, w.id, w.od) * weigh(oy, y, w.ih, w.oh) * weigh(
                ox, x, w.iw, w.ow)
            total += share * source.load(((first + z) * w.ih + y) * w.iw + x)
    target.store(e, total)


def begin_of(i: Any, size: Any, result: Any) -> Any:
    """Return an element of the result before which element i of a source counts in none."""
    at = (np.float32(i) - ONE) * np.float32(result) / np.float32(size) - ONE
    return np.int64(sycl.fmax(sycl.floor(at), ZERO))


def end_of(i: Any, size: Any, result: Any) -> Any:
    """Return an element of the result behind which element i of a source counts in none."""
    at = (np.float32(i) + ONE + ONE) * np.float32(result) / np.float32(size) + ONE
    return np.int64(sycl.fmin(sycl.ceil(at), np.float32(result)))


def resample_back(e: Any, weigh: Any, w: Any, gradient: Any, target: Any) -> None:
    """Sum the gradients that an element of the source counts in."""
    x, y = e % w.iw, e // w.iw % w.ih
    z = e // (w.iw * w.ih) % w.id
    first = e // (w.iw * w.ih * w.id) * w.od
    z0, y0, x0 = begin_of(z, w.id, w.od), begin_of(y, w.ih, w.oh), begin_of(x, w.iw, w.ow)
    ny, nx = end_of(y, w.ih, w.oh) - y0, end_of(x, w.iw, w.ow) - x0
    total = ZERO
    for t in range((end_of(z, w.id, w.od) - z0) * ny * nx):
        oz, oy, ox = z0 + t // (ny * nx), y0 + t // nx % ny, x0 + t % nx
        share = weigh(oz, z, w.id, w.od) * weigh(oy, y, w.ih, w.oh) * weigh(ox, x, w.iw, w.ow)
        total += share * gradient.load(((first + oz) * w.oh + oy) * w.ow + ox)
    target.store(e, total)
