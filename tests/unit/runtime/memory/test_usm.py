"""Allocations underneath USM."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest

from tests.unit.runtime.null import channel, state
from unisycl.base.enums import usm_kind
from unisycl.base.errors import UsageError
from unisycl.runtime.devices.devices import ContextState
from unisycl.runtime.memory.usm import Block, Pointer, find

INT32 = np.dtype(np.int32)


def block(context: ContextState, nbytes: int = 64) -> Block:
    return Block(nbytes, usm_kind.shared, context, context.devices[0])


def test_a_block_is_found_by_any_address_inside() -> None:
    context = ContextState((state(),))
    made = block(context)
    assert made is find(context, made.address)
    assert made is find(context, made.address + 63)
    assert find(context, made.address + 64) is None
    made.free()
    assert find(context, made.address) is None


def test_blocks_nobody_holds_are_forgotten() -> None:
    context = ContextState((state(),))
    address = block(context).address
    gc.collect()
    assert find(context, address) is None


def test_memory_whose_address_was_given_away_outlives_free() -> None:
    context = ContextState((state(),))
    plain, exported = block(context), block(context)
    exported.exported = True
    plain.free()
    exported.free()
    assert plain.memory is None
    assert exported.memory is not None


def test_a_pointer_belongs_to_its_context() -> None:
    c = channel()
    pointer = Pointer(block(c.context), INT32, (4, 4))
    assert ((4, 4), (4, 1)) == (pointer.bind(None, c).shape, pointer.bind(None, c).pitches)
    with pytest.raises(UsageError, match="another context"):
        pointer.bind(None, channel())
    pointer.block.free()
    with pytest.raises(UsageError, match="freed"):
        pointer.bind(None, c)


def test_a_block_is_looked_for_while_other_threads_make_and_free_some() -> None:
    context = ContextState((state(),))
    kept = [block(context) for _ in range(200)]
    over, before = threading.Event(), sys.getswitchinterval()

    def work() -> None:
        while not over.is_set():
            for _ in range(50):
                block(context)

    sys.setswitchinterval(1e-6)
    worker = threading.Thread(target=work)
    worker.start()
    try:
        for _ in range(300):
            assert find(context, kept[-1].address + 1) is kept[-1]
            assert find(context, 1) is None
    finally:
        over.set()
        worker.join()
        sys.setswitchinterval(before)
