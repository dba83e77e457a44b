"""Compute units: processors, the domains Linux tells of, confined pools."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from unisycl.backends.cpu.pool import units


def test_lists_are_read_as_linux_prints_them() -> None:
    assert [0, 1, 2, 3, 8] == units.parse_list("0-3,8\n")
    assert [] == units.parse_list("")


def test_domains_are_read_from_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "processors", lambda: (4, 5, 6))
    for node, text in (("node0", "0-5"), ("node1", "6-7"), ("node2", "nonsense")):
        (tmp_path / "node" / node).mkdir(parents=True)
        (tmp_path / "node" / node / "cpulist").write_text(text)
    for processor in (4, 5, 6):
        for index, (level, kind, shared) in enumerate(
                [("1", "Data", str(processor)), ("1", "Instruction", "0-7"),
                 ("3", "Unified", "4-6")]):
            folder = tmp_path / "cpu" / f"cpu{processor}" / "cache" / f"index{index}"
            folder.mkdir(parents=True)
            (folder / "level").write_text(level)
            (folder / "type").write_text(kind)
            (folder / "shared_cpu_list").write_text(shared)
    assert {"numa": ((0, 1), (2,)), "L1_cache": ((0,), (1,), (2,)),
            "L3_cache": ((0, 1, 2),)} == units.domains(tmp_path)


def test_no_domain_is_known_where_the_system_tells_nothing(tmp_path: Path) -> None:
    assert {} == units.domains(tmp_path / "nowhere")


def test_parts_outside_are_left_out() -> None:
    assert ((1,), (2, 3)) == units.within((1, 2, 3), ((0, 1), (2, 3), (4, 5)))


def test_a_confined_pool_leaves_the_processors_of_its_user() -> None:
    before = os.sched_getaffinity(0)
    pool = units.ConfinedPool((0,))
    pool.submit(0, 0, 0).wait()
    assert before == os.sched_getaffinity(0)
    assert pool.stop()
