"""What generators of random kernels write lines with.

Non-goals: what is written. Invariant: a seed gives the same text each time.
"""

from __future__ import annotations

from random import Random


class Writer:
    """Lines of one kernel, names that are new in it, and chances."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.names = 0

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def often(self, chance: float) -> bool:
        return self.rng.random() < chance
