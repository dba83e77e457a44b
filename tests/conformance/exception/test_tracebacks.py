"""The traceback of an error is the program's own lines, the last of which is the call it made."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from unisycl.ext.intel import buffer_location, check_pipes
from unisycl.ext.oneapi import experimental as ext

pytestmark = pytest.mark.row("F-2")
HERE = Path(__file__).name


def wrong(i):
    missing[i] = 1  # noqa: F821


def failing(i, a):
    a[i + 3] = i


def caught(call: Callable[[], object]) -> sycl.exception:
    with pytest.raises(sycl.exception) as found:
        call()
    return found.value


def files(call: Callable[[], object]) -> list[str]:
    error = caught(call)
    return [Path(step.filename).name for step in traceback.extract_tb(error.__traceback__)]


def test_submissions_end_at_the_programs_line(queue: sycl.queue) -> None:
    for call in (lambda: queue.parallel_for(4, wrong), lambda: queue.single_task(wrong, 1),
                 lambda: queue.parallel_for(4, sycl.reduction(np.zeros(1), sycl.plus), wrong),
                 lambda: queue.submit(3), lambda: queue.bind(4, wrong), lambda: queue.memcpy(3, 4),
                 lambda: ext.parallel_for(queue, 4, wrong), lambda: ext.memset(queue, 3, 4, 5),
                 lambda: queue.ext_unisycl_report(4, wrong), lambda: queue.fill(3, 4),
                 lambda: queue.submit(lambda h: h.memcpy(3, 4))):
        assert set(files(call)) == {HERE}


def test_lines_of_a_command_group_stay(queue: sycl.queue) -> None:
    def group(h):
        h.single_task(lambda: None)
        h.parallel_for(4, wrong)
    steps = traceback.extract_tb(caught(lambda: queue.submit(group)).__traceback__)
    assert {Path(step.filename).name for step in steps} == {HERE}
    assert steps[-1].name == "group"


MISUSES = {
    "device": lambda q: sycl.queue("nosuch"), "device 2": lambda q: sycl.device("nosuch"),
    "queue": lambda q: sycl.queue(3), "context": lambda q: sycl.context(3),
    "nd_range": lambda q: sycl.nd_range(5, 2), "nd_range 2": lambda q: sycl.nd_range(4, (2, 2)),
    "range": lambda q: sycl.range("x"), "range 2": lambda q: sycl.range(-1),
    "id": lambda q: sycl.id(1.5), "buffer": lambda q: sycl.buffer("text"),
    "sub-buffer": lambda q: sycl.buffer(sycl.buffer(4), 3, 4),
    "accessor": lambda q: sycl.accessor(3), "host_accessor": lambda q: sycl.host_accessor(3),
    "closed": lambda q: closed()[0], "closed 2": lambda q: closed().get_view(),
    "malloc": lambda q: sycl.malloc_device(-1, q), "malloc 2": lambda q: sycl.malloc(3, 4, 5),
    "freed": lambda q: freed(q)[0], "freed twice": lambda q: sycl.free(freed(q), q),
    "pointer": lambda q: freed(q).pointer_to(9), "freed 2": lambda q: np.asarray(freed(q)),
    "make_context": lambda q: sycl.make_context(q.get_backend(), 3),
    "make_buffer": lambda q: sycl.make_buffer(q.get_backend(), 3, q.get_context()),
    "get_native": lambda q: sycl.get_native(sycl.backend.cuda, q),
    "extern": lambda q: sycl.opencl.extern(3), "extern 2": lambda q: sycl.opencl.extern("")(wrong),
    "bundle": lambda q: sycl.get_kernel_bundle(3), "kernel id": lambda q: sycl.get_kernel_id(3),
    "device info": lambda q: q.get_device().get_info(3),
    "sub-devices": lambda q: q.get_device().create_sub_devices(3),
    "platform info": lambda q: q.get_device().get_platform().get_info(3),
    "context info": lambda q: q.get_context().get_info(3), "queue info": lambda q: q.get_info(3),
    "image": lambda q: sycl.unsampled_image(3), "reduction": lambda q: sycl.reduction(3),
    "selector": lambda q: sycl.aspect_selector(3), "graph": lambda q: ext.command_graph(3),
    "event info": lambda q: sycl.event().get_info(3), "dlpack": lambda q: sycl.from_dlpack(3, q),
    "source": lambda q: ext.create_kernel_bundle_from_source(q.get_context(), 3, ""),
    "check_pipes": lambda q: check_pipes(q, 3), "bind": lambda q: sycl.kernel(wrong).bind(q, 4),
    "global": lambda q: ext.device_global("text"), "kernel": lambda q: sycl.kernel(3),
    "attribute": lambda q: sycl.kernel(reqd_work_group_size="x"),
    "property": lambda q: ext.sub_group_size("x"), "properties": lambda q: ext.properties(3),
    "constant": lambda q: sycl.specialization_id(object()),
    "options": lambda q: ext.build_options(3), "location": lambda q: buffer_location("x")}


def freed(queue: sycl.queue) -> sycl.usm_pointer:
    memory = sycl.malloc_device(4, queue)
    sycl.free(memory, queue)
    return memory


def closed() -> sycl.host_accessor:
    with sycl.host_accessor(sycl.buffer(np.zeros(4))) as accessor:
        return accessor


@pytest.mark.parametrize("misuse", MISUSES)
def test_so_does_all_else_that_refuses_what_it_is_given(queue: sycl.queue, misuse: str) -> None:
    assert set(files(lambda: MISUSES[misuse](queue))) == {HERE}


def test_what_commands_fail_with_is_told_at_the_wait(
        queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEBUG", "bounds")
    with sycl.buffer(np.zeros(4, np.int32)) as b:
        def submit() -> sycl.event:
            return queue.submit(lambda h: h.parallel_for(4, failing, sycl.accessor(b, h)))
        assert set(files(lambda: submit().wait())) == {HERE}
        for wait in (queue.wait, queue.wait_and_throw, queue.close):
            submit()
            assert set(files(wait)) == {HERE}
        submit()
        assert set(files(lambda: sycl.host_accessor(b))) == {HERE}
        submit()
        assert set(files(b.close)) == {HERE}


def test_what_a_host_task_raised_is_told_by_its_own_lines(queue: sycl.queue) -> None:
    def work() -> None:
        raise KeyError("mine")
    queue.submit(lambda h: h.host_task(work))
    error = caught(queue.wait)
    assert isinstance(error.__cause__, KeyError)
    assert [s.name for s in traceback.extract_tb(error.__cause__.__traceback__)] == ["work"]


def test_wrong_arguments_of_python_are_told_there_too() -> None:
    with pytest.raises(TypeError, match="positional argument") as found:
        sycl.malloc_device()
    names = [Path(step.filename).name for step in traceback.extract_tb(found.value.__traceback__)]
    assert set(names) == {HERE}


def test_how_something_was_found_out_is_not_told_but_causes_are() -> None:
    error = caught(lambda: sycl.range("x"))
    assert error.__suppress_context__
    assert error.__cause__ is None
    cause = caught(lambda: sycl.malloc_device(4, "nosuchtype", sycl.queue())).__cause__
    assert isinstance(cause, TypeError)


def test_what_the_program_was_dealing_with_stays() -> None:
    def call() -> None:
        try:
            raise KeyError("mine")
        except KeyError:
            sycl.queue("nosuch")
    error = caught(call)
    assert isinstance(error.__context__, KeyError)
    assert not error.__suppress_context__


def test_all_is_shown_on_request(queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_TRACEBACK", "full")
    assert "compiling.py" in files(lambda: queue.parallel_for(4, wrong))
    assert "devices.py" in files(lambda: sycl.queue("nosuch"))


def test_what_others_raise_is_not_touched(queue: sycl.queue) -> None:
    def group(h):
        raise KeyError("mine")
    with pytest.raises(KeyError, match="mine") as found:
        queue.submit(group)
    names = [step.name for step in traceback.extract_tb(found.value.__traceback__)]
    assert names[-1] == "group"
    assert "run" in names


@pytest.mark.parametrize(("variable", "what", "says"), [
    ("UNISYCL_DEVICE", "unisycl.queue()", "'bogus', which UNISYCL_DEVICE asks for; there are: "),
    ("UNISYCL_DEBUG", "unisycl.queue('cpu').single_task(nothing)", "UNISYCL_DEBUG=bogus: expected"),
    ("UNISYCL_THREADS", "unisycl.queue('cpu').single_task(nothing)", "UNISYCL_THREADS=bogus: exp"),
    ("UNISYCL_HOST", "unisycl.queue('host').single_task(nothing)", "UNISYCL_HOST=bogus: expected"),
    ("UNISYCL_TRACEBACK", "unisycl.queue()", "UNISYCL_TRACEBACK=bogus: expected full"),
    ("UNISYCL_TIMEOUT", "unisycl.device()", "UNISYCL_TIMEOUT=bogus: expected a number of seconds"),
    ("UNISYCL_SEPARATE_MEMORY", "unisycl.queue()", "set UNISYCL_MEMORY=separate")])
def test_wrong_variables_are_told_at_the_line_that_met_them(
        variable: str, what: str, says: str, tmp_path: Path) -> None:
    told = said(what, tmp_path, **{variable: "bogus", "UNISYCL_BACKENDS": "cpu,host"})
    assert told.count("File \"") == 1
    assert says in told


def test_a_wrong_level_of_memory_is_told_there_too(device: sycl.device, tmp_path: Path) -> None:
    if device.get_backend() is not sycl.backend.opencl:
        pytest.skip("the level of memory is OpenCL's")
    told = said("unisycl.queue('opencl')", tmp_path, UNISYCL_MEMORY="bogus")
    assert told.count("File \"") == 1
    assert "UNISYCL_MEMORY=bogus: expected system, " in told


def said(what: str, folder: Path, **env: str) -> str:
    """Return what a program with this line writes to standard error."""
    program = folder / "program.py"
    program.write_text(f"import unisycl\n\n\ndef nothing():\n    pass\n\n\n{what}\n")
    ran = children.run([sys.executable, str(program)], capture_output=True, text=True,
                       env={**os.environ, "PYTHONPATH": os.pathsep.join(
                           [str(Path(sycl.__file__).parents[1]), *sys.path]), **env})
    return ran.stderr
