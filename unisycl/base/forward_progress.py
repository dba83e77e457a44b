"""Forward progress: how strong a guarantee is, at which level of the hierarchy, towards whom.

The vocabulary of sycl_ext_oneapi_forward_progress and of the paper it goes back to. Non-goals:
giving a guarantee (backends). Invariant: ``Levels`` has one guarantee for each level, of its
threads towards others of the same parent.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable

from unisycl.base.dataclass import dataclass
from unisycl.base.errors import UsageError, errc


class _Ordered(enum.Enum):
    """Members compare in the order of their values."""

    def __lt__(self, other: object) -> bool:
        return self.value < other.value if type(other) is type(self) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self is other or self < other

    def __gt__(self, other: object) -> bool:
        return not self <= other if type(other) is type(self) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return not self < other if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)


class forward_progress_guarantee(_Ordered):
    """A promise to threads; ``a > b`` says that ``a`` promises more, unlike C++'s enum.

    ``concurrent``: it makes progress whatever the others do. ``parallel``: the same once it has
    begun. ``weakly_parallel``: it may have to wait for others, except where it waits for it itself.
    """

    weakly_parallel = 0
    parallel = 1
    concurrent = 2


class execution_scope(_Ordered):
    """A level of the hierarchy of threads, narrowest first."""

    work_item = 0
    sub_group = 1
    work_group = 2
    root_group = 3


Levels = tuple[forward_progress_guarantee, forward_progress_guarantee, forward_progress_guarantee]
"""Of work-items, sub-groups and work-groups, each towards others of the same parent."""

WEAKEST: Levels = (forward_progress_guarantee.weakly_parallel,) * 3


_WEAK, _PARALLEL, _CONCURRENT = forward_progress_guarantee

MODELS: dict[str, Levels] = {
    # OpenCL 1.x, and all that is said of OpenCL 2.x and 3.0 without the next row (Table 1).
    "weak": WEAKEST,
    # OpenCL 2.x whose sub-groups make independent forward progress (Table 1).
    "sub_groups": (_WEAK, _CONCURRENT, _WEAK),
    # Graphics processors: a work-group that has begun goes on to its end (§6.2.3).
    "occupancy": (_WEAK, _WEAK, _PARALLEL),
    # The same in a cooperative launch: all work-groups are there from the start (§6.2.3).
    "cooperative": (_WEAK, _WEAK, _CONCURRENT),
    # Work-items that are scheduled one by one: CUDA from Volta on.
    "items": (_PARALLEL, _PARALLEL, _WEAK),
}
"""What kinds of devices give, for the backends that know which kind a device is."""


def strongest(*levels: Levels) -> Levels:
    """Return what a device gives that is of several kinds."""
    items, sub_groups, groups = (max(level) for level in zip(*levels, strict=True))
    return items, sub_groups, groups


@dataclass(frozen=True, slots=True)
class ProgressRequest:
    """What a kernel requires of the threads of one scope towards all of a wider one."""

    scope: execution_scope
    guarantee: forward_progress_guarantee
    coordination_scope: execution_scope


def check_scopes(what: str, scope: execution_scope, coordination: execution_scope) -> None:
    """Refuse scopes that make no sense: the coordination scope is the wider one."""
    for one in (scope, coordination):
        if not isinstance(one, execution_scope):
            raise UsageError(errc.invalid, f"{what}: expected an execution_scope, got {one!r}")
    if not scope < coordination:
        raise UsageError(errc.invalid, f"{what}: the coordination scope must be wider than "
                         f"{scope.name}, and {coordination.name} is not")


def request(what: str, scope: execution_scope, guarantee: forward_progress_guarantee,
            coordination: execution_scope) -> ProgressRequest:
    """Return a checked request; ``errc.invalid`` for what is none."""
    if not isinstance(guarantee, forward_progress_guarantee):
        raise UsageError(errc.invalid, f"{what}: expected a forward_progress_guarantee, got "
                         f"{guarantee!r}")
    check_scopes(what, scope, coordination)
    return ProgressRequest(scope, guarantee, coordination)


def work_group_progress(guarantee: forward_progress_guarantee,
                        coordination: execution_scope) -> ProgressRequest:
    """Require a guarantee of work-groups towards all others in a wider scope: a kernel property."""
    return request("work_group_progress", execution_scope.work_group, guarantee, coordination)


def sub_group_progress(guarantee: forward_progress_guarantee,
                       coordination: execution_scope) -> ProgressRequest:
    """Require a guarantee of sub-groups towards all others in a wider scope: a kernel property."""
    return request("sub_group_progress", execution_scope.sub_group, guarantee, coordination)


def work_item_progress(guarantee: forward_progress_guarantee,
                       coordination: execution_scope) -> ProgressRequest:
    """Require a guarantee of work-items towards all others in a wider scope: a kernel property."""
    return request("work_item_progress", execution_scope.work_item, guarantee, coordination)


def collapsed(levels: Levels, scope: execution_scope,
              coordination: execution_scope) -> forward_progress_guarantee:
    """Return the guarantee of one scope towards a wider one: the weakest of those between."""
    return min(levels[scope.value:coordination.value])


def required(requests: Iterable[ProgressRequest]) -> Levels:
    """Return what each level must give so that all requests are met; each scope asks once.

    Raises ``errc.invalid`` for two requests of one scope.
    """
    levels, seen = list(WEAKEST), set()
    for one in requests:
        if one.scope in seen:
            raise UsageError(errc.invalid, f"{one.scope.name}_progress is given twice; give each "
                             "once")
        seen.add(one.scope)
        for k in range(one.scope.value, one.coordination_scope.value):
            levels[k] = max(levels[k], one.guarantee)
    return levels[0], levels[1], levels[2]


def apart(levels: Levels | tuple[()]) -> bool:
    """Say whether sub-groups of one work-group must not wait for one another."""
    return bool(levels) and max(levels[:2]) > WEAKEST[0]


@functools.cache
def missing(given: Levels, wanted: Levels) -> tuple[execution_scope, ...]:
    """Return the scopes whose threads are given less than is wanted."""
    return tuple(s for s, a, b in zip(execution_scope, given, wanted, strict=False) if a < b)
