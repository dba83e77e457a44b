"""``atomic_ref`` and ``atomic_fence`` (SYCL 2020 §4.15.3, §4.15.1).

On the host they work between Python's threads and, for USM memory, with kernels that run meanwhile.
Non-goals: orders weaker than seq_cst. Invariant: operands are converted to the element's type,
results are its.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from unisycl.base.enums import access_mode, address_space, memory_order, memory_scope
from unisycl.base.errors import BoundsError, UsageError, errc
from unisycl.lang.index.environment import here
from unisycl.lang.memory.atomic_place import find
from unisycl.lang.memory.cell import fence
from unisycl.lang.memory.exchanged import exchanged
from unisycl.lang.memory.stored_pointers import address_of
from unisycl.lang.memory.views import HostView, in_launch
from unisycl.lang.numbers.convert import convert

_NOT_LOAD = (memory_order.release, memory_order.acq_rel)
_NOT_STORE = (memory_order.acquire, memory_order.acq_rel)
_READ_ORDER = {memory_order.acq_rel: memory_order.acquire}
_WRITE_ORDER = {memory_order.acq_rel: memory_order.release}


def _check_scope(scope: memory_scope | None) -> None:
    if scope is memory_scope.work_item:
        raise UsageError(errc.invalid, "atomic_ref: an atomic operation cannot have the scope "
                         "work_item: no one else would take part; use sub_group or wider")


def _check(what: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise UsageError(errc.invalid, f"atomic_ref: {what} must be given as a {kind.__name__}, "
                         f"got {value!r}")


def _one_earlier(order: Any, scope: Any, space: Any) -> tuple[memory_scope, address_space]:
    """Return the scope and the space, where the order was given in the index's place."""
    if order is memory_order.relaxed:
        return scope, space
    _check("the memory scope", order, memory_scope)
    return order, scope if isinstance(scope, address_space) else space


