"""Memory that was freed: told at the line that would use it, whatever is checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.testing import refused


@sycl.kernel(debug=True)
def writes(i: Any, p: Any) -> None:
    p[i] = 1


@pytest.mark.row("Q-6")
def test_use_after_free_and_double_free_are_refused_at_the_submission(
        device: sycl.device) -> None:
    with refused(device, sycl.aspect.usm_shared_allocations):
        queue = sycl.queue(device)
        p = sycl.malloc_shared(8, np.float32, queue)
        bound = queue.bind(8, writes, p)
        sycl.free(p, queue)
        for use in (lambda: queue.parallel_for(8, writes, p), bound,
                    lambda: queue.memcpy(p, np.zeros(8, np.float32)), lambda: p[0]):
            with pytest.raises(sycl.exception, match="allocation of 32 bytes was freed"):
                use()
        with pytest.raises(sycl.exception, match="freed before; free each allocation once"):
            sycl.free(p, queue)
        queue.wait_and_throw()


@pytest.mark.row("Q-6")
def test_a_closed_buffer_is_refused_at_the_accessor(queue: sycl.queue) -> None:
    buffer = sycl.buffer(np.zeros(8, np.float32))
    buffer.close()
    with pytest.raises(sycl.exception, match="the buffer is closed"):
        queue.submit(lambda h: h.parallel_for(8, writes, sycl.accessor(buffer, h)))
