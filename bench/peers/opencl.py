"""PyOpenCL on each OpenCL runtime for the CPU: the same OpenCL C for all of them.

Sources lie in ``peers/kernels.cl``. Non-goals: finding runtimes (``peers.icd``).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import Case, Implementation, Missing, Work
from bench.peers.icd import VENDORS, register

_NOTED = 64  # events of one run at most; no more are kept alive
SOURCE = Path(__file__).parent / "kernels.cl"


class Session:
    """A context and a queue on one vendor's CPU device, and what benchmarks ask of them."""

    def __init__(self, name: str, *, out_of_order: bool = False) -> None:
        register(name)
        import pyopencl as cl  # noqa: PLC0415 - reads the environment when it is loaded

        warnings.simplefilter("ignore")
        vendor = VENDORS[name]
        try:
            found = [d for p in cl.get_platforms() if vendor.platform in p.name
                     for d in p.get_devices()]
        except cl.LogicError as error:
            raise Missing(f"its library did not load: {error}; pip install {vendor.wheel}"
                          ) from None
        if not found:
            raise Missing("its platform has no device here")
        self.cl = cl
        self._kept: list[Any] = []  # a kernel does not keep its arguments alive
        self.context = cl.Context(found[:1])
        self.asked = _kinds(cl).OUT_OF_ORDER_EXEC_MODE_ENABLE * out_of_order
        self.queue = cl.CommandQueue(self.context, properties=self.asked)
        self._events: list[Any] = []

    def timer(self, run: Callable[[], object]) -> Callable[[], float]:
        """Return what does the same on a queue with times, and adds those of its commands up."""
        timed = self.cl.CommandQueue(
            self.context, properties=self.asked | _kinds(self.cl).PROFILING_ENABLE)

        def measured() -> float:
            plain, self.queue = self.queue, timed
            self._events.clear()
            run()
            self.queue = plain
            timed.finish()
            spent: int = sum(e.profile.end - e.profile.start for e in self._events)
            return spent * 1e-9

        return measured

    def kernel(self, name: str, **defines: Any) -> Any:
        """Return one kernel, built with these macros; its quotients are ours, bit for bit."""
        options = ["-cl-std=CL3.0", *(f"-D{k}={v}" for k, v in defines.items())]
        config = self.context.devices[0].single_fp_config
        if config & self.cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
            options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        program = self.cl.Program(self.context, SOURCE.read_text(encoding="utf-8"))
        return self.cl.Kernel(program.build(options), name)

    def buffer(self, array: Any) -> Any:
        """Return a buffer holding a copy of an array."""
        flags = self.cl.mem_flags
        self._kept.append(self.cl.Buffer(self.context, flags.READ_WRITE | flags.COPY_HOST_PTR,
                                         hostbuf=array))
        return self._kept[-1]

    def bind(self, args: Sequence[Any]) -> list[Any]:
        """Return kernel arguments: buffers for arrays, anything else as it is."""
        return [self.buffer(a) if isinstance(a, np.ndarray) else a for a in args]

    def forget(self) -> None:
        """Let buffers go that kernels had as arguments; those kernels are not launched again."""
        self._kept.clear()

    def enqueue(self, kernel: Any, space: tuple[int, ...], local: tuple[int, ...] | None) -> Any:
        """Launch a kernel whose arguments are set; sizes in OpenCL's order, fastest first."""
        return self._noted(self.cl.enqueue_nd_range_kernel(self.queue, kernel, space, local))

    def zero(self, memory: Any, nbytes: int) -> None:
        """Clear words of a buffer."""
        self._noted(self.cl.enqueue_fill_buffer(
            self.queue, memory, np.zeros(1, np.uint32), 0, nbytes))

    def _noted(self, event: Any) -> Any:
        if len(self._events) < _NOTED:
            self._events.append(event)
        return event

    def read(self, arrays: Sequence[Any], buffers: Sequence[Any]) -> None:
        """Copy each buffer into its array."""
        for array, memory in zip(arrays, buffers, strict=True):
            if isinstance(array, np.ndarray):
                self._noted(self.cl.enqueue_copy(self.queue, array, memory))


def _kinds(cl: Any) -> Any:
    """Return the flags of queues: an enumeration, of which none is 0, or in older ones integers."""
    return cl.command_queue_properties


def opencl(prepare: Callable[[Session], Case], *, out_of_order: bool = False
           ) -> dict[str, Implementation]:
    """Return one implementation for each vendor."""
    def on(name: str) -> Implementation:
        return Implementation(lambda: prepare(Session(name, out_of_order=out_of_order)),
                              ("pyopencl",))
    return {name: on(name) for name in VENDORS}


def one_kernel(name: str, work: Callable[[], Work], space: Sequence[int],
               local: Sequence[int] | None = None, **defines: Any) -> dict[str, Implementation]:
    """Return the implementations of a benchmark that is one kernel of ``kernels.cl``.

    ``space`` and ``local`` are in the order of our own ranges, the fastest index last.
    """
    def prepare(session: Session) -> Case:
        given = work()
        buffers = session.bind(given.args)
        kernel = session.kernel(name, **defines)
        kernel.set_args(*buffers)
        extent, group = tuple(space)[::-1], None if local is None else tuple(local)[::-1]

        def result() -> Any:
            session.read(given.args, buffers)
            return given.result()

        def run() -> None:
            session.enqueue(kernel, extent, group).wait()

        return Case(run, result, keep=(session, buffers), timed=session.timer(run))
    return opencl(prepare)
