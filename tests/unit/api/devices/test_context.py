"""Contexts apart from any device."""

from __future__ import annotations

import pytest

import unisycl as sycl
from tests.unit.runtime.null import state
from unisycl.api.devices.device import device


def test_devices_are_kept_once_and_the_handler_found() -> None:
    d = device._of(state())

    def handle(errors: sycl.exception_list) -> None:
        """Do nothing."""
    made = sycl.context([d, d], handle)
    assert [d] == made.get_devices()
    assert handle is made.state.handler
    assert "<context of null>" == repr(made)


@pytest.mark.parametrize("bad", [[3], 3, b"cpu"])
def test_what_is_no_device_is_refused(bad) -> None:
    with pytest.raises(sycl.exception):
        sycl.context(bad)
