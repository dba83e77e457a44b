"""Descriptors of Fourier transforms, and the transforms as commands of a queue.

Non-goals: computing (providers). Invariants: a descriptor is used as it was committed; to change it
takes another commit; nothing is computed through one that is not committed.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame.native import ADDRESS, CELL, SHORT, Bound, again, give
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.providers import Place
from unisycl.oneapi.frame.repeats import Repeats
from unisycl.oneapi.frame.results import behind, events_of
from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.dft.layouts import Side, dense, smooth, volume
from unisycl.oneapi.mkl.names import Option

LIBRARY = "mkl.dft"
_ENDED = sycl.event()
_MOST = 16
"""How many commands of a descriptor are kept to be given again."""


class precision:
    """The precision of a transform."""

    SINGLE = Option("precision", "SINGLE", 35, "s")
    DOUBLE = Option("precision", "DOUBLE", 36, "d")


class domain:
    """What the forward side holds: real or complex numbers."""

    REAL = Option("domain", "REAL", 33, "r")
    COMPLEX = Option("domain", "COMPLEX", 32, "c")


class config_value:
    """Values of a descriptor that are names."""

    INPLACE = Option("config_value", "INPLACE", 43, "i")
    NOT_INPLACE = Option("config_value", "NOT_INPLACE", 44, "o")
    COMMITTED = Option("config_value", "COMMITTED", 30, "c")
    UNCOMMITTED = Option("config_value", "UNCOMMITTED", 31, "u")
    COMPLEX_COMPLEX = Option("config_value", "COMPLEX_COMPLEX", 39, "x")
    REAL_REAL = Option("config_value", "REAL_REAL", 42, "s")
    CCE_FORMAT = Option("config_value", "CCE_FORMAT", 57, "h")


class config_param:
    """What a descriptor is asked for and told."""

    FORWARD_DOMAIN, DIMENSION, LENGTHS, PRECISION = (
        "FORWARD_DOMAIN", "DIMENSION", "LENGTHS", "PRECISION")
    FORWARD_SCALE, BACKWARD_SCALE = "FORWARD_SCALE", "BACKWARD_SCALE"
    NUMBER_OF_TRANSFORMS, PLACEMENT = "NUMBER_OF_TRANSFORMS", "PLACEMENT"
    FWD_STRIDES, BWD_STRIDES = "FWD_STRIDES", "BWD_STRIDES"
    INPUT_STRIDES, OUTPUT_STRIDES = "INPUT_STRIDES", "OUTPUT_STRIDES"
    FWD_DISTANCE, BWD_DISTANCE = "FWD_DISTANCE", "BWD_DISTANCE"
    COMPLEX_STORAGE, COMMIT_STATUS = "COMPLEX_STORAGE", "COMMIT_STATUS"
    REAL_STORAGE, CONJUGATE_EVEN_STORAGE = "REAL_STORAGE", "CONJUGATE_EVEN_STORAGE"
    PACKED_FORMAT, WORKSPACE_PLACEMENT = "PACKED_FORMAT", "WORKSPACE_PLACEMENT"


_FIXED = ("FORWARD_DOMAIN", "DIMENSION", "LENGTHS", "PRECISION", "COMMIT_STATUS")
_NAMED = {"INPUT_STRIDES": "FWD_STRIDES", "OUTPUT_STRIDES": "BWD_STRIDES"}
_STORED: dict[str, Option] = {
    "COMPLEX_STORAGE": config_value.COMPLEX_COMPLEX, "REAL_STORAGE": config_value.REAL_REAL,
    "CONJUGATE_EVEN_STORAGE": config_value.COMPLEX_COMPLEX,
    "PACKED_FORMAT": config_value.CCE_FORMAT}
"""How numbers lie, of which there is one way each: one half of the spectrum, as complex numbers."""
KNOWN = [v for k, v in vars(config_param).items() if not k.startswith("_")]


@dataclass(frozen=True)
class Plan:
    """What a committed descriptor computes: both sides, scales, and whether in place."""

    real: bool
    dtype: np.dtype[Any]
    lengths: tuple[int, ...]
    forward: Side
    backward: Side
    scales: tuple[float, float]
    inplace: bool

    @functools.cached_property
    def complex_type(self) -> np.dtype[Any]:
        """The type of complex numbers."""
        return np.dtype(np.complex64 if self.dtype == np.float32 else np.complex128)

    @property
    def forward_type(self) -> np.dtype[Any]:
        """The type of the forward side's elements."""
        return self.dtype if self.real else self.complex_type


