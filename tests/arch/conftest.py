"""The parsed files live as long as these tests: a later collection of garbage would visit them."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.arch.sources import forget


@pytest.fixture(scope="package", autouse=True)
def parsed_files() -> Iterator[None]:
    """Parse without collections, of which none finds anything, and let go of all at the end."""
    gc.disable()
    yield
    forget()
    gc.enable()
