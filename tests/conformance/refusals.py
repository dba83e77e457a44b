"""What a call is refused with."""

from __future__ import annotations

from typing import Any

import pytest

import unisycl as sycl


def code_of(call: Any, *args: Any, **named: Any) -> sycl.errc:
    """Return the error code that a call raises; one that is not refused fails the test."""
    with pytest.raises(sycl.exception) as caught:
        call(*args, **named)
    return caught.value.code()


def refusal(call: Any, *args: Any, **named: Any) -> str:
    """Return the text of a refusal with ``errc.invalid``."""
    with pytest.raises(sycl.exception) as caught:
        call(*args, **named)
    assert sycl.errc.invalid == caught.value.code()
    return caught.value.what()
