"""A pytest plugin: the fixtures ``device`` and ``queue``, the marker ``row``, the report.

Load it with ``pytest_plugins = ["unisycl.testing.plugin"]`` in the topmost ``conftest.py``. A test
that takes ``device`` or ``queue`` runs once per device. On devices that not every installation has,
a test of many parameters runs a few of them, spread evenly, and one at least of each row it
checks, unless asked for all; how many were left out is printed. A test is left out only of a
sample, where another device of the backend runs it and each of its rows has a test left.
Non-goals: particular tests.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

import unisycl as sycl
from unisycl.testing import sharing
from unisycl.testing.devices import EXPECTED, device_names, find_device
from unisycl.testing.refusal import NEEDS, NOT_BUILT, PREFIX, needed
from unisycl.testing.report import Report
from unisycl.testing.rows import load_rows

_REPORT = pytest.StashKey[Report]()
_LEFT_OUT = pytest.StashKey[dict[str, tuple[int, int]]]()
_CASES = 3
"""How many cases of a test run on a device beyond ``EXPECTED``: those have compilers of others."""
_WRITTEN = ("--conformance", "--conformance-json", "--conformance-docs")
_TAKES = re.compile(r"def \w+\([^)]*\b(?:queue|device)\b\s*[,:)]|usefixtures")
"""A function, of whose parameters one is a device or a queue."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the report."""
    group = parser.getgroup("unisycl")
    group.addoption("--device", action="append", metavar="NAME",
                    help="run device tests on this device only; may be repeated")
    group.addoption("--all-cases", action="store_true",
                    help="run every case of every test on every device (as --device does)")
    group.addoption("--sample", action="store_true",
                    help="run one case of each test on each device; those of a backend share "
                         "tests, but each row has one on each")
    group.addoption("--turn", type=int, default=0, metavar="N",
                    help="which device of a backend begins where they share: 0 or 1")
    group.addoption("--alone", action="store_true",
                    help="share no test with devices that do not run now")
    group.addoption("--device-tests", action="store_true",
                    help="run only tests that take a device")
    group.addoption("--conformance", action="store_true", help="print rows x devices at the end")
    group.addoption("--conformance-json", metavar="FILE", help="write rows x devices as JSON")
    group.addoption("--conformance-docs", metavar="FILE", help="write rows x devices as Markdown")
    group.addoption("--conformance-add", metavar="FILE", action="append", default=[],
                    help="with a column of a device elsewhere, told as JSON; may be repeated")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker and start an empty report."""
    config.addinivalue_line("markers", "row(*ids): the conformance rows that the test checks")
    config.addinivalue_line("markers", "part(*ids): rows of which it checks a part; claims nothing")
    begin(config)


def begin(config: pytest.Config) -> None:
    """Start an empty report for the devices that are asked for now; none is looked for."""
    config.stash[_REPORT] = Report(_selected(config))
    config.stash[_LEFT_OUT] = {}


def _selected(config: pytest.Config) -> list[str]:
    asked: list[str] | None = config.getoption("--device")
    return asked or [*EXPECTED, *(n for n in device_names() if n not in EXPECTED)]


def _about(name: str) -> str:
    """Return what a device is, for the report."""
    try:
        device = find_device(name)
    except LookupError:
        return "not found"
    about = sycl.info.device
    return (f"{device.get_platform().get_info(sycl.info.platform.name)}, "
            f"{device.get_info(about.name)}, driver {device.get_info(about.driver_version)}")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of tests none of which takes a device, where only such tests run."""
    if not config.getoption("--device-tests") or not collection_path.match("test_*.py"):
        return None
    return None if _TAKES.search(collection_path.read_text(encoding="utf-8")) else True


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes ``device`` once per device."""
    if "device" in metafunc.fixturenames:
        names = metafunc.config.stash[_REPORT].devices
        metafunc.parametrize("device", names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> sycl.device:
    """One of the devices found; the test runs on each."""
    try:
        return find_device(request.param)
    except LookupError as error:
        pytest.skip(str(error))


@pytest.fixture
def queue(device: sycl.device) -> Iterator[sycl.queue]:
    """A queue on the device; work still in it when the test ends must end without an error."""
    made = sycl.queue(device)
    yield made
    made.wait_and_throw()


def _rows(item: pytest.Item, kind: str = "row") -> list[str]:
    return [row for mark in item.iter_markers(kind) for row in mark.args]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse a marker that names no row; leave out cases that are many."""
    known = load_rows()
    if config.getoption("--device-tests"):
        _drop(config, items, [item for item in items if _device_of(item) is None])
    if config.getoption("--sample") or not any(
            config.getoption(o) for o in ("--all-cases", "--device", "--conformance")):
        _leave_out(config, items)
    for item in items:
        wrong = [r for r in (*_rows(item), *_rows(item, "part")) if r not in known]
        if wrong:
            raise pytest.UsageError(f"{item.nodeid}: no such conformance row: {', '.join(wrong)}")


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep some of the cases of each test: on devices not always there, or asked for a sample.

    One of a type that the device lacks is among them: what it refuses, the report is to say.
    """
    sample = config.getoption("--sample")
    tests: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        name = _device_of(item)
        if name and (name not in EXPECTED or sample):
            tests.setdefault((item.nodeid.partition("[")[0], name), []).append(item)
    dropped: list[pytest.Item] = []
    counts = config.stash[_LEFT_OUT]
    lacked = {name: _lacked(name) for name in {name for _, name in tests}}
    shares = sample and not config.getoption("--alone")
    alike = sharing.places(device_names(), EXPECTED) if shares else {}
    others = sharing.elsewhere(tests, _rows, alike, config.getoption("--turn"))
    for (test, name), cases in tests.items():
        lacking = set(_lacking(lacked[name], cases))
        if (test, name) in others:
            claims = any(map(_rows, cases))
            left = [case for k, case in enumerate(cases) if not (claims and k in lacking)]
        else:
            left = _not_needed(cases, {*_kept(name, len(cases), sample=sample), *lacking})
        dropped += left
        before = counts.get(name, (0, 0))
        counts[name] = (before[0] + len(left), before[1] + len(cases))
    _drop(config, items, dropped)


def _kept(name: str, count: int, *, sample: bool) -> set[int]:
    """Return which of the cases of a test run on a device, spread evenly.

    Of a sample, the CPU and the first device of a backend run the first one, all others one from
    the middle.
    """
    if sample:
        first = name != EXPECTED[1] and name.partition(":")[2] in ("", "0")
        return {0 if first else count // 2}
    if count <= _CASES:
        return set(range(count))
    return {k * (count - 1) // (_CASES - 1) for k in range(_CASES)}


def _lacking(lacked: frozenset[sycl.aspect], cases: list[pytest.Item]) -> Iterator[int]:
    """Yield the first of the cases with a type that the device lacks, if there is one."""
    for k, case in enumerate(cases):
        if lacked and not lacked.isdisjoint(needed(_parameters(case).values())):
            yield k
            return


def _lacked(name: str) -> frozenset[sycl.aspect]:
    """Return what types need and a device does not have; of one that is not there, nothing."""
    try:
        device = find_device(name)
    except LookupError:
        return frozenset()
    return frozenset(a for a in NEEDS.values() if not device.has(a))


def _not_needed(cases: list[pytest.Item], kept: set[int]) -> list[pytest.Item]:
    """Return the cases that are not kept, but for the first one of a row that has none else."""
    seen = {row for k in kept for row in _rows(cases[k])}
    left = []
    for k, case in enumerate(cases):
        rows = _rows(case)
        if k in kept or not seen.issuperset(rows):
            seen.update(rows)
        else:
            left.append(case)
    return left


def _drop(config: pytest.Config, items: list[pytest.Item], dropped: list[pytest.Item]) -> None:
    """Take tests out of a run."""
    if dropped:
        gone = {id(item) for item in dropped}
        items[:] = [item for item in items if id(item) not in gone]
        config.hook.pytest_deselected(items=dropped)


def _device_of(item: pytest.Item) -> str | None:
    """Return the name of the device that a test runs on; None if it takes none."""
    found: str | None = _parameters(item).get("device")
    return found


def _parameters(item: pytest.Item) -> dict[str, Any]:
    callspec = getattr(item, "callspec", None)
    return callspec.params if callspec else {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Record what a test with rows did."""
    report = yield
    outcome = _outcome(report)
    if outcome is not None:
        for row in _rows(item):
            item.config.stash[_REPORT].record(row, _device_of(item), outcome)
    return report


