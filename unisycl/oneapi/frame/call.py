"""One call of a routine: its queue, what it takes, the kernels it launches, and what it returns.

Non-goals: the kernels. Invariants: all checks come before the first launch; each launch follows
the one before it, whatever the queue; scratch memory lives as long as commands use it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame import progress
from unisycl.oneapi.frame.native import Work, give
from unisycl.oneapi.frame.operands import Memory, Operand, operand_of, paired
from unisycl.oneapi.frame.plans import PLANS, Plan, key_of, twins_of
from unisycl.oneapi.frame.policies import policy_of
from unisycl.oneapi.frame.providers import Place
from unisycl.oneapi.frame.refusals import refuse
from unisycl.oneapi.frame.results import events_of, future
from unisycl.oneapi.frame.rooms import ROOMS


class Call:
    """What a routine works with while it is called."""

    def __init__(self, name: str, policy: Any, depends_on: Any, shown: Any = None) -> None:
        self.name, self.shown = name, progress.checked(name, shown)
        self._begun: list[sycl.event] = []
        chosen = policy_of(name, policy)
        self.queue, self.shape = chosen.queue(), chosen.shape()
        self.in_order = chosen.in_order
        self.checked = self.queue.has_property(sycl.property.queue.debug)
        self._after = events_of(depends_on)
        self._held: list[Any] = []
        self._bound: list[Any] | None = None
        self._own_bytes = 0

    # ------------------------------------------------------------------ what it takes
    def source(self, what: str, x: Any, count: int | None = None) -> Any:
        """Return elements to read; of ``count`` elements where that is known."""
        found = self._read(what, operand_of(self.name, what, x)).read_only()
        if count is None:
            if found.size is None:
                self.refuse(f"{what} has no end; say where it ends, as in counting_iterator(0)[:n]")
            return found
        return self._sized(what, found, count)

    def taken(self, what: str, x: Any, count: int | None = None) -> Any:
        """Return elements to read, or to write as well, of which ``count`` may be a part."""
        found = operand_of(self.name, what, x)
        if count is not None and found.size is not None and found.size < count:
            self.refuse(f"{what} has {found.size} elements where {count} are needed")
        if count is None and found.size is None:
            self.refuse(f"{what} has no end; say where it ends, as in counting_iterator(0)[:n]")
        return found

    def target(self, what: str, x: Any, count: int, *, exact: bool = True) -> Any:
        """Return memory to write ``count`` elements to, at most if not ``exact``."""
        found = operand_of(self.name, what, x)
        if not found.writable:
            self.refuse(f"{what} cannot be written")
        found = self._sized(what, found, count, exact=exact)
        if found.bounded or found.size is None or found.size == count:
            return found
        return found.part(0, count)

    def memory(self, what: str, x: Any) -> Operand:
        """Return elements that are read and written in place."""
        found = operand_of(self.name, what, x)
        if not found.writable:
            self.refuse(f"{what} cannot be written")
        if found.size is None:
            self.refuse(f"{what} has no end; say where it ends by [:n]")
        if not isinstance(found, Memory):
            self.apart(self._read(what, found))
        return found

    def _read(self, what: str, found: Operand) -> Operand:
        if not found.readable:
            self.refuse(f"{what} can be written only")
        return found

    def _sized(self, what: str, found: Operand, count: int, *, exact: bool = True) -> Operand:
        size = found.size
        if size is not None and (size < count or (found.bounded and exact and size != count)):
            self.refuse(f"{what} has {size} elements where {count} are needed")
        return found

    def refuse(self, text: str) -> Any:
        """Raise the error of this routine."""
        refuse(self.name, text)

    def refuse_recording(self) -> None:
        """Refuse to wait where a graph records the queue: nothing would run meanwhile."""
        if self.queue.ext_oneapi_get_state().name == "recording":
            self.refuse("it waits for its result, and a command graph records this queue; "
                        f"{self.name}.later is recorded")

    def apart(self, target: Operand, *others: Operand, same: bool = False) -> None:
        """Refuse memory to be written that overlaps what is read, or other memory to be written.

        Where ``same`` is true, the very elements that are read may be written.
        """
        written = target.extents()
        for k, mine in enumerate(written):
            if any(mine.meets(e) and not (mine.read and e.read) for e in written[k + 1:]):
                self.refuse("elements of the output lie in the same memory")
        for other in others:
            for mine, theirs in itertools.product(written, other.extents()):
                if mine.meets(theirs) and not (same and mine.same(theirs)) and not (
                        mine.read and (theirs.read or not other.writable)):
                    self.refuse("memory that is written overlaps other memory of the call"
                                + (", and is not the same elements" if same else ""))

    # ------------------------------------------------------------------ what it does
    def scratch(self, count: int, dtype: npt.DTypeLike) -> Memory:
        """Return memory of the routine's own, with anything in it; the host may read it."""
        size, kind = max(count, 1), np.dtype(dtype)
        self._own_bytes += size * kind.itemsize
        return Memory(empty(self.queue, size, kind), 0, size)

    def result(self, dtype: npt.DTypeLike) -> Memory:
        """Return memory of one element that the host reads: where it can, kernels write it there.

        Shared memory would go there and back for it.
        """
        device = self.queue.get_device()
        if _host_memory(device) or not device.has(sycl.aspect.usm_host_allocations):
            return self.scratch(1, dtype)
        made = sycl.usm_allocator(sycl.usm.alloc.host, self.queue).allocate(1, np.dtype(dtype))
        return Memory(made, 0, 1)

    def own(self, count: int, dtype: npt.DTypeLike) -> Memory:
        """Return memory of the routine's own that only kernels use, with anything in it."""
        size, device = max(count, 1), self.queue.get_device()
        if _host_memory(device) or not device.has(sycl.aspect.usm_device_allocations):
            return self.scratch(count, dtype)
        found = Memory(sycl.malloc_device(size, np.dtype(dtype), self.queue), 0, size)
        self._own_bytes += found.base.byte_size()
        return found

    def kept(self, values: Any) -> Any:
        """Return numbers of the routine's own where kernels read them in place."""
        self._bound = None  # another call may have others
        found = empty(self.queue, values.size, values.dtype)
        found[:] = values
        return found

    def table(self, values: npt.NDArray[Any]) -> Memory:
        """Return numbers that only kernels read: on the device where its memory is apart."""
        device = self.queue.get_device()
        if _host_memory(device) or not device.has(sycl.aspect.usm_device_allocations):
            return Memory(self.kept(values), 0, values.size)
        self._bound = None
        found = self.own(values.size, values.dtype)
        self._held.append([values, found])
        self._after = [*self._after, self.queue.copy(values, found.base, values.size)]
        return found

    def launch(self, space: Any, kernel: Any, *args: Any) -> None:
        """Run a kernel behind the one before it; operands among the arguments are bound."""
        operands = [a for a in args if isinstance(a, Operand)]
        self._held.append(operands)
        if any(a.has_buffer() for a in operands):
            self._bound, after = None, self._after

            def group(h: sycl.handler) -> None:
                h.depends_on(after)
                h.parallel_for(space, kernel, *(_bound(a, h) for a in args))

            self._after = [self.queue.submit(group)]
        elif self._bound is not None:
            again = self.queue.bind(space, kernel, *(_bound(a, None) for a in args))
            self._bound.append(again)
            self._after = [again(depends_on=self._after)]
        else:
            self._after = [self.queue.parallel_for(
                space, kernel, *(_bound(a, None) for a in args), depends_on=self._after)]
        self._note()

    def _note(self) -> None:
        if self.shown is not None:
            self._begun += self._after

    def watched(self, found: future) -> Any:
        """Show how far the call is until it has ended, and return what it found."""
        progress.watch(self.shown, [*self._begun, found.get_event()])
        return found.get()

    def native(self, place: Place, work: Work, *memory: Memory, cost: float = 0.0) -> None:
        """Have a library do work behind the command before it (``native.give``).

        Args:
            place: where the library works, as its provider says.
            work: called with the device's queue, and a ``Bound`` for each memory.
            memory: what it reads and, where it is writable, writes.
            cost: about how many operations it takes.
        """
        self._held.append(memory)
        self._bound = None
        self._after = [give(self.queue, place, self.name, work, memory, self._after,
                            cost=cost)]
        self._note()

    def follow(self, given: Any) -> None:
        """Let what comes wait for other commands, too."""
        self._after = [*self._after, *events_of(given)]

    def bind_launches(self) -> None:
        """Bind what is launched, so that it can be submitted again."""
        self._bound = []

    def plan(self, found: future) -> Plan | None:
        """Return the launches of the call, bound, and its result; None if it did other things."""
        if not self._bound:
            return None
        return Plan(self._bound, found.value, self._held, in_order=self.queue.is_in_order(),
                    own=self._own_bytes)

    def last(self) -> list[sycl.event]:
        """Return what the next launch would wait for."""
        return list(self._after)

    def done(self, value: Callable[[], Any] | None = None) -> future:
        """Return the end of the routine, and what it found."""
        if len(self._after) == 1:
            last = self._after[0]
        else:
            last = self.queue.ext_oneapi_submit_barrier(
                self._after) if self._after else sycl.event()
        return future(last, _nothing if value is None else value, self._held)


