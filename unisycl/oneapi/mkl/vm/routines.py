"""Routines of vector mathematics: a function of each element of one or two vectors.

Non-goals: the functions (``kernels.elements``, builtins). Invariants: an output may be an input, in
whole; other overlaps are refused; errors of arithmetic give NaN and infinities, as in kernels.
"""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import RAISED, shorten
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.results import behind, events_of
from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.kernels import elements
from unisycl.oneapi.mkl.names import Option

_REAL, _ALL = "fd", "fdFD"


class mode:
    """Accuracy modes; all are served by the same functions."""

    ha = Option("mode", "ha", 2, "h")
    la = Option("mode", "la", 1, "l")
    ep = Option("mode", "ep", 3, "e")
    not_defined = Option("mode", "not_defined", 0, "n")


_ONE: dict[str, tuple[Any, str]] = {
    **{n: (getattr(sycl, n), _REAL) for n in (
        "sqrt", "cbrt", "exp", "exp2", "exp10", "expm1", "log2", "log10", "log1p", "sin", "cos",
        "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf",
        "erfc", "tgamma", "lgamma", "floor", "ceil", "trunc", "round", "rint", "sinpi", "cospi",
        "tanpi", "asinpi", "acospi", "atanpi")},
    "ln": (sycl.log, _REAL), "invsqrt": (sycl.rsqrt, _REAL), "nearbyint": (sycl.rint, _REAL),
    "sqr": (elements.sqr, _ALL), "inv": (elements.inv, _ALL), "abs": (elements.magnitude, _REAL),
    "conj": (elements.conj, "FD"), "pow2o3": (elements.pow2o3, _REAL),
    "pow3o2": (elements.pow3o2, _REAL),
}
_TWO: dict[str, tuple[Any, str]] = {
    **{n: (getattr(elements, n), _ALL) for n in ("add", "sub", "mul", "div")},
    **{n: (getattr(sycl, n), _REAL) for n in (
        "pow", "powr", "hypot", "atan2", "atan2pi", "fmod", "remainder", "copysign", "fdim",
        "fmax", "fmin", "nextafter")},
    "mulbyconj": (elements.mulbyconj, "FD"),
}


class Routine:
    """One routine; called with a queue, a count, its inputs and outputs."""

    def __init__(self, name: str, inputs: int, outputs: int, types: str, function: Any) -> None:
        self.__name__ = self.__qualname__ = name
        self.__doc__ = f"{name} of each element; returns its event."
        self._inputs, self._types, self._function = inputs, types, function
        self._names = [*"ab"[:inputs], *"yz"[:outputs]]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([
            *(inspect.Parameter(n, kind) for n in ("queue", "n", *self._names)),
            inspect.Parameter("mode", kind, default=mode.not_defined),
            inspect.Parameter("dependencies", inspect.Parameter.KEYWORD_ONLY, default=())])

    def __call__(self, queue: sycl.queue, n: int, *memory: Any, mode: Any = None,
                 dependencies: Any = ()) -> sycl.event:
        try:
            for _ in memory[len(self._names):]:  # events and the mode, as in C++
                rest, events = behind(memory, len(memory) - 1, dependencies)
                if rest is not memory:
                    memory, dependencies = rest, events
                elif mode is None:
                    memory, mode = memory[:-1], memory[-1]
            if mode is not None and not isinstance(mode, Option):
                raise names.invalid_argument(f"{self.__name__}: the mode must be one of mode's, "
                                             f"got {mode!r}")
            return self._submit(queue, n, memory, dependencies)
        except RAISED as error:
            shorten(error)
            raise

    def _submit(self, queue: Any, n: Any, memory: tuple[Any, ...],
                dependencies: Any) -> sycl.event:
        name = self.__name__
        if not isinstance(queue, sycl.queue) or len(memory) != len(self._names):
            raise names.invalid_argument(f"{name}: it takes (queue, n, {', '.join(self._names)}, "
                                         "mode=mode.not_defined)")
        count = names.whole(name, "n", n)
        kind: Any = memories.flat(name, "a", memory[0]).dtype
        if kind.char not in self._types:
            allowed = ", ".join(str(np.dtype(t)) for t in self._types)
            raise names.invalid_argument(f"{name}: a has elements of {kind}; the routine is for "
                                         f"{allowed}")
        held = [memories.held(name, w, m, kind, count, writes=k >= self._inputs)
                for k, (w, m) in enumerate(zip(self._names, memory, strict=True))]
        self._check_apart(held)
        call = Call(name, queue, events_of(dependencies))
        if count:
            function = () if self._function is None else (self._function,)
            kernel: Any = {"sincos": elements.pair, "modf": elements.split}.get(
                name, elements.one if self._inputs == 1 else elements.two)
            call.launch(count, kernel, *function, *(h.memory for h in held))
        return call.done().get_event()

    def _check_apart(self, held: list[memories.Held]) -> None:
        for k, target in enumerate(held[self._inputs:], self._inputs):
            for other in held[:k]:
                pairs = itertools.product(target.memory.extents(), other.memory.extents())
                if any(x.meets(y) and (other.writes or not x.same(y)) for x, y in pairs):
                    raise names.invalid_argument(f"{self.__name__}: {target.name} and "
                                                 f"{other.name} overlap, and are not the same")

    def __repr__(self) -> str:
        return f"<routine {self.__name__}>"


ROUTINES: dict[str, Routine] = {
    **{n: Routine(n, 1, 1, types, f) for n, (f, types) in _ONE.items()},
    **{n: Routine(n, 2, 1, types, f) for n, (f, types) in _TWO.items()},
    "sincos": Routine("sincos", 1, 2, _REAL, None), "modf": Routine("modf", 1, 2, _REAL, None)}
"""All routines by their names."""
