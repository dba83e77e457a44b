"""What objects say of themselves, at a prompt and in a notebook."""

from __future__ import annotations

import numpy as np

import unisycl as sycl


@sycl.kernel(reqd_work_group_size=(4, 8))
def tile(it, x, factor):
    x[it.get_global_id(0), it.get_global_id(1)] *= factor


def test_usm_memory_is_printed_with_its_values(queue):
    p = sycl.malloc_shared((2, 3), np.int32, queue)
    p[:] = [[1, 2, 3], [4, 5, 6]]
    assert str(p) == "<usm shared: 2 x 3 of int32>\n[[1 2 3]\n [4 5 6]]"
    assert "<pre>[[1 2 3]" in p._repr_html_()
    long = sycl.malloc_host(1000, np.int32, queue)
    long[:] = range(1000)
    assert str(long).endswith("[  0   1   2 ... 997 998 999]")
    sycl.free(p, queue)
    assert str(p).endswith("freed")


def test_memory_that_a_command_may_use_is_not_waited_for():
    queue = sycl.queue("cpu")
    p = sycl.malloc_shared(4, np.int32, queue)
    gate = sycl.ext.unisycl.user_event()
    filled = queue.fill(p, 3, depends_on=gate)
    assert "commands are pending" in str(p)
    gate.set()
    filled.wait()
    assert str(p).endswith("[3 3 3 3]")


def test_memory_of_the_device_says_how_to_see_it(queue):
    p = sycl.malloc_device(4, np.int32, queue)
    assert "queue.memcpy(array, pointer)" in str(p)


def test_a_kernel_shows_its_parameters():
    assert repr(tile) == "<kernel tile(it, x, factor), work-groups of 4 x 8>"
    assert repr(sycl.kernel(lambda i: None)) == "<kernel <lambda>(i)>"


def test_devices_are_a_table_in_a_notebook(device):
    text = device._repr_html_()
    assert text.count("<tr>") == 2
    assert device.get_info(sycl.info.device.name) in text.replace("&#x27;", "'")
    place = device.get_platform()
    assert place._repr_html_().count("<tr>") == 1 + len(place.get_devices())


def test_buffers_are_printed_with_their_values_where_that_costs_no_wait(queue):
    b = sycl.buffer(np.arange(6, dtype=np.int32).reshape(2, 3))
    assert str(b) == "<buffer: 2 x 3 of int32>\n[[0 1 2]\n [3 4 5]]"
    assert "<pre>[[0 1 2]" in b._repr_html_()
    empty = sycl.buffer(sycl.range(3), dtype=np.float32)
    assert str(empty).endswith("nothing was written yet")

    @queue.submit
    def _(h):
        a = sycl.accessor(b, h, sycl.read_write)
        h.fill(a, 7)
    queue.wait()
    text = str(b)
    assert "[[7 7 7]\n [7 7 7]]" in text or "host_accessor(buffer) copies it" in text
    with sycl.host_accessor(b, sycl.read_only) as seen:
        assert int(seen[1, 2]) == 7
    assert str(b).endswith("[[7 7 7]\n [7 7 7]]")
    b.close()
    assert str(b).endswith("closed")


def test_a_buffer_that_a_command_may_use_is_not_waited_for():
    queue = sycl.queue("cpu")
    b, gate = sycl.buffer(np.zeros(3, np.int32)), sycl.ext.unisycl.user_event()

    @queue.submit
    def filled(h):
        h.depends_on(gate)
        h.fill(sycl.accessor(b, h, sycl.write_only), 3)
    assert "commands are pending" in str(b)
    gate.set()
    filled.wait()
    assert str(b).endswith("[3 3 3]")
