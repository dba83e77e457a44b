"""What a checked launch tells, and where."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import unisycl as sycl


def told(device: sycl.device, launch: Callable[[sycl.queue], object]) -> str:
    """Return the text of the one asynchronous error of a launch, "" if there is none."""
    errors: list[sycl.exception] = []
    queue = sycl.queue(device, lambda found: errors.extend(found))
    launch(queue)
    queue.wait_and_throw()
    assert [sycl.errc.kernel] * len(errors) == [e.code() for e in errors]
    assert len(errors) < 2
    return errors[0].what() if errors else ""


def place(kernel: Any, text: str) -> str:
    """Return the file and line that a text of a kernel's source stands in."""
    function = getattr(kernel, "function", kernel)
    lines, first = inspect.getsourcelines(function)
    line = first + next(k for k, line in enumerate(lines) if text in line)
    return f"{inspect.getsourcefile(function)}:{line}"


def here() -> int:
    """Return the number of the line that calls this."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno
