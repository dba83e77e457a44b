"""Command groups of a ``distr_queue``: those of a queue, for this rank's part.

Non-goals: the order of commands in a rank (``runtime``). Invariants: transfers enter the graph
before the command that needs them; what is wrong is refused before anything is sent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from unisycl.api.queue import transfer
from unisycl.api.queue.handler import check_callable, handler, split
from unisycl.api.queue.reduction import reduction
from unisycl.base.enums import access_mode, node_type, target
from unisycl.base.errors import UsageError, errc
from unisycl.ranks.graph import plan
from unisycl.ranks.graph import split as splitting
from unisycl.ranks.graph.boxes import Box, whole
from unisycl.ranks.graph.mappers import Mapper, chunk
from unisycl.ranks.queue import by_device, insides, places
from unisycl.ranks.queue.part_accessor import boxes_of, mapper_given, part_accessor
from unisycl.ranks.queue.places import Place, partition
from unisycl.ranks.queue.pretending import Launched
from unisycl.runtime.graph.command_group import BoundView, Group
from unisycl.runtime.graph.tasks import Task, begin_python
from unisycl.runtime.launch import launch
from unisycl.runtime.launch.program import label

Chunks = Sequence[chunk | None]
_TOLD = 8  # ranks whose parts are told one by one


class distr_handler(handler):
    """The argument of a command group function of a ``distr_queue``."""

    __slots__ = ("_before", "_cuts", "_used", "combines", "finish_with", "pieces", "queue")

    def __init__(self, channel: Any, queue: Any) -> None:
        super().__init__(channel)
        self.queue = queue
        self._cuts = 1
        self._used: list[part_accessor] = []
        self.finish_with: list[reduction] = []
        self.pieces: list[Group] = []
        self.combines: list[tuple[reduction, reduction]] = []
        self._before: list[tuple[Any, Any]] = []  # buffers, and who had what of them

    def finish(self) -> Task:
        """Enter the graph (internal)."""
        self._before = []
        if self.pieces:
            (by_device if self._several() else insides).submit(self)
        return super().finish()

    def _several(self) -> bool:
        return len(self.queue.channels) > 1

    def abandon(self) -> None:
        """End without a command: what was sent for it is no newer than what its senders have."""
        for buffer, layout in self._before:
            buffer.layout = layout
        self.pieces, self._before, self.combines = [], [], []
        super().abandon()

    def take(self, access: Any, user: Any) -> None:
        """Note an accessor made as one before it; what it asks for is known later (internal)."""
        if isinstance(user, part_accessor):
            self.use(user)
            self.remember(user)
        else:
            super().take(access, user)

    def use(self, one: part_accessor) -> None:
        """Take note of an accessor (internal)."""
        self.queue.take(one.buffer)
        self._used.append(one)

    def split(self, dimensions: int) -> None:
        """Have the command's index space be cut along so many of its dimensions, the first ones.

        Without it the first alone is cut. Ranks stand in the grid whose cuts are the shortest, so
        that in two dimensions each has less of a border than whole rows have.
        """
        self.check_free("split")
        if dimensions not in (1, 2, 3) or isinstance(dimensions, bool):
            raise UsageError(errc.invalid, "split: an index space is cut along 1, 2 or 3 "
                             f"dimensions, got {dimensions!r}")
        self._cuts = int(dimensions)

    # ------------------------------------------------------------------ kernels
    def single_task(self, *rest: Any) -> Any:
        """Run a kernel once, on the first rank."""
        if not rest:
            return self._decorator(self.single_task)
        self.check_free("single_task")
        check_callable(rest[0])
        one = chunk((0,), (1,), (1,))
        self._share(f"single_task '{label(rest[0])}'",
                    [one] + [None] * (self.queue.size - 1), ())
        if self.queue.rank == 0 and not self.queue.pretends:
            super().single_task(*rest)
        return None

    def parallel_for(self, space: Any, *rest: Any) -> Any:
        """Run a kernel over this rank's part of an index space."""
        self.check_free("parallel_for")
        offset, reductions, fn, args = split(rest)
        if offset is not None:
            raise UsageError(errc.invalid, "parallel_for: a distr_queue takes no offset; add it to "
                             "the ids in the kernel")
        if fn is None:
            return self._decorator(lambda f: self.parallel_for(space, *rest, f))
        check_callable(fn)
        geometry = launch.space_geometry(space)
        if geometry.whole is not None:
            raise UsageError(errc.nd_range, "parallel_for: a distr_queue takes no "
                             "non_uniform_nd_range")
        queue = self.queue
        several = self._several()
        if queue.size == 1 and not (queue.watched or several):
            self._alone(geometry.global_, reductions)
            self.launch(geometry, fn, args, reductions)
            return None
        parts = splitting.parts(geometry.global_, queue.size, tuple(geometry.local), self._cuts)
        name, others = f"kernel '{label(fn)}'", list(self._accesses)
        some = self._share(name, parts, reductions)
        if queue.pretends:
            queue.pretend_kernel(self, parts, Launched(geometry, fn, args, tuple(reductions)))
            return None
        mine = parts[queue.rank]
        self.finish_with = list(reductions)
        for one in reductions:
            one.initialize = one.initialize or queue.rank > 0
        if several:
            if mine is not None or reductions:
                by_device.begin(self, geometry, fn, args, reductions, mine, others=others,
                                name=name)
            return None
        if some and geometry.kind == "range" and insides.plain(self, fn) and not others:
            geometry = insides.begin(self, geometry, fn, args, some)
        elif mine is not None:
            geometry = launch.part_geometry(geometry, mine.start, mine.extent)
        elif reductions:
            geometry = launch.part_geometry(geometry, (0,) * len(geometry.global_),
                                            (0,) * len(geometry.global_))
        if mine is not None or reductions:
            self.launch(geometry, fn, args, reductions)
        return None

    def parallel_for_work_group(self, groups: Any, *rest: Any) -> Any:
        """Refuse: hierarchical kernels are deprecated and are not distributed."""
        raise UsageError(errc.feature_not_supported, "parallel_for_work_group: a distr_queue takes "
                         "ranges and nd_ranges")

    # ------------------------------------------------------------------ host tasks
    def host_task(self, *args: Any, on: Place | None = None) -> Any:
        """Run a Python function on ranks: on the first, unless ``on`` says otherwise.

        Args:
            args: the function; before it perhaps an index space, of which each rank gets a part.
            on: ``on_rank(k)``, ``all_ranks`` or ``collective``.

        A function with a parameter gets a ``partition``: its rank, its part of the index space,
        and, if it is collective, the other ranks.
        """
        self.check_free("host_task")
        space = args[0] if args and not callable(args[0]) else None
        functions = args[1:] if space is not None else args
        if not functions:
            return self._decorator(lambda f: self.host_task(*args, f, on=on))
        fn = functions[0]
        check_callable(fn)
        queue = self.queue
        parts, together = places.parts(space, on, queue.size, self._cuts)
        self._share(f"host task '{label(fn)}'", parts, ())
        mine = parts[queue.rank]
        if mine is None or queue.pretends:
            return None
        if together and queue.last_collective is not None:
            self.add_dependency(queue.last_collective)
        given = partition(queue.rank, queue.size, mine,
                          queue.collective_link if together else None)
        self.set_command(f"host task '{label(fn)}'", begin_python(
            lambda: places.run(fn, given, users)), native=False)
        users = self.users()
        if together:
            queue.note_collective(self)
        return None

    # ------------------------------------------------------------------ copies
    def copy(self, *args: Any, **named: Any) -> Any:
        """Refuse: buffers are copied by kernels, and gathered by the queue."""
        self._no("copy")

    def fill(self, dst: Any, value: Any, count: int | None = None) -> None:
        """Write one value to all elements of a buffer, each rank to its rows."""
        if not isinstance(dst, part_accessor) or count is not None:
            self._no("fill of anything but a whole distr_buffer")
        if dst.mapper is not None:
            raise UsageError(errc.invalid, "fill: leave the range mapper out; each rank fills its "
                             "rows")
        if dst.target is not target.device:
            raise UsageError(errc.invalid, f"fill: {dst!r} is for host tasks; leave its target out")
        self.check_free("fill")
        view = BoundView(np.empty(0, dst.dtype), 0, (0,), (1,))
        pattern = transfer.pattern_of("fill", view, value)
        parts = splitting.parts(dst.shape, self.queue.size, cuts=self._cuts)
        dst.mapper = _Rows()
        self._share(f"fill of buffer {dst.owner.number}", parts, ())
        mine = dst.declared
        if mine is None or self.queue.pretends:
            return

        def fill_box(box: Box) -> None:
            view = dst.owner.region.window(box.shape, box.low, self.channel.driver)
            self._transfer("fill", node_type.memfill, lambda: (view, pattern), launch.begin_fill)
        part = parts[self.queue.rank]
        if self._several() and part is not None:
            by_device.fill(self, dst, part, fill_box)
        else:
            fill_box(mine)

    def memcpy(self, *args: Any, **named: Any) -> Any:
        """Refuse: there is no memory that all ranks have."""
        self._no("memcpy")

    def memset(self, *args: Any, **named: Any) -> Any:
        """Refuse: there is no memory that all ranks have."""
        self._no("memset")

    def update_host(self, *args: Any, **named: Any) -> Any:
        """Refuse: ``distr_queue.gather`` does that."""
        self._no("update_host")

    def _no(self, what: str) -> Any:
        raise UsageError(errc.feature_not_supported, f"{what}: not in command groups of a "
                         "distr_queue; use kernels, host tasks, or gather")

    # ------------------------------------------------------------------ sharing out
    def _alone(self, space: tuple[int, ...], reductions: Sequence[reduction]) -> None:
        """Declare accessors of a program of one rank: nothing has to be planned."""
        everything = chunk((0,) * len(space), space, space)
        results = _results(self._used, reductions, 1)
        for one in self._used:
            box = whole(one.shape)
            if id(one) not in results and mapper_given(one).box(everything, one.shape) is None:
                box = None
            one.declare(self, box)

    def _share(self, name: str, parts: Chunks, reductions: Sequence[reduction],
               ) -> Sequence[insides.Piece]:
        """Plan a command, submit what has to be sent before it, and declare its accessors.

        Returns the pieces by which a kernel is launched, if it is not launched as a whole.
        """
        queue, used = self.queue, self._used
        self._before = [(one.owner, one.owner.layout) for one in used]
        key = None
        if not (reductions or queue.watched) and all(
                one.mapper is not None and one.mapper.pure for one in used):
            key = (name, self._cuts, id(parts), *[
                (one.owner.number, one.mode, one.mapper, one.reads, one.shape, id(one.owner.layout))
                for one in used])
            known = queue.planned.get(key)
            if known is not None:
                self._as_planned(name, known)
                return tuple(known.pieces)
        before = [one.owner.layout for one in used]
        steps, mine, words = self._planned(name, parts, reductions)
        if key is None:
            return ()
        if len(queue.planned) > 256:
            queue.planned.clear()
        some = insides.pieces(used, parts[queue.rank], steps, queue.rank)
        queue.planned[key] = Planned(words, [box for _, box in mine], steps, some, (parts, before))
        return some

    def _as_planned(self, name: str, known: Planned) -> None:
        """Do what was planned for a command like this one, of the same layouts."""
        queue, used = self.queue, self._used
        queue.submitted(known.words, name, (), {}, ())
        buffers = {one.owner.number: one.owner for one in used}
        for number, step in known.steps:
            buffer = buffers[number]
            if step.transfers:
                queue.send(buffer, step)
            buffer.layout = step.layout
        for one, box in zip(used, known.boxes, strict=True):
            one.declare(self, box)

    def _planned(self, name: str, parts: Chunks, reductions: Sequence[reduction],
                 ) -> tuple[list[tuple[int, plan.Step]], list[Any], str]:
        """Plan a command as it comes for the first time, and do what that says."""
        queue = self.queue
        results = _results(self._used, reductions, queue.size, several=self._several())
        uses: dict[int, tuple[Any, list[plan.Use]]] = {}
        words = [name, "over", "x".join(map(str, next(
            (p.space for p in parts if p is not None), ())))]
        if self._cuts > 1:
            words.append(f"split({self._cuts})")
        mine: list[tuple[part_accessor, Box | None]] = []
        for one in self._used:
            found = results[id(one)] if id(one) in results else plan.Use(
                boxes_of(one, parts), one.reads, one.mode.writes)
            uses.setdefault(one.owner.number, (one, []))[1].append(found)
            words.append(f"{one.owner.number}:{one.mode.name}:{one.mapper!r}"
                         + ("" if one.reads else ":no_init") + _told(one, found.parts))
            mine.append((one, found.parts[queue.rank]))
        steps = [(one.owner, plan.step(one.owner.layout, tuple(use)))
                 for one, use in uses.values()]
        for buffer, step in steps:
            _check(self, name, buffer, step)
        said = " ".join(words)
        queue.submitted(said, name, parts, uses, steps)
        for buffer, step in steps:
            queue.send(buffer, step)
            buffer.layout = step.layout
        for one, box in mine:
            if id(one) in results:
                box = whole(one.shape)  # the partial result is this rank's own
            one.declare(self, box)
        for one in self._used:
            if id(one) in results:
                one.owner.layout = plan.everywhere(one.shape, queue.size)
        return [(buffer.number, step) for buffer, step in steps], mine, said


