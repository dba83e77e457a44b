"""Members of enumerations that are known at run time only: states, choices, ``Colour(a[i])``."""

from __future__ import annotations

import dataclasses
import enum

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 24
K = (np.arange(N) * 31 % 17).astype(np.int32)


class State(enum.Enum):
    RUN = enum.auto()
    WAIT = enum.auto()
    DONE = enum.auto()


class Cell(enum.IntEnum):
    WALL = 3
    FLOOR = 1
    DOOR = 7


class Weight(enum.Enum):
    LOW = 0.5
    HIGH = 2.0
    NONE = -1.0


class Word(enum.StrEnum):
    SHORT = "s"
    LONG = "long"


class Planet(enum.Enum):
    MERCURY = (3, 2.5)
    EARTH = (60, 6.0)
    MARS = (6, 3.5)

    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius

    @property
    def pull(self):
        return self.mass / (self.radius * self.radius)

    def weight(self, x, scale=1):
        return x * scale * self.pull

    def next(self):
        return Planet.EARTH if self is Planet.MERCURY else Planet.MARS

    @classmethod
    def home(cls):
        return cls.EARTH


TABLE = (Cell.DOOR, Cell.WALL, Cell.FLOOR)


@dataclasses.dataclass
class Walker:
    state: State
    steps: int = 0

    def go(self):
        if self.state is State.RUN:
            self.state = State.DONE
            self.steps += 1
        else:
            self.state = State.RUN


def after(state, x):
    match state:
        case State.RUN:
            return State.WAIT if x % 3 == 0 else State.RUN
        case State.WAIT:
            return State.DONE
        case _:
            return state


def test_states(queue):
    def build(k, out):
        def kernel(i):
            state, n, x = State.RUN, 0, int(k[i])
            while state is not State.DONE:
                if state is State.RUN:
                    x = x * 3 + 1 if x % 2 else x // 2
                    if n % 4 == 3:
                        state = State.WAIT
                    if x <= 1:
                        state = State.DONE
                elif state == State.WAIT:
                    n += 10
                    state = State.RUN
                n += 1
            out[i, 0] = n
            state = State.RUN
            for j in range(20):
                state = after(state, int(k[i]) + j)
                if state == State.DONE:
                    break
                out[i, 1] += 1
            out[i, 2] = state.value
            walker = Walker(State.RUN)
            for _ in range(int(k[i])):
                walker.go()
            out[i, 3] = walker.steps * 2 + (walker.state is State.DONE)
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 4))


def test_numbers_of_members(queue):
    def build(k, out):
        def kernel(i):
            cell = Cell(TABLE[k[i] % 3].value)
            other = TABLE[i % 3]
            out[i, 0] = cell * 100 + (cell << 1) + int(other) + cell.value
            out[i, 1] = (cell is Cell.DOOR) + 2 * (cell > Cell.FLOOR) + 4 * (cell == 3) + \
                8 * (1 == cell) + 16 * (cell is not other) + 32 * (cell in (Cell.DOOR, Cell.WALL))
            side = Cell.WALL if k[i] == 0 else Cell.DOOR
            out[i, 2] = (side is Cell.WALL) + 2 * isinstance(side, Cell) + 4 * (side != other)
            weight = Weight.LOW if k[i] > 8 else Weight.HIGH
            if k[i] == 4:
                weight = Weight.NONE
            out[i, 3] = int(weight.value * 4) + 100 * (weight == 2.0) + (1 if weight else 5)
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 4))


def test_attributes_and_methods_of_members(queue):
    def build(k, out):
        def kernel(i):
            planet = (Planet.MERCURY, Planet.EARTH, Planet.MARS)[k[i] % 3]
            out[i, 0] = planet.mass + 100 * planet.radius
            out[i, 1], out[i, 4] = planet.pull, planet.weight(k[i], scale=2)
            out[i, 2] = planet.next().mass + 1000 * (planet.home() is Planet.EARTH)
            mass, radius = planet.value
            out[i, 3] = mass * 10 + radius
        return kernel
    agree(queue, build, N, k=K, out=np.zeros((N, 5)))


def test_what_a_member_is_not(queue):
    def stored(i, out):
        state = State.RUN if i else State.DONE
        out[i] = state

    def named(i, out):
        state = State.RUN if i else State.DONE
        out[i] = len(state.name)
    out = np.zeros(2, np.int32)
    with pytest.raises(sycl.KernelError, match=r"a member of 'State'[^$]*\.value"):
        queue.parallel_for(2, stored, out)
    with pytest.raises(sycl.KernelError, match=r"'\.name' of a member of State"):
        queue.parallel_for(2, named, out)


def test_members_that_are_texts_are_no_values(queue):
    """``m == "a"`` is true of one of them, so that it is more than its place."""
    def kernel(i, out):
        word = Word.SHORT if i else Word.LONG
        out[i] = word == "s"
    with pytest.raises(sycl.KernelError, match="Word"):
        queue.parallel_for(2, kernel, np.zeros(2, np.int32))


def test_a_number_without_a_member_is_told_in_debugged_kernels(queue):
    @sycl.kernel(debug=True)
    def kernel(i, k, out):
        out[i] = Cell(k[i])
    with pytest.raises(sycl.exception, match=r"ValueError: .*4.* is not a valid Cell"):
        queue.parallel_for(2, kernel, np.array([3, 4], np.int32),
                           np.zeros(2, np.int32)).wait_and_throw()
