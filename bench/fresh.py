"""Runs a Python program in a fresh process and reads the seconds it prints.

Non-goals: timing. Invariant: the process finds no cache of an earlier one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def seconds_of(*command: str) -> float:
    """Run ``python *command`` and return the number in its last line."""
    with tempfile.TemporaryDirectory(prefix="unisycl-bench-") as empty:
        env = {**os.environ, "XDG_CACHE_HOME": empty, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, *command], env=env, text=True, check=True,
                              stdout=subprocess.PIPE)
    return float(done.stdout.split()[-1])
