"""What pipes connect is checked before anything runs, as compilers for hardware do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext import intel

first, second = intel.pipe(np.int32, 8), intel.pipe(np.int32, 8)


def produce(n):
    for k in range(n):
        first.write_nb(k)


def hand_over(x):
    second.write_nb(x)


def double(n):
    for _ in range(n):
        x, ok = first.read_nb()
        if ok:
            hand_over(2 * x)


def produce_all(n):
    for k in range(n):
        first.write(k)


def consume_all(out):
    for k in range(4):
        out[k] = first.read()


def consume(i, out):
    x, ok = second.read_nb()
    out[i] = x if ok else -1


def problems(q: sycl.queue, *launches: Any, **more: Any) -> list[str]:
    with pytest.raises(sycl.exception) as caught:
        intel.check_pipes(q, *launches, **more)
    assert sycl.errc.invalid is caught.value.code()
    return [line.strip() for line in caught.value.what().splitlines()[1:]]


@pytest.mark.row("K-13", "K-15")
def test_devices_on_which_no_kernel_waits_will_do(queue: sycl.queue) -> None:
    out = np.zeros(4, np.int32)
    told, = intel.check_pipes(queue, (produce_all, 4), (consume_all, out))
    assert told.startswith("first: produce_all at ")
    assert " -> consume_all at " in told
    alone, = problems(queue, (produce_all, 4))
    assert alone.startswith("first: nothing reads it, produce_all at ")
    assert "waits for ever; list the kernel that does" in alone


@pytest.mark.row("K-13", "K-15")
def test_who_does_not_wait_is_not_said_to(queue: sycl.queue) -> None:
    wrote, = problems(queue, (produce, 3))
    assert "finds no room once it is full; list the kernel" in wrote
    read, = problems(queue, (4, consume, np.zeros(4, np.int32)))
    assert "never has a packet to read; list the kernel" in read


@pytest.mark.row("K-13", "K-15")
def test_a_kernel_that_is_wrong_is_refused_as_at_its_launch(queue: sycl.queue) -> None:
    with pytest.raises(sycl.KernelError, match="K"):
        intel.check_pipes(queue, (lambda: nothing_of_that_name,))  # noqa: F821
    with pytest.raises(sycl.exception, match="which lives on the host"):
        intel.check_pipes(queue, (produce, queue))


@pytest.mark.row("K-13", "K-15")
def test_a_chain_of_kernels_is_told(queue: sycl.queue) -> None:
    out = np.zeros(4, np.int32)
    told = intel.check_pipes(queue, (produce, 3), (double, 3), (4, consume, out), (produce, 4))
    assert 2 == len(told)
    for line, start, end in zip(told, (produce, double), (double, consume), strict=True):
        name, _, ends = line.partition(": ")
        assert name in ("first", "second")
        for text, function in zip(ends.split(" -> "), (start, end), strict=True):
            place = f"{__file__}:{function.__code__.co_firstlineno}"
            assert text.startswith(f"{function.__name__} at {place}")
    assert out.tolist() == [0] * 4  # nothing was run


@pytest.mark.row("K-13", "K-15")
def test_an_end_too_many_or_too_few_is_reported(queue: sycl.queue) -> None:
    def more():
        first.write_nb(1)
        first.write_nb(2)

    out = np.zeros(4, np.int32)
    two, = problems(queue, (produce, 3), (more,), (double, 3), (4, consume, out))
    assert two.startswith("first: 2 kernels write it: produce at ")
    assert ", more at " in two
    unread, = problems(queue, (produce, 3), (double, 3))
    assert unread.startswith("second: nothing reads it, double at ")
    unwritten, = problems(queue, (4, consume, out))
    assert unwritten.startswith("second: nothing writes it, consume at ")
    assert ["first: produce", "second: double"] == [
        line.partition(" at ")[0]
        for line in intel.check_pipes(queue, (produce, 3), (double, 3), host=[second])]
    with pytest.raises(sycl.exception, match="lists pipes"):
        intel.check_pipes(queue, (produce, 3), host=[3])


@pytest.mark.row("K-13")
def test_a_file_is_an_end(queue: sycl.queue, tmp_path: Path) -> None:
    source = intel.kernel_readable_io_pipe(tmp_path / "given", np.int32)
    sink = intel.kernel_writeable_io_pipe(tmp_path / "made", np.int32)

    def kernel():
        x, ok = source.read_nb()
        sink.write_nb(x)

    def other():
        sink.write_nb(3)

    told = intel.check_pipes(queue, (kernel,))
    assert told[0].startswith(f"source: the file '{tmp_path / 'given'}' -> kernel at ")
    assert told[1].endswith(f" -> the file '{tmp_path / 'made'}'")
    two, = problems(queue, (kernel,), (other,))
    assert two.startswith("sink: 2 kernels write it")


@pytest.mark.row("K-13")
def test_what_is_no_launch_is_refused(queue: sycl.queue) -> None:
    for wrong in (produce, (), (4, 5), "produce"):
        with pytest.raises(sycl.exception, match=r"\(kernel, \*arguments\)") as caught:
            intel.check_pipes(queue, wrong)
        assert sycl.errc.invalid == caught.value.code()
