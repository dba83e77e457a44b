"""A kernel in a process of its own, where no thread or command is left that could end its wait."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAM = """
import json, sys
import unisycl as sycl
from unisycl.backends.host import endless
from tests.conformance.checking import {module} as module
endless.PATIENCE, endless.PERIOD = 0.1, 0.02
print(json.dumps(module.{function}(module.{kernel}, sycl.property.queue.timeout(60))))
"""


def told_alone(module: str, function: str, kernel: str) -> list[str]:
    """Return what a function of a test module finds out about a kernel there."""
    code = PROGRAM.format(module=module, function=function, kernel=kernel)
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, check=True,
                          capture_output=True, text=True, timeout=240)
    found: list[str] = json.loads(done.stdout)
    return found
