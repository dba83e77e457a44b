"""A kernel in a process of its own, where no thread or command is left that could end its wait."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests import children

ROOT = Path(__file__).parents[3]
PROGRAM = """
import json, sys
import unisycl as sycl
from unisycl.backends.host import endless
from unisycl.runtime.graph import tasks
from tests.conformance.checking import {module} as module
endless.PATIENCE, endless.PERIOD, tasks.PATIENCE = 0.1, 0.02, 0.1
found = [module.{function}(getattr(module, name), sycl.{device}_selector_v)
         for name in {kernels}]
print(json.dumps(found))
"""


def told_alone(module: str, function: str, device: str, *kernels: str) -> list[list[str]]:
    """Return what a function of a test module finds out about kernels there, on cpu or host."""
    code = PROGRAM.format(module=module, function=function, kernels=kernels, device=device)
    done = children.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, check=True,
                        capture_output=True, text=True, timeout=300)
    found: list[list[str]] = json.loads(done.stdout)
    return found
