"""What each group function means once all work-items of a group have met.

Non-goals: making them meet (``workitems``) and turning calls into meeting points (``rewrite``).
Invariant: ``combine`` gets the operands in local linear order and returns one result per item.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from unisycl.backends.host import matrices
from unisycl.backends.host.fragments import here
from unisycl.backends.host.unwritten import line
from unisycl.base.dataclass import dataclass
from unisycl.base.enums import address_space
from unisycl.base.errors import UsageError, errc
from unisycl.base.geometry import id, linear_id
from unisycl.lang.groups import group_functions as lang
from unisycl.lang.index import nd_item as index
from unisycl.lang.index.environment import here as thread
from unisycl.lang.library import joint_matrices
from unisycl.lang.library.fragments import fragment
from unisycl.lang.library.partitions import lane_of
from unisycl.lang.memory.cell import pace
from unisycl.lang.memory.pointer import multi_ptr
from unisycl.lang.memory.scratch import local_memory
from unisycl.lang.memory.views import HostView, scratch
from unisycl.lang.numbers import function_objects
from unisycl.lang.numbers.convert import convert
from unisycl.lang.numbers.elements import Operators
from unisycl.lang.numbers.short_floats import result_type, wide

Part = bool | int
"""Over a sub-group? Or the members of a fragment, as bits."""
Prepare = Callable[..., tuple[Part, Any]]
Combine = Callable[[Sequence[Any]], Sequence[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Collective:
    """A group function: how a call's arguments become an operand, and operands become results.

    ``prepare`` takes the call's arguments and returns (over a sub-group?, operand). ``shared``
    gives, of an operand, what the group has to give alike: (what it is, the value) for each.
    """

    name: str
    prepare: Prepare
    combine: Combine
    shared: Callable[[Any], tuple[tuple[str, Any], ...]] | None = None

    def differing(self, operands: Sequence[Any]) -> tuple[str, int, Any, Any] | None:
        """Return what differs that must not, for which operand, the first's value and its own."""
        if self.shared is None:
            return None
        first = self.shared(operands[0])
        for k, operand in enumerate(operands):
            for (what, a), (_, b) in zip(first, self.shared(operand), strict=True):
                if a is not b and not _alike(a, b):
                    return what, k, a, b
        return None


def _alike(a: Any, b: Any) -> bool:
    """Say whether two values are the same; not a number is itself."""
    if isinstance(a, Operators) and isinstance(b, Operators):
        return all(_alike(x, y) for x, y in zip(a._get(), b._get(), strict=True))
    return bool(a == b) or bool(a != a and b != b)


def _range(group: Any, name: str, data: Any, count: Any) -> tuple[Part, Any]:
    return _over_sub_group(name, group), (name, int(count), _start(data))


def _start(data: Any) -> int:
    """Return the element that memory begins with, of the memory it is a part of."""
    if isinstance(data, multi_ptr):
        return data._offset
    own = data._data if isinstance(data, HostView) else None
    if own is None or not isinstance(own.base, np.ndarray):
        return 0
    first, whole = (int(a.__array_interface__["data"][0]) for a in (own, own.base))
    return (first - whole) // max(1, own.itemsize)


def _over_sub_group(name: str, group: Any) -> Part:
    if isinstance(group, index.sub_group):
        return True
    if isinstance(group, index.group):
        return False
    if isinstance(group, fragment):
        return int(group.bits)
    raise UsageError(errc.invalid, f"{name}: the first argument must be a group or sub_group, such "
                     f"as it.get_group(), not {type(group).__name__}")


def _only_sub_group(name: str, group: Any) -> Part:
    part = _over_sub_group(name, group)
    if not part:
        raise UsageError(errc.invalid, f"{name} works on sub-groups; pass it.get_sub_group()")
    return part


def _nothing(operands: Sequence[Any]) -> Sequence[Any]:
    return [None] * len(operands)


def _barrier(group: Any, fence_scope: Any = None) -> tuple[Part, Any]:
    return _over_sub_group("group_barrier", group), None


def _meet_all(operands: Sequence[Any]) -> Sequence[Any]:
    if pace.meet is not None:
        pace.meet()
    return [None] * len(operands)


def _item_barrier(it: Any, space: Any = None) -> tuple[Part, Any]:
    return False, None


def _wait(owner: Any, *events: Any) -> tuple[Part, Any]:
    for event in events:
        if not isinstance(event, index.device_event):
            raise UsageError(errc.invalid, "wait_for takes what async_work_group_copy returned, "
                             f"not {type(event).__name__}")
    return False, None


# ---------------------------------------------------------------- broadcast and votes
def _broadcast(group: Any, x: Any, local_id: Any = 0) -> tuple[Part, Any]:
    if isinstance(local_id, id) and len(local_id) > 1:
        local_id = linear_id(local_id, group.get_local_range())
    return _over_sub_group("group_broadcast", group), (x, int(local_id))


