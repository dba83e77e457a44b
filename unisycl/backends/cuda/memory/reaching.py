"""What of the driver of a card has to do with other cards and other processes.

Non-goals: asking CUDA (``peers``). Invariant: of drivers of one card, and of other backends, there
is nothing here.
"""

from __future__ import annotations

import functools
from typing import Any, Protocol

from unisycl.backends.base import Driver, Fetch
from unisycl.backends.cuda.api import Api
from unisycl.backends.cuda.commands.commands import Commands
from unisycl.backends.cuda.memory.heap import Heap
from unisycl.backends.cuda.memory.peers import Peers, fetch
from unisycl.backends.cuda.memory.sharing import CuSharing
from unisycl.backends.cuda.memory.textures import CuTextures
from unisycl.backends.cuda.memory.virtual import CuVirtual
from unisycl.backends.cuda.session import Session
from unisycl.base.errors import DeviceError, errc


class Opened(Protocol):
    """What is asked of a driver's context."""

    session: Session
    commands: Commands
    heap: Heap
    peers: Peers
    sharing: CuSharing
    textures: CuTextures
    virtual: CuVirtual


class Reaching(Driver):
    """What of the driver of a card reaches others."""

    memory: str
    _api: Api

    def opened(self) -> Opened:
        """Return the context and what works in it."""
        raise NotImplementedError

    @property
    def sharing(self) -> CuSharing:
        """Memory that processes share (``Driver.sharing``)."""
        return self.opened().sharing

    @property
    def virtual(self) -> CuVirtual:
        """Addresses without memory, and memory without addresses (``Driver.virtual``)."""
        return self.opened().virtual

    @property
    def textures(self) -> CuTextures:
        """Samplers of the card's own (``Driver.textures``)."""
        return self.opened().textures

    def follows(self, other: Any) -> bool:
        """Say whether a driver's commands end in events that streams here can wait for."""
        return isinstance(other, Reaching) and other._api is self._api

    def fetch(self, source: Driver) -> Fetch | None:
        """Return what copies from another card straight to this one."""
        if not isinstance(source, Reaching) or source.memory == self.memory:
            return None
        here, there = self.opened(), source.opened()
        if not here.peers.let(there.session, there.heap):
            return None
        return functools.partial(fetch, here.commands, there.session)

    def peers(self, owner: Driver) -> frozenset[str]:
        """Return what kernels can do with another card's memory."""
        if not isinstance(owner, Reaching) or owner.memory == self.memory:
            return frozenset()
        return self.opened().peers.able(owner.opened().session.card.ordinal)

    def grant(self, owner: Driver) -> None:
        """Let kernels use device allocations of another card's."""
        assert isinstance(owner, Reaching)
        there = owner.opened()
        if not self.opened().peers.let(there.session, there.heap):
            raise DeviceError(errc.runtime, "CUDA does not let "
                              f"'{self.devices()[0].name}' use memory of "
                              f"'{owner.devices()[0].name}', though it says that it may")

    def revoke(self, owner: Driver) -> None:
        """End what ``grant`` began."""
        assert isinstance(owner, Reaching)
        there = owner.opened()
        self.opened().peers.end(there.session, there.heap)
