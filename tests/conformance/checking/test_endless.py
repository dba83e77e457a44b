"""Kernels that never end: found at once where nothing can change, named after a time elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from tests.conformance.checking.alone import ROOT, told_alone


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


def by_nothing(it: sycl.nd_item, flag: Any) -> None:
    k = it.get_local_id(0)
    while k < 5:
        pass


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


def for_ever(it: sycl.nd_item, flag: Any) -> None:
    total = np.int64(0)
    for k in range(10**15):
        total += flag[k % 2] * k % 7
    flag[1] = total


def handed_on_at_once(it: sycl.nd_item, flag: Any) -> None:
    flag[1] = 5


def handed_on(it: sycl.nd_item, flag: Any) -> None:
    ref = sycl.atomic_ref(flag, 0)
    while ref.load() == 0:
        pass
    flag[1] = 5


def launched(kernel: Any, device: Any, *properties: Any) -> tuple[list[str], Any]:
    found: list[str] = []
    queue = sycl.queue(device, lambda errors: found.extend(e.what() for e in errors), *properties)
    flag = sycl.malloc_shared(2, np.int32, queue)
    flag[0] = 0
    queue.parallel_for(sycl.nd_range(4, 2), kernel, flag)
    queue.wait_and_throw()
    return found, flag


def errors_of(kernel: Any, device: Any) -> list[str]:
    return launched(kernel, device)[0]


def handed_by(device: Any) -> Any:
    """Start a kernel that waits, in front of what will end its wait; return its memory."""
    queue = sycl.queue(device)
    flag = sycl.malloc_shared(2, np.int32, queue)
    flag[0] = 0
    return queue, flag, queue.parallel_for(sycl.nd_range(2, 2), handed_on, flag)


def behind_a_task(kernel: Any, device: Any) -> list[str]:
    """Start a kernel behind a host task, so that it runs beside the thread that waits for it."""
    found: list[str] = []
    queue = sycl.queue(device, lambda errors: found.extend(e.what() for e in errors))
    flag = sycl.malloc_shared(2, np.int32, queue)
    flag[0] = 0

    def group(h: sycl.handler) -> None:
        h.depends_on(queue.submit(lambda first: first.host_task(lambda: time.sleep(0.3))))
        h.parallel_for(sycl.nd_range(4, 2), kernel, flag)
    queue.submit(group)
    queue.wait_and_throw()
    return found


def patience(kernel: Any, device: Any) -> list[str]:
    """Have a waiting kernel's flag set by a thread, and by a host task, after its patience."""
    def later(flag: Any) -> None:
        time.sleep(0.6)
        sycl.atomic_ref(flag, 0).store(1)
    told = []
    for other in ("thread", "task", "main"):
        queue, flag, event = handed_by(device)
        if other == "thread":
            threading.Thread(target=later, args=(flag,)).start()
        elif other == "task":
            second = sycl.queue(device)
            second.submit(lambda h, flag=flag: h.host_task(lambda: later(flag)))
        else:
            later(flag)
        try:
            queue.wait_and_throw()
            told.append(str(flag[1]))
        except sycl.exception as error:
            told.append(error.what())
    return told


@pytest.fixture
def cpu() -> None:
    if not any(d.get_backend() is sycl.backend.cpu for d in sycl.device.get_devices()):
        pytest.skip("there is no native CPU device")


@pytest.mark.row("Q-8")
def test_waiting_for_what_cannot_come_is_told_at_once(device: sycl.device) -> None:
    where = device.get_backend().name
    if where not in ("cpu", "host"):
        pytest.skip("the native CPU and the host device see that nothing can change")
    expected = [(by_atomics, 1, 3), (by_reading, 0, 2), (by_nothing, 0, 2)]
    found = told_alone("test_endless", "errors_of", where, *(k.__name__ for k, *_ in expected))
    for (kernel, item, line), (text,) in zip(expected, found, strict=True):
        first = kernel.__code__.co_firstlineno + line
        whose = {item, item + 2}  # either group may be the first
        assert any(f"kernel '{kernel.__name__}' failed in work-item id({k})" in text
                   for k in whose), text
        assert any(f"{__file__}:{first + k}: this work-item can never go on" in text
                   for k in (0, 1)), text


