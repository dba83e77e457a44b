"""Splines: what a program says of one, its coefficients, and interpolation at sites.

Non-goals: kernels (``kernels.splines``). Invariants: memory is used where it lies; nothing is
computed before everything that the kind of spline needs has been set.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.data_fitting import kinds
from unisycl.oneapi.mkl.data_fitting.kinds import (
    bc_type,
    cubic_spline,
    derivative,
    interpolate_hint,
    linear_spline,
    partition_hint,
    storage_hint,
)
from unisycl.oneapi.mkl.kernels import splines
from unisycl.oneapi.mkl.names import Option


def _option(routine: str, what: str, value: Any, kind: Any) -> Option:
    known = [v for v in vars(kind).values() if isinstance(v, Option)]
    if not any(value is v for v in known):
        raise names.invalid_argument(f"{routine}: {what} must be one of "
                                     f"{', '.join(map(repr, known))}, got {value!r}")
    found: Option = value
    return found


class spline:
    """A spline of one or more functions of one variable, on a queue (oneMKL, ``data_fitting``).

    Args:
        queue: where it is made and used.
        kind: ``linear_spline.default_type`` or one of ``cubic_spline``'s.
        ny: how many functions.
        were_coeffs_computed: whether the memory of ``set_coefficients`` has them already.
    """

    @ends_at_call
    def __init__(self, queue: sycl.queue, kind: Option, ny: int = 1,
                 were_coeffs_computed: bool = False) -> None:
        if not isinstance(queue, sycl.queue):
            raise names.invalid_argument(f"spline: the first argument is a queue, got "
                                         f"{type(queue).__name__}")
        if kind is not linear_spline.default_type:
            _option("spline", "the kind", kind, cubic_spline)
        self._queue, self._kind = queue, kind
        self._ny = names.whole("spline", "ny", ny, 1)
        self._nx = 0
        self._type: Any = None
        self._points: Memory | None = None
        self._even = False
        self._values: Memory | None = None
        self._by_function = True
        self._slopes: Memory | None = None
        self._ends: tuple[Option, Any] | None = None
        self._lost_ends = False
        self._coefficients: Memory | None = None
        self._done = were_coeffs_computed
        self._made: list[sycl.event] = []

    @ends_at_call
    def set_partitions(self, input_data: Any, nx: int,
                       PartitionHint: Option = partition_hint.non_uniform) -> spline:
        """Say where the partition points are, which ascend.

        Args:
            input_data: memory of float32 or float64; of two numbers if they are uniform.
            nx: how many points, 2 or more.
            PartitionHint: how they are given.
        """
        what = "set_partitions"
        count = names.whole(what, "nx", nx, 2)
        hint = _option(what, "PartitionHint", PartitionHint, partition_hint)
        even = hint is partition_hint.uniform
        kind: Any = memories.flat(what, "the points", input_data).dtype
        if kind not in (np.float32, np.float64):
            raise names.invalid_argument(f"{what}: the points are {kind}; float32 or float64 are "
                                         "needed")
        held = memories.held(what, "the points", input_data, kind, 2 if even else count,
                             writes=False)
        base = held.memory.base
        if isinstance(base, np.ndarray):
            if self._queue.is_in_order():
                self._queue.wait()  # for what writes the points
            seen = base[held.memory.first:held.memory.first + (2 if even else count)]
            if not (np.diff(seen) > 0).all():
                raise names.invalid_argument(f"{what}: the points must ascend")
        if (count, kind) != (self._nx, self._type):
            self._coefficients = None
        if kind != self._type and self._ends is not None and self._ends[1] is not None:
            self._ends, self._lost_ends = None, True
        self._nx, self._type, self._points, self._even = count, kind, held.memory, even
        self._values = self._slopes = None
        self._made = []
        return self

    def _memory(self, what: str, which: str, x: Any, count: int, *, writes: bool) -> Memory:
        if self._points is None:
            raise names.uninitialized(f"{what}: call set_partitions first")
        return memories.held(what, which, x, self._type, count, writes=writes).memory

    @ends_at_call
    def set_function_values(self, input_data: Any,
                            FunctionHint: Option = storage_hint.row_major) -> spline:
        """Say what the functions are at the partition points: ``ny * nx`` numbers.

        Args:
            input_data: the memory.
            FunctionHint: how they lie.
        """
        what = "set_function_values"
        hint = _option(what, "FunctionHint", FunctionHint, storage_hint)
        self._values = self._memory(what, "the values", input_data, self._ny * self._nx,
                                    writes=False)
        self._by_function = hint is storage_hint.row_major
        return self

    @ends_at_call
    def set_coefficients(self, data: Any,
                         CoeffHint: Option = storage_hint.row_major) -> spline:
        """Say where coefficients go, or are: ``get_required_coeffs_size()`` numbers.

        Those of one cell follow one another, the constant first; then the cells of a function.

        Args:
            data: the memory.
            CoeffHint: ``storage_hint.row_major``.
        """
        what = "set_coefficients"
        if _option(what, "CoeffHint", CoeffHint, storage_hint) is not storage_hint.row_major:
            raise names.invalid_argument(f"{what}: coefficients lie row by row only")
        self._coefficients = self._memory(what, "the coefficients", data,
                                          self.get_required_coeffs_size(), writes=not self._done)
        self._made = []
        return self

    @ends_at_call
    def set_internal_conditions(self, input_data: Any) -> spline:
        """Give the slopes at the points inside, ``ny * (nx - 2)``, for Hermite's splines.

        Args:
            input_data: the memory, function by function.
        """
        what = "set_internal_conditions"
        if self._kind is not cubic_spline.hermite:
            raise names.invalid_argument(f"{what}: only {cubic_spline.hermite!r} takes slopes; "
                                         f"this is {self._kind!r}")
        self._slopes = self._memory(what, "the slopes", input_data, self._ny * (self._nx - 2),
                                    writes=False)
        return self

    @ends_at_call
    def set_boundary_conditions(self, input_data: Any = None,
                                BCType: Option = bc_type.free_end) -> spline:
        """Say what a cubic spline does at its ends; left out, they are free, or Akima's own.

        Args:
            input_data: ``2 * ny`` derivatives where the type asks for them: the left ones first.
            BCType: the condition.
        """
        what = "set_boundary_conditions"
        if self._kind is linear_spline.default_type:
            raise names.invalid_argument(f"{what}: linear splines have none")
        kind = _option(what, "BCType", BCType, bc_type)
        needs = kind in (bc_type.first_derivative, bc_type.second_derivative)
        if needs != (input_data is not None):
            raise names.invalid_argument(f"{what}: {kind!r} takes "
                                         + (f"{2 * self._ny} derivatives" if needs else "no data"))
        held = self._memory(what, "the derivatives", input_data, 2 * self._ny,
                            writes=False) if needs else None
        self._ends = kind, held
        self._lost_ends = False
        return self

    def get_required_coeffs_size(self) -> int:
        """Return how many coefficients there are."""
        return self._ny * max(self._nx - 1, 0) * self._kind.number

    def is_initialized(self) -> bool:
        """Say whether everything that this kind of spline needs was set."""
        return not self._missing()

    def _missing(self) -> list[str]:
        needs = {"set_partitions": self._points, "set_coefficients": self._coefficients}
        if not self._done:
            needs["set_function_values"] = self._values
            if self._kind is cubic_spline.hermite and self._nx > 2:
                needs["set_internal_conditions"] = self._slopes
        return [name for name, x in needs.items() if x is None] + (
            ["set_boundary_conditions"] if self._lost_ends and not self._done else [])

    def _check(self, routine: str) -> None:
        missing = self._missing()
        if missing:
            raise names.uninitialized(f"{routine}: the spline is not complete; call "
                                      + ", ".join(missing))

    def _knots(self) -> Record:
        values = self._points if self._values is None else self._values
        down, along = (self._nx, 1) if self._by_function else (1, self._ny)
        return Record(splines.knots, self._points, self._even, np.int64(self._nx), values,
                      np.int64(down), np.int64(along), self._type.type)

    @ends_at_call
    def construct(self, dependencies: Any = ()) -> sycl.event:
        """Compute the coefficients; return the event.

        Args:
            dependencies: events to wait for.

        Raises:
            mkl.uninitialized: something was not set.
            mkl.invalid_argument: too few points for the condition at the ends, or overlaps.
        """
        if self._done:
            raise names.invalid_argument("construct: this spline was made with coefficients that "
                                         "were computed before (were_coeffs_computed)")
        self._check("construct")
        made, points, values = self._coefficients, self._points, self._values
        assert made is not None and points is not None  # noqa: PT018
        ends, given = self._ends or (None, None)
        if ends is bc_type.not_a_knot and self._nx < 4:
            raise names.invalid_argument("construct: not_a_knot needs 4 partition points or more, "
                                         f"there are {self._nx}")
        read = [m for m in (points, values, self._slopes, given) if m is not None]
        memories.check_apart("construct", [memories.Held("the coefficients", made, True), *(
            memories.Held("memory that is read", m, False) for m in read)])
        call = Call("construct", self._queue, events_of(dependencies))
        cells = self._ny * (self._nx - 1)
        if self._kind is linear_spline.default_type:
            call.launch(cells, splines.lines, self._knots(), made)
        else:
            found = self._find_slopes(call, ends, given)
            call.launch(cells, splines.cubics, self._knots(), found, made)
        done = call.done().get_event()
        self._made = [done]
        return done

    def _find_slopes(self, call: Call, ends: Option | None, given: Memory | None) -> Memory:
        own = ends is None and self._kind is cubic_spline.akima
        number = splines.AKIMA if own else (ends or bc_type.free_end).number
        zeros = call.scratch(2 * self._ny, self._type) if given is None else given
        end = Record(splines.ends, np.int32(number), np.int32(number), zeros.part(0, self._ny),
                     zeros.part(self._ny, 2 * self._ny))
        count = self._ny * self._nx
        found = call.scratch(count, self._type)
        if self._kind is cubic_spline.hermite:
            slopes = self._slopes if self._slopes is not None else zeros
            call.launch(self._ny, splines.given_slopes, self._knots(), end, slopes, found)
        elif self._kind is cubic_spline.natural:
            room = Record(splines.scratch, call.scratch(count, self._type),
                          call.scratch(count, self._type))
            call.launch(self._ny, splines.smooth_slopes, self._knots(), end, room, found)
        else:
            call.launch(self._ny, kinds.RULES[self._kind], self._knots(), end, found)
        return found

    def __repr__(self) -> str:
        state = "" if self.is_initialized() else ", not complete"
        return f"<spline {self._kind.name} of {self._ny} x {self._nx} values{state}>"


def _derivatives(routine: str, asked: Any) -> derivative:
    """Return which derivatives are asked for; refuse what is none."""
    try:
        found = derivative(asked)
    except (TypeError, ValueError):
        found = derivative(0)
    if not 0 < found <= derivative(15):
        raise names.invalid_argument(f"{routine}: DerIndicator must be one of derivative's or "
                                     f"several, got {asked!r}")
    return found


@ends_at_call
def interpolate(interpolant: spline, sites: Any, n_sites: int, results: Any,
                DerIndicator: derivative = derivative.zero, *, dependencies: Any = (),
                ResultHint: Option = interpolate_hint.funcs_sites_ders) -> sycl.event:
    """Compute a spline, and its derivatives, at sites; return the event.

    A site before the first partition point belongs to the first cell, one behind the last to the
    last: the polynomial goes on there.

    Args:
        interpolant: the spline, behind whose construction this command runs.
        sites: memory of the spline's type, in any order.
        n_sites: how many sites.
        results: memory for ``ny * n_sites`` numbers for each derivative.
        DerIndicator: what is computed, as ``derivative.zero | derivative.first``.
        dependencies: events to wait for.
        ResultHint: how the results lie.

    Raises:
        mkl.uninitialized: the spline has no coefficients.
        mkl.invalid_argument: memory is too small, of another type, or overlaps.
    """
    what = "interpolate"
    if not isinstance(interpolant, spline):
        raise names.invalid_argument(f"{what}: the first argument is a spline, got "
                                     f"{type(interpolant).__name__}")
    return _interpolate(interpolant, sites, names.whole(what, "n_sites", n_sites), results,
                        (_derivatives(what, DerIndicator), _option(what, "ResultHint", ResultHint,
                                                           interpolate_hint)), dependencies)


def _interpolate(s: Any, sites: Any, count: int, results: Any,
                 asked: tuple[derivative, Option], dependencies: Any) -> sycl.event:
    what = "interpolate"
    s._check(what)
    if not (s._done or s._made):
        raise names.uninitialized(f"{what}: the spline has no coefficients; call construct")
    flags, hint = asked
    ders = flags.bit_count()
    given = s._memory(what, "sites", sites, count, writes=False)
    target = s._memory(what, "results", results, count * s._ny * ders, writes=True)
    memories.check_apart(what, [memories.Held("results", target, True), *(
        memories.Held(n, m, False) for n, m in (
            ("sites", given), ("the coefficients", s._coefficients),
            ("the partition", s._points)))])
    extent = {"f": s._ny, "s": count, "d": ders}
    steps = {"f": 1, "s": 1, "d": 1}
    for k, letter in enumerate(hint.letter):
        for later in hint.letter[k + 1:]:
            steps[letter] *= extent[later]
    call = Call(what, s._queue, [*events_of(dependencies), *s._made])
    asked_for = splines.request(
        s._kind.number, np.int64(s._ny), np.int64(count), bool(flags & derivative.first),
        bool(flags & derivative.second), bool(flags & derivative.third),
        bool(flags & derivative.zero), *(np.int64(steps[x]) for x in "fsd"))
    if count:
        call.launch(count, splines.interpolate, s._knots(), s._coefficients, given, target,
                    asked_for)
    return call.done().get_event()
