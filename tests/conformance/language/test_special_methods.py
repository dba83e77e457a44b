"""What the class of an object decides, it decides in kernels: special methods (row D-10)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language import special_methods
from tests.conformance.language.special_methods import CASES, OBJECTS, SETTINGS

N = 6


@pytest.mark.row("D-10")
@pytest.mark.parametrize("cases", [CASES, OBJECTS], ids=["operators", "objects"])
def test_objects_do_what_they_do_in_python(queue, cases):
    out = np.zeros((N, len(cases)))

    def kernel(i, out):
        for k, case in enumerate(cases):
            out[i, k] = case(int(i))
    queue.parallel_for(N, kernel, out).wait()
    expected = np.array([[case(i) for case in cases] for i in range(N)], np.float64)
    wrong = np.flatnonzero((out != expected).any(axis=0))
    assert wrong.size == 0, [(k, out[:, k], expected[:, k]) for k in wrong]


@pytest.mark.row("D-10")
def test_truth_of_a_captured_object_is_asked_each_time(queue):
    out = np.zeros(1)

    def kernel(out):
        out[0] = 1.0 if SETTINGS else 2.0
    for v in (2.0, 3.0, 1.0):
        special_methods.SETTINGS.v = v
        queue.single_task(kernel, out).wait()
        assert out[0] == (1.0 if v > 2 else 2.0)
    SETTINGS.v = 2.0


@pytest.mark.row("D-10")
def test_records_in_memory_have_the_methods_of_their_class(queue):
    p, out = np.zeros(5, special_methods.Place), np.zeros(1)
    p["x"], p["y"] = np.arange(5), 2 * np.arange(5)
    queue.single_task(special_methods.in_memory, p, out).wait()
    assert p["x"].tolist() == [6, 3, 2, 3, 4]
    assert p["y"].tolist() == [0, 6, 4, 6, 8]
    assert out[0] == 3 * 2 + 6 * 4 + 9 + 100


@dataclasses.dataclass
class Doubling:
    x: float

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2)


@dataclasses.dataclass
class Hiding:
    x: float

    def __getattribute__(self, name):
        return 5.0


@dataclasses.dataclass
class Small:
    x: float

    def __bool__(self):
        return self.x  # Python refuses it, too


def assigns(out):
    out[0] = Doubling(1.0).x


def hides(out):
    out[0] = Hiding(1.0).x


def no_truth(out):
    out[0] = 1.0 if Small(1.0) else 2.0


def one_object(out):
    a = Small(1.0)
    b = a
    out[0] = a is b


def one_number(out):
    out[0] = out[1] is out[2]


@pytest.mark.row("D-10")
@pytest.mark.parametrize(("kernel", "says"), [
    (assigns, "a __setattr__ of its own"), (hides, "a __getattribute__ of its own"),
    (no_truth, "which __bool__ gives"), (one_object, "'is' is not defined"),
    (one_number, "'is' is not defined")], ids=lambda x: getattr(x, "__name__", ""))
def test_what_kernels_cannot_ask_is_refused(queue, kernel, says):
    with pytest.raises(sycl.KernelError, match=says):
        queue.single_task(kernel, np.zeros(3)).wait()