@pytest.mark.row("Q-8")
def test_so_it_is_while_a_thread_waits_for_the_kernel(device: sycl.device) -> None:
    where = device.get_backend().name
    if where not in ("cpu", "host"):
        pytest.skip("the native CPU and the host device see that nothing can change")
    ((text,),) = told_alone("test_endless", "behind_a_task", where, "by_atomics")
    assert "kernel 'by_atomics' failed in work-item id(" in text
    assert "this work-item can never go on" in text


@pytest.mark.row("Q-8")
@pytest.mark.usefixtures("cpu")
def test_waiting_for_a_thread_or_another_command_is_let_alone() -> None:
    assert told_alone("test_endless", "patience", "cpu", "handed_on") == [["5", "5", "5"]]


@pytest.mark.row("Q-8")
@pytest.mark.usefixtures("quick")
def test_what_makes_progress_is_let_alone() -> None:
    errors, flag = launched(counting, sycl.host_selector_v)
    assert errors == []
    assert flag[1] == 150000


@pytest.mark.row("Q-8")
@pytest.mark.usefixtures("quick")
def test_a_kernel_is_ended_after_the_time_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    (text,), _ = launched(counting, sycl.host_selector_v, sycl.property.queue.timeout(0.03))
    assert "kernel 'counting' failed in work-item id(" in text
    assert f"{__file__}:" in text
    assert "it still ran after 0.03 s" in text
    monkeypatch.setenv("UNISYCL_TIMEOUT", "soon")
    (text,), _ = launched(counting, sycl.host_selector_v)
    assert "UNISYCL_TIMEOUT=soon: expected a number of seconds" in text
    with pytest.raises(sycl.exception, match=r"property\.queue\.timeout: expected a number"):
        sycl.property.queue.timeout(-1)


ONEAPI = sycl.ext.oneapi.experimental
CONCURRENT = ONEAPI.forward_progress_guarantee.concurrent


def plainly(it: sycl.nd_item, flag: Any) -> None:
    while flag[0] == 0:
        pass


def atomically(it: sycl.nd_item, flag: Any) -> None:
    while sycl.atomic_ref(flag, 0).load() == 0:
        pass


@pytest.mark.row("Q-8")
@pytest.mark.parametrize("kernel", [plainly, atomically], ids=lambda k: k.__name__)
@pytest.mark.parametrize("asked", [
    ONEAPI.work_group_progress(CONCURRENT, ONEAPI.execution_scope.root_group),
    ONEAPI.work_item_progress(CONCURRENT, ONEAPI.execution_scope.sub_group)],
    ids=["groups", "items"])
def test_threads_of_the_host_device_end_after_their_time_too(kernel: Any, asked: Any) -> None:
    (text,), _ = launched(sycl.kernel(properties=[asked])(kernel), sycl.host_selector_v,
                          sycl.property.queue.timeout(0.3))
    first = kernel.__code__.co_firstlineno
    assert f"kernel '{kernel.__name__}' failed in work-item id(" in text
    assert any(f"{__file__}:{first + k}: it still ran after 0.3 s, the time that" in text
               for k in (1, 2)), text


@pytest.mark.row("Q-8")
@pytest.mark.usefixtures("cpu")
def test_native_code_ends_after_its_time_with_item_and_line() -> None:
    for kernel, line in ((by_atomics, 3), (for_ever, 2)):
        (text,), _ = launched(kernel, sycl.cpu_selector_v, sycl.property.queue.timeout(0.2))
        first = kernel.__code__.co_firstlineno + line
        assert f"kernel '{kernel.__name__}' failed in work-item id(" in text
        assert any(f"{__file__}:{first + k}: it still ran after 0.2 s, the time that" in text
                   for k in (0, 1)), text
    (text,), flag = launched(for_ever, sycl.cpu_selector_v, sycl.property.queue.timeout(0.2))
    again, flag = launched(handed_on_at_once, sycl.cpu_selector_v,
                           sycl.property.queue.timeout(0.2))
    assert (again, flag[1]) == ([], 5)  # the device goes on after a kernel that was ended


