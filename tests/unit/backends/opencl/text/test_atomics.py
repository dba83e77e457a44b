"""The scopes that atomic operations carry in OpenCL C."""

from __future__ import annotations

import pytest

from tests.unit.backends.opencl.test_texts import NEW
from unisycl.backends.cfamily.dialect import AtomicOp
from unisycl.backends.opencl.text.atomics import Atomics
from unisycl.base.dtypes import DTYPES
from unisycl.base.enums import address_space, memory_order, memory_scope

SCOPES = {memory_scope.sub_group: "sub_group", memory_scope.work_group: "work_group",
          memory_scope.device: "device", memory_scope.system: "all_svm_devices"}


@pytest.mark.row("E-33")
@pytest.mark.parametrize("op", ["load", "store", "exchange", "add", "compare_exchange"])
def test_an_operation_carries_the_narrowest_scope_that_reaches_all_who_can_take_part(
        op: str) -> None:
    device = Atomics(NEW)
    for dtype in ("int32", "uint64", "float64", "int16"):
        for scope, word in SCOPES.items():
            for space in (address_space.global_space, address_space.local_space):
                inside = space is address_space.local_space and scope.name in ("device", "system")
                text = device.template(AtomicOp(op, DTYPES[dtype], space, memory_order.acq_rel,
                                                scope))
                if "{helper:" in text:
                    name = text[text.index(":") + 1:text.index("}")]
                    made = device.helper(name)
                    assert made is not None
                    text = made.text
                assert f"memory_scope_{'work_group' if inside else word}" in text
                assert text.count("memory_scope_") >= 1
