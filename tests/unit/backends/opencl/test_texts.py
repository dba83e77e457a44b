"""OpenCL C as it is printed for three kinds of device, compared with the files in ``texts``.

A text may change for the better: read the difference, then run ``pytest --update-golden``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.unit.backends.opencl import kernels as k
from unisycl.backends.base import BoundView, Geometry, Launch
from unisycl.backends.cfamily.collectives import by_fours, others
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.device.texts import (
    Variant,
    Watched,
    alike_views,
    key_of,
    local_memory,
    source_of,
    wide_views,
)
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.launch.executable import ClExecutable
from unisycl.backends.opencl.text.dialect import make_dialect
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.enums import address_space
from unisycl.frontend.specialize import find
from unisycl.ir.types import View, element_type

TEXTS = Path(__file__).parent / "texts"
SHUFFLES = ("cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative")


def traits(version: tuple[int, int], kind: str = "gpu", *, features: tuple[str, ...] = (),
           extensions: tuple[str, ...] = (), sub_groups: tuple[int, ...] = ()) -> Traits:
    """Return what a device reports that nobody owns."""
    return Traits(
        library="", platform="Paper", platform_version="", name="Paper", vendor="", version="",
        driver_version="", kind=kind, number=0, c_version=version,
        features=frozenset(f"__opencl_c_{f}" for f in features), extensions=frozenset(extensions),
        numbers={"max_work_group_size": 256, "max_compute_units": 4,
                 "native_vector_width_float": 1},
        item_sizes=(256, 256, 64), sub_group_sizes=sub_groups)


OLD = traits((1, 2), "cpu")
NEW = traits((3, 0), features=(
    "subgroups", "atomic_order_acq_rel", "atomic_scope_device", "work_group_collective_functions",
    "ext_fp32_global_atomic_add"), extensions=("cl_khr_fp64", *SHUFFLES), sub_groups=(16, 32))
DEVICES = {"1.2": (OLD, False), "3.0": (NEW, True)}


class Local:
    """Local memory as a kernel takes it."""

    def __init__(self, dtype: Any, *shape: int) -> None:
        self.dtype, self.shape = np.dtype(dtype), shape

    def __kernel_type__(self) -> View:
        return View(element_type(self.dtype), len(self.shape), address_space.local_space)


FLOATS, INTS = np.zeros(100, np.float32), np.zeros(100, np.int32)
RANGE = Geometry("range", (100,), (), (0,))
MANY = Geometry("range", (1 << 20,), (), (0,))
GROUPS = Geometry("nd_range", (96,), (32,), (0,))
CASES: dict[str, tuple[Any, Geometry, tuple[Any, ...]]] = {
    "saxpy": (k.saxpy, RANGE, (np.float32(2), FLOATS, FLOATS)),
    "first_above": (k.first_above, RANGE, (FLOATS, FLOATS, INTS)),
    "halo": (k.halo, GROUPS, (FLOATS, FLOATS, Local(np.float32, 32))),
    "histogram": (k.histogram, RANGE, (INTS, INTS, FLOATS)),
    "scans": (k.scans, GROUPS, (INTS, INTS)),
    "drift": (k.drift, RANGE, (np.zeros(100, k.particle), np.float32(0.5))),
    "turn": (k.turn, RANGE, (np.zeros(100, k.oriented),)),
    "checked": (k.checked, GROUPS, (FLOATS,)),
    "sizes": (k.sizes, GROUPS, (7, INTS)),
    "rotate": (k.rotate, RANGE, (np.zeros(100, np.complex64),) * 3),
    "triad": (k.triad, MANY, (FLOATS, FLOATS, FLOATS, np.float32(2))),
    "every_builtin": (k.every_builtin, RANGE, (FLOATS, INTS, FLOATS)),
}


def text_of(name: str, device: str) -> str:
    """Return a kernel's OpenCL C, with the name of its file only."""
    function, geometry, arguments = CASES[name]
    reported, offsets = DEVICES[device]
    kernel = find(function, geometry.kind, 1, arguments, (), geometry.local)[0].kernel
    dialect = make_dialect(reported, Quirks(), offsets=offsets)
    facts = reported.facts()
    text = source_of(kernel, key_of(kernel, geometry, facts), dialect, facts).text
    return text.replace(str(Path(k.__file__).parent) + "/", "")


