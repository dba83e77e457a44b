"""Launches that are repeated: the driver's arguments made once, as ctypes has them.

Non-goals: launches that are made anew each time (``executable``). Invariant: the arguments of a
``Prepared`` never change, so any thread may launch it.
"""

from __future__ import annotations

import ctypes
from typing import Any

from unisycl.backends.base import Launch
from unisycl.backends.cuda.api import Api, KernelNode, LaunchConfig
from unisycl.backends.cuda.commands.lanes import Lane, Told
from unisycl.backends.cuda.launch.executable import CuExecutable, Plan
from unisycl.backends.device.scratch import NOTHING


class Prepared:
    """What a repeated launch hands to the driver, and all that it uses."""

    __slots__ = ("_configs", "_dynamic", "_known", "_pack", "_sizes", "_values", "executable",
                 "told")

    def __init__(self, executable: CuExecutable, launch: Launch, plan: Plan, told: Told) -> None:
        signature = executable.main.signature
        self.executable = executable
        self.told = told
        self._values = launch.values
        self._pack = signature.pack(launch, NOTHING)
        self._sizes = plan.sizes
        self._dynamic = executable.launch_sizes(launch)
        self._configs: dict[Lane, LaunchConfig] = {}
        self._known: tuple[Lane | None, tuple[Any, ...]] = None, ()

    def arguments(self, lane: Lane) -> tuple[Any, ...]:
        """Return the arguments of ``cuLaunchKernelEx`` for a stream, which takes but four."""
        known = self._known
        if known[0] is not lane:
            config = self._configs.get(lane)
            if config is None:  # it is kept, since another thread may be about to use it
                config = self._configs[lane] = LaunchConfig(
                    *(size.value for size in self._sizes), self._dynamic, lane.value, None, 0)
            known = self._known = lane, (ctypes.c_void_p(ctypes.addressof(config)),
                                         self.executable.main.handle, self._pack.pointers, None)
        return known[1]

    def add(self, api: Api, graph: int, behind: Any, count: int) -> int:
        """Add a node to a graph of CUDA's; return it."""
        return api.address("cuGraphAddKernelNode_v2", graph, behind, count,
                           ctypes.byref(self._node()))

    def put(self, api: Api, ready: int, node: int) -> int:
        """Give a node of a graph that was made other arguments; return CUDA's result."""
        return api.attempt("cuGraphExecKernelNodeSetParams_v2", ready, node,
                           ctypes.byref(self._node()))

    def replaces(self, old: object) -> bool:
        """Say whether a node may become this one."""
        return isinstance(old, Prepared) and old.executable is self.executable

    def _node(self) -> KernelNode:
        """Return what a kernel of a graph of CUDA's is made of; it points into this object."""
        return KernelNode(self.executable.main.handle, *(size.value for size in self._sizes),
                          self._dynamic, ctypes.cast(self._pack.pointers, ctypes.c_void_p), None,
                          None, None)

    def spread(self, lane: Lane) -> tuple[Any, ...]:
        """Return the arguments of ``cuLaunchCooperativeKernel`` for a stream."""
        return (self.executable.main.handle, *self._sizes, ctypes.c_uint(self._dynamic),
                lane.stream, self._pack.pointers)
