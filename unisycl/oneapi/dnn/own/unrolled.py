"""Convolutions by products of matrices: what is cut where, and when it pays.

Non-goals: kernels. Invariant: the same sums as by direct kernels, in an order of sizes alone.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dnn.kernels import unrolled as kernels
from unisycl.oneapi.dnn.own.matrices import multiply
from unisycl.oneapi.dnn.own.work import Work
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.mkl import tiles

Three = tuple[int, ...]
_CHANNELS, _PLACES, _WINDOWS = 8, 16, 64
_MOST_WASTE = 2
_PART = 4096


@dataclass
class Plan:
    """Windows over a tensor: sizes in three dimensions of space.

    Args:
        images: how many there are; groups: of channels.
        ins: the channels of a group that windows read; outs: those that they give.
        source: the positions of the tensor; step: how far apart they are in the padded one.
        before: how many zeros precede them; negative where some are left out.
        taps: the sizes of windows; dilation: of their places.
        stride: from window to window; result: how many windows there are.
    """

    images: int
    groups: int
    ins: int
    outs: int
    source: Three
    step: Three
    before: Three
    taps: Three
    dilation: Three
    stride: Three
    result: Three

    def __post_init__(self) -> None:
        self.padded = tuple((n - 1) * s + (k - 1) * d + 1 for n, s, k, d in zip(
            self.result, self.stride, self.taps, self.dilation, strict=True))
        self.image = math.prod(self.padded)
        self.pitch = (self.padded[1] * self.padded[2], self.padded[2], 1)
        self.channel = self.images * self.image
        waste = self.image / max(math.prod(self.result), 1)
        self.everywhere = set(self.stride) == {1} and waste <= _MOST_WASTE
        self.count = self.channel if self.everywhere else self.images * math.prod(self.result)
        self.places = self.ins * math.prod(self.taps)

    def pays(self, w: Work) -> bool:
        """Say whether a product is faster than sums."""
        return (self.outs >= _CHANNELS and self.places >= _PLACES
                and self.images * math.prod(self.result) >= _WINDOWS
                and not w.call.queue.get_device().has(sycl.aspect.host_debuggable))

    def pad(self, w: Work, source: Memory) -> Memory:
        """Return the padded tensor, with room behind it for windows that are none."""
        reach = sum((k - 1) * d * p for k, d, p in zip(
            self.taps, self.dilation, self.pitch, strict=True))
        return _laid(w, source, self.images, self.groups * self.ins, size=self.source,
                     padded=self.padded, before=self.before, step=self.step, reach=reach)

    def offsets(self, w: Work) -> Memory:
        """Return where the places of windows lie from their beginnings."""
        within = [sum(f * d * p for f, d, p in zip(at, self.dilation, self.pitch, strict=True))
                  for at in itertools.product(*map(range, self.taps))]
        found = np.add.outer(np.arange(self.ins, dtype=np.int64) * self.channel,
                             np.array(within, np.int64))
        return w.call.table(found.reshape(-1))

    def begin(self, first: int = 0) -> Record:
        """Return where windows begin, from one on."""
        if self.everywhere:
            return Record(kernels.everywhere, np.int64(first))
        steps = tuple(s * p for s, p in zip(self.stride, self.pitch, strict=True))
        return Record(kernels.stepping, np.int64(first), _space(self.result), _space(steps),
                      np.int64(self.image))

    def group(self, at: Memory, g: int, channels: int, each: int) -> Memory:
        """Return a tensor from a group's first channel on."""
        return at.part(g * channels * each, at.size)

    def apply(self, w: Work, source: Memory, weights: Memory, out: Memory) -> None:
        """Compute the result of all windows; weights lie row by row, group by group."""
        padded, places = self.pad(w, source), self.offsets(w)
        pitch = _space(self.padded if self.everywhere else self.result)
        for g in range(self.groups):
            rows = self.group(weights, g, self.outs, self.places)
            read = Record(kernels.windows, self.group(padded, g, self.ins, self.channel), places,
                          self.begin())
            to = Record(kernels.images, out, np.int64(self.groups * self.outs),
                        np.int64(g * self.outs), pitch, _space(self.result))
            multiply(w, (self.outs, self.count, self.places), tiles.plane(rows, self.places), read,
                     to)

    def apply_back(self, w: Work, source: Memory, gradient: Memory, out: Memory) -> None:
        """Compute the gradient of the weights, which lie row by row; in parts of all windows."""
        padded, places = self.pad(w, source), self.offsets(w)
        slopes = _laid(w, gradient, self.images, self.groups * self.outs, size=self.result,
                       padded=self.padded if self.everywhere else self.result)
        for g in range(self.groups):
            left = self.group(slopes, g, self.outs, self.count)
            right = self.group(padded, g, self.ins, self.channel)
            to = tiles.plane(self.group(out, g, self.outs, self.places), self.places)
            for first in range(0, self.count, _PART):
                read = Record(kernels.windows_turned, right, places, self.begin(first))
                multiply(w, (self.outs, self.places, min(_PART, self.count - first)),
                         tiles.plane(left.part(first, left.size), self.count), read, to,
                         add=first > 0)


def _laid(w: Work, source: Memory, images: int, channels: int, *, size: Three, padded: Three,
          before: Three = (0, 0, 0), step: Three = (1, 1, 1), reach: int = 0) -> Memory:
    """Return a tensor channel by channel, padded, with so many elements behind it."""
    kind: Any = source.dtype
    found = w.new(channels * images * math.prod(padded) + reach, kind)
    w.call.launch(found.size, kernels.clear, kind.type(0), found)
    if math.prod(size):
        w.call.launch((images * channels * size[0] * size[1], size[2]), kernels.spread, Record(
            kernels.room, np.int64(images), np.int64(channels), _space(size), _space(padded),
            _space(before), _space(step)), source, found)
    return found


def _space(sizes: Three) -> Record:
    return Record(kernels.space, *(np.int64(n) for n in sizes))


def turned(w: Work, source: Memory, shape: tuple[int, int, int, int], steps: tuple[int, int, int],
           *, around: bool) -> Memory:
    """Return weights row by row: groups, rows, columns and taps by their steps.

    Args:
        w: the execution.
        source: the weights.
        shape: groups, rows, columns and taps.
        steps: from a group, a row and a column to the next.
        around: whether taps are turned around.
    """
    kind: Any = source.dtype
    found = w.new(math.prod(shape), kind)
    how = Record(kernels.turning, *(np.int64(n) for n in (*shape[1:], *steps)), around)
    w.call.launch(math.prod(shape), kernels.turn, how, source, found)
    return found
