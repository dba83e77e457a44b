"""Key-value stores: how ranks that make one communicator find one another (oneCCL's kvs).

Non-goals: keeping values. Invariant: an address is bytes that any other rank can be told.
"""

from __future__ import annotations

import uuid

import unisycl as sycl
from unisycl.oneapi.frame.refusals import refuse
from unisycl.ranks.links import world

_PROVIDERS = ("mpi", "oneccl", "threads")


class kvs:
    """What the ranks of a communicator share; made by ``create_main_kvs`` and ``create_kvs``."""

    def __init__(self, address: bytes) -> None:
        self.address = address
        self.provider, _, self.key = address.decode().partition(":")

    def get_address(self) -> bytes:
        """Return what other ranks give to ``create_kvs``."""
        return self.address

    def __repr__(self) -> str:
        return f"<kvs: {self.address.decode()}>"


def create_main_kvs(provider: str = "") -> kvs:
    """Return a new store.

    Args:
        provider: "mpi" for processes that were started together, "oneccl" for the same with Intel's
            library, "threads" for threads of this one; left out, "mpi" or "threads".
    """
    chosen = provider or ("mpi" if world.started_with() > 1 else "threads")
    if chosen not in _PROVIDERS:
        refuse("create_main_kvs", f"providers are 'mpi', 'oneccl' and 'threads', got {provider!r}")
    return kvs(f"{chosen}:{uuid.uuid4().hex[:12]}".encode())


def create_kvs(address: bytes) -> kvs:
    """Return the store of an address that the rank of the main one has told."""
    if bytes(address).split(b":")[0].decode(errors="replace") not in _PROVIDERS:
        raise sycl.UsageError(sycl.errc.invalid, "create_kvs: expected what get_address of "
                              f"another rank's kvs returned, got {address!r}")
    return kvs(address)
