"""Ranks whose devices reach one another without the host: who they are, and how they begin.

A driver names the library by which such devices send elements (``Driver.messages``). Non-goals:
what is sent. Invariant: all ranks find alike whether theirs do: all have the library in one
version, and each a device of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.ranks.links import nccl
from unisycl.ranks.links.link import Link
from unisycl.runtime.graph.native_calls import begin_native

LIBRARIES: dict[str, Callable[[], nccl.Library]] = {"nccl": nccl.load}
"""By the name that drivers use: what loads the library."""


def described(channel: Any) -> str:
    """Return in a line what ranks have to compare; '' where a device's elements go by the host."""
    driver = channel.driver
    if driver.messages not in LIBRARIES:
        return ""
    try:
        version = LIBRARIES[driver.messages]().version()
    except (OSError, AttributeError):
        return ""
    identity = channel.device.info.details.get("uuid")
    return f"{driver.messages} {version} {identity}" if identity else ""


def agree(told: list[str]) -> bool:
    """Say whether ranks that have told this may send from device to device."""
    libraries = {line.rpartition(" ")[0] for line in told}
    return len(told) > 1 and len(libraries) == 1 and "" not in libraries and (
        len(set(told)) == len(told))


def begin(link: Link, channel: Any) -> nccl.Communicator:
    """Return this rank's end of a communicator of the device's library; collective, and waits."""
    driver = channel.driver
    library = LIBRARIES[driver.messages]()
    key = link.exchange(library.unique_id() if link.rank == 0 else b"")[0]
    made: list[nccl.Communicator] = []
    begin_native(driver, "the start of NCCL", lambda _: made.append(
        nccl.Communicator(library, key, link.rank, link.size)))(()).wait()
    return made[0]


def join(link: Link, channel: Any) -> nccl.Communicator | None:
    """Return this rank's end of a new communicator; None if elements go by the host; collective."""
    told = [t.decode() for t in link.exchange(described(channel).encode(),
                                              "whose devices send by themselves")]
    return begin(link, channel) if agree(told) else None
