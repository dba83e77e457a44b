"""``atomic_ref`` and ``atomic_fence`` (SYCL 2020 §4.15.3, §4.15.1).

Non-goals: being atomic between host threads; the host device runs one work-item at a time, so plain
reads and writes are. Invariant: operands are converted to the element's type, results are its.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.base.errors import UsageError, errc
from unisycl.lang.convert import convert

_TYPES = ("int32", "int64", "uint32", "uint64", "float32", "float64")
_NOT_LOAD = (memory_order.release, memory_order.acq_rel)
_NOT_STORE = (memory_order.acquire, memory_order.acq_rel)
_READ_ORDER = {memory_order.acq_rel: memory_order.acquire}
_WRITE_ORDER = {memory_order.acq_rel: memory_order.release}


def _check(what: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise UsageError(errc.invalid, f"atomic_ref: {what} must be given as a {kind.__name__}, "
                         f"got {value!r}")


class atomic_ref:
    """Atomic access to one element of memory (SYCL 2020 §4.15.3).

    Args:
        view: the accessor, USM allocation, local memory or array the element is in.
        index: where; what ``view[index]`` takes.
        order: the default memory order of its operations; there is none to fall back on.
        scope: the default memory scope.
        space: the address space, if you know it.

    Elements are 32 or 64-bit integers or floats. Methods that read return the element's type.

    Example:
        >>> def histogram(i):
        ...     atomic_ref(bins, data[i], memory_order.relaxed, memory_scope.device).fetch_add(1)
    """

    __slots__ = ("_dtype", "_index", "_view", "default_read_modify_write_order", "default_scope")

    def __init__(self, view: Any, index: Any, order: memory_order, scope: memory_scope,
                 space: address_space = address_space.generic_space) -> None:
        _check("the memory order", order, memory_order)
        _check("the memory scope", scope, memory_scope)
        if order in (memory_order.acquire, memory_order.release):
            raise UsageError(errc.invalid, "atomic_ref: the default order must be relaxed, acq_rel "
                             f"or seq_cst, not {order.value}")
        if space is address_space.constant_space or space is address_space.private_space:
            raise UsageError(errc.invalid, f"atomic_ref: no atomics in {space.value} memory")
        dtype = getattr(view, "dtype", None)
        if dtype is None or np.dtype(dtype).name not in _TYPES:
            raise UsageError(errc.invalid, "atomic_ref: elements must be of "
                             f"{', '.join(_TYPES)}; this is "
                             f"{dtype if dtype is not None else type(view).__name__}")
        self._dtype = np.dtype(dtype)
        self._view = view
        self._index = index
        self.default_read_modify_write_order = order
        self.default_scope = scope
        view[index]  # an index outside is reported where the reference is made

    required_alignment = 8
    is_always_lock_free = True

    @property
    def default_read_order(self) -> memory_order:
        """The order of ``load`` if none is given."""
        order = self.default_read_modify_write_order
        return _READ_ORDER.get(order, order)

    @property
    def default_write_order(self) -> memory_order:
        """The order of ``store`` if none is given."""
        order = self.default_read_modify_write_order
        return _WRITE_ORDER.get(order, order)

    def is_lock_free(self) -> bool:
        """Say whether operations take no lock; always true."""
        return True

    def load(self, order: memory_order | None = None, scope: memory_scope | None = None) -> Any:
        """Return the value; ``order`` is not release or acq_rel."""
        if order in _NOT_LOAD:
            raise UsageError(errc.invalid, f"atomic_ref.load cannot have order {order.value}; use "
                             "relaxed, acquire or seq_cst")
        return self._view[self._index]

    def store(self, operand: Any, order: memory_order | None = None,
              scope: memory_scope | None = None) -> None:
        """Set the value; ``order`` is not acquire or acq_rel."""
        if order in _NOT_STORE:
            raise UsageError(errc.invalid, f"atomic_ref.store cannot have order {order.value}; use "
                             "relaxed, release or seq_cst")
        self._view[self._index] = convert(operand, self._dtype)

    def exchange(self, operand: Any, order: memory_order | None = None,
                 scope: memory_scope | None = None) -> Any:
        """Set the value and return the old one."""
        return self._update(operand, lambda old, new: new)

    def compare_exchange_strong(self, expected: Any, desired: Any,
                                success: memory_order | None = None,
                                failure: memory_order | None = None,
                                scope: memory_scope | None = None) -> tuple[bool, Any]:
        """Set the value to ``desired`` if it equals ``expected``; return (success, old value)."""
        if failure in _NOT_LOAD:
            raise UsageError(errc.invalid, "compare_exchange: the order of failure cannot be "
                             f"{failure.value}")
        old = self._view[self._index]
        done = bool(old == convert(expected, self._dtype))
        if done:
            self._view[self._index] = convert(desired, self._dtype)
        return done, old

    compare_exchange_weak = compare_exchange_strong

    def fetch_add(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Add, and return the old value."""
        return self._update(operand, operator.add)

    def fetch_sub(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Subtract, and return the old value."""
        return self._update(operand, operator.sub)

    def fetch_and(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Combine bits by and; return the old value. Integers only."""
        return self._bits("fetch_and", operand, operator.and_)

    def fetch_or(self, operand: Any, order: memory_order | None = None,
                 scope: memory_scope | None = None) -> Any:
        """Combine bits by or; return the old value. Integers only."""
        return self._bits("fetch_or", operand, operator.or_)

    def fetch_xor(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Combine bits by exclusive or; return the old value. Integers only."""
        return self._bits("fetch_xor", operand, operator.xor)

    def fetch_min(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Keep the smaller; return the old value."""
        return self._update(operand, min)

    def fetch_max(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Keep the larger; return the old value."""
        return self._update(operand, max)

    def _update(self, operand: Any, fn: Callable[[Any, Any], Any]) -> Any:
        old = self._view[self._index]
        self._view[self._index] = fn(old, convert(operand, self._dtype))
        return old

    def _bits(self, name: str, operand: Any, fn: Callable[[Any, Any], Any]) -> Any:
        if self._dtype.kind == "f":
            raise UsageError(errc.invalid, f"atomic_ref.{name} is for integers, not {self._dtype}")
        return self._update(operand, fn)

    def __iadd__(self, operand: Any) -> Self:
        self.fetch_add(operand)
        return self

    def __isub__(self, operand: Any) -> Self:
        self.fetch_sub(operand)
        return self

    def __iand__(self, operand: Any) -> Self:
        self.fetch_and(operand)
        return self

    def __ior__(self, operand: Any) -> Self:
        self.fetch_or(operand)
        return self

    def __ixor__(self, operand: Any) -> Self:
        self.fetch_xor(operand)
        return self

    def __repr__(self) -> str:
        return f"atomic_ref({self._view!r}, {self._index!r})"


def atomic_fence(order: memory_order, scope: memory_scope) -> None:
    """Order this work-item's memory operations around it (SYCL 2020 §4.15.1).

    On the host device they already are in program order.
    """
    _check("the memory order", order, memory_order)
    _check("the memory scope", scope, memory_scope)
