"""What is done where a call to OpenCL fails: tried again, told, and nothing let go of too early."""

from __future__ import annotations

import contextlib
import gc
import threading
import types
import weakref
from typing import Any

import pytest

import unisycl as sycl
from unisycl.backends.device.loans import Pool
from unisycl.backends.device.pace import Pace
from unisycl.backends.device.scratch import Call
from unisycl.backends.opencl.errors import device_error
from unisycl.backends.opencl.launch import failed_calls
from unisycl.backends.opencl.launch.completion import (
    CheckedCompletion,
    ClCompletion,
    Clock,
    Ends,
    PairCompletion,
)
from unisycl.backends.opencl.launch.queues import Lanes
from unisycl.backends.opencl.memory.levels import Level
from unisycl.backends.opencl.memory.objects import DeviceArray
from unisycl.backends.opencl.memory.shared import Shared
from unisycl.base.enums import usm_kind
from unisycl.base.errors import FollowingError


class Refusal(Exception):  # noqa: N818 - as PyOpenCL calls them
    """An error as PyOpenCL raises them."""

    __module__ = "pyopencl._cl"

    def __init__(self, code: int) -> None:
        super().__init__(f"clSomething failed: {code}")
        self.code = code


class Flaky:
    """A queue and an event that refuse so many times."""

    def __init__(self, refusals: int, status: int = 0) -> None:
        self.left, self.status = refusals, status
        self.gone = threading.Event()

    def answer(self) -> int:
        self.left -= 1
        if self.left >= 0:
            raise Refusal(-5)
        return self.status

    def flush(self) -> None:
        self.answer()

    def get_info(self, what: Any) -> int:
        return self.answer()

    def wait(self) -> None:
        assert self.gone.wait(30)


def completion(event: Any, keep: object) -> ClCompletion:
    cl: Any = types.SimpleNamespace(event_info=types.SimpleNamespace(COMMAND_EXECUTION_STATUS=0),
                                    Error=Refusal)
    made = ClCompletion(event, keep, "kernel 'k'", Ends(cl, Clock(), None))
    made.done()  # nobody asks the driver the first time
    return made


def test_an_error_of_pyopencl_is_one_of_ours_outside():
    @failed_calls.guarded("a kernel object")
    def refused(error: Exception) -> None:
        raise error

    with pytest.raises(sycl.exception, match=r"a kernel object.*OUT_OF_RESOURCES") as caught:
        refused(Refusal(-5))
    assert sycl.errc.memory_allocation == caught.value.code()
    with pytest.raises(ZeroDivisionError):
        refused(ZeroDivisionError())


def test_a_command_whose_state_nobody_can_tell_once_has_not_ended():
    running = completion(Flaky(1, status=1), ())
    assert not running.done()
    fine = completion(Flaky(2), ())
    assert fine.done()
    assert fine.error() is None


def test_a_command_whose_state_nobody_can_tell_is_lost():
    made = completion(Flaky(1000), ())
    assert made.done()
    assert sycl.errc.memory_allocation == made.error().code()


def test_a_flush_that_fails_once_is_not_told():
    flaky = Flaky(2)
    failed_calls.flush(flaky, None, None, "a copy")
    assert flaky.left == -1, "it was asked until it did not refuse, and not once more"


def test_what_a_command_uses_outlives_a_flush_that_fails():
    class Used:
        """What a command uses."""

    before = set(threading.enumerate())
    event, used = Flaky(0), Used()
    alive = weakref.ref(used)
    with pytest.raises(sycl.exception, match="a copy"):
        failed_calls.flush(Flaky(1000), event, used, "a copy")
    del used
    gc.collect()
    assert alive() is not None
    event.gone.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
    gc.collect()
    assert alive() is None


