"""Our kernels of the benchmarks compute what NumPy does, at their quick sizes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.catalogue import NAMES, NOT_KERNELS
from bench.harness import OURS, QUICK
from tests import children

ROOT = Path(__file__).parents[3]
PROGRAM = """
import json
from bench.catalogue import load
from bench.harness import prepare

wrong = {}
for name in %r:
    try:
        prepare(load(name), %r)
    except Exception as error:
        wrong[name] = repr(error)[:300]
print(json.dumps(wrong))
"""


@pytest.mark.parametrize("name", ["kernels", "launches"])
def test_ours_is_right_at_quick_sizes(name: str) -> None:
    launches = {n for n in NOT_KERNELS if n.startswith(("launch", "tasks"))} - {"launch_bound"}
    chosen = [n for n in NAMES if n not in NOT_KERNELS] if name == "kernels" else sorted(launches)
    done = children.run([sys.executable, "-c", PROGRAM % (chosen, OURS)], cwd=ROOT, text=True,
                        env={**os.environ, QUICK: "1"}, check=True, stdout=subprocess.PIPE)
    assert json.loads(done.stdout) == {}
