"""The engines ``mt19937`` and ``sobol`` (catalogue L-7).

Non-goals: scrambled points. Invariants: the twister's state stays on the device; a command that
goes on from it follows the one that made it, whatever the queue.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Operand, Record
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.mkl.rng import sequence_kernels as kernels
from unisycl.oneapi.mkl.rng.directions import DIMENSIONS, directions
from unisycl.oneapi.mkl.rng.engines import Engine

_PIECE = 1 << 24


class mt19937(Engine):
    """The Mersenne twister of Matsumoto and Nishimura (1998), of 32-bit numbers.

    Skipping computes what is skipped.

    Args:
        queue: where numbers are generated; a queue or a policy.
        seed: a number below 2**32, from which the state is made as by ``std::mt19937`` and NumPy's
            ``RandomState``; or a list of them, as by the authors' ``init_by_array``.
    """

    default_seed = 1

    def __init__(self, queue: Any, seed: Any = 1) -> None:
        super().__init__(queue, seed, 1 << 16)
        seeds = [s % (1 << 32) for s in self.seeds]
        made = np.random.RandomState(seeds if isinstance(seed, list | tuple) else seeds[0])
        self._key = np.array(made.get_state(legacy=False)["state"]["key"], np.uint32)
        self._state: Memory | None = None
        self._stands = 0
        self._last: list[sycl.event] = []

    def words(self, call: Call, count: int) -> Operand:
        if self._state is None:
            self._state = Memory(call.kept(self._key), 0, kernels.STATE)
        call.follow(self._last)
        ahead = self.at - self._stands
        while ahead > _PIECE:
            self._step(call, _PIECE, _PIECE)
            ahead -= _PIECE
        found = self._step(call, ahead + count, ahead + count)
        return Record(kernels.tempered, found, np.int64(kernels.STATE + ahead))

    def _step(self, call: Call, count: int, further: int) -> Memory:
        """Compute so many words behind the state, and move it on."""
        state, n = self._state, kernels.STATE
        assert state is not None
        found = call.own(count + n, np.uint32)
        width = min(256, max(call.shape.width, 1))
        call.launch(sycl.nd_range(width, width), kernels.twist, state, found, np.int64(count))
        self._state = call.own(n, np.uint32)
        call.launch(n, kernels.keep, found, np.int64(further), self._state)
        self._stands += further
        self._last = call.last()
        return found


class sobol(Engine):
    """Sobol's points, which fill the unit cube evenly: coordinates one point after the other.

    The directions are those of Joe and Kuo (2008) and the order is that of Gray's code, from the
    point 0 on, as in SciPy.

    Args:
        queue: where numbers are generated; a queue or a policy.
        dimensions: the coordinates of a point, 1 to 40.
    """

    def __init__(self, queue: Any, dimensions: Any = 1) -> None:
        most = len(DIMENSIONS) + 1
        if whole("sobol", "the number of dimensions", dimensions, 1) > most:
            refuse("sobol", f"has 1 to {most} dimensions, got {dimensions}")
        super().__init__(queue, 0, 1)
        self.dimensions = int(dimensions)

    def words(self, call: Call, count: int) -> Operand:
        if (self.at + count - 1) // self.dimensions >= 1 << 32:
            call.refuse("there are 2**32 points, and these would be beyond the last")
        table = np.array([directions(d) for d in range(self.dimensions)], np.uint32).ravel()
        return Record(kernels.points, Memory(call.kept(table), 0, table.size),
                      np.uint64(self.dimensions), np.uint64(self.at))
