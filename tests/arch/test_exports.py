"""What ``import unisycl`` offers: the stub beside it lists the names that there are."""

from __future__ import annotations

import unisycl
from tests.arch.stubs import STUB, stub_text


def test_the_stub_has_the_names_that_there_are(update_golden: bool) -> None:
    if update_golden:
        STUB.write_text(stub_text(), encoding="utf-8")
    assert STUB.read_text(encoding="utf-8") == stub_text(), "do: python -m tests.arch.stubs"


def test_every_public_name_can_be_had() -> None:
    assert [n for n in dir(unisycl) if not hasattr(unisycl, n)] == []


def test_a_name_there_is_none_of_raises_attribute_error() -> None:
    assert not hasattr(unisycl, "no_such_name")
