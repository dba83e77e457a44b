"""How a test states that a device may refuse something.

Non-goals: deciding what a device must offer. Invariant: a refusal counts only if the error says so
by its code, and only where the device itself says that it lacks what was asked. A refusal without
a question to the device is unisycl's own gap; the report says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import unisycl as sycl

PREFIX = "refused: "
"""How the reason of a skip begins that is a refusal; the report counts it as such."""

NOT_BUILT = "not built: "
"""How the reason of a skip begins where no device was asked: unisycl has not built it."""

NEEDS = {"float16": sycl.aspect.fp16, "float64": sycl.aspect.fp64}
"""What types need that not every device has."""

_CODES = (sycl.errc.feature_not_supported, sycl.errc.kernel_not_supported)


@contextmanager
def refused(device: sycl.device, *aspects: sycl.aspect, able: bool | None = None) -> Iterator[None]:
    """Run what a device may refuse; end the test as refused if it does (SYCL 2020 §5.7).

    A device that has all ``aspects`` and is ``able`` must not refuse, and another one must. Where
    the test asks the device neither way, a refusal is not the device's: it ends as not built.

    Args:
        device: the device under test.
        aspects: what the body needs.
        able: what the device says, by a query, about whatever else the body needs.

    Example:
        >>> with refused(device, sycl.aspect.fp64):  # doctest: +SKIP
        ...     queue.single_task(kernel_with_doubles).wait()
    """
    missing = [a.name for a in aspects if not device.has(a)]
    lacks = bool(missing) or able is False
    try:
        yield
    except sycl.exception as error:
        asked = bool(aspects) or able is not None
        if error.code() not in _CODES or (asked and not lacks):
            raise
        pytest.skip(f"{PREFIX if asked else NOT_BUILT}{error.what()}")
    if lacks:
        pytest.fail(f"the device lacks {', '.join(missing) or 'what this needs'} but ran it")


def needed(parameters: Iterable[object]) -> set[sycl.aspect]:
    """Return what a test needs with parameters that are, or name, scalar types."""
    return {NEEDS[t] for value in parameters for t in _type_names(value) if t in NEEDS}


def _type_names(value: object) -> Iterator[str]:
    """Yield the names of the scalar types in a parameter."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, np.dtype):
        yield value.name
    elif isinstance(value, type) and issubclass(value, np.generic):
        yield value.__name__
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _type_names(part)
