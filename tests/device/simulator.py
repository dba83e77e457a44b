"""A pytest plugin for runs on Oclgrind: what it reports, by test, and all calls on one thread.

``-p tests.device.simulator --simulator-notes FILE`` appends JSON lines: ``{"begun": test}``, then
``{"test", "outcome", "why", "seconds", "reports"}``; tests begun in FILE are left out. Two
threads of the host crash Oclgrind 21.10: it keeps its commands in maps without a lock, and the
memory behind ``--uninitialized`` belongs to the thread that ran a kernel. So one thread makes all
calls. Non-goals: judging reports. Invariant: a report belongs to the test during which it was
written.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from llvmlite import binding

LIBRARY = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
_ENTRIES, _CREATE_USER_EVENT, _SET_USER_EVENT = 256, 84, 85  # of its table
_RETAIN, _RELEASE = 43, 44
_WAITS, _FLUSH = (41, 47), 46  # clWaitForEvents, clFinish; clFlush
_BLOCKING = (48, 49, 51, 52, 56, 57)  # with an argument that says so: reads, writes, maps
_PATIENCE, _OTHERS = 10.0, 0.02  # seconds that the main thread and others let events be set
_INDEX = {"clGetContextInfo": 8, "clCreateCommandQueue": 9, "clReleaseCommandQueue": 11,
          "clGetMemObjectInfo": 20, "clFinish": 47, "clEnqueueMapBuffer": 56,
          "clEnqueueUnmapMemObject": 58}
_CREATE_BUFFER = 14
# clEnqueueWriteBuffer, CopyBuffer, WriteBufferRect, CopyBufferRect, FillBuffer: which argument
_WRITES = {49: 1, 50: 2, 87: 1, 88: 2, 102: 1}
_CONTEXT, _SIZE, _ASSOCIATED, _DEVICES, _MAP_WRITE = 0x1106, 0x1102, 0x1107, 0x1081, 2
_ARGUMENTS = 14  # no call has more; those that are not there are passed on unread
_CALL = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * _ARGUMENTS)
_NOTES = pytest.StashKey["Notes"]()
_KEPT_CALLS: list[Any] = []  # what the table points at
_KEPT = 4000  # characters of the first report of a kind in a test


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of the file."""
    parser.addoption("--simulator-notes", metavar="FILE", help="append what each test did")


def pytest_configure(config: pytest.Config) -> None:
    """Have one thread make the simulator's calls, and open the file."""
    on_one_thread()
    file = config.getoption("--simulator-notes")
    if file:
        config.stash[_NOTES] = Notes(Path(file), Path(os.environ["OCLGRIND_LOG"]))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was begun before."""
    begun = config.stash[_NOTES].begun if _NOTES in config.stash else set()
    gone = [item for item in items if item.nodeid in begun]
    if gone:
        items[:] = [item for item in items if item.nodeid not in begun]
        config.hook.pytest_deselected(items=gone)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note that a test begins and what it did."""
    notes = item.config.stash.get(_NOTES, None)
    if notes is None:
        return (yield)
    notes.begin(item.nodeid)
    result = yield
    notes.end(item.nodeid)
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
        item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the worst outcome of a test's phases."""
    report = yield
    notes = item.config.stash.get(_NOTES, None)
    if notes is not None and report.outcome != "passed":
        notes.outcome = report.outcome
        told = report.longrepr
        text = told[2] if isinstance(told, tuple) else str(told)
        notes.why = text if report.skipped else "\n".join(text.splitlines()[-40:])
    return report


class Notes:
    """The file of what the tests did."""

    def __init__(self, file: Path, log: Path) -> None:
        self.file, self.log = file, log
        self.outcome, self.why, self.start = "passed", "", 0.0
        self.at = log.stat().st_size if log.exists() else 0
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self.begun = {told["begun"] for told in map(json.loads, lines) if "begun" in told}

    def begin(self, test: str) -> None:
        """Note the beginning of a test."""
        self.outcome, self.why, self.start = "passed", "", time.monotonic()
        self._write({"begun": test})

    def end(self, test: str) -> None:
        """Note the end of a test, with the reports since its beginning."""
        text = ""
        if self.log.exists():
            with self.log.open("rb") as stream:
                stream.seek(self.at)
                raw = stream.read()
            self.at += len(raw)
            text = raw.decode(errors="replace")
        self._write({"test": test, "outcome": self.outcome, "why": self.why,
                     "seconds": round(time.monotonic() - self.start, 2),
                     "reports": gathered(text)})

    def _write(self, told: dict[str, object]) -> None:
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(told) + "\n")


