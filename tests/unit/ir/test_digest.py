"""Digests tell kernels apart, and nothing else."""

from __future__ import annotations

import numpy as np

from unisycl.frontend import specialize
from unisycl.ir import digest

a, b = np.zeros(8, np.float32), np.zeros((4, 4), np.float64)


def of(function, kind="range", ndim=1, arguments=(), local=()):
    specialize.forget()
    return digest.of(specialize.specialize(function, kind, ndim, arguments, (), local).kernel)


def test_the_same_kernel_compiled_again_has_the_same_digest():
    def kernel(i):
        for k in range(3):
            a[i] += k

    assert of(kernel) == of(kernel)
    assert len(of(kernel)) == 64


def test_names_and_places_do_not_matter():
    def kernel(i):
        x = a[i]
        a[i] = x * 2

    first = of(kernel)

    def kernel(i):  # noqa: F811

        y = a[i]
        a[i] = y * 2

    assert first == of(kernel)


def test_numbers_operators_types_and_sizes_do():
    def one(i, p):
        p[i] = 1.5

    def two(i, p):
        p[i] = 2.5

    def three(i, p):
        p[i] = -0.0

    def four(i, p):
        p[i] = 0.0

    found = [of(k, arguments=(a,)) for k in (one, two, three, four)]
    found.append(of(one, arguments=(a.astype(np.float64),)))

    def grouped(it, p):
        p[it.get_global_id(0)] = 1.5

    found += [of(grouped, "nd_range", 1, (a,), local) for local in ((2,), (4,))]

    def plus(i, p):
        p[i] = p[i] + p[i + 1]

    def minus(i, p):
        p[i] = p[i] - p[i + 1]

    def swapped(i, p):
        p[i] = p[i + 1] - p[i]

    found += [of(k, arguments=(a,)) for k in (plus, minus, swapped)]
    assert len(found) == len(set(found))


def test_a_kernel_that_prints_has_none():
    def kernel(i):
        print(i)

    assert of(kernel) is None
