"""The fixture ``g``: a graph on the null device, ended when the test ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.graph.builder import Graph


@pytest.fixture
def g() -> Iterator[Graph]:
    graph = Graph()
    yield graph
    graph.end()