def test_what_a_command_uses_that_was_cut_off_outlives_what_its_queues_have():
    class Used:
        """What a command uses."""

    before = set(threading.enumerate())
    queue, used = Flaky(0), Used()
    queue.finish = queue.wait
    alive = weakref.ref(used)
    failed_calls.hold_all([queue], used)
    del used
    gc.collect()
    assert alive() is not None
    queue.gone.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
    gc.collect()
    assert alive() is None


def test_memory_on_loan_to_a_command_that_failed_is_not_used_again():
    pool = Pool()
    for status, again in ((-5, False), (0, True)):
        call = Call()
        call.loans.append(pool.take(100, lambda n: DeviceArray.over(None, n)))
        lent = call.loans[0].memory
        made = completion(Flaky(0, status), (call,))
        del call
        assert made.done()
        found = pool.take(100, lambda n: DeviceArray.over(None, n)).memory
        assert (found is lent) is again


def test_a_command_behind_a_failed_one_says_so():
    made = completion(Flaky(0, -14), ())
    assert made.done()
    assert isinstance(made.error(), FollowingError)
    assert not isinstance(device_error("x", -5), FollowingError)


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize(("parts", "status", "expected"), [
    ((-14, -5), -14, -5), ((-5, 0), -14, -5), ((-5, -14), -14, -5), ((-14, -14), -14, -14),
    ((0, 0), -14, -14), ((0, 0), -36, -36), ((-5, 0), -36, -36)])
def test_a_command_of_several_parts_tells_what_its_own_part_ended_with(
        parts: tuple[int, ...], status: int, expected: int, checked: bool) -> None:
    """A part that failed is why the last one did not run: an upload, a kernel, a step of a copy."""
    ends: Any = completion(Flaky(0), ())._ends
    before, last = [Flaky(0, part) for part in parts], Flaky(0, status)
    made = (CheckedCompletion(before, last, (), "kernel 'k'", ends, lambda: None) if checked
            else PairCompletion(before, last, (), "kernel 'k'", ends))
    assert made.first is before[0]
    while not made.done():
        pass
    told = made.error()
    assert (expected, expected == -14) == (told.native_code, isinstance(told, FollowingError))
    assert (expected == -5) == (told.code() == sycl.errc.memory_allocation)


@pytest.mark.parametrize(("refusal", "code"), [
    (None, None), (-34, sycl.errc.runtime), (-9999, sycl.errc.runtime), (-6, None)])
def test_an_allocation_that_fails_tells_what_is_wrong_with_its_context(
        refusal: int | None, code: sycl.errc | None) -> None:
    """The call itself tells nothing; a context that answers, or is short, has no memory left."""
    class Context:
        """One that has ended, or has not."""

        int_ptr = 0

        @property
        def num_devices(self) -> int:
            if refusal is not None:
                raise Refusal(refusal)
            return 1

    session: Any = types.SimpleNamespace(
        context=Context(), allocations={}, sharing=contextlib.nullcontext(),
        api=types.SimpleNamespace(allocate=lambda *_: None))
    shared = Shared(session, None, types.SimpleNamespace(), Level.coarse)  # type: ignore[arg-type]
    with pytest.raises(MemoryError if code is None else sycl.exception) as caught:
        shared.allocate(64, 8, usm_kind.shared)
    if code is not None:
        assert (code, refusal) == (caught.value.code(), caught.value.native_code)


def test_a_device_that_gives_no_more_queues_works_with_those_it_gave():
    def refuse() -> None:
        raise Refusal(-6)

    lanes = Lanes("main", refuse)
    for _ in range(3):
        lane, waits = lanes.choose(())
        assert ("main", None) == (lane.queue, waits)
    assert 0 == lanes.most


def test_the_pace_of_a_device_keeps_nothing_of_a_command():
    pace, made = Pace(), completion(Flaky(0, 1), ())
    pace.begun(made, None, ())
    assert not pace.short(1)
    alive = weakref.ref(made)
    del made
    assert alive() is None
    assert pace.short(1)
