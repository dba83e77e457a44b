"""Kernels for each element, and the functions that they apply.

Written in the kernel language. ``forward`` functions take x, alpha and beta; ``backward`` ones the
gradient besides. Invariant: computed in the type of the memory, which is float32.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True

_ROOT_2 = np.float32(0.70710678118654752)
_ROOT_2_OF_PI = np.float32(0.79788456080286536)
_GELU = np.float32(0.044715)
_PEAK = np.float32(0.39894228040143268)
ZERO, HALF, ONE, TWO = np.float32(0), np.float32(0.5), np.float32(1), np.float32(2)
_NEAR, _FAR = np.float32(20), np.float32(15)
"""From where on functions are their limits: x log(1 + exp(x)), and x times what is 0 or 1."""


def apply(e: Any, f: Any, alpha: Any, beta: Any, x: Any, y: Any) -> None:
    """Apply a function to an element."""
    y.store(e, f(x.load(e), alpha, beta))


def apply_back(e: Any, f: Any, numbers: Any, g: Any, x: Any, y: Any) -> None:
    """Multiply a gradient by the slope of a function."""
    y.store(e, g.load(e) * f(x.load(e), numbers.alpha, numbers.beta))


def combine(e: Any, f: Any, x: Any, y: Any, place: Any, z: Any) -> None:
    """Combine an element with one of another tensor."""
    z.store(e, f(x.load(e), y.load(place.at(e))))


def add_scaled(e: Any, scale: Any, zero: Any, x: Any, y: Any) -> None:
    """Add a multiple of an element."""
    y.store(e, y.load(e) + scale * (x.load(e) - zero))


# ---------------------------------------------------------------------------- functions
def relu(x: Any, alpha: Any, beta: Any) -> Any:
    """Keep what is positive, and NaN; times alpha what is not, where an infinity may become 0."""
    return (x * alpha if alpha != ZERO else ZERO) if x <= ZERO else x


def tanh(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the hyperbolic tangent."""
    return sycl.tanh(x)


def elu(x: Any, alpha: Any, beta: Any) -> Any:
    """Return x, or alpha times exp(x) - 1 of what is not positive."""
    return x if x > ZERO else alpha * sycl.expm1(x)