@pytest.mark.parametrize("version", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_a_kernel_reads_as_its_file(name: str, version: str, update_golden: bool) -> None:
    golden = TEXTS / f"{name}.{version}.cl"
    text = text_of(name, version)
    if update_golden:
        golden.write_text(text, encoding="utf-8")
    assert golden.read_text(encoding="utf-8").splitlines() == text.splitlines()


def test_local_memory_of_known_extents_is_an_array() -> None:
    function, geometry, arguments = CASES["halo"]
    kernel = find(function, geometry.kind, 1, arguments, (), geometry.local)[0].kernel
    index = next(p.index for p in kernel.params if p.name == "own")
    dialect = make_dialect(OLD, Quirks(), offsets=False)
    made = source_of(kernel, key_of(kernel, geometry, OLD.facts()), dialect, OLD.facts(),
                     Variant(((index, (32,)),)))
    assert "__local float own[32];" in made.text
    assert "local" not in {a.kind for a in made.arguments}
    assert (index,) == local_memory(kernel, OLD.facts())
    assert () == local_memory(kernel, NEW.facts())


def test_elements_that_a_group_shares_are_read_anew_where_a_driver_keeps_old_ones() -> None:
    def kernel(it: Any, out: Any, own: Any) -> None:
        lid, first = it.get_local_id(0), it.get_group(0) % 3
        own[lid] = out[lid]
        sycl.group_barrier(it.get_group())
        out[lid] = own[first] + own[5] + own[lid + 1]
        for j in range(8):
            out[lid] += own[j]

    made = find(kernel, "nd_range", 1, (FLOATS, Local(np.float32, 32)), (), (32,))[0].kernel
    for quirks, count in ((Quirks(stale_elements=True), 2), (Quirks(), 0)):
        text = source_of(made, key_of(made, GROUPS, OLD.facts()),
                         make_dialect(OLD, quirks, offsets=False), OLD.facts()).text
        assert count == text.count("*((volatile __local float *)&own["), text


def test_what_a_pointer_may_pass_row_by_row_is_indexed_as_one_row() -> None:
    def kernel(i: Any, out: Any) -> None:
        walked, plain = sycl.private_array(np.int32, (3, 4)), sycl.private_array(np.int32, (5, 6))
        sycl.multi_ptr(walked)[7] = plain[i, 2] = 1
        out[i] = walked[1, 3]

    made = find(kernel, "range", 1, (INTS,), (), ())[0].kernel
    text = source_of(made, key_of(made, RANGE, OLD.facts()),
                     make_dialect(OLD, Quirks(), offsets=False), OLD.facts()).text
    assert "((int *)private_)[0 * 4 + 7] = 1;" in text
    assert "((int *)private_)[1 * 4 + 3]" in text
    assert "private_2[(int)global_id][2] = 1;" in text


def test_every_line_of_the_user_is_named() -> None:
    text = text_of("saxpy", "1.2")
    line = k.saxpy.__code__.co_firstlineno + 1
    assert f'#line {line} "kernels.py"' in text


def test_old_devices_get_neither_new_atomics_nor_sub_groups() -> None:
    for name in CASES:
        text = text_of(name, "1.2")
        assert "_explicit" not in text
        assert "sub_group" not in text
        assert "work_group_reduce" not in text
        assert "work_group_scan" not in text


def test_sums_of_complex_products_are_rounded_by_themselves() -> None:
    text = text_of("rotate", "3.0")
    assert "exact_sub_float" in text
    assert "#pragma OPENCL FP_CONTRACT OFF" in text


def test_known_sizes_have_the_type_of_ids() -> None:
    assert "min(32L, n)" in text_of("sizes", "1.2")


def test_a_text_does_not_depend_on_what_was_printed_before() -> None:
    """Names are numbered anew, and no order is that of a set: caches on disk go by the text."""
    first = text_of("scans", "3.0")
    for other in DEVICES:
        assert (text_of("scans", other) == first) == (other == "3.0")
    assert text_of("scans", "3.0") == first


def dot_on(device: Traits, *, ptx: bool = False) -> Source:
    """Return the text of a dot product by a reduction."""
    total = sycl.reduction(np.zeros(1, np.float32), sycl.plus)
    kernel = find(k.dot, "range", 1, (FLOATS, FLOATS), (total,))[0].kernel
    dialect = make_dialect(device, Quirks(ptx_fences=ptx), offsets=device is NEW)
    return source_of(kernel, key_of(kernel, RANGE, device.facts()), dialect, device.facts())


def test_the_last_group_joins_the_results_where_memory_has_an_order() -> None:
    for made in (dot_on(NEW), dot_on(OLD, ptx=True)):
        assert "" == made.finish_name
        kinds = {a.kind for a in made.arguments}
        assert {"partials", "counter", "target", "keep"} <= kinds
    assert 2 == dot_on(NEW).text.count("memory_order_acq_rel, memory_scope_device")


def test_elsewhere_a_second_kernel_does() -> None:
    made = dot_on(OLD)
    assert "dot_finish" == made.finish_name
    assert f"void {made.finish_name}(" in made.text
    assert "counter" not in {a.kind for a in made.arguments}


def test_a_processor_has_accumulators_side_by_side_instead_of_work_items() -> None:
    assert "float lanes_acc0[32];" in dot_on(OLD).text
    assert "reqd_work_group_size(1, 1, 1)" in dot_on(OLD).text
    assert "#pragma unroll" in dot_on(NEW).text


def test_views_that_span_too_much_take_another_text() -> None:
    def fill(item: Any, grid: Any) -> None:
        grid[item[0], item[1]] = 1.0

    geometry = Geometry("range", (8, 8), (), (0, 0))
    kernel = find(fill, "range", 2, (np.zeros((8, 8), np.float32),), (), ())[0].kernel
    key, dialect = key_of(kernel, geometry, OLD.facts()), make_dialect(OLD, Quirks(), offsets=False)
    small, wide = (source_of(kernel, key, dialect, OLD.facts(), Variant(wide=x))
                   for x in (False, True))
    assert "int grid_step0" in small.text
    assert "long grid_step0" in wide.text
    assert (0,) == wide_views(kernel, small)
    assert () == wide_views(kernel, wide)
    made = ClExecutable(kernel, small, None, None, (), (), (), None, "", True,
                        watched=Watched(spans=wide_views(kernel, small)))
    for shape, answer in (((1 << 15, 1 << 15), False), ((1 << 16, 1 << 15), True)):
        view = BoundView(None, 0, shape, (shape[1], 1))
        launch = Launch(made, geometry, (view,))
        assert made.watched.variant(launch).wide is answer


def test_group_functions_in_local_memory_have_few_barriers() -> None:
    function, geometry, arguments = CASES["scans"]
    card = replace(NEW, features=frozenset())
    kernel = find(function, geometry.kind, 1, arguments, (), geometry.local)[0].kernel
    dialect = make_dialect(card, Quirks(), offsets=True)
    text = source_of(kernel, key_of(kernel, geometry, card.facts()), dialect, card.facts()).text
    assert "__local int shared_int32[64];" in text  # two halves for a group of 32
    loop = text[text.index("<<= 1) {"):]
    assert 1 == loop[:loop.index("}")].count("barrier(")


@pytest.mark.parametrize("count", [2, 3, 4, 5, 12, 16, 17, 64, 100, 255, 256, 257, 1024])
def test_rounds_by_fours_take_each_element_once(count: int) -> None:
    values = list(range(count))
    step = int(by_fours("step", count).partition("= ")[2].partition(";")[0])
    bounded = "&&" in others("other", "me", "step", count)
    while step:
        for me in range(step):
            for other in range(me + step, min(4 * step, count) if bounded else 4 * step, step):
                values[me] += values[other]
                values[other] = 0
        step >>= 2
    assert sum(range(count)) == values[0]


def test_views_of_equal_pitches_share_them_on_processors() -> None:
    def move(it: Any, first: Any, second: Any, third: Any) -> None:
        y, x = it.get_global_id(0), it.get_global_id(1)
        third[y, x] = first[y, x]
        sycl.group_barrier(it.get_group())
        second[y, x] = third[y, x]

    geometry = Geometry("nd_range", (8, 8), (4, 4), (0, 0))
    arguments = (np.zeros((8, 8), np.float32),) * 3
    kernel = find(move, "nd_range", 2, arguments, (), (4, 4))[0].kernel
    key, dialect = key_of(kernel, geometry, OLD.facts()), make_dialect(OLD, Quirks(), offsets=False)
    plain = source_of(kernel, key, dialect, OLD.facts())
    found = alike_views(kernel, plain, OLD.facts())
    assert (0, 1, 2) == found
    assert () == alike_views(kernel, plain, NEW.facts())
    made = ClExecutable(kernel, plain, None, None, (), (), (), None, "", True,
                        watched=Watched(alike=found))
    views = [BoundView(None, 0, (8, 8), (width, 1)) for width in (9, 8, 9)]
    variant = made.watched.variant(Launch(made, geometry, tuple(views)))
    assert Variant(same=((2, 0),)) == variant
    text = source_of(kernel, key, dialect, OLD.facts(), variant).text
    assert "third[y * first_step0 + x]" in text
    assert "second[y * second_step0 + x]" in text
    assert "third_step0" not in text
