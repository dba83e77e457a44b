"""Native objects of a program's own classes that derive from SYCL's (SYCL 2020 §4.5.1.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from unisycl import compat12
from unisycl.ext.oneapi import experimental as ext


def alike(first: Any, second: Any) -> bool:
    """Say whether two native objects, or two lists of them, are the same."""
    if isinstance(first, list):
        return isinstance(second, list) and len(first) == len(second) and all(
            map(alike, first, second))
    if isinstance(first, np.ndarray):
        return isinstance(second, np.ndarray) and first.dtype == second.dtype
    return bool(first is second or first == second)


class my_queue(sycl.queue):
    """A queue of a program's own."""


class context(sycl.queue):  # the name of another kind
    """A queue that is named as if it were a context."""


class my_context(sycl.context):
    """A context of a program's own."""


class my_device(sycl.device):
    """A device of a program's own."""


class my_platform(sycl.platform):
    """A platform of a program's own."""


class my_buffer(sycl.buffer):
    """A buffer of a program's own."""


class my_image(sycl.unsampled_image):
    """An image of a program's own."""


def of_kind(device: sycl.device) -> list[tuple[Any, Any]]:
    """Return objects of SYCL's classes and, of each, one of a derived class."""
    def select(d: sycl.device) -> int:
        return 1 if d == device else -1
    owner = sycl.context(device)
    queue = sycl.queue(owner, device)
    return [(queue, my_queue(owner, device)), (queue, context(owner, device)),
            (owner, my_context(device)), (device, my_device(select)),
            (device.get_platform(), my_platform(select)),
            (sycl.buffer(4), my_buffer(4)),
            *([(image(sycl.unsampled_image), image(my_image))] if device.has(
                sycl.aspect.image) else [])]


def image(kind: Any) -> Any:
    """Return an image of four pixels."""
    return kind(np.zeros((4, 4), np.float32), sycl.image_format.r32g32b32a32_sfloat)


@pytest.mark.part("F-16")
def test_an_object_of_a_derived_class_has_the_native_object_of_its_base(
        device: sycl.device) -> None:
    own = device.get_backend()
    for plain, derived in of_kind(device):
        want, found = sycl.get_native(own, plain), sycl.get_native(own, derived)
        assert type(want) is type(found), type(derived)
        assert alike(want, found), type(derived)


@pytest.mark.part("F-16")
def test_a_derived_queue_runs_and_counts_like_any(device: sycl.device) -> None:
    own, queue = device.get_backend(), my_queue(device)
    plain = sycl.queue(device)
    x = np.zeros(8, np.int32)
    with my_buffer(x) as b:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h)

            @h.parallel_for(8)
            def kernel(i):
                acc[i] = 7
        event = queue.submit(group)
        queue.wait()
        assert isinstance(sycl.get_native(own, b), list)
    assert [7] * 8 == x.tolist()
    assert isinstance(sycl.get_native(own, event), list)
    counts = [q.get_info(sycl.info.queue.reference_count) for q in (plain, queue)]
    assert (counts[0] > 0) is (counts[1] > 0)


@pytest.mark.part("F-16")
def test_an_event_of_a_derived_class_is_an_event(device: sycl.device) -> None:
    queue = my_queue(device)
    tag = ext.submit_profiling_tag(queue)
    assert type(tag) is not sycl.event
    assert isinstance(sycl.get_native(device.get_backend(), tag), list)
    queue.wait()


@pytest.mark.part("F-16")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_objects_of_sycl_1_2_have_native_objects_as_those_they_derive_from(
        device: sycl.device) -> None:
    if device.get_backend() is not sycl.backend.opencl:
        pytest.skip("objects of SYCL 1.2's classes are made of a device of OpenCL's here")
    own, native = device.get_backend(), sycl.get_native(device.get_backend(), device)
    older = compat12.device(native)
    assert native == sycl.get_native(own, older)
    assert sycl.get_native(own, device.get_platform()) == sycl.get_native(
        own, older.get_platform())
    queue = compat12.queue(older)
    assert type(sycl.get_native(own, sycl.queue(device))) is type(sycl.get_native(own, queue))
    assert type(sycl.get_native(own, sycl.context(device))) is type(
        sycl.get_native(own, queue.get_context()))


@pytest.mark.part("F-16")
def test_what_has_no_native_object_is_refused(queue: sycl.queue) -> None:
    own = queue.get_backend()
    named = type("queue", (), {})
    for thing in (3, None, "queue", sycl.queue, my_queue, named(), named, object(), [queue],
                  np.zeros(4), sycl.range(4), sycl.property.queue.in_order(), own,
                  sycl.accessor(sycl.buffer(4), sycl.read_only)):
        assert sycl.errc.invalid == code_of(sycl.get_native, own, thing), thing


@pytest.mark.part("F-16")
def test_what_is_no_backend_is_refused_for_every_kind(device: sycl.device) -> None:
    pairs = of_kind(device)
    done = sycl.queue(device).submit(lambda h: h.host_task(lambda: None))
    done.wait()
    for thing in [*(x for pair in pairs for x in pair), done, sycl.event()]:
        for wanted in ("cpu", None, 3, sycl.backend):
            assert sycl.errc.invalid == code_of(sycl.get_native, wanted, thing), thing
