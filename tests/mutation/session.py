"""A pytest session whose tests run in forked processes: once to record lines, then for mutants.

Non-goals: which mutants there are, which lines a test runs.
Invariant: this process runs no test, so every child starts from the same state.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import importlib
import itertools
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import IO, Any

import pytest

from tests.mutation import processes
from tests.mutation.lines import Map, Recorder, timed
from tests.mutation.mutants import ROOT, Mutant, codes, mutants_of, mutated
from unisycl.backends.cpu.compile import decision_cache
from unisycl.process import disk_cache

SHARE = 12
"""Tests a process records before another one goes on: caches hide lines from later ones."""
SLOW = 60.0
"""Seconds after which a test is left out of the map."""
WAITS = 20
"""How many times longer by the clock a test may take than by processor time: one that waits for
ever takes none, and one beside a dozen other processes takes little."""
GRACE = 15.0
"""Seconds that the last mutants have when the time is over."""
NOTICED = ("killed", "timed out", "crashed")


def collect(options: argparse.Namespace, ignored: Sequence[str]) -> int:
    """Collect the tests and try mutants; return an exit status."""
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.gettempdir()
    arguments = ["-q", "-q", "-s", "-p", "no:cacheprovider", "--sample",
                 "--device", "cpu", "--device", "host",
                 *(f"--ignore={path}" for path in ignored), *options.tests]
    return int(pytest.main(arguments, plugins=[Session(options)]))


class Session:
    """Takes the place of pytest's own loop."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._end = time.monotonic() + options.seconds
        self._items: dict[str, pytest.Item] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="unisycl-mutation-"))
        self._functions: dict[tuple[str, str, int], list[FunctionType]] = {}
        self._failed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record if need be, then try mutants."""
        try:
            self._items = {item.nodeid: item for item in session.items}
            files = _files(self._options.places)
            self._functions = _functions(files)
            _say(f"{len(self._items)} tests, {session.testsfailed} files could not be collected, "
                 f"{len(files)} files to mutate")
            disk_cache.LIMIT_BYTES = 16 << 30
            self._try(self._map(), [m for path in files for m in mutants_of(path)])
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
        session.testsfailed = 0
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that a test failed."""
        self._failed |= report.failed

    def _passes(self, item: pytest.Item, following: pytest.Item | None) -> bool:
        """Run a test as pytest does; say whether all its phases passed."""
        self._failed = False
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        return not self._failed

    # ------------------------------------------------------------------ the map
    def _map(self) -> Map:
        kept: Path | None = self._options.map
        if kept and kept.exists():
            return Map.read(kept)
        start = time.monotonic()
        found = Map()
        rows = [list(row) for _, of in itertools.groupby(self._items.values(), lambda i: i.path)
                for row in _shares(list(of))]
        random.Random(0).shuffle(rows)  # so that half of them are of all kinds
        half = (time.monotonic() + self._end) / 2
        todo = itertools.takewhile(lambda _: time.monotonic() < half, rows)
        done = failed = 0
        for end in processes.run(todo, self._record, count=self._options.jobs,
                                 end=half + 30, folder=self._folder):
            done += 1
            for test, passed, seconds, ran in end.lines:
                if passed:
                    found.add(test, seconds, ran)
                else:
                    failed += 1
            if end.signal or end.status:
                _say(f"\nended early, signal {end.signal}: after "
                     f"{end.lines[-1][0] if end.lines else 'nothing'} of {end.job[0].nodeid}")
            _progress(f"lines: {done} of {len(rows)} shares, {len(found.tests)} tests, "
                      f"{failed} left out, {time.monotonic() - start:.0f} s")
        _say("")
        if kept:
            found.write(kept)
        return found

    def _record(self, items: list[pytest.Item], told: IO[str]) -> None:
        paths: dict[str, list[CodeType]] = {}
        for (path, _, _), functions in self._functions.items():
            paths.setdefault(path, []).extend(f.__code__ for f in functions)
        recorder = Recorder(paths)
        for item, following in itertools.zip_longest(items, items[1:]):
            limit(SLOW)
            start = timed()
            with recorder.recorded() as ran:
                passed = self._passes(item, following)
            told.write(json.dumps([item.nodeid, passed, timed() - start, ran]) + "\n")
            told.flush()

    # ------------------------------------------------------------------ the mutants
    def _try(self, known: Map, found: list[Mutant]) -> None:
        random.Random(self._options.seed).shuffle(found)
        if self._options.again:
            survivors = _survivors(self._options.out)
            found = [m for m in found if _identity(dataclasses.asdict(m)) in survivors]
        found = found[:self._options.count or None]
        results = _Results(self._options.out, found, again=self._options.again)
        gone = [k for k, test in enumerate(known.tests) if test not in self._items]
        if gone:
            _say(f"{len(gone)} tests of the map are not there: record it anew")
        decision_cache._stamp = lambda: ""  # notes are keyed by files, which do not change here
        for end in processes.run(self._todo(known, found, results), self._attempt,
                                 count=self._options.jobs, end=self._end + GRACE,
                                 folder=self._folder):
            mutant, tests, covering = end.job
            state, killer = _state(end)
            results.add(mutant, state, killer, len(tests), covering)
        results.write()
        results.tell()

    def _todo(self, known: Map, found: list[Mutant], results: _Results,
              ) -> Iterator[tuple[Mutant, list[tuple[str, float]], int]]:
        for mutant in found:
            if time.monotonic() > self._end:
                return
            if results.has(mutant):
                continue
            chosen, covering = known.chosen(mutant, self._options.each)
            tests = [(known.tests[k], known.seconds[k]) for k in chosen
                     if known.tests[k] in self._items]
            if not tests:
                results.add(mutant, "not run", "", 0, covering)
                continue
            yield mutant, tests, covering

    def _put(self, path: str, code: CodeType) -> bool:
        """Give all functions of a code object theirs: those made while importing have it, too."""
        any_put = False
        new: dict[tuple[str, int], list[CodeType]] = {}
        for each in codes(code):
            new.setdefault((each.co_qualname, each.co_firstlineno), []).append(each)
        for key, found in new.items():
            for function in self._functions.get((path, *key), []):
                if len(found) == 1 and found[0].co_freevars == function.__code__.co_freevars:
                    function.__code__ = found[0]
                    any_put = True
        return any_put

    def _attempt(self, job: tuple[Mutant, list[tuple[str, float]], int], told: IO[str]) -> None:
        mutant, tests, _ = job
        code = mutated(mutant)
        if code is None or not self._put(mutant.path, code):
            told.write('"not made"\n')
            return
        items = [self._items[test] for test, _ in tests]
        for (test, seconds), item, following in itertools.zip_longest(tests, items, items[1:]):
            told.write(json.dumps(test) + "\n")
            told.flush()
            limit(8 + 10 * seconds)
            if not self._passes(item, following):
                return
        told.write('"survived"\n')


