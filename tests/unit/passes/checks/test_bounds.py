"""Where checks of indices stand."""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.text import kernel_text
from unisycl.passes.checks import bounds

data = np.zeros(8, np.float32)
index = np.zeros(8, np.int32)
table = np.zeros((2, 3), np.float32)


def checked(function: object) -> n.Kernel:
    return bounds.run(specialize(function, "range", 1).kernel)


def test_what_an_index_is_read_from_is_checked_first() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        data[index[i]] = 1
    checks = [s for s in checked(kernel).body if isinstance(s, n.Check)]
    assert ["'index'", "'data'"] == [
        next(p for p in c.pieces if "outside" in str(p)).split()[2] for c in checks]


def test_each_dimension_is_checked_and_each_access_once() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        table[i // 3, i % 3] += table[i // 3, i % 3]
    assert 2 == sum(isinstance(s, n.Check) for s in checked(kernel).body)


def test_a_loops_condition_is_checked_each_time_it_is_evaluated() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        k = 0
        while data[k] > 0:
            k += 1
        if data[0] > 1:
            data[k] = 2
    body = checked(kernel).body
    loop = next(s for s in body if isinstance(s, n.While))
    assert isinstance(loop.pre[-1], n.Check)
    branch = next(s for s in body if isinstance(s, n.If))
    assert visit.contains(branch.then, n.Check)
    assert any(isinstance(s, n.Check) for s in body[body.index(loop):body.index(branch)])


def test_kernels_that_are_not_debugged_hold_no_checks() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        assert data[i] > 0, "positive"
        data[i] = index[i]

    def bare(i):  # type: ignore[no-untyped-def]
        data[i] = index[i]
    plain = specialize(kernel, "range", 1).kernel
    assert not visit.contains(plain.body, n.Check)
    assert kernel_text(specialize(bare, "range", 1).kernel).splitlines()[1:] == kernel_text(
        plain).splitlines()[1:]
    debugged = specialize(sycl.kernel(debug=True)(kernel), "range", 1).kernel
    assert 4 == sum(isinstance(s, n.Check) for s in visit.statements(debugged.body))
