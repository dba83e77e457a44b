"""Black-Scholes: prices of European options; logarithms, exponentials and a branch."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import one_kernel
from bench.peers.start import numba, taichi, warp
from bench.peers.threads import threaded

N = sized(1 << 22, 1 << 13)
RATE, VOLATILITY = np.float32(0.02), np.float32(0.3)


def operands() -> Work:
    """Return price, strike and years, then calls and puts to compute, rate and volatility."""
    random = np.random.default_rng(1)
    given = [low + (high - low) * random.random(N, np.float32)
             for low, high in ((5, 30), (1, 100), (0.25, 10))]
    given = [v.astype(np.float32) for v in given]
    return Work((*given, np.zeros(N, np.float32), np.zeros(N, np.float32), RATE, VOLATILITY),
                (3, 4))


def with_unisycl() -> Case:
    """One option a work-item; the normal distribution by the usual polynomial."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    def normal(d: Any) -> Any:
        k = np.float32(1) / (np.float32(1) + np.float32(0.2316419) * sycl.fabs(d))
        poly = k * (np.float32(0.31938153) + k * (np.float32(-0.356563782) + k * (
            np.float32(1.781477937) + k * (np.float32(-1.821255978)
                                           + k * np.float32(1.330274429)))))
        tail = np.float32(0.39894228) * sycl.exp(np.float32(-0.5) * d * d) * poly
        return np.float32(1) - tail if d > np.float32(0) else tail

    @sycl.kernel
    def black_scholes(i: Any, price: Any, strike: Any, years: Any, call: Any, put: Any, rate: Any,
                      volatility: Any) -> None:
        s, x, t = price[i], strike[i], years[i]
        spread = volatility * sycl.sqrt(t)
        d1 = (sycl.log(s / x) + (rate + np.float32(0.5) * volatility * volatility) * t) / spread
        d2 = d1 - spread
        n1, n2 = normal(d1), normal(d2)
        discounted = x * sycl.exp(-rate * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (np.float32(1) - n2) - s * (np.float32(1) - n1)

    return ours.launch(sycl.range(N), black_scholes, operands())


def _normal(d: Any) -> Any:
    k = 1 / (1 + np.float32(0.2316419) * abs(d))
    poly = k * (np.float32(0.31938153) + k * (np.float32(-0.356563782) + k * (
        np.float32(1.781477937) + k * (np.float32(-1.821255978) + k * np.float32(1.330274429)))))
    tail = np.float32(0.39894228) * np.exp(np.float32(-0.5) * d * d) * poly
    return np.where(d > 0, 1 - tail, tail)


def with_numpy(part: slice, price: Any, strike: Any, years: Any, call: Any, put: Any, rate: Any,
               volatility: Any) -> None:
    """One block that fits the cache."""
    s, x, t = price[part], strike[part], years[part]
    spread = volatility * np.sqrt(t)
    d1 = (np.log(s / x) + (rate + np.float32(0.5) * volatility * volatility) * t) / spread
    n1, n2 = _normal(d1), _normal(d1 - spread)
    discounted = x * np.exp(-rate * t)
    call[part] = s * n1 - discounted * n2
    put[part] = discounted * (1 - n2) - s * (1 - n1)


def check(result: Any) -> None:
    """Compare with NumPy in double precision."""
    args = operands().args
    wide = [a.astype(np.float64) for a in args[:5]]
    with_numpy(slice(None), *wide, *map(float, args[5:]))
    for got, expected in zip(result, wide[3:], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=2e-4)


BENCHMARKS = {"black_scholes": Benchmark(
    title=f"{N} options, float32, calls and puts",
    implementations={OURS: Implementation(with_unisycl), **ours.one_thread(with_unisycl),
                     **threaded(with_numpy, operands, N, 8192),
                     **numba("black_scholes", operands), **taichi("black_scholes", operands),
                     **warp("black_scholes", operands, (N,)),
                     **one_kernel("black_scholes", operands, (N,))},
    check=check, work=5 * 4 * N / 1e9, unit="GB/s", bound="stream")}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
