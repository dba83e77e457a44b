"""Launches that are repeated: the driver's arguments made once, as ctypes has them.

Non-goals: launches that are made anew each time (``executable``). Invariant: the arguments of a
``Prepared`` never change, so any thread may launch it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from unisycl.backends.base import Launch
from unisycl.backends.cuda.api import Api, KernelNode, LaunchConfig
from unisycl.backends.cuda.commands.lanes import Lane, Told
from unisycl.backends.cuda.launch.arguments import Pack
from unisycl.backends.cuda.launch.executable import CuExecutable, Plan
from unisycl.backends.device.scratch import NOTHING, Call

_SMALL = 1 << 22


class Prepared:
    """What a repeated launch hands to the driver, and all that it uses.

    ``scratch`` gives the memory that joins the results of reductions: each stream has its own,
    since launches in two of them may run at the same time.
    """

    __slots__ = ("_configs", "_dynamic", "_free", "_launch", "_packs", "_scratch",
                 "_sizes", "executable", "known", "told")

    def __init__(self, executable: CuExecutable, launch: Launch, plan: Plan, told: Told,
                 scratch: Callable[[Launch], Call] | None = None) -> None:
        self.executable = executable
        self.told = told
        self._launch = Launch(launch.executable, launch.geometry, launch.values,
                              reductions=launch.reductions)  # not what holds this
        self._scratch = scratch
        self._packs: list[tuple[Pack, Call]] = []
        self._free = [self._packed()]
        self._sizes = plan.sizes
        self._dynamic = executable.launch_sizes(launch)
        self._configs: dict[Lane, tuple[LaunchConfig, Pack]] = {}
        self.known: tuple[Lane | None, tuple[Any, ...]] = None, ()
        """The stream that it went to last, and what the driver's function was given there."""

    def _packed(self) -> Pack:
        """Return arguments whose memory for joining results is nobody else's."""
        call = NOTHING if self._scratch is None else self._scratch(self._launch)
        pack = self.executable.main.signature.pack(self._launch, call)
        self._packs.append((pack, call))
        return pack

    @property
    def loans(self) -> list[Any]:
        """The memory on loan, which a launch that fails leaves in any state."""
        return [loan for _, call in self._packs for loan in call.loans]

    @property
    def small(self) -> bool:
        """Whether it keeps little memory besides its arguments, so that it may be kept itself."""
        kept: int = sum(partials.nbytes for partials, _ in self._packs[0][1].partials)
        return kept <= _SMALL

    def _pack_of_stream(self) -> Pack:
        """Return the arguments for a stream that has none yet."""
        if self._scratch is None:
            return self._packs[0][0]
        try:
            return self._free.pop()
        except IndexError:
            return self._packed()

    def arguments(self, lane: Lane) -> tuple[Any, ...]:
        """Return the arguments of ``cuLaunchKernelEx`` for a stream, which takes but four."""
        known = self.known
        if known[0] is not lane:
            one = self._configs.get(lane)
            if one is None:  # it is kept, since another thread may be about to use it
                one = self._configs.setdefault(lane, (LaunchConfig(
                    *(size.value for size in self._sizes), self._dynamic, lane.value, None, 0),
                    self._pack_of_stream()))
            config, pack = one
            known = self.known = lane, (ctypes.c_void_p(ctypes.addressof(config)),
                                         self.executable.main.handle, pack.pointers, None)
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
                          self._dynamic, ctypes.cast(self._packs[0][0].pointers, ctypes.c_void_p),
                          None, None, None)

    def spread(self, lane: Lane) -> tuple[Any, ...]:
        """Return the arguments of ``cuLaunchCooperativeKernel`` for a stream."""
        return (self.executable.main.handle, *self._sizes, ctypes.c_uint(self._dynamic),
                lane.stream, self._packs[0][0].pointers)
