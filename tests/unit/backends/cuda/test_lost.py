"""A kernel that writes where no memory is: who is told, of what, and how the process goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from tests.cuda_fake.library import FakeCuda

ROOT = Path(__file__).resolve().parents[4]


def touch(i: Any, p: Any) -> None:
    p[i] = 1


def lose(fake: FakeCuda, queue: sycl.queue, more: Callable[[], Any] = list) -> int:
    """Have a kernel find memory gone that its launch was given; return its line."""
    p = sycl.malloc_device(16, np.int32, queue)
    fake.held = True
    queue.parallel_for(16, touch, p); line = sys._getframe().f_lineno  # noqa: E702
    fake._blocks.pop(p.block.address)
    more()
    fake.held = False
    fake.gone.add(p.block.address)
    return line


def test_an_illegal_address_names_the_kernel_and_its_line(
        fake: FakeCuda) -> None:
    told: list[Any] = []
    queue = sycl.queue("cuda", told.extend)
    line = lose(fake, queue)
    queue.wait_and_throw()
    text = str(told[0].what())
    assert 1 == len(told)
    assert f"kernel 'touch', submitted at {__file__}:{line}" in text
    assert "CUDA_ERROR_ILLEGAL_ADDRESS (700)" in text
    assert 700 == told[0].native_code


def test_what_comes_after_is_told_why_and_other_devices_go_on(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda", lambda errors: None)
    lose(fake, queue)
    queue.wait_and_throw()
    with pytest.raises(sycl.exception, match="does nothing any more in this process, since kernel"):
        sycl.malloc_device(16, np.int32, sycl.queue("cuda"))
    out = np.zeros(4, np.int32)
    sycl.queue("cpu").parallel_for(4, touch, out).wait()
    assert [1] * 4 == out.tolist()


PROGRAM = """
import sys
import numpy as np
import unisycl as sycl
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import FakeCuda
from tests.unit.backends.cuda.test_lost import lose
fake = FakeCuda()
context = installed(fake)
context.__enter__()
queue = sycl.queue("cuda")
lose(fake, queue)
print("submitted", flush=True)
"""


def test_the_process_ends_with_the_error_that_nobody_saw() -> None:
    done = children.run([sys.executable, "-c", PROGRAM], cwd=ROOT, text=True, timeout=300,
                        capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
                        check=False)
    assert "submitted" in done.stdout
    assert 1 == done.returncode
    assert "kernel 'touch', submitted at" in done.stderr


def test_of_several_kernels_the_first_that_may_have_failed_is_named(fake: FakeCuda) -> None:
    told: list[Any] = []
    queue = sycl.queue("cuda", told.extend, sycl.property.queue.in_order())
    p = sycl.malloc_device(16, np.int32, queue)
    lose(fake, queue, lambda: [queue.parallel_for(16, touch, p) for _ in range(3)])
    queue.wait_and_throw()
    text = told[0].what()
    assert "kernel 'touch', submitted at" in text
    assert "3 commands behind it, the next kernel 'touch'" in text
    assert "CUDA_LAUNCH_BLOCKING=1" in text
