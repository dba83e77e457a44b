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
