"""The host's turn at a memory."""

from __future__ import annotations

import pytest

from unisycl.base.enums import access_mode
from unisycl.base.errors import UsageError
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.memory.buffers import BufferMemory
from unisycl.runtime.memory.host_access import Holding
from unisycl.runtime.threads.per_process import process


class Holder:
    """What a memory closes at its end."""

    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


def hold(memory: BufferMemory, holder: Holder, mode: access_mode) -> Holding:
    return Holding(Access(memory, 0, memory.nbytes, mode), holder, "a test")


def waits_for(memory: BufferMemory) -> list[Task]:
    with process.lock:
        return memory.tracker.access(0, memory.nbytes, writes=True, task=Task(None, "a command"))


def test_later_commands_depend_on_it_until_it_is_released() -> None:
    memory, holder = BufferMemory(64), Holder()
    holding = hold(memory, holder, access_mode.write)
    (task,) = waits_for(memory)
    assert not task.done()
    assert memory.wrote
    holding.release()
    holding.release()
    assert task.done()


def test_a_finaliser_may_let_go() -> None:
    memory = BufferMemory(64)
    holding = hold(memory, Holder(), access_mode.read)
    (task,) = waits_for(memory)
    with process.lock:
        holding.abandon()
    task.wait()
    holding.abandon()
    assert task.done()


def test_the_memorys_end_closes_the_holder() -> None:
    memory, holder = BufferMemory(64), Holder()
    hold(memory, holder, access_mode.write).release()
    memory.close()
    assert holder.closed
    with pytest.raises(UsageError, match="the buffer is closed"):
        memory.check_open()


def test_only_the_bytes_taken_are_held() -> None:
    memory = BufferMemory(64)
    holding = Holding(Access(memory, 0, 16, access_mode.write), Holder(), "a test")
    with process.lock:
        other = memory.tracker.access(16, 64, writes=True, task=Task(None, "a command"))
    assert other == []
    holding.release()
