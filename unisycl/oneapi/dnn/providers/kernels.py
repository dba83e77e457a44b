"""Primitives by our kernels, on every device.

Layouts that are left open become rows. Non-goals: speed of what is not row by row in float32, which
is copied. Invariant: the same bits in every run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dnn import names
from unisycl.oneapi.dnn.descriptors import desc, format_kind, settled
from unisycl.oneapi.dnn.executions import arguments_of, tensor
from unisycl.oneapi.dnn.names import data_type
from unisycl.oneapi.dnn.operations import Op
from unisycl.oneapi.dnn.own import (
    convolutions,
    elementwise,
    normalisations,
    pools,
    products,
    recurrent,
    tensors,
    winograd,
)
from unisycl.oneapi.dnn.own.work import MOST, Work
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.providers import Place

_ROUTINES: dict[str, Callable[[Work], None]] = {
    "reorder": elementwise.reorder, "eltwise_forward": elementwise.eltwise_forward,
    "eltwise_backward": elementwise.eltwise_backward, "matmul": products.matmul,
    "sum": tensors.total,
    **{n: getattr(module, n) for module in (pools, normalisations, tensors)
       for n in module.ROUTINES},
    **{f"{kind}_{way}": getattr(recurrent, way) for kind in recurrent.KINDS
       for way in ("forward", "backward")},
    **{f"inner_product_{way}": getattr(products, f"inner_{way}")
       for way in ("forward", "backward_data", "backward_weights")},
    **{f"{kind}_{way}": getattr(convolutions, way) for kind in ("convolution", "deconvolution")
       for way in ("forward", "backward_data", "backward_weights")}}


class Made:
    """One operation, as our kernels do it."""

    info = "unisycl's kernels"
    scratchpad = desc()

    def __init__(self, op: Op) -> None:
        self._op, self._run = op, _ROUTINES[op.name]
        self.ins, self.outs = arguments_of(op)
        self.ins = tuple(n for n in self.ins if not _unused(op, n))
        self.outs = tuple(n for n in self.outs if not _unused(op, n))
        self.found = {n: settled(tensor(op, n)) for n in (*self.ins, *self.outs)}
        foreign = op.row.forward and "workspace" in self.ins and (
            op.hint is None or not isinstance(op.hint.implementation, Made))
        self.recomputes = bool(foreign) and op["src_layer"] is not None and op.hint is not None
        if self.recomputes:
            self.found["workspace"] = op.hint.implementation.found["workspace"]
        elif foreign:
            raise names.unimplemented("kernels need the descriptor of a forward primitive of "
                                      "theirs, whose workspace they read")
        if "weights_projection" in self.found or op.attr.rnn:
            raise names.unimplemented("kernels have no projections, nor networks of whole numbers")
        winograd.refuse(op, self.found)
        for name, d in self.found.items():
            if name == "workspace" and self.recomputes:
                continue
            if d.get_format_kind() is format_kind.opaque or len(d.dims) > MOST or (
                    d.get_data_type() is data_type.f64):
                raise names.unimplemented(f"kernels do not have {name} as {d!r}")

    def submit(self, queue: sycl.queue, given: dict[int, Memory],
               after: list[sycl.event]) -> sycl.event:
        """Submit its kernels, and return the event of the last one."""
        call = Call(self._op.name, queue, after)
        self._run(Work(call, self._op, self, given))
        return call.done().get_event()


def _unused(op: Op, name: str) -> bool:
    """Say whether kernels do without a tensor: they compute sums of squares again."""
    return name == "workspace" and op.name.startswith("lrn")


class Kernels:
    """All that our kernels compute."""

    def version(self) -> str:
        """Return what they are."""
        return "unisycl's kernels"

    def serves(self, device: sycl.device) -> bool:
        """Say that kernels run on every device."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what makes primitives of a kind."""
        return self.create if name in _ROUTINES and dtype != np.float64 else None

    def create(self, op: Op, place: Place) -> Made:
        """Return an operation as our kernels do it; ``unimplemented`` where they do not."""
        del place
        if op.name not in _ROUTINES:
            raise names.unimplemented(f"there are no kernels for {op.name}")
        return Made(op)


def load(name: str) -> Kernels:
    """Return the provider."""
    del name
    return Kernels()
