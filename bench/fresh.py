"""Runs a Python program in a fresh process and reads the number it prints.

Non-goals: timing. Invariant: the process finds no cache but the one it is given.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def number_of(*command: str, cache: str = "") -> float:
    """Run ``python *command`` and return the number in its last line.

    Args:
        command: what comes after ``python``.
        cache: the folder for caches; an empty one of its own if none is given.
    """
    with tempfile.TemporaryDirectory(prefix="unisycl-bench-") as empty:
        env = {**os.environ, "XDG_CACHE_HOME": cache or empty, "PYTHONPATH": str(ROOT)}
        env.pop("UNISYCL_CACHE", None)
        done = subprocess.run([sys.executable, *command], env=env, text=True, check=True,
                              stdout=subprocess.PIPE)
    return float(done.stdout.split()[-1])
