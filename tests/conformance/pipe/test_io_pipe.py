"""Pipes between kernels and files (kernel_readable_io_pipe, kernel_writeable_io_pipe)."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from unisycl.ext import intel
from unisycl.ext.oneapi import experimental as ext

record = np.dtype([("n", np.int32), ("v", np.float32, (3,))])


def many(q: sycl.queue) -> int:
    """Return more packets than a pipe holds, but for the device that runs in Python."""
    return 300 if q.get_device().get_backend() is sycl.backend.host else 5000


@pytest.mark.row("K-13")
def test_a_kernel_reads_a_file_and_writes_another(beside: sycl.queue, tmp_path: Path) -> None:
    given = np.arange(many(beside), dtype=np.int32)
    given.tofile(tmp_path / "given")
    (tmp_path / "made").write_bytes(b"old contents")
    source = intel.kernel_readable_io_pipe(tmp_path / "given", np.int32)
    with intel.kernel_writeable_io_pipe(tmp_path / "made", np.int64, 4) as sink:
        def kernel(count):
            for _ in range(count):
                sink.write(source.read() * 3)
        for half in (given.size // 2, given.size - given.size // 2):
            beside.single_task(kernel, half).wait()
        sink.flush()
        made = np.fromfile(tmp_path / "made", np.int64)
        assert (3 * given).tolist() == made.tolist()
    assert (tmp_path / "made").stat().st_size == made.nbytes


@pytest.mark.row("K-13")
def test_nobody_has_to_wait(own: sycl.queue, tmp_path: Path) -> None:
    """What a file holds is there for the first kernel, and a part of a packet is none."""
    given = np.zeros(5, record)
    given["n"] = range(5)
    given["v"][:, 1] = np.arange(5) / 2
    (tmp_path / "given").write_bytes(given.tobytes() + b"part")
    source = intel.kernel_readable_io_pipe(tmp_path / "given", record)
    sink = intel.kernel_writeable_io_pipe(str(tmp_path / "made"), record)
    out = np.zeros(2, np.int32)

    def kernel(out):
        going = True
        while going:
            packet, going = source.read_nb()
            if going:
                packet.n += 10
                out[1] += 1 if sink.write_nb(packet) else 0
                out[0] += 1
    own.submit(lambda h: h.single_task(lambda: kernel(out))).wait()
    sink.close()
    assert [5, 5] == out.tolist()
    made = np.fromfile(tmp_path / "made", record)
    assert [10, 11, 12, 13, 14] == made["n"].tolist()
    assert given["v"].tolist() == made["v"].tolist()


@pytest.mark.row("K-13")
def test_a_kernel_waits_for_a_file_to_come_and_to_grow(beside: sycl.queue,
                                                       tmp_path: Path) -> None:
    source = intel.kernel_readable_io_pipe(tmp_path / "later", np.float32)
    first, sums = (sycl.malloc_shared(1, np.float32, beside) for _ in range(2))

    def kernel(place, count):
        total = np.float32(0)
        for _ in range(count):
            total += source.read()
        place[0] = total
    event = beside.single_task(kernel, first, 2)
    np.array([1.5, 2], np.float32).tofile(tmp_path / "later")
    event.wait()
    event = beside.single_task(kernel, sums, 3)
    for value in (10, 20, 30):
        with (tmp_path / "later").open("ab") as file:
            np.array([value], np.float32).tofile(file)
    event.wait()
    assert (3.5, 60) == (first[0], sums[0])


@pytest.mark.row("K-13")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_programs_are_joined_by_named_pipes(beside: sycl.queue, tmp_path: Path) -> None:
    there, back = tmp_path / "there", tmp_path / "back"
    for path in (there, back):
        os.mkfifo(path)
    count = many(beside)
    source = intel.kernel_readable_io_pipe(there, np.uint16)
    sink = intel.kernel_writeable_io_pipe(back, np.uint16)

    def kernel(count):
        for _ in range(count):
            sink.write(source.read() + 1)
    found: list[Any] = []

    def other_program() -> None:
        with back.open("rb") as reading, there.open("wb") as writing:
            writing.write(np.arange(count, dtype=np.uint16).tobytes())
            writing.flush()
            found.append(np.frombuffer(reading.read(2 * count), np.uint16))
    thread = threading.Thread(target=other_program)
    thread.start()
    beside.single_task(kernel, count).wait()
    thread.join()
    assert list(range(1, count + 1)) == found[0].tolist()


PROGRAM = """
import sys
import numpy as np
import unisycl as sycl
from unisycl.ext import intel
from unisycl.testing import find_device
sink = intel.kernel_writeable_io_pipe(sys.argv[2], np.int16)
def kernel(n):
    for k in range(n):
        sink.{write}(k)
