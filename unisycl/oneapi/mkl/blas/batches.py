"""Many problems of BLAS at once: evenly apart in memory, or in groups of memories.

Non-goals: other results than a loop has. Invariants: all problems are checked before any runs; a
batch evenly apart is one command where a library serves it; problems do not wait for one another.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from typing import Any

import unisycl as sycl
from unisycl.base.tracebacks import RAISED, shorten
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame.native import Bound, give
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.providers import Place
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.blas import modes, table
from unisycl.oneapi.mkl.blas.arguments import Given, Reader, names_of
from unisycl.oneapi.mkl.blas.modes import compute_mode
from unisycl.oneapi.mkl.blas.routines import LIBRARY, Routine
from unisycl.oneapi.mkl.memories import Held


def _names(row: table.Row) -> list[str]:
    """Return the names of the arguments: a stride behind each leading dimension or increment."""
    found: list[str] = []
    for name in names_of(row):
        found.append(name)
        if name[:2] == "ld" or name[:3] == "inc":
            found.append("stride_" + name.removeprefix("ld").removeprefix("inc"))
    return [*found, "batch_size"]


class Batch:
    """The form of a routine for many problems.

    Called as oneMKL has it with strides and ``batch_size``; or in groups: lists for all options,
    sizes and numbers, lists of memories, then ``group_count`` and a list of ``group_size``.
    """

    def __init__(self, routine: Routine, row: table.Row, layout: names.Option) -> None:
        self._routine, self._row, self._layout = routine, row, layout
        self.__name__ = self.__qualname__ = f"{row.name}_batch"
        self.__doc__ = f"{row.name} for many problems ({layout.name}); returns its event."
        self._names = _names(row)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([
            inspect.Parameter("queue", kind), *(inspect.Parameter(n, kind) for n in self._names),
            inspect.Parameter("dependencies", kind, default=())])

    def __call__(self, queue: sycl.queue, *args: Any, dependencies: Any = (),
                 mode: Any = compute_mode.unset, **named: Any) -> sycl.event:
        try:
            if not isinstance(queue, sycl.queue):
                raise names.invalid_argument(f"{self.__name__}: the first argument is a queue, got "
                                             f"{type(queue).__name__}")
            in_groups = bool(args) and isinstance(args[0], list | tuple)
            count = len(names_of(self._row)) + 2 if in_groups else len(self._names)
            args, mode, dependencies = modes.split(self._row.name, count, args, mode, dependencies)
            if in_groups:
                return self._groups(queue, args, dependencies, mode)
            given = {**dict(zip(self._names, args, strict=False)), **named}
            if len(args) + len(named) != count or set(given) != set(self._names):
                missing = [n for n in self._names if n not in given]
                raise names.invalid_argument(
                    f"{self.__name__}: it takes (queue, {', '.join(self._names)}, "
                    f"dependencies=()), got {len(args) + len(named)} of {count}"
                    + (f"; missing: {', '.join(missing)}" if missing else ""))
            return self._strided(queue, given, dependencies, mode)
        except RAISED as error:
            shorten(error)
            raise

    def __repr__(self) -> str:
        return f"<{self._layout.name} routine {self.__name__}>"

    # ------------------------------------------------------------------ evenly apart
    def _strided(self, queue: sycl.queue, named: dict[str, Any], dependencies: Any,
                 mode: compute_mode) -> sycl.event:
        batch = names.whole(self.__name__, "batch_size", named["batch_size"])
        rows_lie = self._layout is names.layout.row_major
        after = events_of(dependencies)
        if not batch:  # of which there may be no memory
            return queue.ext_oneapi_submit_barrier(after) if after else sycl.event()
        given = Reader(self._row, named, rows_lie=rows_lie).read()
        strides = [names.whole(self.__name__, f"stride_{h.name}", named[f"stride_{h.name}"])
                   for h in given.held]
        reach = self._reach(given, named, strides, batch)
        suffix = ".rows" if rows_lie and self._row.name not in table.LEVEL1 else ""
        routine: Any
        found, routine = providers.needed(LIBRARY, self._row.name + suffix,
                                          given.held[0].memory.dtype, queue.get_device())
        routine = modes.chosen(self.__name__, mode, given.letter, routine)
        if found.place is Place.kernels:
            events = [routine.launch(queue, self._one(given, reach, strides, k), self._layout,
                                     after) for k in range(batch)]
            return queue.ext_oneapi_submit_barrier(events)
        work = routine.work(given, self._layout.number)

        def all_of(native: Any, *bound: Bound) -> None:
            for k in range(batch):
                work(native, *(Bound(b.address + k * s * b.dtype.itemsize, b.count, b.dtype)
                               for b, s in zip(bound, strides, strict=True)))

        return give(queue, found.place, self.__name__, all_of, [h.memory for h in reach], after,
                    cost=given.cost * batch)

    def _reach(self, given: Given, named: dict[str, Any], strides: list[int],
               batch: int) -> list[Held]:
        """Return all memory of the batch, checked."""
        found = []
        for held, stride in zip(given.held, strides, strict=True):
            need = held.memory.size or 0
            if held.writes and batch > 1 and stride < need:
                raise names.invalid_argument(f"{self.__name__}: stride_{held.name} is {stride}; "
                                             f"problems have {need} elements")
            kind: Any = held.memory.dtype
            found.append(memories.held(self.__name__, held.name, named[held.name], kind,
                                       (batch - 1) * stride + need, writes=held.writes))
        memories.check_apart(self.__name__, found)
        return found

    def _one(self, given: Given, reach: list[Held], strides: list[int], k: int) -> Given:
        """Return problem ``k``."""
        held = []
        for one, all_, stride in zip(given.held, reach, strides, strict=True):
            part: Memory = all_.memory.part(k * stride, k * stride + (one.memory.size or 0))
            held.append(Held(one.name, part, one.writes))
        return dataclasses.replace(given, held=held,
                                   named={**given.named, **{h.name: h for h in held}})

    # ------------------------------------------------------------------ groups
    def _groups(self, queue: sycl.queue, args: tuple[Any, ...], dependencies: Any,
                mode: compute_mode) -> sycl.event:
        known = names_of(self._row)
        if len(args) != len(known) + 2:
            raise names.invalid_argument(f"{self.__name__}: in groups it takes (queue, "
                                         f"{', '.join(known)}, group_count, group_size), lists "
                                         "all but group_count")
        *lists, count, sizes = args
        groups = names.whole(self.__name__, "group_count", count)
        memory = [a.name for a in self._row.arguments
                  if isinstance(a, table.Matrix | table.Vector | table.Memory)]
        sizes = [names.whole(self.__name__, "group_size", n)
                 for n in self._list("group_size", sizes, groups)]
        problems: list[list[Any]] = []
        columns = [self._list(n, x, sum(sizes) if n in memory else groups)
                   for n, x in zip(known, lists, strict=True)]
        for g, size in enumerate(sizes):
            for _ in range(size):
                problems.append([c[len(problems)] if n in memory else c[g]
                                 for n, c in zip(known, columns, strict=True)])
        rows_lie = self._layout is names.layout.row_major
        written: list[Held] = []
        for problem in problems:  # all are checked before any runs
            read = Reader(self._row, dict(zip(known, problem, strict=True)), rows_lie=rows_lie)
            written += [h for h in read.read().held if h.writes]
        memories.check_apart(self.__name__, written)
        events = [self._routine(queue, *p, dependencies=dependencies, mode=mode) for p in problems]
        return queue.ext_oneapi_submit_barrier(events) if events else sycl.event()

    def _list(self, what: str, x: Any, count: int) -> Sequence[Any]:
        if not isinstance(x, list | tuple) and not hasattr(x, "tolist"):
            raise names.invalid_argument(f"{self.__name__}: {what} must be a list, got "
                                         f"{type(x).__name__}")
        if len(x) != count:
            raise names.invalid_argument(f"{self.__name__}: {what} has {len(x)} entries where "
                                         f"{count} are needed")
        return list(x)
