"""Buffers over what the program may only read, and over parts of arrays (SYCL 2020 §4.7.2)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib import stride_tricks

import unisycl as sycl


def add(queue, b, by=1):
    def group(h):
        acc = sycl.accessor(b, h, sycl.read_write)

        def kernel(i):
            acc[i] += by
        h.parallel_for(b.get_range(), kernel)
    return queue.submit(group)


def fixed(array):
    array.flags.writeable = False
    return array


READ_ONLY = {
    "array": lambda: fixed(np.arange(8, dtype=np.int32)),
    "strided": lambda: fixed(np.arange(16, dtype=np.int32))[::2],
    "broadcast": lambda: np.broadcast_to(np.int32(4), 8),
    "bytes": lambda: np.frombuffer(bytes(range(32)), np.int32),
    "memoryview": lambda: memoryview(bytes(range(8))),
}


@pytest.mark.row("B-2", "B-8")
@pytest.mark.parametrize("name", READ_ONLY)
def test_const_host_data_is_written_by_kernels_and_never_written_back(queue, name):
    source = READ_ONLY[name]()
    before = np.array(source)
    out = np.zeros(8, before.dtype)
    with sycl.buffer(source) as b:
        with sycl.host_accessor(b, sycl.read_only) as seen:
            assert before.tolist() == np.asarray(seen).tolist()
        add(queue, b)
        add(queue, b, 10)
        with sycl.host_accessor(b, sycl.read_only) as seen:
            assert (before + 11).tolist() == np.asarray(seen).tolist()
        with sycl.host_accessor(b) as seen:  # without a mode it is for reading
            assert seen.mode is sycl.access_mode.read
        with sycl.host_accessor(b, sycl.read_write) as seen:
            seen[0] = 99
        b.set_final_data(out)
    assert before.tolist() == np.asarray(source).tolist()
    assert [99, *(before + 11)[1:]] == out.tolist()


@pytest.mark.row("B-2")
def test_const_host_data_that_is_only_read_is_used_in_place(device):
    source = fixed(np.arange(8))
    with sycl.buffer(source) as b, sycl.host_accessor(b, sycl.read_only) as seen:
        assert np.shares_memory(np.asarray(seen), source)


@pytest.mark.row("B-2")
def test_readers_of_const_host_data_are_before_writers_that_come_later(queue):
    source, outs = fixed(np.arange(4096)), [np.zeros(4096, np.int64) for _ in range(6)]
    with sycl.buffer(source) as b:
        for k, out in enumerate(outs):
            def read(h, out=out):
                acc = sycl.accessor(b, h, sycl.read_only)

                def kernel(i):
                    out[i] = acc[i]
                h.parallel_for(4096, kernel)
            queue.submit(read)
            if k % 2:
                add(queue, b)
        queue.wait()
    assert [[0, 0, 1, 1, 2, 2][k] for k in range(6)] == [int(o[0]) for o in outs]
    assert all((o - o[0] == source).all() for o in outs)


@pytest.mark.row("B-2")
def test_a_graph_and_const_host_data(queue):
    source, out = fixed(np.arange(8)), np.zeros(8, np.int64)
    b = sycl.buffer(source)

    def read(h):
        acc = sycl.accessor(b, h, sycl.read_only)

        def kernel(i):
            out[i] = acc[i]
        h.parallel_for(8, kernel)
    options = sycl.ext.oneapi.property.graph.assume_buffer_outlives_graph()
    graph = sycl.ext.oneapi.experimental.command_graph(queue, options)
    graph.begin_recording(queue)
    queue.submit(read)
    graph.end_recording()
    ready = graph.finalize()
    for count in range(3):
        queue.ext_oneapi_graph(ready).wait()
        assert (source + count).tolist() == out.tolist()
        add(queue, b).wait()
    b.close()
    assert list(range(8)) == source.tolist()


PARTS = {
    "step": lambda a: a[::2], "backwards": lambda a: a[::-1], "plane": lambda a: a.reshape(6, 8).T,
    "window": lambda a: a.reshape(6, 8)[1:4, 2:7], "column": lambda a: a.reshape(6, 8)[:, 3],
    "space": lambda a: a.reshape(2, 3, 8).transpose(2, 0, 1)[::3],
}


@pytest.mark.row("B-2", "B-8")
@pytest.mark.parametrize("name", PARTS)
def test_a_buffer_over_a_part_of_an_array_gives_back_its_elements_only(queue, name):
    part = PARTS[name]
    x, y = np.arange(48), np.arange(48)
    with sycl.buffer(part(x)) as b:
        assert b.get_range() == sycl.range(*part(x).shape)
        add(queue, b, 100)
        x[0] = -5 if not np.shares_memory(part(x), x[:1]) else x[0]
        elsewhere = x.copy()
        add(queue, b, 1)
    part(elsewhere)[...] = part(y) + 101
    assert elsewhere.tolist() == x.tolist()


@pytest.mark.row("B-2")
def test_a_part_that_no_command_wrote_is_left_alone(queue):
    x, out = np.arange(12), np.zeros(6, np.int64)
    with sycl.buffer(x[::2]) as b:
        def group(h):
            acc = sycl.accessor(b, h, sycl.read_only)

            def kernel(i):
                out[i] = acc[i]
            h.parallel_for(6, kernel)
        queue.submit(group).wait()
        x[:] = 5
    assert [5] * 12 == x.tolist()
    assert list(range(0, 12, 2)) == out.tolist()


@pytest.mark.row("B-2", "B-6")
def test_ranges_final_data_and_write_back_of_parts(queue):
    x = np.arange(24)
    with sycl.buffer(x[::2], sycl.range(3, 4)) as b:
        queue.submit(lambda h: h.fill(
            sycl.accessor(b, h, sycl.write_only), 7))
    assert [7] * 12 == x[::2].tolist()
    assert list(range(1, 24, 2)) == x[1::2].tolist()
    x, other = np.arange(24), np.zeros(24, np.int64)
    with sycl.buffer(x[::2]) as b:
        add(queue, b)
        b.set_final_data(other[::-2])
    assert list(range(24)) == x.tolist()
    assert list(range(1, 24, 2)) == other[::-2].tolist()
    assert not other[::2].any()
    with sycl.buffer(x[::2]) as b:
        add(queue, b)
        b.set_write_back(False)
    assert list(range(24)) == x.tolist()


@pytest.mark.row("B-2")
def test_a_part_whose_elements_several_indices_share_is_refused(device):
    shared = stride_tricks.as_strided(np.zeros(4), (4, 3), (8, 0))
    with pytest.raises(sycl.exception, match=r"array\.copy\(\)") as caught:
        sycl.buffer(shared)
    assert sycl.errc.invalid == caught.value.code()
    shared = stride_tricks.as_strided(np.zeros(4), (4, 3), (8, 0), writeable=False)
    assert sycl.buffer(shared).get_range() == sycl.range(4, 3)
