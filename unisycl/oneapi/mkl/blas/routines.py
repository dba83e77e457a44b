"""Routines of BLAS as programs call them: checked, given to a provider, ordered in a queue.

A routine of which the very arguments came before, over host memory and with nothing in its way, is
called at once: nothing is looked up but the arguments, whose memory is checked again. Non-goals:
who computes. Invariant: what is remembered are sizes and numbers, never memory.
"""

from __future__ import annotations

import operator
import weakref
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import RAISED, shorten
from unisycl.oneapi.frame import native, providers
from unisycl.oneapi.frame.native import ADDRESS, CELL, SHORT, give
from unisycl.oneapi.frame.providers import Place
from unisycl.oneapi.frame.repeats import Repeats
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.mkl import names
from unisycl.oneapi.mkl.blas import modes, table
from unisycl.oneapi.mkl.blas.arguments import Given, Reader, names_of, signature_of
from unisycl.oneapi.mkl.blas.modes import compute_mode

LIBRARY = "mkl.blas"
_MOST = 512
_ENDED = sycl.event()
_UNSET = compute_mode.unset


class _Plan:
    """A call that came before, but for its memory."""

    __slots__ = ("arguments", "function", "kept", "kinds", "needs", "places", "queue", "slots",
                 "writes")

    def __init__(self, queue: sycl.queue, routine: Any, given: Given, layout: int) -> None:
        self.queue = weakref.ref(queue)
        self.arguments, self.slots, self.kept = routine.prepare(given, layout)
        self.function = routine.function
        self.kinds = [np.dtype(h.memory.base.dtype) for h in given.held]
        self.needs = [(h.memory.size or 0) * k.itemsize
                      for h, k in zip(given.held, self.kinds, strict=True)]
        self.writes = [h.writes for h in given.held]

    def bound(self, memory: tuple[Any, ...]) -> list[Any] | None:
        """Return the arguments with the addresses of this call's memory; None if it is another."""
        call: list[Any] = self.arguments.copy()
        ends: list[tuple[int, int, bool]] = []
        for k, x in enumerate(memory):
            need = self.needs[k]
            if type(x) is not np.ndarray or x.dtype is not self.kinds[k] or x.nbytes < need:
                return None
            at = call[self.slots[k]] = ADDRESS(CELL(x))
            for first, last, written in ends:
                if at < last and first < at + need and (self.writes[k] or written):
                    return None
            ends.append((at, at + need, self.writes[k]))
        return call


class _Product(_Plan):
    """A call with two matrices that are read and one of the same type that is written, as gemm."""

    __slots__ = ("at", "kind", "sizes")

    def __init__(self, queue: sycl.queue, routine: Any, given: Given, layout: int) -> None:
        super().__init__(queue, routine, given, layout)
        self.kind, self.sizes, self.at = self.kinds[0], tuple(self.needs), tuple(self.slots)

    def bound(self, memory: tuple[Any, ...]) -> list[Any] | None:
        """Return what ``_Plan.bound`` does, in fewer steps."""
        a, b, c = memory
        kind = self.kind
        if a.dtype is not kind or b.dtype is not kind or c.dtype is not kind:
            return None
        na, nb, nc = self.sizes
        if a.nbytes < na or b.nbytes < nb or c.nbytes < nc:
            return None
        i, j, k = self.at
        call: list[Any] = self.arguments.copy()
        call[i] = pa = ADDRESS(CELL(a))
        call[j] = pb = ADDRESS(CELL(b))
        call[k] = pc = ADDRESS(CELL(c))
        if (pa < pc + nc and pc < pa + na) or (pb < pc + nc and pc < pb + nb):
            return None
        return call