def gathered(text: str) -> list[dict[str, object]]:
    """Return the reports in a log: of each kind, kernel and line the first, and how many."""
    counts: Counter[tuple[str, ...]] = Counter()
    first: dict[tuple[str, ...], str] = {}
    for report in re.split(r"\n(?=\S)", "\n" + text):
        if not report.strip():
            continue
        head = re.sub(r"0x[0-9a-f]+|\d+", "N", report.strip().splitlines()[0])
        kernel, line = (re.search(p, report) for p in (r"Kernel: (\S+)", r"At line \d+.* of .*:"))
        key = head, kernel[1] if kernel else "", line[0] if line else ""
        counts[key] += 1
        first.setdefault(key, report.strip()[:_KEPT])
    return [{"kind": key[0], "kernel": key[1], "line": key[2], "count": counts[key],
             "text": text} for key, text in first.items()]


class OneThread:
    """A thread that calls functions for the others. A callback on it calls them itself."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[Any, tuple[int | None, ...], Any]] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="simulator", daemon=True)
        self._thread.start()

    @property
    def here(self) -> bool:
        """Whether it is this thread."""
        return threading.current_thread() is self._thread

    def call(self, function: Any, arguments: tuple[int | None, ...]) -> int | None:
        """Return what a function returns on the thread."""
        if self.here:
            return function(*arguments)
        answer: SimpleQueue[int | None] = SimpleQueue()
        self._jobs.put((function, arguments, answer))
        return answer.get()

    def _run(self) -> None:
        while True:
            function, arguments, answer = self._jobs.get()
            answer.put(function(*arguments))


class Gates:
    """User events that nobody has set: the one thread must not wait for what they hold back.

    One that was released by all who held it counts no more: nobody can set it.
    """

    def __init__(self) -> None:
        self._unset: Counter[int] = Counter()  # how many hold each
        self._changed = threading.Condition()

    def __bool__(self) -> bool:
        return bool(self._unset)

    def note(self, index: int, arguments: tuple[int | None, ...], result: int | None) -> None:
        """Take note of a user event made, retained, released or set."""
        with self._changed:
            event = arguments[0] or 0
            if index == _CREATE_USER_EVENT and result:
                self._unset[result] = 1
            elif event in self._unset:
                self._unset[event] += {_RETAIN: 1, _RELEASE: -1}.get(index, 0)
                if index == _SET_USER_EVENT or not self._unset[event]:
                    del self._unset[event]
                    self._changed.notify_all()

    def before(self, index: int, arguments: tuple[int | None, ...]) -> None:
        """Let those that set events go first where a call waits; not for ever, for it may not."""
        if index in _WAITS or (index in _BLOCKING and (arguments[2] or 0) & 0xffffffff):
            main = threading.current_thread() is threading.main_thread()
            with self._changed:
                self._changed.wait_for(lambda: not self._unset, _PATIENCE if main else _OTHERS)


class Shadow:
    """Oclgrind's knowledge of what is set in global memory, corrected after each call.

    Oclgrind 21.10 forgets all of a memory object but the part that the host wrote last, and a new
    object has the shadow of the one that lay there before. All bytes of an object are said to be
    set when it is made and when the host has written to it: mapping them for writing says so.
    While a user event holds commands back that cannot be done.
    """

    def __init__(self, before: list[int | None], gates: Gates) -> None:
        self._gates = gates
        self._call = [_CALL(address) if address else None for address in before]

    def after(self, index: int, arguments: tuple[int | None, ...], result: int | None) -> None:
        """Correct it after a call of the function of that index."""
        if index == _CREATE_BUFFER:
            if result:
                self._set(arguments[0] or 0, result)
        elif index in _WRITES and not self._gates and not (result or 0) & 0xffffffff:
            queue, memory = arguments[0], arguments[_WRITES[index]] or 0
            self._ask("clFinish", queue)
            whole = self._info(memory, _ASSOCIATED)
            self._set(self._info(memory, _CONTEXT), whole or memory)

    def _set(self, context: int, memory: int) -> None:
        devices, error = (ctypes.c_void_p * 8)(), ctypes.c_int32()
        self._ask("clGetContextInfo", context, _DEVICES, ctypes.sizeof(devices),
                  ctypes.addressof(devices), None)
        queue = self._ask("clCreateCommandQueue", context, devices[0], 0, None)
        at = self._ask("clEnqueueMapBuffer", queue, memory, 1, _MAP_WRITE, 0,
                       self._info(memory, _SIZE), 0, None, None, ctypes.addressof(error))
        if error.value == 0:
            self._ask("clEnqueueUnmapMemObject", queue, memory, at, 0, None, None)
            self._ask("clFinish", queue)
        self._ask("clReleaseCommandQueue", queue)

    def _info(self, memory: int, what: int) -> int:
        value = ctypes.c_size_t()
        self._ask("clGetMemObjectInfo", memory, what, 8, ctypes.addressof(value), None)
        return value.value

    def _ask(self, name: str, *arguments: int | None) -> int | None:
        function = self._call[_INDEX[name]]
        assert function is not None
        result: int | None = function(*arguments, *[None] * (_ARGUMENTS - len(arguments)))
        return result


def unharmed(calls: dict[int, int]) -> dict[int, int]:
    """Return functions that keep the caller's Python error while one of ours runs.

    An object of PyOpenCL may be released while an exception passes through; Python must not run
    with one set.
    """
    api = ctypes.pythonapi
    known = {name: ctypes.cast(getattr(api, name), ctypes.c_void_p).value for name in (
        "PyGILState_Ensure", "PyGILState_Release", "PyErr_Fetch", "PyErr_Restore")}
    passed = ", ".join(f"i64 %{k}" for k in range(_ARGUMENTS))
    text = "\n".join(f"""
