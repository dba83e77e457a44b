"""``assert`` and checked indices in kernels that are debugged, as asynchronous errors."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from tests.conformance.kernel import checked
from tests.conformance.kernel.checked import (
    alone,
    atomic,
    between_barriers,
    calling,
    gather,
    private,
    reducing,
    walk,
    with_a_message,
)

HERE = Path(checked.__file__).name


@pytest.fixture(autouse=True)
def same_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kernels that failed half-way leave nothing behind."""
    monkeypatch.setattr(checked, "x", np.arange(40, dtype=np.float32))


def failure(device: sycl.device, launch: Callable[[sycl.queue], object]) -> str:
    """Return the text of the one asynchronous error of a launch."""
    errors: list[sycl.exception] = []
    queue = sycl.queue(device, lambda found: errors.extend(found))
    launch(queue)
    queue.wait_and_throw()
    assert [sycl.errc.kernel] == [e.code() for e in errors]
    return errors[0].what()


def line_of(kernel: object, text: str) -> int:
    """Return the line of a kernel's source that a text stands in."""
    lines, first = inspect.getsourcelines(kernel.function)  # type: ignore[attr-defined]
    return first + next(k for k, line in enumerate(lines) if text in line)


@pytest.mark.row("D-49")
def test_an_assertion_names_kernel_item_line_and_message(device):
    found = failure(device, lambda q: q.parallel_for(40, with_a_message))
    number = int(found.split("id(")[1].split(")")[0])
    assert number >= 30
    line = line_of(with_a_message, "assert")
    place = f"{checked.__file__}:{line}"
    assert (f"kernel 'with_a_message' failed in work-item id({number}) at {place}: "
            f"AssertionError: x is {number}.0 at {number}, (1, np.float32({number}.0))") == found


@pytest.mark.row("D-49")
def test_it_says_the_local_id_and_the_group(device):
    found = failure(device, lambda q: q.parallel_for(sycl.nd_range(40, 8), between_barriers))
    number = int(found.split("id(")[1].split(")")[0])
    where = f"work-item id({number}) (id({number % 8}) of group id({number // 8}))"
    line = line_of(between_barriers, "assert")
    assert (f"kernel 'between_barriers' failed in {where} at {checked.__file__}:{line}: "
            "AssertionError: assert x[g] < 29") == found


@pytest.mark.row("D-49")
@pytest.mark.parametrize(("kernel", "text"), [
    (alone, "failed at"), (reducing, "in work-item id(7) at"), (calling, "AssertionError: 38.0")])
def test_in_every_kind_of_kernel(device, kernel, text):
    total = np.zeros(1, np.float32)

    def launch(queue):
        if kernel is alone:
            queue.single_task(kernel)
        elif kernel is reducing:
            queue.parallel_for(40, sycl.reduction(total, sycl.plus()), kernel)
        else:
            queue.parallel_for(39, kernel)
    assert text in failure(device, launch)


@pytest.mark.row("D-49")
def test_hierarchical_kernels_are_checked_too(device):
    @sycl.kernel(debug=True)
    def groups(g):
        def item(it):
            assert it.get_global_id(0) < 6, it.get_global_id(0)
        g.parallel_for_work_item(item)
    found = failure(device, lambda q: q.submit(lambda h: h.parallel_for_work_group(
        sycl.range(2), sycl.range(4), groups)))
    assert "AssertionError: 6" in found or "AssertionError: 7" in found
    assert "'groups'" in found


@pytest.mark.row("D-49", "E-15")
def test_what_depends_on_it_does_not_run(device):
    out = np.zeros(4, np.int32)
    errors: list[sycl.exception] = []
    queue = sycl.queue(device, lambda found: errors.extend(found),
                       sycl.property.queue.in_order())

    def store(i):
        out[i] = 1
    queue.parallel_for(40, with_a_message)
    queue.parallel_for(4, store)
    queue.wait_and_throw()
    assert any("AssertionError" in e.what() for e in errors)
    assert [0] * 4 == out.tolist()


@pytest.mark.row("D-49")
@pytest.mark.parametrize(("kernel", "text"), [
    (gather, "index 77 is outside 'x' (range 40): valid is 0 to 39"),
    (walk, "index 4 in dimension 0 is outside 'table' (range 4, 5): valid is 0 to 3"),
    (private, "index 3 is outside 'private array' (range 3): valid is 0 to 2"),
    (atomic, "index 5 is outside 'own' (range 5): valid is 0 to 4")])
def test_an_index_outside_is_told_like_an_assertion(device, kernel, text):
    def launch(queue):
        if kernel in (gather, private):
            queue.parallel_for(40, kernel)
        elif kernel is walk:
            queue.parallel_for(sycl.nd_range(5, 5), kernel, sycl.local_accessor(np.int32, 5))
        else:
            queue.parallel_for(sycl.nd_range(8, 8), kernel, sycl.local_accessor(np.int32, 5))
    found = failure(device, launch)
    assert found.endswith(text)
    assert f"kernel '{kernel.__name__}' failed in work-item id(" in found
    assert f"{HERE}:" in found


@pytest.mark.row("D-49")
def test_a_kernel_that_keeps_its_promises_gives_the_same_result(queue):
    out = np.zeros(100, np.int64)

    @sycl.kernel(debug=True)
    def kernel(i, out):
        assert i >= 0, "never"
        if i > 0:
            for k in range(i, 100, 7):
                assert k < 100
                out[i] += k
    queue.parallel_for(100, kernel, out).wait_and_throw()
    assert [sum(range(i, 100, 7)) if i else 0 for i in range(100)] == out.tolist()


