"""Each block of Python that README, pages and notebooks show runs and prints what is said."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import unisycl as sycl
from tests.docs import pages

PACKAGES = {"av", "mpi4py", "sklearn"}
PAGES = [p for p in pages.pages() if any(pages.blocks(p))]


def devices() -> set[str]:
    """Return which backends and packages that pages ask for are there."""
    found = {d.get_backend().name for d in sycl.device.get_devices()} & {"opencl", "cuda"}
    return found | {name for name in PACKAGES if find_spec(name) is not None}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(pages.ROOT).as_posix())
@pytest.mark.filterwarnings("ignore")  # of other libraries, whose caches may not be writable
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    with pages.inside(tmp_path):
        assert pages.run(page, devices()) == []


def test_words_behind_python_are_known() -> None:
    wrong = [b.place for p in PAGES for b in pages.blocks(p)
             if set(b.words) - {"opencl", "cuda", "peer", *PACKAGES}]
    assert wrong == []
