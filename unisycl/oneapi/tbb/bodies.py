"""Bodies of loops: Python functions, which threads call, and kernels, which a queue runs.

A body is a kernel if it is decorated by ``sycl.kernel``: then it is compiled, and runs without the
interpreter. Non-goals: loops. Invariant: a kernel is given its index as a number.
"""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import unisycl as sycl
from unisycl.oneapi.frame.policies import par
from unisycl.oneapi.frame.refusals import refuse

_T = TypeVar("_T")


def is_compiled(body: Any) -> bool:
    """Say whether a body is a kernel."""
    return getattr(body, "__unisycl_function__", None) is not None


def own_copy(value: _T) -> _T:
    """Return a value that a body or a join may change in place, as C++ hands them copies."""
    try:
        return copy.deepcopy(value)
    except Exception as error:  # noqa: BLE001 - whatever the value's class raises
        refuse("identity", f"{type(value).__name__} cannot be copied ({error}), and each part "
               "needs a value of its own; give one that copy.deepcopy copies")


def numbers_of(routine: str, space: Any) -> tuple[int, int]:
    """Return the bounds of what a kernel goes over, or refuse it."""
    if not hasattr(space, "grainsize"):
        refuse(routine, "a kernel goes over a blocked_range or whole numbers; take "
               "queue.parallel_for for several dimensions")
    return space.begin(), space.end()


class Body:
    """Gives a kernel its number."""

    def __init__(self, body: Any, first: int, step: int) -> None:
        self.body = getattr(body, "__unisycl_function__", body)
        self.first, self.step = first, step

    def __call__(self, i: Any, *arguments: Any) -> None:
        self.body(self.first + i[0] * self.step, *arguments)


def launch(body: Any, first: int, count: int, step: int, arguments: tuple[Any, ...],
           queue: sycl.queue | None) -> None:
    """Run a kernel for each number, on a queue or on the processor, and wait for it."""
    if count > 0:
        where = queue or par.queue()
        where.parallel_for(count, Body(body, first, step), *arguments).wait_and_throw()
