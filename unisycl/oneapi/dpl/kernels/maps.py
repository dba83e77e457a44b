"""Kernels that do something to each element by itself.

Written in the kernel language. Each is the work of element ``k``; ``one_by_one`` runs such a work
in order, for the policy that asks for it. Non-goals: results that depend on other elements.
Invariant: an element is written by one work-item.
"""

from __future__ import annotations

from typing import Any

__kernel_language__ = True


def one_by_one(it: Any, work: Any, count: Any, *args: Any) -> None:
    """Do the work of every element in order, in one work-item."""
    for k in range(count):
        work(k, *args)


def transform(k: Any, source: Any, target: Any, function: Any) -> None:
    """Write the function of an element."""
    target.store(k, function(source.load(k)))


def transform_two(k: Any, left: Any, right: Any, target: Any, function: Any) -> None:
    """Write the function of two elements."""
    target.store(k, function(left.load(k), right.load(k)))


def transform_if(k: Any, source: Any, target: Any, function: Any, predicate: Any) -> None:
    """Write the function of an element of which the predicate is true."""
    x = source.load(k)
    if predicate(x):
        target.store(k, function(x))


def copy(k: Any, source: Any, target: Any) -> None:
    """Write an element as it is."""
    target.store(k, source.load(k))


def fill(k: Any, target: Any, value: Any) -> None:
    """Write one value."""
    target.store(k, value)


def generate(k: Any, target: Any, function: Any) -> None:
    """Write what the function makes of the position."""
    target.store(k, function(k))


def iota(k: Any, target: Any, start: Any, step: Any, kind: Any) -> None:
    """Write a number, counted in steps."""
    target.store(k, start + kind(k) * step)


def for_each(k: Any, data: Any, function: Any) -> None:
    """Give an element to a function."""
    function(data.load(k))


def update(k: Any, data: Any, function: Any) -> None:
    """Replace an element by the function of it."""
    data.store(k, function(data.load(k)))


def replace(k: Any, source: Any, target: Any, predicate: Any, value: Any) -> None:
    """Write an element, or a value where a predicate is true of it."""
    x = source.load(k)
    if predicate(x):
        target.store(k, value)
    else:
        target.store(k, x)


def swap(k: Any, first: Any, last: Any) -> None:
    """Exchange two elements."""
    a, b = first.load(k), last.load(k)
    first.store(k, b)
    last.store(k, a)


def flip(k: Any, data: Any, last: Any) -> None:
    """Exchange an element of the first half with its partner of the other."""
    a, b = data.load(k), data.load(last - k)
    data.store(k, b)
    data.store(last - k, a)


def rotate(k: Any, source: Any, target: Any, middle: Any, count: Any) -> None:
    """Write the element that stands ``middle`` places further on, round the end."""
    if k < count - middle:
        target.store(k, source.load(k + middle))
    else:
        target.store(k, source.load(k + middle - count))


def differences(k: Any, source: Any, target: Any, function: Any) -> None:
    """Write the function of an element and the one before it; the first as it is."""
    if k == 0:
        target.store(k, source.load(k))
    else:
        target.store(k, function(source.load(k), source.load(k - 1)))
