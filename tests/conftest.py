"""What every test may use: the fixtures ``device`` and ``queue``, and golden files."""

from __future__ import annotations

import atexit
import gc
import itertools
import os
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest

from tests import children, sampling
from unisycl.backends import registry
from unisycl.passes import pipeline

MEMORY = Path("/dev/shm")  # files in memory: one of a few KiB takes 35 us there, 200 on a disk
ROOM = 1 << 30  # bytes that are free there, of which the caches of a run take half at most


def in_memory() -> Path | None:
    """Return where files lie in memory, if this system has such a place, with room."""
    try:
        if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
            return MEMORY
    except OSError:
        pass
    return None


def temporary(name: str, place: Path | None = None) -> str:
    """Return a new folder, gone when this process ends (but not with a child it forked)."""
    made, owner = tempfile.mkdtemp(prefix=name, dir=place), os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(made, ignore_errors=True))
    return made


# Tests compile into a cache of their own: never the user's, and empty at the start.
os.environ["UNISYCL_CACHE"] = temporary("unisycl-tests-", in_memory())
if "POCL_CACHE_DIR" not in os.environ:
    os.environ["POCL_CACHE_DIR"] = temporary("unisycl-tests-pocl-", in_memory())

pipeline.ALWAYS_VERIFY[0] = True


gc.disable()  # until all tests are collected: ten thousand objects of pytest that stay


def pytest_configure(config: pytest.Config) -> None:
    """Tell tests with many kernels whether this is a sample."""
    sampling.SAMPLE[0] = config.getoption("--sample")


def pytest_collection_finish() -> None:
    """Collect garbage from now on."""
    gc.enable()


# What a shell starts in the background ignores Ctrl-C, and so would the programs of tests.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ["unisycl.testing.plugin"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true",
                     help="rewrite the expected texts that tests compare with")
    parser.addoption("--spent", type=int, default=0, metavar="N",
                     help="print the processor time, also of the N tests that took most of it")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected texts are to be rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))


FILES = itertools.count(1)
FROZEN_FOR = 256  # files; a collection of all visits some ten million objects


@pytest.fixture(scope="module", autouse=True)
def earlier_objects() -> None:
    """Have collections of garbage pass over what was there before the tests of a file.

    Tests that look whether objects go ask for a collection each, which would visit all tests and
    all that was compiled. What has become garbage since goes once in some files.
    """
    if next(FILES) % FROZEN_FOR == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


SPENT: Counter[str] = Counter()


def spent() -> float:
    """Return the processor time so far, of this process and of programs that ended."""
    times = os.times()
    return (time.process_time() + times.children_user + times.children_system
            + children.SPENT[0])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note the processor time of a test by its name and device, all cases together."""
    begun = spent()
    result = yield
    on = getattr(item, "callspec", None)
    name = on.params.get("device") if on else None
    SPENT[item.nodeid.partition("[")[0] + (f" on {name}" if name else "")] += spent() - begun
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the processor time that was asked for, and what is installed and is no device.

    Nobody is to think that it was tested.
    """
    most = terminalreporter.config.getoption("--spent")
    if most:
        terminalreporter.write_line(f"{spent():.0f} s of processor time, most of it in")
        for name, seconds in SPENT.most_common(most):
            terminalreporter.write_line(f"{seconds:7.1f} s {name}")
    if terminalreporter.config.getoption("--device"):
        return  # whoever names devices knows, and need not wait for others to be looked for
    absent = registry.absent()
    for name, why in registry.problems().items():
        if name not in absent:
            terminalreporter.write_line(f"without {name}: {why}")