def _outcome(report: pytest.TestReport) -> str | None:
    """Return what a phase of a test says about its rows; None if nothing."""
    if report.failed or hasattr(report, "wasxfail"):
        return "failed"
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        said = reason.removeprefix("Skipped: ")
        return ("refused" if said.startswith(PREFIX) else
                "not built" if said.startswith(NOT_BUILT) else "skipped")
    return "passed" if report.when == "call" else None


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config,
) -> None:
    """Print and write the report where asked."""
    for name, (left, whole) in config.stash[_LEFT_OUT].items():
        if left:
            terminalreporter.write_line(f"{name}: {left} of {whole} cases were left out; "
                                        "--all-cases runs them")
    report = config.stash[_REPORT]
    if any(map(config.getoption, _WRITTEN)):
        report.about.update({n: _about(n) for n in report.devices if n not in EXPECTED})
    for file in config.getoption("--conformance-add"):
        report.add(Path(file).read_text(encoding="utf-8"))
    if config.getoption("--conformance"):
        terminalreporter.section("conformance")
        terminalreporter.write_line(report.to_text())
    for option, text in (("--conformance-json", report.to_json),
                         ("--conformance-docs", report.to_markdown)):
        target: str | None = config.getoption(option)
        if target:
            Path(target).write_text(text(), encoding="utf-8")
