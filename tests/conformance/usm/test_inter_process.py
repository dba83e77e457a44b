"""Memory that processes share by handles (sycl_ext_oneapi_inter_process_communication)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from unisycl.testing import refused

ext: Any = sycl.ext.oneapi.experimental
shared = sycl.ext.oneapi.property.usm.ext_unisycl_inter_process
ROOT = Path(__file__).parents[3]
BEFORE = "import unisycl; unisycl.remember_exec(); "
CHILD = """
import sys
import numpy as np
import unisycl as sycl
from unisycl.testing import find_device

ext = sycl.ext.oneapi.experimental
q = sycl.queue(find_device(sys.argv[1]))
where = q.get_context(), q.get_device()
p = ext.ipc_memory.open(bytes.fromhex(sys.argv[2]), *where, dtype=np.int32)


def add(i, p):
    p[i] += 100 + i


q.parallel_for(len(p), add, p).wait_and_throw()
out = np.zeros(len(p), np.int32)
q.memcpy(out, p, out.nbytes).wait_and_throw()
print(out.tolist())
ext.ipc_memory.close(p, q.get_context())
try:
    q.memcpy(out, p, out.nbytes)
except sycl.exception as error:
    print(error.code().name)
"""


def name_of(device: sycl.device) -> str:
    return {sycl.backend.cpu: "cpu", sycl.backend.host: "host"}.get(
        device.get_backend(), "cuda:0")


@pytest.mark.row("P-12")
def test_another_process_works_on_the_same_memory(
        device: sycl.device, queue: sycl.queue) -> None:
    with refused(device, sycl.aspect.ext_oneapi_ipc_memory):
        p = sycl.malloc_device(1000, np.int32, queue, shared())
    queue.fill(p, 7).wait_and_throw()
    handle = ext.ipc_memory.get(p.pointer_to(990), queue.get_context())
    assert handle.data() == handle
    child = children.run(
        [sys.executable, "-c", f"{BEFORE}exec(compile({CHILD!r}, 'child', 'exec'))",
         name_of(device), handle.hex()],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert child.returncode == 0, child.stderr
    assert child.stdout.splitlines() == [str([107 + i for i in range(10)]), "invalid"]
    out = np.zeros(1000, np.int32)
    queue.memcpy(out, p, out.nbytes).wait_and_throw()
    assert out.tolist() == [7] * 990 + [107 + i for i in range(10)]
    ext.ipc_memory.put(handle, queue.get_context())
    sycl.free(p, queue)


@pytest.mark.row("P-12")
def test_what_is_no_memory_of_another_process_is_refused(
        device: sycl.device, queue: sycl.queue) -> None:
    with refused(device, sycl.aspect.ext_oneapi_ipc_memory):
        p = sycl.malloc_device(16, np.int32, queue, shared())
    context = queue.get_context()
    handle = ext.ipc_memory.get(p, context)
    other = bytearray(handle)
    other[8:24] = bytes(16)  # as if of another process
    calls = [(lambda: ext.ipc_memory.open(handle, context, device), "own"),
             (lambda: ext.ipc_memory.open(b"abc", context, device), "no handle"),
             (lambda: ext.ipc_memory.open(bytes(other[:81]) + b"x" * 40, context, device),
              "handle"),
             (lambda: ext.ipc_memory.get(sycl.malloc_device(4, np.int32, queue), context),
              "ext_unisycl_inter_process"),
             (lambda: ext.ipc_memory.close(p, context), "open"),
             (lambda: ext.ipc_memory.put(b"abc", context), "no handle"),
             (lambda: ext.ipc_memory.get(3, context), "USM")]
    for call, words in calls:
        with pytest.raises(sycl.exception, match=words) as caught:
            call()
        assert caught.value.code() == sycl.errc.invalid
    sycl.free(p, queue)
    with pytest.raises(sycl.exception, match="freed"):
        ext.ipc_memory.get(p, context)
