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
from unisycl.ranks.links import nccl
from unisycl.ranks.links.gates import gate_of
from unisycl.ranks.links.gpu_aware import DeviceArray
from unisycl.ranks.links.link import Link
from unisycl.ranks.queue.part_accessor import access_to
from unisycl.runtime.graph.command_group import Group
from unisycl.runtime.graph.completions import Gate, Prompt
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.native_calls import begin_native
from unisycl.runtime.graph.tasks import Task, begin_python

Array = np.ndarray[Any, np.dtype[Any]]


def command(channel: Any, label: str, accesses: Sequence[Access], begin: Any,
            after: Sequence[Task] = (), *, native: bool = False) -> Task:
    """Submit a command of the graph that begins as it is told."""
    group = Group(channel)
    for access in accesses:
        group.add_access(access)
    for task in after:
        group.add_dependency(task)
    group.set_command(label, begin, native=native)
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
    if link.takes(channel.driver.device_memory) and is_one_piece(one.box, buffer.shape):
        return _handed_over(channel, link, buffer, one, tag)
    access = access_to(buffer, one.box, mode, target.host_task)
    end = f"to rank {one.target}" if sends else f"from rank {one.source}"
    name = f"{'send' if sends else 'receive'} {one.box} of buffer {buffer.number} {end}"

    def begin(_: Any) -> Gate:
        here = elements(buffer, one.box)
        if sends:
            return gate_of(link.send(one.target, tag, np.ascontiguousarray(here)), alone=True)
        if here.flags.c_contiguous:
            return gate_of(link.receive(one.source, tag, here), alone=True)
        arrived = np.empty(here.shape, here.dtype)
        return gate_of(link.receive(one.source, tag, arrived), lambda: _put(here, arrived),
                       alone=True)
    return command(channel, name, [access], Prompt(begin))


def _handed_over(channel: Any, link: Link, buffer: Any, one: Transfer, tag: int) -> Task:
    """Submit a rank's end of a transfer of memory of a device that MPI itself takes."""
    sends = one.source == link.rank
    access = access_to(buffer, one.box, access_mode.read if sends else access_mode.write,
                       target.device)
    driver, region = channel.driver, buffer.region
    view = region.bound(driver)
    first = sum(a * p for a, p in zip(one.box.low, region.pitches, strict=True))
    here = DeviceArray(int(driver.native.memory(view)) + first * buffer.dtype.itemsize,
                       one.box.size(), buffer.dtype, driver.native.session())
    end = f"to rank {one.target}" if sends else f"from rank {one.source}"

    def begin(_: Any, kept: Any = view) -> Gate:
        return gate_of(link.send(one.target, tag, here) if sends else
                       link.receive(one.source, tag, here), alone=True)
    return command(channel, f"{'send' if sends else 'receive'} {one.box} of buffer "
                   f"{buffer.number} {end}, by MPI itself", [access], Prompt(begin))


def is_one_piece(box: Box, shape: Sequence[int]) -> bool:
    """Say whether the elements of a box follow one another in memory."""
    wide = [d for d, n in enumerate(box.shape) if n > 1]
    return all(box.shape[d] == shape[d] for d in range(wide[0] + 1, len(shape))) if wide else True


def direct(channel: Any, own: nccl.Communicator, buffer: Any, some: Sequence[Transfer],
           after: Sequence[Task]) -> Task:
    """Submit this rank's ends of transfers that go from device to device, together."""
    driver, region = channel.driver, buffer.region
    view = region.bound(driver)
    base, size = int(driver.native.memory(view)), buffer.dtype.itemsize
    accesses, letters = [], []
    for one in some:
        sends = one.source == own.rank
        accesses.append(access_to(buffer, one.box, access_mode.read if sends else
                                  access_mode.write, target.device))
        first = sum(a * p for a, p in zip(one.box.low, region.pitches, strict=True))
        letters.append(nccl.Message(sends, one.target if sends else one.source,
                                    base + first * size, one.box.size() * size))
    name = f"send and receive parts of buffer {buffer.number}"

    def give(stream: int, kept: Any = view) -> None:
        own.exchange(letters, stream)
    return command(channel, name, accesses, begin_native(driver, name, give), after, native=True)


def _put(here: Array, arrived: Array) -> None:
    here[...] = arrived
