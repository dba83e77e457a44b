"""Kernels of convolutions: of a source, of a gradient back to it, and of the weights' gradient.

Written in the kernel language, for three dimensions of space; tensors lie row by row. Invariant: an
element is summed by one work-item, in an order that depends on sizes alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class windows:
    """How windows of a source become elements of a result, in space: sizes, steps, padding."""

    id: Any
    ih: Any
    iw: Any
    od: Any
    oh: Any
    ow: Any
    kd: Any
    kh: Any
    kw: Any
    sd: Any
    sh: Any
    sw: Any
    dd: Any
    dh: Any
    dw: Any
    pd: Any
    ph: Any
    pw: Any


@dataclass(eq=False)
class weights:
    """Weights, and by which steps a group, a channel out and a channel in are reached."""

    at: Any
    group: Any
    out: Any
    inner: Any


@dataclass(eq=False)
class channels:
    """Channels of a group in and out, how many groups, and the zero of the sums."""

    ins: Any
    outs: Any
    groups: Any
    zero: Any


def forward(i: Any, w: windows, c: channels, source: Any, k: weights, target: Any) -> None:
    """Sum the windows of one element of the result."""
    r, ox = i[0], i[1]
    oy = r % w.oh
    r = r // w.oh
    oz = r % w.od
    r = r // w.od
    o = r % (c.outs * c.groups)
    n = r // (c.outs * c.groups)
    g = o // c.outs
    first = (n * c.groups + g) * c.ins * w.id
    filters = g * k.group + (o - g * c.outs) * k.out
    total = c.zero
    for f in range(w.kd * w.kh * w.kw):
        z = oz * w.sd - w.pd + f // (w.kh * w.kw) * w.dd
        y = oy * w.sh - w.ph + f // w.kw % w.kh * w.dh
        x = ox * w.sw - w.pw + f % w.kw * w.dw
        if z >= 0 and z < w.id and y >= 0 and y < w.ih and x >= 0 and x < w.iw:
            at = ((first + z) * w.ih + y) * w.iw + x
            for a in range(c.ins):
                total += source.load(at + a * (w.id * w.ih * w.iw)) * k.at.load(
                    filters + a * k.inner + f)
    target.store(i[0] * w.ow + ox, total)


def back(i: Any, w: windows, c: channels, source: Any, k: weights, target: Any) -> None:
    """Sum what one element of the source contributed to."""
    r, x = i[0], i[1]
    y = r % w.ih
    r = r // w.ih
    z = r % w.id
    r = r // w.id
    a = r % (c.ins * c.groups)
    n = r // (c.ins * c.groups)
    g = a // c.ins
    first = (n * c.groups + g) * c.outs * w.od
    filters = g * k.group + (a - g * c.ins) * k.inner
    total = c.zero
    for f in range(w.kd * w.kh * w.kw):
        tz = z + w.pd - f // (w.kh * w.kw) * w.dd
        ty = y + w.ph - f // w.kw % w.kh * w.dh
        tx = x + w.pw - f % w.kw * w.dw
        on = tz % w.sd == 0 and ty % w.sh == 0 and tx % w.sw == 0
        if on and tz >= 0 and ty >= 0 and tx >= 0 and (
                tz < w.od * w.sd and ty < w.oh * w.sh and tx < w.ow * w.sw):
            at = ((first + tz // w.sd) * w.oh + ty // w.sh) * w.ow + tx // w.sw
            for o in range(c.outs):
                total += source.load(at + o * (w.od * w.oh * w.ow)) * k.at.load(
                    filters + o * k.out + f)
    target.store(i[0] * w.iw + x, total)


def of_weights(e: Any, w: windows, c: channels, batch: Any, pair: Any, k: weights) -> None:
    """Sum the gradient of one weight, row by row."""
    f = e % (w.kd * w.kh * w.kw)
    r = e // (w.kd * w.kh * w.kw)
    a = r % c.ins
    r = r // c.ins
    o = r % c.outs
    g = r // c.outs
    fz, fy, fx = f // (w.kh * w.kw) * w.dd, f // w.kw % w.kh * w.dh, f % w.kw * w.dw
    total = c.zero
    for row in range(batch * w.od * w.oh):
        n = row // (w.od * w.oh)
        z = row // w.oh % w.od * w.sd - w.pd + fz
        y = row % w.oh * w.sh - w.ph + fy
        if z >= 0 and z < w.id and y >= 0 and y < w.ih:
            line = ((((n * c.groups + g) * c.ins + a) * w.id + z) * w.ih + y) * w.iw
            other = (((n * c.groups + g) * c.outs + o) * (w.od * w.oh)
                     + row % (w.od * w.oh)) * w.ow
            part = c.zero
            for ox in range(w.ow):
                x = ox * w.sw - w.pw + fx
                if x >= 0 and x < w.iw:
                    part += pair.a.load(line + x) * pair.b.load(other + ox)
            total += part
    k.at.store(g * k.group + o * k.out + a * k.inner + f, total)


def over_batch(e: Any, count: Any, sizes: Any, source: Any, target: Any) -> None:
    """Sum a channel over batch and space, which gives the gradient of its bias."""
    total = sizes.zero
    for n in range(sizes.batch):
        part = sizes.zero
        for s in range(sizes.space):
            part += source.load((n * count + e) * sizes.space + s)
        total += part
    target.store(e, total)


@dataclass(eq=False)
class sums:
    """Over what a channel is summed."""

    batch: Any
    space: Any
    zero: Any


def product(i: Any, sizes: Any, a: Any, b: Any, c: Any) -> None:
    """Multiply a row by a column."""
    total = sizes.numbers.zero
    for k in range(sizes.k):
        total += a.get(i[0], k) * b.get(k, i[1])
    if sizes.numbers.beta != sizes.numbers.zero:
        total += c.get(i[0], i[1])
    c.put(i[0], i[1], total)


@dataclass(eq=False)
class product_sizes:
    """What a product sums over, and its numbers."""

    k: Any
    numbers: Any
