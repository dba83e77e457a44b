"""How much a kernel's parameters may take (SYCL 2020 §4.6.4.4, ``max_parameter_size``)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


def record(nbytes: int) -> np.void:
    """Return a record of that size, with known numbers."""
    found = np.zeros((), [("numbers", np.int32, (nbytes // 4 - 1,)), ("last", np.int32)])
    found["numbers"] = np.arange(nbytes // 4 - 1)
    found["last"] = -7
    return found[()]


@pytest.mark.row("C-14")
@pytest.mark.parametrize("nbytes", [1024, "most"])
def test_a_large_struct_is_a_parameter(
        device: sycl.device, queue: sycl.queue, nbytes: int | str) -> None:
    out = sycl.malloc_shared(2, np.int64, queue)
    most = device.get_info(sycl.info.device.max_parameter_size)
    assert most >= 1024
    # Beside the record the kernel has two more parameters, of 8 bytes: the pointer and the size.
    size = most - 16 if nbytes == "most" else min(int(nbytes), most - 16)
    given = record(size)

    def kernel(given, out):  # type: ignore[no-untyped-def]
        total = np.int64(0)
        for k in range(size // 4 - 1):
            total += given["numbers"][k]
        out[0] = total
        out[1] = given["last"]
    queue.single_task(kernel, given, out).wait()
    assert [sum(range(size // 4 - 1)), -7] == list(out)
    sycl.free(out, queue)


@pytest.mark.row("C-14")
def test_more_than_the_device_takes_is_refused(device: sycl.device, queue: sycl.queue) -> None:
    out = sycl.malloc_shared(2, np.int64, queue)
    most = device.get_info(sycl.info.device.max_parameter_size)
    given = record(most + 4)

    def kernel(given, out):  # type: ignore[no-untyped-def]
        out[0] = given["last"]
    with pytest.raises(sycl.exception, match=str(most)) as caught:
        queue.single_task(kernel, given, out)
    assert sycl.errc.kernel_argument == caught.value.code()
    sycl.free(out, queue)


@pytest.mark.row("C-14")
def test_records_of_any_size_stand_beside_others(queue: sycl.queue) -> None:
    # where sizes decide the alignment, a runtime may lay arguments out in another way
    given = [record(size) for size in (8, 32, 24, 96, 8, 48)]
    out = sycl.malloc_shared(12, np.int64, queue)

    def kernel(n, a, v, b, c, d, e, f, w, out):  # type: ignore[no-untyped-def]
        for k, r in enumerate((a, b, c, d, e, f)):
            out[k] = len(r["numbers"]) + r["last"]
        out[6], out[7] = v[3], w[1]
        out[8], out[9] = d["numbers"][22], n
    queue.single_task(kernel, np.int32(5), given[0], sycl.float4(1, 2, 3, 4), *given[1:],
                      sycl.double2(6, 7) if queue.get_device().has(sycl.aspect.fp64)
                      else sycl.float2(6, 7), out).wait()
    assert [-6, 0, -2, 16, -6, 4, 4, 7, 22, 5] == list(out[:10])
    sycl.free(out, queue)


PAIR = np.dtype([("x", np.float32), ("n", np.int32)])
NAMED = np.dtype([("size", np.int32), ("T", np.int32), ("inner", PAIR), ("real", np.int16, (2,))])


def twice(pair):  # type: ignore[no-untyped-def]
    return pair.x * 2 + pair["n"]


def members(out, pair, named, array):  # type: ignore[no-untyped-def]
    kept = pair
    out[0] = twice(pair)
    out[1] = kept.x + kept.n
    out[2] = named.size * 1000 + named.T * 100 + named.inner.n * 10 + named.real[1]
    out[3] = array[1].size * 1000 + array[0].T * 100 + array[1]["inner"].x * 10 + array[1].real[0]


@pytest.mark.row("C-14", "C-13")
@pytest.mark.parametrize("kind", [np.ndarray, np.recarray])
def test_members_of_records_are_named_in_both_ways(queue: sycl.queue, kind: type) -> None:
    pairs, named = np.zeros(3, PAIR), np.zeros(2, NAMED)
    pairs["x"], pairs["n"] = [1, 2, 3], [4, 5, 6]
    named["size"], named["T"], named["inner"] = [1, 2], [3, 4], pairs[:2]
    named["real"] = [[5, 6], [7, 8]]
    out = sycl.malloc_shared(4, np.float32, queue)
    given = pairs.view(kind)[1], named.view(kind)[0]
    queue.single_task(members, out, *given, named).wait()
    assert [9.0, 7.0, 1000 + 300 + 40 + 6, 2000 + 300 + 20 + 7] == out[:].tolist()
    q = queue

    @q.submit
    def _(h: sycl.handler) -> None:
        pair = pairs[2]

        def captured():  # type: ignore[no-untyped-def]
            out[0] = pair.x * pair["n"]
        h.single_task(captured)
    q.wait()
    assert 18.0 == out[0]


@pytest.mark.row("C-14")
def test_a_member_that_a_record_lacks_is_named_with_those_it_has(queue: sycl.queue) -> None:
    def wrong(pair, out):  # type: ignore[no-untyped-def]
        out[0] = pair.m
    with pytest.raises(sycl.exception, match=r"(?s)has no attribute 'm'.*it has x, n"):
        queue.single_task(wrong, np.zeros(1, PAIR)[0], np.zeros(1, np.float32))

    def store(pair, out):  # type: ignore[no-untyped-def]
        pair.x = out[0]
    with pytest.raises(sycl.exception, match=r"cannot change what it captured \('pair\.x'\)"):
        queue.single_task(store, np.zeros(1, PAIR)[0], np.zeros(1, np.float32))
