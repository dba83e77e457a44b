"""docs/checking.md shows the texts that checked kernels tell: each is compared with a real one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import told
from tests.conformance.checking.test_commands import Program, two_queues

PAGE = Path(__file__).parents[3] / "docs" / "checking.md"
ND = sycl.nd_range(8, 4)


def common(text: str) -> str:
    """Return a text without what differs from program to program: places, names and numbers."""
    text = " ".join(text.split())
    for pattern, word in ((r"\S+\.py:\d+", "LINE"), (r"'[^']*'", "NAME"),
                          (r"\w+\[[^]]*\]", "PLACE"), (r"id\([^)]*\)", "ID"),
                          (r"-?\d+(\.\d+)?", "N"), (r"\bint\d+", "intN"),
                          (r"\b(reads|writes) PLACE", "USES PLACE"),  # by who comes first
                          (r"has (read|written)", "has USED")):
        text = re.sub(pattern, word, text)
    return text


def gather(i: Any, x: Any) -> None:
    x[i[0] + 4] = 1


def turn(it: Any, x: Any, tile: Any) -> None:
    tile[it.get_local_id(0)] = 1
    x[it.get_global_id(0)] = tile[3 - it.get_local_id(0)]


def member(i: Any, x: Any) -> None:
    x[i[0] // 2].b = i[0]


def both(g: Any, a: Any) -> None:
    a[4 + g.get_group_id(0)] = 1

    def body(h: Any) -> None:
        a[h.get_global_id(0)] = 2
    g.parallel_for_work_item(body)


def count(it: Any, x: Any) -> None:
    sycl.atomic_ref(x, 3, sycl.memory_order.relaxed,
                    sycl.memory_scope.work_group).fetch_add(1)


def steps(it: Any, x: Any) -> None:
    if x[it.get_global_id(0)] > 0:
        sycl.group_barrier(it.get_group())
    x[it.get_global_id(0)] = 1


def own(i: Any, x: Any) -> None:
    mine = sycl.private_array(np.int32, 4)
    mine[1] = 1
    x[i] = mine[i[0] % 2]


def sums(i: Any, x: Any) -> None:
    x[i] = x[i] + np.int32(2147483647)


def packs(i: Any, x: Any) -> None:
    x[i] = np.int8(x[i] + np.int32(127))


def shares(i: Any, x: Any) -> None:
    x[i] = np.int32(10) // x[i]


def roots(i: Any, x: Any) -> None:
    x[i] = sycl.sqrt(np.float32(0) - x[i])


def numbers(kind: Any = np.int32) -> Any:
    return np.arange(8).astype(kind)


RECORDS = np.dtype([("a", np.int32), ("b", np.int32)])
CASES: dict[str, Callable[[sycl.queue], Any]] = {
    "bounds": lambda q: q.parallel_for(8, gather, numbers()),
    "races": lambda q: q.parallel_for(ND, turn, numbers(), sycl.local_accessor(np.int32, 4)),
    "races of members": lambda q: q.parallel_for(8, member, np.zeros(4, RECORDS)),
    "races in loops": lambda q: q.submit(lambda h: h.parallel_for_work_group(
        sycl.range(2), sycl.range(4), both, numbers())),
    "races of scopes": lambda q: q.parallel_for(ND, count, numbers()),
    "divergence": lambda q: q.parallel_for(ND, steps, numbers()),
    "uninitialised": lambda q: q.parallel_for(8, own, numbers()),
    "overflow": lambda q: q.parallel_for(8, sums, numbers()),
    "narrowing": lambda q: q.parallel_for(8, packs, numbers()),
    "division": lambda q: q.parallel_for(8, shares, numbers()),
    "nan": lambda q: q.parallel_for(8, roots, numbers(np.float32)),
}


@pytest.mark.part("Q-1", "Q-2", "Q-3", "Q-4", "Q-5", "Q-7")
def test_the_page_shows_what_is_told(device: sycl.device, monkeypatch: pytest.MonkeyPatch) -> None:
    if device.get_backend().name not in ("cpu", "host"):
        pytest.skip("the page shows the texts of the native CPU and the host device")
    shown = common(" ".join(line for line in PAGE.read_text(encoding="utf-8").splitlines()
                            if line.startswith("    ")))
    real = {}
    for word, launch in CASES.items():
        monkeypatch.setenv("UNISYCL_DEBUG", word.split()[0])
        real[word] = told(device, launch)
    monkeypatch.delenv("UNISYCL_DEBUG")
    program = Program(device)
    (real["commands"],) = program.told(two_queues)
    heads = {word: text.partition("\n")[0] for word, text in real.items()}  # the host says more
    assert [] == [f"{word}: {text}" for word, text in heads.items()
                  if not text or common(text) not in shown]