sycl.queue(find_device(sys.argv[1])).single_task(kernel, int(sys.argv[3]))
"""


@pytest.mark.row("K-13")
def test_the_end_of_a_program_stores_what_is_in_pipes(
        request: pytest.FixtureRequest, own: sycl.queue, tmp_path: Path) -> None:
    device = own.get_device()
    native = device.get_backend() in (sycl.backend.cpu, sycl.backend.host)
    write = "write" if native or device.has(sycl.aspect.accelerator) else "write_nb"
    count = many(own) if write == "write" else 500
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(write=write))
    name = request.node.callspec.params["device"]
    children.run([sys.executable, program, name, tmp_path / "made", str(count)], check=True,
                 env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, timeout=300)
    assert list(range(count)) == np.fromfile(tmp_path / "made", np.int16).tolist()


@pytest.mark.row("K-13")
def test_contexts_share_the_file(own: sycl.queue, tmp_path: Path) -> None:
    np.arange(4, dtype=np.int32).tofile(tmp_path / "given")
    source = intel.kernel_readable_io_pipe(tmp_path / "given", np.int32)
    device = own.get_device()

    def kernel(out):
        out[0], out[1] = -1, -1
        for k in range(2):
            value, ok = source.read_nb()
            if ok:
                out[k] = value
    found = []
    for q in (own, sycl.queue(sycl.context(device), device)):
        out = np.zeros(2, np.int32)
        q.single_task(kernel, out).wait()
        found.append(out.tolist())
    assert [[0, 1], [-1, -1]] == found  # the first one's pipe has taken all


@pytest.mark.row("K-13")
def test_a_direction_is_the_only_one(own: sycl.queue, tmp_path: Path) -> None:
    sink = intel.kernel_writeable_io_pipe(tmp_path / "7", np.int32)

    def kernel():
        sink.read_nb()
    with pytest.raises(sycl.exception, match="read_nb"):
        own.single_task(kernel)


@pytest.mark.row("K-13")
def test_a_closed_pipe_is_refused_where_its_packets_would_be_lost(
        own: sycl.queue, tmp_path: Path) -> None:
    np.arange(3, dtype=np.int32).tofile(tmp_path / "given")
    sink = intel.kernel_writeable_io_pipe(tmp_path / "made", np.int32)
    source = intel.kernel_readable_io_pipe(tmp_path / "given", np.int32)

    def write(n):
        for k in range(n):
            sink.write_nb(k)

    def read(out):
        out[0], _ = source.read_nb()
    out = np.full(1, -1, np.int32)
    own.single_task(write, 3).wait()
    own.single_task(write, 2).wait()
    bound, graph = own.bind(1, lambda i, n: write(n), 1), ext.command_graph(own)
    graph.add(lambda h: h.single_task(write, 1))
    ready = graph.finalize()
    bound().wait()
    own.ext_oneapi_graph(ready).wait()
    sink.close()
    sink.close()
    source.close()
    for call, told in ((lambda: own.single_task(write, 4), "does not keep what kernels write"),
                       (lambda: own.submit(lambda h: h.single_task(write, 3)), "made' was closed"),
                       (lambda: own.single_task(read, out), "holds no packets any more"),
                       (bound, "made' was closed"),
                       (lambda: own.ext_oneapi_graph(ready), "made' was closed")):
        with pytest.raises(sycl.exception, match=told) as caught:
            call()
        assert sycl.errc.invalid is caught.value.code()
    assert [0, 1, 2, 0, 1, 0, 0] == np.fromfile(tmp_path / "made", np.int32).tolist()
    assert [-1] == out.tolist()


@pytest.mark.row("K-13")
@pytest.mark.parametrize("kind", [intel.kernel_readable_io_pipe, intel.kernel_writeable_io_pipe])
def test_a_directory_is_told_from_a_file(kind: Any, tmp_path: Path) -> None:
    with pytest.raises(sycl.exception, match=f"'{tmp_path}': it is a directory; name a file"):
        kind(tmp_path, np.int32)


@pytest.mark.row("K-13")
def test_the_host_is_sent_to_the_file(tmp_path: Path) -> None:
    sink = intel.kernel_writeable_io_pipe(tmp_path / "made", np.int32)
    with pytest.raises(sycl.exception, match="on the host use its file") as caught:
        sink.write_nb(3)
    assert sycl.errc.invalid is caught.value.code()


@pytest.mark.row("K-13")
def test_what_names_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with intel.kernel_writeable_io_pipe(3, np.int32) as sink:
        assert (tmp_path / "3").exists()
        assert "<I/O pipe of int32: '3'>" == repr(sink)
        assert sink.capacity >= 1000
    for kind, name, dtype, room in (
            (intel.kernel_writeable_io_pipe, tmp_path, np.int32, 1),
            (intel.kernel_writeable_io_pipe, tmp_path / "no" / "file", np.int32, 1),
            (intel.kernel_readable_io_pipe, 1.5, np.int32, 1),
            (intel.kernel_readable_io_pipe, "x", object, 1),
            (intel.kernel_readable_io_pipe, "x", np.int32, 0)):
        with pytest.raises(sycl.exception) as caught:
            kind(name, dtype, room)
        assert sycl.errc.invalid is caught.value.code()
