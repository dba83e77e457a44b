"""Launching kernels and copies: what a handler or a queue asks becomes a call of the driver.

``launch_now`` is the warm path of ``queue.parallel_for`` and is kept short. Non-goals: SYCL's
overloads (``api``). Invariant: nothing enters the graph before everything that can be refused was.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from unisycl.backends.base import HOST, BoundView, Completion, Geometry, Launch, Transfer
from unisycl.base import geometry as geo
from unisycl.base import requested_checks
from unisycl.base.allocations import block_of
from unisycl.base.errors import UsageError, errc
from unisycl.process.callers import as_done, caller
from unisycl.runtime.graph import ordering, repeated
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import Group
from unisycl.runtime.graph.completions import Prompt
from unisycl.runtime.graph.partners import Beside
from unisycl.runtime.graph.tasks import Begin, Task, begin_nothing, check_process
from unisycl.runtime.launch import (
    child_kernels,
    compiled_kernels,
    enqueued_kernels,
    grouped,
    joined,
    nd_range_parts,
    pipe_ends,
    program,
    varied,
)
from unisycl.runtime.launch.repeats import results
from unisycl.runtime.memory import staging
from unisycl.runtime.threads.per_process import process

__all__ = ["SINGLE", "BeginTransfer", "Launch", "begin_copy", "begin_fill", "begin_launch",
           "begin_nothing", "build", "launch_now", "space_geometry", "work_group_geometry"]

SINGLE = Geometry("single", (1,), (), (0,))
_MOST = 1 << 62
_ZERO = {1: (0,), 2: (0, 0), 3: (0, 0, 0)}


def _check_size(extent: tuple[int, ...]) -> None:
    """Refuse index spaces whose linear ids do not fit in 63 bits."""
    if math.prod(extent) >= _MOST:
        raise UsageError(errc.nd_range, f"an index space of {' x '.join(map(str, extent))} has "
                         "more than 2**62 work-items; launch parts of it")


@functools.lru_cache(maxsize=1024)
def _range_geometry(extent: tuple[int, ...], offset: tuple[int, ...]) -> Geometry:
    _check_size(extent)
    return Geometry("range", extent, (), offset)


@functools.lru_cache(maxsize=1024)
def _nd_geometry(extent: tuple[int, ...], local: tuple[int, ...],
                 offset: tuple[int, ...]) -> Geometry:
    """An empty index space has no work-groups, so its local range does not matter."""
    _check_size(extent)
    made = Geometry("nd_range", extent, (1,) * len(local) if 0 in extent else local, offset)
    return nd_range_parts.cut(made)[0]


_last_nd_range: list[tuple[Any, Geometry]] = [(None, SINGLE)]


@functools.lru_cache(maxsize=4096)
def int_geometry(count: int) -> Geometry:
    """Return the geometry of a range of one dimension."""
    _check_size((count,))
    return Geometry("range", tuple(geo.range(count)), (), (0,))


def space_geometry(space: Any, offset: Any = None) -> Geometry:
    """Return the geometry of a range, nd_range, int or tuple; ``errc.invalid`` if it is none."""
    if type(space) is int and offset is None:
        return int_geometry(space)
    if isinstance(space, geo.nd_range):
        known = _last_nd_range[0]
        if known[0] is not space:  # which never changes
            known = _last_nd_range[0] = space, _nd_geometry(*space.extents())
        return known[1]
    if callable(space):
        raise UsageError(errc.invalid, f"parallel_for: the index space comes first, and the kernel "
                         f"behind it: parallel_for(range, [reductions,] kernel, *arguments); "
                         f"'{getattr(space, '__name__', space)}' stands where the range belongs")
    extent = geo.as_range(space)._v
    start = _ZERO[len(extent)] if offset is None else tuple(geo.as_id(offset))
    if len(start) != len(extent):
        raise UsageError(errc.invalid, f"the offset {start} and the range {extent} differ in "
                         "dimensions")
    return _range_geometry(extent, start)


@functools.lru_cache(maxsize=1024)
def part_geometry(whole: Geometry, start: tuple[int, ...], extent: tuple[int, ...]) -> Geometry:
    """Return the geometry of a part of a range or nd_range that is all this process launches.

    Ids and ranges are those of the whole; a part of an nd_range is made of whole work-groups.
    """
    offset = tuple(o + s for o, s in zip(whole.offset, start, strict=True))
    return Geometry(whole.kind, extent, whole.local, offset, whole, alone=True)


def work_group_geometry(groups: tuple[int, ...], local: tuple[int, ...]) -> Geometry:
    """Return the geometry of a hierarchical launch; ``local`` is () if left open."""
    return Geometry("work_group", groups, local, _ZERO[len(groups)])


def build(channel: Channel, group: Group | None, function: Any, geometry: Geometry,
          arguments: tuple[Any, ...], reductions: tuple[Any, ...] = (), *,
          part: bool = False) -> Launch:
    """Return the launch of a kernel: specialised, compiled, checked, its arguments bound.

    ``part``: the geometry is one of several that make an nd_range (internal).
    """
    part = part or geometry.alone
    if geometry.whole is not None and not part:
        return _build_parts(channel, group, function, geometry.whole, arguments, reductions)
    found = program.prepare(channel.device, function, geometry, arguments, reductions,
                            channel.checks)
    return _build(channel, group, function, geometry, arguments, found, reductions=reductions,
                  part=part)


def _build(channel: Channel, group: Group | None, function: Any, geometry: Geometry,
           arguments: tuple[Any, ...], found: tuple[Any, program.Program, tuple[Any, ...]], *,
           reductions: tuple[Any, ...] = (), part: bool = False) -> Launch:
    spec, loaded, raw = found
    values = tuple([c(r, group, channel) for c, r in zip(loaded.converters, raw)])  # noqa: B905
    return _of_values(channel, group, function, geometry, arguments, (spec, loaded, raw, values),
                      reductions=reductions, part=part)


def _of_values(channel: Channel, group: Group | None, function: Any, geometry: Geometry,
               arguments: tuple[Any, ...],
               found: tuple[Any, program.Program, tuple[Any, ...], tuple[Any, ...]], *,
               reductions: tuple[Any, ...] = (), part: bool = False) -> Launch:
    spec, loaded, raw, values = found
    if part:
        values += nd_range_parts.places(loaded.kernel, geometry, raw)
    if loaded.local_params or loaded.local_bytes:
        program.check_local_memory(channel.device.info, loaded, values)
    passed = spec.passed(arguments) if spec.handled else arguments
    made = Launch(loaded.executable, geometry, values, raw, function, passed, spec.uses,
                  where=caller(), timeout=channel.timeout, urgency=channel.urgency)
    if reductions:
        made.reductions = tuple([r.bind_result(group, channel) for r in reductions])
        made.reduction_objects = reductions
    if loaded.special and pipe_ends.joins(channel.device.info, loaded.kernel):
        made.ends = pipe_ends.of_launch(loaded.kernel, raw, channel)
    if loaded.special and loaded.kernel.enqueues:
        made.tree = enqueued_kernels.plan(channel, group, spec, made)
    elif channel.driver.memory != HOST:
        stage(channel, made)
    return made


def _build_parts(channel: Channel, group: Group | None, function: Any, whole: Geometry,
                 arguments: tuple[Any, ...], reductions: tuple[Any, ...]) -> Launch:
    """Return the launch of the first part of a non-uniform nd_range, the others behind it.

    What the first has stored in reduction variables counts for those that follow.
    """
    made = [build(channel, group, function, one, arguments, reductions, part=True)
            for one in nd_range_parts.cut(whole)]
    for one in made:
        kernel = one.executable.kernel
        if kernel.enqueues:
            raise UsageError(errc.nd_range, f"kernel '{kernel.name}' enqueues kernels and cannot "
                             "run over a non_uniform_nd_range; use an nd_range")
        if kernel.progress:
            raise UsageError(errc.nd_range, f"kernel '{kernel.name}' requires progress of its "
                             "work-groups, which those of a non_uniform_nd_range do not make: "
                             "groups of one size follow those of another; use an nd_range")
    for one in made[1:]:
        one.reductions = tuple((view, False) for view, _ in one.reductions)
    made[0].rest = tuple(made[1:])
    return made[0]


def stage(channel: Channel, made: Launch) -> None:
    """Give a launch copies of the arrays that its device cannot use in place."""
    if channel.driver.memory != HOST:
        staging.settle(made, channel.driver)


def in_group(channel: Channel, group: Group, function: Any, geometry: Geometry,
             arguments: tuple[Any, ...], reductions: tuple[Any, ...],
             ) -> tuple[Launch, Begin, repeated.Again | None]:
    """Return the launch of a command group and how it begins; one made before if that is the same.

    Accessors are others in each group, but what they are bound to stays while a buffer does.
    """
    if channel.repeats and (
            (geometry.whole is None or geometry.alone) and not compiled_kernels.watchers) and (
            not reductions or _joins_again(channel, geometry)):
        known, raw = program.warm(channel, *program.known_by(function), geometry, arguments,
                                  reductions)
        if known is not None and not (known[1].special or (
                geometry.alone and nd_range_parts.declares(known[1].kernel))):
            return _in_group_again(channel, group, function, geometry, arguments, (known, raw),
                                   reductions=reductions)
    made = build(channel, group, function, geometry, arguments, reductions)
    return made, begin_launch(channel, made, reductions), None


def _joins_again(channel: Channel, geometry: Geometry) -> bool:
    """Say whether launches with reductions over an index space are such that may come again."""
    return (channel.driver.joins_again and geometry.whole is None
            and 0 not in geometry.global_)


def _in_group_again(channel: Channel, group: Group, function: Any, geometry: Geometry,
                    arguments: tuple[Any, ...], found: tuple[Any, tuple[Any, ...]], *,
                    reductions: tuple[Any, ...]) -> tuple[Launch, Begin, repeated.Again | None]:
    (spec, loaded, repeats, *_), raw = found
    near = None if reductions else repeats.but_for_numbers(raw, group, channel)
    if near is not None and (old := near.launch) is not None:
        made = _like(old, _with_numbers(channel, old, near.numbers, raw, loaded.converters, group))
        begin = begin_launch(channel, made)
        return made, begin, repeated.Again(made, begin, near.name, channel.driver)
    every = raw + results(reductions) if reductions else raw
    again = repeats.same(every, group, channel)
    if again is not None and again.launch is not None and again.begin is not None:
        if (again.run is not None or channel.extends) and not reductions and (
                type(function) is FunctionType):
            grouped.note(channel, again, found, geometry, function, len(arguments))
        return again.launch, again.begin, again
    values = tuple([c(r, group, channel) for c, r in zip(loaded.converters, raw)])  # noqa: B905
    bound = tuple([x for r in reductions for x in r.bind_variable(group, channel)])
    again = repeats.bound_to(values + bound, every)
    if again is not None and again.launch is not None and again.begin is not None:
        return again.launch, again.begin, again
    made = _of_values(channel, group, function, geometry, arguments, (spec, loaded, raw, values),
                      reductions=reductions, part=geometry.alone)
    if made.staged:
        return made, begin_launch(channel, made, reductions), None
    if not repeats.wants(every):
        begin = begin_launch(channel, made, reductions)
        once = repeated.Again(made, begin, program.label(function), channel.driver) \
            if channel.quick else None
        return made, begin, once
    made = Launch(made.executable, geometry, made.values + bound,  # not what holds the arguments
                  reductions=made.reductions, where=as_done(made.where, "first submitted"))
    begin = begin_launch(channel, made)
    repeats.note(every, channel, made, begin, program.label(function))
    return made, begin, None


def _with_numbers(channel: Channel, old: Launch, numbers: tuple[int, ...], raw: tuple[Any, ...],
                  converters: Sequence[Any], group: Group | None = None) -> tuple[Any, ...]:
    """Return the values of a launch like another, but with the numbers and arrays it is given."""
    values = list(old.values)
    for k in numbers:
        values[k] = converters[k](raw[k], group, channel)
    return tuple(values)


def _like(old: Launch, values: tuple[Any, ...]) -> Launch:
    made = Launch(old.executable, old.geometry, values, where=old.where)
    made.words = old.words
    return made


def needs_more(launch: Launch) -> bool:
    """Say whether a launch takes more than its driver's ``launch``, whenever it is made."""
    return bool(launch.staged or launch.rest or launch.tree is not None or launch.ends
                or "races" in launch.executable.kernel.checks)


