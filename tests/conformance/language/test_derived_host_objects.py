"""Objects of the host, and of classes that derive from theirs, that a kernel names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl

held: Any = None


class my_buffer(sycl.buffer):
    """A buffer of a program's own."""


class handler(sycl.queue):  # the name of another kind
    """A queue that is named as if it were a handler."""


class my_context(sycl.context):
    """A context of a program's own."""


class my_image(sycl.unsampled_image):
    """An image of a program's own."""


class my_view(sycl.host_accessor):
    """A host accessor of a program's own."""


def refusal(queue: sycl.queue, thing: Any) -> str:
    """Return the way out of a kernel that reads a global variable and is refused."""
    global held
    held = thing
    x = np.zeros(4, np.int32)

    def kernel(i: Any, out: Any) -> None:
        out[i] = held.size()
    with sycl.buffer(x) as b, pytest.raises(sycl.exception) as caught:
        queue.submit(lambda h: h.parallel_for(4, kernel, sycl.accessor(b, h)))
    held = None
    assert "error K040" in str(caught.value)
    return str(caught.value).partition("help: ")[2]


@pytest.mark.part("D-61")
@pytest.mark.parametrize(("plain", "derived"), [
    (lambda q: sycl.buffer(4), lambda q: my_buffer(4)),
    (lambda q: q, lambda q: handler(q.get_device())),
    (lambda q: q.get_context(), lambda q: my_context(q.get_device())),
    (lambda q: sycl.host_accessor(sycl.buffer(4)), lambda q: my_view(sycl.buffer(4)))],
    ids=["buffer", "queue", "context", "host_accessor"])
def test_a_kernel_refuses_a_derived_object_as_it_does_the_base(
        queue: sycl.queue, plain: Any, derived: Any) -> None:
    want = refusal(queue, plain(queue))
    assert want
    assert want == refusal(queue, derived(queue))


@pytest.mark.part("B-12")
def test_a_derived_image_takes_the_properties_of_its_base() -> None:
    pixels = np.zeros((4, 4), np.float32)
    image = my_image(pixels, sycl.image_format.r32g32b32a32_sfloat,
                     sycl.property.image.use_host_ptr())
    assert image.has_property(sycl.property.image.use_host_ptr)
    with pytest.raises(sycl.exception, match="is no property of an unsampled_image"):
        my_image(pixels, sycl.image_format.r32g32b32a32_sfloat,
                 sycl.property.queue.in_order())