class Routine:
    """A routine of one namespace; called with a queue and the routine's arguments."""

    def __init__(self, row: table.Row, layout: names.Option) -> None:
        self._row, self._layout = row, layout
        self.__name__ = self.__qualname__ = row.name
        self.__doc__ = f"{row.name} of BLAS ({layout.name}); returns its event."
        self.__signature__ = signature_of(row)
        self._names = names_of(row)
        self._most = len(self._names)
        memory = [a.name for a in row.arguments
                  if isinstance(a, table.Matrix | table.Vector | table.Memory)]
        self._places = tuple(self._names.index(n) for n in memory)
        rest = [k for k in range(len(self._names)) if k not in self._places]
        self._key = operator.itemgetter(*rest) if len(rest) > 1 else None
        self._memory = operator.itemgetter(*self._places) if len(memory) > 1 else None
        self._plans: dict[int, dict[Any, _Plan]] = {}
        self._repeats = Repeats(_MOST // 8)

    def __call__(self, queue: sycl.queue, *args: Any, dependencies: Any = (),
                 mode: Any = _UNSET, **named: Any) -> sycl.event:
        try:
            if mode is not _UNSET or len(args) > self._most:
                args, mode, dependencies = modes.split(self._row.name, self._most, args, mode,
                                                       dependencies)
            elif not dependencies and not named and self._again(queue, args):
                return _ENDED
            return self._submit(queue, args, dependencies, named, mode)
        except RAISED as error:
            shorten(error)
            raise

    def _again(self, queue: sycl.queue, args: tuple[Any, ...]) -> bool:
        """Do a call that came before, if nothing is in its way."""
        try:
            plan = self._plans[id(queue)][self._key(args)]  # type: ignore[misc]
            if plan.queue() is not queue or providers.is_chosen():
                return False
            call = plan.bound(self._memory(args))  # type: ignore[misc]
        except (LookupError, TypeError, ValueError, AttributeError, BufferError):
            return False  # what is wrong is told by the long way
        return call is not None and queue.ext_unisycl_call_now(plan.function, *call)

    def _submit(self, queue: sycl.queue, args: tuple[Any, ...], dependencies: Any,
                named: dict[str, Any], mode: compute_mode) -> sycl.event:
        name = self._row.name
        if not isinstance(queue, sycl.queue):
            raise names.invalid_argument(f"{name}: the first argument is a queue, got "
                                         f"{type(queue).__name__}")
        after = events_of(dependencies)
        again = not named and len(args) == self._most and self._memory and self._key
        if again and self._repeats:
            done = self._repeated(queue, args, mode, after)
            if done is not None:
                return done
        given = Reader(self._row, self._named(args, named),
                       rows_lie=self._layout is names.layout.row_major).read()
        kind = given.held[0].memory.dtype
        routine: Any
        rows = self._layout is names.layout.row_major and name not in table.LEVEL1
        found, routine = providers.needed(LIBRARY, f"{name}.rows" if rows else name, kind,
                                          queue.get_device())
        if mode:
            routine = modes.chosen(name, mode, given.letter, routine)
        if found.place is Place.kernels:
            made: sycl.event = routine.launch(queue, given, self._layout, after)
            return made
        if not mode:
            self._remember(queue, args, given, routine, found.place)
        work = routine.work(given, self._layout.number)
        memory = [h.memory for h in given.held]
        if again and found.place is Place.device:
            self._repeats.note(queue, self._memory(args),  # type: ignore[misc]
                               (mode, self._key(args)),  # type: ignore[misc]
                               native.again(queue, found.place, name, work, memory))
        return give(queue, found.place, name, work, memory, after, cost=given.cost, sure=True)

    def _repeated(self, queue: sycl.queue, args: tuple[Any, ...], mode: compute_mode,
                  after: list[sycl.event]) -> sycl.event | None:
        """Do a call of a device's library that came before, with the very same USM memory."""
        try:
            objects, key = self._memory(args), self._key(args)  # type: ignore[misc]
            return self._repeats.submit(queue, objects, (mode, key), after)
        except TypeError:  # something that has no hash
            return None

    def _named(self, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        known = self._names
        given = dict(zip(known, args, strict=False))
        again = given.keys() & named.keys()
        strange = named.keys() - set(known)
        missing = [n for n in known if n not in given and n not in named]
        if len(args) > len(known) or again or strange or missing:
            what = (f"unknown: {', '.join(sorted(strange))}" if strange else
                    f"given twice: {', '.join(sorted(again))}" if again else
                    f"missing: {', '.join(missing)}" if missing else "too many arguments")
            raise names.invalid_argument(f"{self._row.name}: {what}; it takes (queue, "
                                         f"{', '.join(known)}, dependencies=())")
        return {**given, **named}

    def _remember(self, queue: sycl.queue, args: tuple[Any, ...], given: Given, routine: Any,
                  place: Place) -> None:
        """Note a call that may come again; only what returns nothing and is short."""
        if place is not Place.device or given.cost > SHORT or self._row.result or not (
                hasattr(routine, "prepare")) or (
                self._key is None or self._memory is None or len(args) != len(self._names)) or (
                not providers.is_processor(queue.get_device())) or providers.is_chosen():
            return
        if sum(map(len, self._plans.values())) >= _MOST:
            self._plans.clear()
        kind = _Product if [h.writes for h in given.held] == [False, False, True] else _Plan
        self._plans.setdefault(id(queue), {})[self._key(args)] = kind(
            queue, routine, given, self._layout.number)

    def __repr__(self) -> str:
        return f"<{self._layout.name} routine {self._row.name}>"


class Namespace:
    """All routines for one order of elements, by their names."""

    def __init__(self, layout: names.Option) -> None:
        self._layout = layout
        for row in table.ROUTINES.values():
            setattr(self, row.name, Routine(row, layout))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"oneMKL's BLAS has no routine '{name}'")

    def __repr__(self) -> str:
        return f"<namespace mkl.blas.{self._layout.name}>"
