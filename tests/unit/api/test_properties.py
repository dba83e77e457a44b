"""Properties and property lists."""

from __future__ import annotations

import pytest

import unisycl as sycl
from unisycl.api import properties


def test_lists_of_every_form_are_flattened() -> None:
    in_order, profiling = sycl.property.queue.in_order, sycl.property.queue.enable_profiling()
    got = properties.flatten([in_order, [profiling], sycl.property_list(in_order())])
    assert (in_order(), profiling, in_order()) == got


def test_what_is_no_property_is_refused() -> None:
    with pytest.raises(sycl.exception, match="expected a property, got int"):
        properties.flatten([3])


def test_a_property_knows_where_it_belongs() -> None:
    assert sycl.is_property(sycl.property.no_init)
    assert not sycl.is_property(int)
    assert sycl.is_property_of(sycl.property.no_init, sycl.accessor)
    assert not sycl.is_property_of(sycl.property.no_init, sycl.queue)
    with pytest.raises(sycl.exception, match="belongs to queue"):
        properties.check([sycl.property.queue.in_order()], "buffer")


def test_a_property_belongs_to_what_derives_from_its_class_and_to_no_namesake() -> None:
    class Mine(sycl.queue):
        pass

    class queue:
        pass
    in_order = sycl.property.queue.in_order
    assert sycl.is_property_of(in_order, Mine)
    assert not sycl.is_property_of(in_order, queue)
    assert not sycl.is_property_of(sycl.property.buffer.use_mutex, Mine)
