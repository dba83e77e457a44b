"""What checks cost: the figures of the page are those of its table, which the command prints."""

from __future__ import annotations

import os
import re
import statistics
import sys
from pathlib import Path

import pytest

from tests import children

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "performance.md"
LIMITS = {"bounds": 4.0, "races": 20.0}
"""How many times as long kernels may take with checks, in geometric mean."""


def stated() -> tuple[str, dict[str, list[float]]]:
    """Return the page's words about checks, and the times of its table for each setting."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## Checks\n")[2].partition("\n## ")[0]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")]
            for line in text.splitlines() if line.startswith("|")]
    head, _, *kernels = rows
    return text, {word: [float(row[k]) for row in kernels]
                  for k, word in enumerate(head) if k > 1}


@pytest.mark.row("Q-10")
def test_the_stated_cost_is_that_of_the_table_and_within_its_limits() -> None:
    text, times = stated()
    assert len(times["bounds"]) > 20
    means = {word: statistics.geometric_mean(found) for word, found in times.items()}
    said = dict(re.findall(r"`(\w+)` (\d+\.\d+)", " ".join(text.split())))
    assert said.keys() == means.keys()
    assert [float(said[word]) for word in means] == pytest.approx(list(means.values()), rel=0.02)
    worst = [max(found) for found in times.values()]
    shown = re.search(r"The worst: ([\d.]+), ([\d.]+) and ([\d.]+)", text)
    assert shown is not None
    assert [float(x.rstrip(".")) for x in shown.groups()] == pytest.approx(worst, rel=0.02)
    assert all(means[word] <= most for word, most in LIMITS.items())


@pytest.mark.row("Q-10")
def test_the_command_on_the_page_prints_the_table() -> None:
    assert "    python -m bench.checks [NAMES] [--words bounds 1 races]" in stated()[0]
    done = children.run(
        [sys.executable, "-m", "bench.checks", "stencil", "--quick", "--rounds", "1", "--words",
         "bounds", "races"], cwd=ROOT, check=True, capture_output=True, text=True, timeout=300,
        env={k: v for k, v in os.environ.items() if k != "UNISYCL_DEBUG"})
    head, kernel, mean, worst = done.stdout.splitlines()
    assert head.split() == ["no", "checks", "bounds", "races"]
    ratios = re.fullmatch(r"stencil +[\d.]+ ms +([\d.]+) x +([\d.]+) x", kernel)
    assert ratios is not None
    for line, title in ((mean, "geometric mean"), (worst, "worst")):
        assert re.fullmatch(rf"{title} +{ratios[1]} x +{ratios[2]} x", line)