def _give(operands: Sequence[Any]) -> Sequence[Any]:
    giver = operands[0][1]
    if not 0 <= giver < len(operands):
        raise UsageError(errc.invalid, f"group_broadcast: the group has {len(operands)} "
                         f"work-items; there is no id {giver}")
    return [_copied(operands[giver][0]) for _ in operands]


def _vote(name: str, fn: Callable[[Sequence[Any]], bool]) -> Collective:
    def prepare(group: Any, x: Any, pred: Any = None) -> tuple[Part, Any]:
        return _over_sub_group(name, group), bool(x if pred is None else pred(x))
    return Collective(name, prepare, lambda votes: [fn(votes)] * len(votes))


def _cells(group: Any, like: Any, number: int, room: Any = None) -> tuple[Part, Any]:
    return _over_sub_group("sort_over_group", group), (like, 1 if room is None else 2 * len(room))


def _share(operands: Sequence[Any]) -> Sequence[Any]:
    like, each = operands[0]
    data = scratch(np.result_type(like), (each * len(operands),))
    cells = HostView(data, "cells", space=address_space.local_space)
    return [cells] * len(operands)


def _local_memory(dtype: Any, group: Any) -> tuple[Part, Any]:
    made = "" if thread.watch is None else line()
    return _over_sub_group("group_local_memory", group), (dtype, made)


def _one_memory(kinds: Sequence[Any]) -> Sequence[Any]:
    kind, made = kinds[0]
    dtype, shape = kind if isinstance(kind, tuple) else (kind, 1)
    data = scratch(np.dtype(dtype), shape if isinstance(shape, tuple) else (shape,))
    return [local_memory(data, made)] * len(kinds)


def _ballot(group: Any, predicate: Any) -> tuple[Part, Any]:
    return _only_sub_group("group_ballot", group), (bool(predicate), lane_of(group))


def _match(group: Any, x: Any) -> tuple[Part, Any]:
    if not isinstance(x, bool | int | np.bool | np.integer):
        raise UsageError(errc.invalid, "group_match compares integers, not "
                         f"{type(x).__name__}; compare bits: bit_cast(np.uint32, x)")
    return _only_sub_group("group_match", group), (int(x), lane_of(group))


def _same_bits(operands: Sequence[Any]) -> Sequence[Any]:
    return [np.uint64(sum(1 << lane for other, lane in operands if other == x))
            for x, _ in operands]


def _present(group: Any) -> tuple[Part, Any]:
    return True, (here(), lane_of(group))


def _bits(votes: Sequence[Any]) -> Sequence[Any]:
    return [np.uint64(sum(1 << lane for vote, lane in votes if vote))] * len(votes)


# ---------------------------------------------------------------- shuffles
_SHARED = {"shift_group_left": "delta", "shift_group_right": "delta",
           "permute_group_by_xor": "mask"}


def _exchange(name: str, default: Any, source: Callable[[int, int], int]) -> Collective:
    """Make a sub-group function that reads the operand at ``source(own place, parameter)``."""
    def prepare(group: Any, x: Any, *where: Any, **named: Any) -> tuple[Part, Any]:
        # The specification has a name of its own for it in each function; there is only one.
        parameter = next(iter((*where, *named.values())), default)
        return _only_sub_group(name, group), (x, int(parameter))

    def combine(operands: Sequence[Any]) -> Sequence[Any]:
        places = [source(k, parameter) for k, (_, parameter) in enumerate(operands)]
        return [_copied(operands[p if 0 <= p < len(operands) else k][0])
                for k, p in enumerate(places)]
    what = _SHARED.get(name)
    return Collective(name, prepare, combine, None if what is None else lambda operand: (
        (f"{what} of {name}", operand[1]),))


