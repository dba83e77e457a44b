"""The collective calls and messages themselves (oneCCL's operations).

Each takes memory (arrays, USM, buffers), the communicator, where it runs (a stream, a queue, or
nothing: the host), and ``depends_on``; it returns an event. ``send`` and ``recv`` may be the same
memory. Non-goals: carrying (``ranks.links``). Invariant: what is wrong on this rank is refused
before others are told of the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.ccl import on_cards
from unisycl.oneapi.ccl.again import Known, comes_again
from unisycl.oneapi.ccl.communicators import communicator
from unisycl.oneapi.ccl.memory import Side
from unisycl.oneapi.ccl.on_cards import Asked
from unisycl.oneapi.ccl.repeated import OfArrays, OfCards
from unisycl.oneapi.ccl.running import PATIENCE
from unisycl.oneapi.ccl.submit import queue_of, submit
from unisycl.oneapi.ccl.types import Operator, dtype_of, operator_of, reduction
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.ranks.links.link import Call, check_rank


class _Request:
    """One call while it is made."""

    def __init__(self, name: str, comm: Any, where: Any) -> None:
        if not isinstance(comm, communicator):
            refuse(name, f"expected a communicator, got {type(comm).__name__}")
        self.name, self.comm = name, comm
        self.size, self.rank = comm.link.size, comm.link.rank
        self.queue, self.where = queue_of(name, comm, where), where
        self.sides: list[Side] = []
        self.send: Side | None = None
        self.recv: Side | None = None
        self.op: Operator | None = None
        self.more: dict[str, Any] = {}
        self.depends_on: Any = ()
        self.way: Any = None
        """What gives it to a card, if that is how it went."""

    def side(self, what: str, x: Any, count: int | None, *, writes: bool,
             dtype: Any = None) -> Side:
        """Return memory of the call; its type is that of the memory before it."""
        found = Side(self.name, what, x, count, writes=writes)
        dtype_of(self.name, dtype, found.dtype)
        if self.sides and self.sides[0].dtype != found.dtype:
            refuse(self.name, f"send holds {self.sides[0].dtype.name}, recv {found.dtype.name}")
        for other in self.sides:
            if other.x is x:  # in place: one accessor that writes
                other.writes = writes = other.writes or writes
                other.fresh = found.fresh = False
                other.room = found.room = max(other.room, found.room)
        self.sides.append(found)
        return found

    def of(self, send: Side | None, recv: Side | None, depends_on: Any,
           op: Operator | None = None, **more: Any) -> _Request:
        """Take what is given to the call, all of which is right."""
        self.send, self.recv, self.op, self.more = send, recv, op, more
        self.depends_on = depends_on
        return self

    def start(self) -> Any:
        """Submit the call."""
        link, name, more, depends_on = self.comm.link, self.name, self.more, self.depends_on
        send, recv, op = self.send, self.recv, self.op

        def post() -> Any:
            given = None if send is None else send.array()
            into = given if recv is send else None if recv is None else recv.array()
            return link.collect(Call(name, given, into, op and op.function,
                                     op.name if op else "", hold=PATIENCE, **more))
        sides = self.sides
        if len(sides) == 2 and sides[0].x is not sides[1].x and not (
                self.queue.channel.driver.messages):
            return submit(self.comm, self.queue, sides, post, depends_on, ordered=True)
        unique = {id(s.x): s for s in sides}
        way = None
        if self.queue.channel.driver.messages:
            way = on_cards.way(self.comm, self.queue, Asked(name, send, recv, op, **more))
        if way is not None:
            self.way = way.call
            return submit(self.comm, self.queue, list(unique.values()), way.give, depends_on,
                          ordered=True, way=way.run)
        for s in sides:
            if s is not unique[id(s.x)]:
                _share(s, unique[id(s.x)])
        return submit(self.comm, self.queue, list(unique.values()), post, depends_on, ordered=True)

    def known(self, given: tuple[Any, ...]) -> Known | None:
        """Return what makes the call again over the very same memory; None if nothing does."""
        if self.where is not None and self.where is not self.queue:
            return None  # a stream
        return OfArrays.of(self, given) if self.way is None else OfCards.of(self, given)


def _share(mine: Side, other: Side) -> None:
    """Have memory that is named twice be seen through one accessor."""
    other.writes = True
    mine.everything = other.everything  # type: ignore[method-assign]


def _counts(name: str, what: str, counts: Sequence[int], size: int) -> tuple[int, ...]:
    found = tuple(whole(name, what, n) for n in counts)
    if len(found) != size:
        refuse(name, f"{what} must be one number of elements for each of {size} ranks")
    return found


@comes_again
def barrier(comm: communicator, where: Any = None, *, depends_on: Any = ()) -> _Request:
    """End when all ranks have come."""
    return _Request("barrier", comm, where).of(None, None, depends_on)


@comes_again
def allreduce(send: Any, recv: Any, op: Any = reduction.sum, *, comm: communicator,
              where: Any = None, count: int | None = None, dtype: Any = None,
              depends_on: Any = ()) -> _Request:
    """Combine the elements of all ranks, on all of them.

    Args:
        send: what this rank gives; recv: where the result goes, perhaps the same memory.
        op: ``reduction.sum``, ``prod``, ``min``, ``max``, ``avg``, or a function of two.
        comm: the communicator; where: a stream or a queue.
        count: how many elements; all of ``send`` if left out.
        dtype: their type, where it is to be checked.
    """
    call = _Request("allreduce", comm, where)
    a = call.side("send", send, count, writes=False, dtype=dtype)
    b = call.side("recv", recv, a.count, writes=True)
    return call.of(a, b, depends_on, operator_of("allreduce", op, a.dtype, call.queue))


@comes_again
def reduce(send: Any, recv: Any, op: Any = reduction.sum, root: int = 0, *, comm: communicator,
           where: Any = None, count: int | None = None, dtype: Any = None,
           depends_on: Any = ()) -> _Request:
    """Combine the elements of all ranks on one; ``recv`` is used there only."""
    call = _Request("reduce", comm, where)
    check_rank("reduce", root, call.size)
    a = call.side("send", send, count, writes=False, dtype=dtype)
    b = call.side("recv", recv, a.count, writes=True) if call.rank == root else None
    return call.of(a, b, depends_on, operator_of("reduce", op, a.dtype, call.queue), root=root)


@comes_again
def broadcast(data: Any, root: int = 0, *, comm: communicator, recv: Any = None, where: Any = None,
              count: int | None = None, dtype: Any = None, depends_on: Any = ()) -> _Request:
    """Give all ranks the elements of one: in ``data``, or in ``recv`` if that is given.

    What ``root`` gives stays as it is, and may be read-only.
    """
    call = _Request("broadcast", comm, where)
    check_rank("broadcast", root, call.size)
    b = call.side("data", data if recv is None else recv, count, dtype=dtype,
                  writes=recv is not None or call.rank != root)
    b.fresh = recv is not None or call.rank != root
    a = b if recv is None else call.side("data", data, b.count, writes=False)
    return call.of(a, b, depends_on, root=root)


@comes_again
def allgather(send: Any, recv: Any, *, comm: communicator, where: Any = None,
              count: int | None = None, dtype: Any = None, depends_on: Any = ()) -> _Request:
    """Put the elements of all ranks, as many of each, one after another, on all of them."""
    call = _Request("allgather", comm, where)
    a = call.side("send", send, count, writes=False, dtype=dtype)
    b = call.side("recv", recv, a.count * call.size, writes=True)
    return call.of(a, b, depends_on)


@comes_again
def allgatherv(send: Any, recv: Any, counts: Sequence[int], *, comm: communicator,
               where: Any = None, dtype: Any = None, depends_on: Any = ()) -> _Request:
    """Put the elements of all ranks, ``counts[r]`` of rank r, one after another, on all."""
    call = _Request("allgatherv", comm, where)
    known = _counts("allgatherv", "counts", counts, call.size)
    a = call.side("send", send, known[call.rank], writes=False, dtype=dtype)
    b = call.side("recv", recv, sum(known), writes=True)
    return call.of(a, b, depends_on, counts=known)


@comes_again
def gather(send: Any, recv: Any, root: int = 0, *, comm: communicator, where: Any = None,
           count: int | None = None, dtype: Any = None, depends_on: Any = ()) -> _Request:
    """Put the elements of all ranks, as many of each, one after another, on one rank."""
    call = _Request("gather", comm, where)
    check_rank("gather", root, call.size)
    a = call.side("send", send, count, writes=False, dtype=dtype)
    b = call.side("recv", recv, a.count * call.size, writes=True) if call.rank == root else None
    return call.of(a, b, depends_on, root=root)


@comes_again
def gatherv(send: Any, recv: Any, counts: Sequence[int], root: int = 0, *, comm: communicator,
            where: Any = None, dtype: Any = None, depends_on: Any = ()) -> _Request:
    """Put the elements of all ranks, ``counts[r]`` of rank r, one after another, on one rank."""
    call = _Request("gatherv", comm, where)
    check_rank("gatherv", root, call.size)
    known = _counts("gatherv", "counts", counts, call.size)
    a = call.side("send", send, known[call.rank], writes=False, dtype=dtype)
    b = call.side("recv", recv, sum(known), writes=True) if call.rank == root else None
    return call.of(a, b, depends_on, root=root, counts=known)


@comes_again
def scatter(send: Any, recv: Any, root: int = 0, *, comm: communicator, where: Any = None,
            count: int | None = None, dtype: Any = None, depends_on: Any = ()) -> _Request:
    """Give each rank its part of one rank's elements, as many to each: ``count`` of them."""
    call = _Request("scatter", comm, where)
    check_rank("scatter", root, call.size)
    b = call.side("recv", recv, count, writes=True, dtype=dtype)
    a = call.side("send", send, b.count * call.size, writes=False) if call.rank == root else None
    return call.of(a, b, depends_on, root=root)


