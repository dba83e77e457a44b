"""What a backend without native objects answers, kind by kind."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import unisycl as sycl
from unisycl.backends.cpu.driver import CpuDriver
from unisycl.backends.host.driver import HostDriver
from unisycl.backends.native_objects import Adoption, NativeObjects
from unisycl.backends.null.driver import NullDriver

DRIVERS = [HostDriver, NullDriver, CpuDriver]
TAKEN = ["device", "context", "queue", "event", "memory", "image", "kernel", "array", "library",
         "options"]


def refused(ask: Any, *args: Any, **named: Any) -> bool:
    """Say whether a call is refused as a feature that the backend does not have."""
    with pytest.raises(sycl.exception) as caught:
        ask(*args, **named)
    return caught.value.code() is sycl.errc.feature_not_supported


@pytest.mark.parametrize("kind", DRIVERS)
def test_kinds_that_a_backend_does_not_have_are_refused(kind: Any) -> None:
    native = kind().native
    assert refused(native.user_event)
    assert refused(native.binary, None)
    assert refused(native.sampler, normalized=True, addressing=0, filtering=0)


def test_a_backend_that_says_nothing_has_no_kind_at_all() -> None:
    native = NativeObjects(NullDriver())
    for name, ask in inspect.getmembers(native, inspect.ismethod):
        if name.startswith("_"):
            continue
        needed = list(inspect.signature(ask).parameters.values())
        args = [None for p in needed if p.kind is not p.KEYWORD_ONLY]
        assert refused(ask, *args, **{p.name: None for p in needed if p.kind is p.KEYWORD_ONLY})


@pytest.mark.parametrize("kind", DRIVERS)
def test_nothing_is_taken_over_where_there_are_no_native_objects(kind: Any) -> None:
    adopt = kind().adopt
    assert [None] * len(TAKEN) == [getattr(adopt, name)(object()) for name in TAKEN]
    assert adopt.program(object(), sycl.bundle_state.executable) is None
    assert adopt.language(sycl.ext.oneapi.experimental.source_language.opencl) is False
    assert refused(adopt.gl_event, 1)
    assert refused(adopt.gl_object, "buffer", 1)
    assert type(adopt) is Adoption
