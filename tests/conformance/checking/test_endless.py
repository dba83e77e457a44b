"""Kernels that never end: found at once where nothing can change, named after a time elsewhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.alone import told_alone


def by_atomics(it: sycl.nd_item, flag: Any) -> None:
    if it.get_local_id(0) == 1:
        ref = sycl.atomic_ref(flag, 0)
        while ref.load() == 0:
            pass  # the others wait below
    sycl.group_barrier(it.get_group())
    flag[0] = 1


def by_reading(it: sycl.nd_item, flag: Any) -> None:
    n = 0
    while flag[0] == 0:
        n = 1 - n


def counting(it: sycl.nd_item, flag: Any) -> None:
    turns = sycl.private_array(np.int32, 1)
    turns[0] = 0
    while turns[0] < 150000:
        turns[0] += 1
    flag[1] = turns[0]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unisycl.backends.host.endless.PATIENCE", 0.1)
    monkeypatch.setattr("unisycl.backends.host.endless.PERIOD", 0.02)


def launched(kernel: Any, *properties: Any) -> tuple[list[str], Any]:
    found: list[str] = []
    queue = sycl.queue(sycl.host_selector_v, lambda errors: found.extend(
        e.what() for e in errors), *properties)
    flag = sycl.malloc_shared(2, np.int32, queue)
    flag[0] = 0
    queue.parallel_for(sycl.nd_range(2, 2), kernel, flag)
    queue.wait_and_throw()
    return found, flag


def errors_of(kernel: Any, *properties: Any) -> list[str]:
    return launched(kernel, *properties)[0]


@pytest.mark.row("Q-8")
@pytest.mark.parametrize(("kernel", "item", "line"), [(by_atomics, 1, 3), (by_reading, 0, 2)])
def test_waiting_for_what_cannot_come_is_told_at_once(kernel: Any, item: int, line: int) -> None:
    (text,) = told_alone("test_endless", "errors_of", kernel.__name__)
    first = kernel.__code__.co_firstlineno + line
    assert f"kernel '{kernel.__name__}' failed in work-item id({item})" in text
    assert any(f"{__file__}:{first + k}: this work-item can never go on" in text for k in (0, 1))


@pytest.mark.row("Q-8")
@pytest.mark.usefixtures("quick")
def test_what_makes_progress_is_let_alone() -> None:
    errors, flag = launched(counting)
    assert errors == []
    assert flag[1] == 150000


@pytest.mark.row("Q-8")
@pytest.mark.usefixtures("quick")
def test_a_kernel_is_ended_after_the_time_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    (text,), _ = launched(counting, sycl.property.queue.timeout(0.03))
    assert "kernel 'counting' failed in work-item id(" in text
    assert f"{__file__}:" in text
    assert "it still ran after 0.03 s" in text
    monkeypatch.setenv("UNISYCL_TIMEOUT", "soon")
    (text,), _ = launched(counting)
    assert "UNISYCL_TIMEOUT: expected a number of seconds, got 'soon'" in text
    with pytest.raises(sycl.exception, match=r"property\.queue\.timeout: expected a number"):
        sycl.property.queue.timeout(-1)


PROGRAM = """
import numpy as np
import unisycl as sycl

queue = sycl.queue(sycl.cpu_selector_v, sycl.property.queue.timeout(0.2))
flag = sycl.malloc_shared(1, np.int32, queue)
flag[0] = 0

def spin(flag):
    ref = sycl.atomic_ref(flag, 0)
    while ref.load() == 0:
        pass

event = queue.single_task(spin, flag)
try:
    event.wait()
except sycl.exception as error:
    print(error.what())
flag[0] = 1  # and now it ends
"""


@pytest.mark.row("Q-8")
def test_native_code_is_named_with_the_line_that_submitted_it(tmp_path: Path) -> None:
    if not any(d.get_backend() is sycl.backend.cpu for d in sycl.device.get_devices()):
        pytest.skip("there is no native CPU device")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    line = PROGRAM.splitlines().index("event = queue.single_task(spin, flag)") + 1
    assert f"kernel 'spin', submitted at {file}:{line}, still runs after 0.2 s" in done.stdout, done
    assert done.returncode == 0
