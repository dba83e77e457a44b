"""Sorting keys alone on processors: their ranks are written in place of them while they move.

Non-goals: values beside keys, parts of an order, keys of 8 and 16 bits, and devices with little
local memory, which ``sorting`` has other ways for. Invariant: stable, the same bits as of the other
ways; keys of one rank that differ in bits (NaN, -0.0 beside 0.0) go by kernels that keep these.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels import parts, scans, words
from unisycl.oneapi.dpl.scans import ONE, single
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Operand, Record

_TOGETHER = 1 << 18
"""Bytes of a part that local memory has at most, half of a usual second-level cache."""
_MOST = 1 << 11
_AIM = 6
_DIGIT = 11
_CHUNKS = 4
"""Chunks of each processor."""


def sorted_by_words(call: Call, keys: Operand, n: int, rank: Any, kind: np.dtype[Any]) -> bool:
    """Sort keys by their ranks if this is the way; return whether it is."""
    size = kind.itemsize
    device, line = call.queue.get_device(), parts.LINE // size
    free = int(device.get_info(sycl.info.device.local_mem_size)) * 3 // 4
    if (call.shape.digit < _DIGIT or size < 4 or not isinstance(keys, Memory) or n <= call.shape.few
            or n >= 1 << 31 or free < _MOST * (line + 2) * size or call.in_order
            or free < _TOGETHER + (4 * parts.TOGETHER << _DIGIT)):
        return False
    dtype, make, room = np.dtype(keys.dtype), kind.type, _TOGETHER // size
    bits = max(min(_MOST // 2, n // call.shape.few).bit_length() - 1, 1)
    by = Record(words.division, rank, make, call.own(2, kind), call.own((1 << bits) + 2, np.int32),
                call.own(_MOST, np.int32), call.own(1, np.uint32), bits, _MOST)
    aim = max(min(n // 256, room * _AIM // 8), 2 * n // _MOST, 1)
    call.launch(ONE, single, words.cut, keys, by, sycl.local_accessor(np.int32, (1 << bits) + 1),
                n, min(n, 16 << bits), aim)
    units = int(device.get_info(sycl.info.device.max_compute_units))
    part = max(call.shape.chunk(n), -(-n // min(_CHUNKS * units, call.shape.chunks)))
    chunks = -(-n // part)
    space, counts = sycl.nd_range(chunks, 1), call.own(chunks * _MOST + 1, np.int64)
    call.launch(space, words.count_words, keys, counts, by,
                views.chunks(n, part, sycl.local_accessor(np.uint32, _MOST)))
    call.launch(ONE, single, scans.before_all, counts, chunks * _MOST)
    other = call.own(n, kind)
    codes: list[Any] = [words.ranked(rank, dtype.type)]
    if dtype.kind == "f":
        codes.append(words.plain(rank, dtype.type, make))
    for odd, code in enumerate(codes):
        rows = words.rows(sycl.local_accessor(kind, _MOST * (line + 2)), make,
                          cast(Any, sycl.vec)(kind, line), (0,) * line)
        call.launch(space, words.distribute_words, keys, other, counts, by,
                    views.chunks(n, part, rows), code, odd)
        own = words.digits(sycl.local_accessor(np.uint32, parts.TOGETHER << _DIGIT),
                           None if odd else sycl.local_accessor(kind, room), room, _DIGIT)
        call.launch(sycl.nd_range(_MOST, 1), words.sort_words, other, keys, counts, by, own,
                    code, chunks, odd)
    return True
