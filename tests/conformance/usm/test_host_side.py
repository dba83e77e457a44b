"""USM on the host, where pointers and arrays mean different things, and Python's range."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import unisycl as sycl

HUGE = 1 << 56
KINDS = {"device": sycl.malloc_device, "host": sycl.malloc_host, "shared": sycl.malloc_shared}
ALIGNED = {"device": sycl.aligned_alloc_device, "host": sycl.aligned_alloc_host,
           "shared": sycl.aligned_alloc_shared}


def refused(call, *args, **named) -> sycl.exception:
    with pytest.raises(sycl.exception) as caught:
        call(*args, **named)
    return caught.value


@pytest.mark.row("B-43")
@pytest.mark.parametrize("kind", KINDS)
def test_memory_that_is_not_there_raises(queue: sycl.queue, kind: str) -> None:
    """In every form: by type, in bytes, of several dimensions, aligned, of a queue or device."""
    KINDS[kind](1, np.int8, queue)  # else the device has no memory of this kind at all
    where = queue.get_device(), queue.get_context()
    for call, *args in (
            (KINDS[kind], HUGE, np.float64, queue), (KINDS[kind], HUGE, queue),
            (KINDS[kind], (1 << 30, 1 << 30, 8), np.int8, queue),
            (KINDS[kind], HUGE, np.float64, *where), (KINDS[kind], 1 << 80, queue),
            (ALIGNED[kind], 256, HUGE, np.int32, queue), (ALIGNED[kind], 64, HUGE, *where),
            (ALIGNED[kind], 1 << 40, 10, np.int32, queue)):
        found = refused(call, *args)
        assert sycl.errc.memory_allocation == found.code(), args
        assert kind in found.what()
    named = sycl.usm.alloc[kind]
    for call in (lambda: sycl.malloc(HUGE, queue, kind=named),
                 lambda: sycl.malloc(HUGE, np.int8, queue, named),
                 lambda: sycl.aligned_alloc(64, HUGE, queue, kind=named)):
        assert sycl.errc.memory_allocation == refused(call).code()


@pytest.mark.row("B-43", "B-46")
@pytest.mark.parametrize("kind", ["host", "shared"])
def test_allocators_raise_as_well(queue: sycl.queue, kind: str) -> None:
    own = sycl.usm_allocator(sycl.usm.alloc[kind], queue)
    own.allocate(1)
    assert sycl.errc.memory_allocation == refused(own.allocate, HUGE, np.float64).code()
    assert 8 == own.allocate(8, np.float64).size()


@pytest.mark.row("B-44")
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_memory_too(queue: sycl.queue, kind: str) -> None:
    for p in (KINDS[kind](0, np.float64, queue), KINDS[kind](0, queue),
              ALIGNED[kind](128, 0, np.int8, queue)):
        assert 0 == p.size()
        sycl.free(p, queue)


def move(i, p, out):
    q = p + 3
    q += 1
    out[0] = q[0]
    out[1] = q - p
    out[2] = (q - 4)[0]


@pytest.mark.row("D-50")
def test_kernels_move_pointers(queue: sycl.queue) -> None:
    p, out = sycl.malloc_shared(8, np.int32, queue), sycl.malloc_shared(3, np.int32, queue)
    p[:] = np.arange(8) * 10
    queue.parallel_for(1, move, p, out).wait()
    assert [40, 4, 0] == out[:].tolist()
    queue.parallel_for(1, move, p.pointer_to(2), out).wait()
    assert [60, 4, 20] == out[:].tolist()


BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift",
          "rshift", "matmul", "lt", "le", "gt", "ge"]
IN_PLACE = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor",
            "ilshift", "irshift"]


@pytest.mark.row("B-42")
def test_no_operator_takes_a_pointer_for_something_silently(queue: sycl.queue) -> None:
    """Each refusal names both ways out: the elements, and the pointer to one."""
    p, q = (sycl.malloc_shared(4, np.int32, queue) for _ in range(2))
    p[:] = 5
    for name in BINARY:
        for other in (1, 2.5, np.int32(1), q):
            told = refused(getattr(operator, name), p, other).what()
            assert "np.asarray(p) + 1" in told
            assert "p.pointer_to(1)" in told
        assert "pointer_to" in refused(getattr(operator, name), 1, p).what()
    for name in IN_PLACE:
        for other in (1, q, np.ones(4, np.int32)):
            assert "p[:] += 1" in refused(getattr(operator, name), p, other).what()
    for name in ("neg", "pos", "abs", "invert"):
        assert "pointer_to" in refused(getattr(operator, name), p).what()
    for other in (5, 5.0, np.int32(5), True):
        assert "np.asarray" in refused(operator.eq, p, other).what()
        assert "np.asarray" in refused(operator.ne, p, other).what()
    assert "np.asarray" in refused(divmod, p, 2).what()
    assert [5] * 4 == p[:].tolist()


@pytest.mark.row("B-42", "B-47")
def test_what_pointers_have_in_place_of_operators(queue: sycl.queue) -> None:
    p, q = (sycl.malloc_shared(4, np.int32, queue) for _ in range(2))
    p[:] = np.arange(4)
    assert [1, 2, 3, 4] == (np.asarray(p) + 1).tolist()
    assert [0, 2, 4, 6] == (p + np.arange(4)).tolist()
    assert [True] * 4 == (p == np.arange(4)).tolist()
    p[:] += 1
    assert [1, 2, 3, 4] == list(p)
    last = p.pointer_to(3)
    assert (4, 3, 1) == (last[0], last.distance(p), last.size())
    assert last.pointer_to(-3) == p
    assert p != q
    assert p != None  # noqa: E711
    assert p in {p: 1, q: 2}
    assert "outside" in refused(p.pointer_to, 5).what()
    assert "integer" in refused(p.pointer_to, 1.5).what()
    assert "distance" in refused(p.distance, q).what()


# ---- Python's range as an index space
def count(i, out):
    sycl.atomic_ref(out, 0).fetch_add(1)


@pytest.mark.row("D-12", "C-3")
def test_a_range_of_python_is_as_many_items(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(1, np.int32, queue)

    def ran(launch) -> int:
        out[0] = 0
        launch().wait()
        return int(out[0])

    spaces = {range(3): 3, range(0): 0, (range(3), range(4)): 12, (2, range(5)): 10,
              sycl.nd_range(range(8), range(4)): 8, sycl.nd_range((range(4), 4), (2, range(2))): 16}
    for space, items in spaces.items():
        assert items == ran(lambda space=space: queue.parallel_for(space, count, out))
        assert items == ran(lambda space=space: queue.submit(
            lambda h: h.parallel_for(space, count, out)))
    assert 6 == ran(lambda: queue.submit(lambda h: h.parallel_for_work_group(
        range(2), range(3), in_groups, out)))
    assert 10 == ran(lambda: queue.parallel_for(
        range(10), sycl.reduction(out, sycl.plus()), lambda i, r: r.combine(1)))


def in_groups(group, out):
    group.parallel_for_work_item(lambda it: sycl.atomic_ref(out, 0).fetch_add(1))


@pytest.mark.row("D-12", "B-1", "B-22")
def test_a_range_of_python_is_an_extent(queue: sycl.queue) -> None:
    data = np.arange(12, dtype=np.float32)
    assert sycl.range(5) == sycl.range(range(5))
    assert sycl.range(2, 5) == sycl.range(range(2), range(5))
    with sycl.buffer(data, (range(3), range(4))) as b:
        assert sycl.range(3, 4) == b.get_range()
        with sycl.host_accessor(b, (range(2), range(4)), sycl.read_only) as h:
            assert sycl.range(2, 4) == h.get_range()
    whole = sycl.buffer(np.zeros(256, np.float32))
    assert sycl.range(10) == sycl.buffer(whole, sycl.id(64), range(10)).get_range()
    assert 7 == sycl.malloc_shared(range(7), np.int32, queue).size()
    assert 7 == sycl.local_accessor(np.int32, range(7)).get_range()[0]


@pytest.mark.row("D-12", "F-5")
def test_ranges_that_start_elsewhere_or_step_are_refused(queue: sycl.queue) -> None:
    for space in (range(1, 3), range(0, 8, 2), range(3, 0, -1), (range(4), range(1, 3))):
        for use in (lambda s: queue.parallel_for(s, count, np.zeros(1, np.int32)), sycl.range,
                    lambda s: sycl.nd_range(s, 1), lambda s: sycl.malloc_shared(s, queue)):
            told = refused(use, space)
            assert sycl.errc.invalid == told.code()
            assert "an index space starts at 0" in told.what()
    assert "which is no place" in refused(sycl.id, range(3)).what()
