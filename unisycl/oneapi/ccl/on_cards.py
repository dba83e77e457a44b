"""Calls whose elements go from card to card, where they lie: by NCCL, in the order of the stream.

Before it is given to the stream, all ranks have said what they call, by the link that the
communicator stands on: who differs or does not come is named, and nothing hangs on a card.
Non-goals: messages (``send``, ``recv``), whose order ranks need not share; reductions that NCCL has
no type for, or that have to treat NaN as elsewhere. Invariant: whether a call goes this way depends
on nothing that may differ between ranks which call the same.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import unisycl as sycl
from unisycl.oneapi.ccl.memory import Side
from unisycl.oneapi.ccl.running import PATIENCE
from unisycl.oneapi.ccl.types import Operator
from unisycl.ranks.links import nccl
from unisycl.ranks.links.arithmetic import APART, partners, split_points
from unisycl.ranks.links.gates import begin_posted, task_of
from unisycl.ranks.links.link import Call, Ending, give_way

_PATIENCE = 3e-4  # so many seconds a call is held up for what others say, lest a thread be woken
_IN_PLACE = ("allreduce", "reduce", "broadcast")
_REDUCING = ("allreduce", "reduce", "reduce_scatter")
_ROOTED = ("reduce", "broadcast", "gather", "gatherv", "scatter", "scatterv")


@dataclass(frozen=True)
class Asked:
    """A call as a rank makes it: its memory, its operator, its root, elements for each rank."""

    name: str
    send: Side | None
    recv: Side | None
    op: Operator | None
    root: int = 0
    counts: tuple[int, ...] = ()
    others: tuple[int, ...] = ()

    def words(self, size: int) -> str:
        """Return what has to be the same on all ranks."""
        side = self.send or self.recv
        assert side is not None
        counts = () if self.others else self.counts or (self.each(size),)  # alltoallv: in pairs
        return _words(self.name, "" if self.op is None else self.op.name, counts, side.dtype,
                      self.root)

    def each(self, size: int) -> int:
        """Return how many elements each rank gives, or gets, where it is one number."""
        if self.name in ("scatter", "reduce_scatter"):
            return 0 if self.recv is None else self.recv.count
        side = self.recv if self.send is None else self.send
        return 0 if side is None else side.count // (size if self.name == "alltoall" else 1)


@functools.lru_cache(maxsize=1024)
def _words(name: str, op: str, counts: tuple[int, ...], dtype: Any, root: int) -> str:
    text = "+".join(map(str, counts)) if len(counts) <= 8 else f"mix {hash(counts)}"
    return (f"{name}{f' ({op})' if op else ''} of {text} {dtype.name}"
            f"{f' with root {root}' if name in _ROOTED else ''}, from device to device")


class Way(NamedTuple):
    """How a call is given to the stream: what does it, and what makes the command."""

    give: Callable[[int, int, int], None]
    run: Callable[..., Any]
    call: _Given


def way(comm: Any, queue: sycl.queue, asked: Asked) -> Way | None:
    """Return how a call goes from card to card; None if it goes by the host."""
    if not _fits(asked, queue):
        return None
    own = comm.cards(queue)
    if own is None:
        return None
    calls = _Given(own, asked)
    return Way(calls.give, calls.run, calls)


def _fits(asked: Asked, queue: sycl.queue) -> bool:
    sides = [s for s in (asked.send, asked.recv) if s is not None]
    if not sides or queue.channel.recorder is not None:
        return False
    if not all(isinstance(s.x, sycl.buffer) or s.on_device for s in sides):
        return False
    if len(sides) == 2 and sides[0].x is sides[1].x and asked.name not in _IN_PLACE:
        return False
    if asked.name not in _REDUCING:
        return True
    kind, op = sides[0].dtype, asked.op
    assert op is not None
    return op.function is None and nccl.number_of(kind) is not None and (
        op.name in ("sum", "prod", "avg") or (op.name in ("min", "max") and kind.kind in "iu"))


class _Given:
    """One call under way."""

    def __init__(self, own: nccl.Communicator, asked: Asked) -> None:
        self.own, self.asked, self.words = own, asked, ""
        self.group: Any = None
        """The command group, once it was given, where it may be given again."""

    def run(self, comm: Any, queue: sycl.queue, sides: Sequence[Side], posts: Sequence[Any],
            after: list[Any]) -> Any:
        """Compare with all ranks, then give the call to the queue's stream."""
        words = self._said(comm.link)
        if words.over() and words.error() is not None:
            return queue.submit(_refused(words))
        asked = self.asked

        def collective_call(handle: Any) -> None:
            at = [0 if s is None else _shared(sides, s).address(handle)
                  for s in (asked.send, asked.recv)]
            self.give(handle.get_native_queue(), *at)

        def group(h: Any) -> None:
            for side in sides:
                side.enter_device(h)
            h.ext_codeplay_enqueue_native_command(collective_call)
        if not any(isinstance(s.x, sycl.buffer) for s in sides):
            self.group = group
        return self._submit(queue, group, words, after)

    def again(self, comm: Any, queue: sycl.queue, after: Sequence[Any]) -> Any:
        """Compare, and give the call once more: all memory is USM, and what it was."""
        words = self._said(comm.link)
        if words.over() and words.error() is not None:
            return queue.submit(_refused(words))
        return self._submit(queue, self.group, words, after)

    def _said(self, link: Any) -> Ending:
        """Say to all ranks what is called, and wait a moment for what they say."""
        asked = self.asked
        if not self.words:
            self.words = asked.words(self.own.size)
        begin, spent = time.perf_counter(), 0.0
        words: Ending = link.collect(Call(
            "counts" if asked.others else "words", note=self.words, counts=asked.counts,
            others=asked.others, hold=PATIENCE))
        while not words.done() and spent < _PATIENCE:
            give_way(spent)
            spent = time.perf_counter() - begin
        return words

    def _submit(self, queue: sycl.queue, group: Any, words: Ending, after: Sequence[Any]) -> Any:
        if words.over() and not after:
            return queue.submit(group)
        agreed = None if words.over() else task_of(words, "what ranks say of it")

        def behind(h: Any) -> None:
            h.depends_on(list(after))
            if agreed is not None:
                h.add_dependency(agreed)
            group(h)
        return queue.submit(behind)

    def give(self, stream: int, send: int, recv: int) -> None:
        """Give the call to a stream; the card's context is current."""
        asked, own = self.asked, self.own
        side = asked.send or asked.recv
        assert side is not None
        size, count, root = side.dtype.itemsize, asked.each(own.size), asked.root
        if asked.name in _REDUCING:
            assert asked.op is not None
            kinds = nccl.number_of(side.dtype), nccl.OPERATORS[asked.op.name]
            if asked.name == "allreduce":
                own.collective("ncclAllReduce", send, recv, count, *kinds, stream=stream)
            elif asked.name == "reduce":
                own.collective("ncclReduce", send, recv, count, *kinds, root, stream=stream)
            else:
                own.collective("ncclReduceScatter", send, recv, count, *kinds, stream=stream)
        elif asked.name == "broadcast":
            own.collective("ncclBroadcast", send, recv, count * size, nccl.TYPES["uint8"], root,
                           stream=stream)
        elif asked.name == "allgather":
            own.collective("ncclAllGather", send, recv, count * size, nccl.TYPES["uint8"],
                           stream=stream)
        else:
            own.exchange(self._messages(send, recv, size), stream)

    def _messages(self, send: int, recv: int, size: int) -> list[nccl.Message]:
        """Return the messages that a call is made of for which NCCL has no function."""
        asked, me, ranks = self.asked, self.own.rank, range(self.own.size)
        counts = asked.counts or (asked.each(len(ranks)),) * len(ranks)
        sent = asked.others or counts
        starts, sent_at = split_points(counts), split_points(sent)
        gives, gets = partners(asked.name, me, asked.root, len(ranks))
        apart_to = asked.name in APART  # each gets another piece
        apart_from = asked.name not in ("scatter", "scatterv")
        found = []
        for r in gives:
            n = sent[r if apart_to else me]
            found.append(nccl.Message(True, r, send + (sent_at[r] * size if apart_to else 0),
                                      n * size))
        for r in gets:
            n = counts[r if apart_from else me]
            found.append(nccl.Message(False, r, recv + (starts[r] * size if apart_from else 0),
                                      n * size))
        return [m for m in found if m.nbytes]


def _refused(words: Ending) -> Callable[[Any], None]:
    def group(h: Any) -> None:
        h.set_command("a collective call", begin_posted(lambda: words, ()), native=False)
    return group


def _shared(sides: Sequence[Side], one: Side) -> Side:
    """Return the side through which memory is seen that is named twice."""
    return next(s for s in sides if s.x is one.x)
