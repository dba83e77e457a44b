"""Methods of index objects that give an id or a range, whole or of one dimension.

``get_local_range()`` is a ``range``, ``get_local_range(1)`` an int: all such methods are made here,
from a function that reads the numbers. Non-goals: which there are (``groups``, ``nd_item``).
Invariant: what they refuse and how is the same for all (SYCL 2020 §4.9.1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast, overload

from unisycl.base.geometry import id, range
from unisycl.lang.index.place import pick

Numbers = Callable[[Any], tuple[int, ...]]


class IdQuery(Protocol):
    """A method that gives an id, or with a dimension one of its integers."""

    @overload
    def __call__(self) -> id: ...
    @overload
    def __call__(self, dimension: int) -> int: ...


class RangeQuery(Protocol):
    """A method that gives a range, or with a dimension one of its integers."""

    @overload
    def __call__(self) -> range: ...
    @overload
    def __call__(self, dimension: int) -> int: ...


def id_query(what: str, numbers: Numbers, doc: str) -> IdQuery:
    """Return the method ``what`` (class.name) that gives the numbers as an id."""
    return cast("IdQuery", _query(what, numbers, id, doc))


def range_query(what: str, numbers: Numbers, doc: str) -> RangeQuery:
    """Return the method ``what`` (class.name) that gives the numbers as a range."""
    return cast("RangeQuery", _query(what, numbers, range, doc))


def _query(what: str, numbers: Numbers, kind: Any, doc: str) -> Callable[..., Any]:
    make = kind._make

    def ask(self: Any, dimension: int | None = None) -> Any:
        found = numbers(self)
        return make(found) if dimension is None else pick(found, dimension, what)
    ask.__name__ = what.partition(".")[2]
    ask.__qualname__ = what
    ask.__doc__ = f"Return {doc}, or one dimension of it."
    return ask
