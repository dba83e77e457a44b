"""What the functions of the driver that is none share: streams, blocks of memory, failures.

Non-goals: the functions. Invariant: one call at a time changes anything.
"""

from __future__ import annotations

import itertools
import random
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

INVALID_VALUE, OUT_OF_MEMORY, INVALID_CONTEXT, INVALID_IMAGE = 1, 2, 201, 200
INVALID_HANDLE, NOT_FOUND, NOT_READY, ILLEGAL_ADDRESS, OUT_OF_RESOURCES = 400, 500, 600, 700, 701
H200 = {1: 1024, 2: 1024, 3: 1024, 4: 64, 5: (1 << 31) - 1, 6: 65535, 7: 65535, 8: 49152, 9: 65536,
        10: 32, 13: 1980000, 16: 132, 18: 0, 19: 1, 20: 0, 31: 1, 32: 1, 33: 1, 36: 3201000,
        37: 6144, 38: 60 << 20, 39: 2048, 40: 3, 41: 1, 75: 9, 76: 0, 83: 1, 86: 0, 88: 0, 89: 1,
        91: 1, 95: 1, 97: 232448, 99: 1, 106: 32, 113: 1, 115: 1, 125: 1}
"""Attributes of a card by CUDA's numbers."""


def number(value: Any) -> int:
    """Return what an argument is: a number, or ctypes' own."""
    if value is None:
        return 0
    return int(value if isinstance(value, int) else value.value or 0)


def store(out: Any, value: Any) -> None:
    """Store where an argument made by ``byref`` leads, or into an array."""
    out._obj.value = value


class Function:
    """One function; ``argtypes`` and ``restype`` are taken and not looked at."""

    def __init__(self, library: Core, name: str) -> None:
        self.argtypes: Any = None
        self.restype: Any = None
        self._library = library
        self._name = name

    def __call__(self, *args: Any) -> int:
        return self._library.called(self._name, args)


class Stream:
    """What waits to be done, in order."""

    def __init__(self, context: int = 0) -> None:
        self.waiting: list[Callable[[], bool]] = []
        self.context = context


class Core:
    """What all its functions share: what there is, what is wrong with its use, what fails.

    Args:
        cards: the attributes of each card.
        seed: chooses what is done first of what may be done.
        version: of CUDA.
        memory: bytes of each card.
        lacks: functions that it does not have.
    """

    def __init__(self, cards: tuple[dict[int, int], ...] = (H200,), seed: int = 0, *,
                 version: int = 13000, memory: int = 1 << 34, lacks: tuple[str, ...] = (),
                 name: str = "NVIDIA H200") -> None:
        self.cards = cards
        self.name = name
        self.version = version
        self.memory = memory
        self.lacks = lacks
        self.calls: Counter[str] = Counter()
        self.misuse: list[str] = []
        self.failing: dict[str, tuple[int, int]] = {}
        self.kernels: dict[bytes, Callable[..., Callable[[], None]]] = {}
        self.bounds: dict[tuple[bytes, bytes], int] = {}
        """How many items a work-group of a kernel has at most, as its text says."""
        self.lost = 0
        self.held = False
        self.loses = False
        self.gone: set[int] = set()
        self.launches: list[tuple[int, ...]] = []
        self.streams: list[int] = []
        """The streams that launches were given to."""
        self.priorities: dict[int, int] = {}
        self._random = random.Random(seed)
        self._lock = threading.RLock()
        self._numbers = itertools.count(0x7000_0000_0000, 64)
        self._current = threading.local()
        self._blocks: dict[int, tuple[Any, int, str]] = {}
        self._homes: dict[int, int] = {}
        self.apart: set[tuple[int, int]] = set()
        """Pairs of cards that do not reach each other."""
        self.enabled: set[tuple[int, int]] = set()
        self.pooled: set[int] = set()
        """Contexts, each with one whose memory it may use; and cards with pools that they may."""
        self._streams: dict[int, Stream] = {1: Stream()}  # the one of old
        self._events: dict[int, int] = {}
        self._records: dict[int, int] = {}
        self._reached: dict[int, int] = {}
        self._times: dict[int, float] = {}
        self._modules: dict[int, bytes] = {}
        self._functions: dict[int, tuple[bytes, bytes]] = {}

    def __getattr__(self, name: str) -> Function:
        if not name.startswith("cu") or name in self.lacks or not hasattr(type(self), f"_{name}"):
            raise AttributeError(f"undefined symbol: {name}")
        made = Function(self, name)
        setattr(self, name, made)
        return made

    def __getitem__(self, name: str) -> Function:
        return getattr(self, name)

    def fail(self, name: str, result: int, after: int = 0) -> None:
        """Have a function fail once, after so many calls that do not."""
        self.failing[name] = after, result

    def called(self, name: str, args: tuple[Any, ...]) -> int:
        """Do what a function does; return its result."""
        with self._lock:
            self.calls[name] += 1
            left = self.failing.get(name)
            if left is not None:
                if left[0] == 0:
                    del self.failing[name]
                    self.lost = left[1] if self.loses else 0
                    return left[1]
                self.failing[name] = left[0] - 1, left[1]
            if self.lost and name not in ("cuCtxPopCurrent_v2", "cuDriverGetVersion"):
                return self.lost
            found = getattr(self, f"_{name}")(*args)
            return 0 if found is None else int(found)

    def live(self, kind: str) -> int:
        """Return how many blocks of memory of a kind there are: device, host, managed."""
        return sum(1 for _, _, k in self._blocks.values() if k == kind)

    def step(self) -> bool:
        """Do one thing that may be done; say whether there was any."""
        if self.held:
            return False
        streams = [s for s in self._streams.values() if s.waiting]
        self._random.shuffle(streams)
        for stream in streams:
            if stream.waiting[0]():
                if stream.waiting:
                    stream.waiting.pop(0)
                return True
        return False

    def run(self) -> None:
        """Do all that may be done."""
        while self.step():
            pass

    def _stack(self) -> list[int]:
        if not hasattr(self._current, "stack"):
            self._current.stack = [0]
        return self._current.stack  # type: ignore[no-any-return]

    def _entered(self, what: str) -> None:
        if not self._stack()[-1]:
            self.misuse.append(f"{what} without a context")

    def _stream(self, value: Any) -> Stream:
        found = self._streams.get(number(value))
        if found is None:
            self.misuse.append(f"no stream {value}")
            return self._streams.setdefault(number(value), Stream())
        return found

    def _inside_of(self, stream: Any, what: str) -> None:
        """Note a command whose stream is of another context than the current one."""
        home = self._stream(stream).context
        if home not in (0, self._stack()[-1]):
            self.misuse.append(f"{what} to a stream of another context")

    def _finish(self, stream: Stream) -> None:
        while stream.waiting and self.step():
            pass

    def _later(self, stream: Any, work: Callable[[], Any]) -> int:
        def do() -> bool:
            work()
            return True

        self._entered("a command")
        self._inside_of(stream, "a command")
        self._stream(stream).waiting.append(do)
        return 0

    def _inside(self, address: int, size: int) -> str:
        """Return the kind of memory of the driver's that bytes lie in; '' for other memory."""
        for start, (_, length, kind) in self._blocks.copy().items():  # others go meanwhile
            if start <= address and address + size <= start + length:
                return kind
        pages = {p for start, (_, length, kind) in self._blocks.copy().items() if kind == "pages"
                 for p in range(start, start + length, 4096)}
        return "pages" if pages.issuperset(
            range(address & -4096, address + max(1, size), 4096)) else ""
