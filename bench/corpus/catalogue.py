"""Which families there are, and their entries by name. Non-goals: running them."""

from __future__ import annotations

import importlib
from typing import Any

from bench.corpus.frame import Entry

FAMILIES = ("basic", "lcals", "apps", "elements", "polybench", "shading", "examples", "rodinia",
            "points", "nas", "flows", "algorithm", "classes", "images", "everyday", "habits",
            "signals", "searches", "grids", "parts", "stacks", "unseen")


def families() -> dict[str, Any]:
    """Return the modules of the families by name."""
    return {name: importlib.import_module(f"bench.corpus.{name}") for name in FAMILIES}


def entries() -> dict[str, tuple[Entry, Any]]:
    """Return every entry by ``family.name``, with the module of its family."""
    found = {}
    for name, family in families().items():
        for entry in family.ENTRIES:
            assert f"{name}.{entry.name}" not in found, f"{name}.{entry.name} is there twice"
            found[f"{name}.{entry.name}"] = (entry, family)
    return found


def rows(patterns: list[str]) -> list[tuple[str, str]]:
    """Return entries and forms whose name holds one of the patterns; all without any."""
    return [(name, form) for name, (entry, _) in entries().items() for form in entry.forms
            if not patterns or any(p in title(name, form) for p in patterns)]


def title(name: str, form: str) -> str:
    """Return how a form of an entry is called."""
    return f"{name}/{form}" if form else name
