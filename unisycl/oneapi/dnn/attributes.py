"""Attributes of primitives: scales, zero points, what is done to results, scratchpads, precision.

Non-goals: doing it. Invariant: a primitive uses a copy of the attributes that it was made with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unisycl.oneapi.dnn.descriptors import desc
from unisycl.oneapi.dnn.names import (
    accumulation_mode,
    algorithm,
    data_type,
    error,
    fpmath_mode,
    scratchpad_mode,
)


@dataclass(frozen=True)
class PostOp:
    """One thing that is done to results: what, and with which numbers."""

    kind: str
    algorithm: algorithm = algorithm.undef
    alpha: float = 0.0
    beta: float = 0.0
    scale: float = 1.0
    zero_point: int = 0
    type: data_type = data_type.undef
    src1: desc | None = None
    mask: int = 0


class post_ops:
    """What is done to results before they are stored, in order."""

    def __init__(self) -> None:
        self.items: list[PostOp] = []

    def len(self) -> int:
        """Return how many there are."""
        return len(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def kind(self, index: int) -> str:
        """Return what one of them is: sum, eltwise, binary, prelu."""
        return self.items[index].kind

    def append_sum(self, scale: float = 1.0, zero_point: int = 0,
                   data_type: data_type = data_type.undef) -> None:
        """Add what stood in the result before, times a scale."""
        self.items.append(PostOp("sum", scale=float(scale), zero_point=int(zero_point),
                                 type=data_type))

    def append_eltwise(self, *given: Any, alpha: float = 0.0, beta: float = 0.0) -> None:
        """Apply a function to each element: ``append_eltwise(algorithm, alpha, beta)``."""
        rest = list(given)
        scale = 1.0
        if rest and not isinstance(rest[0], algorithm):
            scale = float(rest.pop(0))  # the form before 3.0
        if not rest or not isinstance(rest[0], algorithm) or "eltwise" not in rest[0].name:
            raise error("append_eltwise: the first argument is an algorithm.eltwise_...")
        if scale != 1.0:
            raise error(f"append_eltwise: a scale of {scale} is of before 3.0; append "
                        "eltwise_linear with alpha=scale behind it")
        numbers = [*map(float, rest[1:]), alpha, beta][:2] if len(rest) > 1 else [alpha, beta]
        if len(rest) == 2:
            numbers[1] = beta
        self.items.append(PostOp("eltwise", rest[0], numbers[0], numbers[1]))

    def append_binary(self, algorithm: Any, src1: Any) -> None:
        """Combine each element with one of another tensor; sizes of 1 count for all."""
        if not isinstance(src1, desc) or "binary" not in algorithm.name:
            raise error("append_binary: give an algorithm.binary_... and a memory.desc")
        self.items.append(PostOp("binary", algorithm, src1=src1))

    def append_prelu(self, mask: int) -> None:
        """Multiply negative elements by weights, which differ by the dimensions in a mask."""
        self.items.append(PostOp("prelu", mask=int(mask)))

    def get_params_sum(self, index: int) -> tuple[float, int, data_type]:
        """Return scale, zero point and type of a sum."""
        found = self.items[index]
        return found.scale, found.zero_point, found.type

    def get_params_eltwise(self, index: int) -> tuple[algorithm, float, float]:
        """Return function, alpha and beta."""
        found = self.items[index]
        return found.algorithm, found.alpha, found.beta

    def get_params_binary(self, index: int) -> tuple[algorithm, desc]:
        """Return operation and descriptor of the other tensor."""
        found = self.items[index]
        assert found.src1 is not None
        return found.algorithm, found.src1

    def get_params_prelu(self, index: int) -> int:
        """Return the mask of the weights."""
        return self.items[index].mask


class primitive_attr:
    """How a primitive computes besides what it computes (``dnnl::primitive_attr``)."""

    def __init__(self) -> None:
        self.scales: dict[int, int] = {}
        self.zero_points: dict[int, int] = {}
        self.rnn: dict[str, Any] = {}
        self._ops: tuple[PostOp, ...] = ()
        self._scratchpad = scratchpad_mode.library
        self._fpmath = fpmath_mode.strict
        self._sums = accumulation_mode.strict

    def set_scales_mask(self, arg: int, mask: int) -> None:
        """Say that an argument has scales; a bit of the mask is a dimension they differ by."""
        self.scales[int(arg)] = _mask("set_scales_mask", mask)

    def set_zero_points_mask(self, arg: int, mask: int) -> None:
        """Say that an argument has zero points; a bit of the mask is a dimension they differ by."""
        self.zero_points[int(arg)] = _mask("set_zero_points_mask", mask)

    def set_post_ops(self, ops: post_ops) -> None:
        """Say what is done to results."""
        if not isinstance(ops, post_ops):
            raise error(f"set_post_ops: give post_ops, got {type(ops).__name__}")
        self._ops = tuple(ops.items)

    def get_post_ops(self) -> post_ops:
        """Return what is done to results."""
        found = post_ops()
        found.items = list(self._ops)
        return found

    def set_scratchpad_mode(self, mode: scratchpad_mode) -> None:
        """Say who gives memory for intermediate results."""
        self._scratchpad = scratchpad_mode(mode)

    def get_scratchpad_mode(self) -> scratchpad_mode:
        """Return who gives memory for intermediate results."""
        return self._scratchpad

    def set_fpmath_mode(self, mode: fpmath_mode) -> None:
        """Say in which precision products of float32 may be computed."""
        self._fpmath = fpmath_mode(mode)

    def get_fpmath_mode(self) -> fpmath_mode:
        """Return in which precision products of float32 may be computed."""
        return self._fpmath

    def set_accumulation_mode(self, mode: accumulation_mode) -> None:
        """Say where sums may be kept: ``relaxed`` or ``any`` allow sums of bytes in 16 bits."""
        self._sums = accumulation_mode(mode)

    def get_accumulation_mode(self) -> accumulation_mode:
        """Return where sums may be kept."""
        return self._sums

    def set_rnn_data_qparams(self, scale: float, shift: float) -> None:
        """Say how the data of a recurrent network of integers are scaled and shifted."""
        self.rnn["data"] = float(scale), float(shift)

    def set_rnn_weights_qparams(self, mask: int, scales: Sequence[float]) -> None:
        """Say how the weights of a recurrent network of integers are scaled."""
        self.rnn["weights"] = int(mask), tuple(float(s) for s in scales)

    def set_rnn_weights_projection_qparams(self, mask: int, scales: Sequence[float]) -> None:
        """Say how the projection's weights are scaled."""
        self.rnn["weights_projection"] = int(mask), tuple(float(s) for s in scales)

    @property
    def ops(self) -> tuple[PostOp, ...]:
        """What is done to results, in order."""
        return self._ops

    def copied(self) -> primitive_attr:
        """Return attributes of their own that say the same."""
        found = primitive_attr()
        found.scales, found.zero_points = dict(self.scales), dict(self.zero_points)
        found.rnn, found._ops = dict(self.rnn), self._ops
        found._scratchpad, found._fpmath = self._scratchpad, self._fpmath
        found._sums = self._sums
        return found

    def key(self) -> Any:
        """Return what tells attributes apart."""
        return (tuple(sorted(self.scales.items())), tuple(sorted(self.zero_points.items())),
                tuple(sorted(self.rnn.items())), self._ops, self._scratchpad, self._fpmath,
                self._sums)


def _mask(name: str, mask: Any) -> int:
    if isinstance(mask, bool) or not hasattr(mask, "__index__") or int(mask) < 0:
        raise error(f"{name}: the mask is a whole number from 0 on, got {mask!r}")
    return int(mask)