# ---------------------------------------------------------------- reductions and scans
def _operator(name: str, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return (op, init) of ([init,] op) or (op[, init]); init is None if left out."""
    ops = [a for a in arguments if isinstance(a, function_objects.function_object)]
    rest = [a for a in arguments if not isinstance(a, function_objects.function_object)]
    if len(ops) != 1 or len(rest) > 1:
        raise UsageError(errc.invalid, f"{name}: expected one of SYCL's function objects (plus, "
                         "minimum, ...) and at most an initial value; operators of your own go in "
                         "a reduction or a loop")
    return ops[0], rest[0] if rest else None


def _folding(name: str, combine: Combine) -> Collective:
    def prepare(group: Any, x: Any, *arguments: Any, **named: Any) -> tuple[Part, Any]:
        given = (*arguments, *named.values())
        return _over_sub_group(name, group), (x, *_operator(name, given))
    return Collective(name, prepare, combine, lambda operand: (
        (f"initial value of {name}", operand[2]),))


def _fold(operands: Sequence[Any], *, start: bool) -> list[Any]:
    """Return the running combinations; with ``start`` the initial value counts as the first.

    All get one type, NumPy's join of operand and initial value; Python numbers stay Python's.
    Operands of logical operators count as their truth. Those of vec and marray are combined element
    by element.
    """
    first, op, init = operands[0]
    if isinstance(first, Operators):
        return _fold_elements(operands, start=start)
    values = [x for x, _, _ in operands]
    if start:
        values.insert(0, init)
    if op is function_objects.logical_and or op is function_objects.logical_or:
        values = [bool(x) for x in values]
    if not isinstance(first, np.generic) and not isinstance(init, np.generic):
        return list(accumulate(values, op))
    kind = result_type(first) if init is None else result_type(first, init)
    within = wide(kind)  # a short float is rounded when all are combined
    found = accumulate((convert(v, within) for v in values), lambda a, b: convert(op(a, b), within))
    return list(found) if within is kind else [convert(x, kind) for x in found]


def _fold_elements(operands: Sequence[Any], *, start: bool) -> list[Any]:
    """Return the running combinations of values of a vec or marray type."""
    own = operands[0][0]._type
    columns = []
    for k in range(own.count):
        column = []
        for x, op, init in operands:
            first = init._get()[k] if isinstance(init, Operators) else init
            column.append((x._get()[k], op,
                           None if first is None else convert(first, own.element)))
        columns.append(_fold(column, start=start))
    return [own._of(lanes) for lanes in zip(*columns, strict=True)]


def _copied(value: Any) -> Any:
    """Return a value that changes to another copy of do not reach."""
    if isinstance(value, Operators):
        return value._type._of(value._get())
    if isinstance(value, np.generic | int | float) and not isinstance(value, np.void):
        return value
    return copy.copy(value) if hasattr(value, "__copy__") else copy.deepcopy(value)


def _reduce(operands: Sequence[Any]) -> Sequence[Any]:
    found = _fold(operands, start=operands[0][2] is not None)[-1]
    return [_copied(found) for _ in operands]


def _inclusive(operands: Sequence[Any]) -> Sequence[Any]:
    return _fold(operands, start=operands[0][2] is not None)[-len(operands):]


def _exclusive(operands: Sequence[Any]) -> Sequence[Any]:
    first, op, init = operands[0]
    if init is None:
        kind = first._type.element if isinstance(first, Operators) else np.result_type(first)
        identity = function_objects.known_identity(op, kind)
        init = identity if isinstance(first, np.generic) else identity.item()
    return _fold([(x, op, init) for x, _, _ in operands], start=True)[:-1]


BARRIER = Collective("group_barrier", _barrier, _nothing)
ALL = Collective("group_barrier of the root_group", _barrier, _meet_all)
"""Where all work-groups of a launch meet."""
PRESENT = Collective("entangle", _present, _bits)

COLLECTIVES: dict[Any, Collective] = {
    lang.group_barrier: BARRIER,
    index.nd_item.barrier: Collective("nd_item.barrier", _item_barrier, _nothing),
    index.device_event.wait: Collective("device_event.wait", _wait, _nothing),
    index.nd_item.wait_for: Collective("nd_item.wait_for", _wait, _nothing),
    index.group.wait_for: Collective("group.wait_for", _wait, _nothing),
    lang.same_range: Collective("same_range", _range, _nothing, lambda operand: (
        (f"number of elements of {operand[0]}", operand[1]),
        (f"first element of {operand[0]}", operand[2]))),
    lang.group_broadcast: Collective("group_broadcast", _broadcast, _give, lambda operand: (
        ("id of group_broadcast", operand[1]),)),
    lang.any_of_group: _vote("any_of_group", any),
    lang.all_of_group: _vote("all_of_group", all),
    lang.none_of_group: _vote("none_of_group", lambda votes: not any(votes)),
    lang.group_cells: Collective("sort_over_group", _cells, _share),
    lang.group_local_memory_for_overwrite: Collective(
        "group_local_memory", _local_memory, _one_memory),
    lang.present_bits: PRESENT,
    lang.ballot_bits: Collective("group_ballot", _ballot, _bits),
    lang.match_bits: Collective("group_match", _match, _same_bits),
    lang.shift_group_left: _exchange("shift_group_left", 1, lambda k, delta: k + delta),
    lang.shift_group_right: _exchange("shift_group_right", 1, lambda k, delta: k - delta),
    lang.permute_group_by_xor: _exchange("permute_group_by_xor", 0, lambda k, mask: k ^ mask),
    lang.select_from_group: _exchange("select_from_group", 0, lambda k, remote: remote),
    joint_matrices.joint_matrix_mad: Collective(
        "joint_matrix_mad", matrices.of_sub_group, matrices.multiply),
    joint_matrices.joint_matrix_copy: Collective(
        "joint_matrix_copy", matrices.of_sub_group, matrices.copy),
    lang.reduce_over_group: _folding("reduce_over_group", _reduce),
    lang.inclusive_scan_over_group: _folding("inclusive_scan_over_group", _inclusive),
    lang.exclusive_scan_over_group: _folding("exclusive_scan_over_group", _exclusive),
}
"""Group functions by the object a kernel calls (methods by their plain function)."""
