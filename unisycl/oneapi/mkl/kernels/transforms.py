"""Kernels of Fourier transforms: passes of small radices, each from one memory to another.

Written in the kernel language. A pass of radix r over transforms of n = r * m * s elements takes
those that are ``m * s`` apart; after all passes the order is right by itself (Stockham). Non-goals:
lengths with large prime factors. Invariant: an element is written by one work-item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class axis:
    """One dimension: its length, how far apart its elements are, roots of one for it, a radix."""

    n: Any
    inner: Any
    roots: Any
    back: Any
    radix: Any

    def root(self, k: Any) -> Any:
        """Return a root of one, conjugated on the way back."""
        w = self.roots.load(k % self.n)
        if self.back:
            return w.conjugate()
        return w


@dataclass(eq=False)
class places:
    """Where the elements of a side lie: an offset, a distance, steps of three dimensions."""

    at: Any
    first: Any
    distance: Any
    step0: Any
    step1: Any
    step2: Any

    def of(self, t: Any, i: Any, j: Any, k: Any) -> Any:
        """Return where an element lies."""
        return (self.first + t * self.distance + i * self.step0 + j * self.step1
                + k * self.step2)


@dataclass(eq=False)
class box:
    """The lengths of three dimensions."""

    n0: Any
    n1: Any
    n2: Any


def gather(e: Any, source: Any, target: Any, shape: Any, kind: Any) -> None:
    """Bring an element where the passes work; real ones become complex."""
    k = e % shape.n2
    j = e // shape.n2 % shape.n1
    i = e // (shape.n2 * shape.n1) % shape.n0
    t = e // (shape.n2 * shape.n1 * shape.n0)
    target.store(e, kind(source.at.load(source.of(t, i, j, k))))


def gather_half(e: Any, source: Any, target: Any, shape: Any) -> None:
    """Bring an element of what is symmetric, of which one half is there."""
    k = e % shape.n2
    j = e // shape.n2 % shape.n1
    i = e // (shape.n2 * shape.n1) % shape.n0
    t = e // (shape.n2 * shape.n1 * shape.n0)
    if k <= shape.n2 // 2:
        target.store(e, source.at.load(source.of(t, i, j, k)))
    else:
        at = source.of(t, (shape.n0 - i) % shape.n0, (shape.n1 - j) % shape.n1, shape.n2 - k)
        target.store(e, source.at.load(at).conjugate())


def scatter(e: Any, source: Any, target: Any, shape: Any, whole: Any, scale: Any) -> None:
    """Put an element where it belongs, scaled; ``whole`` is the last length that was computed."""
    k = e % shape.n2
    j = e // shape.n2 % shape.n1
    i = e // (shape.n2 * shape.n1) % shape.n0
    t = e // (shape.n2 * shape.n1 * shape.n0)
    x = source.load(((t * shape.n0 + i) * shape.n1 + j) * whole + k)
    target.at.store(target.of(t, i, j, k), scale * x)


def scatter_real(e: Any, source: Any, target: Any, shape: Any, whole: Any, scale: Any) -> None:
    """Put the real part of an element where it belongs, scaled."""
    k = e % shape.n2
    j = e // shape.n2 % shape.n1
    i = e // (shape.n2 * shape.n1) % shape.n0
    t = e // (shape.n2 * shape.n1 * shape.n0)
    x = source.load(((t * shape.n0 + i) * shape.n1 + j) * whole + k)
    target.at.store(target.of(t, i, j, k), scale * x.real)


def radix2(e: Any, source: Any, target: Any, along: Any, m: Any, s: Any) -> None:
    """Do a pass of radix 2."""
    inner = along.inner
    c, q = e % inner, e // inner % s
    p = e // (inner * s) % m
    base = e // (inner * s * m) * along.n
    x = source.load((base + q + s * p) * inner + c)
    y = source.load((base + q + s * (p + m)) * inner + c)
    to = base + q + s * 2 * p
    target.store(to * inner + c, x + y)
    target.store((to + s) * inner + c, (x - y) * along.root(p * s))


def radix4(e: Any, source: Any, target: Any, along: Any, m: Any, s: Any) -> None:
    """Do a pass of radix 4."""
    inner = along.inner
    c, q = e % inner, e // inner % s
    p = e // (inner * s) % m
    base = e // (inner * s * m) * along.n
    at = base + q + s * p
    x0 = source.load(at * inner + c)
    x1 = source.load((at + s * m) * inner + c)
    x2 = source.load((at + s * m * 2) * inner + c)
    x3 = source.load((at + s * m * 3) * inner + c)
    a, b = x0 + x2, x0 - x2
    d, g = x1 + x3, (x1 - x3) * along.root(along.n // 4)
    to = base + q + s * 4 * p
    target.store(to * inner + c, a + d)
    target.store((to + s) * inner + c, (b + g) * along.root(p * s))
    target.store((to + 2 * s) * inner + c, (a - d) * along.root(2 * p * s))
    target.store((to + 3 * s) * inner + c, (b - g) * along.root(3 * p * s))


def small(e: Any, source: Any, target: Any, along: Any, m: Any, s: Any) -> None:
    """Do a pass of any radix."""
    inner, radix = along.inner, along.radix
    c, q = e % inner, e // inner % s
    p = e // (inner * s) % m
    base = e // (inner * s * m) * along.n
    step = along.n // radix
    at, to = base + q + s * p, base + q + s * radix * p
    for k in range(radix):
        total = source.load(at * inner + c)
        for j in range(1, radix):
            total += source.load((at + s * m * j) * inner + c) * along.root(j * k * step)
        target.store((to + k * s) * inner + c, total * along.root(p * k * s))


