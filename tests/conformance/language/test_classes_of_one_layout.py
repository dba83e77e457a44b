"""Records whose members are alike, but whose classes are not: each keeps its own methods."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unisycl as sycl


def shape(by: float) -> Any:
    """Return a class, made again as by a cell of a notebook that was edited."""
    @sycl.is_device_copyable.register
    @dataclass
    class Shape:
        side: np.float64

        def area(self) -> Any:
            return self.side * by

        def grow(self) -> None:
            self.side += by

    return Shape


def pair(inner: Any) -> Any:
    """Return a class whose records hold records of another."""
    @sycl.is_device_copyable.register
    @dataclass
    class Pair:
        count: np.int32
        shape: inner

    return Pair


def areas(i: Any, shapes: Any, out: Any) -> None:
    out[i] = shapes[i].area()
    shapes[i].grow()


def inner_areas(i: Any, pairs: Any, out: Any) -> None:
    out[i] = pairs[i].shape.area()


@pytest.mark.part("D-10")
@pytest.mark.parametrize("memory", ["array", "usm", "accessor", "pairs"])
def test_methods_are_those_of_the_own_class(queue: sycl.queue, memory: str) -> None:
    for by in (3.0, 5.0, 3.0):
        own = shape(by)
        out = np.zeros(4)
        if memory == "pairs":
            pairs = np.ones(4, pair(own).dtype)
            queue.parallel_for(4, inner_areas, pairs, out).wait()
            assert out.tolist() == [by] * 4
            continue
        given = np.ones(4, own.dtype)
        if memory == "usm":
            data = sycl.malloc_shared(4, own.dtype, queue)
            data[:] = given
            queue.parallel_for(4, areas, data, out).wait()
            given = np.array(data)
            sycl.free(data, queue)
        elif memory == "array":
            queue.parallel_for(4, areas, given, out).wait()
        else:
            with sycl.buffer(given) as held:
                def work(h: Any, held: Any = held) -> None:
                    h.parallel_for(4, areas, sycl.accessor(held, h), sycl.accessor(result, h))

                with sycl.buffer(out) as result:
                    queue.submit(work)
        assert out.tolist() == [by] * 4
        assert given["side"].tolist() == [1 + by] * 4


@pytest.mark.part("D-10")
def test_an_array_of_another_class_is_seen_as_the_class_asked_for(queue: sycl.queue) -> None:
    first, second = shape(3.0), shape(5.0)
    given, out = np.ones(4, first.dtype), np.zeros(4)
    with sycl.buffer(given, dtype=second.dtype) as held, sycl.buffer(out) as result:
        queue.submit(lambda h: h.parallel_for(
            4, areas, sycl.accessor(held, h), sycl.accessor(result, h)))
        with pytest.raises(sycl.exception, match="holds"):
            sycl.buffer(held, 0, 4, dtype=first.dtype)
    assert out.tolist() == [5.0] * 4
    assert given["side"].tolist() == [6.0] * 4
