"""The examples in docs/algorithms.md and docs/random.md, run one after the other."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np

from unisycl.oneapi import dpl

PAGES = Path(__file__).resolve().parents[2] / "docs"
PAGE = PAGES / "algorithms.md"


def test_the_examples_of_the_page_compute_what_they_say(tmp_path: Path) -> None:
    text = "".join((PAGES / f"{name}.md").read_text(encoding="utf-8")
                   for name in ("algorithms", "random"))
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 7
    program = tmp_path / "example.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    names = runpy.run_path(str(program))
    x = np.random.default_rng(1).standard_normal(100_000).astype(np.float32)
    assert np.array_equal(np.sort(x), names["x"])
    assert np.array_equal(x[x > 0], names["out"][:names["kept"]])
    np.testing.assert_allclose(names["total"], x.sum(dtype=np.float64), atol=0.01)
    np.testing.assert_allclose(names["norm"], np.square(x, dtype=np.float64).sum(), rtol=1e-5)
    assert names["keys"].tolist() == [1, 2, 3]
    assert abs(names["u"].std() - 2) < 0.2


def test_the_page_names_every_algorithm() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listed = set(re.findall(r"\w+", text))
    others = ("make_", "device_", "host_")
    assert [n for n in dpl.__all__ if not n.endswith("_async") and not n.startswith(others)
            and n not in listed] == []
