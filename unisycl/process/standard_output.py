"""Where the text of kernels goes: Python's standard output, one whole text at a time.

Non-goals: how values are spelt (``value_text``). Invariant: a text is written by one call, under a
lock, and handed to the system before the call returns, so that a failure is this text's failure.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from unisycl.base.value_text import Part, Style

_one_at_a_time = threading.Lock()


def write(text: str) -> None:
    """Write a text to ``sys.stdout`` as it is now; nothing where there is none, as ``print``."""
    out = sys.stdout
    if out is None or not text:
        return
    with _one_at_a_time:
        out.write(text)
        out.flush()


class Lines:
    """What work-items have put into streams and not flushed yet (SYCL 2020 §4.16).

    One for each launch; text between flushes of a work-item is written as a whole. Limits of size
    given to ``stream`` are no limits here.
    """

    def __init__(self) -> None:
        self._waiting: dict[Any, tuple[Style, list[str]]] = {}

    def put(self, stream: Any, item: Any, parts: Iterable[Part], values: Iterator[Any]) -> None:
        """Add parts to a work-item's text; ``flush`` and ``endl`` among them write it."""
        style, waiting = self._waiting.setdefault((stream, item), (Style(), []))
        for part in parts:
            if isinstance(part, str):
                waiting.append(style.spell(part))
                continue
            taken = [next(values) for _ in range(part.count)]
            if part.how == "value":
                waiting.append(style.spell(taken[0]))
            elif part.how in ("list", "set", "pointer"):
                waiting.append(style.spell_all(part.how, taken))
            elif part.how in ("flush", "endl"):
                text = "".join(waiting) + ("\n" if part.how == "endl" else "")
                waiting.clear()
                write(text)
            else:
                style.change(part.how, *taken)

    def end(self, stream: Any, item: Any) -> None:
        """Write what a work-item that ends has left, and forget it."""
        _, waiting = self._waiting.pop((stream, item), (None, []))
        write("".join(waiting))
