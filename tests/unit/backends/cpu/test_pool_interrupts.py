"""The native thread pool and Ctrl-C: whatever it cuts short, no job is left that never ends."""

from __future__ import annotations

import itertools
import sys
import time
from types import FrameType

import numpy as np

from unisycl.backends.cpu.pool.pool import NativePool


def test_ctrl_c_while_a_job_is_submitted_leaves_none_that_never_ends() -> None:
    pool = NativePool(2)
    out = np.zeros(64, np.uint8)

    def submit(*deps: object) -> object:
        return pool.fill(out.ctypes.data, b"x", out.size, deps, out)  # type: ignore[arg-type]
    first = submit()
    for moment in itertools.count(1):
        left = moment

        def cut(frame: FrameType, kind: str, _: object) -> None:
            nonlocal left
            if kind in ("call", "c_return") and frame.f_code is NativePool.submit.__code__:
                left -= 1
                if left == 0:
                    sys.setprofile(None)
                    raise KeyboardInterrupt
        sys.setprofile(cut)
        try:
            submit(first)
            break
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
    assert moment > 5
    ended_by = time.monotonic() + 30
    while pool.pending() and time.monotonic() < ended_by:
        time.sleep(0.01)
    assert pool.pending() == 0
    assert pool.stop()
