"""Every test below this folder names the conformance rows it checks."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and item.get_closest_marker("row") is None:
            raise pytest.UsageError(f"{item.nodeid}: a conformance test needs @mark.row(...)")