@comes_again
def scatterv(send: Any, recv: Any, counts: Sequence[int], root: int = 0, *, comm: communicator,
             where: Any = None, dtype: Any = None, depends_on: Any = ()) -> _Request:
    """Give each rank its part of one rank's elements, ``counts[r]`` to rank r."""
    call = _Request("scatterv", comm, where)
    check_rank("scatterv", root, call.size)
    known = _counts("scatterv", "counts", counts, call.size)
    b = call.side("recv", recv, known[call.rank], writes=True, dtype=dtype)
    a = call.side("send", send, sum(known), writes=False) if call.rank == root else None
    return call.of(a, b, depends_on, root=root, counts=known)


@comes_again
def reduce_scatter(send: Any, recv: Any, op: Any = reduction.sum, *, comm: communicator,
                   where: Any = None, count: int | None = None, dtype: Any = None,
                   depends_on: Any = ()) -> _Request:
    """Combine the elements of all ranks, and give each its part, ``count`` of them."""
    call = _Request("reduce_scatter", comm, where)
    b = call.side("recv", recv, count, writes=True, dtype=dtype)
    a = call.side("send", send, b.count * call.size, writes=False)
    return call.of(a, b, depends_on,
                      operator_of("reduce_scatter", op, a.dtype, call.queue))


