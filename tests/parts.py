"""Runs the parts of ``dev.py ci``: ``python -m tests.parts FILE``.

All tests are collected once, and a process is forked for each part, some at a time, which leaves
out the tests of other parts and goes on as pytest does. The processes share the folder of compiled
kernels, so that what one has lowered and compiled others need not, and one process that forks
programs (``tests.children``). FILE is JSON: ``parts`` with a name each, what pytest would be given
for it alone (``command``) and an environment of its own; ``options`` for pytest in all of them; how
many run ``at_once`` and to what ``limit`` in seconds; the file that names those that ``failed``;
for parts that may have no tests, the files that say that they are ``done``. What has ``most``
tests or fewer is one process, what has more several; ``within`` so many seconds all has to end.

Non-goals: which parts there are (``dev.py``). Invariants: no device is opened, and no thread
started, before the last part is forked; a part's output is printed as a whole when it ends.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests import children
from unisycl.testing.joined import joined

ROOT = Path(__file__).parents[1]


class Parts:
    """A plugin that forks where pytest has collected all tests."""

    def __init__(self, asked: dict[str, Any]) -> None:
        self.asked = asked
        self.failed: list[str] = []
        self.end = time.monotonic() + asked.get("within", float("inf"))
        self.shares: dict[str, list[dict[str, Any]]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config,
                                      items: list[pytest.Item]) -> None:
        """Go on in each part's process with its tests; end this one behind them."""
        print(f"parts: {len(items)} tests collected, {time.process_time():.0f} s of processor time",
              flush=True)
        if threading.active_count() > 1:
            pytest.exit("parts: collecting started threads: none can be forked", returncode=1)
        gc.collect()
        gc.freeze()
        part = self._forked(self._waiting(items))
        if part is None:
            Path(self.asked["failed"]).write_text("".join(f"{n}\n" for n in self.failed))
            pytest.exit("all parts have ended", returncode=1 if self.failed else 0)
        begin(config, part)
        items[:] = belonging(items, part)

    def _waiting(self, items: Sequence[pytest.Item]) -> list[dict[str, Any]]:
        """Return what is to run: the parts, or shares of those that have many tests."""
        files: dict[str, list[pytest.Item]] = {}
        for item in items:
            files.setdefault(str(item.path.relative_to(ROOT)), []).append(item)
        found = []
        for part in self.asked["parts"]:
            places = arguments(part).paths
            there = [item for file, of in files.items()
                     if any(below(file, place) for place in places) for item in of]
            self.shares[part["name"]] = shares(part, there, self.asked.get("most"))
            found += self.shares[part["name"]]
        return found

    def _forked(self, waiting: list[dict[str, Any]]) -> dict[str, Any] | None:
        """Return the part of a process of its own; None in the first one, when all have ended."""
        running: dict[int, tuple[dict[str, Any], float]] = {}
        while waiting or running:
            if time.monotonic() > self.end:
                self._leave(running, waiting)
                return None
            while waiting and len(running) < self.asked["at_once"]:
                part = waiting.pop(0)
                process = os.fork()
                if process == 0:
                    return part
                running[process] = part, time.monotonic()
            self._watch(running)
        return None

    def _leave(self, running: dict[int, tuple[dict[str, Any], float]],
               waiting: list[dict[str, Any]]) -> None:
        """End what runs, for the time is over, and tell what there was no time for."""
        for process in running:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        late = [part["name"] for part, _ in running.values()]
        late += [part["name"] for part in waiting]
        print(f"{self.asked['title']}: no time was left for {len(late)}: {'; '.join(late)}",
              flush=True)
        self.failed += [f"{name} (no time was left)" for name in late]

    def _watch(self, running: dict[int, tuple[dict[str, Any], float]]) -> None:
        """Wait a while, and tell of a part that has ended; one that takes too long is ended."""
        process, status = os.waitpid(-1, os.WNOHANG)
        if process in running:
            part, begun = running.pop(process)
            self._ended(part, os.waitstatus_to_exitcode(status), time.monotonic() - begun)
            return
        for late, (_, begun) in running.items():
            if time.monotonic() - begun > self.asked["limit"]:
                os.kill(late, signal.SIGKILL)
        time.sleep(0.1 if len(running) < 8 else 0.01)

    def _ended(self, part: dict[str, Any], code: int, seconds: float) -> None:
        """Tell how a process ended; note which parts have ended well, all their shares."""
        text = output(part).read_text(encoding="utf-8", errors="replace")
        print(f"{part['name']}: {' '.join(part['command'])}\n{text}{self.asked['title']}: "
              f"{part['name']} took {seconds:.0f} s"
              + (f" and ended with {code}" if code else ""), flush=True)
        whole = part.get("of", part["name"])
        mark = self.asked.get("done", {}).get(whole)
        part["ended"] = True
        if code and not (mark and code == pytest.ExitCode.NO_TESTS_COLLECTED):
            part["wrong"] = True
            self.failed.append(part["name"])
        every = self.shares.get(whole, [])
        if all(one.get("ended") for one in every):
            if "of" in part:
                join(every)
            if mark and not any(one.get("wrong") for one in every):
                Path(mark).touch()


