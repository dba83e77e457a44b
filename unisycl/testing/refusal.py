"""How a test states that a device may refuse something.

Non-goals: deciding what a device must offer. Invariant: a refusal counts only if the error says so
by its code, and only where the device does not claim to have what was asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import unisycl as sycl

PREFIX = "refused: "
"""How the reason of a skip begins that is a refusal; the report counts it as such."""

_CODES = (sycl.errc.feature_not_supported, sycl.errc.kernel_not_supported)


@contextmanager
def refused(device: sycl.device, *aspects: sycl.aspect) -> Iterator[None]:
    """Run what a device may refuse; end the test as refused if it does (SYCL 2020 §5.7).

    With ``aspects``, a device that has them all must not refuse, and one that lacks any must.

    Args:
        device: the device under test.
        aspects: what the body needs.

    Example:
        >>> with refused(device, sycl.aspect.fp64):  # doctest: +SKIP
        ...     queue.single_task(kernel_with_doubles).wait()
    """
    missing = [a.name for a in aspects if not device.has(a)]
    try:
        yield
    except sycl.exception as error:
        if error.code() not in _CODES or (aspects and not missing):
            raise
        pytest.skip(f"{PREFIX}{error.what()}")
    if missing:
        pytest.fail(f"the device lacks {', '.join(missing)} but ran what needs it")
