"""A library with NCCL's functions for the cards of a driver that is none; ranks are threads.

What is given to a stream waits there for what the other ranks give to theirs, as on cards: a call
ends when all have come, a message when the other end has. Non-goals: speed, errors of networks.
Invariant: calls that differ between ranks are noted in ``misuse`` of the driver.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from tests.cuda_fake.core import H200, number
from tests.cuda_fake.library import FakeCuda

KINDS = (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32,
         np.float64, ml_dtypes.bfloat16)
FOLDS = (np.add, np.multiply, np.maximum, np.minimum, np.add)


class Cards(FakeCuda):
    """Cards in whose streams something may wait for another rank, so whoever waits goes on."""

    def __init__(self, count: int = 2, seed: int = 0) -> None:
        super().__init__((H200,) * count, seed=seed)

    def _until(self, over: Callable[[], bool]) -> None:
        end = time.monotonic() + 100
        while not over() and time.monotonic() < end:
            if not self.step():
                self._lock.release()  # ``called`` holds it, once
                time.sleep(1e-4)
                self._lock.acquire()

    def _cuEventSynchronize(self, event: Any) -> int:
        at = number(event)
        self._until(lambda: self._reached.get(at, 0) >= self._records.get(at, 0))
        return self.lost

    def _finish(self, stream: Any) -> None:
        self._until(lambda: not stream.waiting)


class _World:
    """What the ranks of one communicator share."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.came = threading.Barrier(size)
        self.calls: dict[int, dict[int, tuple[Any, ...]]] = {}
        self.done: set[int] = set()
        self.mail: dict[tuple[int, int], list[list[Any]]] = {}


class _End:
    def __init__(self, world: _World, rank: int) -> None:
        self.world, self.rank, self.count = world, rank, 0


class _Function:
    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call
        self.argtypes: Any = None
        self.restype: Any = None

    def __call__(self, *args: Any) -> Any:
        found = self.call(*args)
        return 0 if found is None else found


