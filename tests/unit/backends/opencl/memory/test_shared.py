"""Whose coarse-grained memory is: a simulated device keeps its own bytes, and spoils the host's."""

from __future__ import annotations

import ctypes
import gc
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.base import BoundView
from unisycl.backends.opencl.driver import ClDriver
from unisycl.backends.opencl.errors import device_error
from unisycl.backends.opencl.launch.completion import ClCompletion, Clock, Ends
from unisycl.backends.opencl.memory.levels import Level
from unisycl.backends.opencl.memory.shared import Allocation, Shared
from unisycl.base.enums import usm_kind

SPOILT = 0xEE


class Event:
    """A command of the simulated device."""

    def __init__(self, work: Callable[[], None], waits: Any) -> None:
        self.work = work
        self.waits = list(waits)
        self.status = 3

    @property
    def command_execution_status(self) -> int:
        return self.status

    def get_info(self, what: Any) -> int:
        return self.status

    def ready(self) -> bool:
        return self.status == 3 and all(w.status <= 0 for w in self.waits)

    def run(self, status: int = 0) -> None:
        assert self.ready()
        self.work()
        self.status = status


class Machine:
    """A device with memory of its own, whose commands run when a test says so."""

    def __init__(self) -> None:
        self.memories: dict[int, tuple[Any, Any]] = {}
        self.log: list[str] = []
        self.events: list[Event] = []
        self.mapped: set[int] = set()
        self.failing: set[str] = set()

    def queue(self) -> Any:
        return types.SimpleNamespace(int_ptr=1, flush=lambda: None)

    def enqueue(self, work: Callable[[], None], waits: Any) -> Event:
        self.events.append(Event(work, waits))
        return self.events[-1]

    def run_all(self) -> None:
        while ready := [e for e in self.events if e.ready()]:
            ready[0].run()

    # what ``api.Api`` has
    def allocate(self, context: Any, flags: int, nbytes: int, alignment: int) -> int:
        host, own = np.zeros(nbytes, np.uint8), np.zeros(nbytes, np.uint8)
        self.memories[host.ctypes.data] = host, own
        return int(host.ctypes.data)

    def map(self, queue: Any, address: int, nbytes: int, deps: Any, *,
            blocking: bool = False) -> Event:
        if "map" in self.failing:
            raise device_error("clEnqueueSVMMap", -5)
        host, own = self.memories[address]
        assert address not in self.mapped
        self.mapped.add(address)
        self.log.append("map")

        def work() -> None:
            host[:] = own

        made = self.enqueue(work, deps)
        if blocking:
            made.run()
        return made

    def unmap(self, queue: Any, address: int, deps: Any) -> Event:
        if "unmap" in self.failing:
            raise device_error("clEnqueueSVMUnmap", -5)
        host, own = self.memories[address]
        self.mapped.remove(address)
        self.log.append("unmap")

        def work() -> None:
            own[:] = host
            host[:] = SPOILT

        return self.enqueue(work, deps)

    def free_after(self, queue: Any, pointers: Any, deps: Any) -> Event:
        assert pointers[0] not in self.mapped
        self.log.append("free")
        return self.enqueue(lambda: None, deps)

    def own(self, allocation: Allocation) -> Any:
        return self.memories[allocation.address][1]


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def shared(machine: Machine) -> Shared:
    session: Any = types.SimpleNamespace(
        api=machine, context=types.SimpleNamespace(int_ptr=2),
        allocations=weakref.WeakValueDictionary(), sharing=threading.RLock())
    traits: Any = types.SimpleNamespace(number_of=lambda name: 1)
    return Shared(session, machine.queue(), traits, Level.coarse)


@pytest.fixture
def start(machine: Machine, shared: Shared) -> Callable[..., ClCompletion]:
    cl: Any = types.SimpleNamespace(event_info=types.SimpleNamespace(COMMAND_EXECUTION_STATUS=0),
                                    Error=ValueError)
    ends = Ends(cl, Clock(), None)
    driver: Any = types.SimpleNamespace(_tracks=shared)

    def start(work: Callable[[], None], *used: Allocation,
              deps: tuple[ClCompletion, ...] = ()) -> ClCompletion:
        def begin(waits: list[Any] | None) -> ClCompletion:
            return ClCompletion(machine.enqueue(work, waits or ()), None, "kernel 'k'", ends)

        made = ClDriver._tracked(driver, used, deps, begin)
        made.done()  # nobody asks the driver the first time
        return made
    return start


