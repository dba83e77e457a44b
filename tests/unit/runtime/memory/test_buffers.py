"""The memory of buffers."""

from __future__ import annotations

import numpy as np
import pytest

from unisycl.base.errors import UsageError, errc, exception
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.memory.allocation import aligned_bytes
from unisycl.runtime.memory.buffers import BufferMemory


def over(array: np.ndarray) -> BufferMemory:
    return BufferMemory(array.nbytes, array.reshape(-1).view(np.uint8), target=array)


def user(memory: BufferMemory) -> Gate:
    task, gate = Task(None, "user"), Gate()
    memory.tracker.access(0, memory.nbytes, writes=True, task=task)
    task.occupy(gate)
    return gate


@pytest.mark.parametrize("alignment", [64, 256, 4096])
def test_bytes_are_aligned(alignment: int) -> None:
    assert 0 == aligned_bytes(100, alignment).ctypes.data % alignment


def test_memory_is_allocated_on_first_use() -> None:
    memory = BufferMemory(100)
    assert memory._storage is None
    assert 100 == memory.storage().size
    assert memory.storage() is memory.storage()


def test_too_much_is_a_sycl_error() -> None:
    with pytest.raises(exception) as caught:
        BufferMemory(1 << 62).storage()
    assert errc.memory_allocation == caught.value.code()


def test_detaching_leaves_the_source_alone() -> None:
    x = np.arange(4)
    memory = over(x)
    memory.detach()
    memory.storage()[:] = 0
    assert [0, 1, 2, 3] == x.tolist()
    memory.close()
    assert [0] * 4 == x.tolist()


def test_closing_waits_only_where_something_is_written_back() -> None:
    plain = BufferMemory(8)
    gate = user(plain)
    plain.close()
    assert not gate.done()
    memory = over(np.zeros(2))
    gate = user(memory)
    gate.finish()
    memory.close()
    assert memory.closed


def test_a_closed_memory_is_refused() -> None:
    memory = BufferMemory(8)
    memory.close()
    with pytest.raises(UsageError, match="closed"):
        memory.check_open()


def test_final_data_may_be_strided_or_a_callable() -> None:
    memory, out, got = BufferMemory(4), np.zeros((2, 4), np.uint8), []
    memory.storage()[:] = [1, 2, 3, 4]
    memory.target = out[:, ::2]
    memory._copy_out()
    assert [[1, 0, 2, 0], [3, 0, 4, 0]] == out.tolist()
    memory.target = lambda data: got.append(data.tolist())
    memory._copy_out()
    assert [[1, 2, 3, 4]] == got


def test_finalizing_is_idempotent() -> None:
    memory = over(np.zeros(2))
    memory.finalize()
    memory.finalize()
    assert memory.closed
