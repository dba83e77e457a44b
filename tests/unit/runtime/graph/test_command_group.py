"""Command groups while they are built."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.runtime.null import channel
from unisycl.base.enums import access_mode
from unisycl.base.errors import UsageError
from unisycl.runtime.graph.command_group import Group
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Task, begin_nothing
from unisycl.runtime.memory.buffers import BufferMemory


def test_a_group_enters_the_graph_whole() -> None:
    memory = BufferMemory(8)
    c = channel()
    group = Group(c)
    group.add_access(Access(memory, 0, 8, access_mode.write))
    assert [] == memory.users()
    task = group.finish()
    assert [task] == memory.users()
    assert memory.wrote


def test_an_abandoned_group_leaves_nothing() -> None:
    memory = BufferMemory(8)
    group = Group(channel())
    group.add_access(Access(memory, 0, 8, access_mode.write))
    group.abandon()
    assert [] == memory.users()
    with pytest.raises(UsageError, match="has ended"):
        group.add_dependency(Task(None, "x"))


def test_one_command_only() -> None:
    group = Group(channel())
    group.check_free("first")
    group.set_command("first", begin_nothing, native=True)
    with pytest.raises(UsageError, match="first"):
        group.check_free("second")
    group.abandon()


def test_a_finished_group_keeps_no_command_alive() -> None:
    group = Group(channel())
    data = np.zeros(4)
    group.set_command("x", lambda native, d=data: begin_nothing(native), native=True)
    group.finish()
    assert group._begin is None
