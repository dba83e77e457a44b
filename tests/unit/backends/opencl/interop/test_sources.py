"""In which state a program made elsewhere is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from unisycl.backends.opencl.interop import sources
from unisycl.base.enums import bundle_state

CL = SimpleNamespace(program_build_info=SimpleNamespace(BINARY_TYPE="type", STATUS="status"),
                     program_info=SimpleNamespace(BINARY_SIZES="sizes"))


class Program:
    """A program as a driver tells of it."""

    def __init__(self, kind: int, status: int, size: int) -> None:
        self.told = {"type": kind, "status": status, "sizes": [size]}

    def get_build_info(self, device: object, what: str) -> object:
        """Return what is told of a device."""
        return self.told[what]

    def get_info(self, what: str) -> object:
        """Return what is told of all devices."""
        return self.told[what]


@pytest.mark.parametrize(("kind", "status", "size", "state"), [
    (0, -1, 0, "input"), (1, 0, 9, "object"), (2, 0, 9, "object"), (4, 0, 9, "executable"),
    (4, -1, 9, "executable"),  # of a binary that was not built yet
    (4, -1, 0, "input"), (1, -1, 0, "input"), (0xffffffff, -1, 0, "input")])  # never set
def test_what_has_no_binary_and_was_not_built_is_source(
        kind: int, status: int, size: int, state: str) -> None:
    assert bundle_state[state] is sources._state_of(CL, Program(kind, status, size), None)