class descriptor:
    """A Fourier transform to be: ``descriptor(precision.SINGLE, domain.REAL, n)``.

    Args:
        kind: the precision.
        space: real or complex numbers on the forward side.
        lengths: a length, or one to three.
    """

    @ends_at_call
    def __init__(self, kind: Option, space: Option, lengths: Any) -> None:
        options: Any = (("precision", kind, precision), ("domain", space, domain))
        for what, value, known in options:
            if not isinstance(value, Option) or value not in vars(known).values():
                self._refuse(f"the {what} must be one of {what}'s, got {value!r}")
        given = lengths if isinstance(lengths, list | tuple) else [lengths]
        if not 1 <= len(given) <= 3:
            self._refuse(f"a transform has 1 to 3 dimensions, got {len(given)}")
        self._lengths = tuple(names.whole("descriptor", "a length", n, 1) for n in given)
        self._real = space is domain.REAL
        self._precision, self._domain = kind, space
        self._dtype = np.dtype(np.float32 if kind is precision.SINGLE else np.float64)
        self._values: dict[str, Any] = {
            "FORWARD_SCALE": 1.0, "BACKWARD_SCALE": 1.0, "NUMBER_OF_TRANSFORMS": 1,
            "PLACEMENT": None, "FWD_STRIDES": None, "BWD_STRIDES": None,
            "FWD_DISTANCE": None, "BWD_DISTANCE": None, "WORKSPACE_PLACEMENT": "automatic",
            **_STORED}
        self._queue: sycl.queue | None = None
        self._plans: dict[bool, Plan] = {}
        self._why: dict[bool, Exception] = {}
        self._repeats = Repeats(_MOST)
        self._short: dict[tuple[bool, int], tuple[Any, list[tuple[Any, int]]]] = {}

    def _refuse(self, text: str) -> Any:
        raise names.invalid_argument(f"descriptor: {text}")

    # ------------------------------------------------------------------ what it is told
    @ends_at_call
    def set_value(self, param: str, *value: Any) -> None:
        """Change a parameter (``config_param``); the descriptor must be committed again."""
        if param not in KNOWN:
            self._refuse(f"there is no parameter {param!r}; there are {', '.join(KNOWN)}")
        if param in _FIXED:
            self._refuse(f"{param} cannot be changed")
        given = value[0] if len(value) == 1 else value
        name = _NAMED.get(param, param)
        self._values[name] = self._checked(name, given)
        self._plans = {}

    def _checked(self, name: str, given: Any) -> Any:
        if name in ("FORWARD_SCALE", "BACKWARD_SCALE"):
            found = memories.number("descriptor", name, given, self._dtype)
            if not math.isfinite(found):
                self._refuse(f"{name} must be finite, got {given!r}")
            return found
        if name in ("NUMBER_OF_TRANSFORMS", "FWD_DISTANCE", "BWD_DISTANCE"):
            return names.whole("descriptor", name, given, 1 if name.startswith("N") else 0)
        if name in ("FWD_STRIDES", "BWD_STRIDES"):
            if not isinstance(given, list | tuple | np.ndarray) or (
                    len(given) != len(self._lengths) + 1):
                self._refuse(f"{name} are an offset and a stride for each of "
                             f"{len(self._lengths)} dimension(s), got {given!r}")
            return tuple(names.whole("descriptor", name, s) for s in given)
        allowed = {"PLACEMENT": (config_value.INPLACE, config_value.NOT_INPLACE),
                   **{k: (v,) for k, v in _STORED.items()}}.get(name)
        if allowed is not None and given not in allowed:
            self._refuse(f"{name} must be one of {', '.join(map(repr, allowed))}, got {given!r}")
        return given

    @ends_at_call
    def get_value(self, param: str) -> Any:
        """Return a parameter; strides and distances that were not set are those of a commit."""
        if param not in KNOWN:
            self._refuse(f"there is no parameter {param!r}; there are {', '.join(KNOWN)}")
        fixed = {"FORWARD_DOMAIN": self._domain, "DIMENSION": len(self._lengths),
                 "LENGTHS": list(self._lengths) if len(self._lengths) > 1 else self._lengths[0],
                 "PRECISION": self._precision,
                 "COMMIT_STATUS": config_value.COMMITTED if self._plans else
                 config_value.UNCOMMITTED}
        if param in fixed:
            return fixed[param]
        name = _NAMED.get(param, param)
        if name == "PLACEMENT":
            return self._values[name] or config_value.INPLACE
        if self._values[name] is None:
            inplace = self._values["PLACEMENT"] is not config_value.NOT_INPLACE
            side = self._sides(inplace=inplace)[0 if name.startswith("FWD") else 1]
            return side.distance if name.endswith("DISTANCE") else [side.offset, *side.strides]
        return self._values[name]

    # ------------------------------------------------------------------ commit
    def _sides(self, *, inplace: bool) -> tuple[Side, Side]:
        """Return both sides, with rows behind one another where nothing was said."""
        half = (*self._lengths[:-1], self._lengths[-1] // 2 + 1) if self._real else self._lengths
        room = (*half[:-1], 2 * half[-1]) if self._real and inplace else self._lengths
        return (self._side("FWD", self._lengths, room), self._side("BWD", half, half))

    def _side(self, which: str, shape: tuple[int, ...], room: tuple[int, ...]) -> Side:
        strides = self._values[f"{which}_STRIDES"] or (0, *dense(room))
        distance = self._values[f"{which}_DISTANCE"]
        return Side(shape, strides[0], tuple(strides[1:]),
                    volume(room) if distance is None else distance,
                    self._values["NUMBER_OF_TRANSFORMS"])

    @ends_at_call
    def commit(self, queue: sycl.queue) -> None:
        """Make the transform ready for a queue."""
        where: Any = queue
        if not isinstance(where, sycl.queue):
            self._refuse(f"commit takes a queue, got {type(where).__name__}")
        if self._dtype == np.float64:
            _require_doubles(queue.get_device())
        plans, self._why = self._possible()
        for plan in plans.values():
            for backward in (False, True):
                providers.needed(LIBRARY, _routine(plan, backward=backward), plan.complex_type,
                                 queue.get_device())
        self._plans, self._queue = plans, queue
        self._repeats = Repeats(_MOST)
        self._short = {}

    def _possible(self) -> tuple[dict[bool, Plan], dict[bool, Exception]]:
        """Return the plans in place and not; where that was left open, one of them will do."""
        chosen = self._values["PLACEMENT"]
        plans: dict[bool, Plan] = {}
        why: dict[bool, Exception] = {}
        for inplace in (False, True):
            if chosen in (None, config_value.INPLACE if inplace else config_value.NOT_INPLACE):
                try:
                    plans[inplace] = self._plan(inplace=inplace)
                except names.invalid_argument as error:
                    why[inplace] = error
        if not plans:
            raise next(iter(why.values()))
        return plans, why

    def _plan(self, *, inplace: bool) -> Plan:
        forward, backward = self._sides(inplace=inplace)
        forward.check("the forward side")
        backward.check("the backward side")
        values = self._values
        return Plan(self._real, self._dtype, self._lengths, forward, backward,
                    (values["FORWARD_SCALE"], values["BACKWARD_SCALE"]), inplace)

    # ------------------------------------------------------------------ compute
    def _compute(self, name: str, backward: bool, given: tuple[Any, ...],
                 dependencies: Any) -> sycl.event:
        queue = self._queue
        if not self._plans or queue is None:
            raise names.uninitialized(f"{name}: the descriptor is not committed; call "
                                      "descriptor.commit(queue) after the last set_value")
        if given and isinstance(given[-1], sycl.event | list | tuple):  # where C++ has them
            given, dependencies = behind(given, len(given) - 1, dependencies)
        plan = self._plans.get(len(given) == 1)
        after = events_of(dependencies)
        if self._repeats:
            done = self._repeats.submit(queue, given, backward, after)
            if done is not None:
                return done
        if not after and self._again(queue, backward, given):
            return _ENDED
        if plan is None and len(given) in (1, 2) and (len(given) == 1) in self._why:
            raise names.invalid_argument(f"{name}: {self._why[len(given) == 1]}")
        if plan is None or len(given) not in (1, 2):
            way = "one memory" if True in self._plans else "two"
            raise names.invalid_argument(f"{name}: got {len(given)} memories; the descriptor's "
                                         f"PLACEMENT asks for {way}")
        sides = [plan.forward, plan.backward]
        types = [plan.forward_type, plan.complex_type]
        if backward:
            sides.reverse()
            types.reverse()
        found: list[Memory] = []
        if plan.inplace:
            found = [self._shared(name, given[0], sides, types)]
        else:
            for k, what in enumerate(("the input", "the output")):
                found.append(memories.held(name, what, _as_type(given[k], types[k]), types[k],
                                           sides[k].need(), writes=k == 1).memory)
            memories.check_apart(name, [memories.Held("the input", found[0], False),
                                        memories.Held("the output", found[1], True)])
        who, routine = providers.needed(LIBRARY, _routine(plan, backward=backward),
                                        plan.complex_type, queue.get_device())
        call: Any = routine
        if who.place is Place.kernels:
            made: sycl.event = call(queue, plan, backward, found, after)
            return made
        size = volume(plan.lengths) * plan.forward.count
        work = call(plan, backward)
        self._repeats.note(queue, given, backward, again(queue, who.place, name, work, found))
        cost = 5 * size * max(1.0, math.log2(size))
        if cost <= SHORT and who.place is Place.device and providers.is_processor(
                queue.get_device()) and not providers.is_chosen():
            self._short[backward, len(given)] = work, [
                (m.dtype, (m.size or 0) * np.dtype(m.base.dtype).itemsize) for m in found]
        return give(queue, who.place, name, work, found, after, cost=cost, sure=True)

    def _again(self, queue: sycl.queue, backward: bool, given: tuple[Any, ...]) -> bool:
        """Do a short transform of arrays as came before, if nothing is in its way."""
        known = self._short.get((backward, len(given)))
        if known is None or providers.is_chosen():
            return False
        work, wanted = known
        bound, ends = [], []
        for x, (kind, need) in zip(given, wanted, strict=True):
            if type(x) is not np.ndarray or x.dtype is not kind or x.nbytes < need or (
                    not x.flags.aligned):
                return False
            try:
                at = ADDRESS(CELL(x))
            except (TypeError, ValueError, BufferError):
                return False  # what is wrong is told by the long way
            bound.append(Bound(at, x.size, kind, x))
            ends.append((at, at + need))
        if len(ends) == 2 and ends[0][0] < ends[1][1] and ends[1][0] < ends[0][1]:
            return False
        return queue.ext_unisycl_call_now(work, None, *bound)

    def _shared(self, name: str, given: Any, sides: list[Side], types: list[Any]) -> Memory:
        """Return the memory of a transform in place, of either side's type."""
        kind: Any = memories.flat(name, "the data", given).dtype
        if kind not in types:
            raise names.invalid_argument(f"{name}: the data have elements of {kind}; "
                                         f"{' or '.join(str(t) for t in dict.fromkeys(types))} "
                                         "are needed")
        need = max(s.need() * t.itemsize for s, t in zip(sides, types, strict=True))
        return memories.held(name, "the data", given, np.dtype(kind), -(-need // kind.itemsize),
                             writes=True).memory


def _as_type(x: Any, kind: np.dtype[Any]) -> Any:
    """Return complex numbers that were given as twice as many real ones as such."""
    if isinstance(x, np.ndarray) and kind.kind == "c" and x.dtype.kind == "f" and (
            x.dtype.itemsize * 2 == kind.itemsize and x.ndim == 1 and x.flags.c_contiguous
            and x.size % 2 == 0):
        return x.view(kind)
    return x


@functools.lru_cache(maxsize=256)
def _routine(plan: Plan, *, backward: bool) -> str:
    """Return the routine for a plan: what not every provider can do is in its name."""
    found = "transform"
    if not all(smooth(n) for n in plan.lengths):
        found += ".large"
    if not (plan.forward.nested() and plan.backward.nested()):
        found += ".strided"
    if min(min(*side.strides, side.distance) for side in (plan.forward, plan.backward)) < 1:
        found += ".turned"
    if plan.scales[backward] != 1:
        found += ".scaled"
    return found + (".kept" if plan.real and backward and not plan.inplace else "")


def _require_doubles(device: sycl.device) -> None:
    if not device.has(sycl.aspect.fp64):
        raise sycl.UnsupportedError(sycl.errc.feature_not_supported, "descriptor: precision.DOUBLE "
                                    "needs a device with aspect fp64")


@ends_at_call
def compute_forward(transform: descriptor, *memory: Any, dependencies: Any = ()) -> sycl.event:
    """Transform: ``compute_forward(descriptor, data)``, or ``(descriptor, input, output)``.

    Args:
        transform: a committed descriptor.
        memory: the data of a transform in place, else the input and the output.
        dependencies: events to wait for.
    """
    return _asked("compute_forward", transform)._compute("compute_forward", False, memory,
                                                         dependencies)


@ends_at_call
def compute_backward(transform: descriptor, *memory: Any, dependencies: Any = ()) -> sycl.event:
    """Transform back; without scales, forward and back multiply by the number of elements."""
    return _asked("compute_backward", transform)._compute("compute_backward", True, memory,
                                                          dependencies)


def _asked(name: str, transform: Any) -> descriptor:
    if not isinstance(transform, descriptor):
        raise names.invalid_argument(f"{name}: the first argument is a descriptor, got "
                                     f"{type(transform).__name__}")
    return transform
