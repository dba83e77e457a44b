"""Records in memory that change places: a name for one is no copy, so duplicating is refused."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest

import unisycl as sycl

LAYOUT = np.dtype([("k", "i4"), ("at", sycl.float2.dtype), ("w", "i4", (3,)),
                   ("inner", [("a", "i4"), ("b", "i4")])])


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Inner:
    a: np.int32
    b: np.int32


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Thing:
    k: np.int32
    at: sycl.float2
    w: (np.int32, 3)
    inner: Inner


KINDS = {"structured": LAYOUT, "dataclass": np.dtype(Thing)}


def things(kind):
    made = np.zeros(4, KINDS[kind])
    made["k"] = np.arange(4) + 1
    made["w"][:, 1] = np.arange(4) + 10
    made["inner"]["b"] = np.arange(4) + 20
    for i in range(4):
        made["at"][i].y = i
    return made


def told(made):
    return [(int(r["k"]), int(r["w"][1]), int(r["inner"]["b"]), float(r["at"].y)) for r in made]


# ---- refused: Python would duplicate, whoever writes it means something else
def three_lines(i, a):
    t = a[0]
    a[0] = a[1]
    a[1] = t


def two_names(i, a):
    s, t = a[0], a[1]
    a[0] = t
    a[1] = s


def by_a_tuple(i, a):
    a[0], a[1] = a[1], a[0]


def by_a_pair(i, a):
    two = (a[0], a[1])
    a[0] = two[1]
    a[1] = two[0]


def put(a, i, value):
    a[i] = value


def through_arguments(i, a):
    t = a[0]
    put(a, 0, a[1])
    put(a, 1, t)


def exchange(a, i, j):
    t = a[i]
    a[i] = a[j]
    a[j] = t


def in_a_function(i, a):
    exchange(a, 0, 1)


def get(a, i):
    t = a[i]
    return t


def through_a_result(i, a):
    t = get(a, 0)
    a[0] = a[1]
    a[1] = t


def of_a_member(i, a):
    t = a[0].inner
    a[0].inner = a[1].inner
    a[1].inner = t


def of_an_array_member(i, a):
    t = a[0].w
    a[0].w = a[1].w
    a[1].w = t


def a_member_read_later(i, a):
    t = a[0]
    a[0] = a[1]
    a[2].k = t.k


def a_vector_read_later(i, a):
    t = a[0]
    a[0] = a[1]
    a[2].at = t.at


def chosen(i, a):
    t = a[0] if a[0].k > a[1].k else a[1]
    a[0] = a[1]
    a[1] = t


def on_one_path(i, a):
    t = a[0]
    if a[0].k < a[1].k:
        a[0] = a[1]
    a[1] = t


def renamed_on_one_path(i, a):
    t = a[0]
    a[0] = a[1]
    if a[2].k > 100:
        t = a[2]
    a[1] = t


def insertion(i, a):
    key = a[3]
    j = 2
    while j >= 0 and a[j].k > 0:
        a[j + 1] = a[j]
        j -= 1
    a[j + 1] = key


def read_where_a_loop_begins_anew(i, a):
    first = a[0]
    total = 0
    for k in range(3):
        total += first.k
        a[0] = a[k + 1]
    a[3].k = total


def of_private_arrays(i, a):
    mine = sycl.private_array(LAYOUT, 2)
    mine[0]["k"] = 1
    mine[1]["k"] = 2
    t = mine[0]
    mine[0] = mine[1]
    mine[1] = t
    a[0].k = mine[1]["k"]


def through_pointers(i, a):
    p = sycl.multi_ptr(a)
    q = p + 1
    t = p[0]
    p[0] = q[0]
    q[0] = t


def by_a_walrus(i, a):
    a[0] = (t := a[1])
    a[1] = t


REFUSED = [three_lines, two_names, by_a_tuple, by_a_pair, through_arguments, in_a_function,
           through_a_result, of_a_member, of_an_array_member, a_member_read_later,
           a_vector_read_later, chosen, on_one_path, renamed_on_one_path, insertion,
           read_where_a_loop_begins_anew, of_private_arrays, through_pointers, by_a_walrus]


def launch(queue, kernel, made, space=1):
    with sycl.buffer(made) as b:
        queue.submit(lambda h: h.parallel_for(space, kernel, sycl.accessor(b, h))).wait()
    return told(made)


@pytest.mark.row("D-10")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kernel", REFUSED, ids=lambda k: k.__name__)
def test_a_swap_that_would_duplicate_is_refused(queue: sycl.queue, kernel, kind: str) -> None:
    with pytest.raises(sycl.exception, match="K125") as caught:
        launch(queue, kernel, things(kind))
    assert "copy.copy" in caught.value.what()


def across_a_barrier(it, a):
    k = it.get_local_id(0)
    t = a[k]
    sycl.group_barrier(it.get_group())
    a[3 - k] = t


@pytest.mark.row("D-10")
def test_what_others_overwrite_meanwhile_is_refused(queue: sycl.queue) -> None:
    with pytest.raises(sycl.exception, match="by another work-item"):
        launch(queue, across_a_barrier, things("structured"), sycl.nd_range(4, 4))


# ---- accepted: it means what Python means
def by_a_copy(i, a):
    t = copy.copy(a[0])
    a[0] = a[1]
    a[1] = t


def by_copies_in_a_tuple(i, a):
    a[0], a[1] = copy.copy(a[1]), copy.copy(a[0])


def sorted_by_insertion(i, a):
    for s in range(1, 4):
        key = copy.copy(a[s])
        j = s - 1
        while j >= 0 and a[j].k < key.k:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key


def in_place(i, a):
    me = a[0]
    me.k = 7
    a[1] = me
    me.k += 1


def one_name_in_two_loops(i, a):
    for k in range(3):
        t = a[k]
        t.k += 1
        a[k] = a[k + 1]
    for k in range(3):
        t = a[k]
        a[3].k = t.k


def named_anew(i, a):
    t = a[0]
    a[0] = a[1]
    t = a[2]
    a[1] = t


def all_alike(i, a):
    a[0] = a[1] = a[2]


def of_vectors_and_numbers(i, a):
    t = a[0].at
    a[0].at = a[1].at
    a[1].at = t
    a[0].k, a[1].k = a[1].k, a[0].k
    a[2].at, a[3].at = a[3].at, a[2].at


def indices_that_change(i, a):
    k = 0
    k, t = k + 1, a[k]
    a[2] = t
    a[3].k = k


ACCEPTED = [by_a_copy, by_copies_in_a_tuple, sorted_by_insertion, in_place, one_name_in_two_loops,
            named_anew, all_alike, of_vectors_and_numbers, indices_that_change]


class Plain:
    """Records as Python has them, for what a kernel has to equal: elements are views."""

    def __init__(self, made):
        self.made = made

    def __getitem__(self, i):
        return PlainRecord(self.made, i)

    def __setitem__(self, i, value):
        self.made[i] = value.made[value.at].copy() if isinstance(value, PlainRecord) else value


class PlainRecord:
    def __init__(self, made, at):
        self.__dict__.update(made=made, at=at)

    def __copy__(self):
        return PlainRecord(self.made[self.at:self.at + 1].copy(), 0)

    def __getattr__(self, name):
        return copy.copy(self.made[name][self.at])

    def __setattr__(self, name, value):
        self.made[name][self.at] = value


@pytest.mark.row("D-10")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("kernel", ACCEPTED, ids=lambda k: k.__name__)
def test_records_change_places_as_in_python(queue: sycl.queue, kernel, kind: str) -> None:
    expected = things(kind)
    kernel(0, Plain(expected))
    assert told(expected) == launch(queue, kernel, things(kind))