class atomic_ref:
    """Atomic access to one element of memory (SYCL 2020 §4.15.3).

    Args:
        view: the accessor, USM allocation, local memory or array the element is in, a record or
            array in one, or a pointer.
        index: where; what ``view[index]`` takes, and behind it in a tuple the way to a member of
            a record or an element of a vec: ``(i, "key")``, ``(i, "at", 2)``, ``(i, "x")``. A
            pointer and a ``device_global`` need none; the order may follow at once.
        order: the default memory order of its operations.
        scope: the default memory scope.
        space: the address space, if you know it.

    Elements are integers, floats, complex64 and pointers kept in memory, which move by elements.
    Methods that read return the element's type.

    Example:
        >>> def histogram(i):
        ...     atomic_ref(bins, data[i]).fetch_add(1)
    """

    __slots__ = ("_element", "_index", "_view", "default_read_modify_write_order",
                 "default_scope")

    def __init__(self, view: Any, index: Any = None, order: memory_order = memory_order.relaxed,
                 scope: memory_scope = memory_scope.device,
                 space: address_space = address_space.generic_space) -> None:
        if isinstance(index, memory_order):
            scope, space = _one_earlier(order, scope, space)
            index, order = None, index
        _check("the memory order", order, memory_order)
        _check("the memory scope", scope, memory_scope)
        _check_scope(scope)
        if order in (memory_order.acquire, memory_order.release):
            raise UsageError(errc.invalid, "atomic_ref: the default order must be relaxed, acq_rel "
                             f"or seq_cst, not {order.value}")
        if space is address_space.constant_space or space is address_space.private_space:
            raise UsageError(errc.invalid, f"atomic_ref: no atomics in {space.value} memory")
        self._view, self._index = view, index
        self._element = find(view, index)
        self.default_read_modify_write_order = order
        self.default_scope = scope

    is_always_lock_free = True

    @property
    def required_alignment(self) -> int:
        """The alignment of the element's address, in bytes."""
        return int(self._element.dtype.itemsize)

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
        self._enter(scope, order)
        return self._element.cell.load()

    def store(self, operand: Any, order: memory_order | None = None,
              scope: memory_scope | None = None) -> None:
        """Set the value; ``order`` is not acquire or acq_rel."""
        if order in _NOT_STORE:
            raise UsageError(errc.invalid, f"atomic_ref.store cannot have order {order.value}; use "
                             "relaxed, release or seq_cst")
        self._enter(scope, order)
        self._element.cell.store(self._operand(operand))

    def exchange(self, operand: Any, order: memory_order | None = None,
                 scope: memory_scope | None = None) -> Any:
        """Set the value and return the old one."""
        self._enter(scope, order)
        new = self._operand(operand)
        return self._element.cell.update(lambda old: new)

    def compare_exchange_strong(self, expected: Any, desired: Any,
                                success: memory_order | None = None,
                                failure: memory_order | memory_scope | None = None,
                                scope: memory_scope | None = None) -> exchanged:
        """Set the value to ``desired`` if it equals ``expected``; return (success, old value).

        The pair is true if that was done. Floats are compared by their bits. The scope may follow
        the one order for both outcomes.
        """
        if isinstance(failure, memory_scope):
            failure, scope = None, failure
        if failure in _NOT_LOAD:
            raise UsageError(errc.invalid, "compare_exchange: the order of failure cannot be "
                             f"{failure.value}")
        self._enter(scope, success)
        return exchanged(*self._element.cell.compare(
            self._operand(expected), self._operand(desired)))

    compare_exchange_weak = compare_exchange_strong

    def fetch_add(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Add, and return the old value; a pointer moves by so many elements."""
        return self._update("fetch_add", operand, operator.add, order, scope)

    def fetch_sub(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Subtract, and return the old value."""
        return self._update("fetch_sub", operand, operator.sub, order, scope)

    def fetch_and(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Combine bits by and; return the old value. Integers only."""
        return self._bits("fetch_and", operand, operator.and_, order, scope)

    def fetch_or(self, operand: Any, order: memory_order | None = None,
                 scope: memory_scope | None = None) -> Any:
        """Combine bits by or; return the old value. Integers only."""
        return self._bits("fetch_or", operand, operator.or_, order, scope)

    def fetch_xor(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Combine bits by exclusive or; return the old value. Integers only."""
        return self._bits("fetch_xor", operand, operator.xor, order, scope)

    def fetch_min(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Keep the smaller; return the old value."""
        return self._update("fetch_min", operand, min, order, scope)

    def fetch_max(self, operand: Any, order: memory_order | None = None,
                  scope: memory_scope | None = None) -> Any:
        """Keep the larger; return the old value."""
        return self._update("fetch_max", operand, max, order, scope)

    def _enter(self, scope: memory_scope | None, order: memory_order | None) -> None:
        """Refuse a scope that is none; tell memory that is watched how wide the operation is."""
        _check_scope(scope)
        cell = self._element.cell
        if cell.watched:
            cell.scope = scope or self.default_scope
            cell.order = order or self.default_read_modify_write_order

    def _operand(self, value: Any) -> Any:
        """Return a value converted to the element's type; of a pointer its address."""
        element = self._element
        return address_of(value) if element.pointer else convert(value, element.dtype)

    def _update(self, name: str, operand: Any, fn: Callable[[Any, Any], Any],
                order: memory_order | None, scope: memory_scope | None) -> Any:
        self._enter(scope, order)
        element = self._element
        if element.dtype.kind == "c" and fn in (min, max):
            raise UsageError(errc.invalid, f"atomic_ref.{name}: {element.dtype} has no order")
        if element.pointer:
            return element.cell.update(_moved(name, fn, element.step * operator.index(operand)))
        new = convert(operand, element.dtype)
        if in_launch():
            return element.cell.update(lambda old: fn(old, new))
        with np.errstate(all="ignore"):  # as in kernels, numbers wrap without a word
            return element.cell.update(lambda old: fn(old, new))

    def _bits(self, name: str, operand: Any, fn: Callable[[Any, Any], Any],
              order: memory_order | None, scope: memory_scope | None) -> Any:
        if self._element.dtype.kind not in "iu":
            raise UsageError(errc.invalid, f"atomic_ref.{name} is for integers, not "
                             f"{self._element.dtype}")
        return self._update(name, operand, fn, order, scope)

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


def _moved(name: str, fn: Callable[[Any, Any], Any], distance: int) -> Callable[[Any], int]:
    """Return what moves a pointer by some bytes, giving its address."""
    if fn not in (operator.add, operator.sub):
        raise UsageError(errc.invalid, f"atomic_ref.{name} is for numbers, not for pointers")

    def move(old: Any) -> int:
        if not address_of(old):
            raise BoundsError(errc.accessor, f"atomic_ref.{name}: a pointer to nothing is moved")
        return int(fn(address_of(old), distance))
    return move


class AtomicView(HostView):
    """Memory of an accessor in atomic mode, on the host device (SYCL 1.2 §3.4)."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        place = self._locate(index)
        if len(place) < self._data.ndim:
            return AtomicView(self._data[place], self._name, self._mode)
        plain = HostView(self._data, self._name, access_mode.read_write, self._raw)
        return atomic_ref(plain, place, memory_order.relaxed, memory_scope.device)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise UsageError(errc.accessor, f"'{self._name}' is an atomic accessor: its elements are "
                         "changed by atomic methods only")


def atomic_fence(order: memory_order, scope: memory_scope) -> None:
    """Order this work-item's memory operations around it (SYCL 2020 §4.15.1)."""
    _check("the memory order", order, memory_order)
    _check("the memory scope", scope, memory_scope)
    if here.watch is not None:
        here.watch.fence(order)
    fence()
