"""Ways from a kernel's callable to what it captured, and what launches are asked about it.

Non-goals: following a way (``captures``), asking (``guards``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from unisycl.base.dataclass import dataclass

Path: TypeAlias = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Meeting:
    """Asks whether a path leads to the object that another leads to: it did (``met``) or not."""

    other: Path
    met: bool


Question: TypeAlias = Callable[[Any], bool] | Meeting
