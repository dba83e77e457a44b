"""Variables of a module that live on devices (sycl_ext_oneapi_device_global).

Each test has a context of its own, where no variable was touched yet.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.device_global import variables
from unisycl.ext.oneapi import experimental as exp
from unisycl.ext.oneapi.experimental import device_global

errc = sycl.errc
record = np.dtype([("n", np.int32), ("flag", np.bool_), ("x", np.float32), ("a", np.int32, (4,))])

step = sycl.specialization_id(np.int32, 1)

number = device_global(np.int32)
hits = device_global(np.uint64)
two_by_three = device_global(np.float32, (2, 3), [3, 4, 5, 6, 7, 8])
four = device_global(np.int32, 4, [1, 2, 3, 4])
short = device_global(np.int16, 5, [7, 8])
truth = device_global(np.bool_, 3, [True, False, True])
letters = device_global(np.uint8, 3, list(b"d4S"))
real = device_global(np.float64, init=3.56543)
one = device_global(record, init=(6, False, 4.5, (5, 6, 7, 8)))
many = device_global(record, 2, [(5, True, 2.0, (1, 2, 3, 4)), (7, False, 2.5, (1, 2, 3, 4))])
colour = device_global(sycl.float4, init=sycl.float4(1, 2, 3, 4))
copied = device_global(two_by_three)
converted = device_global(four, exp.host_access_read)

ACCESS = {
    "read": device_global(np.int32, exp.host_access_read),
    "write": device_global(np.int32, exp.host_access_write),
    "read_write": device_global(np.int32, exp.host_access_read_write),
    "none": device_global(np.int32, exp.host_access_none),
}
read_only, write_only, read_write, no_access = ACCESS.values()

scoped = device_global(np.int32, exp.device_image_scope, 9)
scoped_late = device_global(np.int32, exp.device_image_scope, 5)
fpga = device_global(np.int32, exp.init_mode_reset, exp.implement_in_csr_on)

rebound = device_global(np.int32)
a_list = [number]


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Point:
    x: np.float32
    y: np.float32

    def norm1(self):
        return abs(self.x) + abs(self.y)


here = device_global(Point, init=Point(3, -4))


class Settings:
    limit = device_global(np.int32, init=10)


@pytest.fixture
def own(device: sycl.device) -> sycl.queue:
    """Return a queue in a context of its own."""
    return sycl.queue(sycl.context(device), device)


def at_module_level(text: str) -> None:
    exec(text, globals())  # noqa: S102 - statements of this file, as of a module that is imported


def read(q: sycl.queue, variable: Any, count: int = 1) -> list[Any]:
    out = np.zeros(count, variable.dtype)
    q.copy(variable, out).wait()
    return out.tolist()


def results(q: sycl.queue, kernel: Any, count: int) -> list[float]:
    out = sycl.malloc_device(count, np.float64, q)
    return seen(q, q.single_task(kernel, out), out)


def seen(q: sycl.queue, after: sycl.event, memory: Any) -> list[Any]:
    """Return what device memory holds after an event."""
    found = np.zeros(memory.size(), memory.dtype)
    q.copy(memory, found, depends_on=[after]).wait()
    return found.tolist()


@pytest.mark.row("G-4")
def test_without_a_value_it_is_zero(own: sycl.queue) -> None:
    assert [0] == read(own, number)
    assert [0] == read(own, hits)

    def kernel(out):
        out[0] = hits
    assert [0.0] == results(own, kernel, 1)


@pytest.mark.row("G-5", "G-6")
def test_every_kind_of_constant_reads_back(own: sycl.queue) -> None:
    assert [3, 4, 5, 6, 7, 8] == read(own, two_by_three, 6)
    assert [7, 8, 0, 0, 0] == read(own, short, 5)
    assert [True, False, True] == read(own, truth, 3)
    assert list(b"d4S") == read(own, letters, 3)
    assert [3.56543] == read(own, real)
    n, flag, x, a = read(own, one)[0]
    assert (6, False, 4.5, [5, 6, 7, 8]) == (n, flag, x, list(a))
    assert [5, 7] == [r[0] for r in read(own, many, 2)]

    def kernel(out):
        out[0] = two_by_three[1, 2]
        out[1] = short[1] + truth[2]
        out[2] = letters[1]
        out[3] = one.x + one.a[3]
        out[4] = many[1].n + many[0].a[2]
        out[5] = real
    with sycl.testing.refused(own.get_device(), sycl.aspect.fp64):
        assert [8, 9, ord("4"), 12.5, 10, 3.56543] == results(own, kernel, 6)


@pytest.mark.row("G-8", "G-23")
def test_kernels_use_a_number_as_one(own: sycl.queue) -> None:
    def kernel(out):
        global number
        number += 5
        out[0] = number
        out[1] = number * 2 - 1
        out[2] = 1 + number
        number[()] = 7
        out[3] = number.get()
        number -= 2
        number *= number
        out[4] = number
        out[5] = -number + abs(number)
        if number > 24 and number == 25:
            out[6] = 1
        out[7] = number.get_multi_ptr()[0]
    assert [5, 9, 6, 7, 25, 0, 1, 25] == results(own, kernel, 8)
    assert [25] == read(own, number)


@pytest.mark.row("G-8")
def test_kernels_use_arrays_records_and_vecs(own: sycl.queue) -> None:
    def kernel(out):
        two_by_three[1, 0] += 10
        out[0] = two_by_three[1][0]
        out[1] = two_by_three.get()[0, 1]
        four.get()[1] = 20
        out[2] = four.get_multi_ptr()[1]
        one.n = 8
        one.a[2] += one.get().a[0]
        out[3] = one.get().n + one.a[2]
        out[4] = colour.x + colour[3]
        colour.y = 9
        colour[0] = 11
        out[5] = colour.x + colour.y
        colour[()] = sycl.float4(1, 1, 1, 5)
        out[6] = colour.w
        out[7] = here.norm1()
        here.x = 1
        out[8] = here.get().x
        twice = colour * 2 + colour
        out[9] = twice.w + (-colour).x + (1.0 - colour).y
        out[10] = sycl.all(colour == colour) + sycl.any(colour < colour.get())
    assert [16, 4, 20, 20, 5, 20, 5, 7, 1, 14, 1] == results(own, kernel, 11)


@pytest.mark.row("G-3")
def test_kernels_of_a_context_share_it_and_others_do_not(own: sycl.queue) -> None:
    def bump(out):
        number[()] += 1
        out[0] = number

    def look(out):
        out[0] = number
    assert [1] == results(own, bump, 1)
    assert [1] == results(own, look, 1)
    device = own.get_device()
    assert [0] == results(sycl.queue(sycl.context(device), device), look, 1)
    assert [2] == results(sycl.queue(own.get_context(), device), bump, 1)


@pytest.mark.row("E-29", "G-5")
@pytest.mark.parametrize("first", ["kernel", "copy out", "copy in"])
def test_values_are_in_place_once_before_whatever_comes_first(
        device: sycl.device, first: str) -> None:
    """Threads race to be the first to touch it in a context of their own."""
    def bump(out):
        sycl.atomic_ref(Settings.limit, (), sycl.memory_order.relaxed,
                        sycl.memory_scope.device).fetch_add(1)
        out[0] = 1
    for _ in range(5):
        owner = sycl.context(device)
        queues = [sycl.queue(owner, device) for _ in range(4)]
        memories = [sycl.malloc_device(1, np.int32, q) for q in queues]
        ready = threading.Barrier(len(queues))

        def work(k: int) -> None:
            ready.wait(60)
            if first == "copy out":
                assert read(queues[k], Settings.limit)[0] >= 10
            queues[k].single_task(bump, memories[k]).wait()
        if first == "copy in":
            queues[0].copy(np.array([10], np.int32), Settings.limit).wait()
        threads = [threading.Thread(target=work, args=(k,)) for k in range(len(queues))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert [14] == read(queues[0], Settings.limit)


@pytest.mark.row("G-12", "C-24")
def test_it_outlives_constants_and_bundles(own: sycl.queue) -> None:
    def bump(p, kh: sycl.kernel_handler):
        number[()] += kh.get_specialization_constant(step)
        p[0] = number
    found = []
    for value in (1, 2, 3):
        p = sycl.malloc_device(1, np.int32, own)

        def group(h: sycl.handler, value: int = value, p: Any = p) -> None:
            h.set_specialization_constant(step, value)
            h.single_task(bump, p)
        found += seen(own, own.submit(group), p)
    assert [1, 3, 6] == found

    marked = sycl.kernel(bump)
    bundle = sycl.get_kernel_bundle(own.get_context(), [marked])

    def bundled(h: sycl.handler) -> None:
        h.use_kernel_bundle(bundle)
        h.single_task(marked, p)
    assert [7] == seen(own, own.submit(bundled), p)


@pytest.mark.row("G-7")
def test_a_copy_has_the_initial_value(own: sycl.queue) -> None:
    own.copy(np.zeros(6, np.float32), two_by_three).wait()
    assert [3, 4, 5, 6, 7, 8] == read(own, copied, 6)
    assert [1, 2, 3, 4] == read(own, converted, 4)
    with pytest.raises(sycl.exception, match="device_image_scope"):
        at_module_level("v = device_global(four, exp.device_image_scope)")


@pytest.mark.row("G-9")
@pytest.mark.parametrize("use", [
    lambda: number.get(), lambda: four[0], lambda: number + 1, lambda: float(number),
    lambda: number.get_multi_ptr(), lambda: four.__setitem__(0, 1), lambda: list(four),
    lambda: np.asarray(four), lambda: bool(number)])
def test_the_host_does_not_reach_it(use: Any) -> None:
    with pytest.raises(sycl.exception, match="lives on devices") as caught:
        use()
    assert errc.invalid is caught.value.code()


@pytest.mark.row("G-9")
def test_the_host_does_not_reach_what_a_device_wrote(own: sycl.queue) -> None:
    def count(p: Any) -> None:
        number[()] += 5
        p[0] = number
    p = sycl.malloc_device(1, np.int32, own)
    assert [5] == seen(own, own.single_task(count, p), p)
    for use in (number.get, lambda: float(number), lambda: number + 1):
        with pytest.raises(sycl.exception, match="lives on devices") as caught:
            use()
        assert errc.invalid is caught.value.code()


@pytest.mark.row("G-1")
def test_it_is_made_at_the_level_of_a_module_only() -> None:
    with pytest.raises(sycl.exception, match="inside the function"):
        device_global(np.int32)
    with pytest.raises(sycl.exception, match="inside the function"):
        class Inside:
            variable = device_global(np.int32)
    with pytest.raises((sycl.exception, RuntimeError)) as caught:
        at_module_level("class Own:\n    __hidden = device_global(np.int32)")
    error: Any = caught.value
    while not isinstance(error, sycl.exception):
        error = error.__cause__
    assert "private" in str(error)


@pytest.mark.row("G-1", "G-22")
def test_attributes_of_classes_and_modules_work(own: sycl.queue) -> None:
    def kernel(out):
        Settings.limit[()] += 1
        out[0] = Settings.limit
        variables.counter[()] += 2
    assert [11] == results(own, kernel, 1)
    assert [3] == results(own, variables.count, 1)
    assert [3] == read(own, variables.counter)


@pytest.mark.row("G-1")
def test_a_name_bound_anew_is_diagnosed_where_the_old_one_is_used(own: sycl.queue) -> None:
    old = rebound

    def kernel(out):
        out[0] = old
    assert [0] == results(own, kernel, 1)
    globals()["rebound"] = None
    try:
        def again(out):
            out[0] = old + 1
        with pytest.raises(sycl.KernelError, match="can no longer be reached"):
            results(own, again, 1)
    finally:
        globals()["rebound"] = old


@pytest.mark.row("G-2")
def test_lists_of_variables_are_refused(own: sycl.queue) -> None:
    def kernel(out):
        out[0] = a_list[0]
    with pytest.raises(sycl.KernelError, match="mutable"):
        results(own, kernel, 1)


@pytest.mark.row("G-6")
@pytest.mark.parametrize("what", ["object", "'U5'", "'M8[s]'", "np.dtype([('p', object)])"])
def test_types_kernels_have_not_are_refused(what: str) -> None:
    with pytest.raises(sycl.exception, match="no type") as caught:
        at_module_level(f"v = device_global({what})")
    assert errc.invalid is caught.value.code()


@pytest.mark.row("G-5")
@pytest.mark.parametrize("what", [
    "np.int32, 2, [1, 2, 3]", "np.int32, init='x'", "np.int32, (2, 2), [[1, 2, 3]]",
    "np.int8, init=1000"])
def test_values_that_do_not_fit_are_refused(what: str) -> None:
    with pytest.raises(sycl.exception, match="initial value"):
        at_module_level(f"v = device_global({what})")


@pytest.mark.row("G-23", "D-59")
def test_other_globals_stay_out_of_reach(own: sycl.queue) -> None:
    def other(out):
        global step
        step = 1
        out[0] = 1

    def bound(out):
        global number
        number = 3
        out[0] = 1
    with pytest.raises(sycl.KernelError, match=r"cannot change a variable outside.*step"):
        results(own, other, 1)
    with pytest.raises(sycl.KernelError, match=r"number\[\(\)\]"):
        results(own, bound, 1)


@pytest.mark.row("G-13", "G-17")
def test_properties_are_those_of_the_declaration(own: sycl.queue) -> None:
    assert read_only.has_property(exp.host_access_key)
    assert exp.host_access_enum.read is read_only.get_property(exp.host_access_key).value
    assert not number.has_property(exp.device_image_scope_key)
    assert scoped.has_property(exp.device_image_scope_key)
    assert exp.init_mode_enum.reset is fpga.get_property(exp.init_mode_key).value
    assert fpga.get_property(exp.implement_in_csr_key).value is True
    with pytest.raises(sycl.exception, match="has_property"):
        number.get_property(exp.init_mode_key)
    with pytest.raises(sycl.exception, match="no property"):
        at_module_level("v = device_global(np.int32, sycl.property.queue.in_order())")
    with pytest.raises(sycl.exception, match="expected one of"):
        at_module_level("v = device_global(np.int32, exp.host_access('both'))")
    assert sycl.is_property_of(exp.host_access_key, device_global)
    assert [0] == read(own, fpga)


@pytest.mark.row("G-16")
@pytest.mark.parametrize("name", ACCESS)
def test_host_access_says_which_copies_there_are(own: sycl.queue, name: str) -> None:
    variable = ACCESS[name]
    x = np.ones(1, np.int32)
    copies = {
        "read": lambda: own.copy(variable, x), "write": lambda: own.copy(x, variable),
    }
    for direction, copy in copies.items():
        if name in (direction, "read_write"):
            copy().wait()
            continue
        with pytest.raises(sycl.exception, match="host_access") as caught:
            copy()
        assert errc.invalid is caught.value.code()
    with pytest.raises(sycl.exception) if name in ("read", "none") else contextlib.nullcontext():
        own.memcpy(variable, x).wait()


@pytest.mark.row("G-18")
def test_parts_are_copied_both_ways_after_events(own: sycl.queue) -> None:
    first = own.copy(np.array([10, 20], np.int32), four, 2, 2)
    out = np.zeros(4, np.int32)
    second = own.copy(four, out, 4, 0, first)
    second.wait()
    assert [1, 2, 10, 20] == out.tolist()
    p = sycl.malloc_device(2, np.int32, own)
    third = own.copy(four, p, 2, start=1, depends_on=[second])
    assert [2, 10] == seen(own, third, p)
    fourth = own.copy(np.array([8, 9], np.int32), p)
    own.copy(p, four, 2, 0, [fourth]).wait()
    assert [8, 9, 10, 20] == read(own, four, 4)
    own.submit(lambda h: h.copy(np.array([5], np.int32), two_by_three_int, 1, 4)).wait()
    assert [0, 0, 0, 0, 5, 0] == read(own, two_by_three_int, 6)


two_by_three_int = device_global(np.int32, (2, 3))


@pytest.mark.row("G-19")
def test_bytes_are_copied_both_ways(own: sycl.queue) -> None:
    own.memcpy(four, np.array([77], np.int32), 4, 4).wait()
    assert [1, 77, 3, 4] == read(own, four, 4)
    out = np.zeros(2, np.int32)
    own.memcpy(out, four, 8, 4).wait()
    assert [77, 3] == out.tolist()
    whole = np.zeros(4, np.int32)
    own.submit(lambda h: h.memcpy(whole, four)).wait()
    assert [1, 77, 3, 4] == whole.tolist()


@pytest.mark.row("G-20")
def test_copies_beyond_the_end_are_refused(own: sycl.queue) -> None:
    x = np.zeros(16, np.int32)
    for copy in (lambda: own.copy(x, four, 5), lambda: own.copy(x, four, 3, 2),
                 lambda: own.copy(four, x, 5), lambda: own.copy(four, x, 1, 4),
                 lambda: own.copy(four, x, 1, -1),
                 lambda: own.memcpy(four, x, 17), lambda: own.memcpy(four, x, 8, 9),
                 lambda: own.memcpy(x, four, 16, 1),
                 lambda: own.copy(x, np.zeros(9, np.int32), 1, 2),
                 lambda: own.copy(four, four)):
        with pytest.raises(sycl.exception) as caught:
            copy()
        assert errc.invalid is caught.value.code()
    assert [1, 2, 3, 4] == read(own, four, 4)


@pytest.mark.row("G-14")
def test_with_device_image_scope_kernels_share_a_module(own: sycl.queue) -> None:
    def kernel(out):
        out[0] = variables.scoped
    assert [4] == results(own, variables.use_scoped, 1)
    with pytest.raises(sycl.exception, match="another device image") as caught:
        results(own, kernel, 1)
    assert errc.invalid is caught.value.code()


@pytest.mark.row("G-15", "G-21")
def test_with_device_image_scope_copies_find_the_one_image(own: sycl.queue) -> None:
    assert [5] == read(own, scoped_late)
    with pytest.raises(sycl.exception, match="no kernel of its module") as caught:
        read(own, variables.unused)
    assert errc.kernel_not_supported is caught.value.code()

    def constant(p, kh: sycl.kernel_handler):
        p[0] = scoped + kh.get_specialization_constant(step)

    p = sycl.malloc_device(1, np.int32, own)
    for value in (1, 2):
        def group(h: sycl.handler, value: int = value) -> None:
            h.set_specialization_constant(step, value)
            h.single_task(constant, p)
        assert [9 + value] == seen(own, own.submit(group), p)
    with pytest.raises(sycl.exception, match="2 device images") as caught:
        read(own, scoped)
    assert errc.invalid is caught.value.code()


def uses_late(out):
    out[0] = scoped_late


@pytest.mark.row("G-24")
def test_atomics_on_it_are_exact(own: sycl.queue) -> None:
    def kernel(i):
        ref = sycl.atomic_ref(hits, 0, sycl.memory_order.relaxed, sycl.memory_scope.device)
        ref.fetch_add(1)
        sycl.atomic_ref(four, i % 4, sycl.memory_order.relaxed,
                        sycl.memory_scope.device).fetch_add(1)
    count = 400 if own.get_device().has(sycl.aspect.emulated) else 1 << 20
    with sycl.testing.refused(own.get_device(), sycl.aspect.atomic64):
        own.parallel_for(count, kernel).wait()
        assert [count] == read(own, hits)
    assert [1 + count // 4, 2 + count // 4] == read(own, four, 4)[:2]


def note_address(cell):
    cell[0] = four.get_multi_ptr() + 1


def write_through(cell):
    p = cell[0]
    p[0] = 70
    p[1] += 100
    sycl.atomic_ref(p, 2, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(5)


@pytest.mark.row("G-11")
def test_its_address_is_stored_by_one_kernel_and_used_by_another(own: sycl.queue) -> None:
    cell = sycl.malloc_shared(1, sycl.global_ptr[np.int32], own)
    own.single_task(note_address, cell).wait()
    own.single_task(write_through, cell).wait()
    assert [1, 70, 103, 9] == read(own, four, 4)
    own.single_task(sycl.kernel(debug=True)(write_through), cell).wait()
    assert [1, 70, 203, 14] == read(own, four, 4)


@pytest.mark.row("G-10")
def test_its_address_is_trapped_elsewhere(own: sycl.queue) -> None:
    cell = sycl.malloc_shared(1, sycl.global_ptr[np.int32], own)
    own.single_task(note_address, cell).wait()
    device = own.get_device()
    other = sycl.queue(sycl.context([device]), device)
    theirs = sycl.malloc_shared(1, sycl.global_ptr[np.int32], other)
    theirs[0] = cell[0]
    with pytest.raises(sycl.exception, match="lies in no allocation of this device and context"):
        other.single_task(sycl.kernel(debug=True)(write_through), theirs).wait()
    assert [1, 2, 3, 4] == read(own, four, 4)


@pytest.mark.row("G-25")
def test_the_feature_is_announced() -> None:
    assert 1 == sycl.SYCL_EXT_ONEAPI_DEVICE_GLOBAL
    assert device_global is sycl.ext.oneapi.experimental.device_global


@pytest.mark.row("G-25")
def test_a_kernel_may_ask_for_the_feature(own: sycl.queue) -> None:
    def ask(p: Any) -> None:
        if sycl.SYCL_EXT_ONEAPI_DEVICE_GLOBAL == 1:
            p[0] = four[1]
    p = sycl.malloc_device(1, np.int32, own)
    assert [2] == seen(own, own.single_task(ask, p), p)


@pytest.mark.row("G-1")
def test_it_says_what_it_is() -> None:
    assert "<device_global two_by_three: float32[2][3]>" == repr(two_by_three)
    assert "<device_global Settings.limit: int32>" == repr(Settings.limit)
    assert (2, 3) == two_by_three.shape


@pytest.mark.part("G-1")
def test_the_element_type_of_an_array_is_that_of_its_elements() -> None:
    assert Settings.limit.element_type == np.dtype(np.int32)
    assert here.element_type.names == ("x", "y")
    at_module_level("rows = device_global(np.float32, (2, 3))")
    assert (globals()["rows"].element_type, globals()["rows"].shape) == (np.float32, (2, 3))
