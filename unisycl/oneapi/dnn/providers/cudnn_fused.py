"""What cuDNN does behind a product in one graph with it: a bias, sums and functions of elements.

Each step is an operation on tensors that are in no memory, in float32; the last one rounds to the
result. Non-goals: scaled sums and operands of the program's own (our kernels do).
Invariant: what is not said here is left to our kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unisycl.oneapi.dnn.names import algorithm, data_type
from unisycl.oneapi.dnn.providers import cudnn_graph as graph

_STEP, _OPERATION = 0, 13
_MODE, _PRECISION, _LIMIT_OF_NAN = 0, 1, 2
_HOW, _X, _B, _Y = 750, 751, 752, 753
_ADD, _FLOAT32 = 0, 0
_SLOPE, _ALPHA, _BETA = 5, 6, 8
_FUNCTIONS: dict[algorithm, tuple[int, int]] = {
    algorithm.eltwise_relu: (100, _SLOPE), algorithm.eltwise_tanh: (101, 0),
    algorithm.eltwise_logistic: (102, 0), algorithm.eltwise_elu: (103, _ALPHA),
    algorithm.eltwise_gelu_erf: (104, 0), algorithm.eltwise_swish: (106, _BETA),
    algorithm.eltwise_gelu_tanh: (107, 0)}
"""Of each function the library's number, and the attribute that alpha is."""


def serves(ops: Sequence[Any]) -> bool:
    """Say whether all post-ops are functions that the library has, or one sum with the result."""
    sums = [o for o in ops if o.kind == "sum"]
    return len(sums) <= 1 and all(
        o.kind == "eltwise" and o.algorithm in _FUNCTIONS for o in ops if o not in sums) and all(
            o.scale == 1 and not o.zero_point and o.type is data_type.undef for o in sums)


class Chain:
    """Operations behind a product, each with a tensor of its own but the last.

    Args:
        graphs: what makes descriptions.
        dims, strides: of the result, as the library takes them.
        number: of the first tensor that is in no memory.
    """

    def __init__(self, graphs: graph.Graphs, dims: Sequence[int], strides: Sequence[int],
                 number: int) -> None:
        self._graphs, self._dims, self._strides = graphs, dims, strides
        self._number = number
        self.operations: list[graph.Described] = []

    def between(self) -> graph.Described:
        """Return one more tensor that is in no memory."""
        self._number += 1
        return self._graphs.tensor(self._number - 1, _FLOAT32, self._dims, self._strides,
                                   virtual=True)

    def add(self, x: graph.Described, bias: graph.Described, y: graph.Described) -> None:
        """Add a tensor: a bias, or one of the same sizes."""
        self._append((_MODE, graph.STEP, _ADD), (), x, y, (_B, graph.DESCRIPTION, bias))

    def apply(self, o: Any, x: graph.Described, y: graph.Described) -> None:
        """Apply a function."""
        number, alpha = _FUNCTIONS[o.algorithm]
        more = [(alpha, graph.FLOAT, o.alpha)] if alpha else []
        if number == _FUNCTIONS[algorithm.eltwise_relu][0]:
            more.append((_LIMIT_OF_NAN, graph.NAN, 1))  # NaN stays NaN
        self._append((_MODE, graph.STEP, number), more, x, y)

    def _append(self, mode: tuple[Any, ...], more: Sequence[tuple[Any, ...]], x: graph.Described,
                y: graph.Described, *other: tuple[Any, ...]) -> None:
        how = self._graphs.described(_STEP, mode, (_PRECISION, graph.TYPE, _FLOAT32), *more)
        self.operations.append(self._graphs.described(
            _OPERATION, (_HOW, graph.DESCRIPTION, how), (_X, graph.DESCRIPTION, x), *other,
            (_Y, graph.DESCRIPTION, y)))