class FakeNccl:
    """The library; ``given`` are the names of what was given to streams."""

    def __init__(self, cards: Cards) -> None:
        self.cards = cards
        self.given: list[str] = []
        self._worlds: dict[bytes, _World] = {}
        self._ends: dict[int, _End] = {}
        self._here = threading.local()
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> _Function:
        if not name.startswith("nccl"):
            raise AttributeError(name)
        made = _Function(getattr(self, f"_{name}"))
        setattr(self, name, made)
        return made

    def _ncclGetErrorString(self, status: int) -> bytes:
        return b"it is said so"

    def _ncclGetVersion(self, out: Any) -> None:
        out._obj.value = 22900

    def _ncclGetUniqueId(self, out: Any) -> None:
        with self._lock:
            out._obj.internal = f"communicator {len(self._worlds)}".encode()

    def _ncclCommInitRank(self, out: Any, size: int, key: Any, rank: int) -> None:
        with self._lock:
            world = self._worlds.setdefault(bytes(key.internal), _World(size))
        if not self.cards._stack()[-1]:
            self.cards.misuse.append("a communicator without a context")
        world.came.wait(100)
        with self._lock:
            handle = 0x5000 + len(self._ends)
            self._ends[handle] = _End(world, rank)
        out._obj.value = handle

    # ------------------------------------------------------------------ calls of all ranks
    def _ncclAllReduce(self, *a: Any) -> None:
        send, recv, n, kind, op, comm, stream = a
        self._call("all", (n, kind, op), send, recv, n, n, comm, stream)

    def _ncclReduce(self, *a: Any) -> None:
        send, recv, n, kind, op, root, comm, stream = a
        self._call("one", (n, kind, op, root), send, recv, n, n, comm, stream)

    def _ncclReduceScatter(self, *a: Any) -> None:
        send, recv, n, kind, op, comm, stream = a
        size = self._ends[comm].world.size
        self._call("parts", (n, kind, op), send, recv, n * size, n, comm, stream)

    def _ncclBroadcast(self, *a: Any) -> None:
        send, recv, n, kind, root, comm, stream = a
        self._call("same", (n, kind, 0, root), send, recv, n, n, comm, stream)

    def _ncclAllGather(self, *a: Any) -> None:
        send, recv, n, kind, comm, stream = a
        size = self._ends[comm].world.size
        self._call("whole", (n, kind), send, recv, n, n * size, comm, stream)

    def _call(self, name: str, same: tuple[int, ...], send: int, recv: int, gives: int, gets: int,
              comm: int, stream: int) -> None:
        end, kind = self._ends[comm], KINDS[same[1]]
        me, world, at = end.rank, end.world, end.count
        end.count += 1

        def go_on() -> bool:
            known = world.calls.setdefault(at, {})
            if me not in known:
                given = _array(send, gives, kind).copy() if send else np.zeros(gives, kind)
                known[me] = (name, same), given, recv, gets
            if len(known) == world.size and at not in world.done:
                world.done.add(at)
                if len({k[0] for k in known.values()}) > 1:
                    self.cards.misuse.append(f"calls differ: {[k[0] for k in known.values()]}")
                else:
                    _carry_out(name, same, [known[r] for r in range(world.size)], kind)
            return at in world.done
        self._put(stream, name, go_on)

    # ------------------------------------------------------------------ messages
    def _ncclGroupStart(self) -> None:
        self._here.group = []

    def _ncclSend(self, address: int, n: int, kind: int, peer: int, comm: int,
                  stream: int) -> None:
        self._here.group.append((True, address, n, self._ends[comm], peer, stream))

    def _ncclRecv(self, address: int, n: int, kind: int, peer: int, comm: int,
                  stream: int) -> None:
        self._here.group.append((False, address, n, self._ends[comm], peer, stream))

    def _ncclGroupEnd(self) -> None:
        group, self._here.group = self._here.group, None
        if not group:
            return
        posted: list[list[Any]] = []
        wanted = [(a, n, end.world.mail.setdefault((peer, end.rank), []))
                  for sends, a, n, end, peer, _ in group if not sends]

        def go_on() -> bool:
            if not posted:
                posted.append([True])
                for sends, a, n, end, peer, _ in group:
                    if sends:
                        posted.append([False, _array(a, n, np.uint8).copy()])
                        end.world.mail.setdefault((end.rank, peer), []).append(posted[-1])
            for one in list(wanted):
                address, n, mail = one
                if mail:
                    letter = mail.pop(0)
                    if letter[1].size != n:
                        self.cards.misuse.append(f"{letter[1].size} bytes come for {n}")
                    _array(address, n, np.uint8)[:] = letter[1]
                    letter[0] = True
                    wanted.remove(one)
            return not wanted and all(p[0] for p in posted)
        self._put(group[0][5], "messages", go_on)

    def _put(self, stream: int, name: str, go_on: Callable[[], bool]) -> None:
        with self.cards._lock:
            self.given.append(name)
            self.cards._entered("a call of NCCL")
            self.cards._inside_of(stream, "a call of NCCL")
            self.cards._stream(stream).waiting.append(go_on)


def _array(address: int, count: int, kind: Any) -> Any:
    size = count * np.dtype(kind).itemsize
    raw = (ctypes.c_char * size).from_address(address)
    return np.frombuffer(raw, kind)


def _carry_out(name: str, same: tuple[int, ...], known: list[tuple[Any, ...]], kind: Any) -> None:
    given = [k[1] for k in known]
    if name in ("all", "one", "parts"):
        total = given[0].astype(np.float64 if np.dtype(kind).kind not in "iu" else kind)
        for other in given[1:]:
            total = FOLDS[same[2]](total, other.astype(total.dtype))
        if same[2] == 4:
            total = total / len(given)
        found = total.astype(kind)
    elif name == "same":
        found = given[same[3]]
    else:
        found = np.concatenate(given)
    for rank, (_, _, recv, gets) in enumerate(known):
        if name == "one" and rank != same[3]:
            continue
        _array(recv, gets, kind)[:] = found[rank * gets:(rank + 1) * gets] \
            if name == "parts" else found
