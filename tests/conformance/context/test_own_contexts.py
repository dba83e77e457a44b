"""Devices whose driver takes one of them in a context: two of PoCL's, as if it were such a driver.

Catalogue: A-17 in part.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import unisycl as sycl

TWO = """
import numpy as np
import unisycl as sycl
from unisycl.backends.opencl.text import quirks
quirks.TABLE = (*quirks.TABLE, quirks.Quirk("Portable", "cpu", ("own_contexts",), "as if"))

def refusal(call, *given):
    try:
        call(*given)
    except sycl.exception as error:
        return str(error)

def add(i, a, n):
    a[i] += n

found = [d for d in sycl.device.get_devices() if d.get_backend() is sycl.backend.opencl
         and "Portable" in d.get_platform().get_info(sycl.info.platform.name)]
first, other = (sycl.queue(d) for d in found)
assert first.get_context().get_devices() == [found[0]]
assert other.get_context().get_devices() == [found[1]]
assert sycl.queue(found[1]).get_context() == other.get_context()
assert sycl.get_native(sycl.backend.opencl, first.get_context()) != sycl.get_native(
    sycl.backend.opencl, other.get_context())
assert "share no context by this driver" in refusal(sycl.context, found)
assert "share no context" in refusal(found[0].get_platform().khr_get_default_context)
assert sycl.context([found[0], found[0]]).get_devices()

shared = sycl.malloc_shared(8, first, dtype=np.float32)
shared[:] = 1
assert "belongs to another context" in refusal(other.parallel_for, 8, add, shared, 1)
first.parallel_for(8, add, shared, 1).wait()
assert shared[:].tolist() == [2] * 8

data = np.zeros(1000, np.float32)
with sycl.buffer(data) as b:
    for k in range(6):
        def group(h):
            h.parallel_for(1000, add, sycl.accessor(b, h), k)
        (first, other)[k % 2].submit(group)
assert (data == 15).all()
print("all is well")
"""


@pytest.mark.part("A-17")
def test_devices_apart_have_contexts_of_their_own(device: sycl.device, tmp_path: Path) -> None:
    if "Portable" not in device.get_platform().get_info(sycl.info.platform.name):
        pytest.skip("only PoCL can be told to have two devices")
    done = subprocess.run(
        [sys.executable, "-c", TWO], capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "UNISYCL_DEVICE": "",
             "POCL_DEVICES": "basic pthread", "UNISYCL_CACHE": str(tmp_path)})
    assert done.stdout == "all is well\n", done.stderr
