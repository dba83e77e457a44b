"""oneCCL itself, Intel's library, by ctypes: it carries calls between processes of MPI.

Its C interface (``libccl.so.2``) hands calls to a plugin; the one for processors is asked for, as
memory of the host is all that it is given. Non-goals: Intel's GPUs, whose calls need queues of
Intel's own SYCL; finding ranks, comparing what they call, and what oneCCL has no function, type or
operator for: MPI does those. Invariants: one thread of the process makes all its calls, in the
order of the link's; which way a call goes depends on nothing that differs between ranks.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import os
import queue
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.base.errors import DeviceError, UsageError, errc
from unisycl.ranks.links.link import Call
from unisycl.ranks.links.mpi import MpiLink
from unisycl.ranks.links.mpi_calls import Steps, compare_counts, got_by, native, sent_by

TYPES = {"int8": 0, "uint8": 1, "int32": 2, "uint32": 3, "int64": 4, "uint64": 5, "float16": 6,
         "float32": 7, "float64": 8, "bfloat16": 9}
OPERATORS = {"sum": 0, "prod": 1, "max": 2, "min": 3}
_REDUCING = ("allreduce", "reduce", "reduce_scatter")
_CARRIED = (*_REDUCING, "broadcast", "allgather", "alltoall", "alltoallv")
_KEY = 4096
_NAME, _PROCESSORS = "libccl.so.2", Path("ccl") / "cpu" / "lib" / "libccl.so.1"


class UniqueId(ctypes.Structure):
    """What the ranks of one communicator are told."""

    _fields_ = (("data", ctypes.c_char * _KEY),)


_P, _N, _I = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "onecclGetVersion": (_P,), "onecclGetUniqueId": (_P,),
    "onecclCommInitRank": (_P, _N, UniqueId, _I),
    "onecclAllReduce": (_P, _P, _N, _I, _I, _P, _P),
    "onecclReduce": (_P, _P, _N, _I, _I, _I, _P, _P),
    "onecclReduceScatter": (_P, _P, _N, _I, _I, _P, _P),
    "onecclBroadcast": (_P, _P, _N, _I, _I, _P, _P),
    "onecclAllGather": (_P, _P, _N, _I, _P, _P), "onecclAllToAll": (_P, _P, _N, _I, _P, _P),
    "onecclAllToAllV": (_P, _P, _P, _P, _I, _P, _P)}


class Library:
    """The functions that are used of it; each raises what it fails with."""

    def __init__(self, api: Any) -> None:
        self._functions = {}
        for name, arguments in _SIGNATURES.items():
            function = getattr(api, name)
            function.argtypes, function.restype = arguments, ctypes.c_int
            self._functions[name] = function
        self._text = api.onecclGetLastErrorString
        self._text.argtypes, self._text.restype = (), ctypes.c_char_p

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function."""
        status = self._functions[name](*arguments)
        if status:
            why = (self._text() or b"").decode(errors="replace").strip()
            raise DeviceError(errc.runtime, f"{name} of oneCCL failed: {why} (status {status})")

    def version(self) -> str:
        """Return its version."""
        out = ctypes.c_int()
        self.call("onecclGetVersion", ctypes.byref(out))
        return f"{out.value // 10000}.{out.value // 100 % 100}"

    def unique_id(self) -> bytes:
        """Return what the ranks of a new communicator have to be told."""
        out = UniqueId()
        self.call("onecclGetUniqueId", ctypes.byref(out))
        return bytes(out)


def places() -> list[Path]:
    """Return the folders where oneCCL may be; none that depends on the current one."""
    named = [Path(os.environ.get("CCL_ROOT", "")) / "lib",
             *map(Path, os.environ.get("LD_LIBRARY_PATH", "").split(":"))]
    return [*(place for place in named if place.is_absolute()), Path(sys.prefix) / "lib",
            Path("/opt/intel/oneapi/ccl/latest/lib")]


def load() -> Library:
    """Return the library; ``LookupError`` says why there is none that works here."""
    return _loaded(tuple(places()))


@functools.cache
def _loaded(folders: tuple[Path, ...]) -> Library:
    found = [f for f in folders if (f / _NAME).exists()]
    if not found:
        raise LookupError(f"{_NAME} of oneCCL is neither in CCL_ROOT/lib nor where libraries are")
    whole = [f for f in found if (f / _PROCESSORS).exists()]
    if not whole:  # its plugin takes the build for GPUs then, which ends the process
        raise LookupError(f"{found[0] / _NAME} has no {_PROCESSORS} beside it, oneCCL's build for "
                          "processors; without that its calls over the host's memory crash")
    os.environ.setdefault("CCL_PLUGIN", "ONECCL_LEGACY_CPU")
    try:
        return Library(ctypes.CDLL(str(whole[0] / _NAME)))
    except (OSError, AttributeError) as error:
        raise LookupError(f"{whole[0] / _NAME} does not load: {error}") from error


def finding() -> str:
    """Return what there is of oneCCL, in a line."""
    try:
        return f"oneCCL {load().version()}, by create_main_kvs('oneccl')"
    except (LookupError, DeviceError) as error:
        return f"no oneCCL ({error}); MPI carries the calls"