PROGRAM = """
import numpy as np
import unisycl as sycl
x = np.arange(8.0)
def asserting(i):
    assert x[i] < 5
def indexing(i):
    if i == 100:
        x[i] = 1
    else:
        x[i - i % 3 * {outside}] = 1
queue = sycl.queue(sycl.cpu_selector_v)
for kernel in asserting, indexing:
    try:
        queue.parallel_for(8, kernel).wait_and_throw()
        print("fine")
    except sycl.exception as error:
        print(error.what())
"""


@pytest.mark.row("D-49")
@pytest.mark.parametrize(("asked", "told"), [
    ("", (False, False)), ("assert", (True, False)), ("bounds", (False, True)),
    ("1", (True, True))])
def test_the_environment_asks_for_checks(tmp_path, asked, told):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(outside=-50 if told[1] else 0))
    env = {**os.environ, "PYTHONPATH": str(Path(sycl.__file__).parents[1]), "UNISYCL_DEBUG": asked}
    found = children.run([sys.executable, str(program)], env=env, check=True, text=True,
                         stdout=subprocess.PIPE).stdout.splitlines()
    assert told == tuple("failed in work-item" in line for line in found)


@pytest.mark.row("D-49")
def test_a_word_the_environment_does_not_know_is_refused(queue, monkeypatch):
    monkeypatch.setenv("UNISYCL_DEBUG", "everything")
    with pytest.raises(sycl.exception, match="UNISYCL_DEBUG=everything: expected assert, bou"):
        queue.parallel_for(1, lambda i: None).wait()


@pytest.mark.row("D-49", "D-11")
@pytest.mark.parametrize(("kernel", "by", "item", "text"), [
    ("dividing", 0, 33, "ZeroDivisionError: {}"),
    ("dividing_floats", 0.0, 5, "ZeroDivisionError: {}"),
    ("growing", 400.0, 39, "OverflowError: {}"),
    ("at_a_pole", 0.0, 39, "ZeroDivisionError: {}"),
    ("to_negative_powers", -1, 39,
     "ValueError: Integers to negative integer powers are not allowed."),
    ("narrowing", 300, 39, "OverflowError: Python integer 300 out of bounds for uint8"),
    ("mixing", -144, 39, "OverflowError: Python integer -144 out of bounds for int8"),
    ("shifting", 0, 39, "ValueError: negative shift count")])
@pytest.mark.filterwarnings("ignore:this exponent")
def test_what_python_raises_for_two_python_numbers_is_told(device, kernel, by, item, text):
    out = np.zeros(40)
    found = failure(device, lambda q: q.parallel_for(40, getattr(checked, kernel), by, out))
    try:
        _ = {"dividing": lambda: 7 // 0, "growing": lambda: 10.0 ** by,
             "at_a_pole": lambda: 0.0 ** -0.5}.get(kernel, lambda: 1.5 / 0.0)()
    except ArithmeticError as error:
        text = text.format(error)
    assert f"kernel '{kernel}' failed in work-item id({item}) at {checked.__file__}:" in found
    assert found.endswith(text)


@pytest.mark.row("D-11")
def test_numpy_scalars_divide_by_zero_without_an_error(queue):
    zeros, out = np.zeros(8, np.int32), np.zeros((3, 8))

    @sycl.kernel(debug=True)
    def kernel(i):
        out[0, i] = np.int32(7) // zeros[i]
        out[1, i] = 7 % zeros[i]
        out[2, i] = 1.0 / np.float32(zeros[i])
    queue.parallel_for(8, kernel).wait()
    assert [[0] * 8, [0] * 8, [np.inf] * 8] == out.tolist()


@pytest.mark.row("D-49")
def test_a_queue_and_each_launch_ask_for_checks(device, monkeypatch):
    found = []
    plain = sycl.queue(device, lambda errors: found.extend(errors))
    asking = sycl.queue(device, lambda errors: found.extend(errors),
                        sycl.property.queue.debug("assert"))
    x = np.zeros(4, np.int32)

    def kernel(i):
        x[i] = 1
        assert x[i] == 2

    @sycl.kernel(debug=False)
    def silent(i):
        assert x[i] == 2
    counts = []
    host = device.get_backend() is sycl.backend.host  # which always checks

    def count(launch):
        found.clear()
        launch()
        for queue in (plain, asking):
            queue.wait_and_throw()
        counts.append(len(found))
    count(lambda: plain.parallel_for(4, kernel))
    count(lambda: asking.parallel_for(4, kernel))
    count(lambda: plain.parallel_for(4, kernel))
    count(lambda: asking.parallel_for(4, silent))
    count(lambda: asking.bind(4, kernel)())
    with monkeypatch.context() as m:
        m.setenv("UNISYCL_DEBUG", "1")
        count(lambda: plain.parallel_for(4, kernel))
    count(lambda: plain.parallel_for(4, kernel))
    assert counts == ([1] * 7 if host else [0, 1, 0, 0, 1, 1, 0])
    with pytest.raises(sycl.exception, match=r"property\.queue\.debug='all of it': expected as"):
        sycl.queue(device, sycl.property.queue.debug("all of it"))
    with pytest.raises(sycl.exception, match="debug='many': expected assert"):
        sycl.kernel(debug="many")


@pytest.mark.row("D-49")
def test_the_old_place_of_races_warns(monkeypatch):
    monkeypatch.setenv("UNISYCL_HOST", "races")
    queue = sycl.queue(sycl.host_selector_v)
    with pytest.warns(DeprecationWarning, match="UNISYCL_DEBUG=races asks for the same"):
        queue.parallel_for(1, lambda i: None).wait()
