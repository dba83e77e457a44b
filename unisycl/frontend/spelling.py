"""Which known name a misspelt one resembles.

Non-goals: which names there are. Invariant: a question, never an answer: nothing is taken for it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return a question that names the closest known name, or ``otherwise``."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean '{near[0]}'?" if near else otherwise