def begin_launch(channel: Channel, launch: Launch, reductions: tuple[Any, ...] = ()) -> Begin:
    """Return how to begin a launch; an empty index space only takes its place in the order."""
    if 0 in launch.geometry.global_:
        if any(drop for _, drop in launch.reductions):
            store = functools.partial(_store_identities, channel, reductions)
            if launch.staged:
                return functools.partial(staging.launch, channel.driver, launch, run=store)
            return functools.partial(store, launch)
        return begin_nothing
    if launch.tree is not None:
        return functools.partial(child_kernels.begin, channel, launch)
    begins = Prompt if channel.driver.quick else functools.partial
    alone: Begin = begins(channel.driver.launch, launch)
    if launch.staged or launch.rest:
        alone = functools.partial(_launch, channel, launch)
    return Beside(channel.driver, launch, joined.begin, alone) if launch.ends else alone


def _launch(channel: Channel, launch: Launch, native: Sequence[Completion]) -> Completion:
    if launch.staged:
        end = staging.launch(channel.driver, launch, native, channel.driver.launch)
    else:
        end = channel.driver.launch(launch, native)
    for one in launch.rest:
        end = _launch(channel, one, (end,))
    return end


def _store_identities(channel: Channel, reductions: tuple[Any, ...], launch: Launch,
                      native: Sequence[Completion]) -> Completion:
    """A reduction over nothing whose old value is dropped yields its identity."""
    end: Completion | None = None
    for (view, drop), reduction in zip(launch.reductions, reductions, strict=True):
        if drop and reduction.identity is not None:
            for part, value in _fills(view, reduction):
                end = channel.driver.fill(part, value, native)
                native = (end,)
    return begin_nothing(native) if end is None else end


