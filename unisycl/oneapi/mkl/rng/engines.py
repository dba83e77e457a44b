"""Engines: streams of random numbers, each by its seed and position (catalogue L-7).

Non-goals: engines inside kernels (``device``), and those whose numbers are kept or are not meant to
look random (``sequences``). Invariants: the host keeps the position, so it is known without
waiting; skipping costs the same however far.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call, empty
from unisycl.oneapi.frame.operands import Memory, Operand, Record
from unisycl.oneapi.frame.policies import policy_of
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.mkl.rng import kernels

_WORD = 1 << 32
_MANY = 1 << 20
"""As many numbers keep a card busy with several counters for each work-item."""
_M1, _M2 = _WORD - 209, _WORD - 22853
_A1 = ((0, 1, 0), (0, 0, 1), (-810728, 1403580, 0))
_A2 = ((0, 1, 0), (0, 0, 1), (-1370589, 0, 527612))
_VECTORS: dict[np.dtype[Any], Any] = {
    np.dtype(np.uint32): sycl.uint4, np.dtype(np.float32): sycl.float4,
    np.dtype(np.float64): sycl.double4, np.dtype(np.int32): sycl.int4}
Matrix = tuple[tuple[int, ...], ...]


class Engine:
    """A stream of random numbers on a queue, and how many of it were taken.

    Args:
        queue: where numbers are generated; a queue or a policy.
        seed: a whole number, or a list of them as oneMKL has it.
        limit: the numbers that a list may have.
    """

    bits = 32
    kind: Any = np.uint32
    modulus = _WORD

    def __init__(self, queue: Any, seed: Any, limit: int) -> None:
        name = type(self).__name__
        self.queue = policy_of(name, queue).queue()
        self.policy = queue
        given = seed if isinstance(seed, Sequence) else [seed]
        if not 1 <= len(given) <= limit:
            refuse(name, f"takes 1 to {limit} numbers as its seed, got {len(given)}")
        self.seeds = [whole(name, "the seed", s) for s in given]
        self.start, self.stride, self.position = 0, 1, 0

    @property
    def at(self) -> int:
        """Where the next number stands among those of the whole engine."""
        return self.start + self.position * self.stride

    def get_queue(self) -> sycl.queue:
        """Return the queue."""
        return self.queue

    def write(self, call: Call, rule: Any, target: Operand, count: int, *, double: bool) -> None:
        """Write so many numbers of a distribution from the present position on."""
        words = self.words(call, (count + (count % 2 if double else 0) - 1) * self.stride + 1)
        stride = np.int64(self.stride)
        if double:
            call.launch(-(-count // 2), kernels.indexed_double, words, stride, rule, target,
                        np.int64(count))
        else:
            call.launch(count, kernels.indexed_single, words, stride, rule, target)

    def words(self, call: Call, count: int) -> Operand:
        """Return the engine's own numbers from the present position on, as kernels read them."""
        raise NotImplementedError

    def copy(self) -> Engine:
        """Return an engine of the same seed at the same position."""
        found = object.__new__(type(self))
        found.__dict__.update(self.__dict__)
        return found

    def keep(self, values: Any) -> Any:
        """Return numbers of the host where kernels of the queue read them in place."""
        found = empty(self.queue, values.size, values.dtype)
        found[:] = values
        return found

    def take_every(self, stride: int, first: int) -> None:
        """Go on with every so many numbers, the first of which is further on."""
        self.start, self.stride, self.position = self.at + first * self.stride, (
            self.stride * stride), 0


