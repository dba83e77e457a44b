"""Arguments by name, and kernels with some of them chosen."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


@sycl.kernel
def line(i, y, x, slope, shift):
    y[i] = slope * x[i] + shift


def test_arguments_are_given_by_name_and_chosen_beforehand(queue):
    x, y = (sycl.malloc_device(5, np.float32, queue) for _ in "xy")
    queue.memcpy(x, np.arange(5, dtype=np.float32)).wait()
    found = np.empty(5, np.float32)

    def seen():
        queue.memcpy(found, y).wait()
        return found.tolist()
    line.launch(queue, 5, y, x, shift=1.0, slope=2.0).wait()
    assert seen() == [1, 3, 5, 7, 9]
    steep = line.partial(slope=3.0, shift=0.0)
    steep.launch(queue, 5, y, x).wait()
    assert seen() == [0, 3, 6, 9, 12]
    steep.launch(queue, 5, y, x, shift=1.0).wait()
    assert seen() == [1, 4, 7, 10, 13]
    steep.partial(x=x, shift=2.0).bind(queue, 5, y)().wait()
    assert seen() == [2, 5, 8, 11, 14]
    assert repr(steep) == "<kernel line(i, y, x, slope, shift)> with slope=3.0, shift=0.0"
    row = [0.0, 0.0]
    steep(1, row, [5.0, 6.0])
    assert row == [0.0, 18.0]


@pytest.mark.parametrize(("positional", "named", "said"), [
    (("y", "x"), {"slop": 1}, "has no argument 'slop'; it has y, x, slope, shift"),
    (("y", "x"), {"x": 1}, "'x' is given by position and by name"),
    (("y",), {"slope": 1}, "the argument 'x' is missing; it comes before 'slope'")])
def test_names_that_do_not_fit_are_refused(positional, named, said):
    with pytest.raises(sycl.exception, match=said.replace("(", r"\(")):
        line.launch(sycl.queue("host"), 5, *positional, **named)
