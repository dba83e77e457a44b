"""Transfers and other commands of a rank's own graph that no kernel is.

Non-goals: deciding what is sent (``ranks.graph``). Invariants: a transfer begins when the commands
before it are done with the elements, blocks nobody, and ends when the link says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.base.enums import access_mode, target
from unisycl.ranks.graph.boxes import Box
from unisycl.ranks.graph.plan import Transfer
from unisycl.ranks.links.gates import gate_of
from unisycl.ranks.links.link import Link
from unisycl.ranks.queue.part_accessor import access_to
from unisycl.runtime.graph.command_group import Group
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Task, begin_python

Array = np.ndarray[Any, np.dtype[Any]]


def command(channel: Any, label: str, accesses: Sequence[Access], begin: Any,
            after: Sequence[Task] = ()) -> Task:
    """Submit a command of the graph that begins as it is told."""
    group = Group(channel)
    for access in accesses:
        group.add_access(access)
    for task in after:
        group.add_dependency(task)
    group.set_command(label, begin, native=False)
    return group.finish()


def python(channel: Any, label: str, accesses: Sequence[Access], body: Callable[[], None],
           after: Sequence[Task] = ()) -> Task:
    """Submit a command that is a function of Python."""
    return command(channel, label, accesses, begin_python(body), after)


def elements(buffer: Any, box: Box) -> Array:
    """Return a box of a buffer over the rank's own memory."""
    region = buffer.region
    found: Array = region.array(box.shape, box.low)
    return found


def transfer(channel: Any, link: Link, buffer: Any, one: Transfer, tag: int) -> Task:
    """Submit this rank's end of a transfer."""
    sends = one.source == link.rank
    mode = access_mode.read if sends else access_mode.write
    access = access_to(buffer, one.box, mode, target.host_task)
    end = f"to rank {one.target}" if sends else f"from rank {one.source}"
    name = f"{'send' if sends else 'receive'} {one.box} of buffer {buffer.number} {end}"

    def begin(_: Any) -> Gate:
        here = elements(buffer, one.box)
        if sends:
            return gate_of(link.send(one.target, tag, np.ascontiguousarray(here)))
        if here.flags.c_contiguous:
            return gate_of(link.receive(one.source, tag, here))
        arrived = np.empty(here.shape, here.dtype)
        return gate_of(link.receive(one.source, tag, arrived), lambda: _put(here, arrived))
    return command(channel, name, [access], begin)


def _put(here: Array, arrived: Array) -> None:
    here[...] = arrived
