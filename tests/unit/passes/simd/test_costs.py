"""Which kernels run one work-item at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.checks import bounds
from unisycl.passes.simd import costs, shapes

start = np.zeros(65, np.int32)
column, mark = np.zeros(256, np.int32), np.zeros(256, np.uint8)
value, x, y = (np.zeros(256, np.float32) for _ in range(3))


def alone(function: object) -> bool:
    def query(name: str, dim: int) -> shapes.Shape:
        return shapes.Shape(shapes.LINEAR, 1) if name == "global_id" else shapes.UNIFORM
    kernel = function if isinstance(function, n.Kernel) else \
        specialize(function, "range", 1).kernel
    found = shapes.analyse(kernel.body, query, {})
    one, other = (costs.prefers_scalar(kernel.body, found, bits) for bits in (256, 512))
    assert one == other
    return one


def test_rows_of_a_sparse_matrix_are_taken_one_by_one() -> None:
    def product(i):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k]]
        y[i] = total

    def reached(i):  # type: ignore[no-untyped-def]
        if mark[i]:
            for k in range(start[i], start[i + 1]):
                if not mark[column[k]]:
                    y[column[k]] = y[i] + 1
    assert alone(product)
    assert alone(reached)


def test_checks_do_not_decide() -> None:
    """A checked kernel has the form that it has without checks, or checks cost several times it."""
    def product(i):  # type: ignore[no-untyped-def]
        total = np.float32(0)
        for k in range(start[i], start[i + 1]):
            total += value[k] * x[column[k]]
        y[i] = total

    def plain(i):  # type: ignore[no-untyped-def]
        y[i] = value[column[i]]
    for function, expected in ((product, True), (plain, False)):
        kernel = specialize(function, "range", 1).kernel
        checked = bounds.run(replace(kernel, checks=frozenset({"bounds"})))
        assert any(isinstance(s, n.Check) for s in visit.statements(checked.body))
        assert alone(checked) is expected


def test_much_arithmetic_for_what_is_read_stays_in_vectors() -> None:
    def neighbours(i):  # type: ignore[no-untyped-def]
        force = np.float32(0)
        for c in range(3):
            if start[i] + c > 0:
                for k in range(start[i + c], start[i + c + 1]):
                    d = x[column[k]] - x[i]
                    near = 1 - d * d * d * d
                    if near > 0:
                        force += near * near * near * d + (d + near) / (1 + d * d) * near
        y[i] = force

    def plain(i):  # type: ignore[no-untyped-def]
        y[i] = value[column[i]]
    assert not alone(neighbours)
    assert not alone(plain)


def test_tables_of_bytes_are_looked_up_one_by_one() -> None:
    def levels(i):  # type: ignore[no-untyped-def]
        mark[i] = mark[mark[i]]

    def apart(i):  # type: ignore[no-untyped-def]
        mark[i] = mark[2 * i + 1]

    def much(i):  # type: ignore[no-untyped-def]
        v = np.float32(mark[mark[i]])
        y[i] = np.sqrt(v) * np.exp(v) + np.sin(v) * np.cos(v) + np.log(v) + np.tanh(v)
    def wrapped(i, size):  # type: ignore[no-untyped-def]
        count = 0
        for k in range(-1, 2):
            count += mark[(i + k) % size]
        column[i] = column[count] + mark[count]
    assert alone(levels)
    assert not alone(apart)
    kernel = specialize(wrapped, "range", 1, (200,)).kernel
    assert not alone(kernel)
    assert not alone(much)


def test_wide_vectors_are_given_up_for_more_where_no_launch_tries_the_other_form() -> None:
    def ray(i):  # type: ignore[no-untyped-def]
        total, at = np.float32(0), y[i]
        while at < 1:
            if at > 0:
                place = int(at * np.float32(63))
                total += np.exp(x[place] + x[place + 1] + x[place + 2] + x[place + 3])
                inner = at
                while inner < 1:
                    if inner > 0:
                        k = int(inner * np.float32(63))
                        total += x[k] + x[k + 1] + x[k + 2] + x[k + 3] + x[k + 4]
                    inner += np.float32(0.08)
            at += np.float32(0.02)
        y[i] = total
    kernel = specialize(ray, "range", 1).kernel

    def query(name: str, dim: int) -> shapes.Shape:
        return shapes.Shape(shapes.LINEAR, 1) if name == "global_id" else shapes.UNIFORM
    found = shapes.analyse(kernel.body, query, {})
    cost = costs.estimate(kernel.body, found, 512)
    assert 2.1 * cost.scalar < cost.vector < 3.5 * cost.scalar
    assert costs.prefers_scalar(kernel.body, found, 512)
    assert not costs.prefers_scalar(kernel.body, found, 512, tried=False)
