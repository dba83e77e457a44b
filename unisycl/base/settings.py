"""Every ``UNISYCL_*`` environment variable: name, default, meaning.

Non-goals: caching values (tests and programs may change the environment at any time). Invariant:
nothing else in the package reads ``os.environ``.
"""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unisycl.base import start_folder

_RAW: dict[bytes, bytes] | None = getattr(os.environ, "_data", None) if os.name == "posix" else None


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable; ``affects_code`` puts it into the key of compiled kernels."""

    name: str
    default: str
    doc: str
    affects_code: bool = False

    def get(self) -> str:
        """Return its present value."""
        return os.environ.get(self.name, self.default)

    def raw(self) -> Callable[[], object]:
        """Return what gives something that changes when its value does; false where there is none.

        It is quick enough for every launch.
        """
        if _RAW is None:
            return functools.partial(os.environ.get, self.name)
        return functools.partial(_RAW.get, self.name.encode())

    def path(self) -> Path | None:
        """Return the path it names, None if empty: absolute, ``~`` expanded.

        A relative one starts where the process was when unisycl was imported, whatever it has
        changed to since. Raises ``ValueError`` where that cannot be told.
        """
        text = self.get().strip()
        if not text:
            return None
        try:
            path = home() / text[2:] if text.split("/")[0] == "~" else Path(text).expanduser()
        except RuntimeError as error:
            raise ValueError(f"{self.name}={text}: {error}; give a whole path") from None
        if not path.is_absolute() and not start_folder.FOLDER:
            raise ValueError(f"{self.name}={text}: the folder it starts from is gone; give a whole "
                             "path")
        return Path(start_folder.FOLDER, path)


def home() -> Path:
    """Return the user's folder; raises ``RuntimeError`` where ``HOME`` is no whole path."""
    told = os.environ.get("HOME")
    if told is not None and not Path(told).is_absolute():
        raise RuntimeError(f"HOME is {told!r}")
    return Path.home()


DEVICE = Variable("UNISYCL_DEVICE", "", "the device that default_selector_v picks: a backend's "
                  "name, with a position if it has several devices (cpu, host, ...:1)")
BACKENDS = Variable("UNISYCL_BACKENDS", "", "the backends to look for, separated by commas; "
                    "all of them if empty")

CACHE = Variable("UNISYCL_CACHE", "", "the directory compiled kernels are kept in, private to the "
                 "user (one with other files in it gets a folder unisycl for them); empty: unisycl "
                 "in the user's cache directory; off: none")
THREADS = Variable("UNISYCL_THREADS", "", "the worker threads of the native CPU; empty: one for "
                   "each processor this process may use")

DEBUG = Variable("UNISYCL_DEBUG", "", "what kernels check while they run, separated by commas: "
                 "1 (assert, bounds, divergence and uninitialised), races, numbers (division, "
                 "narrowing, nan and overflow), all, or any of these words; empty: nothing",
                 affects_code=True)

TIMEOUT = Variable("UNISYCL_TIMEOUT", "", "seconds after which a kernel that still runs is given "
                   "up, with its name and line; empty: never")

HOST = Variable("UNISYCL_HOST", "", "what the host device does besides, shuffle or shuffle=SEED "
                "(run work-groups, and the work-items of plain ranges, in another order)")

TRACE = Variable("UNISYCL_TRACE", "", "the file a time line of all commands is written to at exit, "
                 "for ui.perfetto.dev; read when the first queue is made; empty: none")

TRACEBACK = Variable("UNISYCL_TRACEBACK", "", "full: errors show the lines of unisycl that "
                     "they went through, too; empty: the program's own")

SEPARATE_MEMORY = Variable("UNISYCL_SEPARATE_MEMORY", "", "1: devices of drivers that can copy are "
                           "treated as if they did not share the host's memory, to test a program "
                           "for those that do not")

MEMORY = Variable("UNISYCL_MEMORY", "", "the most that devices may share with the host, where "
                  "their drivers can do with less: system, unified, fine, coarse or separate; "
                  "to test a program for such devices")

VARIABLES: dict[str, Variable] = {
    v.name: v for v in (DEVICE, BACKENDS, CACHE, THREADS, DEBUG, TIMEOUT, HOST, TRACE, TRACEBACK,
                         SEPARATE_MEMORY, MEMORY)}


def seconds(text: str) -> float:
    """Return how long kernels may run, 0 for ever; ``ValueError`` if it is no time."""
    try:
        found = float(text or 0)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise ValueError(f"expected a number of seconds, got {text!r}")
    return found


LEVELS = ("system", "unified", "fine", "coarse", "separate")


def memory_level() -> str:
    """Return the most that devices may share with the host, one of ``LEVELS``.

    Raises ``ValueError`` for other words.
    """
    word = MEMORY.get().strip()
    if not word:
        return "separate" if SEPARATE_MEMORY.get().strip() not in ("", "0") else "system"
    if word not in LEVELS:
        raise ValueError(f"UNISYCL_MEMORY: expected {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, got "
                         f"{word!r}")
    return word


def host_device() -> tuple[bool, int | None]:
    """Return whether ``UNISYCL_HOST`` asks for races, and the seed of a shuffle or None.

    Races are a word of ``UNISYCL_DEBUG`` now; who finds the old one warns. Raises ``ValueError``
    for other words.
    """
    races, seed = False, None
    for word in HOST.get().replace(" ", "").split(","):
        name, _, value = word.partition("=")
        if name == "shuffle" and (value or "0").isdecimal():
            seed = int(value or 0)
        elif word == "races":
            races = True
        elif word:
            raise ValueError("expected shuffle or shuffle=SEED")
    return races, seed


def unknown() -> list[tuple[str, str]]:
    """Return the ``UNISYCL_*`` names that mean nothing, each with the closest name that does."""
    return _unknown(0.0)


def misspelt() -> list[tuple[str, str]]:
    """Return those that are all but a name that means something."""
    return _unknown(0.8)


def _unknown(likeness: float) -> list[tuple[str, str]]:
    out = []
    for name in os.environ:
        if name.startswith("UNISYCL_") and name not in VARIABLES:
            close = difflib.get_close_matches(name, VARIABLES, n=1, cutoff=likeness)
            if close or not likeness:
                out.append((name, close[0] if close else ""))
    return out
