"""Where and how a routine runs: a queue, a device, or a policy as C++ has them.

Non-goals: what a routine does there. Invariant: whatever the policy, a routine finds the same; only
sums of floats may be rounded otherwise, as each routine says.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import unisycl as sycl
from unisycl.oneapi.frame.refusals import refuse
from unisycl.oneapi.frame.shapes import IN_ORDER, Shape, shape_of


@dataclass(frozen=True)
class device_policy:
    """Runs routines on a queue; made by ``make_device_policy``.

    Args:
        chosen: the queue; left out, a queue of the default device.
        in_order: whether one work-item does everything, in order.
    """

    chosen: sycl.queue | None = None
    in_order: bool = False

    def queue(self) -> sycl.queue:
        """Return the queue."""
        return _default() if self.chosen is None else self.chosen

    def shape(self) -> Shape:
        """Return how routines divide their work there."""
        return IN_ORDER if self.in_order else shape_of(self.queue().get_device())


@functools.cache
def _default() -> sycl.queue:
    return sycl.queue()


@dataclass(frozen=True)
class host_policy(device_policy):
    """One of the standard's policies, which run on the processor: ``seq``, ``par`` and so on."""

    name: str = ""

    def queue(self) -> sycl.queue:
        return _processor()

    def __repr__(self) -> str:
        return self.name


@functools.cache
def _processor() -> sycl.queue:
    return sycl.queue(sycl.cpu_selector_v)


seq = host_policy(in_order=True, name="seq")
"""On the processor, one element after the other (``std::execution::seq``)."""
unseq = host_policy(name="unseq")
"""On the processor, in lanes of vectors (``std::execution::unseq``); here as ``par_unseq``."""
par = host_policy(name="par")
"""On the processor, in threads (``std::execution::par``); here as ``par_unseq``."""
par_unseq = host_policy(name="par_unseq")
"""On the processor, in threads and in lanes of vectors (``std::execution::par_unseq``)."""
dpcpp_default = device_policy()
"""The default device (oneDPL's name)."""


def make_device_policy(where: Any = None) -> device_policy:
    """Return a policy that runs routines on a queue.

    Args:
        where: a queue; a device, its name or a selector, for which a queue is made; or a policy.
            Left out, the default device.
    """
    if isinstance(where, device_policy):
        return where
    if where is None:
        return dpcpp_default
    return device_policy(where if isinstance(where, sycl.queue) else sycl.queue(where))


def policy_of(routine: str, given: Any) -> device_policy:
    """Return the policy that a routine was given first."""
    if isinstance(given, sycl.queue):
        return device_policy(given)
    if isinstance(given, device_policy):
        return given
    return refuse(routine, "the first argument is a queue or a policy, such as "
                  f"make_device_policy(queue), got {type(given).__name__}")
