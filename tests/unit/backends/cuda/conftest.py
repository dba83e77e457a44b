"""A card that is none, for every test here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import unisycl as sycl
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import FakeCuda


@pytest.fixture
def fake() -> Iterator[FakeCuda]:
    """A driver that is none, installed as the device 'cuda'; it must not be misused."""
    made = FakeCuda(seed=1)
    with installed(made):
        yield made
    assert made.misuse == []


@pytest.fixture
def queue(fake: FakeCuda) -> sycl.queue:
    """A queue of its card."""
    return sycl.queue("cuda")
