"""Algorithms that keep some elements: copy_if, remove_if, unique, partition.

The order of what is kept is that of the input, so results are the same, bit for bit, on every
device. A predicate is asked twice about an element and must say the same. Non-goals: those that
merge or sort. Invariant: outputs have room for all elements, and overlap nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.iterators import zip_iterator
from unisycl.oneapi.dpl.kernels import predicates, scans, selections
from unisycl.oneapi.dpl.places import Asked, Heads, room
from unisycl.oneapi.dpl.scans import ONE, single
from unisycl.oneapi.dpl.single_pass import is_number, selected_once
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Memory, Operand
from unisycl.oneapi.frame.results import future


def _truth(predicate: Any, *, wanted: bool) -> Any:
    return (lambda x: bool(predicate(x))) if wanted else (lambda x: not predicate(x))


def flags_of(source: Operand, predicate: Any, *, wanted: bool = True) -> Operand:
    """Return flags of the elements of which a predicate is true, or false."""
    return Asked(source, _truth(predicate, wanted=wanted))


def counted(call: Call, flags: Operand, count: int) -> tuple[Memory, int]:
    """Return where the kept elements of each chunk go, and the index of how many there are."""
    space = call.shape.chunk_space(count)
    parts = int(space.get_group_range()[0])
    counts = call.scratch(parts + 1, np.int64)
    kernel: Any = selections.count_kept
    plan = views.chunks(count, call.shape.chunk(count), runs=isinstance(flags, Heads))
    if _packs(call, flags):
        kernel, width = selections.count_packed, call.shape.width
        space = sycl.nd_range(parts * width, width)
    call.launch(space, kernel, flags, counts, plan)
    call.launch(ONE, single, scans.before_all, counts, parts)
    return counts, parts


def _packs(call: Call, flags: Operand) -> bool:
    """Say whether a vector of flags at a time tells where elements go."""
    return call.shape.packs and isinstance(flags, Asked | Heads) and not call.checked


def _packed(call: Call, flags: Operand, source: Operand, count: int, parts: int) -> Any:
    """Return the index space for packing chunks, and the plan with so many local memories."""
    kind = np.dtype(source.dtype) if is_number(source.dtype) else np.dtype(np.void)
    direct = kind.kind in "iuf" and kind.itemsize == 4
    own = [sycl.local_accessor(kind if direct else np.int32, selections.BLOCK + selections.ROW)
           for _ in range(parts)]
    plan = views.chunks(count, call.shape.chunk(count), own[0], own[-1] if parts > 1 else None,
                        direct, isinstance(flags, Heads))
    groups = -(-count // call.shape.chunk(count))
    return sycl.nd_range(groups * selections.ROW, selections.ROW), plan


def kept(call: Call, flags: Operand, source: Operand, target: Operand,
         count: int) -> tuple[Memory, int]:
    """Write the elements whose flags are set; return the counts, and the index of the total."""
    once = selected_once(call, flags, source, (target, None))
    if once is not None:
        return once, 0
    counts, parts = counted(call, flags, count)
    moved(call, flags, source, target, counts, count)
    return counts, parts


def moved(call: Call, flags: Operand, source: Operand, target: Operand, counts: Memory,
          count: int) -> None:
    """Write the elements whose flags are set to where the counts say."""
    if _packs(call, flags):
        space, plan = _packed(call, flags, source, count, 1)
        call.launch(space, selections.keep_packed, flags, source, target, counts, plan)
        return
    noted = sycl.local_accessor(np.int32, selections.BLOCK)
    call.launch(call.shape.chunk_space(count), selections.keep, flags, source, target, counts,
                views.chunks(count, call.shape.chunk(count), noted))


def _copied(call: Call, source: Operand, flags: Operand, out: Any) -> future:
    n = source.size or 0
    target = call.target("the output", out, n, exact=False)
    call.apart(target, source)
    if not n:
        return call.done(lambda: 0)
    counts, parts = kept(call, flags, source, target, n)
    return call.done(lambda: int(counts.base[parts]))


def _in_place(call: Call, data: Any, flags: Any) -> future:
    target = call.memory("the memory", data)
    n = target.size or 0
    if not n:
        return call.done(lambda: 0)
    found = room(call, n, target.dtype)
    counts, parts = kept(call, flags(target), target, found, n)
    each(call, n, selections.copy_counted, found, target, counts, parts)
    return call.done(lambda: int(counts.base[parts]))


@routine
def copy_if(call: Call, data: Any, out: Any, predicate: Any) -> future:
    """Copy the elements of which a predicate is true, in their order.

    Args:
        call: the policy, or a queue.
        data: the elements.
        out: where they go: other memory, with room for all.
        predicate: a function of one element.

    Returns how many were copied.
    """
    source = call.source("the input", data)
    return _copied(call, source, flags_of(source, predicate), out)


@routine
def remove_copy_if(call: Call, data: Any, out: Any, predicate: Any) -> future:
    """Copy the elements of which a predicate is false; see ``copy_if``."""
    source = call.source("the input", data)
    return _copied(call, source, flags_of(source, predicate, wanted=False), out)


@routine
def remove_copy(call: Call, data: Any, out: Any, value: Any) -> future:
    """Copy the elements that are not equal to a value; see ``copy_if``."""
    source = call.source("the input", data)
    return _copied(call, source, flags_of(source, lambda x: x == value, wanted=False), out)


@routine
def remove_if(call: Call, data: Any, predicate: Any) -> future:
    """Move the elements of which a predicate is false to the front, in their order.

    Args:
        call: the policy, or a queue.
        data: the memory; what stands behind those that are left is as it was.
        predicate: a function of one element.

    Returns how many are left.
    """
    return _in_place(call, data, lambda source: flags_of(source, predicate, wanted=False))


@routine
def remove(call: Call, data: Any, value: Any) -> future:
    """Move the elements that are not equal to a value to the front; see ``remove_if``."""
    return _in_place(call, data, lambda source: flags_of(
        source, lambda x: x == value, wanted=False))


@routine
def unique(call: Call, data: Any, same: Any = None) -> future:
    """Move the first of each run of equal elements to the front.

    Args:
        call: the policy, or a queue.
        data: the memory; what stands behind those that are left is as it was.
        same: a function of two neighbours that says whether they count as equal.

    Returns how many are left. NaN are equal to nothing, so each is kept.
    """
    return _in_place(call, data, lambda source: Heads(source, same or predicates.equal))


@routine
def unique_copy(call: Call, data: Any, out: Any, same: Any = None) -> future:
    """Copy the first of each run of equal elements; see ``unique``, ``copy_if``."""
    source = call.source("the input", data)
    return _copied(call, source, Heads(source, same or predicates.equal), out)


@routine
def unique_by_key_copy(call: Call, keys: Any, values: Any, out_keys: Any, out_values: Any,
                       same: Any = None) -> future:
    """Copy the first key of each run of equal ones, and the value beside it.

    Args:
        call: the policy, or a queue.
        keys: the keys.
        values: as many values.
        out_keys: where the keys go, with room for all.
        out_values: where the values go, with room for all.
        same: a function of two neighbouring keys that says whether they count as equal.

    Returns how many were copied.
    """
    a = call.source("the keys", keys)
    n = a.size
    b = call.source("the values", values, n)
    keys_to = call.target("the output of keys", out_keys, n, exact=False)
    values_to = call.target("the output of values", out_values, n, exact=False)
    call.apart(keys_to, a, b, values_to)
    call.apart(values_to, a, b)
    if not n:
        return call.done(lambda: 0)
    flags = Heads(a, same or predicates.equal)
    counts, parts = counted(call, flags, n)
    moved(call, flags, a, keys_to, counts, n)
    moved(call, flags, b, values_to, counts, n)
    return call.done(lambda: int(counts.base[parts]))


@routine
def unique_by_key(call: Call, keys: Any, values: Any, same: Any = None) -> future:
    """Move the first key of each run of equal ones to the front, and the value beside it.

    Args:
        call: the policy, or a queue.
        keys: the memory that is compared; what stands behind those that are left is as it was.
        values: as much other memory.
        same: a function of two neighbouring keys that says whether they count as equal.

    Returns how many are left.
    """
    a, b = call.memory("the keys", keys), call.memory("the values", values)
    n = a.size or 0
    if n != b.size:
        call.refuse(f"there are {n} keys and {b.size} values")
    call.apart(a, b)
    if not n:
        return call.done(lambda: 0)
    found, beside = room(call, n, a.dtype), room(call, n, b.dtype)
    flags = Heads(a, same or predicates.equal)
    counts, parts = counted(call, flags, n)
    moved(call, flags, a, found, counts, n)
    moved(call, flags, b, beside, counts, n)
    each(call, n, selections.copy_counted, found, a, counts, parts)
    each(call, n, selections.copy_counted, beside, b, counts, parts)
    return call.done(lambda: int(counts.base[parts]))


def _divided(call: Call, source: Operand, kept_to: Operand, rest_to: Operand,
             predicate: Any) -> tuple[Memory, int]:
    n = source.size or 0
    flags = flags_of(source, predicate)
    once = selected_once(call, flags, source, (kept_to, rest_to))
    if once is not None:
        return once, 0
    counts, parts = counted(call, flags, n)
    targets = zip_iterator(kept_to, rest_to)
    if _packs(call, flags):
        space, plan = _packed(call, flags, source, n, 2)
        call.launch(space, selections.divide_packed, flags, source, targets, counts, plan)
        return counts, parts
    noted, others = (sycl.local_accessor(np.int32, selections.BLOCK) for _ in range(2))
    call.launch(call.shape.chunk_space(n), selections.divide, flags, source,
                targets, counts,
                views.chunks(n, call.shape.chunk(n), noted, others))
    return counts, parts


@routine
def partition_copy(call: Call, data: Any, out_true: Any, out_false: Any, predicate: Any) -> future:
    """Copy the elements of which a predicate is true to one place, the others to another.

    Args:
        call: the policy, or a queue.
        data: the elements.
        out_true: other memory, with room for all.
        out_false: other memory, with room for all.
        predicate: a function of one element.

    Returns how many went to each.
    """
    source = call.source("the input", data)
    n = source.size
    a = call.target("the first output", out_true, n, exact=False)
    b = call.target("the second output", out_false, n, exact=False)
    call.apart(a, source, b)
    call.apart(b, source)
    if not n:
        return call.done(lambda: (0, 0))
    counts, parts = _divided(call, source, a, b, predicate)
    return call.done(lambda: (int(counts.base[parts]), n - int(counts.base[parts])))


def _partitioned(call: Call, data: Any, predicate: Any) -> future:
    target = call.memory("the memory", data)
    n = target.size or 0
    if not n:
        return call.done(lambda: 0)
    a, b = room(call, n, target.dtype), room(call, n, target.dtype)
    counts, parts = _divided(call, target, a, b, predicate)
    each(call, n, selections.join, a, b, target, counts, parts)
    return call.done(lambda: int(counts.base[parts]))


@routine
def partition(call: Call, data: Any, predicate: Any) -> future:
    """Move the elements of which a predicate is true before the others; see ``stable_partition``.

    Here both keep their order.
    """
    return _partitioned(call, data, predicate)


@routine
def stable_partition(call: Call, data: Any, predicate: Any) -> future:
    """Move the elements of which a predicate is true before the others, both in their order.

    Args:
        call: the policy, or a queue.
        data: the memory.
        predicate: a function of one element.

    Returns of how many it is true.
    """
    return _partitioned(call, data, predicate)


@routine
def three_way_partition(call: Call, data: Any, outs: Any, first: Any, second: Any) -> future:
    """Copy elements to three places: a predicate decides of the first, another of the second.

    Args:
        call: the policy, or a queue.
        data: the elements.
        outs: three memories, each with room for all: of those of which ``first`` is true, of those
            others of which ``second`` is, and of the rest.
        first: a function of one element.
        second: a function of one element.

    Returns how many went to each; all keep their order.
    """
    if not isinstance(outs, tuple | list) or len(outs) != 3:
        call.refuse("give three outputs, (first, second, rest)")
    source = call.source("the input", data)
    n = source.size
    targets = [call.target(f"output {k}", out, n, exact=False) for k, out in enumerate(outs)]
    for k, target in enumerate(targets):
        call.apart(target, source, *targets[k + 1:])
    if not n:
        return call.done(lambda: (0, 0, 0))
    rules = (lambda x: bool(first(x)), lambda x: bool(second(x)) and not first(x),
             lambda x: not first(x) and not second(x))
    found = [kept(call, flags_of(source, rule), source, target, n)
             for rule, target in zip(rules, targets, strict=True)]
    return call.done(lambda: tuple(int(counts.base[parts]) for counts, parts in found))
