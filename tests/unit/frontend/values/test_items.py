"""The methods of index objects are exactly those of the classes the host device uses."""

from __future__ import annotations

import inspect

import pytest

from unisycl.frontend.values.items import ITEM_METHODS, WHOLE
from unisycl.lang.index import nd_item as lang

CLASSES = {"item": lang.item, "global": lang.item, "logical": lang.item, "physical": lang.item,
           "nd_item": lang.nd_item, "group": lang.group, "sub_group": lang.sub_group,
           "h_item": lang.h_item}


def methods(cls):
    return {name for name in dir(cls) if not name.startswith("_")
            and callable(getattr(cls, name))}


@pytest.mark.parametrize("kind", CLASSES)
def test_every_method_of_a_kernel_exists_on_the_host(kind):
    assert set(ITEM_METHODS[kind]) <= methods(CLASSES[kind])


@pytest.mark.parametrize("kind", ["item", "nd_item", "group", "sub_group", "h_item"])
def test_every_method_of_the_host_exists_in_kernels(kind):
    assert methods(CLASSES[kind]) == set(ITEM_METHODS[kind])


@pytest.mark.parametrize("kind", CLASSES)
def test_a_dimension_is_taken_where_the_host_takes_one(kind):
    for name, (query, extent) in ITEM_METHODS[kind].items():
        if query and not extent:
            parameters = inspect.signature(getattr(CLASSES[kind], name)).parameters
            assert ("dimension" in parameters) == ((kind, name) not in WHOLE), name
