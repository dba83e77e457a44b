"""A library with the functions of NVIDIA's driver that the backend calls, over the host's memory.

Streams run as a card's might: what was given to them is done when somebody looks, in any order that
streams and events allow, chosen by a seed. Copies and fills are done for real; a kernel is whatever
function was registered for its module (``kernels``). Any call can be made to fail. Non-goals: being
fast, what a card's kernels do. Invariants: a handle or an address that is none, or is used after it
was freed, is refused as the driver would, or noted in ``misuse``.
"""

from __future__ import annotations

from tests.cuda_fake.core import H200
from tests.cuda_fake.devices import Devices
from tests.cuda_fake.graphs import Graphs
from tests.cuda_fake.modules import Modules
from tests.cuda_fake.streams import Streams
from tests.cuda_fake.virtual import Virtual

__all__ = ["H200", "FakeCuda"]


class FakeCuda(Devices, Streams, Virtual, Modules, Graphs):
    """The library of one test."""