class philox4x32x10(Engine):
    """The counter-based engine of Salmon and others (2011), of 32-bit numbers.

    Args:
        queue: where numbers are generated; a queue or a policy.
        seed: the key, of 64 bits; or a list: the key, then the lower and the upper half of the
            first counter.
    """

    default_seed = 1

    def __init__(self, queue: Any, seed: Any = 1) -> None:
        super().__init__(queue, seed, 3)
        low, high = (*self.seeds[1:], 0, 0)[:2]
        self._counter = low + (high << 64)

    def write(self, call: Call, rule: Any, target: Operand, count: int, *, double: bool) -> None:
        if self.stride > 1:
            super().write(call, rule, target, count, double=double)
            return
        taken, done = self.at % 4, 0
        if taken == 0 and count >= 4 and isinstance(target, Memory) and target.is_contiguous():
            turns = kernels.COUNTERS if call.shape.wide and count >= _MANY else 1
            items = count // (4 * turns)
            done, args = 4 * turns * items, (self._counters(0), rule,
                                             _VECTORS[np.dtype(target.dtype)], target)
            if turns > 1:
                several = kernels.several_double if double else kernels.several_single
                call.launch(items, several, *args, np.int64(items))
            else:
                call.launch(items, kernels.whole_double if double else kernels.whole_single, *args)
        if done < count:
            kernel = kernels.philox_double if double else kernels.philox_single
            left = count - done
            turns = -(-(left + (0 if double else taken)) // 4)
            call.launch(turns, kernel, self._counters(done), rule, target.part(done, count),
                        np.int64(left))

    def words(self, call: Call, count: int) -> Operand:
        return Record(kernels.each_word, self._counters(0))

    def _counters(self, further: int) -> Any:
        """Return the key and the counter so many numbers further on, as kernels use them."""
        at = self.at + further
        counter = (self._counter + at // 4) % (1 << 128)
        return kernels.counters(
            np.uint64(self.seeds[0] % (1 << 64)), np.uint64(counter % (1 << 64)),
            np.uint64(counter >> 64), np.int64(at % 4))


class _Stepwise(Engine):
    """An engine that goes from one number to the next; each chunk has its first state."""

    state_kind: Any = None

    def write(self, call: Call, rule: Any, target: Operand, count: int, *, double: bool) -> None:
        if self.stride > 1:
            super().write(call, rule, target, count, double=double)
            return
        part = call.shape.chunk(count)
        part += part % 2
        parts = -(-count // part)
        found = np.array(self.states(parts, part), np.uint64).ravel()
        states = Memory(call.kept(found), 0, found.size)
        kernel = kernels.chunk_double if double else kernels.chunk_single
        call.launch(sycl.nd_range(parts, 1), kernel, self.state_kind, states, rule, target,
                    views.chunks(count, part))

    def words(self, call: Call, count: int) -> Operand:
        found, plain = call.own(count, self.kind), self.copy()
        plain.start, plain.stride, plain.position = self.at, 1, 0
        plain.write(call, kernels.raw(self.kind), found, count, double=False)
        return found

    def states(self, parts: int, part: int) -> list[Any]:
        """Return the state at the beginning of each chunk."""
        raise NotImplementedError


class mcg59(_Stepwise):
    """The multiplicative congruential engine ``x = 13**13 * x mod 2**59``, of 59-bit numbers.

    Args:
        queue: where numbers are generated; a queue or a policy.
        seed: the first number.
    """

    default_seed = 1
    bits = 59
    modulus = 1 << 59
    kind = np.uint64
    state_kind = kernels.mcg59

    def __init__(self, queue: Any, seed: Any = 1) -> None:
        super().__init__(queue, seed, 1)

    def states(self, parts: int, part: int) -> list[Any]:
        first = self.seeds[0] % (1 << 59) or 1
        return [first * pow(13 ** 13, self.at + c * part, 1 << 59) % (1 << 59)
                for c in range(parts)]


class mrg32k3a(_Stepwise):
    """The combined multiple recursive engine of L'Ecuyer (1999), of 32-bit numbers.

    Args:
        queue: where numbers are generated; a queue or a policy.
        seed: the oldest number of the first part; or up to six: three of the first part, three of
            the second. Those left out are 1.
    """

    default_seed = 1
    modulus = _M1
    state_kind = kernels.mrg32k3a

    def __init__(self, queue: Any, seed: Any = 1) -> None:
        super().__init__(queue, seed, 6)
        state = [*self.seeds, *[1] * (6 - len(self.seeds))]
        x, y = [s % _M1 for s in state[:3]], [s % _M2 for s in state[3:]]
        self._first = tuple(x if any(x) else [1, *x[1:]]), tuple(y if any(y) else [1, *y[1:]])

    def states(self, parts: int, part: int) -> list[Any]:
        found = []
        for a, m, first in ((_A1, _M1, self._first[0]), (_A2, _M2, self._first[1])):
            at, step = _times(_power(a, self.at, m), first, m), _power(a, part, m)
            row = []
            for _ in range(parts):
                row.append(at)
                at = _times(step, at, m)
            found.append(row)
        return [(*x, *y) for x, y in zip(*found, strict=True)]


def _times(a: Matrix, v: tuple[int, ...], m: int) -> tuple[int, ...]:
    return tuple(sum(x * y for x, y in zip(row, v, strict=True)) % m for row in a)


def _power(a: Matrix, k: int, m: int) -> Matrix:
    found: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    while k:
        if k & 1:
            found = _product(found, a, m)
        a, k = _product(a, a, m), k >> 1
    return found


def _product(a: Matrix, b: Matrix, m: int) -> Matrix:
    return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(3)) % m for j in range(3))
                 for i in range(3))


@ends_at_call
def skip_ahead(engine: Engine, count: Any) -> None:
    """Go on by so many numbers, as if they had been generated.

    Args:
        engine: an engine.
        count: how many numbers of the engine; each of ``uniform`` and ``bits`` takes one, those of
            ``gaussian`` take one each, and an odd number of them one more.
    """
    if not isinstance(engine, Engine):
        refuse("skip_ahead", f"the first argument is an engine, got {type(engine).__name__}")
    engine.position += whole("skip_ahead", "count", count)


@ends_at_call
def leapfrog(engine: Engine, index: Any, stride: Any) -> None:
    """Go on with every ``stride``-th number only, from the number ``index`` further on.

    So ``stride`` engines, each with an ``index`` of its own, share one stream between them.

    Args:
        engine: an engine; of ``mrg32k3a``, ``mcg59`` and ``mt19937`` the numbers in between are
            computed, too.
        index: from 0, below ``stride``.
        stride: how many engines share the stream.
    """
    if not isinstance(engine, Engine):
        refuse("leapfrog", f"the first argument is an engine, got {type(engine).__name__}")
    every = whole("leapfrog", "the stride", stride, 1)
    first = whole("leapfrog", "the index", index)
    if first >= every:
        refuse("leapfrog", f"the index must be below the stride, {every}, got {first}")
    engine.take_every(every, first)
