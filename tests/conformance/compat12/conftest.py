"""What the tests of SYCL 1.2 share: its module, imported without its warning, and a queue of it."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import unisycl as sycl


@pytest.fixture(scope="module")
def old() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield importlib.import_module("unisycl.compat12")


@pytest.fixture
def q(old: Any, device: sycl.device) -> Iterator[Any]:
    made = old.queue(device)
    yield made
    made.wait_and_throw()
