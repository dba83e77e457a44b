"""Kernels that sum over parts of a tensor: normalisations, softmax, reductions.

Written in the kernel language. A ``part`` of a tensor is what one work-item goes through: where it
begins, and where its elements lie from there. Invariants: sums are added in one order; long ones in
pieces, as many as each has elements, so that errors grow with the root of the count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True

ZERO, ONE = np.float32(0), np.float32(1)


@dataclass(eq=False)
class parts:
    """Where parts begin (``first``), where their elements lie (``inner``), how many, in pieces."""

    first: Any
    inner: Any
    count: Any
    piece: Any


@dataclass(eq=False)
class statistics:
    """Means and variances, where an element finds its own, and what keeps it from zero."""

    mean: Any
    variance: Any
    place: Any
    epsilon: Any

    def centred(self, x: Any, e: Any) -> Any:
        """Return element e without its mean, of unit variance."""
        s = self.place.at(e)
        return (x - self.mean.load(s)) * self.slope(e)

    def slope(self, e: Any) -> Any:
        """Return one over the deviation."""
        return ONE / sycl.sqrt(self.variance.load(self.place.at(e)) + self.epsilon)


@dataclass(eq=False)
class affine:
    """What normalised elements are multiplied by and moved by, and where an element finds it."""

    scale: Any
    shift: Any
    place: Any


def moments(e: Any, p: parts, x: Any, mean: Any, variance: Any) -> None:
    """Compute mean and variance of a part."""
    first = p.first.at(e)
    total = ZERO
    for begin in range(0, p.count, p.piece):
        part = ZERO
        for r in range(begin, min(begin + p.piece, p.count)):
            part += x.load(first + p.inner.at(r))
        total += part
    middle = total / np.float32(p.count)
    total = ZERO
    for begin in range(0, p.count, p.piece):
        part = ZERO
        for r in range(begin, min(begin + p.piece, p.count)):
            d = x.load(first + p.inner.at(r)) - middle
            part += d * d
        total += part
    mean.store(e, middle)
    variance.store(e, total / np.float32(p.count))


def normalise(e: Any, s: statistics, a: affine, x: Any, y: Any) -> None:
    """Normalise an element."""
    c = a.place.at(e)
    y.store(e, s.centred(x.load(e), e) * a.scale.load(c) + a.shift.load(c))


def gradient_sums(e: Any, p: parts, s: statistics, a: affine, pair: Any, sums: Any) -> None:
    """Sum gradients, and gradients times normalised elements, over what shares statistics."""
    first = p.first.at(e)
    plain, crossed = ZERO, ZERO
    for begin in range(0, p.count, p.piece):
        part, other = ZERO, ZERO
        for r in range(begin, min(begin + p.piece, p.count)):
            at = first + p.inner.at(r)
            g = pair.b.load(at) * a.scale.load(a.place.at(at))
            part += g
            other += g * s.centred(pair.a.load(at), at)
        plain += part
        crossed += other
    sums.store(2 * e, plain / np.float32(p.count))
    sums.store(2 * e + 1, crossed / np.float32(p.count))


def normalise_back(e: Any, s: statistics, a: affine, pair: Any, sums: Any, y: Any) -> None:
    """Compute the gradient of an element."""
    g = pair.b.load(e) * a.scale.load(a.place.at(e))
    at = 2 * s.place.at(e)
    g = g - sums.load(at) - s.centred(pair.a.load(e), e) * sums.load(at + 1)
    y.store(e, g * s.slope(e))


def affine_back(e: Any, p: parts, s: statistics, pair: Any, scale: Any, shift: Any) -> None:
    """Compute the gradients of what normalised elements are multiplied by and moved by."""
    first = p.first.at(e)
    plain, crossed = ZERO, ZERO
    for begin in range(0, p.count, p.piece):
        part, other = ZERO, ZERO
        for r in range(begin, min(begin + p.piece, p.count)):
            at = first + p.inner.at(r)
            g = pair.b.load(at)
            part += g
            other += g * s.centred(pair.a.load(at), at)
        plain += part
        crossed += other
    scale.store(e, crossed)
    shift.store(e, plain)


def softmax(e: Any, p: parts, log: Any, x: Any, y: Any) -> None:
    """Compute the softmax of a part, or its logarithm."""
    first = p.first.at(e)
    top = x.load(first)
    for r in range(1, p.count):
        top = sycl.fmax(top, x.load(first + p.inner.at(r)))
    total = ZERO
    for begin in range(0, p.count, p.piece):
        part = ZERO
        for r in range(begin, min(begin + p.piece, p.count)):
            part += sycl.exp(x.load(first + p.inner.at(r)) - top)
        total += part
    for r in range(p.count):
        at = first + p.inner.at(r)
        if log:
            y.store(at, x.load(at) - top - sycl.log(total))
        else:
            y.store(at, sycl.exp(x.load(at) - top) / total)


def softmax_back(e: Any, p: parts, log: Any, pair: Any, y: Any) -> None:
    """Compute the gradient of a part."""
    first = p.first.at(e)
    total = ZERO
    for begin in range(0, p.count, p.piece):
        part = ZERO
        for r in range(begin, min(begin + p.piece, p.count)):
            at = first + p.inner.at(r)
            part += pair.b.load(at) if log else pair.a.load(at) * pair.b.load(at)
        total += part
    for r in range(p.count):
        at = first + p.inner.at(r)
        if log:
            y.store(at, pair.b.load(at) - sycl.exp(pair.a.load(at)) * total)
        else:
            y.store(at, pair.a.load(at) * (pair.b.load(at) - total))


def reduce(e: Any, p: parts, how: Any, x: Any, y: Any) -> None:
    """Reduce a part: each element by ``take``, joined by ``join``, and the whole by ``end``."""
    first = p.first.at(e)
    total = how.start
    for begin in range(0, p.count, p.piece):
        part = how.start
        for r in range(begin, min(begin + p.piece, p.count)):
            part = how.join(part, how.take(x.load(first + p.inner.at(r)), how.p))
        total = how.join(total, part)
    y.store(e, how.end(total, how.p, how.eps, np.float32(p.count)))


@dataclass(eq=False)
class reduction:
    """How parts are reduced."""

    take: Any
    join: Any
    end: Any
    start: Any
    p: Any
    eps: Any


def itself(x: Any, p: Any) -> Any:
    """Take an element as it is."""
    return x


def powered(x: Any, p: Any) -> Any:
    """Take the power of its magnitude."""
    return sycl.pow(abs(x), p)


def as_it_is(t: Any, p: Any, eps: Any, n: Any) -> Any:
    """Leave the result."""
    return t


def averaged(t: Any, p: Any, eps: Any, n: Any) -> Any:
    """Divide by the number of elements."""
    return t / n


def root_of_larger(t: Any, p: Any, eps: Any, n: Any) -> Any:
    """Return the root of the sum, or of eps."""
    return sycl.pow(sycl.fmax(t, eps), ONE / p)


def root_of_sum(t: Any, p: Any, eps: Any, n: Any) -> Any:
    """Return the root of the sum and eps."""
    return sycl.pow(t + eps, ONE / p)


def larger_of(t: Any, p: Any, eps: Any, n: Any) -> Any:
    """Return the sum, or eps."""
    return sycl.fmax(t, eps)


def sum_of(t: Any, p: Any, eps: Any, n: Any) -> Any:
    """Return the sum and eps."""
    return t + eps


def leak_weights(e: Any, p: parts, pair: Any, y: Any) -> None:
    """Sum gradients times elements that are not positive."""
    first = p.first.at(e)
    total = ZERO
    for begin in range(0, p.count, p.piece):
        part = ZERO
        for r in range(begin, min(begin + p.piece, p.count)):
            at = first + p.inner.at(r)
            x = pair.a.load(at)
            if x <= ZERO:
                part += x * pair.b.load(at)
        total += part
    y.store(e, total)


def leak_back(e: Any, pair: Any, weights: Any, place: Any, y: Any) -> None:
    """Compute the gradient of an element of which the negative is multiplied by weights."""
    g = pair.b.load(e)
    y.store(e, g if pair.a.load(e) > ZERO else g * weights.load(place.at(e)))


def shuffle(e: Any, inner: Any, axis: Any, rows: Any, x: Any, y: Any) -> None:
    """Take an element from where a transposition of its axis puts it."""
    outer, place = e // (inner * axis), e // inner % axis
    columns = axis // rows
    other = place % columns * rows + place // columns
    y.store(e, x.load((outer * axis + other) * inner + e % inner))


def keep_positive(e: Any, x: Any, noted: Any) -> None:
    """Keep what is positive, and note it."""
    v = x.load(e)
    noted.store(e, np.uint8(1) if v > ZERO else np.uint8(0))
    x.store(e, max(ZERO, v))


def where_noted(e: Any, g: Any, noted: Any, y: Any) -> None:
    """Keep a gradient where it was noted."""
    y.store(e, g.load(e) if noted.load(e) != 0 else ZERO)


# ---------------------------------------------------------------------------- lrn
@dataclass(eq=False)
class local:
    """Numbers of a local response normalisation, and the sizes of the tensor.

    Windows go over ``reach[0]`` channels and ``reach[1]`` positions in each dimension of space.
    """

    alpha: Any
    beta: Any
    k: Any
    before: Any
    size: Any
    across: Any
    channels: Any
    d: Any
    h: Any
    w: Any


def _sum_squares(e: Any, n: local, take: Any, pair: Any, sums: Any) -> Any:
    x, y = e % n.w, e // n.w % n.h
    z = e // (n.w * n.h) % n.d
    c = e // (n.w * n.h * n.d) % n.channels
    space = n.d * n.h * n.w
    total = ZERO
    if n.across:
        for a in range(c - n.before, c - n.before + n.size):
            if a >= 0 and a < n.channels:
                total += take(e + (a - c) * space, n, pair, sums)
    else:
        deep = n.size if n.d > 1 else 1
        high = n.size if n.h > 1 else 1
        for t in range(deep * high * n.size):
            dz = t // (n.size * high) - (n.before if n.d > 1 else 0)
            dy = t // n.size % high - (n.before if n.h > 1 else 0)
            dx = t % n.size - n.before
            if (z + dz >= 0 and z + dz < n.d and y + dy >= 0 and y + dy < n.h
                    and x + dx >= 0 and x + dx < n.w):
                total += take(e + (dz * n.h + dy) * n.w + dx, n, pair, sums)
    return total


def _square(at: Any, n: local, pair: Any, sums: Any) -> Any:
    v = pair.a.load(at)
    return v * v


def _crossed(at: Any, n: local, pair: Any, sums: Any) -> Any:
    return pair.a.load(at) * pair.b.load(at) * sycl.pow(sums.load(at), -n.beta - ONE)


def local_sums(e: Any, n: local, pair: Any, sums: Any) -> None:
    """Sum the squares around an element."""
    sums.store(e, n.k + n.alpha * _sum_squares(e, n, _square, pair, sums))


def local_forward(e: Any, n: local, x: Any, sums: Any, y: Any) -> None:
    """Normalise an element by what is around it."""
    y.store(e, x.load(e) * sycl.pow(sums.load(e), -n.beta))


def local_back(e: Any, n: local, pair: Any, sums: Any, y: Any) -> None:
    """Compute the gradient of an element."""
    direct = pair.b.load(e) * sycl.pow(sums.load(e), -n.beta)
    around = _sum_squares(e, n, _crossed, pair, sums)
    y.store(e, direct - np.float32(2) * n.alpha * n.beta * pair.a.load(e) * around)
