"""The ways of launching a program: directly, bound, from a graph, over buffers in command groups.

Non-goals: what programs and memory are (``cases``). Invariants: every way does the same; one launch
of a program ends before the next begins, for both write the same memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.ext.oneapi import experimental

FORM = sycl.image_format.r8g8b8a8_uint


def space_of(case: Any) -> Any:
    """Return a program's index space."""
    span = sycl.range(*case.span)
    if case.kind == "range":
        return span
    return sycl.nd_range(span, sycl.range(*case.local),
                         *([sycl.id(*case.offset)] if case.offset else []))


def launch(queue: Any, case: Any, reductions: list[Any], names: dict[str, Any],
           given: dict[str, Any]) -> None:
    """Launch a program as often as its case says and wait."""
    kernel = names["kernel"]
    if case.way == "direct" and not case.constants and case.kind != "work_group":
        _directly(queue, case, reductions, kernel, list(given.values()))
    elif case.way == "bind":
        queue = _in_order(queue)
        bound = queue.bind(space_of(case), kernel, *given.values())
        for _ in range(case.launches):
            bound()
        queue.wait_and_throw()
    elif case.way == "graph":
        graph = experimental.command_graph(queue)
        graph.add(lambda h: submitted(h, case, reductions, names, list(given.values())))
        replay = graph.finalize()
        for _ in range(case.launches):
            queue.ext_oneapi_graph(replay)
            queue.wait_and_throw()
    else:
        _buffered(queue, case, reductions, names, given)


def _directly(queue: Any, case: Any, reductions: list[Any], kernel: Callable[..., Any],
              args: list[Any]) -> None:
    for _ in range(case.launches):
        if case.kind == "single":
            queue.single_task(kernel, *args)
        elif case.kind == "range" and case.offset:
            queue.submit(lambda h: h.parallel_for(
                space_of(case), sycl.id(*case.offset), *reductions, kernel, *args))
        else:
            queue.parallel_for(space_of(case), *reductions, kernel, *args)
        queue.wait_and_throw()


def _in_order(queue: Any) -> Any:
    """Return a queue of the same device whose commands wait for each other.

    Arrays and USM order nothing, as only accessors do.
    """
    return sycl.queue(queue.get_context(), queue.get_device(), sycl.property.queue.in_order())


def submitted(h: Any, case: Any, reductions: Sequence[Any], names: dict[str, Any],
              args: list[Any]) -> None:
    """Write the command group of a program."""
    kernel = names["kernel"]
    for k, value in enumerate(case.constants):
        h.set_specialization_constant(names[f"K{k}"], np.int32(value))
    if case.kind == "single":
        h.single_task(kernel, *args)
    elif case.kind == "work_group":
        h.parallel_for_work_group(sycl.range(*case.span), sycl.range(*case.local), kernel, *args)
    else:
        offset = [sycl.id(*case.offset)] if case.offset and case.kind == "range" else []
        h.parallel_for(space_of(case), *offset, *reductions, kernel, *args)


def _buffered(queue: Any, case: Any, reductions: list[Any], names: dict[str, Any],
              given: dict[str, Any]) -> None:
    """Launch command groups; with buffers and accessors if the case says so, else in order."""
    if case.way != "buffers":
        queue = _in_order(queue)
    with ExitStack() as stack:
        held = {}
        for name, value in given.items():
            if isinstance(value, np.ndarray) and name.startswith("g_"):
                held[name] = stack.enter_context(sycl.unsampled_image(value, FORM))
            elif isinstance(value, np.ndarray) and case.way == "buffers":
                held[name] = stack.enter_context(sycl.buffer(value))
        written = {k for k in held if k[0] not in "abgi" and k.split("_")[0] not in ("idx", "rows")}

        def group(h: Any) -> None:
            args = []
            for name, value in given.items():
                if name.startswith("g_"):
                    args.append(sycl.unsampled_image_accessor(held[name], h, sycl.read_only))
                elif name in held:
                    mode = sycl.read_write if name in written else sycl.read_only
                    args.append(sycl.accessor(held[name], h, mode))
                else:
                    args.append(value)
            submitted(h, case, reductions, names, args)
        for _ in range(case.launches):
            queue.submit(group)
        queue.wait_and_throw()
