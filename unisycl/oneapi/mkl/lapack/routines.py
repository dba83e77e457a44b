"""Routines of LAPACK as programs call them, and what they say of a problem that has no answer.

Non-goals: who computes. Invariants: what LAPACK calls info becomes ``computation_error`` of the
command, raised where the program waits for it; a batch goes on behind a problem without an answer.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import RAISED, shorten
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame.call import empty
from unisycl.oneapi.frame.native import give
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.results import behind, events_of
from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.blas.table import Row
from unisycl.oneapi.mkl.lapack import groups, table
from unisycl.oneapi.mkl.lapack.arguments import Given, Reader, names_of

LIBRARY = "mkl.lapack"
SCRATCHPAD = 1
"""How many elements a scratchpad has: providers have memory of their own for what they need."""

_MEANINGS = {
    "getrf": "element {0}, {0} of U is exactly 0: the matrix is singular",
    "getri": "element {0}, {0} of U is exactly 0: the matrix is singular",
    "potrf": "the leading part of {0} rows is not positive definite",
    "potri": "element {0}, {0} of the factor is 0: the matrix is singular",
    "sytrf": "element {0}, {0} of D is exactly 0: the matrix is singular",
    "hetrf": "element {0}, {0} of D is exactly 0: the matrix is singular",
    "trtrs": "element {0}, {0} of the diagonal is 0: the matrix is singular",
    "gels": "element {0}, {0} of the triangular factor is 0: the matrix has not full rank",
    "gesvd": "{0} superdiagonals did not converge to 0",
    "syevd": "it did not converge (info {0})",
    "heevd": "it did not converge (info {0})",
    "sygvd": "info {0}: it did not converge, or b is not positive definite",
    "hegvd": "info {0}: it did not converge, or b is not positive definite",
}


def form_of(row: Row, read: Given) -> str:
    """Return what providers are asked for; some have no singular values of wide matrices."""
    wide = row.name == "gesvd" and read.named["m"] < read.named["n"]
    return f"{row.name}.wide" if wide else row.name


class Routine:
    """A routine of LAPACK; called with a queue, its arguments, and optionally a scratchpad."""

    def __init__(self, row: Row, *, batch: bool) -> None:
        self._row, self._batch = row, batch
        self.__name__ = self.__qualname__ = row.name + ("_batch" if batch else "")
        self.__doc__ = f"{self.__name__} of LAPACK, column by column; returns its event."
        self._names = names_of(row, batch=batch)
        words = len(groups.words(row)) if batch else 0
        self._counts = {n + more for n in (len(self._names), words) if n for more in (0, 2)}
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature(
            [inspect.Parameter("queue", kind), *(inspect.Parameter(n, kind) for n in self._names),
             inspect.Parameter("scratchpad", kind, default=None),
             inspect.Parameter("scratchpad_size", kind, default=None),
             inspect.Parameter("dependencies", inspect.Parameter.KEYWORD_ONLY, default=())])

    def __call__(self, queue: sycl.queue, *args: Any, dependencies: Any = (),
                 **named: Any) -> sycl.event:
        try:
            for count in self._counts:
                args, dependencies = behind(args, count, dependencies)
            return self._submit(queue, args, dependencies, named)
        except RAISED as error:
            shorten(error)
            raise

    def _submit(self, queue: sycl.queue, args: tuple[Any, ...], dependencies: Any,
                named: dict[str, Any]) -> sycl.event:
        name = self.__name__
        if not isinstance(queue, sycl.queue):
            raise names.invalid_argument(f"{name}: the first argument is a queue, got "
                                         f"{type(queue).__name__}")
        first = args[0] if args else named.get(self._names[0])
        if self._batch and isinstance(first, list | tuple):
            return self._in_groups(queue, self._named(args, named, groups.words(self._row)),
                                   events_of(dependencies))
        given = self._named(args, named, self._names)
        read = Reader(name, self._row, given, batch=self._batch).read()
        self._check_scratchpad(given, read)
        found, routine = providers.needed(LIBRARY, form_of(self._row, read),
                                          read.held[0].memory.dtype, queue.get_device())
        call: Any = routine
        if getattr(call, "asynchronous", False):
            return self._judged_later(queue, found, call, [read], events_of(dependencies))

        def work(native: Any, *bound: Any) -> None:
            infos = call(native, read, [b.address for b in bound])
            self._judge(infos, read)

        return give(queue, found.place, name, work, [h.memory for h in read.held],
                    events_of(dependencies), cost=read.cost)

    def _in_groups(self, queue: sycl.queue, given: dict[str, Any],
                   after: list[sycl.event]) -> sycl.event:
        """Solve the problems of all groups: in one command where a library of the host does it."""
        every = groups.problems(self.__name__, self._row, given)
        if not every:
            return queue.ext_oneapi_submit_barrier(after) if after else sycl.event()
        self._check_scratchpad(given, every[0])
        found, routine = providers.needed(LIBRARY, form_of(self._row, every[0]),
                                          every[0].held[0].memory.dtype, queue.get_device())
        call: Any = routine
        if getattr(call, "asynchronous", False):
            return self._judged_later(queue, found, call, every, after)

        def work(native: Any, *bound: Any) -> None:
            at, infos = [b.address for b in bound], []
            for read in every:
                infos += call(native, read, at[:len(read.held)])
                del at[:len(read.held)]
            self._judge(infos, every[0])

        return give(queue, found.place, self.__name__, work,
                    [h.memory for read in every for h in read.held], after,
                    cost=sum(read.cost for read in every))

    def _judged_later(self, queue: sycl.queue, found: providers.provider, call: Any,
                      every: list[Given], after: list[sycl.event]) -> sycl.event:
        """Have a device's library do the work; what became of it is read behind it."""
        begun = [self._begun(queue, found, call, read, after) for read in every]

        def judge() -> None:  # what the library needs lives as long as this
            infos = [int(x) for _, base, read, _ in begun for x in base[:read.batch]]
            self._judge(infos, every[0], found.name)

        def group(h: sycl.handler) -> None:
            h.depends_on([done for done, *_ in begun])
            h.host_task(judge)

        return queue.submit(group)

    def _begun(self, queue: sycl.queue, found: providers.provider, call: Any, read: Given,
               after: list[sycl.event]) -> tuple[sycl.event, Any, Given, list[Any]]:
        """Give problems to a device's library; return when it is done, what it says and needs."""
        infos = Memory(empty(queue, max(read.batch, 1), np.dtype(np.int32)), 0, read.batch)
        base: Any = infos.base
        base[:] = 0
        kept: list[Any] = []

        def work(native: Any, *bound: Any) -> None:
            *addresses, info = (b.address for b in bound)
            kept.append(call.give(queue, native, read, addresses, info))

        done = give(queue, found.place, self.__name__, work,
                    [*(h.memory for h in read.held), infos], after, cost=read.cost)
        return done, base, read, kept

    def _named(self, args: tuple[Any, ...], named: dict[str, Any],
               wanted: list[str]) -> dict[str, Any]:
        known = [*wanted, "scratchpad", "scratchpad_size"]
        given = dict(zip(known, args, strict=False))
        again, strange = given.keys() & named.keys(), named.keys() - set(known)
        given.update(named)
        missing = [n for n in wanted if n not in given]
        if len(args) > len(known) or again or strange or missing:
            what = (f"unknown: {', '.join(sorted(strange))}" if strange else
                    f"given twice: {', '.join(sorted(again))}" if again else
                    f"missing: {', '.join(missing)}" if missing else "too many arguments")
            raise names.invalid_argument(f"{self.__name__}: {what}; it takes (queue, "
                                         f"{', '.join(wanted)}, scratchpad=None, "
                                         "scratchpad_size=None, dependencies=())")
        return given

    def _check_scratchpad(self, given: dict[str, Any], read: Given) -> None:
        """Refuse a scratchpad that is none; it is not used."""
        pad = given.get("scratchpad")
        if pad is None:
            return
        kind: Any = read.held[0].memory.dtype
        size = given.get("scratchpad_size")
        have = memories.held(self.__name__, "scratchpad", pad, kind, 0, writes=True)
        names.whole(self.__name__, "scratchpad_size", have.memory.size if size is None else size,
              SCRATCHPAD)

    def _judge(self, infos: list[int], read: Given, who: str = "") -> None:
        """Raise what LAPACK says of problems without an answer."""
        for info in infos:
            if info < 0 and who:
                raise names.invalid_argument(f"{self.__name__}: {who} does not take its argument "
                                             f"{-info}")
            if info < 0:
                at = -info - 2  # LAPACKE counts the layout, too, and from 1
                what = self._row.arguments[at].name if (
                    0 <= at < len(self._row.arguments)) else "memory"
                raise names.invalid_argument(f"{self.__name__}: {what.split('=')[0]} is wrong or "
                                             "has elements that are not numbers")
        if not any(infos):
            return
        text = _MEANINGS.get(self._row.name, "it failed (info {0})")
        first = next(i for i in infos if i)
        if self._batch:
            raise names.batch_error(f"{self.__name__}: of problem {infos.index(first)}, "
                                    f"{text.format(first)}", infos)
        raise names.computation_error(f"{self.__name__}: {text.format(first)}", first)

    def __repr__(self) -> str:
        return f"<routine {self.__name__}>"


def scratchpad_size(name: str) -> Any:
    """Return the function that says how many elements a routine's scratchpad must have."""
    def size(queue: sycl.queue, *args: Any, **named: Any) -> int:
        del queue, args, named
        return SCRATCHPAD

    size.__name__ = size.__qualname__ = f"{name}_scratchpad_size"
    size.__doc__ = f"How many elements the scratchpad of ``{name}`` must have at least."
    return size


def make() -> dict[str, Any]:
    """Return all routines and what says how large their scratchpads are, by their names."""
    found: dict[str, Any] = {}
    for row in table.ROUTINES.values():
        for batch in (False, True) if row.name in table.BATCHED else (False,):
            routine = Routine(row, batch=batch)
            found[routine.__name__] = routine
            found[f"{routine.__name__}_scratchpad_size"] = scratchpad_size(routine.__name__)
    return found
