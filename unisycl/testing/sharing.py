"""Which tests the devices of one backend share in a sample, for they run the same text.

Each test runs on one of them, by turns. One that claims rows runs on another, too, where no test
of these rows would run otherwise, or where its code may leave a row refused or untested: what the
report says of a device is what it would say if all tests ran there.
Non-goals: cases of a test. Invariants: each test runs somewhere; each row has a test wherever one
can run; nothing depends on what ran before.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, ModuleType

import pytest

_MARKS = frozenset(("skip", "skipif"))
_SAY_MORE = frozenset(("refused", "skip", "importorskip"))
"""What is called where a test may end otherwise than by passing."""
Tests = Mapping[tuple[str, str], Sequence[pytest.Item]]
"""The cases of each test on each device, by the names of both."""


def places(names: Sequence[str], apart: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the place of each device among those of its backend, and how many it has.

    ``apart``: devices that share nothing.
    """
    others = [name for name in names if name not in apart]
    count = Counter(name.partition(":")[0] for name in others)
    return {name: (int(name.partition(":")[2] or 0), count[name.partition(":")[0]])
            for name in others}


def elsewhere(tests: Tests, rows: Callable[[pytest.Item], Sequence[str]],
              alike: Mapping[str, tuple[int, int]], turn: int) -> set[tuple[str, str]]:
    """Return the tests that another device of a backend runs, with the device that need not.

    ``turn`` says which of them begins: with another one they change places.
    """
    claimed = {at: {row for case in cases for row in rows(case)} for at, cases in tests.items()}
    seen: dict[str, set[str]] = {}
    waiting = []
    for (test, name), cases in tests.items():
        place, count = alike.get(name, (0, 1))
        own = (zlib.crc32(test.encode()) + turn) % count == place
        if own or (claimed[test, name] and says_more(cases[0])):
            seen.setdefault(name, set()).update(claimed[test, name])
        else:
            waiting.append((test, name))
    left = set()
    for at in waiting:
        have = seen.setdefault(at[1], set())
        if have.issuperset(claimed[at]):
            left.add(at)
        have.update(claimed[at])
    return left


def says_more(item: pytest.Item) -> bool:
    """Say whether a test may be refused or skipped, by its marks and by what its code names.

    Fixtures, functions and modules of the test's own package are followed.
    """
    if not _MARKS.isdisjoint(mark.name for mark in item.iter_markers()):
        return True
    function = getattr(item, "function", None)
    known = getattr(item, "_fixtureinfo", None)  # pytest has no public way to fixtures' functions
    if not isinstance(function, FunctionType) or known is None:
        return True
    fixtures = [made.func for some in known.name2fixturedefs.values() for made in some]
    seen: set[CodeType] = set()
    return any(not _SAY_MORE.isdisjoint(code.co_names)
               for one in (function, *fixtures) if _home(one) == _home(function)
               for code in _codes(one, seen))


def _home(thing: object) -> str:
    """Return the package of a function."""
    return str(getattr(thing, "__module__", "")).partition(".")[0]


def _codes(function: object, seen: set[CodeType]) -> Iterator[CodeType]:
    """Yield the code of a function, of what is written in it and of what it may call."""
    if not isinstance(function, FunctionType) or function.__code__ in seen:
        return
    waiting = [function.__code__]
    while waiting:
        code = waiting.pop()
        seen.add(code)
        yield code
        waiting += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        for found in _named(function, code):
            if _home(found) == _home(function):
                yield from _codes(found, seen)
    for cell in function.__closure__ or ():
        yield from _codes(cell.cell_contents, seen)
    yield from _codes(getattr(function, "__wrapped__", None), seen)


def _named(function: FunctionType, code: CodeType) -> Iterator[FunctionType]:
    """Yield the functions that a piece of a function's code names, also as parts of modules."""
    found = [function.__globals__.get(name) for name in code.co_names]
    modules = [thing for thing in found if isinstance(thing, ModuleType)]
    parts = [vars(module).get(name) for module in modules for name in code.co_names]
    for thing in (*found, *parts):
        inner = getattr(thing, "__wrapped__", thing) if callable(thing) else None
        if isinstance(inner, FunctionType):
            yield inner