class Planned(NamedTuple):
    """What a command was found to mean; ``kept`` has what its key names by identity."""

    words: str
    boxes: list[Box | None]
    steps: list[tuple[int, plan.Step]]
    pieces: tuple[insides.Piece, ...]
    kept: Any


def _check(h: distr_handler, name: str, buffer: Any, step: plan.Step) -> None:
    queue = h.queue
    if step.overlap is not None:
        a, b, box = step.overlap
        raise UsageError(errc.invalid, f"{name}: ranks {a} and {b} would both write elements "
                         f"{box} of buffer {buffer.number} ({queue.accessors(h, buffer)}); "
                         "give a range mapper by which each element is written by one "
                         "work-item's rank, such as one_to_one")
    if step.unwritten is not None and queue.debug and any(
            a.mode is access_mode.read for a in h._used if a.buffer is buffer):
        rank, box = step.unwritten
        raise UsageError(errc.invalid, f"{name}: on rank {rank} it reads elements {box} of "
                         f"buffer {buffer.number} ({queue.accessors(h, buffer)}), which no "
                         "command has written")


class _Rows(Mapper):
    """Each part of an index space that is the buffer's own uses the elements of its ids."""

    def box(self, part: chunk, shape: tuple[int, ...]) -> Box | None:
        return Box(part.start, part.end)


def _told(one: part_accessor, parts: plan.Parts) -> str:
    """Return what a program's own mapper gave, in words: on all ranks it has to be the same."""
    if one.mapper is None or one.mapper.pure:
        return ""
    text = " ".join("nothing" if box is None else str(box) for box in parts)
    if len(parts) > _TOLD:
        text = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return f" ({text})"


def _results(used: Sequence[part_accessor], reductions: Sequence[reduction],
             size: int, *, several: bool = False) -> dict[int, plan.Use]:
    """Return how reductions use their variables: the first rank goes on from the old value."""
    found: dict[int, plan.Use] = {}
    for one in reductions:
        variable = one._variable
        if not isinstance(variable, part_accessor):
            raise UsageError(errc.invalid, "reduction: a distr_queue reduces into a distr_buffer "
                             f"of one element, got {variable!r}")
        if one.paired or (one.identity is None and (several or size > 1)):
            raise UsageError(errc.invalid, "reduction: over several ranks or devices it needs a "
                             "known identity, and no complex numbers; give the identity before the "
                             "operator")
        box = whole(variable.shape)
        found[id(variable)] = plan.Use((box, *(None for _ in range(size - 1))),
                                       not one.initialize, writes=False)
    return found
