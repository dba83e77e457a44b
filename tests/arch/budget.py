"""What may exceed the budgets of the structure, each with its reason."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

BUDGET: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "budget.toml").read_text(encoding="utf-8"))