def locks(it: sycl.nd_item, flag: Any) -> None:
    while sycl.atomic_ref(flag, 0).exchange(1) >= 0:
        pass


def meeting(it: sycl.nd_item, flag: Any) -> None:
    while sycl.atomic_ref(flag, 0).load() == 0:
        sycl.group_barrier(it.get_group())


def one_of_all(it: sycl.nd_item, flag: Any) -> None:
    if it.get_group(0) == 0 and it.get_local_id(0) == 0:
        while flag[0] == 0:
            flag[1] = 1
    sycl.group_barrier(it.get_group())


def absent(it: sycl.nd_item, flag: Any) -> None:
    if it.get_group(0) == 0:
        return
    sycl.group_barrier(it.ext_oneapi_get_root_group())


PROMISES = {
    "groups": [ONEAPI.work_group_progress(CONCURRENT, ONEAPI.execution_scope.root_group)],
    "sub-groups": [ONEAPI.sub_group_progress(CONCURRENT, ONEAPI.execution_scope.work_group)],
    "nothing": []}


@pytest.mark.row("Q-8")
@pytest.mark.parametrize(("promise", "kernel"), [
    *((p, k) for p in ("groups", "sub-groups") for k in (atomically, locks, one_of_all)),
    *((p, meeting) for p in PROMISES)])
def test_loops_that_may_wait_for_others_end_after_their_time_with_item_and_line(
        device: sycl.device, promise: str, kernel: Any) -> None:
    if device.get_backend().name not in ("cpu", "host"):
        pytest.skip("OpenCL does not look: the wait ends")
    asking = sycl.kernel(properties=PROMISES[promise])(kernel)
    (text,), _ = launched(asking, device, sycl.property.queue.timeout(0.3))
    code = kernel.__code__
    assert f"kernel '{kernel.__name__}' failed in work-item id(" in text
    assert any(f"{__file__}:{code.co_firstlineno + k}: it still ran after 0.3 s, the time" in text
               for k in range(1, 5)), text


@pytest.mark.row("Q-8")
def test_a_meeting_of_all_groups_that_one_cannot_come_to_is_told(device: sycl.device) -> None:
    where = device.get_backend().name
    if where not in ("cpu", "host"):
        pytest.skip("no other device has root groups")
    kernel = sycl.kernel(properties=ONEAPI.use_root_sync)(absent)
    (text,), _ = launched(kernel, device, sycl.property.queue.timeout(0.3))
    line = absent.__code__.co_firstlineno + 3
    assert "kernel 'absent' failed in work-item id(2) (id(0) of group id(1)) at " in text
    assert f"{__file__}:{line}: " in text
    said = "it still ran after 0.3 s" if where == "cpu" else \
        "not all work-groups come to this group_barrier of the root group: one has ended"
    assert said in text


LEFT = """
import numpy as np
import unisycl as sycl
from tests.conformance.checking.test_endless import for_ever
from unisycl.testing import find_device
device = find_device({name!r})
queue = sycl.queue(device, sycl.property.queue.timeout(0.3))
flag = sycl.malloc_shared(2, np.int32, queue)
queue.fill(flag, 0).wait()
event = queue.parallel_for(sycl.nd_range(4, 2), for_ever, flag)
try:
    event.wait_and_throw()
    queue.wait_and_throw()
except sycl.exception as error:
    print(error.code().name, error, flush=True)
"""


@pytest.mark.part("Q-8")
def test_where_code_does_not_look_the_wait_ends_and_names_the_submission(
        device: sycl.device) -> None:
    if device.get_backend().name in ("cpu", "host"):
        pytest.skip("the native CPU and the host device end every kernel")
    done = children.run([sys.executable, "-c", LEFT.format(name=device.state.name)], cwd=ROOT,
                        capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.startswith("kernel kernel 'for_ever', submitted at "), done
    assert "still runs after 0.3 s, the time that UNISYCL_TIMEOUT" in done.stdout
    assert "and is left to itself" in done.stdout
