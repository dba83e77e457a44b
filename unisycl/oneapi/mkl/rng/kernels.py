"""Random numbers in kernels: what engines compute, and what distributions make of it.

Written in the kernel language. Non-goals: states, which the host keeps (``engines``). Invariant:
number ``k`` of a stream depends on the seed and ``k`` alone, so every division of the work gives
the same numbers; what is rounded is rounded once (``fma``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True
LEAST = 2.0 ** -33
"""What stands for a uniform number of 0 where its logarithm is taken: half of the next one."""


COUNTERS = 4
"""Counters of a work-item where groups are wide."""


# ---- distributions: of(word) or of_two(word, word)
@dataclass(eq=False)
class raw:
    """The numbers of the engine themselves."""

    kind: Any

    def of(self, word: Any) -> Any:
        """Return a number as it is."""
        return self.kind(word)


@dataclass(eq=False)
class in_float:
    """Uniform float32 of the highest 24 bits of a word."""

    low: Any
    width: Any
    drop: Any

    def of(self, word: Any) -> Any:
        """Return a number from ``low`` on."""
        unit = np.float32(word >> self.drop) * np.float32(2.0 ** -24)
        return sycl.fma(unit, self.width, self.low)


@dataclass(eq=False)
class in_double:
    """Uniform float64 of a word, or of the highest 53 bits of a long one."""

    low: Any
    width: Any
    drop: Any
    unit: Any

    def of(self, word: Any) -> Any:
        """Return a number from ``low`` on."""
        return sycl.fma(np.float64(word >> self.drop) * self.unit, self.width, self.low)


@dataclass(eq=False)
class normal:
    """Gaussian numbers, two of two uniform ones (Box and Muller)."""

    unit: Any
    mean: Any
    deviation: Any
    kind: Any

    def of_two(self, a: Any, b: Any) -> Any:
        """Return two numbers."""
        kind = self.kind
        first = self.unit.of(a)
        radius = self.deviation * sycl.sqrt(kind(-2.0) * sycl.log(
            first if first > kind(0) else kind(LEAST)))
        if kind is np.float32:
            cosine, sine = turned(self.unit.of(b))
        else:
            angle = self.unit.of(b) * kind(2.0 * math.pi)
            cosine, sine = sycl.cos(angle), sycl.sin(angle)
        return sycl.fma(radius, cosine, self.mean), sycl.fma(radius, sine, self.mean)


_SINE = (1.57079632, -0.64596346, 0.07968002, -0.00460163)
_COSINE = (1.0, -1.23370054, 0.25366924, -0.0208602645, 0.000903974677)
"""Of the sine by the number itself, and of the cosine, of half turns, up to a quarter: at most 1.7
and 1 units in the last place from these."""


def turned(turns: Any) -> Any:
    """Return cosine and sine of an angle in turns, 0 to 1, which is divided exactly."""
    quarters = turns * np.float32(4)
    quarter = np.int32(quarters + np.float32(0.5))
    x = quarters - np.float32(quarter)
    z = x * x
    sine, cosine = np.float32(_SINE[-1]), np.float32(_COSINE[-1])
    for k in (2, 1, 0):
        sine = sycl.fma(sine, z, np.float32(_SINE[k]))
    for k in (3, 2, 1, 0):
        cosine = sycl.fma(cosine, z, np.float32(_COSINE[k]))
    sine = sine * x
    odd = quarter & np.int32(1) != 0
    c = sine if odd else cosine
    s = cosine if odd else sine
    return (-c if (quarter + np.int32(1)) & np.int32(2) != 0 else c,
            -s if quarter & np.int32(2) != 0 else s)


# ---- philox4x32x10
def philox(key: Any, low: Any, high: Any) -> Any:
    """Return the four words of a counter of 128 bits, given as two halves."""
    k0, k1 = np.uint32(key), np.uint32(key >> np.uint64(32))
    c0, c1 = np.uint32(low), np.uint32(low >> np.uint64(32))
    c2, c3 = np.uint32(high), np.uint32(high >> np.uint64(32))
    for _ in range(10):
        p, q = sycl.mul_hi(c0, np.uint32(0xD2511F53)), c0 * np.uint32(0xD2511F53)
        r, s = sycl.mul_hi(c2, np.uint32(0xCD9E8D57)), c2 * np.uint32(0xCD9E8D57)
        c0, c1, c2, c3 = r ^ c1 ^ k0, s, p ^ c3 ^ k1, q
        k0 += np.uint32(0x9E3779B9)
        k1 += np.uint32(0xBB67AE85)
    return c0, c1, c2, c3


@dataclass(eq=False)
class counters:
    """A key, the first counter, and how many of its words were taken before."""

    key: Any
    low: Any
    high: Any
    taken: Any

    def words(self, i: Any) -> Any:
        """Return the four words of counter ``i`` from the first on."""
        low = self.low + np.uint64(i)
        high = self.high + (np.uint64(1) if low < self.low else np.uint64(0))
        return philox(self.key, low, high)


def whole_single(i: Any, engine: Any, rule: Any, four: Any, target: Any) -> None:
    """Write the numbers of one counter as a vector, one of each word."""
    w = engine.words(i)
    four(rule.of(w[0]), rule.of(w[1]), rule.of(w[2]), rule.of(w[3])).store(i, target.at)


def whole_double(i: Any, engine: Any, rule: Any, four: Any, target: Any) -> None:
    """Write the numbers of one counter as a vector, two of two words."""
    w = engine.words(i)
    p, q = rule.of_two(w[0], w[1])
    r, s = rule.of_two(w[2], w[3])
    four(p, q, r, s).store(i, target.at)


def several_single(i: Any, engine: Any, rule: Any, four: Any, target: Any, apart: Any) -> None:
    """Do so with four counters that are far apart, so that neighbours write side by side."""
    for j in sycl.ext.intel.unroll(range(COUNTERS)):
        whole_single(i + j * apart, engine, rule, four, target)


def several_double(i: Any, engine: Any, rule: Any, four: Any, target: Any, apart: Any) -> None:
    """Do so with two numbers of two words."""
    for j in sycl.ext.intel.unroll(range(COUNTERS)):
        whole_double(i + j * apart, engine, rule, four, target)


def philox_single(i: Any, engine: Any, rule: Any, target: Any, count: Any) -> None:
    """Write the numbers of one counter, one of each word."""
    w = engine.words(i)
    at = 4 * i - engine.taken
    if at >= 0 and at + 4 <= count:
        target.store(at, rule.of(w[0]))
        target.store(at + 1, rule.of(w[1]))
        target.store(at + 2, rule.of(w[2]))
        target.store(at + 3, rule.of(w[3]))
    else:
        store_within(target, at, rule.of(w[0]), count)
        store_within(target, at + 1, rule.of(w[1]), count)
        store_within(target, at + 2, rule.of(w[2]), count)
        store_within(target, at + 3, rule.of(w[3]), count)


def philox_double(i: Any, engine: Any, rule: Any, target: Any, count: Any) -> None:
    """Write the numbers of the four words from the first one that is not taken, by two."""
    a, b, c, d = engine.words(i)
    if engine.taken > 0:
        e, f, g, _ = engine.words(i + 1)
        if engine.taken == 1:
            a, b, c, d = b, c, d, e
        elif engine.taken == 2:
            a, b, c, d = c, d, e, f
        else:
            a, b, c, d = d, e, f, g
    p, q = rule.of_two(a, b)
    r, s = rule.of_two(c, d)
    store_within(target, 4 * i, p, count)
    store_within(target, 4 * i + 1, q, count)
    store_within(target, 4 * i + 2, r, count)
    store_within(target, 4 * i + 3, s, count)


def store_within(target: Any, at: Any, value: Any, count: Any) -> None:
    """Write a number if it is one that is wanted."""
    if at >= 0 and at < count:
        target.store(at, value)


@dataclass(eq=False)
class each_word:
    """The words of counters one by one, each computed by itself."""

    counters: Any

    def load(self, k: Any) -> Any:
        """Return word ``k`` from the first on that was not taken."""
        at = np.int64(k) + self.counters.taken
        w = self.counters.words(at >> np.int64(2))
        j = at & np.int64(3)
        low, high = w[1] if j == 1 else w[0], w[3] if j == 3 else w[2]
        return high if j > 1 else low


def indexed_single(k: Any, words: Any, stride: Any, rule: Any, target: Any) -> None:
    """Write one number of a word."""
    target.store(k, rule.of(words.load(k * stride)))


def indexed_double(i: Any, words: Any, stride: Any, rule: Any, target: Any, count: Any) -> None:
    """Write two numbers of two words."""
    k = np.int64(2) * np.int64(i)
    p, q = rule.of_two(words.load(k * stride), words.load((k + np.int64(1)) * stride))
    target.store(k, p)
    store_within(target, k + np.int64(1), q, count)


# ---- engines that go from one number to the next
@dataclass(eq=False)
class mcg59:
    """The state of the multiplicative congruential generator of 59 bits."""

    x: Any

    def next(self) -> Any:
        """Return the next number."""
        found = self.x
        self.x = (found * np.uint64(302875106592253)) & np.uint64((1 << 59) - 1)
        return found


@dataclass(eq=False)
class mrg32k3a:
    """The state of the combined multiple recursive generator: three numbers of each part."""

    x0: Any
    x1: Any
    x2: Any
    y0: Any
    y1: Any
    y2: Any

    def next(self) -> Any:
        """Return the next number."""
        m1, m2 = 4294967087, 4294944443
        x = (np.int64(1403580) * self.x1 - np.int64(810728) * self.x0) % np.int64(m1)
        y = (np.int64(527612) * self.y2 - np.int64(1370589) * self.y0) % np.int64(m2)
        self.x0, self.x1, self.x2 = self.x1, self.x2, x
        self.y0, self.y1, self.y2 = self.y1, self.y2, y
        return np.uint32((x - y) % np.int64(m1))


def state_of(kind: Any, states: Any, c: Any) -> Any:
    """Return the state at the beginning of a chunk."""
    if kind is mcg59:
        return mcg59(states.load(c))
    return mrg32k3a(
        np.int64(states.load(6 * c)), np.int64(states.load(6 * c + 1)),
        np.int64(states.load(6 * c + 2)), np.int64(states.load(6 * c + 3)),
        np.int64(states.load(6 * c + 4)), np.int64(states.load(6 * c + 5)))


def chunk_single(it: Any, kind: Any, states: Any, rule: Any, target: Any, plan: Any) -> None:
    """Write the numbers of a chunk, one of each of the engine's."""
    c = it.get_group(0)
    state = state_of(kind, states, c)
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        target.store(k, rule.of(state.next()))


def chunk_double(it: Any, kind: Any, states: Any, rule: Any, target: Any, plan: Any) -> None:
    """Write the numbers of a chunk, two of two of the engine's; a chunk has an even number."""
    c = it.get_group(0)
    state = state_of(kind, states, c)
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count), 2):
        a = state.next()
        b = state.next()
        p, q = rule.of_two(a, b)
        target.store(k, p)
        store_within(target, k + 1, q, plan.count)
