"""Classes with an ``__init__`` of the user's, and objects beside what changes them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree

pytestmark = pytest.mark.row("D-11")
N = 9
X = ((np.arange(N) * 7919 % 23 - 11) / 4).astype(np.float32)
T = TypeVar("T")


class Random:
    __slots__ = ("count", "state")

    def __init__(self, seed):
        self.state = np.uint32(seed)
        self.count = 0

    def bits(self):
        x = self.state
        x ^= x << 13
        x ^= x >> 17
        x ^= x << 5
        self.state = x
        self.count += 1
        return x

    def __call__(self):
        return self.bits() / 4294967296.0


class Shape(ABC):
    scale = 2

    def __init__(self, name):
        self.name = name
        self.asked = 0

    @abstractmethod
    def area(self): ...

    def scaled(self):
        self.asked += 1
        return self.scale * self.area()


class Circle(Shape):
    def __init__(self, r):
        super().__init__("circle")
        self.r = r

    def area(self):
        return 3 * self.r * self.r


class Square(Shape):
    scale = 3

    def __init__(self, a, *, more=1.0):
        super().__init__("square")
        self.a = a * more

    def area(self):
        return self.a**2


class Vec(Generic[T]):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __iter__(self):
        return iter((self.x, self.y))

    @property
    def size(self):
        return math.hypot(self.x, self.y)

    @classmethod
    def unit(cls):
        return cls(1.0, 0.0)

    def turned(self):
        self.x, self.y = -self.y, self.x
        return self


class Node:
    kind = 4

    def __init__(self):
        self.value = None

    def put(self, x):
        self.value = x


class Row:
    def __init__(self, out, i):
        self.out = out
        self.i = i

    def add(self, k, value):
        self.out[self.i, k] += value


@dataclass
class Count:
    n: float

    def next(self):
        self.n += 1
        return self.n

    def with_(self, k):
        return self.n * 10 + k

    def __add__(self, k):
        return self.n * 100 + k


def test_objects_hold_what_their_methods_assign(queue):
    def build(x, out):
        def kernel(i):
            row = Row(out, i)
            random = Random(i * 7919 + 1)
            for _ in range(i + 2):
                if random() + random() < 1:
                    row.add(0, 1)
            row.add(1, random.count + random.state / 1024)
            circle, square = Circle(x[i]), Square(2 * x[i], more=3.0)
            for _ in range(i % 3):
                row.add(2, circle.scaled() - square.scaled())
            row.add(3, circle.asked + (10 if circle.name == "circle" else 20) + square.scale)
            v = Vec(x[i], 2.0) + Vec[float].unit()
            v += Vec(1.0, x[i])
            a, b = v.turned().turned()
            row.add(4, a * 10 + b + v.size)
            node = Node()
            row.add(5, node.value is None)
            node.put(x[i])
            node.color = 5
            row.add(5, node.value + node.kind + node.color)
            other = Node()
            row.add(6, (node is node) + 2 * (node is not other) + 4 * (node == other))
            chosen = circle if x[i] > 0 else Circle(1.0)
            row.add(7, chosen.area() + isinstance(square, Shape))
        return kernel
    agree(queue, build, N, x=X, out=np.zeros((N, 8)))


def test_objects_are_what_later_operands_make_of_them(queue):
    def given(counter, k):
        return counter.n * 1000 + k

    def replaced(counter, x):
        counter.n = x
        return 1

    def build(x, out):
        def kernel(i):
            c = Count(x[i])
            out[i, 0] = given(c, c.next())
            out[i, 1] = c + c.next()
            out[i, 2] = c.n + c.next()
            out[i, 3] = (c, c.next())[0].n
            d = Count(1)
            out[i, 4] = d.with_(replaced(d, x[i]))
            e = Count(x[i])
            out[i, 5] = given(e, (e := Count(2.0)).n) + e.n
            v = sycl.float2(x[i], 1)
            out[i, 6] = first(v, set_first(v, 7.0))
        return kernel

    def first(v, k):
        return v.x * 10 + k

    def set_first(v, x):
        v.x = x
        return 1
    agree(queue, build, N, x=X, out=np.zeros((N, 7), np.float32))


def test_what_has_no_value_yet_is_told(queue):
    class Bare:
        def __init__(self):
            self.x = 1

        def late(self):
            self.y = 2

    def unset(i, out):
        out[i] = Bare().y

    def wrong(i, out):
        out[i] = Bare(3).x

    for kernel, said in ((unset, "y"), (wrong, r"'__init__' takes")):
        with pytest.raises(sycl.exception, match=said):
            queue.parallel_for(N, kernel, np.zeros(N))
