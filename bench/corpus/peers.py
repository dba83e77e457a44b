"""How each library runs an entry: ``prepare`` functions that return operands and what to call.

Each is called in the process of its library only. Non-goals: kernels, which stand in families.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench import ours
from bench.corpus import ispc
from bench.corpus.frame import PEER, PLAIN, Entry, Local, Nd, Operands, Step, launches
from bench.harness import OURS, Missing
from bench.peers.opencl import Session


class Ready(NamedTuple):
    """A prepared piece of work: its operands, one run of it, and what brings results back."""

    operands: Operands
    run: Callable[[], object]
    fetch: Callable[[], object] = lambda: None


def prepare_ours(entry: Entry, family: Any, size: Any, form: str) -> Ready:
    """Launch our form of an entry over NumPy arrays in place, on an in-order queue."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our process

    operands = entry.make(size)
    queue = ours.queue(sycl.property.queue.in_order())
    bound = not os.environ.get(PLAIN)
    return Ready(operands, launches(queue, entry.forms[form](operands), bound=bound))


def prepare_numba(entry: Entry, family: Any, size: Any, form: str) -> Ready:
    """Call the entry's function for Numba, on all processors."""
    if entry.numba is None:
        raise Missing("not written for Numba")
    operands, compute = entry.make(size), entry.numba
    return Ready(operands, lambda: compute(operands))


def _groups(extent: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return groups for a range whose first size no vector divides; else the runtime chooses.

    It takes only groups that divide the range: of one work-item, where a size is a prime.
    """
    if extent[0] % 16 == 0 or extent[0] < 64:
        return None
    return (64, *(1 for _ in extent[1:]))


class OpenCL:
    """Intel's runtime, and the programs of families that were built."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.programs: dict[str, Any] = {}

    def program(self, family: Any) -> Any:
        """Return the program of a family, built once."""
        if self.session is None:
            self.session = Session("intel-opencl")
        if family.__name__ not in self.programs:
            text = Path(family.__file__).with_suffix(".cl").read_text(encoding="utf-8")
            options = ["-cl-std=CL3.0", "-cl-fp32-correctly-rounded-divide-sqrt"]
            built = self.session.cl.Program(self.session.context, text).build(options)
            self.programs[family.__name__] = built
        return self.programs[family.__name__]

    def prepare(self, entry: Entry, family: Any, size: Any, form: str) -> Ready:
        """Launch the entry's kernels in OpenCL C."""
        if not entry.opencl:
            raise Missing("not written in OpenCL C")
        program = self.program(family)
        session = self.session
        assert session is not None
        session.forget()
        operands = entry.make(size)
        first = next(iter(entry.forms.values()))
        steps = (first if isinstance(entry.opencl, bool) else entry.opencl)(operands)
        memory: dict[int, Any] = {}
        bound = [self._bound(program, step, memory) for step in steps]

        def run() -> None:
            for kernel, extent, local in bound:
                session.cl.enqueue_nd_range_kernel(session.queue, kernel, extent, local)
            session.queue.finish()

        def fetch() -> None:
            for array in vars(operands).values():
                if id(array) in memory:
                    session.cl.enqueue_copy(session.queue, array, memory[id(array)])

        return Ready(operands, run, fetch)

    def _bound(self, program: Any, step: Step, memory: dict[int, Any]) -> tuple[Any, Any, Any]:
        assert self.session is not None
        cl, given = self.session.cl, []
        for argument in step.args:
            if isinstance(argument, Local):
                given.append(cl.LocalMemory(argument.nbytes()))
            elif isinstance(argument, np.ndarray):
                if id(argument) not in memory:
                    memory[id(argument)] = self.session.buffer(argument)
                given.append(memory[id(argument)])
            else:
                given.append(np.int32(argument) if isinstance(argument, int) else argument)
        name = step.kernel if isinstance(step.kernel, str) else step.kernel.__name__
        kernel = cl.Kernel(program, name)
        kernel.set_args(*given)
        space = step.space
        if isinstance(space, Nd):
            return kernel, space.extent[::-1], space.local[::-1]
        return kernel, space[::-1], _groups(space[::-1])


def prepare_taichi(entry: Entry, family: Any, size: Any, form: str) -> Ready:
    """Call a function of ``taichi_kernels`` over NumPy arrays in place."""
    if not entry.taichi:
        raise Missing("not written for Taichi")
    kernels = importlib.import_module("bench.corpus.taichi_kernels")
    operands, compute = entry.make(size), getattr(kernels, f"run_{entry.taichi}")
    return Ready(operands, lambda: compute(operands))


def prepare_warp(entry: Entry, family: Any, size: Any, form: str) -> Ready:
    """Launch a kernel of ``warp_kernels`` over NumPy arrays in place; one thread."""
    if not entry.warp:
        raise Missing("not written for Warp")
    kernels = importlib.import_module("bench.corpus.warp_kernels")
    operands = entry.make(size)
    return Ready(operands, getattr(kernels, f"bind_{entry.warp}")(operands))


def prepare_ispc(entry: Entry, family: Any, size: Any, form: str, peer: str = "ispc") -> Ready:
    """Call the functions that a family's file in ISPC exports, over NumPy arrays in place."""
    operands = entry.make(size)
    return Ready(operands, ispc.calls(entry, family, operands, form, peer))


PEERS: dict[str, tuple[str, Callable[[Entry, Any, Any, str], Ready]]] = {
    "numba": ("numba", prepare_numba),
    "opencl": ("pyopencl", OpenCL().prepare),
    "taichi": ("taichi", prepare_taichi),
    "warp": ("warp", prepare_warp),
    "ispc": ("", prepare_ispc),
    "ispc_wide": ("", partial(prepare_ispc, peer="ispc_wide")),
}
"""The module that each needs, and what prepares an entry."""


def lacks(name: str) -> str:
    """Return what a peer needs and is not there, nothing if all is."""
    module = PEERS[name][0]
    if not module:
        return ispc.lacks()
    return "" if find_spec(module) else f"{module} is not installed (extra 'bench')"


def preparer(name: str) -> Callable[[Entry, Any, Any, str], Ready]:
    """Return what prepares entries in this process; ``Missing`` says what to install."""
    if name == OURS:
        return prepare_ours
    module, prepare = PEERS[name]
    if name == "numba":
        assert os.environ.get(PEER) == name, "else its functions are plain Python"
    if module and find_spec(module) is None:
        raise Missing(f"not installed: {module}; pip install -e '.[bench]'")
    os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
    return prepare
