"""Tables of objects, memories and under numbers, indexed by what is known at run time only."""

from __future__ import annotations

import copy
import dataclasses
import math
from typing import NamedTuple

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 12
K = (np.arange(N) * 31 % 17).astype(np.int32)


class Sphere(NamedTuple):
    centre: tuple[float, float, float]
    radius: float
    material: int

    def area(self):
        return self.radius * self.radius * 4.0


@dataclasses.dataclass
class Material:
    diffuse: float
    shine: float
    name: str = "glass"

    def shade(self, x):
        return self.diffuse * x + self.shine

    def dim(self, by):
        self.diffuse *= by

    @property
    def total(self):
        return self.diffuse + self.shine


class Line:
    def __init__(self, slope, start):
        self.slope = slope
        self.start = start

    def at(self, x):
        return self.slope * x + self.start


@dataclasses.dataclass(frozen=True)
class Shift:
    x: float
    y: float

    def __add__(self, other):
        return Shift(self.x + other.x, self.y + other.y)


STEEP, FLAT, ORIGIN = Line(3.0, -1.0), Line(0.25, 8.0), Shift(0.0, 0.0)
SPHERES = (Sphere((0.0, 0.0, 1.0), 1.0, 0), Sphere((1.0, 0.0, 3.0), 0.5, 1),
           Sphere((0.0, 2.0, 2.0), 0.75, 2))
MATERIALS = (Material(0.5, 0.25), Material(0.75, 0.0, "wood"), Material(0.25, 1.5, "steel"))
PAIRS = ((1.0, SPHERES[0]), (2.0, SPHERES[2]))


def test_objects(queue):
    def build(k, out):
        def kernel(i):
            sphere = SPHERES[k[i] % 3]
            out[i, 0] = sphere.radius + sphere.centre[2] * 10 + sphere.area() * 100 + len(sphere)
            out[i, 1] = (sphere == SPHERES[1]) + 10 * (sphere in (SPHERES[0], SPHERES[2]))
            nearest, hit = 1e9, -1
            for j, one in enumerate(SPHERES):
                far = math.dist(one.centre, (float(k[i]), 0.0, 0.0)) - one.radius
                if far < nearest:
                    nearest, hit = far, j
            material = MATERIALS[SPHERES[hit].material]
            out[i, 2] = material.shade(2.0) + 10 * material.total
            mine = copy.copy(MATERIALS[-(i % 3) - 1])
            mine.dim(4.0)
            out[i, 3] = mine.diffuse + MATERIALS[-(i % 3) - 1].diffuse * 16
            weight, last = PAIRS[i % 2]
            best = Sphere((0.0, 0.0, 0.0), 2.0, 7)
            if k[i] > 5:
                best = SPHERES[k[i] % 3]
            out[i, 4] = weight + last.material * 10 + best.radius * 100 + best.material * 1000
        return kernel
    agree(queue, build, N, k=K, out=np.zeros((N, 5)))


def test_memories_and_dicts(queue):
    lines = (Line(2.0, 1.0), Line(3.0, -1.0))
    prices = {0: 2.5, 3: 4.0, 7: -1.0}

    def build(k, a, b, c, out):
        arrays = (a, b, c)

        def kernel(i):
            out[i, 0] = arrays[k[i] % 3][i]
            arrays[(k[i] + 1) % 3][i] += 1
            out[i, 1] = prices[(0, 3, 7)[k[i] % 3]] + 100 * (k[i] in prices)
            line = lines[k[i] % 2]
            out[i, 2] = line.at(4.0) + line.slope * 100
        return kernel
    agree(queue, build, N, k=K, a=np.arange(N) * 1.0, b=np.arange(N) * 2.0, c=np.ones(N),
          out=np.zeros((N, 3)))


def best_of(x):
    if x > 10:
        return STEEP
    return FLAT if x > 5 else Line(x * 1.0, 4.0)


def test_objects_that_are_captured_share_names_with_others(queue):
    def build(k, out):
        def kernel(i):
            line = STEEP if k[i] > 8 else FLAT
            out[i, 0] = line.at(2.0) + 100 * MATERIALS[k[i] % 3].diffuse
            found, last = None, (0.0, FLAT)
            for j in range(4):
                if k[i] > 3 * j:
                    found = STEEP if j == 2 else Line(j * 1.0, 2.0)
                    last = (last[0] + j, STEEP)
            out[i, 1] = -1 if found is None else found.at(3.0)
            out[i, 2] = last[0] + 10 * last[1].slope
            out[i, 3] = best_of(k[i]).at(1.0)
            total = ORIGIN
            for _ in range(k[i]):
                total = total + Shift(0.5, 2.0)
            out[i, 4] = total.x + 100 * total.y + 1000 * (total == ORIGIN)
            one, other = STEEP, FLAT
            if k[i] % 2:
                one, other = other, one
            out[i, 5] = one.slope + 10 * other.slope
            material = MATERIALS[0] if k[i] > 3 else MATERIALS[1]
            out[i, 6] = material.shade(3.0)
        return kernel
    agree(queue, build, N, k=K, out=np.zeros((N, 7)))


def change_one(i, out):
    line = STEEP if i > 1 else Line(1.0, 2.0)
    line.slope = 3.0
    out[i] = line.slope


def ask_one_for_a_text(i, out):
    material = MATERIALS[0]
    for _ in range(i):
        material = MATERIALS[1]
    out[i] = material.name == "wood"


def ask_which_object(i, out):
    line = STEEP if i > 1 else FLAT
    out[i] = line is STEEP


def one_of_two_texts(i, out):
    mode = "fast" if i > 1 else "slow"
    out[i] = mode == "fast"


def a_text_that_changes(i, out):
    mode = "fast"
    if i > 1:
        mode = "slow"
    out[i] = mode == "fast"


def change(i, out):
    material = MATERIALS[i % 3]
    material.diffuse = 2.0
    out[i] = material.diffuse


def change_by_a_method(i, out):
    material = MATERIALS[i % 3]
    material.dim(2.0)
    out[i] = material.diffuse


def ask_for_a_text(i, out):
    out[i] = MATERIALS[i % 3].name == "glass"


def ask_which(i, out):
    out[i] = MATERIALS[i % 3] is MATERIALS[0]


def ask_which_tuple(i, out):
    out[i] = SPHERES[i % 3] is SPHERES[0]


@pytest.mark.parametrize(("kernel", "reason"), [
    (change, "cannot change what it captured"), (change_by_a_method, "cannot change what it"),
    (ask_for_a_text, "'name' of one of several objects"), (ask_which, "compare them by =="),
    (ask_which_tuple, "compare them by =="), (change_one, "cannot change what it captured"),
    (ask_one_for_a_text, "'name' of one of several objects"), (ask_which_object, "by =="),
    (one_of_two_texts, "let the name be a number, or a member of an enumeration"),
    (a_text_that_changes, "let the name be a number, or a member of an enumeration")])
def test_what_cannot_be_done_with_one_of_several_objects(queue, kernel, reason):
    with pytest.raises(sycl.KernelError, match=reason):
        queue.parallel_for(3, kernel, ints(3))
