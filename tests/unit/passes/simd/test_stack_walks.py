"""Lanes that walk trees with stacks of their own share one stack, and see what they would have."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.emit import queries
from unisycl.frontend.specialize import specialize
from unisycl.ir import visit
from unisycl.ir.stack_statements import Ended, Popped, Pushed
from unisycl.passes.simd import shapes as sh
from unisycl.passes.simd import shared_arrays, stack_walks

DATA = np.random.default_rng(3).integers(0, 1000, 97).astype(np.int32)
NODES = np.random.default_rng(4).integers(0, 1000, 63).astype(np.int32)
data, nodes, out = DATA.copy(), NODES.copy(), np.zeros(97, np.int64)


def rewritten(function):  # type: ignore[no-untyped-def]
    """Return a kernel's statements behind the pass."""
    kernel = specialize(function, "range", 1, (), ()).kernel
    assert stack_walks.may_walk(kernel)
    found = sh.analyse(kernel.body, queries.shapes(kernel, 8), {},
                       arrays=shared_arrays.candidates(kernel))
    return [*visit.statements(stack_walks.run(kernel.body, found))]


def both(i):  # type: ignore[no-untyped-def]
    stack = sycl.private_array(np.int32, 32)
    stack[0] = 0
    top, seen = 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        seen = (seen * 3 + nodes[node]) & 65535
        if node < 31 and (data[i] + nodes[node]) % 3 != 0:
            stack[top] = 2 * node + 1
            stack[top + 1] = 2 * node + 2
            top += 2
    out[i] = seen


def nearer_first(i):  # type: ignore[no-untyped-def]
    """What goes on the stack first is each item's own matter, and how much."""
    stack = sycl.private_array(np.int16, 32)
    stack[0] = np.int16(data[i] & 1)
    top, seen = 1, 0
    while top:
        node = int(stack[top - 1])
        top -= 1
        seen = (seen * 3 + nodes[node]) & 65535
        if node < 31:
            near = (data[i] >> (node & 3)) & 1
            stack[top] = np.int16(2 * node + 2 - near)
            top += 1
            if data[i] % 5 != 0:
                stack[top] = np.int16(2 * node + 1 + near)
                top += 1
    out[i] = seen


def some_hit(i):  # type: ignore[no-untyped-def]
    """Items leave with something on their stacks, in three ways, and some go round early."""
    stack = sycl.private_array(np.int32, 32)
    for again in range(2):
        stack[0] = again
        top, seen = 1, 0
        while top >= 1 and seen < 4 * data[i]:
            top -= 1
            node = stack[top]
            seen += nodes[node]
            if node > 30:
                continue
            if (data[i] + nodes[node]) % 7 == 0:
                break
            for k in range(2):
                if (seen ^ k) % 11 == 10:
                    out[i] += seen
                    return
                stack[top] = 2 * node + 1 + k
                top += 1
        out[i] += seen + 1
    out[i] += 7


def answers_first(i):  # type: ignore[no-untyped-def]
    """The condition looks at memory, at a place that the last turn left."""
    stack = sycl.private_array(np.int32, 32)
    stack[0] = 1
    stack[1] = 2
    top, at = 2, 0
    while top > 0 and nodes[at] % 13 != 5:
        top -= 1
        at = stack[top]
        out[i] += nodes[at]
        if at < 31:
            for k in range(data[i] % 3):
                stack[top] = 2 * at + 1 + (k & 1)
                top += 1


def deep(i):  # type: ignore[no-untyped-def]
    """The stack is too large for a thread's, and what it holds differs."""
    stack = sycl.private_array(np.int64, 256)
    stack[0] = 3 * int(data[i] & 15)
    top, seen = 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        seen = (seen * 3 + nodes[node]) & 65535
        if node < 61:
            for k in range(data[i] % 3):
                stack[top] = 62 - k
                top += 1
    out[i] = seen


def goes_on(i):  # type: ignore[no-untyped-def]
    """The nearer child is gone on with, the other one kept; what is kept is popped last."""
    stack = sycl.private_array(np.int16, 16)
    node, top, seen = int(data[i] & 1), 0, 0
    while True:
        seen = (seen * 3 + nodes[node]) & 65535
        if (data[i] + nodes[node]) % 4 != 0:
            if node < 31:
                if data[i] & 1:
                    stack[top] = np.int16(2 * node + 1)
                    node = 2 * node + 2
                else:
                    stack[top] = np.int16(2 * node + 2)
                    node = 2 * node + 1
                top += 1
            else:
                if seen % 11 == 3:
                    break
                if top == 0:
                    break
                top -= 1
                node = int(stack[top])
        else:
            seen += 1
            if top > 0:
                node = int(stack[top - 1])
                top -= 1
            else:
                break
    out[i] = seen * 64 + node