def shares(part: dict[str, Any], items: list[pytest.Item], most: int | None,
           ) -> list[dict[str, Any]]:
    """Return a part, or several that have at most so many of its tests each."""
    count = -(-len(belonging(items, part)) // most) if most else 1
    if count < 2:
        return [part]
    found = []
    for k in range(count):
        one = {**part, "name": f"{part['name']}, {k + 1} of {count}", "of": part["name"],
               "share": [k, count]}
        if told := arguments(part).conformance_json:
            one["command"] = [f"{word}.{k}" if word == told else word for word in part["command"]]
        found.append(one)
    return found


def join(every: Sequence[dict[str, Any]]) -> None:
    """Write what the shares of a part said of rows where it would have said it."""
    files = [Path(told) for one in every if (told := arguments(one).conformance_json)]
    there = [file for file in files if file.exists()]
    if there:
        report = joined([file.read_text(encoding="utf-8") for file in there])
        there[0].with_suffix("").write_text(report.to_json(), encoding="utf-8")
    for file in there:
        file.unlink()


def begin(config: pytest.Config, part: dict[str, Any]) -> None:
    """Have a new process print into its own file, and be what the part's arguments make it."""
    capture = config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    capture.stop_global_capturing()
    said = os.open(output(part), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in (1, 2):
        os.dup2(said, number)
    os.close(said)
    capture.start_global_capturing()
    capture.suspend_global_capture()
    os.environ.update(part["environment"])
    told = arguments(part)
    config.option.device = told.device
    config.option.device_tests = told.device_tests
    config.option.alone = told.alone
    config.option.conformance_json = told.conformance_json
    plugin = config.pluginmanager.getplugin("unisycl.testing.plugin")
    plugin.begin(config)


def output(part: dict[str, Any]) -> Path:
    """Return the file that a part prints into."""
    return Path(sys.argv[1]).parent / re.sub(r"\W+", "-", part["name"])


def arguments(part: dict[str, Any]) -> argparse.Namespace:
    """Return what pytest would be told of a part."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", action="append", default=[])
    parser.add_argument("--device-tests", action="store_true")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--ignore", action="append", default=[])
    parser.add_argument("--conformance-json")
    parser.add_argument("paths", nargs="*")
    found = parser.parse_args(part["command"])
    found.paths = found.paths or ["tests"]
    return found


def belonging(items: list[pytest.Item], part: dict[str, Any]) -> list[pytest.Item]:
    """Return the tests of a part."""
    told = arguments(part)
    files: dict[Path, bool] = {}
    kept = []
    for item in items:
        if item.path not in files:
            where = str(item.path.relative_to(ROOT))
            files[item.path] = any(below(where, place) for place in told.paths) and not any(
                below(where, place) for place in told.ignore)
        if files[item.path]:
            call = getattr(item, "callspec", None)
            device = call.params.get("device") if call else None
            if device is None or device in told.device:
                kept.append(item)
    k, count = part.get("share", (0, 1))
    return kept[len(kept) * k // count:len(kept) * (k + 1) // count]


def below(file: str, place: str) -> bool:
    """Say whether a file is a place or lies in it."""
    return file == place or file.startswith(f"{place}/")


def leave(status: int) -> NoReturn:
    """End as the interpreter does, but for taking apart all that was collected."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status)


def main() -> NoReturn:
    """Collect, fork, and run."""
    asked = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if children.PLACE not in os.environ:
        children.start()
    told = [arguments(part) for part in asked["parts"]]
    names = dict.fromkeys(name for one in told for name in one.device)
    paths = dict.fromkeys(path for one in told for path in one.paths)
    leave(pytest.main(["-q", *(f"--device={name}" for name in names), *asked["options"],
                       *(["tests"] if "tests" in paths else paths)], plugins=[Parts(asked)]))


if __name__ == "__main__":
    main()
