"""Programs that do what the examples of the SYCL 1.2 document do (§2.6, §2.12, §3.7)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.row("X-1", "X-3", "X-9")
def test_numbers_in_a_row(old: Any, device: sycl.device) -> None:
    """§2.6: a kernel writes its index into an array, which the host then sees."""
    data = np.zeros(1024, np.int32)
    with old.queue(device) as my_queue, old.buffer(data, old.range(1024)) as result:
        @lambda body: old.command_group(my_queue, body)
        def _() -> None:
            write = result.get_access(old.access.write)

            def simple_test(idx):
                write[idx] = idx
            old.parallel_for(old.range(1024), simple_test)
    assert list(range(1024)) == data.tolist()


@pytest.mark.row("X-1", "X-9", "E-1")
def test_a_matrix_sum_of_three_groups(old: Any, device: sycl.device) -> None:
    """§2.12: two matrices are initialised, then added, and the sum is read on the host."""
    rows, columns = (20, 30) if device.get_backend() is sycl.backend.host else (200, 300)
    with old.queue(device) as my_queue:
        a, b, c = (old.buffer(old.range(rows, columns), dtype=np.float32) for _ in range(3))

        def init(target: Any, first: int, second: int) -> None:
            acc = target.get_access(old.access.write)

            def kernel(index):
                acc[index] = index[0] * first + index[1] * second
            old.parallel_for(old.range(rows, columns), kernel)

        def add() -> None:
            x, y = a.get_access(old.access.read), b.get_access(old.access.read)
            z = c.get_access(old.access.write)

            def kernel(index):
                z[index] = x[index] + y[index]
            old.parallel_for(old.range(rows, columns), kernel)
        old.command_group(my_queue, lambda: init(a, 2, 1))
        old.command_group(my_queue, lambda: init(b, 2014, 42))
        old.command_group(my_queue, add)
        result = c.get_access(old.access.read, old.access.host_buffer)
        i, j = np.indices((rows, columns))
        assert (i * (2 + 2014) + j * (1 + 42) == np.asarray(result)).all()
        result.close()


class Scale:
    """A functor with a parameter, as §3.7.2.1 defines one."""

    def __init__(self, acc: Any, parameter: float) -> None:
        self.acc = acc
        self.parameter = parameter

    def __call__(self):
        for k in range(self.acc.get_range(0)):
            self.acc[k] *= self.parameter


@pytest.mark.row("X-9", "C-11")
def test_a_functor_as_single_task(old: Any, device: sycl.device) -> None:
    """§3.7.2.1: a functor is submitted with another parameter each time."""
    data = np.arange(5, dtype=np.float32)
    with old.queue(device) as q, old.buffer(data) as b:
        for factor in (2.0, 5.0):
            old.command_group(q, lambda f=factor: old.single_task(
                Scale(b.get_access(old.access.read_write), f)))
    assert [0, 10, 20, 30, 40] == data.tolist()


@pytest.mark.row("X-9")
@pytest.mark.part("C-23")
def test_a_kernel_as_a_program_has_built_it(old: Any, device: sycl.device) -> None:
    """§3.7.2.3: a program builds a kernel with options, and the launch names the program."""
    data, built = np.zeros((4, 4), np.float32), []
    with old.queue(device) as q, old.buffer(data) as b:
        def body() -> None:
            acc = b.get_access(old.access.read_write)

            def my_kernel(index):
                acc[index.get_global_id()] = index.get_global_id(0)
            program = old.program(q.get_context())
            program.build_kernel_from_name(my_kernel, "-cl-fast-relaxed-math")
            built.append((program.get_build_options(), program.get_kernel(my_kernel)
                          .get_function_name()))
            old.parallel_for(old.nd_range((4, 4), (2, 2)), program, my_kernel)
        old.command_group(q, body)
    assert [[k] * 4 for k in range(4)] == data.tolist()
    assert built == [("-cl-fast-relaxed-math", "my_kernel")]


@pytest.mark.row("X-9", "C-9", "C-2")
def test_the_ways_to_launch(old: Any, device: sycl.device) -> None:
    """§3.7.3.2: a range with an id, a range with an item, an offset, work-groups with a barrier."""
    seen = np.zeros((5, 4, 4, 4), np.int32)
    with old.queue(device) as q, old.buffer(seen[0].copy()) as b0, old.buffer(
            seen[1].copy()) as b1, old.buffer(seen[2].copy()) as b2:
        def by_id() -> None:
            acc = b0.get_access(old.access.write)

            def kernel(index):
                acc[index] = 42
            old.parallel_for(old.range(4, 4, 4), kernel)

        def by_item_from_one() -> None:
            acc = b1.get_access(old.access.write)

            def kernel(it):
                acc[it.get_global_id()] = it.get_global_id(0) + it.get_offset()[0]
            old.parallel_for(old.range(3, 3, 3), old.id(1, 1, 1), kernel)

        def by_nd_item() -> None:
            acc = b2.get_access(old.access.read_write)

            def kernel(item):
                acc[item.get_global_id()] = item.get_group_id(0)
                item.barrier(old.access.fence_space.global_space)
                acc[item.get_global_id()] += item.get_local_id(2) * 10
            old.parallel_for(old.nd_range((4, 4, 4), (2, 2, 2)), kernel)
        for body in (by_id, by_item_from_one, by_nd_item):
            old.command_group(q, body)
        views = [np.asarray(b.get_access(old.access.read, old.access.host_buffer)).copy()
                 for b in (b0, b1, b2)]
    assert (views[0] == 42).all()
    i, _, k = np.indices((4, 4, 4))
    inside = np.zeros((4, 4, 4), bool)
    inside[1:, 1:, 1:] = True
    assert (np.where(inside, i + 1, 0) == views[1]).all()
    assert (i // 2 + k % 2 * 10 == views[2]).all()


@pytest.mark.row("C-5", "X-9")
def test_two_loops_over_work_items(old: Any, device: sycl.device) -> None:
    """§3.7.3.3: group code, two loops over work-items, group code; they share a variable."""
    data, sums = np.arange(32, dtype=np.int32), np.zeros(4, np.int32)
    with old.queue(device) as q, old.buffer(data) as bd, old.buffer(sums) as bs:
        def body() -> None:
            d, s = bd.get_access(old.access.read_write), bs.get_access(old.access.write)

            def kernel(my_group):
                my_local = my_group.get_group_id(0) * 100

                def first(item):
                    d[item.get_global_id(0)] += my_local

                def second(item):
                    d[item.get_global_id(0)] *= 2
                old.parallel_for_work_item(my_group, first)
                old.parallel_for_work_item(my_group, second)
                s[my_group.get_group_id(0)] = my_local
            old.parallel_for_work_group(old.nd_range(32, 8), kernel)
        old.command_group(q, body)
    assert [2 * (k + k // 8 * 100) for k in range(32)] == data.tolist()
    assert [0, 100, 200, 300] == sums.tolist()