def limit(seconds: float) -> None:
    """End this process after so many seconds of its processor time, or when it only waits."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, WAITS * seconds)


def _state(end: processes.Outcome) -> tuple[str, str]:
    """Return how a mutant fared, and the test that noticed."""
    last = end.lines[-1] if end.lines else ""
    if end.signal in (signal.SIGPROF, signal.SIGALRM, signal.SIGKILL):
        return "timed out", last
    if end.signal or end.status:
        return "crashed", last
    return (last, "") if last in ("survived", "not made") else ("killed", last)


def _shares(items: list[pytest.Item]) -> Iterator[list[pytest.Item]]:
    for at in range(0, len(items), SHARE):
        yield items[at:at + SHARE]


def _files(places: Sequence[str]) -> list[Path]:
    found = []
    for place in places:
        path = (ROOT / place).resolve()
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return found


def _functions(files: list[Path]) -> dict[tuple[str, str, int], list[FunctionType]]:
    """Import modules; return their functions by file, qualified name and first line."""
    wanted = {}
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        wanted[importlib.import_module(module).__file__] = name
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename in wanted:
            code = each.__code__
            key = (wanted[code.co_filename], code.co_qualname, code.co_firstlineno)
            found.setdefault(key, []).append(each)
    return found


class _Results:
    """What is known of the mutants, on paper as well."""

    def __init__(self, path: Path | None, found: list[Mutant], *, again: bool) -> None:
        self._path = path
        self._all = len(found)
        self._start = self._written = time.monotonic()
        self._known: dict[str, dict[str, Any]] = {}
        names = {_identity(dataclasses.asdict(m)) for m in found}
        if path and path.exists():
            for row in json.loads(path.read_text(encoding="utf-8"))["mutants"]:
                if _identity(row) in names and not again:
                    self._known[_identity(row)] = row

    def has(self, mutant: Mutant) -> bool:
        """Say whether a mutant was tried before."""
        return _identity(dataclasses.asdict(mutant)) in self._known

    def add(self, mutant: Mutant, state: str, killer: str, ran: int, covering: int) -> None:
        """Note how a mutant fared."""
        row = dataclasses.asdict(mutant)
        row.update(state=state, killer=killer, ran=ran, covering=covering)
        self._known[_identity(row)] = row
        if state == "survived":
            print("\n" + _diff(row), flush=True)
        counts = Counter(r["state"] for r in self._known.values())
        if state != "not run":
            _progress(f"{len(self._known)} of {self._all} mutants, {dict(counts)}, "
                      f"{time.monotonic() - self._start:.0f} s")
        if time.monotonic() - self._written > 10:
            self.write()

    def write(self) -> None:
        """Write all, whole or not at all."""
        self._written = time.monotonic()
        if self._path:
            half = self._path.with_suffix(".half")
            half.write_text(json.dumps({"score": self.score(), "counts": self._counts(),
                                        "mutants": list(self._known.values())}, indent=1),
                            encoding="utf-8")
            half.replace(self._path)

    def _counts(self) -> dict[str, int]:
        return dict(Counter(r["state"] for r in self._known.values()))

    def score(self) -> float:
        """Return the share of mutants that were noticed."""
        tried = [r for r in self._known.values() if r["state"] != "not made"]
        return sum(r["state"] in NOTICED for r in tried) / max(1, len(tried))

    def tell(self) -> None:
        """Print the score, whole, of each room and of each folder in one."""
        print()
        for row in self._known.values():
            if row["state"] == "not run":
                print(_diff(row))
        folders: dict[str, list[bool]] = {}
        for row in self._known.values():
            if row["state"] != "not made":
                parts = Path(row["path"]).parts[1:-1]
                for folder in {parts[0], "/".join(parts)}:
                    folders.setdefault(folder, []).append(row["state"] in NOTICED)
        for folder, noticed in sorted(folders.items()):
            print(f"{folder}: {sum(noticed)} of {len(noticed)}, {sum(noticed) / len(noticed):.1%}")
        print(f"score {self.score():.1%} of {len(self._known)} mutants: {self._counts()}")


def _survivors(path: Path) -> set[str]:
    """Return which mutants a file of results says nobody noticed."""
    rows = json.loads(path.read_text(encoding="utf-8"))["mutants"]
    return {_identity(row) for row in rows if row["state"] in ("survived", "not run")}


def _identity(row: dict[str, Any]) -> str:
    return f"{row['path']} {row['digest']} {row['number']}"


def _diff(row: dict[str, Any]) -> str:
    which = ("no test runs it" if row["state"] == "not run" else
             f"{row['ran']} of {row['covering']} tests pass")
    return (f"{row['path']}:{row['line']} {row['kind']}, {which}\n"
            f"- {row['before']}\n+ {row['after']}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _progress(text: str) -> None:
    if sys.stderr.isatty() or random.random() < 0.02:
        print(f"\r{text}", end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