define i64 @call{k}({passed}) {{
    %kept = alloca [3 x i64]
    %type = getelementptr [3 x i64], ptr %kept, i64 0, i64 0
    %value = getelementptr [3 x i64], ptr %kept, i64 0, i64 1
    %trace = getelementptr [3 x i64], ptr %kept, i64 0, i64 2
    %state = call i32 inttoptr (i64 {known['PyGILState_Ensure']} to ptr)()
    call void inttoptr (i64 {known['PyErr_Fetch']} to ptr)(ptr %type, ptr %value, ptr %trace)
    %result = call i64 inttoptr (i64 {address} to ptr)({passed})
    %t = load i64, ptr %type
    %v = load i64, ptr %value
    %b = load i64, ptr %trace
    call void inttoptr (i64 {known['PyErr_Restore']} to ptr)(i64 %t, i64 %v, i64 %b)
    call void inttoptr (i64 {known['PyGILState_Release']} to ptr)(i32 %state)
    ret i64 %result
}}""" for k, address in calls.items())
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(text), machine)
    engine.finalize_object()
    _KEPT_CALLS.append(engine)
    return {k: engine.get_function_address(f"call{k}") for k in calls}


def on_one_thread() -> None:
    """Have all calls of the simulator made by one thread, by its table of functions.

    ``clSetUserEventStatus`` is called by whoever calls it: others may wait for it.
    """
    library = ctypes.CDLL(LIBRARY)
    table = (ctypes.c_void_p * _ENTRIES).in_dll(library, "m_dispatchTable")
    before, thread, gates = list(table), OneThread(), Gates()
    shadow = Shadow(before, gates)

    def elsewhere(index: int, address: int) -> Callable[..., int | None]:
        function = _CALL(address)

        def corrected(*arguments: int | None) -> int | None:
            result: int | None = function(*arguments)
            gates.note(index, arguments, result)
            shadow.after(index, arguments, result)
            return result

        def call(*arguments: int | None) -> int | None:
            if index == _SET_USER_EVENT:
                result: int | None = function(*arguments)
                gates.note(index, arguments, result)
                return result
            if index == _FLUSH and gates:  # Oclgrind's waits for all commands
                put_off.append(arguments)
                return 0
            if not thread.here:
                gates.before(index, arguments)
            while put_off and not gates and not thread.here:
                thread.call(flush, put_off.pop())
            return thread.call(corrected, arguments)
        return call

    made: dict[int, int] = {}
    put_off: list[tuple[int | None, ...]] = []
    flush = _CALL(before[_FLUSH] or 0)
    for k, address in enumerate(before):
        if address:
            _KEPT_CALLS.append(_CALL(elsewhere(k, address)))
            made[k] = ctypes.cast(_KEPT_CALLS[-1], ctypes.c_void_p).value or 0
    for k, address in unharmed(made).items():
        table[k] = address

    def restore() -> None:
        table[:] = before
    atexit.register(restore)
