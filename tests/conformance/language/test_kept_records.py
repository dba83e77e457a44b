"""Records that kernels change member by member: as in Python, also where memories are the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-10")
N = 45  # neither a multiple of a vector nor of a work-group
BODY = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("w", "f4")])
MIXED = np.dtype([("x", "f8"), ("k", "i4"), ("small", "u1"), ("y", "f4")], align=True)
Kernel = Callable[..., None]


def chain(i, a, b):
    p = a[i]
    p.x += p.y
    p.y = p.x * 2 + b[i].x
    p.x -= p.y
    a[i].y += p.x + b[i].y


def branches(i, a, b):
    p, q = a[i], b[i]
    p.x += 1
    if p.x > 20:
        p.y = -p.y
        if q.y > p.y:
            p.y += q.x
    else:
        p.x = q.x - p.y
    p.x *= 2


def branch_alone(i, a, b):
    p = a[i]
    p.x = p.x + b[i].y
    if i % 3 == 1:
        p.y = b[i].x


def loops(i, a, b):
    p = a[i]
    p.x = 0
    for k in range(i % 5):
        p.x += b[i].y + k
        if p.x > 30:
            break
        p.y += p.x
    while p.y > 40:
        p.y -= 30
    p.x += p.y


def ahead(i, a, b):
    p, q = a[2 * i], a[2 * i + 1]
    p.x += q.x
    q.x = p.x - q.y
    p.y = q.x + b[i].x
    q.y += p.y


def moved(i, a, b):
    at = i
    a[at].x += 3
    a[at].y += a[at].x
    at = 2 * N - 1 - i
    a[at].x += a[i].x
    a[at].y = a[at].x + a[i].y


def whole(i, a, b):
    p = a[i]
    p.x += b[i].x
    p.y -= p.x
    a[i] = p
    b[2 * N - 1 - i] = a[i]


def early(i, a, b):
    p = a[i]
    p.x += 1
    if p.x > 25:
        return
    p.y += p.x
    p.x = p.y


KERNELS = (chain, branches, branch_alone, loops, ahead, moved, whole, early)


def filled(kind: np.dtype, seed: int) -> np.recarray:
    random = np.random.default_rng(seed)
    out = np.zeros(2 * N, kind)
    for name in kind.names or ():
        out[name] = random.integers(0, 40, 2 * N)
    return out.view(np.recarray)


@pytest.mark.parametrize("kind", [BODY, MIXED], ids=["equal", "mixed"])
@pytest.mark.parametrize(("kernel", "same"), [
    (k, same) for k in KERNELS for same in (False, True) if not same or k is not ahead],
    ids=lambda x: x.__name__ if callable(x) else ("same" if x else "apart"))
def test_records_are_changed_as_python_does(queue: sycl.queue, kernel: Kernel, kind: np.dtype,
                                            same: bool) -> None:
    a, b = filled(kind, 1), filled(kind, 2)
    wanted, other = a.copy(), b.copy()
    if same:
        b, other = a, wanted
    for i in range(N):
        kernel(i, wanted, other)
    queue.parallel_for(N, kernel, a, b).wait()
    assert a.tolist() == wanted.tolist()
    assert b.tolist() == other.tolist()


def points(i, a, b):
    a[i, 0] += b[i, 1]
    a[i, 1] += a[i, 0]
    a[i, 0] = a[i, 1] - a[i, 0]
    if a.shape[1] > 2:
        a[i, 2] = a[i, 0]
        b[i, 2] += a[i, 2]


def flags(i, a, b):
    if a[i, 0] > 20:
        a[i, 1] = 1
    a[i, 0] += 2
    if b[i, 1] > 20:
        a[i, 0] -= a[i, 1]


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("same", [False, True], ids=["apart", "same"])
@pytest.mark.parametrize("kernel", [points, flags], ids=lambda k: k.__name__)
def test_rows_are_changed_as_python_does(queue: sycl.queue, kernel: Kernel, columns: int,
                                         same: bool) -> None:
    random = np.random.default_rng(3)
    a, b = random.integers(0, 40, (2, N, columns)).astype(np.float32)
    b = a if same else b
    wanted = a.copy()
    other = wanted if same else b.copy()
    for i in range(N):
        kernel(i, wanted, other)
    queue.parallel_for(N, kernel, a, b).wait()
    np.testing.assert_array_equal(a, wanted)
    np.testing.assert_array_equal(b, other)


def test_members_that_no_path_writes_keep_what_others_write(queue: sycl.queue) -> None:
    def kernel(i, a):
        p = a[i // 2]
        if i % 2:
            p.x += 1
            p.y = p.x + 2
        else:
            p.z += 1
            p.w = p.z + 2
    a = filled(BODY, 1)
    wanted = a.copy()
    for i in range(2 * N):
        kernel(i, wanted)
    queue.parallel_for(2 * N, kernel, a).wait()
    assert a.tolist() == wanted.tolist()


def test_one_item_after_another_sees_what_was_written(queue: sycl.queue) -> None:
    def kernel(a):
        for i in range(1, len(a)):
            p, q = a[i - 1], a[i]
            q.x += p.x
            p.y = q.x + q.y
            q.y -= p.y
    a = filled(BODY, 1)
    wanted = a.copy()
    kernel(wanted)
    queue.single_task(kernel, a).wait()
    assert a.tolist() == wanted.tolist()
