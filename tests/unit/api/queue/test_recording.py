"""``recording``, and the pictures of queues and graphs."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from unisycl.runtime.graph.channel import Channel

x = sycl.ext.oneapi.experimental


def double(i, p):
    p[i] = 2 * p[i]


def chain(queue: sycl.queue) -> None:
    """Write one buffer, read it into another, read that on the host."""
    first = sycl.buffer(np.zeros(8, np.int32))
    second = sycl.buffer(np.zeros((2, 4), np.int32))

    def write(h: sycl.handler) -> None:
        a = sycl.accessor(first, h, sycl.write_only)
        h.parallel_for(8, lambda i: put(a, i))

    def move(h: sycl.handler) -> None:
        a = sycl.accessor(first, h, sycl.read_only)
        b = sycl.accessor(second, h, sycl.read_write)
        h.parallel_for(sycl.nd_range((2, 4), (1, 4)), lambda it: add(a, b, it))
    queue.submit(write)
    queue.submit(move)
    with sycl.host_accessor(second, sycl.read_only) as seen:
        assert 7 == seen[1, 3]


def put(a, i):
    a[i] = i


def add(a, b, it):
    b[it.get_global_id()] += a[it.get_global_linear_id()]


def edges(drawing) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(drawing.boxes[e.tail].title, drawing.boxes[e.head].title, e.causes)
            for e in drawing.lines]


def test_edges_name_the_buffers_and_the_modes(queue: sycl.queue) -> None:
    with sycl.recording() as seen:
        chain(queue)
    drawing = seen.drawing()
    assert ["<lambda>", "<lambda>", "a host_accessor that reads the buffer"] == [
        b.title for b in drawing.boxes]
    assert "kernel 2 x 4 in groups of 1 x 4" == drawing.boxes[1].details[0]
    assert [("<lambda>", "<lambda>", ("first: write → read",)),
            ("<lambda>", "a host_accessor that reads the buffer",
             ("second: read_write → read",))] == edges(drawing)


def test_a_buffer_without_a_name_is_called_by_its_shape_and_type(queue: sycl.queue) -> None:
    with sycl.recording() as seen:
        held = [sycl.buffer(np.zeros((2, 3), np.float32)) for _ in range(100)]
        for _ in range(2):
            queue.submit(lambda h: h.parallel_for(
                (2, 3), lambda i, a: double(i, a), sycl.accessor(held[70], h)))
    (_, _, causes), = edges(seen.drawing())
    assert ("buffer 0 (2 x 3 float32): read_write → read_write",) == causes


def test_parts_of_a_buffer_say_which_elements(queue: sycl.queue) -> None:
    whole = sycl.buffer(np.zeros(256, np.int32))
    part = sycl.buffer(whole, 128, 128)
    with sycl.recording() as seen:
        for target in (part, whole):
            queue.submit(lambda h, t=target: h.fill(sycl.accessor(t, h, sycl.write_only), 1))
        part.close()
    assert ("whole: write → write",) == edges(seen.drawing())[0][2]
    with sycl.recording() as seen:
        for target in (sycl.buffer(np.zeros(4)), sycl.buffer(np.zeros(4))):
            queue.submit(lambda h, t=target: h.fill(sycl.accessor(t, h, sycl.write_only), 1))
    assert [] == edges(seen.drawing())


def test_the_order_of_a_queue_is_no_wish_while_its_last_command_runs(device: sycl.device) -> None:
    queue, gate = sycl.queue(device, sycl.property.queue.in_order()), threading.Event()
    p = sycl.malloc_shared(8, np.int32, queue)
    with sycl.recording() as seen:
        queue.submit(lambda h: h.host_task(gate.wait))
        later = threading.Timer(0.05, gate.set)
        later.start()
        queue.parallel_for(8, double, p).wait()
    assert [("in order",)] == [causes for *_, causes in edges(seen.drawing())]
    later.join()
    sycl.free(p, queue)


def test_order_without_data_is_drawn_too(device: sycl.device) -> None:
    queue = sycl.queue(device, sycl.property.queue.in_order())
    p = sycl.malloc_shared(8, np.int32, queue)
    with sycl.recording() as seen:
        queue.fill(p, 1)
        last = queue.parallel_for(8, double, p)
        sycl.queue(device).parallel_for(8, double, p, depends_on=last).wait()
    assert [("fill", "double", ("in order",)), ("double", "double", ("depends_on",))] == edges(
        seen.drawing())
    sycl.free(p, queue)


def test_barriers_hold_up_what_comes_later(queue: sycl.queue) -> None:
    with sycl.recording() as seen:
        queue.submit(lambda h: h.host_task(lambda: None))
        queue.ext_oneapi_submit_barrier()
        queue.single_task(lambda: None)
        queue.wait()
    assert [(0, 1, ("barrier",)), (1, 2, ("barrier",))] == [
        (e.tail, e.head, e.causes) for e in seen.drawing().lines]


def test_readers_have_no_edge_and_a_writer_one_from_each(queue: sycl.queue) -> None:
    data, out = sycl.buffer(np.zeros(4)), [sycl.buffer(np.zeros(4)) for _ in range(12)]

    def read(h: sycl.handler, target: sycl.buffer) -> None:
        h.copy(sycl.accessor(data, h, sycl.read_only), sycl.accessor(target, h, sycl.write_only))
    with sycl.recording() as seen:
        for target in out:
            queue.submit(lambda h, t=target: read(h, t))
            queue.wait()
        queue.submit(lambda h: h.fill(sycl.accessor(data, h, sycl.write_only), 1))
    assert [(k, 12) for k in range(12)] == [(e.tail, e.head) for e in seen.drawing().lines]


def test_a_failed_command_is_marked(device: sycl.device) -> None:
    queue = sycl.queue(device, async_handler=lambda errors: None)
    with sycl.recording() as seen:
        queue.submit(lambda h: h.host_task(lambda: 1 // 0))
        queue.wait_and_throw()
    box, = seen.drawing().boxes
    assert "failed" == box.kind
    assert "ZeroDivisionError" in " ".join(box.details)


def test_outside_the_block_nothing_is_noted_and_channels_are_as_before(queue: sycl.queue) -> None:
    before = type(queue.channel)
    with sycl.recording() as outer, sycl.recording() as inner:
        assert type(queue.channel) is not before
        assert type(sycl.queue(queue.get_device()).channel) is type(queue.channel)
        queue.single_task(lambda: None).wait()
    queue.single_task(lambda: None).wait()
    assert before is Channel is type(queue.channel)
    assert (1, 1) == (len(outer), len(inner))
    with pytest.raises(sycl.exception, match="already"):
        outer.__enter__()


def test_the_ending_says_how_it_is_written(queue: sycl.queue, tmp_path: Path) -> None:
    with sycl.recording() as seen:
        chain(queue)
    for ending, sign in ((".svg", "<svg"), (".dot", "digraph"), (".json", '"edges"'),
                         (".trace", "traceEvents")):
        seen.save(tmp_path / f"seen{ending}")
        assert sign in (tmp_path / f"seen{ending}").read_text(encoding="utf-8")
    with pytest.raises(sycl.exception, match=r"\.png"):
        seen.save(tmp_path / "seen.png")


def test_a_notebook_shows_recordings_queues_and_graphs(queue: sycl.queue) -> None:
    empty = sycl.recording()
    assert (None, None) == (empty._repr_svg_(), queue._repr_svg_())
    gate = threading.Event()
    queue.submit(lambda h: h.host_task(gate.wait))
    assert "host task" not in repr(queue)
    assert ">wait<" in str(queue._repr_svg_())
    gate.set()
    queue.wait()
    with sycl.recording() as seen:
        chain(queue)
        assert "first: write" in str(queue._repr_svg_())
    assert str(seen._repr_svg_()).startswith("<svg")


def test_a_notebook_shows_command_graphs(queue: sycl.queue) -> None:
    graph = x.command_graph(queue)
    assert graph._repr_svg_() is None
    p = sycl.malloc_shared(8, np.int32, queue)
    with graph.record(queue):
        event = queue.parallel_for(8, double, p)
        queue.parallel_for(8, double, p, depends_on=event)
        assert ">double<" in str(queue._repr_svg_())
    for drawn in (graph, graph.finalize()):
        assert 2 == str(drawn._repr_svg_()).count(">double</text>")
    sycl.free(p, queue)


def test_many_commands_are_drawn_in_part_and_the_picture_says_so(queue: sycl.queue) -> None:
    with sycl.recording(most=5) as seen:
        for _ in range(9):
            queue.single_task(lambda: None)
        queue.wait()
    assert "4 more commands are not shown" in str(seen._repr_svg_())


class Weights(sycl.buffer):
    """A buffer of a program's own class."""


def test_a_buffer_of_a_class_of_the_programs_own_has_its_variable_s_name(
        queue: sycl.queue) -> None:
    weights = Weights(np.zeros(4))
    with sycl.recording() as seen:
        for value in (1.0, 2.0):
            queue.submit(lambda h, v=value: h.fill(sycl.accessor(weights, h), v))
    assert [("fill", "fill", ("weights: read_write → read_write",))] == edges(seen.drawing())
