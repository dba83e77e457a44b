"""NCCL by ctypes: what sends elements from card to card, where they lie, in a stream's order.

Non-goals: which ranks have what card, and whether they call the same (``cards``). Invariants: a
function is called with the card's context current; one thread at a time uses a communicator, which
lives as long as the process: to end it, all its ranks would have to come.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unisycl.base.errors import DeviceError, errc

TYPES = {"int8": 0, "uint8": 1, "int32": 2, "uint32": 3, "int64": 4, "uint64": 5, "float16": 6,
         "float32": 7, "float64": 8, "bfloat16": 9}
OPERATORS = {"sum": 0, "prod": 1, "max": 2, "min": 3, "avg": 4}
_BYTE = TYPES["uint8"]
_NAME = "libnccl.so.2"


@functools.cache
def number_of(dtype: np.dtype[Any]) -> int | None:
    """Return NCCL's number of a type; None where it has none."""
    return TYPES.get(dtype.name)


class UniqueId(ctypes.Structure):
    """What the ranks of one communicator are told."""

    _fields_ = (("internal", ctypes.c_char * 128),)


class Message(NamedTuple):
    """Bytes at an address that go to a rank, or come from one."""

    sends: bool
    peer: int
    address: int
    nbytes: int


_P, _N, _I = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "ncclGetVersion": (_P,), "ncclGetUniqueId": (_P,),
    "ncclCommInitRank": (_P, _I, UniqueId, _I),
    "ncclAllReduce": (_P, _P, _N, _I, _I, _P, _P),
    "ncclReduce": (_P, _P, _N, _I, _I, _I, _P, _P),
    "ncclReduceScatter": (_P, _P, _N, _I, _I, _P, _P),
    "ncclBroadcast": (_P, _P, _N, _I, _I, _P, _P),
    "ncclAllGather": (_P, _P, _N, _I, _P, _P),
    "ncclSend": (_P, _N, _I, _I, _P, _P), "ncclRecv": (_P, _N, _I, _I, _P, _P),
    "ncclGroupStart": (), "ncclGroupEnd": ()}


class Library:
    """The functions that are used of it; each raises what it fails with."""

    def __init__(self, api: Any) -> None:
        self._functions = {}
        for name, arguments in _SIGNATURES.items():
            function = getattr(api, name)
            function.argtypes, function.restype = arguments, ctypes.c_int
            self._functions[name] = function
        self._text = api.ncclGetErrorString
        self._text.argtypes, self._text.restype = (ctypes.c_int,), ctypes.c_char_p

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function."""
        status = self._functions[name](*arguments)
        if status:
            why = (self._text(status) or b"").decode(errors="replace")
            raise DeviceError(errc.runtime, f"{name} of NCCL failed: {why} (status {status})")

    def version(self) -> str:
        """Return its version, as NCCL writes it in one number."""
        out = ctypes.c_int()
        self.call("ncclGetVersion", ctypes.byref(out))
        return str(out.value)

    def unique_id(self) -> bytes:
        """Return what the ranks of a new communicator have to be told."""
        out = UniqueId()
        self.call("ncclGetUniqueId", ctypes.byref(out))
        return bytes(out)


@functools.cache
def load() -> Library:
    """Return the library, from NVIDIA's wheel or the system; ``OSError`` where there is none."""
    found = importlib.util.find_spec("nvidia")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    for place in places:
        for path in sorted(Path(place).glob(f"*/lib/{_NAME}")):
            return Library(ctypes.CDLL(str(path)))
    return Library(ctypes.CDLL(_NAME))


class Communicator:
    """One rank's end of a communicator of NCCL.

    Args:
        library: the functions.
        key: what rank 0 has told all ranks.
        rank, size: which rank this is, of how many; made while its card's context is current.
    """

    def __init__(self, library: Library, key: bytes, rank: int, size: int) -> None:
        self.library, self.rank, self.size = library, rank, size
        self._lock = threading.Lock()
        out = ctypes.c_void_p()
        library.call("ncclCommInitRank", ctypes.byref(out), size, UniqueId.from_buffer_copy(key),
                     rank)
        self.handle = out.value

    def collective(self, name: str, *arguments: Any, stream: int) -> None:
        """Give a stream a collective call."""
        with self._lock:
            self.library.call(name, *arguments, self.handle, stream)

    def exchange(self, messages: Sequence[Message], stream: int) -> None:
        """Give a stream messages that go and come together."""
        call = self.library.call
        with self._lock:
            call("ncclGroupStart")
            try:
                for one in messages:
                    call("ncclSend" if one.sends else "ncclRecv", one.address, one.nbytes, _BYTE,
                         one.peer, self.handle, stream)
            finally:
                call("ncclGroupEnd")