def goes_round(i):  # type: ignore[no-untyped-def]
    stack = sycl.private_array(np.int64, 16)
    node, top, seen = 0, 0, 0
    while True:
        seen = (seen * 3 + nodes[node]) & 65535
        if node < 31 and (data[i] + nodes[node]) % 3 != 0:
            stack[top] = 2 * node + 2
            top += 1
            node = 2 * node + 1
            continue
        if node < 31 and nodes[node] % 5 == 0:
            node += 32
            continue
        if not top:
            break
        top -= 1
        node = stack[top]
    out[i] = seen


def pops_in_the_middle(i):  # type: ignore[no-untyped-def]
    stack = sycl.private_array(np.int32, 16)
    node, top, seen = 0, 0, 0
    while True:
        if node < 31 and (data[i] + nodes[node]) % 3 != 0:
            stack[top] = 2 * node + 2
            top += 1
            node = 2 * node + 1
        else:
            if top == 0:
                break
            top -= 1
            node = stack[top]
        seen = (seen * 3 + nodes[node]) & 65535
    out[i] = seen


def has_less_room(i):  # type: ignore[no-untyped-def]
    """What a turn goes on with may be more than the stack holds."""
    stack = sycl.private_array(np.uint8, 16)
    node, top, seen = int(data[i] & 1) - 1, 0, 0
    while True:
        seen = (seen * 3 + nodes[node & 31]) & 65535
        if 0 <= node < 31:
            stack[top] = np.uint8(2 * node + 2)
            top += 1
            node = 1000 * (node + 1)
        else:
            if top == 0:
                break
            top -= 1
            node = int(np.int8(stack[top]))
    out[i] = seen


def looks_again(i):  # type: ignore[no-untyped-def]
    stack = sycl.private_array(np.int32, 32)
    stack[0] = 0
    top, seen = 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        seen += nodes[node] + top
        if node < 31 and data[i] % 3 != 0:
            stack[top] = 2 * node + 1
            top += 1
    out[i] = seen


def stays_below(i):  # type: ignore[no-untyped-def]
    """A number below the top is looked at, and one is left there that nobody asks for."""
    stack = sycl.private_array(np.int32, 32)
    stack[0] = 0
    top, seen = 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        seen += nodes[node] + stack[0]
        if node < 31 and data[i] % 3 != 0:
            stack[top + 1] = 2 * node + 1
            stack[top] = 2 * node + 2
            top += 2
    out[i] = seen


def skips_one(i):  # type: ignore[no-untyped-def]
    stack = sycl.private_array(np.int32, 32)
    stack[0] = 0
    top, seen = 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        seen += nodes[node]
        if node < 31:
            stack[top] = 2 * node + 1
            if data[i] % 3 != 0:
                top += 1
    out[i] = seen


def counts_for_all(i):  # type: ignore[no-untyped-def]
    stack = sycl.private_array(np.int32, 32)
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        sycl.atomic_ref(out, i).fetch_add(nodes[node])
        if node < 31 and data[i] % 3 != 0:
            stack[top] = 2 * node + 1
            top += 1


SHARED = (both, nearer_first, some_hit, answers_first, goes_on, goes_round, deep)
KEPT = (pops_in_the_middle, has_less_room, looks_again, stays_below, skips_one, counts_for_all)


@pytest.mark.parametrize("function", SHARED)
def test_a_stack_that_is_pushed_and_popped_is_shared(function):  # type: ignore[no-untyped-def]
    kinds = {type(s) for s in rewritten(function)}
    assert {Popped, Pushed} <= kinds
    assert (Ended in kinds) == (function in (some_hit, answers_first, goes_on))


@pytest.mark.parametrize("function", KEPT)
def test_a_stack_that_is_used_otherwise_stays(function):  # type: ignore[no-untyped-def]
    assert not any(isinstance(s, Popped | Pushed) for s in rewritten(function))


@pytest.mark.parametrize("lanes", [4, 8, 16, 32])
def test_each_item_finds_what_it_would_have_found_alone(lanes):  # type: ignore[no-untyped-def]
    for function in (*SHARED, *KEPT):
        found = []
        for device, size in (("host", 0), ("cpu", lanes)):
            out[:] = 0
            where = sycl.queue(getattr(sycl, device + "_selector_v"))
            kernel = sycl.kernel(reqd_sub_group_size=size)(function) if size else function
            where.parallel_for(out.size, kernel).wait()
            found.append(out.tolist())
        assert found[0] == found[1], function.__name__
