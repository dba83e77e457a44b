"""From captured objects to the values of a launch."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.runtime.null import channel, state
from unisycl.base.enums import address_space
from unisycl.base.errors import UsageError
from unisycl.frontend.specialize import find, specialize
from unisycl.runtime.devices.devices import ContextState
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.launch import args


def test_scalars_get_the_parameters_type() -> None:
    def kernel(i, p, a, b, c, d):
        if a:
            p[i] = b + c + d
    p = np.zeros(4)
    given = (p, True, 3, 2.5, np.float32(4))
    spec, raw = find(kernel, "range", 1, given)
    got = [c(r, None, channel()) for c, r in zip(args.converters(spec.kernel),
                                                 raw, strict=True)]
    assert {"bool", "int64", "float64", "float32"} == {
        type(v).__name__.rstrip("_") for v in got if isinstance(v, np.generic)}


def test_an_array_is_bound_in_place() -> None:
    x = np.zeros((2, 3), np.int16)
    view = args.bind_array(x, channel())
    assert np.shares_memory(view.memory, x)
    assert ((2, 3), (3, 1), 0) == (view.shape, view.pitches, view.offset)


def test_arrays_need_the_aspect_and_rows_without_gaps() -> None:
    where = state(aspects=frozenset())
    with pytest.raises(UsageError, match="usm_system_allocations"):
        args.bind_array(np.zeros(3), Channel(where, ContextState((where,))))
    with pytest.raises(UsageError, match="ascontiguousarray"):
        args.bind_array(np.zeros((3, 3))[:, 0], channel())


def test_local_memory_is_counted() -> None:
    assert address_space.local_space

    def kernel(i, p):
        p[i] = 1
    spec = specialize(kernel, "range", 1, (np.zeros(4),))
    assert 0 == args.local_bytes(spec.kernel)
    assert 8 == args.parameter_bytes(spec.kernel)
