"""Work-groups that a device runs of one kernel, which may be fewer than it runs of others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.unit.backends.opencl.test_texts import NEW, OLD
from unisycl.backends.base import Geometry
from unisycl.backends.device import shapes
from unisycl.backends.device.texts import key_of, source_of
from unisycl.backends.opencl.launch.executable import ClExecutable
from unisycl.backends.opencl.text.dialect import make_dialect
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.frontend.specialize import find


def plain(item: Any, out: Any) -> None:
    out[item[0]] = 1


def group(item: Any, out: Any) -> None:
    own = sycl.private_array(np.float32, 1 << 12)
    own[item.get_local_id(0)] = 1
    out[item.get_global_id(0)] = own[item.get_local_id(0)]


def made(function: Any, geometry: Geometry, traits: Any, most: int) -> ClExecutable:
    kernel = find(function, geometry.kind, len(geometry.global_), (np.zeros(8, np.float32),), (),
                  geometry.local)[0].kernel
    dialect = make_dialect(traits, Quirks(), offsets=False)
    source = source_of(kernel, key_of(kernel, geometry, traits.facts()), dialect, traits.facts())
    return ClExecutable(kernel, source, None, None, (), (), (), None, f"kernel '{kernel.name}'",
                        True, most=most)


@pytest.mark.parametrize(("most", "local"), [(0, 256), (256, 256), (100, 64), (1, 1)])
def test_a_range_takes_no_larger_groups_than_its_kernel_runs_with(most: int, local: int) -> None:
    geometry = Geometry("range", (1000,), (), (0,))
    executable = made(plain, geometry, NEW, most)
    shape = executable.shape(geometry, NEW.facts())
    assert ((1024,), (local,)) == (shape.items, shape.local)
    executable.check(geometry, NEW, Quirks())


@pytest.mark.parametrize(("local", "most", "smaller"), [
    ((8, 32), 256, (8, 32)), ((8, 32), 64, (8, 8)), ((8, 32), 1, (1, 1)), ((1, 1), 0, (1, 1)),
    ((1, 224), 100, (1, 56)), ((1, 224), 6, (1, 1))])
def test_groups_shrink_along_their_longest_side(
        local: tuple[int, ...], most: int, smaller: tuple[int, ...]) -> None:
    shape = shapes.Shape((64, 64), local, None, (1,))
    assert replace(shape, local=smaller) == shapes.within(shape, most)


def test_a_group_that_a_kernel_does_not_run_with_is_refused_by_its_size() -> None:
    geometry = Geometry("nd_range", (256,), (128,), (0,))
    made(group, geometry, NEW, 128).check(geometry, NEW, Quirks())
    with pytest.raises(UsageError, match=r"kernel 'group': a work-group of 128 .* the 64 ") as told:
        made(group, geometry, NEW, 64).check(geometry, NEW, Quirks())
    assert errc.nd_range == told.value.code()


def test_arrays_of_a_group_that_end_the_process_are_refused() -> None:
    geometry = Geometry("nd_range", (512,), (512,), (0,))
    executable = made(group, geometry, OLD, 0)
    executable.check(geometry, OLD, Quirks())
    with pytest.raises(UnsupportedError, match="take 8388608 bytes; 'Paper' has") as caught:
        executable.check(geometry, OLD, Quirks(private_on_stack=True))
    assert errc.memory_allocation == caught.value.code()
