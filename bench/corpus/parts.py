"""Bytes, branches on data, parts of arrays and wavefronts, as a user of NumPy or Numba writes them.

Kernels were written before anybody looked at what the compiler makes of them, but for ``flags`` and
``some_sums``, which show what was changed for others. Launches of a wavefront go over another range
each time and are submitted one by one, not prepared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING32,
    Entry,
    Namespace,
    Operands,
    Step,
    inner,
    parallel,
    prange,
    show,
)
from bench.corpus.shading import plain

F, I, B, S = np.float32, np.int32, np.uint8, np.int16


# wavefront: Smith-Waterman scores, a launch for each anti-diagonal


@sycl.kernel
def wavefront(i: Any, h: Any, a: Any, b: Any, d: Any, low: Any) -> None:
    r = low + i
    c = d - r
    s = 2 if a[r - 1] == b[c - 1] else -1
    h[r, c] = max(0, h[r - 1, c - 1] + s, h[r - 1, c] - 1, h[r, c - 1] - 1)


@inner
def scores(h: Any, a: Any, b: Any) -> None:
    for r in range(1, len(a) + 1):
        for c in range(1, len(b) + 1):
            s = 2 if a[r - 1] == b[c - 1] else -1
            h[r, c] = max(0, h[r - 1, c - 1] + s, max(h[r - 1, c], h[r, c - 1]) - 1)


def waves(d: Operands) -> list[Any]:
    def submit(queue: Any) -> None:
        n, m = len(d.a), len(d.b)
        for k in range(2, n + m + 1):
            low = max(1, k - m)
            queue.parallel_for(min(n, k - 1) - low + 1, wavefront, d.h, d.a, d.b, k, low)
    return [submit]


def make_words(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(a=r.integers(0, 4, n).astype(B), b=r.integers(0, 4, n + 3).astype(B),
                     h=np.zeros((n + 1, n + 4), I))


WAVEFRONT = Entry("wavefront", make_words, 500, 30, {"": waves},
                  plain(lambda d: scores(d.h, d.a, d.b), "h"),
                  numba=lambda d: scores(d.h, d.a, d.b))


# spikes: leaky neurons that rest for five steps behind a spike


@sycl.kernel
def spikes(i: Any, v: Any, rest: Any, current: Any, fired: Any, dt: Any) -> None:
    if rest[i] > 0:
        rest[i] -= 1
        fired[i] = 0
        return
    u = v[i] + dt * (-(v[i] + F(65)) + current[i])
    if u > F(-50):
        u = F(-65)
        rest[i] = 5
        fired[i] = 1
    else:
        fired[i] = 0
    v[i] = u


@parallel
def nb_spikes(v: Any, rest: Any, current: Any, fired: Any, dt: Any) -> None:
    for i in prange(len(v)):
        if rest[i] > 0:
            rest[i] -= 1
            fired[i] = 0
        else:
            u = v[i] + dt * (-(v[i] + F(65)) + current[i])
            if u > F(-50):
                u = F(-65)
                rest[i] = 5
                fired[i] = 1
            else:
                fired[i] = 0
            v[i] = u


def make_neurons(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(v=r.uniform(-65, -45, n).astype(F), current=r.uniform(0, 80, n).astype(F),
                     rest=(r.integers(0, 2, n) * r.integers(0, 5, n)).astype(I),
                     fired=np.zeros(n, B), dt=F(0.1))


def neurons(d: Operands) -> tuple[Any, ...]:
    return d.v, d.rest, d.current, d.fired, d.dt


SPIKES = Entry("spikes", make_neurons, 1 << 19, 77,
               {"": lambda d: [Step(spikes, len(d.v), *neurons(d))]},
               plain(lambda d: nb_spikes(*neurons(d)), "v"), ROUNDING32,
               "products may be fused", outliers=1e-4, numba=lambda d: nb_spikes(*neurons(d)))


# flags and sums: what some items write of short elements


@sycl.kernel
def flags(i: Any, a: Any, low: Any, out: Any) -> None:
    if a[i] > low:
        out[i] = 1


@parallel
def nb_flags(a: Any, low: Any, out: Any) -> None:
    for i in prange(len(a)):
        if a[i] > low:
            out[i] = 1


@sycl.kernel
def some_sums(i: Any, a: Any, low: Any, b: Any, out: Any) -> None:
    if a[i] > low:
        out[i] += b[i]


@parallel
def nb_some_sums(a: Any, low: Any, b: Any, out: Any) -> None:
    for i in prange(len(a)):
        if a[i] > low:
            out[i] += b[i]


def make_some(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(a=r.random(n, dtype=F), low=F(0.5), b=r.integers(-99, 99, n).astype(S),
                     out=np.zeros(n, B), sums=np.zeros(n, S))


FLAGS = Entry("flags", make_some, 1 << 20, 77,
              {"": lambda d: [Step(flags, len(d.a), d.a, d.low, d.out)]},
              plain(lambda d: nb_flags(d.a, d.low, d.out), "out"),
              numba=lambda d: nb_flags(d.a, d.low, d.out))
SOME_SUMS = Entry("some_sums", make_some, 1 << 20, 77,
                  {"": lambda d: [Step(some_sums, len(d.a), d.a, d.low, d.b, d.sums)]},
                  plain(lambda d: nb_some_sums(d.a, d.low, d.b, d.sums), "sums"),
                  numba=lambda d: nb_some_sums(d.a, d.low, d.b, d.sums))


# steps, channel and transposed: parts of arrays, where they lie


@sycl.kernel
def steps(i: Any, a: Any, b: Any, out: Any) -> None:
    out[i] = a[i] - b[i]


@parallel
def nb_steps(a: Any, b: Any, out: Any) -> None:
    for i in prange(len(out)):
        out[i] = a[i] - b[i]


def make_steps(n: int) -> Operands:
    x = np.random.default_rng(1).random(2 * n, dtype=F)
    return Namespace(a=x[::2], b=x[1::2], out=np.zeros(n, F))


STEPS = Entry("steps", make_steps, 1 << 20, 77,
              {"": lambda d: [Step(steps, len(d.out), d.a, d.b, d.out)]},
              plain(lambda d: nb_steps(d.a, d.b, d.out), "out"),
              numba=lambda d: nb_steps(d.a, d.b, d.out))


@sycl.kernel
def channel(i: Any, image: Any, out: Any) -> None:
    out[i[0], i[1]] = image[i[0], i[1]] >> 1


@parallel
def nb_channel(image: Any, out: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            out[y, x] = image[y, x] >> 1


def make_colours(n: int) -> Operands:
    image = np.random.default_rng(1).integers(0, 256, (n, n, 3)).astype(B)
    return Namespace(image=image[:, :, 1], out=np.zeros((n, n), B))


CHANNEL = Entry("channel", make_colours, 1024, 33,
                {"": lambda d: [Step(channel, d.out.shape, d.image, d.out)]},
                plain(lambda d: nb_channel(d.image, d.out), "out"),
                numba=lambda d: nb_channel(d.image, d.out))


@sycl.kernel
def transposed(i: Any, u: Any, v: Any) -> None:
    y, x = i[0] + 1, i[1] + 1
    v[y, x] = F(0.25) * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1])


@parallel
def nb_transposed(u: Any, v: Any) -> None:
    for y in prange(1, u.shape[0] - 1):
        for x in range(1, u.shape[1] - 1):
            v[y, x] = F(0.25) * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1])


def make_transposed(n: int) -> Operands:
    u = np.random.default_rng(1).random((n, n), dtype=F)
    return Namespace(u=u.T, v=np.zeros((n, n), F).T)


TRANSPOSED = Entry("transposed", make_transposed, 500, 33,
                   {"": lambda d: [Step(transposed, tuple(k - 2 for k in d.u.shape), d.u, d.v)]},
                   plain(lambda d: nb_transposed(d.u, d.v), "v"), ROUNDING32, "sums of four",
                   numba=lambda d: nb_transposed(d.u, d.v))


ENTRIES = (WAVEFRONT, SPIKES, FLAGS, SOME_SUMS, STEPS, CHANNEL, TRANSPOSED)

if __name__ == "__main__":
    show(ENTRIES)
