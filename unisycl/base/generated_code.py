"""Which methods of a class ``dataclass`` wrote, so that they have no text of the user's.

Non-goals: what they do. Invariant: a method in a text that was given to ``exec``, whose file has
the same name, is the user's.
"""

from __future__ import annotations

from types import FunctionType


def is_by_dataclass(function: object) -> bool:
    """Say whether a method was written by ``dataclass``: in a function of its own, no class."""
    if not isinstance(function, FunctionType) or function.__code__.co_filename != "<string>":
        return False
    owner = function.__code__.co_qualname.rpartition(".")[0]
    return not owner or owner.endswith("<locals>")


__all__ = ["is_by_dataclass"]
