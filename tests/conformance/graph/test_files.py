"""Executable graphs saved to files and loaded with other memory; updates of whole graphs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl

syclex, files = sycl.ext.oneapi.experimental, sycl.ext.unisycl
N = 16


def scale(i, data, by):  # type: ignore[no-untyped-def]
    data[i] = by * data[i]


@sycl.kernel
def turn(it: sycl.nd_item, source, into, tile, shift):  # type: ignore[no-untyped-def]
    k, n = it.get_local_id(0), it.get_local_range(0)
    tile[k] = source[it.get_global_id(0)]
    sycl.group_barrier(it.get_group())
    into[it.get_global_id(0)] = tile[n - 1 - k] + shift[0]


def once(data):  # type: ignore[no-untyped-def]
    data[0] = -1.0


def memories(queue: sycl.queue):  # type: ignore[no-untyped-def]
    return [sycl.malloc_shared(N, np.float32, queue) for _ in range(2)]


def make(queue: sycl.queue, x, y) -> syclex.command_graph:  # type: ignore[no-untyped-def]
    graph = syclex.command_graph(queue)
    first = graph.add(lambda h: h.parallel_for(N, scale, x, np.float32(3)))
    second = graph.add(lambda h: h.parallel_for(
        sycl.nd_range(N, 4), turn, x, y, sycl.local_accessor(np.float32, 4), (0.5, 1)),
        depends_on=[first])
    middle = graph.add(depends_on=[second])
    third = graph.add(lambda h: h.copy(y, x.pointer_to(4), 4), depends_on=[middle])
    graph.add(lambda h: h.fill(y, 7, 2), depends_on=[third])
    graph.add(lambda h: h.memset(x.pointer_to(N - 1), 0, 4), depends_on=[third])
    graph.add(lambda h: h.single_task(once, x), depends_on=[third])
    return graph


def expected() -> tuple[np.ndarray, np.ndarray]:
    x = 3 * np.arange(N, dtype=np.float32)
    y = x.reshape(-1, 4)[:, ::-1].reshape(-1) + np.float32(0.5)
    x[4:8] = y[:4]
    x[0], x[N - 1] = -1, 0
    y[:2] = 7
    return x, y


@pytest.mark.row("P-15")
def test_a_graph_from_a_file_does_the_same_with_other_memory(
        queue: sycl.queue, tmp_path: Path) -> None:
    x, y = memories(queue)
    kernels = {"scale": scale, "turn": turn, "once": once}
    saved = make(queue, x, y).finalize()
    files.save_graph(saved, tmp_path / "graph.json", {"x": x, "y": y, **kernels})
    a, b = memories(queue)
    loaded = files.load_graph(tmp_path / "graph.json", queue, {"x": a, "y": b, **kernels},
                              sycl.ext.oneapi.property.graph.updatable())
    for graph, one, two in ((saved, x, y), (loaded, a, b)):
        one[:], two[:] = np.arange(N), 0
        queue.ext_oneapi_graph(graph).wait()
        for found, wanted in zip((one, two), expected(), strict=True):
            assert np.array_equal(found[:], wanted)
    c, d = memories(queue)
    c[:] = np.arange(N)
    loaded.update(make(queue, c, d))  # the whole graph, over a third pair of memories
    queue.ext_oneapi_graph(loaded).wait()
    assert np.array_equal(c[:], expected()[0])
    files.save_graph(loaded, tmp_path / "again.json", {"x": c, "y": d, **kernels})
    assert (tmp_path / "again.json").read_text() == (tmp_path / "graph.json").read_text()


@pytest.mark.row("P-15")
def test_what_cannot_be_saved_or_loaded_is_refused(queue: sycl.queue, tmp_path: Path) -> None:
    x, y = memories(queue)
    names = {"x": x, "y": y, "scale": scale, "turn": turn, "once": once}
    path = tmp_path / "graph.json"
    made = make(queue, x, y).finalize()
    for absent in ("x", "scale"):
        with pytest.raises(sycl.exception, match="no name among"):
            files.save_graph(made, path, {k: v for k, v in names.items() if k != absent})
    with sycl.buffer(np.zeros(4, np.float32)) as data:
        odd = [lambda h: h.host_task(lambda: None), lambda h: h.ext_oneapi_graph(made),
               lambda h: h.parallel_for(4, scale, sycl.accessor(data, h), 2.0),
               lambda h: h.parallel_for(4, sycl.reduction(x, sycl.plus), lambda i, r: r.combine(1))]
        for command in odd:
            graph = syclex.command_graph(queue)
            graph.add(command)
            with pytest.raises(sycl.exception, match="save_graph") as caught:
                files.save_graph(graph.finalize(), path, names)
            assert caught.value.code() == sycl.errc.invalid
    assert not path.exists()
    files.save_graph(made, path, names)
    held = json.loads(path.read_text())
    wrong = [({**names, "x": y.pointer_to(1)}, None, "something else"),
             ({k: v for k, v in names.items() if k != "turn"}, None, "uses 'turn'"),
             (names, {**held, "version": 99}, "no graph"), (names, [], "no graph"),
             (names, {**held, "nodes": [{"kind": "empty", "after": [0]}]}, "not before it"),
             (names, {**held, "nodes": [{"after": []}]}, "damaged"),
             (names, {**held, "memories": 3}, "damaged"),
             (names, {**held, "nodes": [{"kind": "eval", "arguments": [], "after": []}]},
              "no command 'eval'")]
    for given, text, say in wrong:
        if text is not None:
            path.write_text(json.dumps(text))
        with pytest.raises(sycl.exception, match=say) as caught:
            files.load_graph(path, queue, given)
        assert caught.value.code() == sycl.errc.invalid
    for bad in (tmp_path / "none.json", tmp_path):
        with pytest.raises(sycl.exception, match="cannot be read"):
            files.load_graph(bad, queue, names)


def meet(it: sycl.nd_item, into, one, other):  # type: ignore[no-untyped-def]
    k = it.get_local_id(0)
    one[k] = 1 + k
    other[k] = 10 + k
    sycl.group_barrier(it.get_group())
    into[it.get_global_id(0)] = one[3 - k]


@pytest.mark.part("P-15")
def test_local_memory_that_is_given_twice_is_one_in_a_file_too(
        queue: sycl.queue, tmp_path: Path) -> None:
    into, tile = sycl.malloc_shared(N, np.float32, queue), sycl.local_accessor(np.float32, 4)
    names, path = {"into": into, "meet": meet}, tmp_path / "graph.json"
    for other, first in ((tile, 10), (sycl.local_accessor(np.float32, 4), 1)):
        graph = syclex.command_graph(queue)
        graph.add(lambda h, o=other: h.parallel_for(sycl.nd_range(N, 4), meet, into, tile, o))
        files.save_graph(graph.finalize(), path, names)
        into[:] = 0
        queue.ext_oneapi_graph(files.load_graph(path, queue, names)).wait()
        assert into[:].tolist() == [first + 3 - k % 4 for k in range(N)]
