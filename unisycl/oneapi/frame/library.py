"""Shared libraries of C, found where a wheel put them, and called without the lock of Python.

Non-goals: what their functions mean. Invariants: a library is loaded by its absolute path, once;
how many threads it uses is as it was after each call.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.metadata
import importlib.util
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def beside(package: str, pattern: str) -> list[Path]:
    """Return files beside an importable package, or in it, by a pattern as of ``glob``."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        return []
    return sorted(p for place in found.submodule_search_locations
                  for p in Path(place).parent.glob(pattern))


def of_wheel(distribution: str, name: str) -> list[Path]:
    """Return files of an installed distribution whose names begin so."""
    try:
        files = importlib.metadata.files(distribution) or ()
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(f.locate())).resolve() for f in files if f.name.startswith(name))


class Library:
    """A library of C whose names are decorated in one way."""

    def __init__(self, path: Path, decorated: str = "{}", *, shared: bool = False) -> None:
        self.path = path
        self._c = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL if shared else ctypes.RTLD_LOCAL)
        self._decorated = decorated
        self._known: dict[str, Any] = {}

    def find(self, name: str, arguments: list[Any] | None = None, result: Any = None) -> Any:
        """Return a function, or None; called with ctypes' types of its arguments."""
        if name not in self._known:
            made = getattr(self._c, self._decorated.format(name), None)
            if made is not None:
                made.argtypes, made.restype = arguments, result
            self._known[name] = made
        return self._known[name]

    def plain(self, name: str, arguments: list[Any] | None = None, result: Any = None) -> Any:
        """Return a function whose name is not decorated, or None."""
        made = getattr(self._c, name, None)
        if made is not None:
            made.argtypes, made.restype = arguments, result
        return made


class Threads:
    """How many threads a library uses: changed for one call, and as it was after it.

    Args:
        get: returns the number.
        change: changes it, for the whole process.
    """

    def __init__(self, get: Callable[[], int], change: Callable[[int], Any]) -> None:
        self._get, self._change = get, change
        self._lock = threading.RLock()

    @contextlib.contextmanager
    def limited(self, count: int) -> Iterator[None]:
        """Have the library use so many threads inside a ``with`` statement."""
        before = self._get()
        if before == count:
            yield
            return
        with self._lock:
            self._change(count)
            try:
                yield
            finally:
                self._change(before)
