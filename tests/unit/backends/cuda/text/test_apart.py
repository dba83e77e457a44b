"""Views that are said to overlap nothing, and the launches in which they do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.install import installed
from tests.cuda_fake.kernels import Kernels
from tests.cuda_fake.library import FakeCuda

RESTRICTED = re.compile(r"(const )?\w+ \*__restrict__ ?(\w+)")


@pytest.fixture
def kernels() -> Iterator[Kernels]:
    fake = FakeCuda(seed=1)
    with installed(fake) as (_, found):
        yield found
    assert fake.misuse == []


def words(kernels: Kernels) -> list[tuple[str, str]]:
    """Return the views of the newest text that are said to be apart, constant ones first."""
    return sorted(RESTRICTED.findall(kernels.made[-1].text), reverse=True)


def add(i: Any, out: Any, a: Any, b: Any) -> None:
    out[i] = a[i] + b[i]


def test_memories_of_their_own_are_apart(kernels: Kernels) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    x, y, z = (sycl.malloc_shared(64, np.int32, queue) for _ in range(3))
    y.get_view()[:], z.get_view()[:] = 3, 4
    for _ in range(4):
        queue.parallel_for(64, add, x, y, z).wait()
    assert len(kernels.made) == 1
    assert words(kernels) == [("const ", "b"), ("const ", "a"), ("", "out")]
    queue.parallel_for(64, add, x, y, y).wait()  # both are only read
    assert len(kernels.made) == 1
    assert x.get_view().tolist() == [6] * 64


def test_memory_that_is_passed_twice_gets_a_text_of_its_own(kernels: Kernels) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    x, y = (sycl.malloc_shared(64, np.int32, queue) for _ in range(2))
    x.get_view()[:], y.get_view()[:] = 1, 2
    for turn in range(4):
        queue.parallel_for(64, add, x, x, y).wait()
        assert x.get_view().tolist() == [3 + 2 * turn] * 64
    assert len(kernels.made) == 2
    assert words(kernels) == []
    queue.parallel_for(16, add, x[:16], x[16:32], x[32:48]).wait()
    assert words(kernels) == []
    assert x.get_view()[:17].tolist() == [18] * 16 + [9]


def test_parts_of_one_buffer_are_not_apart(kernels: Kernels) -> None:
    queue, given = sycl.queue("cuda"), np.arange(96, dtype=np.int32)
    with sycl.buffer(given) as b:
        def group(h: sycl.handler) -> None:
            parts = tuple(
                sycl.accessor(b, h, sycl.range(32), sycl.id(32 * k)) for k in range(3))

            def kernel(i: Any) -> None:
                parts[0][i] = parts[1][i] + parts[2][i]
            h.parallel_for(32, kernel)
        queue.submit(group)
    assert words(kernels) == []
    assert given[:32].tolist() == [96 + 2 * k for k in range(32)]


def test_where_items_meet_only_what_is_never_stored_is_apart(kernels: Kernels) -> None:
    def shifted(it: Any, out: Any, a: Any) -> None:
        k = it.get_local_id(0)
        out[k] = a[k]
        sycl.group_barrier(it.get_group())
        out[k] = out[31 - k] if k < 16 else out[k]

    queue = sycl.queue("cuda")
    x, y = (sycl.malloc_shared(32, np.int32, queue) for _ in range(2))
    y.get_view()[:] = np.arange(32)
    queue.parallel_for(sycl.nd_range(32, 32), shifted, x, y).wait()
    assert words(kernels) == [("const ", "a")]
    assert x.get_view().tolist() == [*range(31, 15, -1), *range(16, 32)]


def told(i: Any, out: Any, a: Any, flag: Any) -> None:
    sycl.atomic_fence(sycl.memory_order.acquire, sycl.memory_scope.device)
    out[i] = a[i] + flag[0]


def counted(i: Any, out: Any, a: Any, flag: Any) -> None:
    sycl.atomic_ref(flag, 0, order=sycl.memory_order.acq_rel).fetch_add(0)
    out[i] = a[i]


def loosely(i: Any, out: Any, a: Any, flag: Any) -> None:
    sycl.atomic_ref(flag, 0).fetch_add(0)
    out[i] = a[i]


@pytest.mark.parametrize(("kernel", "apart"), [(told, 0), (counted, 0), (loosely, 3)])
def test_what_others_may_be_told_of_is_not_apart(kernels: Kernels, kernel: Any, apart: int,
                                                 ) -> None:
    queue = sycl.queue("cuda")
    x, y, z = (sycl.malloc_shared(32, np.int32, queue) for _ in range(3))
    for p in (x, y, z):
        p.get_view()[:] = 0
    queue.parallel_for(32, kernel, x, y, z).wait()
    assert len(words(kernels)) == apart
