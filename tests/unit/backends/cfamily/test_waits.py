"""Loops that wait for others, in kernels that may fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import cuda_texts
from unisycl.backends.base import Geometry
from unisycl.backends.cuda.text import compile as compiler
from unisycl.backends.cuda.text.target import Target

QUESTION = "*(volatile unsigned int *)&reports[2]"


def text_of(kernel: Any, *given: Any) -> str:
    """Return a kernel's CUDA C++, which is compiled where there is a compiler."""
    collector = cuda_texts.Collector()
    queue = sycl.queue(sycl.cpu_selector_v)
    with collector.watching():
        queue.parallel_for(sycl.nd_range(2, 1), kernel, *given).wait()
    ((found, _),) = collector.texts.values()
    text = cuda_texts.text_of(found, Geometry("nd_range", (2,), (1,), (0,)), Target((9, 0))).text
    if not compiler.problem():
        assert "" == cuda_texts.refusal(found, text, 90)
    return text


@pytest.mark.parametrize("debug", [True, False])
def test_a_loop_that_waits_asks_whether_somebody_failed(debug: bool) -> None:
    @sycl.kernel(debug=debug)
    def kernel(it, flag, x):
        x[it.get_global_id(0)] = 1
        while sycl.atomic_ref(flag, 0).load() < 0:
            pass

    text = text_of(kernel, np.zeros(1, np.int32), np.zeros(4, np.int32))
    assert debug is (QUESTION in text)


def test_a_loop_that_computes_does_not_unless_the_kernel_requires_progress() -> None:
    syclex = sycl.ext.oneapi.experimental
    together = syclex.work_group_progress(
        syclex.forward_progress_guarantee.concurrent, syclex.execution_scope.root_group)

    @sycl.kernel(debug=True)
    def plain(it, x):
        while x[it.get_global_id(0)] > 1:
            x[it.get_global_id(0)] //= 2

    @sycl.kernel(debug=True, properties=together)
    def asked(it, x):
        while x[it.get_global_id(0)] > 1:
            x[it.get_global_id(0)] //= 2

    x = np.array([100, 7], np.int32)
    assert QUESTION not in text_of(plain, x)
    assert QUESTION in text_of(asked, x)