def square(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the square."""
    return x * x


def magnitude(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the magnitude."""
    return abs(x)


def sqrt(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the square root."""
    return sycl.sqrt(x)


def linear(x: Any, alpha: Any, beta: Any) -> Any:
    """Return alpha x + beta."""
    return alpha * x + beta


def soft_relu(x: Any, alpha: Any, beta: Any) -> Any:
    """Return log(1 + exp(alpha x)) / alpha."""
    t = alpha * x
    return (t if t > _NEAR else sycl.log1p(sycl.exp(t))) / alpha


def hardsigmoid(x: Any, alpha: Any, beta: Any) -> Any:
    """Return alpha x + beta within 0 and 1."""
    return sycl.fmax(ZERO, sycl.fmin(ONE, alpha * x + beta))


def logistic(x: Any, alpha: Any, beta: Any) -> Any:
    """Return 1 / (1 + exp(-x))."""
    return ONE / (ONE + sycl.exp(-x))


def exp(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the exponential."""
    return sycl.exp(x)


def gelu_tanh(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the Gaussian error linear unit, by the hyperbolic tangent."""
    t = sycl.tanh(_ROOT_2_OF_PI * x * (ONE + _GELU * x * x))
    return ZERO if x < -_FAR else HALF * x * (ONE + t)


def swish(x: Any, alpha: Any, beta: Any) -> Any:
    """Return x / (1 + exp(-alpha x))."""
    return x / (ONE + sycl.exp(-alpha * x))


def log(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the logarithm."""
    return sycl.log(x)


def clip(x: Any, alpha: Any, beta: Any) -> Any:
    """Return x within alpha and beta."""
    return sycl.fmin(sycl.fmax(x, alpha), beta)


def power(x: Any, alpha: Any, beta: Any) -> Any:
    """Return alpha times x to the power of beta."""
    return alpha * sycl.pow(x, beta)


def gelu_erf(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the Gaussian error linear unit."""
    return ZERO if x < -_FAR else HALF * x * sycl.erfc(-x * _ROOT_2)


def rounded(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the nearest whole number, the even one of two."""
    return sycl.rint(x)


def mish(x: Any, alpha: Any, beta: Any) -> Any:
    """Return x tanh(log(1 + exp(x)))."""
    return x * sycl.tanh(soft_relu(x, ONE, ZERO))


def hardswish(x: Any, alpha: Any, beta: Any) -> Any:
    """Return x times alpha x + beta within 0 and 1."""
    return x * hardsigmoid(x, alpha, beta)


# ---------------------------------------------------------------------------- slopes
def relu_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of relu, at x or at its result."""
    return ONE if x > ZERO else alpha


def tanh_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of tanh."""
    t = sycl.tanh(x)
    return ONE - t * t


def tanh_slope_of_result(y: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of tanh where it is y."""
    return ONE - y * y


def elu_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of elu."""
    return ONE if x > ZERO else alpha * sycl.exp(x)


def elu_slope_of_result(y: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of elu where it is y."""
    return ONE if y > ZERO else y + alpha


def square_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of the square."""
    return TWO * x


def magnitude_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the sign."""
    return ONE if x > ZERO else (-ONE if x < ZERO else ZERO)


def sqrt_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of the square root."""
    return HALF / sycl.sqrt(x)


def sqrt_slope_of_result(y: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of the square root where it is y."""
    return HALF / y


def linear_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return alpha."""
    return alpha


def soft_relu_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of soft_relu."""
    return logistic(alpha * x, alpha, beta)


def hardsigmoid_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of hardsigmoid."""
    t = alpha * x + beta
    return alpha if t > ZERO and t < ONE else ZERO


def logistic_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of logistic."""
    t = logistic(x, alpha, beta)
    return t * (ONE - t)


def logistic_slope_of_result(y: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of logistic where it is y."""
    return y * (ONE - y)


def same(y: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of the exponential where it is y."""
    return y


def gelu_tanh_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of gelu_tanh."""
    t = sycl.tanh(_ROOT_2_OF_PI * x * (ONE + _GELU * x * x))
    inner = _ROOT_2_OF_PI * (ONE + np.float32(3) * _GELU * x * x)
    near = HALF * (ONE + t) + HALF * x * (ONE - t * t) * inner
    return _step(x) if abs(x) > _FAR else near


def swish_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of swish."""
    t = ONE / (ONE + sycl.exp(-alpha * x))
    return t + alpha * x * t * (ONE - t)


def log_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of the logarithm."""
    return ONE / x


def clip_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of clip, which is 1 at the upper bound."""
    return ONE if x > alpha and x <= beta else ZERO


def clip_v2_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of clip_v2, which is 0 at the bounds."""
    return ONE if x > alpha and x < beta else ZERO


def power_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of pow."""
    return alpha * beta * sycl.pow(x, beta - ONE) if beta != ZERO else ZERO


def gelu_erf_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of gelu_erf."""
    near = HALF * sycl.erfc(-x * _ROOT_2) + x * _PEAK * sycl.exp(-HALF * x * x)
    return _step(x) if abs(x) > _FAR else near


def _step(x: Any) -> Any:
    return ONE if x > ZERO else ZERO


def mish_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of mish."""
    t = sycl.tanh(soft_relu(x, ONE, ZERO))
    return ONE if x > _NEAR else t + x * (ONE - t * t) * logistic(x, alpha, beta)


def hardswish_slope(x: Any, alpha: Any, beta: Any) -> Any:
    """Return the slope of hardswish."""
    t = alpha * x + beta
    inside = TWO * alpha * x + beta
    return ONE if t >= ONE else (inside if t > ZERO else ZERO)


# ---------------------------------------------------------------------------- two operands
def add(a: Any, b: Any) -> Any:
    """Add."""
    return a + b


def mul(a: Any, b: Any) -> Any:
    """Multiply."""
    return a * b


def larger(a: Any, b: Any) -> Any:
    """Return the larger one."""
    return max(b, a)


def smaller(a: Any, b: Any) -> Any:
    """Return the smaller one."""
    return min(b, a)


def div(a: Any, b: Any) -> Any:
    """Divide."""
    return a / b


def sub(a: Any, b: Any) -> Any:
    """Subtract."""
    return a - b


def ge(a: Any, b: Any) -> Any:
    """Compare."""
    return ONE if a >= b else ZERO


def gt(a: Any, b: Any) -> Any:
    """Compare."""
    return ONE if a > b else ZERO


def le(a: Any, b: Any) -> Any:
    """Compare."""
    return ONE if a <= b else ZERO


def lt(a: Any, b: Any) -> Any:
    """Compare."""
    return ONE if a < b else ZERO


def eq(a: Any, b: Any) -> Any:
    """Compare."""
    return ONE if a == b else ZERO


def ne(a: Any, b: Any) -> Any:
    """Compare."""
    return ONE if a != b else ZERO


def leak(a: Any, b: Any) -> Any:
    """Return a, or a times b where a is negative."""
    return a if a > ZERO else a * b


@dataclass(eq=False)
class numbers:
    """The two numbers that a function takes."""

    alpha: Any
    beta: Any
