"""What is found out about kernels, once each."""

from __future__ import annotations

import dataclasses

import pytest

from unisycl.ir import findings
from unisycl.ir.findings import Findings
from unisycl.ir.nodes import Kernel

KERNEL = Kernel("nothing", (), (), "range", 1)


def test_each_kernel_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "_MOST", 3)
    seen: list[str] = []

    def find(kernel: Kernel) -> str:
        seen.append(kernel.name)
        return kernel.name.upper()
    known = Findings(find)
    kernels = [dataclasses.replace(KERNEL, name=name) for name in "abc"]
    assert ["A", "B", "C", "A", "B"] == [known.of(k) for k in (*kernels, *kernels[:2])]
    assert ["a", "b", "c"] == seen
    assert "D" == known.of(dataclasses.replace(KERNEL, name="d"))
    assert "A" == known.of(kernels[0])
    assert ["a", "b", "c", "d", "a"] == seen


def test_nothing_is_a_finding_too() -> None:
    asked: list[Kernel] = []
    known = Findings(asked.append)
    assert known.of(KERNEL) is None
    assert known.of(KERNEL) is None
    assert [KERNEL] == asked
