"""print() in kernels on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("D-48")
def test_active_items_print_whole_lines(
        queue: sycl.queue, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.array([0.5, 1.5, 2.5, 3.5], np.float32)

    def kernel(i):  # type: ignore[no-untyped-def]
        if x[i] > 1:
            print("item", i, f"x={x[i]}", x[i] > 2)
    queue.parallel_for(4, kernel).wait()
    lines = sorted(capsys.readouterr().out.splitlines())
    assert ["item 1 x=1.5 False", "item 2 x=2.5 True", "item 3 x=3.5 True"] == lines


def test_a_single_task_prints_once(queue: sycl.queue, capsys: pytest.CaptureFixture[str]) -> None:
    queue.single_task(lambda: print("once", 7)).wait()
    assert "once 7\n" == capsys.readouterr().out