def _fills(view: BoundView, reduction: Any) -> list[tuple[BoundView, Any]]:
    """Return what to fill with what: of complex variables each part, strided, by itself."""
    value = reduction.identity
    if not reduction.joint:
        return [(view, value)]
    shape, pitches = (reduction.extent // 2, 1), (2, 1)
    return [(BoundView(view.memory, view.offset + k, shape, pitches), part)
            for k, part in enumerate((value.real, value.imag))]


def launch_now(channel: Channel, function: Any, geometry: Geometry, arguments: tuple[Any, ...],
               reductions: tuple[Any, ...], deps: Sequence[Task]) -> Task:
    """Launch a kernel that uses no accessors: the shortcut of a queue, short when warm."""
    if channel.generation != process.generation:
        check_process(channel)
    plain = type(function) is FunctionType
    code, root = (function.__code__, function) if plain else program.known_by(function)
    latest = channel.latest
    if latest is not None and latest[0] is geometry and not (reductions or deps):
        task = _once_more(channel, latest, code, root, arguments)
        if task is not None:
            return task
    noted = channel.varied
    if noted is not None and not (reductions or deps):
        task = varied.once_more(channel, noted, code, root, geometry, arguments)
        if task is not None:
            return task
    if channel.repeats and code is not None and not compiled_kernels.watchers and (
            not reductions or _joins_again(channel, geometry)):
        if deps and channel.quick and all(d.settled and d.error is None for d in deps):
            deps = ()  # nothing is left to wait for
        again, known, raw = program.repeat(
            channel, code, root, geometry, arguments, reductions)
        if again is not None and (launch := again.launch) is not None:
            if (run := again.run) is not None and not (deps or channel.profiling):
                task = repeated.at_once(channel, again.name, run)
                if task is not None:
                    _note_again(channel, again, known, geometry, code, arguments,
                                plain=not reductions)
                    return task
            if again.placed:
                return start(channel, _with_arrays(launch, raw), again.name, deps)
            if deps or not channel.extends:
                return start(channel, launch, again.name, deps, again.begin)
            _note_again(channel, again, known, geometry, code, arguments,
                        plain=not reductions)
            return repeated.submit(channel, again, launch, again.begin or begin_nothing)
        if known is None and channel.quick and geometry.whole is None and not reductions:
            known, raw = program.over_others(channel, code, function, geometry, arguments)
        if known is not None and geometry.whole is None:
            if reductions:
                return _join_warm(channel, function, geometry, arguments, known, raw,
                                  reductions=reductions, deps=deps)
            return _start_warm(channel, function, geometry, arguments, known, raw, deps=deps)
    if channel.recorder is not None:
        return channel.recorder.launch(channel, function, geometry, arguments, reductions, deps)
    return start(channel, build(channel, None, function, geometry, arguments, reductions),
                 program.label(function), deps)


def _note_again(channel: Channel, again: Any, known: Any, geometry: Geometry, code: Any,
                arguments: tuple[Any, ...], *, plain: bool) -> None:
    """Note that a launch came again that takes its driver's call alone.

    If it does twice running, how to see it quickly is noted, too. ``plain``: it has no reductions.
    """
    if not plain or again.placed or requested_checks.asked():
        return
    if channel.before is again:
        channel.latest = (geometry, code, len(arguments), known[0].match, known[2], again)
    channel.before = again


def _once_more(channel: Channel, latest: tuple[Any, ...], known_as: Any, function: Any,
               arguments: tuple[Any, ...]) -> Task | None:
    """Make the launch that came again last once more; None: it is another one.

    All is asked that is asked of any launch, but it is not looked for.
    """
    _, code, count, match, repeats, one = latest
    if known_as is code and (
            len(arguments) == count and channel.repeats and channel.warm) and not (
            compiled_kernels.watchers or requested_checks.asked()):
        raw = match(function, arguments, ())
        if raw is not None:
            for ref, given in zip(one.refs, raw):  # noqa: B905 - its check takes as long as this
                if ref() is not given:
                    break
            else:
                launch, run, task = one.launch, one.run, None
                if run is not None:
                    task = repeated.at_once(channel, one.name, run)
                elif launch is not None:
                    task = repeated.submit(channel, one, launch, one.begin or begin_nothing)
                if task is not None:
                    repeats.missed = repeats.kin.missed = 0
                    return task
    channel.before = channel.latest = None
    return None


def _start_warm(channel: Channel, function: Any, geometry: Geometry, arguments: tuple[Any, ...],
                known: Any, raw: tuple[Any, ...], *, deps: Sequence[Task]) -> Task:
    """Launch a kernel that was launched before with other arguments; these may come again."""
    spec, loaded, repeats, *_ = known
    if channel.quick and not (deps or channel.profiling):
        kin, near = repeats, repeats.but_for_numbers(raw, None, channel)
        if near is None:
            kin = repeats.kin
            near = kin.but_for_numbers(raw, None, channel)
        if near is not None and (old := near.launch) is not None:
            if old.geometry is not geometry:
                program.roams(known[3])
                old = Launch(loaded.executable, geometry, old.values, where=old.where)
            values = _with_numbers(channel, old, near.numbers, raw, loaded.converters)
            run = channel.driver.ready(old, values)
            task = None if run is None else repeated.at_once(channel, near.name, run)
            if task is not None:
                varied.note(channel, near, (spec.match, raw),
                            (known[3], len(arguments)), old, kin)
                return task
            made = _like(old, values)
            return start(channel, _with_arrays(made, raw) if near.placed else made, near.name, deps)
    made = _build(channel, None, function, geometry, arguments, (spec, loaded, raw))
    name = program.label(function)
    at_once = channel.quick and not (deps or loaded.special or made.staged or channel.profiling)
    if loaded.special or made.staged or not repeats.wants(raw, arrays=channel.quick):
        run = channel.driver.ready(made) if at_once else None
        task = None if run is None else repeated.at_once(channel, name, run)
        return task or start(channel, made, name, deps)
    if any(isinstance(given, np.ndarray) for given in raw):
        repeats.note(raw, channel, _without_arrays(made), begin_nothing, name)
        return start(channel, made, name, deps)
    made = Launch(made.executable, geometry, made.values,  # not what holds the arguments
                  where=as_done(made.where, "first submitted"))
    begin = begin_launch(channel, made)
    repeats.note(raw, channel, made, begin, name)
    return start(channel, made, name, deps, begin)


def _join_warm(channel: Channel, function: Any, geometry: Geometry, arguments: tuple[Any, ...],
               known: Any, every: tuple[Any, ...], *,
               reductions: tuple[Any, ...], deps: Sequence[Task]) -> Task:
    """Do what ``_start_warm`` does for a launch with reductions; they stand behind its values."""
    spec, loaded, repeats, *_ = known
    raw, name = every[:len(every) - 2 * len(reductions)], program.label(function)
    made = _build(channel, None, function, geometry, arguments, (spec, loaded, raw),
                  reductions=reductions)
    if loaded.special or made.staged or not repeats.wants(every):
        return start(channel, made, name, deps)
    bound = tuple([x for r in reductions for x in r.bind_variable(None, channel)])
    made = Launch(made.executable, geometry, made.values + bound, reductions=made.reductions,
                  where=as_done(made.where, "first submitted"))
    begin = begin_launch(channel, made)
    repeats.note(every, channel, made, begin, name)
    return start(channel, made, name, deps, begin)


def _without_arrays(made: Launch) -> Launch:
    """Return a launch that knows where its arrays lie, and keeps none of them."""
    values = tuple([replace(v, memory=None, packed=v.slots()) if isinstance(given, np.ndarray)
                    else v for v, given in zip(made.values, made.raw, strict=True)])
    return Launch(made.executable, made.geometry, values,
                  where=as_done(made.where, "first submitted"))


def _with_arrays(launch: Launch, raw: tuple[Any, ...]) -> Launch:
    """Return a launch as it was noted, of the arrays that lie in its places now."""
    values = tuple([
        BoundView(given.reshape(-1), v.offset, v.shape, v.pitches, v.packed)
        if isinstance(given, np.ndarray) else v
        for v, given in zip(launch.values, raw)])  # noqa: B905 - its check takes as long as this
    made = Launch(launch.executable, launch.geometry, values, raw, where=launch.where)
    made.words = launch.words
    return made


def start(channel: Channel, launch: Launch, name: str, deps: Sequence[Task],
          begin: Begin | None = None) -> Task:
    """Submit a launch that was built; a tiny one that waits for nothing is over on return.

    ``begin``: what ``begin_launch`` returns for it, where that is known.
    """
    task = Task(channel, name, channel.driver, "kernel")
    given, placed = deps, False
    if "races" in launch.executable.kernel.checks and channel.recorder is None:
        used = [b for b in map(block_of, launch.raw) if b is not None]
        launch, begin = replace(launch, order=ordering.enter(task, channel, deps, blocks=used)), \
            None
    elif deps and channel.in_order and ordering.state.on:
        ordering.passed(channel, deps)
    try:
        if channel.quick:
            placed = channel.in_order
            if placed:
                deps = channel.place(task, deps)
            if channel.run_at_once(task, launch, deps):
                return task
        if given:
            task.explicit = given
        task.where = launch.where
        if begin is None:
            begin = begin_launch(channel, launch, launch.reduction_objects)
        channel.submit(task, deps, begin, registered=placed)
    except BaseException as error:
        task.interrupted(error)  # others may wait for it by now
        raise
    return task


class BeginTransfer:
    """How to begin a copy or a fill within the driver's memory."""

    __slots__ = ("_driver", "transfer")

    def __init__(self, channel: Channel, transfer: Transfer) -> None:
        self._driver = channel.driver
        self.transfer = transfer

    def __call__(self, native: Sequence[Completion]) -> Completion:
        what = self.transfer
        if what.src is None:
            return self._driver.fill(what.dst, what.pattern, native)
        return self._driver.copy(what.dst, what.src, native)


def begin_copy(channel: Channel, dst: BoundView, src: BoundView) -> Begin:
    """Return how to begin a copy of equal shapes within the driver's memory."""
    return BeginTransfer(channel, Transfer(dst, src))


def begin_fill(channel: Channel, dst: BoundView, pattern: Any) -> Begin:
    """Return how to begin writing one value everywhere in a view."""
    return BeginTransfer(channel, Transfer(dst, None, pattern))
