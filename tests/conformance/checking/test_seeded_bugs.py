"""Twelve bugs, each found with the line that it is in, on the host device and the native CPU.

The twelfth, two queues without a dependency, is in ``test_commands``.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.alone import told_alone
from unisycl.backends.device import unchecked
from unisycl.process import notices


def global_race(it: Any, a: Any) -> None:
    a[0] = it.get_local_id(0)  # here


def local_race(it: Any, a: Any, tile: Any) -> None:
    tile[0] = it.get_local_id(0)  # here
    a[it.get_global_id(0)] = tile[0]


def missing_barrier(it: Any, a: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    tile[k] = k  # before
    a[it.get_global_id(0)] = tile[3 - k]  # here


def divergent_barrier(it: Any, a: Any) -> None:
    if a[it.get_global_id(0)] > 2:
        sycl.group_barrier(it.get_group())  # here
    a[it.get_global_id(0)] = 1


def narrow_scope(it: Any, a: Any) -> None:
    ref = sycl.atomic_ref(a, 0, sycl.memory_order.relaxed, sycl.memory_scope.work_group)
    ref.fetch_add(1)  # here


def outside_local(it: Any, a: Any, tile: Any) -> None:
    tile[it.get_local_id(0) + 1] = 1  # here


def unwritten_local(it: Any, a: Any, tile: Any) -> None:
    a[it.get_global_id(0)] = tile[it.get_local_id(0)]  # here


def unwritten_private(it: Any, a: Any) -> None:
    own = sycl.private_array(np.int32, 4)
    own[0] = 1
    a[it.get_global_id(0)] = own[it.get_local_id(0)]  # here


def overflowing_index(it: Any, a: Any) -> None:
    step = np.int32(1 << 30)
    a[it.get_local_id(0) + step * np.int32(2)] = 1  # here


def spin(it: Any, a: Any) -> None:
    while a[7] == 7:  # here
        pass


def run(queue: sycl.queue, kernel: Any, *, groups: int = 1, tile: bool = False) -> None:
    a = sycl.malloc_shared(8, np.int32, queue)
    a[:] = range(8)
    more = (sycl.local_accessor(np.int32, 4),) if tile else ()
    queue.parallel_for(sycl.nd_range(4 * groups, 4), kernel, a, *more)


TILES = (local_race, missing_barrier, outside_local, unwritten_local)
BUGS: dict[Callable[..., None], tuple[str, tuple[str, ...]]] = {
    global_race: ("races", (r"writes a\[0\], which work-item id\(\d\) has written at",)),
    local_race: ("races", (r"writes tile\[0\], which work-item id\(\d\) has written at",)),
    missing_barrier: ("races", (r"(read|write)s tile\[\d\], which", "nothing orders the two")),
    divergent_barrier: ("divergence", (r"not all work-items of (the )?group", r"\([37]\)")),
    narrow_scope: ("races", (r"accesses atomically a\[0\]", "too narrow for both")),
    outside_local: ("bounds", ("index 4 is outside 'tile'", r"work-item id\([37]\)")),
    unwritten_local: ("uninitialised", (r"reads tile\[0\]", "which nobody has written")),
    unwritten_private: ("uninitialised", (r"reads private array\[1\], made at", "nobody has wri")),
    overflowing_index: ("bounds", (r"index -?\d+ is outside 'a' \(range 8\)",
                                   r"work-item id\([04]\)")),
    spin: ("", ("can never go on", r"work-item id\(\d\)")),
}


def line(kernel: Callable[..., None], mark: str = "# here") -> str:
    lines, first = inspect.getsourcelines(kernel)
    return f"{__file__}:{first + next(k for k, text in enumerate(lines) if mark in text)}"


def errors_of(kernel: Callable[..., None], device: Any = sycl.host_selector_v) -> list[str]:
    found: list[str] = []
    queue = sycl.queue(device, lambda errors: found.extend(e.what() for e in errors))
    run(queue, kernel, groups=2, tile=kernel in TILES)
    queue.wait_and_throw()
    return found


@pytest.mark.row("Q-1", "Q-2", "Q-4", "Q-5", "Q-8")
@pytest.mark.parametrize("kernel", BUGS, ids=lambda k: k.__name__)
def test_a_seeded_bug_is_found_in_its_line(
        device: sycl.device, kernel: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    where = device.get_backend().name
    if where not in ("cpu", "host"):
        pytest.skip("OpenCL finds some of them: the next test")
    word, said = BUGS[kernel]
    monkeypatch.setenv("UNISYCL_DEBUG", word)
    (text,) = told_alone("test_seeded_bugs", "errors_of", where, kernel.__name__)[0] \
        if kernel is spin else errors_of(kernel, device)
    assert f"kernel '{kernel.__name__}'" in text
    assert line(kernel) in text or line(kernel, "pass") in text, text
    assert all(re.search(part, text) for part in said), text
    if word == "races":
        assert text.count("work-item id(") == 2
        lines = [line(kernel), line(kernel, "# before" if kernel is missing_barrier else "# here")]
        assert sorted(lines) == sorted(found[0] for found in re.finditer(
            re.escape(__file__) + r":\d+", text)), text


def fill(i: Any, a: Any) -> None:
    a[i] = i


@pytest.mark.part("Q-1", "Q-4", "Q-5")
def test_opencl_finds_what_it_looks_for_and_names_the_rest(
        device: sycl.device, monkeypatch: pytest.MonkeyPatch,
        recwarn: pytest.WarningsRecorder) -> None:
    if device.get_backend() is not sycl.backend.opencl:
        pytest.skip("about OpenCL")
    monkeypatch.setattr(unchecked, "_told", set())
    monkeypatch.setattr(notices, "tell", warnings.warn)
    kernels = [divergent_barrier, outside_local, overflowing_index, unwritten_private]
    if device.has(sycl.aspect.cpu):  # elsewhere the extents of local accessors are not known
        kernels.append(unwritten_local)
    for kernel in kernels:
        word, said = BUGS[kernel]
        monkeypatch.setenv("UNISYCL_DEBUG", word)
        found: list[str] = []
        queue = sycl.queue(device, lambda errors, found=found: found.extend(
            e.what() for e in errors))
        run(queue, kernel, groups=2, tile=kernel in TILES)
        queue.wait_and_throw()
        (text,) = found
        assert f"kernel '{kernel.__name__}'" in text
        assert line(kernel) in text
        assert re.search(said[0], text)
    assert not recwarn.list  # these it looks for, and says nothing of them
    warnings.simplefilter("always")
    monkeypatch.setenv("UNISYCL_DEBUG", "races")
    a = np.zeros(8, np.int32)
    for _ in range(2):
        sycl.queue(device).parallel_for(8, fill, a).wait()
    (one,) = recwarn.list
    assert "does not look for races (debug: races); run kernel 'fill' on the cpu" in str(
        one.message)
    assert a.tolist() == list(range(8))


@pytest.mark.row("Q-6")
def test_memory_that_was_freed_is_not_used(queue: sycl.queue) -> None:
    a = sycl.malloc_shared(8, np.int32, queue)
    sycl.free(a, queue)
    with pytest.raises(sycl.exception, match="freed"):
        queue.parallel_for(8, lambda i, a: None, a)
    with pytest.raises(sycl.exception, match="freed"):
        sycl.free(a, queue)