def array(shared: Shared) -> tuple[Any, Allocation]:
    made = shared.allocate(4, 1, usm_kind.shared)
    return np.asarray(made), made.allocation


def test_a_kernel_sees_what_the_host_wrote_and_the_host_what_it_stored(machine, shared, start):
    host, memory = array(shared)
    host[:] = [1, 2, 3, 4]

    def double() -> None:
        machine.own(memory)[:] *= 2

    made = start(double, memory)
    machine.events[-2].run()
    assert [SPOILT] * 4 == host.tolist()
    assert not made.done()
    machine.events[-1].run()
    assert not made.done()  # the device has ended; the memory is on its way
    assert [SPOILT] * 4 == host.tolist()
    machine.run_all()
    assert made.done()
    assert [2, 4, 6, 8] == host.tolist()


def test_kernels_one_after_the_other_move_nothing_in_between(machine, shared, start):
    host, memory = array(shared)

    def add() -> None:
        machine.own(memory)[:] += 1

    machine.log.clear()
    made: list[Any] = []
    for _ in range(10):
        made.append(start(add, memory, deps=tuple(made[-1:])))
    machine.run_all()
    for one in made:
        one.done()
    machine.run_all()
    assert all(one.done() for one in made)
    assert ["unmap", "map"] == machine.log
    assert [10] * 4 == host.tolist()


def test_no_command_counts_as_ended_while_another_uses_its_memory(machine, shared, start):
    host, memory = array(shared)
    first = start(lambda: None, memory)
    second = start(lambda: machine.own(memory).fill(7), memory)
    machine.events[1].run() if machine.events[1].ready() else machine.events[0].run()
    for event in machine.events:
        if event is not second.event and event.ready():
            event.run()
    assert 0 == first.event.status
    assert not first.done()
    assert not second.done()
    machine.run_all()
    first.done()
    machine.run_all()
    assert first.done()
    assert second.done()
    assert [7] * 4 == host.tolist()


def test_what_other_commands_do_not_use_stays_with_the_host(machine, shared, start):
    host, memory = array(shared)
    mine, _ = array(shared)
    start(lambda: None, memory)
    machine.run_all()
    mine[:] = 5
    assert [5] * 4 == mine.tolist()
    assert [SPOILT] * 4 == host.tolist()


def test_a_command_without_memory_ends_after_that_of_those_before_it(machine, shared, start):
    """Who waits for the last of a chain may read what the first one used."""
    host, memory = array(shared)
    first = start(lambda: machine.own(memory).fill(3), memory)
    last = start(lambda: None, deps=(first,))
    del first
    gc.collect()
    machine.run_all()
    assert not last.done()
    machine.run_all()
    assert last.done()
    assert [3] * 4 == host.tolist()


def test_a_kernel_begun_while_memory_is_on_its_way_back_waits_for_that(machine, shared, start):
    host, memory = array(shared)
    host[:] = 1
    first = start(lambda: machine.own(memory).fill(2), memory)
    machine.run_all()
    assert not first.done()  # mapping has begun
    second = start(lambda: machine.own(memory).__iadd__(1), memory)
    machine.run_all()
    second.done()
    machine.run_all()
    assert first.done()
    assert second.done()
    assert [3] * 4 == host.tolist()


def test_memory_that_cannot_be_taken_from_the_host_is_the_cause_that_is_told(
        machine, shared, start):
    """Of a command whose predecessor failed, OpenCL tells only that."""
    _, memory = array(shared)
    first = start(lambda: None, memory)
    last = start(lambda: None, deps=(first,))
    machine.events[1].run(-5)
    for event in machine.events[2:]:
        event.run(-14)
    for made in (first, last):
        while not made.done():
            machine.events[-1].run(-14)
        assert "OUT_OF_RESOURCES" in str(made.error())
        assert sycl.errc.memory_allocation == made.error().code()


def test_a_failed_command_gives_its_memory_back(machine, shared, start):
    host, memory = array(shared)
    host[:] = 9
    made = start(lambda: None, memory)
    machine.events[-2].run()
    machine.events[-1].run(-5)
    assert not made.done()
    machine.run_all()
    assert made.done()
    assert "kernel 'k'" in str(made.error())
    assert [9] * 4 == host.tolist()


