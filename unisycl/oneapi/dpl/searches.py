"""Algorithms that compare stretches of elements: search, find_end, lexicographical_compare ...

Results are positions and truths, the same on every device. A search looks at each position by
itself, as far as elements agree. Non-goals: what is searched in order (``ordered``). Invariant: of
what is nowhere, the result is -1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.iterators import Computed, constant_iterator
from unisycl.oneapi.dpl.kernels import predicates
from unisycl.oneapi.dpl.operators import order_of
from unisycl.oneapi.dpl.reductions import combined, neighbours
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Operand
from unisycl.oneapi.frame.refusals import whole
from unisycl.oneapi.frame.results import future

_WIDE = np.dtype(np.int64)


class _Matches(Computed):
    """Positions at which a pattern stands."""

    def __init__(self, source: Operand, wanted: Operand, size: int, same: Any,
                 missing: int) -> None:
        self._over(source, wanted)
        self.dtype, self.same, self.missing = _WIDE, same, np.int64(missing)
        self.count, self.size = np.int64(size), (source.size or 0) - size + 1

    def _made(self, *bases: Any) -> Any:
        return predicates.matches(bases[0], bases[1], self.count, self.same, self.missing)


class _FirstOrder(Computed):
    """Where one of two elements comes before the other."""

    def __init__(self, a: Operand, b: Operand, before: Any, missing: int) -> None:
        self._over(a, b)
        self.dtype, self.before, self.missing = _WIDE, before, np.int64(missing)

    def _made(self, *bases: Any) -> Any:
        return predicates.first_order(bases[0], bases[1], self.before, self.missing)


def _searched(call: Call, source: Operand, wanted: Operand, size: int, same: Any, *,
              last: bool = False) -> future:
    n = source.size or 0
    if size == 0:
        return call.done(lambda: -1 if last else 0)
    if size > n:
        return call.done(lambda: -1)
    found = _Matches(source, wanted, size, same or predicates.equal, -1 if last else n)
    out = combined(call, found, sycl.maximum if last else sycl.minimum, _WIDE)
    return call.done(lambda: -1 if out.base[0] == n else int(out.base[0]))


@routine
def search(call: Call, data: Any, pattern: Any, same: Any = None) -> future:
    """Return the first position at which a pattern stands; -1 if nowhere, 0 of an empty one.

    Args:
        call: the policy, or a queue.
        data: the elements.
        pattern: the elements that are looked for, one after the other.
        same: a function of an element and one of the pattern: whether they count as equal.
    """
    source, wanted = call.source("the input", data), call.source("the pattern", pattern)
    return _searched(call, source, wanted, wanted.size, same)


@routine
def find_end(call: Call, data: Any, pattern: Any, same: Any = None) -> future:
    """Return the last position at which a pattern stands; -1 if nowhere; see ``search``.

    An empty pattern is nowhere, as C++ has it.
    """
    source, wanted = call.source("the input", data), call.source("the pattern", pattern)
    return _searched(call, source, wanted, wanted.size, same, last=True)


@routine
def search_n(call: Call, data: Any, count: Any, value: Any, same: Any = None) -> future:
    """Return the first position of ``count`` equal values in a row; -1 if there is none.

    Args:
        call: the policy, or a queue.
        data: the elements.
        count: how many in a row.
        value: the value.
        same: a function of an element and the value: whether they count as equal.
    """
    source, n = call.source("the input", data), whole(call.name, "count", count)
    if isinstance(value, int | float | complex) and not isinstance(value, np.generic) \
            and not isinstance(source.dtype, tuple):
        value = np.asarray(value).astype(np.result_type(source.dtype, type(value)))[()]
    return _searched(call, source, constant_iterator(value), n, same)


@routine
def lexicographical_compare(call: Call, first: Any, second: Any, comp: Any = None) -> future:
    """Say whether one range comes before another, as words in a dictionary.

    Args:
        call: the policy, or a queue.
        first: the elements.
        second: others, as many or not.
        comp: the order of two elements, as in ``sort``.
    """
    a, b = call.source("the first argument", first), call.source("the second argument", second)
    n, shorter = min(a.size, b.size), a.size < b.size
    before = order_of(comp, a.dtype, b.dtype)
    if not n:
        return call.done(lambda: shorter)
    end = 2 * n
    found = _FirstOrder(a.part(0, n), b.part(0, n), before, end)
    out = combined(call, found, sycl.minimum, _WIDE)
    return call.done(lambda: bool(shorter if out.base[0] == end else out.base[0] % 2 == 0))


@routine
def is_partitioned(call: Call, data: Any, predicate: Any) -> future:
    """Say whether all elements of which a predicate is true come before all others.

    Args:
        call: the policy, or a queue.
        data: the elements.
        predicate: a function of one element.
    """
    found = neighbours(call, data, lambda a, b: predicate(b) and not predicate(a))
    return call.done(lambda: found.value() == -1)
