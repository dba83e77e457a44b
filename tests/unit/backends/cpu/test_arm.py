"""The native pool on 64-bit Arm, under QEMU."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import arm


def test_the_pool_and_a_kernel_run_on_arm(tmp_path: Path) -> None:
    if arm.missing():
        pytest.skip(f"needs {', '.join(arm.missing())} (python -m tests.arm says which packages)")
    assert arm.run(tmp_path) == (
        "4 threads on aarch64 filled, computed and copied as they should\nstatus 0")