def test_a_command_that_cannot_begin_gives_its_memory_back(machine, shared):
    host, memory = array(shared)
    host[:] = 6

    def refuse(waits: Any) -> Any:
        raise ValueError

    driver: Any = types.SimpleNamespace(_tracks=shared)
    with pytest.raises(ValueError):
        ClDriver._tracked(driver, (memory,), (), refuse)
    memory.status()
    machine.run_all()
    assert 0 == memory.status()
    assert [6] * 4 == host.tolist()


def test_a_device_that_is_lost_while_it_gives_memory_back_fails_the_command(machine, shared, start):
    _, memory = array(shared)
    made = start(lambda: None, memory)
    machine.failing.add("map")
    machine.run_all()
    assert made.done()
    assert sycl.errc.memory_allocation == made.error().code()


def test_memory_that_the_device_could_not_take_stays_the_hosts(machine, shared, start):
    _, other = array(shared)
    host, memory = array(shared)
    host[:] = 5
    start(lambda: None, other)
    machine.run_all()
    machine.failing.add("unmap")
    with pytest.raises(sycl.exception) as caught:
        start(lambda: None, other, memory)
    assert sycl.errc.memory_allocation == caught.value.code()
    machine.failing.clear()
    for one in (memory, other):
        while one.status() > 0:
            assert any(e.ready() for e in machine.events), "somebody waits for ever"
            machine.run_all()
    assert [5] * 4 == host.tolist()
    made = start(lambda: machine.own(memory).__iadd__(1), memory)
    machine.run_all()
    while not made.done():
        machine.run_all()
    assert [6] * 4 == host.tolist()


def test_memory_that_could_not_be_given_back_can_be_later(machine, shared, start):
    host, memory = array(shared)
    made = start(lambda: machine.own(memory).fill(4), memory)
    machine.failing.add("map")
    machine.run_all()
    assert made.done()
    machine.failing.clear()
    while memory.status() > 0:
        machine.run_all()
    assert [4] * 4 == host.tolist()


def test_the_host_waits_for_memory_that_a_command_uses(machine, shared, start):
    host, memory = array(shared)
    made = start(lambda: machine.own(memory).fill(8), memory)
    seen: list[list[int]] = []

    def look() -> None:
        memory.await_host()
        seen.append(host.tolist())

    thread = threading.Thread(target=look)
    thread.start()
    while not made.done():
        machine.run_all()
    thread.join()
    assert [[8] * 4] == seen


def test_memory_is_freed_after_the_last_command_that_uses_it(machine, shared, start):
    made = start(lambda: None, shared.allocate(4, 1, usm_kind.shared).allocation)
    gc.collect()
    assert "free" not in machine.log
    machine.run_all()
    while not made.done():
        machine.run_all()
    gc.collect()
    assert ["map", "unmap", "map", "unmap", "free"] == machine.log


def test_an_array_over_part_of_it_is_known_by_its_address(shared):
    made = shared.allocate(64, 1, usm_kind.shared)
    part = np.asarray(made)[16:32].view(np.int32)
    found = shared.seen(BoundView(part, 1, (3,), (1,)))
    assert made.allocation is found.memory.allocation
    assert part.ctypes.data == found.memory.ctypes.data
    assert (1, (3,), np.dtype(np.int32)) == (found.offset, found.shape, found.memory.dtype)
    other = BoundView(np.zeros(4), 0, (4,), (1,))
    assert other is shared.seen(other)


def test_an_alignment_beyond_that_of_the_driver_is_kept(shared):
    made = shared.allocate(100, 4096, usm_kind.shared)
    assert 0 == made.ctypes.data % 4096
    assert 100 == made.nbytes


def test_the_list_of_a_kernel_that_follows_pointers_has_every_allocation(machine, shared):
    known = [shared.allocate(8, 1, kind) for kind in (usm_kind.host, usm_kind.device)]
    given: list[tuple[int, ...]] = []

    def exec_info(kernel: int, name: int, size: int, pointers: Any) -> int:
        given.append((name, *ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))[:size // 8]))
        return 0

    machine.exec_info = exec_info
    kernel: Any = types.SimpleNamespace(body=())
    shared.reach(types.SimpleNamespace(main=types.SimpleNamespace(int_ptr=3), kernel=kernel), None)
    assert {0x11B6, *(k.allocation.address for k in known)} == set(given[0])
