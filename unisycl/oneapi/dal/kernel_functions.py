"""Kernel functions of pairs of rows (oneDAL's linear, polynomial, rbf and sigmoid kernels)."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal.distances import compute
from unisycl.oneapi.dal.kernels import pairs, records
from unisycl.oneapi.dal.records import descriptor as _descriptor

_polynomial = functools.lru_cache(maxsize=64)(pairs.polynomial)


@dataclass
class _Linear(_descriptor):
    """``scale * <x, y> + shift``."""

    algorithm: ClassVar[str] = "linear_kernel"
    scale: float = 1.0
    shift: float = 0.0

    def rule(self, kind: Any) -> records.rule:
        """Return how kernels compare rows."""
        return records.rule(pairs.product, pairs.line, kind, kind(self.scale), kind(self.shift))


@dataclass
class _Polynomial(_Linear):
    """``(scale * <x, y> + shift) ** degree``."""

    algorithm: ClassVar[str] = "polynomial_kernel"
    degree: float = 3

    def check(self) -> None:
        if np.issubdtype(type(self.degree), np.floating) and (
                float(self.degree).is_integer()):
            self.degree = int(self.degree)  # C++ has a double
        self.whole("degree")

    def rule(self, kind: Any) -> records.rule:
        return records.rule(pairs.product, _polynomial(int(self.degree)), kind, kind(self.scale),
                            kind(self.shift))


@dataclass
class _Rbf(_descriptor):
    """``exp(-|x - y|^2 / (2 sigma^2))``."""

    algorithm: ClassVar[str] = "rbf_kernel"
    sigma: float = 1.0

    def check(self) -> None:
        self.number("sigma", 0, open_end=True)

    def rule(self, kind: Any) -> records.rule:
        """Return how kernels compare rows."""
        return records.rule(pairs.square, pairs.bell, kind, kind(-0.5 / self.sigma ** 2), kind(0))


@dataclass
class _Sigmoid(_Linear):
    """``tanh(scale * <x, y> + shift)``."""

    algorithm: ClassVar[str] = "sigmoid_kernel"

    def rule(self, kind: Any) -> records.rule:
        return records.rule(pairs.product, pairs.tangent, kind, kind(self.scale),
                            kind(self.shift))


class linear_kernel:
    """Inner products, scaled and shifted."""

    descriptor = _Linear


class polynomial_kernel:
    """Powers of inner products, scaled and shifted."""

    descriptor = _Polynomial


class rbf_kernel:
    """Bells of distances."""

    descriptor = _Rbf


class sigmoid_kernel:
    """Hyperbolic tangents of inner products, scaled and shifted."""

    descriptor = _Sigmoid


KERNELS = (linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel)


def gram(work: Any, desc: Any, x: Any, y: Any) -> np.ndarray[Any, Any]:
    """Return a kernel function of all rows of one table and all rows of another."""
    found: np.ndarray[Any, Any] = compute(work, desc, x, y).values
    return found
