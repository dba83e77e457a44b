"""Objects that two names share, that are frozen, or that lack what is asked."""

from dataclasses import dataclass, field

import numpy as np

import unisycl as sycl

ROWS = ("D-10",)
out = np.zeros(8, np.float32)


@dataclass
class Pair:
    x: float
    y: float = 0.0


@dataclass(frozen=True)
class Fixed:
    x: float


@dataclass
class Made:
    x: list = field(default_factory=list)


def kernel(i):
    one = Pair(1, 2)
    two = one
    two.x = 3
    Pair(1).x = 2
    three = Pair(1)
    three.z = 1
    w = three.lenght
    Fixed(1.0)
    four = Fixed(2.0)
    four.x = 1
    Made()
    Pair()
    Pair(1, z=2)
    five = 1
    if out[i] > 0:
        five = Pair(1)
    out[i] = five
    s = three + three


def launch(queue):
    queue.parallel_for(8, kernel)
