"""``distr_queue``: one queue over the devices of all ranks (Celerity's model).

Non-goals: planning (``ranks.graph``). Invariants: every rank submits the same; a rank is at most
``HORIZON`` commands ahead of what it has done.
"""

from __future__ import annotations

import importlib.metadata
import platform
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from unisycl.api.devices.device import device
from unisycl.api.queue.event import event
from unisycl.api.queue.handler import check_group, run
from unisycl.api.queue.queue import queue
from unisycl.base import settings
from unisycl.base.enums import access_mode, target
from unisycl.base.errors import UsageError, errc, exception
from unisycl.base.tracebacks import ends_at_call
from unisycl.process import interrupts, notices
from unisycl.ranks.graph import plan
from unisycl.ranks.graph.boxes import whole
from unisycl.ranks.links import cards, last_words, nccl, pulse, world
from unisycl.ranks.links.link import Link
from unisycl.ranks.network.pretended import PretendedLink
from unisycl.ranks.queue import files, messages, own_devices, pretending, results
from unisycl.ranks.queue.agreement import Agreement
from unisycl.ranks.queue.distr_buffer import distr_buffer
from unisycl.ranks.queue.distr_handler import distr_handler
from unisycl.ranks.queue.part_accessor import access_to
from unisycl.ranks.queue.records import Record
from unisycl.runtime.graph.channel import raise_all
from unisycl.runtime.graph.tasks import SLICE, Task

HORIZON = 128
Submitted = Callable[[distr_handler], Any]


