"""What ``dataclass`` wrote is told from what the user wrote, also in texts given to ``exec``."""

from __future__ import annotations

from typing import Any

import pytest

from unisycl.base.generated_code import is_by_dataclass

TEXT = """
import dataclasses

@dataclasses.dataclass(frozen=True, order=True)
class Plain:
    x: int

@dataclasses.dataclass
class Own:
    x: int

    def __eq__(self, other):
        return True

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)

def inside():
    @dataclasses.dataclass
    class Local(Own):
        def __lt__(self, other):
            return True
    return Local
"""


@pytest.fixture(scope="module")
def space() -> dict[str, Any]:
    found: dict[str, Any] = {"__name__": __name__}
    exec(compile(TEXT, "<string>", "exec"), found)  # noqa: S102 - as programs do
    return found


@pytest.mark.parametrize("name", ["__init__", "__eq__", "__lt__", "__ge__", "__setattr__"])
def test_methods_that_dataclass_writes_are_generated(space: dict[str, Any], name: str) -> None:
    assert is_by_dataclass(getattr(space["Plain"], name))


@pytest.mark.parametrize(("of", "name"), [
    ("Own", "__eq__"), ("Own", "__setattr__"), ("Local", "__lt__")])
def test_methods_in_texts_given_to_exec_are_the_users(
        space: dict[str, Any], of: str, name: str) -> None:
    cls = space["inside"]() if of == "Local" else space[of]
    assert not is_by_dataclass(getattr(cls, name))


def test_other_things_are_not_generated() -> None:
    assert not is_by_dataclass(object.__eq__)
    assert not is_by_dataclass(None)
