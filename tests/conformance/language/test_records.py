"""Structured NumPy scalars and arrays in kernels (catalogue D-10)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree

pytestmark = pytest.mark.row("D-10")

POINT = np.dtype([("x", np.float32), ("y", np.float64)], align=True)
PARTICLE = np.dtype([("at", POINT), ("v", np.float32, (3,)), ("id", np.int16), ("on", np.bool_),
                     ("grid", np.int32, (2, 2))])


def particles(count):
    made = np.zeros(count, PARTICLE)
    made["at"]["x"], made["at"]["y"] = np.arange(count) * 0.5, np.arange(count) * -1.25
    made["v"] = np.arange(3 * count).reshape(count, 3)
    made["id"], made["on"] = np.arange(count) * 3, np.arange(count) % 2
    made["grid"] = np.arange(4 * count).reshape(count, 2, 2)
    return made


def test_members_are_read_and_written(queue):
    def build(p):
        def kernel(i):
            p[i]["at"]["x"] += p[i]["v"][0] * 0.25
            p[i]["at"]["y"] = p[i]["id"] * 2.5
            if p[i]["on"]:
                p[i]["id"] -= 7
            p[i]["on"] = not p[i]["on"]
            for k in range(3):
                p[i]["v"][k] = p[i]["v"][k] * k + i
            p[i]["grid"][1, 0] = p[i]["grid"][0][1] + 100
        return kernel
    agree(queue, build, 19, p=particles(19))


def test_a_value_that_was_read_does_not_follow_the_memory(queue):
    def build(p, out):
        def kernel(i):
            before = p[i]["id"]
            p[i]["id"] = 500
            out[i] = before
        return kernel
    agree(queue, build, 9, p=particles(9), out=np.zeros(9, np.int32))


def test_a_name_for_a_record_stays_with_its_record(queue):
    def build(p):
        def kernel(i):
            k = 0
            one = p[k]
            k = 1
            two = p[k]
            one["id"] = 111
            two["id"] = 222
            for k in range(2, 4):
                one = p[k]
                one["id"] += 1000
            row = two["grid"][1]
            row[0] = -5
        return kernel
    agree(queue, build, 1, p=particles(5))


def test_records_are_assigned_whole(queue):
    def build(p, q):
        def kernel(i):
            q[i] = p[len(p) - 1 - i]
            q[i]["at"] = p[i]["at"]
        return kernel
    agree(queue, build, 6, p=particles(6), q=np.zeros(6, PARTICLE))


def test_members_can_be_spelt_as_attributes_of_elements(queue):
    p, expected = particles(5), particles(5)

    def kernel(i):
        p[i].id = p[i].id * 2 + 1
        p[i].at.x += 1.0

    queue.parallel_for(5, kernel).wait()
    expected["id"] = expected["id"] * 2 + 1
    expected["at"]["x"] += 1
    assert np.array_equal(expected, p)


def test_a_record_is_captured_by_value(queue):
    one = particles(3)[2]
    out = np.zeros((4, 3))

    def kernel(i):
        out[i, 0] = one["at"]["y"] * i
        out[i, 1] = one["v"][i % 3]
        out[i, 2] = one["grid"][1, 1] + one["id"]

    queue.parallel_for(4, kernel).wait()
    expected = [[one["at"]["y"] * i, one["v"][i % 3], one["grid"][1, 1] + one["id"]]
                for i in range(4)]
    assert expected == out.tolist()


def test_records_go_to_helpers_and_through_buffers(queue):
    def energy(p, mass):
        return 0.5 * mass * (p["v"][0] ** 2 + p["v"][1] ** 2 + p["v"][2] ** 2)

    data, out = particles(11), np.zeros(11, np.float32)
    with sycl.buffer(data) as bp, sycl.buffer(out) as bo:
        def group(h):
            p = sycl.accessor(bp, h, sycl.read_only)
            o = sycl.accessor(bo, h, sycl.write_only)
            h.parallel_for(11, lambda i: store(o, i, energy(p[i], 2.0)))
        queue.submit(group)
    assert (data["v"] ** 2).sum(1).tolist() == out.tolist()


def store(view, i, value):
    view[i] = value


def test_an_array_member_has_a_length(queue):
    def build(p, out):
        def kernel(i):
            for k in range(len(p[i]["v"])):
                out[i] += p[i]["v"][k]
        return kernel
    agree(queue, build, 4, p=particles(4), out=np.zeros(4))


def first_member(i, out, a):
    out[i] = a[i].x


def member_of(i, out, p):
    out[i] = p.at.x


@pytest.mark.part
def test_members_that_a_program_renames_are_those_of_their_new_names(queue):
    """NumPy renames in place: the array, and its dtype, are the objects that they were."""
    a = np.zeros(4, np.dtype([("x", np.float32), ("y", np.float32)]))
    out = np.zeros(4, np.float32)
    a["x"], a["y"] = 1, 2
    for names, want in ((("x", "y"), 1), (("y", "x"), 2), (("x", "y"), 1)):
        a.dtype.names = names
        for _ in range(4):
            queue.parallel_for(4, first_member, out, a).wait()
            assert (out == want).all()
    nested = np.zeros((), np.dtype([("at", np.dtype([("x", np.float32), ("y", np.float32)]))]))[()]
    nested["at"]["x"], nested["at"]["y"] = 3, 4
    for names, want in ((("x", "y"), 3), (("y", "x"), 4), (("x", "y"), 3)):
        nested.dtype["at"].names = names
        for _ in range(4):
            queue.parallel_for(4, member_of, out, nested).wait()
            assert (out == want).all()