@ends_at_call
class distr_queue:
    """Submits command groups to all ranks; every rank makes the same one and submits the same.

    Args:
        args: a device, its name or a selector, and properties, as for ``queue``; or a list of
            devices or names, or a platform: then this rank's part is shared out among them.
        link: the ranks; all that were started together if left out (internal).
        debug: whether ranks compare what they submit, and reads of elements that nobody has
            written are refused; as ``UNISYCL_DEBUG`` says if left out.

    Example::

        q = sycl.ext.unisycl.distr_queue()
        u = sycl.ext.unisycl.distr_buffer((n, n))

        @q.submit
        def fill(h):
            a = sycl.accessor(u, h, one_to_one, sycl.write_only, sycl.no_init)
            h.parallel_for((n, n), lambda i: ...)
    """

    def __init__(self, *args: Any, link: Link | None = None, debug: bool | None = None) -> None:
        found = world.world() if link is None else link
        self.debug = bool(settings.DEBUG.value()) if debug is None else debug
        self.rank, self.size = found.rank, found.size
        self.origin = found
        """The link to all ranks that others were made of (internal)."""
        self._program = found.program if isinstance(found, PretendedLink) else None
        self.pretends = self._program is not None
        self._queues = own_devices.queues(found, args)
        self._queue = self._queues[0]
        self._channel = self._queue.channel
        self.channels = [q.channel for q in self._queues]
        """Those of this rank's devices (internal)."""
        self.partials: dict[Any, Any] = {}
        """What devices but the first reduce into (internal)."""
        if self.pretends and len(self._queues) > 1:
            raise UsageError(errc.feature_not_supported, "distr_queue: a simulation has one device "
                             "a rank; simulate as many ranks as there are devices")
        alone = self.size == 1
        self._link = found if alone else found.duplicate()
        self.collective_link = found if alone else found.duplicate()
        self._agreement = Agreement(found if alone else found.duplicate(), debug=self.debug)
        self._number = found.number_buffer  # of all queues, which may share buffers
        self.planned: dict[Any, Any] = {}
        """What commands that come again mean (internal)."""
        self._messages = 0
        self._ahead: deque[Task] = deque()
        self._record: Record | None = None
        self._uses: Any = {}
        self.last_collective: Task | None = None
        self._waits_for: distr_handler | None = None
        self._words = last_words.writer(found)
        found.on_failure.append(self._drop)
        self._submitting = False
        self._direct: nccl.Communicator | None = None
        self._last_direct: Task | None = None
        if not alone:
            found.note_busy(_works(self))
            self._direct = _introduce(self._agreement.link, self._queues)

    # ------------------------------------------------------------------ asking
    def get_device(self) -> device:
        """Return this rank's device; of several the first."""
        return self._queue.get_device()

    def get_devices(self) -> list[device]:
        """Return all devices of this rank."""
        return [q.get_device() for q in self._queues]

    def after(self) -> tuple[Task, ...]:
        """Return what a command follows on every device of an in-order queue (internal)."""
        return (self._ahead[-1],) if self._channel.in_order and self._ahead else ()

    @property
    def watched(self) -> bool:
        """Whether somebody wants to know of each command (internal)."""
        return self.debug or self._record is not None or self.pretends

    def __repr__(self) -> str:
        where = ", ".join(map(repr, self.get_devices()))
        return f"<distr_queue: rank {self.rank} of {self.size}, on {where}>"

    # ------------------------------------------------------------------ submitting
    def submit(self, group_function: Submitted) -> event:
        """Run a command group function and submit this rank's part of what it asks for.

        Returns the event of that part; works as a decorator.
        """
        check_group(group_function)
        h = distr_handler(self._channel, self)
        self._submitting = True  # compiling may take long; some devices run a kernel in here
        try:
            task = run(group_function, h)  # type: ignore[arg-type] # it makes a distr_handler of it
        finally:
            self._submitting = False
        if self._waits_for is h:
            self.last_collective, self._waits_for = task, None
        for reduction in h.finish_with if self.size > 1 and not self.pretends else ():
            task = results.combine(self._channel, self._link, reduction, self._tag())
        self._ahead.append(task)
        if len(self._ahead) >= HORIZON:
            self._horizon()
        return event._of(task)

    def _horizon(self) -> None:
        """Wait for the older half of what was submitted."""
        self._wait_aside(self._ahead[HORIZON // 2 - 1])
        while len(self._ahead) > HORIZON // 2:
            self._ahead.popleft().wait()
        for channel in self.channels:
            channel.deliver_unhandled()

    def _wait_aside(self, task: Task) -> None:
        """Wait for a command behind others, as long as some end, without a look at each of those.

        Whoever looks takes part in what follows from each end, and so is in its way.
        """
        ended = -1
        try:
            while not task.settled and (now := sum(t.settled for t in self._ahead)) > ended:
                ended = now
                task.pause(SLICE)
        except KeyboardInterrupt:
            interrupts.leave(task)
            raise

    def _drop(self) -> None:
        """Keep nothing of what failed because a rank did, whose error is told already."""
        for channel in self.channels:
            channel.wait()
            channel.take_errors()

    def wait(self) -> None:
        """Wait for this rank's part of everything; raises what failed."""
        self._agree("wait")
        if self._program is not None and self._program.groups:
            self._pretend_wait()
        if self.size > 1 and self._ahead:
            self._wait_aside(self._ahead[-1])
        self.wait_here()
        self._ahead.clear()

    def wait_here(self) -> None:
        """Wait for each of this rank's devices; raises what failed, of several first (internal)."""
        failed: list[Exception] = []
        for one in (*self._queues[1:], self._queue):  # the first has what only follows failures
            try:
                one.wait()
            except exception as error:
                failed.append(error)
        if failed:
            raise_all(failed)

    wait_and_throw = wait

    def close(self) -> None:
        """Wait for all ranks' parts of everything."""
        self.wait()
        if self.size > 1:
            self._agreement.compare()

    def __enter__(self) -> distr_queue:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is None:
            self.close()

    # ------------------------------------------------------------------ results
    def gather(self, buffer: distr_buffer, root: int | None = None) -> Any:
        """Return a buffer's elements as an array, on all ranks or on one; collective, and waits.

        Args:
            buffer: the buffer.
            root: the only rank that gets them; the others get None.
        """
        found = self.fence(buffer, root)
        self._pretend_wait(buffer.number)
        if self.size > 1:
            self._agreement.compare()
        return found.get()

    def fence(self, buffer: distr_buffer, root: int | None = None) -> fenced:
        """Return the future of a buffer's elements as they are now; does not wait."""
        if not isinstance(buffer, distr_buffer):
            raise UsageError(errc.invalid, f"gather: expected a distr_buffer, got {buffer!r}")
        if root is not None and not 0 <= root < self.size:
            raise UsageError(errc.invalid, f"gather: rank {root} does not exist")
        self.take(buffer)
        box = whole(buffer.shape)
        use = plan.Use(tuple(box if root in (None, r) else None for r in range(self.size)), True,
                       writes=False)
        step = plan.step(buffer.layout, (use,))
        name = f"gather buffer {buffer.number}"
        self.submitted(f"{name} on {'all' if root is None else root}", name, (), {},
                       ((buffer, step),))
        self.send(buffer, step)
        buffer.layout = step.layout
        made = fenced(self)
        if box is None or root not in (None, self.rank):
            mine = box is None and root in (None, self.rank)
            made.value = np.empty(buffer.shape, buffer.dtype) if mine else None
            return made

        def copy() -> None:
            made.value = messages.elements(buffer, box).copy()
        access = access_to(buffer, box, access_mode.read, target.host_task)
        made.task = messages.python(self._channel, name, [access], copy)
        return made

    def save(self, path: Any, **buffers: distr_buffer) -> None:
        """Write buffers by name to a file, .h5 or .zarr, each rank its rows; collective."""
        files.save(self, path, buffers)

    def load(self, path: Any, name: str) -> distr_buffer:
        """Return a buffer with what a file has by that name, each rank its rows; collective."""
        return files.load(self, path, name)

    @contextmanager
    def recording(self) -> Iterator[Record]:
        """Record the task graph, and the command graph of all ranks, inside a ``with`` block."""
        before, self._record = self._record, Record(self.size)
        try:
            yield self._record
        finally:
            self._record = before

    # ------------------------------------------------------------------ for command groups
    def take(self, buffer: Any) -> None:
        """Number a buffer when it is first used (internal)."""
        if buffer.number < 0:
            buffer.join(self.size, self._number())
        elif buffer.size_of_world != self.size:
            buffer.join(self.size, -1)

    def submitted(self, words: str, name: str, parts: Any, uses: Any, steps: Any) -> None:
        """Take note of a command that was planned (internal)."""
        self._words(name)
        if self._program is not None:
            pretending.planned(self._program, name, steps)
            self._uses = uses
        if self.size > 1 or self.debug:
            self._agreement.note(words)
        if self._record is not None:
            self._record.add(name, parts, uses, steps)

    def send(self, buffer: Any, step: plan.Step) -> None:
        """Submit this rank's ends of transfers (internal)."""
        if self.pretends or not step.transfers:
            return
        left = step.transfers
        if self._direct is not None:
            through = [t for t in left if messages.is_one_piece(t.box, buffer.shape)]
            left = tuple(t for t in left if t not in through)
            mine = [t for t in through if self.rank in (t.source, t.target)]
            if mine:  # one after another, since cards have to do them in one order
                self._last_direct = messages.direct(
                    self._channel, self._direct, buffer, mine,
                    () if self._last_direct is None else (self._last_direct,))
        for one in left:
            tag = self._tag()
            if self.rank in (one.source, one.target):
                messages.transfer(self._channel, self._link, buffer, one, tag)

    def _tag(self) -> int:
        self._messages += 1
        return self._messages

    def note_collective(self, h: distr_handler) -> None:
        """Remember that a group's command is a collective host task (internal)."""
        self._waits_for = h

    def accessors(self, h: Any, buffer: Any) -> str:
        """Return in words how a group uses a buffer (internal)."""
        return ", ".join(f"{one.mode.name} by {one.mapper!r}" for one in h._used
                         if one.buffer is buffer)

    def pretend_kernel(self, h: Any, parts: Any, what: pretending.Launched) -> None:
        """Take the place of a kernel of a simulation (internal)."""
        assert self._program is not None
        pretending.kernel(self._program, h, parts, self._uses, what)

    def _pretend_wait(self, *buffers: int) -> None:
        if self._program is not None:
            self._program.groups[-1].waits = buffers

    def _agree(self, what: str) -> None:
        if self.debug and self.size > 1:
            self._agreement.note(what)
            self._agreement.compare()


class fenced:
    """A value that is there once the commands before it have run (``distr_queue.fence``)."""

    def __init__(self, owner: distr_queue) -> None:
        self._owner = owner
        self.task: Task | None = None
        self.value: Any = None

    def is_ready(self) -> bool:
        """Say whether ``get`` returns at once."""
        return self.task is None or self.task.done()

    def get(self) -> Any:
        """Wait, and return the elements; None on ranks that were not to get them."""
        if self.task is not None:
            self.task.wait()
            if self.task.error is not None:
                self._owner.wait_here()  # raises what failed first
                error = self._owner._channel.claim(self.task) or self.task.error
                raise error
        return self.value


def _works(of: distr_queue) -> Callable[[], bool]:
    """Return what says whether a rank compiles or runs a kernel of its queue."""
    known, kernels = weakref.ref(of), [pulse.working(c) for c in of.channels]

    def look() -> bool:
        found = known()
        return found is not None and (found._submitting or any(one() for one in kernels))
    return look


def _introduce(link: Link, own: list[queue]) -> nccl.Communicator | None:
    """Compare versions and devices with all ranks; different versions are refused.

    Returns what sends from device to device, where all devices can.
    """
    try:
        ours = importlib.metadata.version("unisycl")
    except importlib.metadata.PackageNotFoundError:
        ours = "of a source tree"
    versions = f"unisycl {ours}, Python {platform.python_version()}, NumPy {np.__version__}"
    name = " and ".join(q.get_device().state.info.name for q in own)
    told = [t.decode().split("\n") for t in link.exchange(
        f"{versions}\n{name}\n{cards.described(own[0].channel)}".encode())]
    for what, k in (("versions", 0), ("devices", 1)):
        if len({t[k] for t in told}) > 1:
            parts = "; ".join(f"rank {r}: {t[k]}" for r, t in enumerate(told))
            if k == 0:
                raise UsageError(errc.invalid, f"ranks run different {what}: {parts}; install the "
                                 "same on all machines")
            if link.rank == 0:
                notices.tell(f"ranks have different {what}: {parts}; parts are equally large")
    return cards.begin(link, own[0].channel) if cards.agree([t[2] for t in told]) else None