def _nothing() -> None:
    return None


def _bound(x: Any, h: Any) -> Any:
    return x.bind(h) if isinstance(x, Operand) else x


@functools.lru_cache(maxsize=64)
def _host_memory(device: sycl.device) -> bool:
    return bool(device.has(sycl.aspect.usm_system_allocations)) and not device.has(
        sycl.aspect.gpu)


def empty(queue: sycl.queue, count: int, dtype: np.dtype[Any]) -> Any:
    """Return an array that kernels of a queue use in place."""
    device = queue.get_device()
    if _host_memory(device) or not device.has(sycl.aspect.usm_shared_allocations):
        return ROOMS.take(count, dtype)
    own = sycl.usm_allocator(sycl.usm.alloc.shared, queue)
    return own.ext_unisycl_empty(count, dtype)


class Routine:
    """A routine of a library: called it waits, by ``later`` it returns a ``future`` at once."""

    def __init__(self, body: Callable[..., future]) -> None:
        functools.update_wrapper(self, body)
        self._body, self._name = body, body.__name__

    @ends_at_call
    def __call__(self, policy: Any, *args: Any, depends_on: Any = (), progress: Any = None,
                 **named: Any) -> Any:
        """Run the routine and wait for it."""
        if progress:
            call = Call(self._name, policy, depends_on, progress)
            call.refuse_recording()
            return call.watched(self._body(call, *paired(self._name, args), **named))
        key = None if depends_on else key_of(self._name, policy, args, named)
        if key is not None:
            return self._again(key, policy, args, named)
        call = Call(self._name, policy, depends_on)
        call.refuse_recording()
        return self._body(call, *paired(self._name, args), **named).get()

    def _again(self, key: Any, policy: Any, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Run a call that may have come before; the second time its launches are bound."""
        plan, bind = PLANS.find(key)
        if plan is not None and plan.lock.acquire(blocking=False):
            try:
                return plan.run()
            finally:
                plan.lock.release()
        call = Call(self._name, policy, ())
        call.refuse_recording()
        bind = bind and not call.checked
        if bind:
            call.bind_launches()
            args, named = twins_of(args, named)
        found = self._body(call, *paired(self._name, args), **named)
        value = found.get()
        if bind:
            PLANS.keep(key, call.plan(found))
        return value

    @ends_at_call
    def later(self, policy: Any, *args: Any, depends_on: Any = (), **named: Any) -> future:
        """Submit the routine's commands and return at once."""
        call = Call(self._name, policy, depends_on)
        if named.pop("progress", None):
            call.refuse("progress is shown by calls that wait; go through as_completed of events")
        return self._body(call, *paired(self._name, args), **named)

    def __repr__(self) -> str:
        return f"<routine {self._name}>"


def routine(body: Callable[..., future]) -> Routine:
    """Make a routine of a function whose first argument is the ``Call``."""
    return Routine(body)
