"""Classes that are local to a function, with annotations that Python keeps as text."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-62")


def move(i, pairs, out):  # type: ignore[no-untyped-def]
    one = pairs[i]
    one.b.x = one.a.x * 2
    one.count[1] += one.b.k
    out[i] = one.b.x + one.total()


def test_annotations_name_what_is_local_to_functions_around(queue: sycl.queue) -> None:
    import numpy as local_numpy  # noqa: PLC0415

    length = 3

    @sycl.is_device_copyable.register
    @dataclass
    class Part:
        x: local_numpy.float32
        k: local_numpy.int32

    def inner() -> type:
        small = length and np.int16

        @sycl.is_device_copyable.register
        @dataclass
        class Pair:
            a: Part
            b: Part
            count: (small, length)  # type: ignore[valid-type]

            def total(self):  # type: ignore[no-untyped-def]
                return self.count[0] + self.count[1] + self.count[2]
        return Pair

    pairs, out = np.zeros(4, inner()), np.zeros(4, np.float32)
    pairs["a"]["x"], pairs["b"]["k"] = [1, 2, 3, 4], 5
    queue.parallel_for(4, move, pairs, out).wait()
    np.testing.assert_array_equal(pairs["b"]["x"], [2, 4, 6, 8])
    np.testing.assert_array_equal(out, [7, 9, 11, 13])


def made() -> type:
    import numpy as gone  # noqa: PLC0415

    @dataclass
    class Late:
        x: gone.float32
    return Late


def test_names_of_a_function_that_has_ended_are_refused() -> None:
    late = made()
    assert [f.name for f in fields(late)] == ["x"]
    with pytest.raises(sycl.exception, match=r"Late: .*'gone' is not defined.*in the module"):
        sycl.is_device_copyable.register(late)
