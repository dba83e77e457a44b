"""What ``import unisycl`` offers, compared with the list beside this file."""

from __future__ import annotations

from pathlib import Path

import unisycl

SNAPSHOT = Path(__file__).parent / "exports.txt"


def public_names() -> list[str]:
    """Return the public names of the package."""
    return sorted(n for n in dir(unisycl) if not n.startswith("_"))


def test_the_public_names_are_the_listed_ones(update_golden: bool) -> None:
    if update_golden:
        SNAPSHOT.write_text("\n".join(public_names()) + "\n", encoding="utf-8")
    expected = SNAPSHOT.read_text(encoding="utf-8").split()
    assert expected == public_names(), "if this is meant: pytest tests/arch --update-golden"


def test_every_public_name_can_be_had() -> None:
    assert [n for n in public_names() if not hasattr(unisycl, n)] == []


def test_a_name_there_is_none_of_raises_attribute_error() -> None:
    assert not hasattr(unisycl, "no_such_name")