class _Work:
    """A call that a thread makes; asked as a request of MPI is."""

    def __init__(self, body: Callable[[], object]) -> None:
        self.body, self.over = body, False
        self.error: Exception | None = None

    def run(self) -> None:
        """Make the call, in the thread."""
        try:
            self.body()
        except Exception as error:  # noqa: BLE001 -- raised where the call is awaited
            self.error = error
        self.over = True

    def Test(self) -> bool:
        """Say whether it is over; raise what it failed with."""
        if self.over and self.error is not None:
            raise self.error
        return self.over


class _Maker:
    """The thread that makes calls of oneCCL, which block."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._works: queue.SimpleQueue[_Work] | None = None

    def give(self, body: Callable[[], object]) -> _Work:
        """Have a function called; return what says whether that is over."""
        work = _Work(body)
        with self._lock:
            if self._works is None:
                self._works = queue.SimpleQueue()
                threading.Thread(target=self._run, args=(self._works,), name="unisycl-oneccl",
                                 daemon=True).start()
        self._works.put(work)
        return work

    @staticmethod
    def _run(works: queue.SimpleQueue[_Work]) -> None:
        while True:
            works.get().run()


_maker = _Maker()


class OneCclLink(MpiLink):
    """One process's end of a communicator of oneCCL, beside one of MPI by which ranks agree."""

    provider = "oneCCL"
    carried = ()  # no elements travel with the words
    handle: int | None = None

    def start(self, library: Library, key: bytes) -> None:
        """Make oneCCL's communicator; collective, and waits."""
        out = ctypes.c_void_p()
        work = _maker.give(lambda: library.call(
            "onecclCommInitRank", ctypes.byref(out), self.size, UniqueId.from_buffer_copy(key),
            self.rank))
        self.finish(self.ending_of(work, "the start of oneCCL"))
        self.library, self.handle = library, out.value

    def carry(self, call: Call) -> Steps:
        """Have oneCCL carry out a call, where it can; yields what has to end first."""
        kind = (sent_by(call) if call.recv is None else call.recv).dtype if (
            call.name in _CARRIED) else None
        number = None if kind is None else TYPES.get(kind.name)
        if number is None or (call.name in _REDUCING and (
                call.op is not None or call.op_name not in OPERATORS)):
            yield from native(self, call)
            return
        if call.name == "alltoallv":
            yield from compare_counts(self.comm, call)
        if call.name != "allreduce" and call.send is not None and call.recv is not None and (
                call.send is not call.recv and np.may_share_memory(call.send, call.recv)):
            call = dataclasses.replace(call, send=call.send.copy())
        made, kept = self._made(call, number)
        yield [_maker.give(lambda: self.library.call(*made))]
        del kept

    def _made(self, call: Call, number: int) -> tuple[tuple[Any, ...], Any]:
        """Return a function's name and arguments, and what has to live until it has returned."""
        end: tuple[Any, ...] = (self.handle, None)
        op = OPERATORS.get(call.op_name, 0)
        if call.name == "broadcast":
            into = got_by(call)
            source = into if call.send is None else call.send
            return ("onecclBroadcast", _at(source), _at(into), into.size, number, call.root,
                    *end), None
        send = sent_by(call)
        if call.name == "reduce":
            out = np.empty_like(send) if call.recv is None else call.recv
            return ("onecclReduce", _at(send), _at(out), send.size, number, op, call.root,
                    *end), out
        into = got_by(call)
        if call.name == "allreduce":
            return ("onecclAllReduce", _at(send), _at(into), send.size, number, op, *end), None
        if call.name == "reduce_scatter":
            return ("onecclReduceScatter", _at(send), _at(into), into.size, number, op,
                    *end), send
        if call.name == "allgather":
            return ("onecclAllGather", _at(send), _at(into), send.size, number, *end), send
        if call.name == "alltoall":
            return ("onecclAllToAll", _at(send), _at(into), send.size // self.size, number,
                    *end), send
        counts = [np.array(c, np.uintp) for c in (call.others, call.counts)]
        return ("onecclAllToAllV", _at(send), _at(counts[0]), _at(into), _at(counts[1]), number,
                *end), (send, counts)

    def split(self, color: int, key: int) -> MpiLink | None:
        """Return oneCCL's link among the ranks of one color."""
        found = super().split(color, key)
        return None if found is None else joined(found)


def _at(data: np.ndarray[Any, Any]) -> int:
    return int(data.ctypes.data)


def joined(link: MpiLink) -> OneCclLink:
    """Return a link by oneCCL over the ranks of a link by MPI, which it takes; collective."""
    try:
        library, said = load(), "here"
        said = library.version()
    except (LookupError, DeviceError) as error:
        library, said = None, f"none: {error}"
    told = [t.decode(errors="replace") for t in link.exchange(said.encode())]
    if len(set(told)) > 1 or told[0].startswith("none"):
        ranks = "; ".join(f"rank {r}: {t}" for r, t in enumerate(told) if t != told[0] or r == 0)
        raise UsageError(errc.feature_not_supported, f"oneCCL: all ranks need it in one version "
                         f"({ranks}); create_main_kvs('mpi') makes the same calls by MPI")
    assert library is not None
    key = link.exchange(library.unique_id() if link.rank == 0 else b"")[0]
    made = OneCclLink(link.comm, link.words, link.limit, link.name, pulse=link.pulse)
    made.start(library, key)
    return made
