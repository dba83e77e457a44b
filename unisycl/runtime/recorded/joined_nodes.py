"""Nodes of a graph that wait for one another in pipes, on devices that launch such kernels as one.

Which those are is known when the graph is finalized: all that share a pipe in which one of them may
wait, and of which none comes behind another. Non-goals: joining (``runtime.launch.joined``).
Invariant: a graph in which a kernel would wait in vain is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from unisycl.backends.base import Completion, Driver, Launch
from unisycl.base.errors import UsageError, errc
from unisycl.runtime.graph import partners
from unisycl.runtime.launch import joined
from unisycl.runtime.recorded.steps import Step


class Node(Protocol):
    """What is asked of a node."""

    label: str
    launch: Launch | None


class JoinedStep(Step):
    """Kernels that are launched as one."""

    __slots__ = ()

    def make(self, driver: Driver) -> None:
        """Compile the kernels as one, once they are known or have changed."""
        launches = [n.launch for n in self.nodes if n.launch is not None]
        joined.together(driver, launches)  # compiled now, and refused now
        self._begin = lambda native: joined.begin(driver, launches, native)

    def outgrown(self, driver: Driver) -> bool:
        """Say no: it is no batch."""
        return False

    def start(self, deps: Sequence[Completion]) -> Completion:
        """Start them after completions of the driver."""
        assert self._begin is not None
        return self._begin(deps)


def units(nodes: Sequence[Node], before: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return nodes by their places in an order that respects all edges, those that are one as one.

    A node that may wait is one of a unit even if it is alone in it. Raises ``errc.invalid`` where a
    kernel would wait for an end that is not there, or comes behind it.
    """
    found = {k: n.launch for k, n in enumerate(nodes) if n.launch is not None and n.launch.ends}
    if not any(partners.waits(one) for one in found.values()):
        return [(k,) for k in range(len(nodes))]
    unit_of = _united(found, _ancestors(before))
    members: dict[int, list[int]] = {}
    for k, first in enumerate(unit_of.get(k, k) for k in range(len(nodes))):
        members.setdefault(first, []).append(k)
    for first in dict.fromkeys(unit_of.values()):
        missing = partners.lacking([found[k] for k in members[first]])
        if missing:
            raise UsageError(errc.invalid, f"finalize: {missing}is in the graph beside it"
                             f"{partners.ADVICE}")
    return _ordered(nodes, before, unit_of, members)


def is_joined(nodes: Sequence[Node], unit: Sequence[int]) -> bool:
    """Say whether a unit is launched as one, if only of one kernel."""
    if len(unit) > 1:
        return True
    launch = nodes[unit[0]].launch
    return launch is not None and partners.waits(launch)


def _ancestors(before: Sequence[Sequence[int]]) -> list[int]:
    """Return for each node the nodes that run before it, as bits of a number."""
    found: list[int] = []
    for needs in before:
        mask = 0
        for k in needs:
            mask |= found[k] | 1 << k
        found.append(mask)
    return found


def _united(found: dict[int, Launch], ancestors: Sequence[int]) -> dict[int, int]:
    """Return for each kernel that is launched as one with others, or alone, the first of these."""
    unit_of = {k: k for k, one in found.items() if partners.waits(one)}
    places = sorted(found)
    for at, i in enumerate(places):
        for k in places[at + 1:]:
            if ancestors[k] >> i & 1 or not partners.shares(found[i], found[k]) or not (
                    partners.waits(found[i]) or partners.waits(found[k])):
                continue
            old, new = unit_of.setdefault(k, k), unit_of.setdefault(i, i)
            low, high = min(old, new), max(old, new)
            unit_of = {node: low if first == high else first for node, first in unit_of.items()}
    return unit_of


def _ordered(nodes: Sequence[Node], before: Sequence[Sequence[int]], unit_of: dict[int, int],
             members: dict[int, list[int]]) -> list[tuple[int, ...]]:
    """Return the units in an order that respects the edges between them."""
    needs = {first: {unit_of.get(b, b) for k in unit for b in before[k]}
             for first, unit in members.items()}
    done: dict[int, tuple[int, ...]] = {}
    todo = sorted(members, key=lambda first: members[first][-1])
    while todo:
        ready = next((first for first in todo if needs[first] <= done.keys()), None)
        if ready is None:
            stuck = next(first for first in todo if first in unit_of)
            names = " and ".join(nodes[k].label for k in members[stuck])
            raise UsageError(errc.invalid, f"finalize: {names} would run beside one another, as "
                             "one of them may wait for the other in a pipe, but one comes behind "
                             f"the other{partners.ADVICE}")
        todo.remove(ready)
        done[ready] = tuple(members[ready])
    return list(done.values())
