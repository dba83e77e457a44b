"""What every test may use: the fixtures ``device`` and ``queue``, and golden files."""

from __future__ import annotations

import atexit
import gc
import itertools
import os
import shutil
import tempfile

import pytest

from unisycl.backends import registry


def temporary(name: str) -> str:
    """Return a new folder, gone when this process ends (but not with a child it forked)."""
    made, owner = tempfile.mkdtemp(prefix=name), os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(made, ignore_errors=True))
    return made


# Tests compile into a cache of their own: never the user's, and empty at the start.
os.environ["UNISYCL_CACHE"] = temporary("unisycl-tests-")
if "POCL_CACHE_DIR" not in os.environ:
    os.environ["POCL_CACHE_DIR"] = temporary("unisycl-tests-pocl-")

pytest_plugins = ["unisycl.testing.plugin"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true",
                     help="rewrite the expected texts that tests compare with")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected texts are to be rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))


FILES = itertools.count(1)
FROZEN_FOR = 64  # files


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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what is installed and is no device, so that nobody thinks it was tested."""
    if terminalreporter.config.getoption("--device"):
        return  # whoever names devices knows, and need not wait for others to be looked for
    absent = registry.absent()
    for name, why in registry.problems().items():
        if name not in absent:
            terminalreporter.write_line(f"without {name}: {why}")
