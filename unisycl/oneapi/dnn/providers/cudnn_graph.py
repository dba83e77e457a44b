"""cuDNN's interface of graphs: descriptions of tensors and operations, and plans that compute them.

Non-goals: which operation is meant. Invariants: a plan takes no engine that may give other bits in
another run, nor one that computes in less than it was asked to; what a plan was made of lives as
long as it does.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Hashable, Sequence
from typing import Any

from unisycl.oneapi.frame.library import Library
from unisycl.oneapi.mkl.providers.cuda_libraries import check

_HANDLE, TYPE, _BOOLEAN, LONG, FLOAT, _POINTER, MODE, _HEURISTIC, _NOTE, DESCRIPTION = (
    0, 1, 2, 3, 4, 6, 7, 8, 11, 15)
NAN, STEP = 10, 14
_C: dict[int, Any] = {
    _HANDLE: ctypes.c_void_p, TYPE: ctypes.c_int, _BOOLEAN: ctypes.c_bool, LONG: ctypes.c_int64,
    FLOAT: ctypes.c_float, NAN: ctypes.c_int, STEP: ctypes.c_int,
    _POINTER: ctypes.c_void_p, MODE: ctypes.c_int,
    _HEURISTIC: ctypes.c_int, _NOTE: ctypes.c_int, DESCRIPTION: ctypes.c_void_p}
CONVOLUTION, _ENGINE, _CONFIG, _HEURISTICS, _PLAN, _GRAPH, _PACK, _TENSOR, PRODUCT = (
    1, 2, 3, 4, 5, 15, 16, 17, 18)
"""Kinds of descriptions."""
_HEURISTICS_MODE, _HEURISTICS_GRAPH, _HEURISTICS_RESULTS = 200, 201, 202
_CONFIG_ENGINE, _ENGINE_NOTES = 300, 1303
_PLAN_HANDLE, _PLAN_CONFIG, _PLAN_ROOM = 400, 401, 402
_GRAPH_HANDLE, _GRAPH_OPERATIONS = 800, 801
_ALIGNMENT, _TENSOR_TYPE, _DIMENSIONS, _STRIDES, _NUMBER, _VIRTUAL = 900, 901, 902, 903, 906, 907
_PACK_NUMBERS, _PACK_POINTERS, _PACK_ROOM = 1000, 1001, 1003
BEST, _ANY = 3, 2
"""Ways to look for engines, in their order: the better ones, then those that always work."""
TENSOR_CORE, DOWN_CONVERTS, SHORT_SUMS, FOURIER, OTHER_BITS, WINOGRAD = range(6)
"""What an engine says of its numbers."""
_NOTES, REPEATS = 32, 16
ALIGNED = 16
"""Memory of tensors begins at multiples of so many bytes."""


class Refused(Exception):
    """A description that the library does not take, or for which it has no engine."""


class Described:
    """One description; ``set`` its attributes, then it is ``done``."""

    def __init__(self, library: Library, kind: int) -> None:
        self._library = library
        self.at = ctypes.c_void_p()
        check("cudnnBackendCreateDescriptor", self._call("CreateDescriptor", kind,
                                                         ctypes.byref(self.at)))
        self._kept: list[Any] = []
        destroy = library.find("DestroyDescriptor", None, ctypes.c_int)
        weakref.finalize(self, destroy, self.at).atexit = False

    def _call(self, name: str, *arguments: Any) -> int:
        found: int = self._library.find(name, None, ctypes.c_int)(*arguments)
        return found

    def set(self, attribute: int, kind: int, *values: Any) -> Described:
        """Give an attribute its values."""
        given = [v.at if isinstance(v, Described) else v for v in values]
        self._kept += [v for v in values if isinstance(v, Described)]
        array = (_C[kind] * len(given))(*given)
        status = self._call("SetAttribute", self.at, attribute, kind,
                            ctypes.c_int64(len(given)), array)
        if status:
            raise Refused(f"attribute {attribute}: status {status}")
        return self

    def done(self) -> Described:
        """Have the library look at it; raises ``Refused``."""
        status = self._call("Finalize", self.at)
        if status:
            raise Refused(f"status {status}")
        return self

    def get(self, attribute: int, kind: int, count: int, into: Any = None) -> int:
        """Read an attribute into an array, and return how many values there are."""
        found = ctypes.c_int64()
        status = self._call("GetAttribute", self.at, attribute, kind, ctypes.c_int64(count),
                            ctypes.byref(found), into)
        if status:
            raise Refused(f"attribute {attribute}: status {status}")
        return found.value


class Plan:
    """How a graph is computed; executed with the addresses of its tensors."""

    def __init__(self, library: Library, handle: Handle, plan: Described) -> None:
        self._library, self._handle, self._plan = library, handle, plan
        room = ctypes.c_int64()
        plan.get(_PLAN_ROOM, LONG, 1, ctypes.byref(room))
        self.room = room.value
        self._run = library.find("Execute", None, ctypes.c_int)
        self._packs: dict[tuple[int, ...], Described] = {}

    def execute(self, stream: int, addresses: Sequence[int], room: int) -> None:
        """Give its commands to a stream; tensors are numbered from 1 in the order of addresses."""
        key = (*addresses, room)
        pack = self._packs.get(key)
        if pack is None:
            pack = Described(self._library, _PACK)
            pack.set(_PACK_NUMBERS, LONG, *range(1, len(addresses) + 1))
            pack.set(_PACK_POINTERS, _POINTER, *addresses).set(_PACK_ROOM, _POINTER, room or None)
            pack.done()
            if len(self._packs) >= REPEATS:
                self._packs.clear()
            self._packs[key] = pack
        with self._handle.lock:
            handle = ctypes.c_void_p(self._handle.of(stream))
            check("cudnnBackendExecute", self._run(handle, self._plan.at, pack.at))


class Handle:
    """What the library calls a handle, one a device, which is told the stream of each call."""

    def __init__(self, library: Library) -> None:
        self._create = library.plain("cudnnCreate", [ctypes.c_void_p], ctypes.c_int)
        self._set = library.plain("cudnnSetStream", [ctypes.c_void_p] * 2, ctypes.c_int)
        self.lock = threading.RLock()
        self._made = 0
        self._stream: int | None = None

    def of(self, stream: int) -> int:
        """Return the handle, whose calls go to a stream; the lock is held."""
        if not self._made:
            out = ctypes.c_void_p()
            check("cudnnCreate", self._create(ctypes.byref(out)))
            self._made = out.value or 0
        if stream != self._stream:
            check("cudnnSetStream", self._set(self._made, stream))
            self._stream = stream
        return self._made


class Graphs:
    """What makes descriptions and plans with one library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._handles: dict[Hashable, Handle] = {}

    def handle(self, card: Hashable) -> Handle:
        """Return the handle of a device, which is current."""
        found = self._handles.get(card)
        return self._handles.setdefault(card, Handle(self.library)) if found is None else found

    def tensor(self, number: int, kind: int, dims: Sequence[int], strides: Sequence[int], *,
               virtual: bool = False) -> Described:
        """Describe a tensor by its number, type, sizes and strides; virtual: in no memory."""
        made = Described(self.library, _TENSOR)
        made.set(_TENSOR_TYPE, TYPE, kind).set(_DIMENSIONS, LONG, *dims)
        made.set(_STRIDES, LONG, *strides).set(_NUMBER, LONG, number)
        if virtual:
            made.set(_VIRTUAL, _BOOLEAN, True)
        return made.set(_ALIGNMENT, LONG, ALIGNED).done()

    def described(self, kind: int, *attributes: tuple[Any, ...]) -> Described:
        """Describe something by its attributes: number, type, values."""
        made = Described(self.library, kind)
        for number, what, *values in attributes:
            made.set(number, what, *values)
        return made.done()

    def plan(self, card: Hashable, stream: int, operations: Sequence[Described],
             without: frozenset[int]) -> Plan:
        """Return how operations are computed together by an engine without some notes."""
        mine = self.handle(card)
        with mine.lock:
            handle = mine.of(stream)
            graph = self.described(_GRAPH, (_GRAPH_HANDLE, _HANDLE, handle),
                                   (_GRAPH_OPERATIONS, DESCRIPTION, *operations))
            why = "it has no engine for this"
            for mode in (BEST, _ANY):
                for config in self._configurations(graph, mode):
                    if self._notes(config) & without:
                        continue
                    try:
                        plan = self.described(_PLAN, (_PLAN_HANDLE, _HANDLE, handle),
                                              (_PLAN_CONFIG, DESCRIPTION, config))
                        return Plan(self.library, mine, plan)
                    except Refused as problem:
                        why = str(problem)
            raise Refused(why)

    def _configurations(self, graph: Described, mode: int) -> list[Described]:
        try:
            asked = self.described(_HEURISTICS, (_HEURISTICS_GRAPH, DESCRIPTION, graph),
                                   (_HEURISTICS_MODE, _HEURISTIC, mode))
            count = asked.get(_HEURISTICS_RESULTS, DESCRIPTION, 0)
        except Refused:
            return []
        made = [Described(self.library, _CONFIG) for _ in range(count)]
        into = (ctypes.c_void_p * count)(*(m.at for m in made))
        found = asked.get(_HEURISTICS_RESULTS, DESCRIPTION, count, into)
        return made[:found]

    def _notes(self, config: Described) -> frozenset[int]:
        engine = Described(self.library, _ENGINE)
        config.get(_CONFIG_ENGINE, DESCRIPTION, 1, ctypes.byref(engine.at))
        notes = (ctypes.c_int * _NOTES)()
        return frozenset(notes[:engine.get(_ENGINE_NOTES, _NOTE, _NOTES, notes)])