@comes_again
def alltoall(send: Any, recv: Any, *, comm: communicator, where: Any = None,
             count: int | None = None, dtype: Any = None, depends_on: Any = ()) -> _Request:
    """Give every rank its part of every other's elements, ``count`` to each."""
    call = _Request("alltoall", comm, where)
    if count is None:
        count = Side("alltoall", "send", send, None, writes=False).count // call.size
    a = call.side("send", send, count * call.size, writes=False, dtype=dtype)
    b = call.side("recv", recv, count * call.size, writes=True)
    return call.of(a, b, depends_on)


@comes_again
def alltoallv(send: Any, send_counts: Sequence[int], recv: Any, recv_counts: Sequence[int], *,
              comm: communicator, where: Any = None, dtype: Any = None,
              depends_on: Any = ()) -> _Request:
    """Give every rank its part of every other's elements, each as many as its counts say."""
    call = _Request("alltoallv", comm, where)
    out = _counts("alltoallv", "send_counts", send_counts, call.size)
    into = _counts("alltoallv", "recv_counts", recv_counts, call.size)
    a = call.side("send", send, sum(out), writes=False, dtype=dtype)
    b = call.side("recv", recv, sum(into), writes=True)
    return call.of(a, b, depends_on, counts=into, others=out)


@ends_at_call
def send(data: Any, peer: int, *, comm: communicator, where: Any = None, count: int | None = None,
         dtype: Any = None, depends_on: Any = ()) -> Any:
    """Send elements to a rank, which receives as many."""
    call = _Request("send", comm, where)
    check_rank("send", peer, call.size)
    a = call.side("data", data, count, writes=False, dtype=dtype)
    a.hand_over(comm, call.queue)
    link, tag = comm.link, comm.message(peer, 0)
    return submit(comm, call.queue, [a], lambda: link.send(peer, tag, a.array(), a.words()),
                  depends_on, ordered=False)


@ends_at_call
def recv(data: Any, peer: int, *, comm: communicator, where: Any = None, count: int | None = None,
         dtype: Any = None, depends_on: Any = ()) -> Any:
    """Receive elements that a rank sends."""
    call = _Request("recv", comm, where)
    check_rank("recv", peer, call.size)
    b = call.side("data", data, count, writes=True, dtype=dtype)
    b.hand_over(comm, call.queue)
    link, tag = comm.link, comm.message(peer, 1)
    return submit(comm, call.queue, [b], lambda: link.receive(peer, tag, b.array(), b.words()),
                  depends_on, ordered=False)
