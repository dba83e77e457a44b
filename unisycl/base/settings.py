"""Every ``UNISYCL_*`` environment variable: one row with its values and its meaning.

docs/settings.md is made from the rows, ``python -m unisycl doctor`` lists them, and values that
mean nothing are refused by them. Non-goals: caching values (tests and programs may change the
environment at any time); what a setting does. Invariant: nothing else in the package reads a
``UNISYCL_*`` variable.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from unisycl.base import checked_mode, start_folder
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import UsageError, errc

_RAW: dict[bytes, bytes] | None = getattr(os.environ, "_data", None) if os.name == "posix" else None
_MOST_THREADS = 4096
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Variable(Generic[_T]):
    """One environment variable.

    Args:
        name: begins with UNISYCL_.
        parse: makes a value of a text without spaces around it; raises ``ValueError`` where it
            means nothing.
        values: what may be given, to be read behind "expected".
        unset: what holds without it, or where it is empty.
        doc: what it does.
    """

    name: str
    parse: Callable[[str], _T]
    values: str
    unset: str
    doc: str

    def get(self) -> str:
        """Return its present text."""
        return os.environ.get(self.name, "")

    def value(self) -> _T:
        """Return what its present text means; ``errc.invalid`` where it means nothing."""
        text = self.get().strip()
        try:
            return self.parse(text)
        except ValueError:
            raise UsageError(errc.invalid,
                             f"{self.name}={text}: expected {self.values}") from None

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
        changed to since. Raises ``ValueError`` where it is unknown.
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


def seconds(text: str) -> float:
    """Return how long kernels may run, 0 for ever; ``ValueError`` if it is no time."""
    try:
        found = float(text or 0)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise ValueError("expected a number of seconds")
    return found


def _wait(text: str) -> float:
    """Return how long ranks wait for one another."""
    return seconds(text) or 60.0


def _names(text: str) -> list[str]:
    return [n.strip().lower() for n in text.split(",") if n.strip()]


def _threads(text: str) -> int:
    """Return how many threads there shall be, 0 for the processors of this process."""
    if text and (not text.isdecimal()
                 or not 1 <= int(text) <= max(_MOST_THREADS, os.cpu_count() or 1)):
        raise ValueError
    return int(text or 0)


def _host(text: str) -> tuple[bool, int | None]:
    """Return whether races are asked for, and the seed of a shuffle or None.

    Races are a word of ``UNISYCL_DEBUG`` now; who finds the old one warns.
    """
    races, seed = False, None
    for word in text.replace(" ", "").split(","):
        name, _, value = word.partition("=")
        if name == "shuffle" and (value or "0").isdecimal():
            seed = int(value or 0)
        elif word == "races":
            races = True
        elif word:
            raise ValueError
    return races, seed


def _full(text: str) -> bool:
    if text not in ("", "full"):
        raise ValueError
    return text == "full"


LEVELS = ("system", "unified", "fine", "coarse", "separate")


def _level(text: str) -> str:
    if text and text not in LEVELS:
        raise ValueError
    return text or LEVELS[0]


DEVICE = Variable(
    "UNISYCL_DEVICE", str, "a device's name: its backend's, with a position if that has several "
    "devices (`cpu`, `host`, `NAME:1`)", "the best device found",
    "The device that `default_selector_v` picks, and so `queue()`.")

BACKENDS = Variable(
    "UNISYCL_BACKENDS", _names, "names of backends, with commas between them (`cpu,host`)",
    "all of them", "The backends to look for.")

CACHE = Variable(
    "UNISYCL_CACHE", str, "a folder, or `off`",
    "`unisycl` in the user's cache folder",
    "Where compiled kernels are kept, in a folder private to the user; one with other files in it "
    "gets a folder `unisycl` for them. `off` keeps none.")

SHARED_CACHE = Variable(
    "UNISYCL_SHARED_CACHE", str, "a folder", "none",
    "Compiled kernels that others made: read after the user's own, never written. "
    "`python -m unisycl cache share FOLDER` fills one.")

SHARED_CACHE_OWNER = Variable(
    "UNISYCL_SHARED_CACHE_OWNER", str, "a user's name or number", "root",
    "Whom the folder of `UNISYCL_SHARED_CACHE` and all in it must belong to, if not to root. "
    "Nobody else may be able to write there.")

THREADS = Variable(
    "UNISYCL_THREADS", _threads,
    f"a positive number, at most {_MOST_THREADS} (or the machine's processors, where it has more)",
    "one for each processor that the process may use", "The worker threads of the native CPU.")

DEBUG = Variable(
    "UNISYCL_DEBUG", checked_mode.parse, checked_mode.EXPECTED, "nothing is checked",
    "What kernels check while they run; read at each launch ([checking.md](checking.md)).")

TIMEOUT = Variable(
    "UNISYCL_TIMEOUT", seconds, "a number of seconds", "kernels may run for ever",
    "How long a kernel may run before it is given up, with its name and line "
    "([checking.md](checking.md)).")

RANK_TIMEOUT = Variable(
    "UNISYCL_RANK_TIMEOUT", _wait, "a number of seconds", "60 seconds",
    "How long a rank waits for another one before that counts as missing, from the last time that "
    "a rank ran a kernel ([distributed.md](distributed.md)).")

HOST = Variable(
    "UNISYCL_HOST", _host, "shuffle or shuffle=SEED", "work-groups and work-items run in order",
    "What the host device does besides: `shuffle` runs work-groups, and the work-items of plain "
    "ranges, in another order.")

TRACE = Variable(
    "UNISYCL_TRACE", str, "a file", "no file is written",
    "The file that a time line of all commands is written to at exit, for ui.perfetto.dev; read "
    "when the first queue is made ([looking.md](looking.md)).")

TRACEBACK = Variable(
    "UNISYCL_TRACEBACK", _full, "full", "errors show the program's own lines",
    "`full`: errors show the lines of unisycl that they went through, too.")

MEMORY = Variable(
    "UNISYCL_MEMORY", _level, f"{', '.join(LEVELS[:-1])} or {LEVELS[-1]}",
    "what the device and its driver can do",
    "The most that devices may share with the host, where their drivers can do with less: to test "
    "a program for such devices.")

VARIABLES: dict[str, Variable[object]] = {
    row.name: row for row in list(globals().values()) if isinstance(row, Variable)}
GONE = {"UNISYCL_SEPARATE_MEMORY": "UNISYCL_MEMORY=separate"}
"""Names that meant something once, each with what to set instead."""
RANKS_FOLDER = "_UNISYCL_RANKS"
"""Set by unisycl alone, in processes that ``python -m unisycl mpirun`` starts: no setting."""
LOOKING = "_UNISYCL_ASKED"
"""Set by unisycl alone, in processes that it starts to look for devices: no setting."""


def check() -> None:
    """Refuse, with ``errc.invalid``, values that mean nothing and settings that are gone."""
    for name, instead in GONE.items():
        if os.environ.get(name, "").strip() not in ("", "0"):
            raise UsageError(errc.invalid, f"{name} is no setting any more; set {instead}")
    for row in VARIABLES.values():
        row.value()


def unknown() -> list[tuple[str, str]]:
    """Return the ``UNISYCL_*`` names that mean nothing, each with the closest that does."""
    return _unknown(0.0)


def misspelt() -> list[tuple[str, str]]:
    """Return those that are all but a name that means something."""
    return _unknown(0.8)


def _unknown(likeness: float) -> list[tuple[str, str]]:
    out = []
    for name in os.environ:
        if name.startswith("UNISYCL_") and name not in VARIABLES:
            difflib = importlib.import_module("difflib")
            close = difflib.get_close_matches(name, VARIABLES, n=1, cutoff=likeness)
            if name in GONE:
                out += [(name, GONE[name])] if not likeness else []
            elif close or not likeness:
                out.append((name, close[0] if close else ""))
    return out
