"""Commands that run graphs where the driver itself decides which, and how often.

Non-goals: drivers that do not (``conditions``). Invariant: bodies are what they were when the
command was made.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.backends.base import Batch, Completion, Control, Driver


class BeginControl:
    """How to begin a loop or a condition that the driver runs as one batch."""

    __slots__ = ("_batch", "control")

    def __init__(self, control: Control, batch: Batch) -> None:
        self.control = control
        self._batch = batch

    def __call__(self, native: Sequence[Completion]) -> Completion:
        return self._batch.launch(native)


def begin_control(driver: Driver, control: Control) -> BeginControl | None:
    """Return how to begin a command; None where its driver does not decide about such."""
    batch = driver.batch([control], [[]]) if driver.controls else None
    return None if batch is None else BeginControl(control, batch)
