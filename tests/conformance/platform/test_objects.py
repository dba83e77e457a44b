"""What runtime objects have in common (SYCL 2020 §4.5.2 to §4.5.4), and their use by threads."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

x = sycl.ext.oneapi.experimental


@sycl.kernel
def kernel(i, p):
    p[i] += 1


def make(queue: sycl.queue) -> dict[str, tuple[Any, Any]]:
    """Return of each class of reference semantics an object, and another one like it."""
    context, device = queue.get_context(), queue.get_device()
    bundle = sycl.get_kernel_bundle(context, [sycl.get_kernel_id(kernel)],
                                    sycl.bundle_state.executable)
    other = sycl.get_kernel_bundle(context, [sycl.get_kernel_id(make_other)],
                                   sycl.bundle_state.executable)
    p, q = sycl.malloc_shared(2, np.int32, queue), sycl.malloc_shared(2, np.int32, queue)
    streams: list[Any] = []
    queue.submit(lambda h: streams.extend(sycl.stream(100, 10, h) for _ in range(2)))
    devices = [d for d in sycl.device.get_devices() if d != device]
    return {
        "platform": (device.get_platform(), devices[0].get_platform() if devices else None),
        "device": (device, devices[0] if devices else None),
        "context": (sycl.context(device), sycl.context(device)),
        "queue": (queue, sycl.queue(device)),
        "event": (queue.submit(lambda h: None), queue.submit(lambda h: None)),
        "buffer": (sycl.buffer(4), sycl.buffer(4)),
        "accessor": (sycl.accessor(sycl.buffer(4)), sycl.accessor(sycl.buffer(4))),
        "local_accessor": (sycl.local_accessor(np.int32, 4), sycl.local_accessor(np.int32, 4)),
        "kernel_id": (sycl.get_kernel_id(kernel), sycl.get_kernel_id(make_other)),
        "kernel_bundle": (bundle, other),
        "device_image": (next(iter(bundle)), next(iter(other))),
        "kernel": (bundle.get_kernel(sycl.get_kernel_id(kernel)),
                   other.get_kernel(sycl.get_kernel_id(make_other))),
        "stream": (streams[0], streams[1]),
        "usm_pointer": (p, q),
        "command_graph": (x.command_graph(queue), x.command_graph(queue)),
    }


@sycl.kernel
def make_other(i, p):
    p[i] += 2


CLASSES = ["platform", "device", "context", "queue", "event", "buffer", "accessor",
           "local_accessor", "kernel_id", "kernel_bundle", "device_image", "kernel", "stream",
           "usm_pointer", "command_graph"]


@pytest.mark.row("A-31")
@pytest.mark.parametrize("name", CLASSES)
def test_a_copy_is_the_same_object_and_others_are_not(queue: sycl.queue, name: str) -> None:
    one, other = make(queue)[name]
    same = copy.copy(one)
    assert one == one  # noqa: PLR0124 - reflexive
    assert same == one
    assert one == same
    assert hash(same) == hash(one)
    assert {one: 1}[same] == 1
    assert one != other
    assert other != one
    assert one != "another kind of thing"
    assert copy.deepcopy(one) == one


@pytest.mark.row("A-32")
@pytest.mark.parametrize("create", [
    lambda: sycl.id(1, 2), lambda: sycl.range(3, 4), lambda: sycl.nd_range((4, 4), (2, 2)),
    lambda: sycl.float4(1, 2, 3, 4)], ids=["id", "range", "nd_range", "vec"])
def test_values_compare_and_copy_by_value(create: Callable[[], Any]) -> None:
    one, same = create(), copy.copy(create())
    equal = one == same
    assert bool(sycl.all(equal)) if isinstance(one, sycl.float4) else equal
    changed = one
    if isinstance(one, sycl.nd_range):
        assert hash(one) == hash(same)
        return
    changed += 1
    kept = one == same
    assert bool(sycl.all(kept)) if isinstance(one, sycl.float4) else kept
    other = changed == one
    assert not (bool(sycl.any(other)) if isinstance(one, sycl.float4) else other)


@pytest.mark.row("A-33")
def test_properties_are_asked_for_before_they_are_got(device: sycl.device) -> None:
    order, profiling = sycl.property.queue.in_order, sycl.property.queue.enable_profiling
    plain, made = sycl.queue(device), sycl.queue(device, sycl.property_list(order(), profiling()))
    for kind in (order, profiling):
        assert sycl.is_property(kind)
        assert sycl.is_property_of(kind, sycl.queue)
        assert not sycl.is_property_of(kind, sycl.buffer)
        assert made.has_property(kind)
        assert isinstance(made.get_property(kind), kind)
        assert not plain.has_property(kind)
        with pytest.raises(sycl.exception) as caught:
            plain.get_property(kind)
        assert sycl.errc.invalid == caught.value.code()
    assert not sycl.is_property(int)
    for owner in (lambda: sycl.buffer(4, order()), lambda: sycl.context(device, order())):
        with pytest.raises(sycl.exception) as caught:
            owner()
        assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("A-26", "A-31")
def test_eight_threads_make_and_use_every_object(device: sycl.device) -> None:
    shared = sycl.queue(device)
    total = sycl.malloc_shared(8, np.int64, shared)
    total[:] = 0
    start, failed = threading.Barrier(8), []

    def work(number: int) -> None:
        try:
            start.wait()
            for _ in range(10):
                assert device in sycl.device.get_devices()
                assert device.get_platform() in sycl.platform.get_platforms()
                context = sycl.context(device)
                mine = sycl.queue(context, device)
                data = np.zeros(4, np.int32)
                with sycl.buffer(data) as b:
                    mine.submit(lambda h, b=b: h.fill(sycl.accessor(b, h), number))
                assert [number] * 4 == data.tolist()
                part = total.pointer_to(number)
                shared.parallel_for(1, kernel, part).wait()
                kinds = device.get_info(sycl.info.device.partition_properties)
                if sycl.info.partition_property.partition_equally in kinds:
                    parts = device.create_sub_devices(
                        sycl.info.partition_property.partition_equally, 1)
                    assert parts[0].get_info(sycl.info.device.parent_device) == device
        except BaseException as error:  # noqa: BLE001 - told by the main thread
            failed.append(error)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert [] == failed
    assert [10] * 8 == total[:].tolist()
