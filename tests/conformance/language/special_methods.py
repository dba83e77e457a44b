"""Classes with special methods, and what kernels do with their objects: plain Python functions."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from typing import NamedTuple

import numpy as np

import unisycl as sycl

# ruff: noqa: E711, PLR0124  # None and the objects themselves are among what is compared


class Pair(NamedTuple):
    """A tuple whose class decides everything otherwise than tuples do."""

    x: float
    y: float

    def __add__(self, other):
        return Pair(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Pair(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Pair(-self.x, -self.y)

    def __eq__(self, other):
        return self.x == other.x

    __hash__ = None

    def __lt__(self, other):
        return self.y < other.y

    def __len__(self):
        return 7

    def __bool__(self):
        return bool(self.x > 2)

    def __contains__(self, value):
        return value == 99.0

    def __getitem__(self, k):
        return 5.0

    def __iter__(self):
        return iter((8.0, 9.0))

    def __abs__(self):
        return 3.0


class Child(Pair):
    """It inherits the methods of a NamedTuple."""


@dataclasses.dataclass
class Vector:
    """Methods that change the object, and some that do not know each operand."""

    x: float
    y: float

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __isub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __imul__(self, k):
        return NotImplemented

    def __mul__(self, other):
        if isinstance(other, Vector):
            return self.x * other.x + self.y * other.y
        if isinstance(other, int | float):
            return Vector(self.x * other, self.y * other)
        return NotImplemented

    __rmul__ = __mul__

    def __eq__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return self.x == other.x

    __hash__ = None

    def __setitem__(self, k, value):
        if k == 0:
            self.x = value
        else:
            self.y = value

    def __getitem__(self, k):
        return self.x if k == 0 else self.y

    def __iter__(self):
        return iter((self.x, self.y))

    def __float__(self):
        return self.x * 1.5

    def __int__(self):
        return 4

    def __complex__(self):
        return complex(self.x, self.y)

    def __round__(self, n=None):
        return Vector(round(self.x), self.y)

    def __floor__(self):
        return math.floor(self.y)

    def __divmod__(self, k):
        return self.x // k, self.y % k

    def __invert__(self):
        return Vector(self.y, self.x)


@dataclasses.dataclass
class Longer(Vector):
    """One of a derived class is asked first."""

    def __mul__(self, other):
        return 100.0

    __rmul__ = __mul__


@dataclasses.dataclass
class Right:
    """It knows what its left neighbour does not."""

    s: float

    def __rmul__(self, other):
        return 55.0


@dataclasses.dataclass
class Odd:
    """It says nothing sensible, so that whoever asks is found out."""

    x: float

    def __eq__(self, other):
        return self.x > other.x

    def __ne__(self, other):
        return self.x > 2

    __hash__ = None


@functools.total_ordering
@dataclasses.dataclass(eq=False)
class Ordered:
    """``functools`` writes what is missing."""

    v: float

    def __eq__(self, other):
        return self.v == other.v

    __hash__ = None

    def __lt__(self, other):
        return self.v < other.v


@dataclasses.dataclass(order=True, frozen=True)
class Version:
    """``dataclass`` writes the comparisons, over some of the fields."""

    a: int
    b: int
    note: float = dataclasses.field(compare=False, default=0.0)


@dataclasses.dataclass
class Shape:
    """A family of classes."""

    k: float

    def area(self):
        return 0.5

    def twice(self):
        return self.area() * 2

    @classmethod
    def make(cls, k):
        return cls(k)

    def larger(self):
        return type(self)(self.k + 1)

    def same(self):
        return self.__class__(self.k + 2)

    @property
    def size(self):
        return self.k

    @size.setter
    def size(self, value):
        self.k = value * 2


@dataclasses.dataclass
class Circle(Shape):
    """In the middle."""

    def area(self):
        return 3 * self.k**2 + super().area()


@dataclasses.dataclass
class Ring(Circle):
    """At the end."""

    inner: float = 0.5

    def area(self):
        return super().area() - 3 * self.inner**2

    @property
    def size(self):
        return super().size + 100


@dataclasses.dataclass
class First:
    """What is done after each is made."""

    q: float

    def __post_init__(self):
        self.q += 1


@dataclasses.dataclass
class Second(First):
    """It goes on from there."""

    r: float

    def __post_init__(self):
        super().__post_init__()
        self.r *= self.q


@dataclasses.dataclass
class Named:
    """Fields that only their names give."""

    x: float
    y: float = dataclasses.field(default=7.0, kw_only=True)
    z: float = 3.0


class Settings:
    """A captured object, which has more than attributes."""

    def __init__(self):
        self.v = 2.0

    def __len__(self):
        return 3

    def __bool__(self):
        return self.v > 2

    def __add__(self, other):
        return self.v + other

    def __eq__(self, other):
        return other == 1.0

    __hash__ = None

    def __contains__(self, k):
        return k > 2

    def __abs__(self):
        return 4.0

    def __neg__(self):
        return -self.v

    def __float__(self):
        return 8.0


SETTINGS = Settings()
VERSION = Version(1, 3)


# ---- operators and comparisons
def _in_place(i):
    a, b, c = Vector(1.0, i), Vector(1.0, i), Vector(1.0, i)
    a += Vector(2.0, 5.0)
    b -= Vector(2.0, 5.0)
    c *= 3
    for k in range(i):
        a += Vector(k, 1.0)
    return a.x + 10 * a.y + b.x + c.y


def _parts(i):
    v = Vector(1.0, i)
    v[0] = 7.0
    v[1] += 2.0
    x, y = v
    for c in v:
        x = x * 10 + c
    return x + y


def _setter(i):
    s = Circle(1.0)
    s.size = i
    s.size += 1.0
    return s.k


def _made(i):
    m = Second(i, 2.0)
    return m.r * 100 + m.q + Named(i, 5.0).z + 10 * Named(i, 5.0).y + Named(i, y=4.0).y


def _matched(i):
    total = 0.0
    for shape in (Ring(i * 1.0), Circle(2.0), Shape(5.0)):
        match shape:
            case Ring(k=k, inner=n):
                total += k + n
            case Circle(2.0):
                total -= 5.0
            case Shape(k):
                total *= k
    match (Vector(i, 2.0), i % 7):
        case (Vector(x=1.0), _):
            total += 1.0
        case (Vector(x, y), int(n)) if n > 2:
            total += x + y + n
    return total


def _truths(i):
    v = Vector(i, 1.0)
    total = 1.0 if v else 2.0
    total += 4.0 if Pair(i, 1.0) else 0.0
    total += 8.0 if not Pair(i, 1.0) else 0.0
    return total + bool(Pair(i, 1.0)) * 16


def _sums(i):
    return sum((Pair(1.0, i), Pair(2.0, 3.0)), Pair(0.0, 0.0)).y + sum(Pair(1.0, i))


CASES = (
    lambda i: (Pair(1.0, i) + Pair(2.0, 1.0)).y,
    lambda i: (Pair(1.0, i) * 3).y + (3 * Pair(1.0, i)).y + (-Pair(1.0, i)).y,
    lambda i: (Child(1.0, i) + Child(2.0, 1.0)).y,
    lambda i: (Pair(1.0, i) == Pair(1.0, i + 1)) + 2 * (Pair(1.0, i) != Pair(1.0, i + 1)),
    lambda i: (Pair(1.0, i) < Pair(0.0, 3.0)) + 2 * (Pair(1.0, i) > Pair(0.0, 3.0)),
    lambda i: len(Pair(1.0, i)) + Pair(1.0, i)[0] + abs(Pair(1.0, i)) + (1.0 in Pair(1.0, i)),
    lambda i: Pair(1.0, i) in (Pair(1.0, 3.0), Pair(4.0, 4.0)),
    lambda i: tuple(Pair(1.0, i))[1] + max(Pair(1.0, i), Pair(2.0, 3.0)).x,
    lambda i: (lambda a, b: a * 10 + b)(*Pair(1.0, i)),
    lambda i: (Odd(1.0) == Odd(i)) + 2 * (Odd(i) != Odd(i)),
    lambda i: (Vector(1.0, i) == 3.0) + 2 * (Vector(1.0, i) != 3.0) + 4 * (3.0 == Vector(1.0, i)),
    lambda i: (3.0 in Vector(3.0, i)) + 2 * (Vector(i, 9.0) in (Vector(1.0, 0), Vector(2.0, 0))),
    lambda i: Vector(1.0, i) * Vector(2.0, 3.0) + (2 * Vector(1.0, i)).y,
    lambda i: Vector(1.0, i) * Longer(2.0, 3.0) + Vector(1.0, i) * Right(2.0),
    lambda i: (Ordered(i) > Ordered(2.0)) + 2 * (Ordered(i) >= Ordered(2.0))
    + 4 * (Ordered(i) <= Ordered(2.0)) + 8 * (Ordered(i) != Ordered(2.0)),
    lambda i: (Version(1, i) < Version(1, 3)) + 2 * (Version(1, i, 5.0) == Version(1, 3, 6.0))
    + 4 * (Version(2, i) >= Version(1, 3)) + 8 * (Version(1, i) != Version(1, 3)),
    lambda i: max(Version(1, i), Version(1, 3), Version(0, 9)).b
    + 10 * min((Version(1, i), Version(1, 3)), key=lambda v: -v.b).b,
    lambda i: float(Vector(i, 1.0)) + int(Vector(i, 1.0)) + complex(Vector(1.0, i)).imag,
    lambda i: round(Vector(i * 0.3, 1.0)).x + math.floor(Vector(1.0, i * 0.7))
    + divmod(Vector(i, 5.0), 3)[1] + (~Vector(i, 5.0)).x,
    lambda i: operator.neg(Pair(1.0, i)).y + operator.add(Pair(1.0, i), Pair(1.0, 1.0)).x
    + operator.truth(Pair(i, 1.0)) + operator.not_(i > 2) + operator.getitem(Vector(i, 2.0), 0),
    _in_place, _parts, _truths, _sums,
)

OBJECTS = (
    lambda i: Ring(i).twice() + Ring.make(2.0).size,
    lambda i: Ring(i).larger().twice() + Circle(i).same().k,
    lambda i: dataclasses.replace(Version(1, i), a=4).a + dataclasses.replace(First(i), q=2.0).q,
    lambda i: dataclasses.astuple(Version(1, i))[1] + isinstance(Ring(i), Shape),
    lambda i: getattr(First(i), "q") + hasattr(First(i), "r") + getattr(First(i), "r", 50.0),
    lambda i: (type(First(i)) is First) + 2 * (First(i) is None) + 4 * (First(i) == None),
    lambda i: ((i < 3) is True) + 2 * ((i < 3) is not True) + 4 * ((i < 3) is False),
    lambda i: len(SETTINGS) + (SETTINGS + 1.0) + (SETTINGS == i) + (i in SETTINGS) + abs(SETTINGS),
    lambda i: -SETTINGS + float(SETTINGS) + (1.0 if SETTINGS else 16.0),
    lambda i: (VERSION == Version(1, i)) + 2 * (Version(1, i) < VERSION),
    _setter, _made, _matched,
)


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Place:
    """One in memory."""

    x: np.float64
    y: np.float64

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __abs__(self):
        return self.x + self.y

    def __bool__(self):
        return bool(self.x > 2)

    @property
    def total(self):
        return self.x + self.y

    @total.setter
    def total(self, value):
        self.x = value
        self.y = 0.0


def in_memory(p, out):
    """Do what special methods of records do."""
    one = p[1]
    one += p[2]
    p[0].total = 5.0
    p[0].total += 1.0
    out[0] = p[1] @ p[2] + abs(p[3]) + (100.0 if p[3] else 200.0) + (400.0 if not p[4] else 0.0)
