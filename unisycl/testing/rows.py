"""The conformance rows, read from ``rows.toml``.

Non-goals: what a row demands in full (the specification does that). Invariant: the order is the
file's.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _document() -> dict[str, dict[str, str]]:
    text = files("unisycl.testing").joinpath("rows.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def load_rows() -> dict[str, str]:
    """Return every row: its ID, such as ``"D-17"``, and its short title."""
    return dict(_document()["rows"])


def load_sections() -> dict[str, str]:
    """Return the sections: the letter in front of an ID, and the section's title."""
    return dict(_document()["sections"])
