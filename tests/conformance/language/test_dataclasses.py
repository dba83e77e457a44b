"""Dataclasses in kernels: made there, in memory, captured; methods called (catalogue D-10)."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("D-10")
N = 21


@dataclass
class Interval:
    low: float
    high: float = 1.0

    def length(self):
        return self.high - self.low

    @property
    def middle(self):
        return (self.low + self.high) / 2

    @staticmethod
    def unit(x):
        return Interval(x, x + 1)

    def widen(self, by):
        self.low -= by
        self.high += by

    def __add__(self, other):
        return Interval(self.low + other.low, self.high + other.high)


@sycl.is_device_copyable.register
@dataclass
class Spin:
    axis: sycl.float3
    speed: np.float32 = 0.0


@sycl.is_device_copyable.register
@dataclass
class Body:
    at: sycl.float4
    spin: Spin
    mass: np.float64
    counts: (np.int16, 3)
    on: bool = True
    LIMIT = 50

    def move(self, by):
        self.at.xyz = self.at.xyz + by
        self.at.w += 1
        self.spin.speed *= 2
        self.spin.axis.z -= self.mass
        for k in range(3):
            self.counts[k] += k

    def energy(self):
        return self.mass * sycl.fmin(self.at.x * self.at.x, self.LIMIT)

    def put(self, memory, i):
        memory[i].x = self.at.y


def bodies():
    p = np.zeros(N, Body)
    p["at"]["x"], p["at"]["y"] = np.arange(N), 7
    p["mass"], p["spin"]["speed"] = 2, 1
    p["counts"] = np.arange(3 * N).reshape(N, 3)
    return p


def test_values_are_made_changed_and_returned(queue):
    x = np.linspace(0, 3, N).astype(np.float32)
    out = np.zeros((N, 6))

    def grown(interval, by):
        interval.widen(by)
        return interval.length()

    def kernel(i):
        one = Interval(x[i], high=x[i] * 2)
        out[i, 0] = grown(one, 0.5)
        out[i, 1] = one.middle
        one.high = 10
        two = one + Interval.unit(3)
        out[i, 2] = two.length()
        three = Interval(-1) if i % 2 else two
        out[i, 3] = three.high
        if i > 5:
            three = copy.copy(two)
            three.low = 100
        out[i, 4] = three.low
        out[i, 5] = two == Interval(two.low, two.high)
    queue.parallel_for(N, kernel).wait()
    i, x = np.arange(N), x.astype(np.float64)
    two = (x - 0.5 + 3, np.full(N, 14.0))
    want = np.stack([x + 1, x * 1.5, two[1] - two[0], np.where(i % 2, 1, 14),
                     np.where(i > 5, 100, np.where(i % 2, -1, two[0])), np.ones(N)], axis=1)
    np.testing.assert_allclose(out, want, rtol=1e-6)


def test_arrays_of_a_class_have_its_layout_and_methods(queue):
    p = bodies()
    out = np.zeros(N)
    marks = np.zeros(N, sycl.float2)

    def kernel(i):
        one = p[i]
        one.move(sycl.float3(1, 2, 3))
        out[i] = one.energy()
        one.on = not one.on
        one.put(marks, i)
    queue.parallel_for(N, kernel).wait()
    x = np.arange(N) + 1.0
    assert p["at"]["x"].tolist() == x.tolist()
    assert p["at"]["w"].tolist() == [1] * N
    assert (p["spin"]["speed"] == 2).all()
    assert (p["spin"]["axis"]["z"] == -2).all()
    np.testing.assert_array_equal(p["counts"], np.arange(3 * N).reshape(N, 3) + np.arange(3))
    np.testing.assert_allclose(out, 2 * np.minimum(x * x, 50))
    assert p["on"].all()
    assert (marks["x"] == 9).all()


def test_values_go_to_memory_and_come_from_it(queue):
    p, r = bodies(), np.zeros(N, Spin)
    with sycl.buffer(r) as b:
        @queue.submit
        def group(h):
            R = sycl.accessor(b, h)
            tile = sycl.local_accessor(Spin, 7, h)

            @h.parallel_for(sycl.nd_range(N, 7))
            def kernel(it):
                g, k = it.get_global_id(0), it.get_local_id(0)
                mine = sycl.private_array(Spin, 2)
                spin = copy.copy(p[g].spin)
                spin.axis.x = g
                spin.speed = spin.speed * 3
                p[g].spin = Spin(sycl.float3(9), 9)
                mine[g % 2] = spin
                tile[6 - k] = mine[g % 2]
                sycl.group_barrier(it.get_group())
                R[g] = tile[k]
                R[g].speed += 1
    queue.wait()
    g = np.arange(N)
    assert r["axis"]["x"].tolist() == (g // 7 * 7 + 6 - g % 7).tolist()
    assert (r["speed"] == 4).all()
    assert (p["spin"]["speed"] == 9).all()


def test_captured_objects_and_records_are_values(queue):
    settings, body = Interval(np.float32(2), 5.0), bodies()[3]
    out = np.zeros((N, 4))

    def kernel(i, spare):
        out[i, 0] = settings.length() * i
        out[i, 1] = settings.middle
        out[i, 2] = body.energy()
        out[i, 3] = spare.low
    queue.parallel_for(N, kernel, Interval(0.25)).wait()
    i = np.arange(N)
    np.testing.assert_allclose(out, np.stack([3 * i, i * 0 + 3.5, i * 0 + 18, i * 0 + 0.25], 1))


def test_post_init_and_nested_values(queue):
    @dataclass
    class Cell:
        at: object
        area: float = 0.0

        def __post_init__(self):
            self.area = self.at.length() * 2

    out = np.zeros((N, 3))

    def kernel(i):
        cell = Cell(Interval(i, i * 2))
        cell.at.high += 1
        inner = cell.at
        out[i, 0] = inner.high
        out[i, 1] = cell.area
        cell.at = Interval(5)
        out[i, 2] = cell.at.low
    queue.parallel_for(N, kernel).wait()
    i = np.arange(N)
    np.testing.assert_array_equal(out, np.stack([2 * i + 1, 2 * i, i * 0 + 5], axis=1))


def test_methods_may_meet_at_barriers(queue):
    @dataclass
    class Tile:
        width: int

        def turned(self, memory, it, value):
            memory[it.get_local_id(0)] = value
            sycl.group_barrier(it.get_group())
            return memory[self.width - 1 - it.get_local_id(0)]

    out = np.zeros(24, np.int32)
    tile = sycl.local_accessor(np.int32, 8)

    def kernel(it, memory):
        out[it.get_global_id(0)] = Tile(8).turned(memory, it, it.get_global_id(0))
    queue.parallel_for(sycl.nd_range(24, 8), kernel, tile).wait()
    assert out.tolist() == np.arange(24).reshape(3, 8)[:, ::-1].reshape(-1).tolist()


def test_the_trait_knows_what_can_be_copied():
    copyable = sycl.is_device_copyable
    for kind in (bool, int, float, complex, np.float16, np.complex64, sycl.float4, sycl.mint3,
                 Interval, Body, tuple[int, float], np.dtype([("x", "f4")]), Spin):
        assert copyable(kind), kind
    for kind in (str, list, dict, object, np.datetime64, tuple[int, str], sycl.queue):
        assert not copyable(kind), kind
    assert Body.dtype.fields["mass"][1] == 48
    assert Body.dtype.itemsize == 64
    assert dataclasses.fields(Body)[0].name == "at"


@pytest.mark.parametrize(("make", "text"), [
    (lambda: type("Plain", (), {}), "takes a dataclass"),
    (lambda: dataclass(type("Text", (), {"__annotations__": {"x": str}})), "Text.x: kernels have"),
])
def test_what_cannot_be_registered_is_refused(make, text):
    with pytest.raises(sycl.exception, match=text):
        sycl.is_device_copyable.register(make())


def test_elements_are_ordinary_objects_on_the_host():
    p = bodies()
    one = p[4]
    assert isinstance(one, Body)
    one.move(sycl.float3(1))
    assert p["at"]["x"][4] == 5
    assert one.energy() == 50
    alone = copy.copy(one)
    alone.mass = 9.0
    assert p["mass"][4] == 2
    assert "spin=Spin(axis=float3(0.0, 0.0, -2.0), speed=2.0)" in repr(one)
    with pytest.raises(AttributeError, match="no member 'foo'"):
        one.foo = 1


@sycl.is_device_copyable.register
@dataclass
class Row:
    cells: (np.int32, 3)
    mark: np.int16 = 0

    def add(self, by):
        for k in range(3):
            self.cells[k] += by


@sycl.is_device_copyable.register
@dataclass
class Page:
    row: Row
    pair: sycl.int2


def test_copies_of_records_have_arrays_of_their_own(queue):
    p = np.zeros(4, Page)
    p["row"]["cells"] = np.arange(12).reshape(4, 3)
    r, out = np.zeros(4, Page), np.zeros((4, 8), np.int32)

    def sum_of(row, limit):
        row.cells[0] += 1
        if row.cells[0] > limit:
            return row.cells[0]
        return row.cells[1] + row.cells[2]

    def kernel(i):
        one = copy.copy(p[i])
        one.row.cells[1] += 100
        one.row.add(10)
        out[i, 0] = p[i].row.cells[1]
        out[i, 1] = one.row.cells[1]
        out[i, 2] = sum_of(one.row, 14)
        one.pair.y = 5
        r[i] = one
        row = copy.copy(r[i].row)
        for j in range(4):
            if j % 2 == i % 2:
                row = copy.copy(p[j].row)
                row.cells[j % 3] = -1
        out[i, 3] = row.cells[0] * 10000 + row.cells[1] * 100 + row.cells[2]
        cells = copy.copy(p[i].row.cells)
        cells[2] = 9
        out[i, 4] = p[i].row.cells[2] + cells[2]
        two = copy.copy(one)  # as in Python, a copy of an object shares what its fields hold
        two.row.cells[0] = 77
        out[i, 5] = one.row.cells[0]
        r[i].row.add(1000)
        out[i, 6] = one.row.cells[2]
    queue.parallel_for(4, kernel).wait()
    for i in range(4):
        a, b, c = (int(x) + 10 for x in p["row"]["cells"][i])
        b, first = b + 100, a + 1
        total = first if first > 14 else b + c
        last = np.dot([6, 7, -1] if i % 2 == 0 else [-1, 10, 11], [10000, 100, 1])
        assert out[i, :7].tolist() == [
            3 * i + 1, b, total, last, 3 * i + 2 + 9, 77, c]
        assert r["row"]["cells"][i].tolist() == [first + 1000, b + 1000, c + 1000]
    assert p["row"]["cells"].tolist() == np.arange(12).reshape(4, 3).tolist()
    assert (r["pair"]["y"] == 5).all()


def test_a_copied_array_is_not_exchanged_under_a_second_name(queue):
    p, out = np.zeros(4, Row), np.zeros(4, np.int32)

    def kernel(i):
        new = copy.copy(p[i])
        for j in range(3):
            old = new
            new = copy.copy(p[j])
            out[i] += old.cells[0]
    with pytest.raises(sycl.KernelError, match="K035"):
        queue.parallel_for(4, kernel)


def test_memory_is_not_copied_as_an_object(queue):
    p = np.zeros(4, np.int32)

    def kernel(i):
        q = copy.copy(p)
        q[i] = 5
    with pytest.raises(sycl.KernelError, match="copy.copy takes objects"):
        queue.parallel_for(4, kernel)
