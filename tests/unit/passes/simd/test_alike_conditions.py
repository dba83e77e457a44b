"""Branches on what lanes have alike, and places that they share while they leave a loop."""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from unisycl.backends.cpu.emit import queries
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes import pipeline
from unisycl.passes.simd import alike_conditions
from unisycl.passes.simd import shapes as sh

data = np.zeros(64, np.int32)


def shapes(kernel: n.Kernel) -> sh.Shapes:
    return sh.analyse(kernel.body, queries.shapes(kernel, 8), {})


def lowered(function: object) -> n.Kernel:
    kernel = specialize(function, "range", 1, (), (), ()).kernel
    return pipeline.run(kernel, "simd", "lanes", pipeline.Facts(shapes=shapes))


def places(kernel: n.Kernel) -> list[int]:
    """Return the ranks of the indices of private arrays that the loops of a kernel read and write.
    """
    found = shapes(kernel)
    loops = [s for s in visit.statements(kernel.body) if isinstance(s, n.While)]
    every = [x.place for loop in loops for x in visit.all_expressions((loop,))
             if isinstance(x, n.Load)]
    every += [s.place for loop in loops for s in visit.statements((loop,))
              if isinstance(s, n.Store)]
    return [found.of(p.index[0]).rank for p in every if isinstance(p.base, n.Array)]


def branches(kernel: n.Kernel) -> list[bool]:
    found = shapes(kernel)
    return [id(s) in found.divergent for s in visit.statements(kernel.body) if isinstance(s, n.If)]


def insertion(i):  # type: ignore[no-untyped-def]
    row = sycl.private_array(np.int32, 16)
    for k in range(16):
        row[k] = data[i + k]
    for j in range(1, 16):
        x, k = row[j], j
        while k > 0 and row[k - 1] > x:
            row[k] = row[k - 1]
            k -= 1
        row[k] = x
    data[i] = row[3]


def test_a_place_that_lanes_leave_from_is_one_for_those_that_stay() -> None:
    kernel = lowered(insertion)
    assert all(rank < sh.LINEAR for rank in places(kernel))
    assert len(places(kernel)) == 3
    assert [False] == branches(kernel)


def test_a_place_that_starts_or_goes_on_apart_is_each_lanes_own() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        row = sycl.private_array(np.int32, 16)
        for k in range(16):
            row[k] = k
        k = data[i] & 15
        while k > 0 and row[k] > 3:
            k -= 1
        m = 15
        while m > 0 and row[m] > data[i]:
            m -= data[i]
        data[i] = k + m
    assert all(rank >= sh.LINEAR for rank in places(lowered(kernel)))


def test_a_name_that_was_alike_once_is_not_asked_for_later() -> None:
    def kernel(i, n):  # type: ignore[no-untyped-def]
        t = n > 3
        if data[i] > 1:
            t = False
        if t:
            data[i] = 5

    def run(i):  # type: ignore[no-untyped-def]
        kernel(i, 4 + data[0])
    assert [True, True] == branches(lowered(run))


def test_kernels_without_such_branches_are_not_looked_at() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        if data[i] > 3:
            data[i] = 1

    made = specialize(kernel, "range", 1, (), (), ()).kernel

    def asked(_: n.Kernel) -> sh.Shapes:
        raise AssertionError("shapes were asked for")
    assert alike_conditions.run(made, asked) is made
