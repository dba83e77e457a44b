"""Conformance tests on the driver that is none, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.sampling import SAMPLE

ROOT = Path(__file__).resolve().parents[4]
FEW = ("graph/test_command_graph.py", "usm/test_usm.py", "usm/test_one_by_any_path.py",
       "reduction/test_reduction.py", "group/test_non_uniform.py", "queue/test_repeats.py")
"""What a sample runs of ``PLACES``: of each kind some."""
PLACES = ("graph", "reduction", "usm", "group/test_non_uniform.py",
          "queue/test_repeats.py")
OWN = "tests/conformance/usm/test_inter_process.py"  # its other processes have a driver or none


def test_conformance_tests_pass_on_the_driver_that_is_none() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider",
         "-p", "tests.cuda_fake.plugin", "--device", "cuda", "--sample", "--ignore", OWN,
         *(f"tests/conformance/{place}" for place in (FEW if SAMPLE[0] else PLACES))],
        cwd=ROOT, text=True, capture_output=True, timeout=600, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert 0 == done.returncode, done.stdout[-4000:]
