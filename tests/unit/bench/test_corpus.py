"""Every form of the corpus gives its reference's results on every device, at its small size."""

from __future__ import annotations

import pytest

import unisycl as sycl
from bench.corpus import catalogue
from bench.corpus.frame import fast, launches, mismatch

ENTRIES = catalogue.entries()
ROWS = catalogue.rows([])


def needs(operands: object) -> bool:
    """Return whether operands hold float64."""
    return any(str(getattr(v, "dtype", "")) in ("float64", "complex128")
               for v in vars(operands).values())


@pytest.mark.parametrize("row", ROWS, ids=[catalogue.title(*row) for row in ROWS])
def test_form_gives_the_results_of_its_reference(device: sycl.device, row: tuple[str, str]) -> None:
    entry, _ = ENTRIES[row[0]]
    operands = entry.make(entry.small)
    if needs(operands) and not device.has(sycl.aspect.fp64):
        pytest.skip("the kernel computes in float64, which this device has not")
    queue = sycl.queue(device, sycl.property.queue.in_order())
    launches(queue, entry.forms[row[1]](operands))()
    queue.wait_and_throw()
    wanted = entry.reference(entry.make(entry.small))
    assert mismatch(entry, operands, wanted) == ""


def test_operands_are_the_same_each_time() -> None:
    for entry, _ in ENTRIES.values():
        one, other = vars(entry.make(entry.small)), vars(entry.make(entry.small))
        for name, value in one.items():
            if hasattr(value, "tobytes"):
                assert value.tobytes() == other[name].tobytes(), (entry.name, name)


def test_every_entry_says_why_it_tolerates_and_is_told_apart_from_unwritten_results() -> None:
    for entry, _ in ENTRIES.values():
        operands = entry.make(entry.small)
        wanted = entry.reference(entry.make(entry.small))
        assert entry.why, entry.name
        assert mismatch(entry, operands, wanted), f"{entry.name}: right before anything ran"


def test_twins_are_forms() -> None:
    for entry, _ in ENTRIES.values():
        assert entry.twin is None or set(entry.twin) <= set(entry.forms), entry.name


@pytest.mark.parametrize("name", ["signals.row_sums", "examples.rt/packet"])
def test_fast_kernels_keep_what_they_ask_for(name: str) -> None:
    title, _, form = name.partition("/")
    entry, _ = ENTRIES[title]
    kernel = entry.forms[form](entry.make(entry.small))[0].kernel
    made = fast(kernel)
    assert made.traits == (("options", ("-ffast-math",)),)
    assert made.reqd_sub_group_size == kernel.reqd_sub_group_size
    assert made.function is kernel.function
