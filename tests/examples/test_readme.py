"""The example in README.md."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]


def example() -> str:
    """Return the first Python block of the README."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert found is not None
    return found[1]


def test_the_readme_example_computes_what_it_says(tmp_path: Path) -> None:
    program = tmp_path / "example.py"
    program.write_text("import numpy as np\nnp.random.seed(1)\n" + example())
    names = runpy.run_path(str(program))
    np.random.seed(1)  # noqa: NPY002 - as the example draws its numbers
    x, y = np.random.rand(2, 1 << 20).astype(np.float32)  # noqa: NPY002 - as above
    np.testing.assert_allclose(names["y"], y + 2 * x, rtol=1e-6)


def test_the_readme_example_is_short() -> None:
    assert len([line for line in example().splitlines() if line.strip()]) <= 15
