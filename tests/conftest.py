"""What every test may use: the fixtures ``device`` and ``queue``, and golden files."""

from __future__ import annotations

import os
import tempfile

import pytest

from unisycl.backends import registry

# Tests compile into a cache of their own: never the user's, and empty at the start.
os.environ["UNISYCL_CACHE"] = tempfile.mkdtemp(prefix="unisycl-tests-")

os.environ.setdefault("POCL_CACHE_DIR", tempfile.mkdtemp(prefix="unisycl-tests-pocl-"))

pytest_plugins = ["unisycl.testing.plugin"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true",
                     help="rewrite the expected texts that tests compare with")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected texts are to be rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what is installed and is no device, so that nobody thinks it was tested."""
    if terminalreporter.config.getoption("--device"):
        return  # whoever names devices knows, and need not wait for others to be looked for
    absent = registry.absent()
    for name, why in registry.problems().items():
        if name not in absent:
            terminalreporter.write_line(f"without {name}: {why}")
