"""Exceptions by the public API (SYCL 2020 §4.13)."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from unisycl.base.errors import NativeError


@pytest.mark.row("F-1", "F-2")
def test_code_category_and_text() -> None:
    error = sycl.exception(sycl.errc.nd_range, "too large")
    assert sycl.errc.nd_range == error.code()
    assert "sycl" == error.category().name()
    assert "too large" in error.what()
    assert not error.has_context()
    with pytest.raises(sycl.exception) as caught:
        error.get_context()
    assert sycl.errc.invalid == caught.value.code()
    assert "too large" == pickle.loads(pickle.dumps(error)).what()


@pytest.mark.row("F-1", "F-2")
def test_an_error_of_a_launch_has_code_category_and_text(queue: sycl.queue) -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        sycl.group_barrier(it.get_group())
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(sycl.nd_range(7, 2), kernel)
    error = caught.value
    assert sycl.errc.nd_range == error.code()
    assert sycl.sycl_category() == error.category()
    assert "7" in error.what()
    again = pickle.loads(pickle.dumps(error))
    assert (error.code(), error.what()) == (again.code(), again.what())


@pytest.mark.row("F-20")
def test_one_except_clause_catches_everything() -> None:
    for kind in (sycl.UsageError, sycl.UnsupportedError, sycl.DeviceError, sycl.KernelError,
                 sycl.BuildError, sycl.InternalError):
        assert issubclass(kind, sycl.exception)


@pytest.mark.row("F-3")
def test_a_list_of_errors_is_sized_and_iterable() -> None:
    errors = sycl.exception_list([ValueError("a"), ValueError("b")])
    assert 2 == errors.size() == len(errors) == len(list(errors))


@pytest.mark.row("F-19", "F-20")
def test_an_error_has_the_status_of_the_native_call_behind_it(device: sycl.device) -> None:
    lists: list[sycl.exception_list] = []
    q = sycl.queue(device, lists.append)

    def of_opencl() -> None:
        raise NativeError(sycl.errc.runtime, "refused", native_code=-36)

    def of_python() -> None:
        raise OSError(5, "refused")
    failed = q.submit(lambda h: h.host_task(of_opencl))
    q.submit(lambda h: (h.depends_on(failed), h.host_task(lambda: None)))
    q.submit(lambda h: h.host_task(of_python))
    q.wait_and_throw()
    native, dependant, python = sorted(lists[0], key=lambda e: (
        "OSError" in e.what(), "depends on" in e.what()))
    status = sycl.opencl.get_error_code
    assert (-36, 0, 0) == tuple(map(status, (native, dependant, python)))
    assert -36 == status(dependant.__cause__)
    assert 5 == python.__cause__.errno
    later = q.submit(lambda h: (h.depends_on(failed), h.host_task(lambda: None)))
    later.wait()
    q.wait_and_throw()
    assert -36 == status(next(iter(lists[1])).__cause__)  # known although it was delivered
    for copied in (copy.copy(native), pickle.loads(pickle.dumps(native))):
        assert (-36, native.what()) == (status(copied), copied.what())
    with pytest.raises(sycl.exception) as caught:
        q.parallel_for(sycl.nd_range(7, 2), lambda it: None)
    assert 0 == status(caught.value)  # CL_SUCCESS: no native call was made


@pytest.mark.row("F-1", "F-2", "P-8")
def test_every_form_of_the_constructor(device: sycl.device) -> None:
    where = sycl.context(device)
    code, core = sycl.make_error_code(sycl.errc.invalid), sycl.sycl_category()
    own = sycl.error_category("mine")
    invalid, of_mine = sycl.errc.invalid, sycl.error_code(7, own)
    forms = [((code,), invalid), ((invalid,), invalid), ((8, core), invalid),
             ((7, own), of_mine), ((of_mine,), of_mine)]
    for arguments, expected in forms:
        for context in ((), (where,)):
            for text in ((), ("what",)):
                error = sycl.exception(*context, *arguments, *text)
                assert error.code() == expected
                assert expected == error.code()
                assert error.category() == expected.category()
                assert error.what() == "".join(text)
                assert error.has_context() == bool(context)
                if context:
                    assert error.get_context() == where
                again = pickle.loads(pickle.dumps(error))
                assert (error.code(), error.what()) == (again.code(), again.what())
                assert (error.what() in str(error), type(error).__name__) == (True, "exception")
    named = sycl.exception(code=invalid, message="what", context=where)
    assert (invalid, "what", True) == (named.code(), named.what(), named.has_context())
    assert sycl.exception(invalid, "what", where).get_context() == where


@pytest.mark.row("F-1")
def test_the_codes_are_those_of_the_specification() -> None:
    """In its order, and success is what no error has."""
    assert ("success runtime kernel accessor nd_range event kernel_argument build invalid "
            "memory_allocation platform profiling feature_not_supported kernel_not_supported "
            "backend_mismatch").split() == [code.name for code in sycl.errc]
    assert [code.name for code in sycl.errc if not code] == ["success"]
    for code in sycl.errc:
        made = sycl.make_error_code(code)
        assert (made, bool(made)) == (code, code is not sycl.errc.success)
        assert sycl.sycl_category() == made.category() == code.category()
        assert code.name == made.message() == sycl.sycl_category().message(int(code))


@pytest.mark.row("F-1")
def test_nothing_raises_success() -> None:
    root = Path(sycl.__file__).parent
    said = [path.name for path in root.rglob("*.py")
            if "errc.success" in path.read_text(encoding="utf-8")]
    assert [] == said


@pytest.mark.row("F-1")
def test_each_code_says_what_was_wrong(queue: sycl.queue) -> None:
    """Those that a program can bring about on any device."""
    device, b = queue.get_device(), sycl.buffer(np.zeros(4))

    def store(i, p):
        p[i] = 1

    def wrong(i):
        i.nowhere()
    found = {name: code_of(*call) for name, call in {
        "runtime": (sycl.device, lambda d: -1),
        "nd_range": (lambda: queue.parallel_for(sycl.nd_range(7, 2), lambda it: None),),
        "kernel_argument": (queue.parallel_for, 4, store, b),
        "kernel": (queue.parallel_for, 4, wrong),
        "invalid": (queue.submit, 3),
        "memory_allocation": (sycl.malloc_device, 1 << 62, np.int8, queue),
        "kernel_not_supported": (queue.parallel_for, 4, sycl.kernel(
            device_has=sycl.aspect.custom)(store), np.zeros(4, np.int32)),
        "backend_mismatch": (sycl.get_native, next(
            b for b in sycl.backend if b is not device.get_backend()), device)}.items()}
    assert found == {name: sycl.errc[name] for name in found}


@pytest.mark.row("F-1")
def test_the_codes_of_objects_that_are_used_wrongly(queue: sycl.queue) -> None:
    """Of an accessor, an event, and a feature that a device lacks."""
    device, owner, b = queue.get_device(), queue.get_context(), sycl.buffer(np.zeros(4))
    closed, failed = sycl.host_accessor(b), sycl.ext.unisycl.user_event()
    closed.close()
    seen: list[sycl.exception] = []
    own = sycl.queue(owner, device, lambda errors: seen.extend(errors))
    late = own.submit(lambda h: (h.depends_on(failed), h.host_task(lambda: None)))
    failed.fail("of the test")
    late.wait()
    own.wait_and_throw()
    assert sycl.errc.event in [e.__cause__.code() for e in seen if e.__cause__]
    assert sycl.errc.accessor == code_of(lambda: closed[0])
    info = sycl.info
    ways = {info.partition_property.partition_equally: 1,
            info.partition_property.partition_by_counts: [1],
            info.partition_property.partition_by_affinity_domain:
                info.partition_affinity_domain.numa}
    for kind in set(ways) - set(device.get_info(info.device.partition_properties)):
        assert sycl.errc.feature_not_supported == code_of(
            device.create_sub_devices, kind, ways[kind])


@pytest.mark.row("F-1")
def test_errors_carry_codes_of_other_categories(device: sycl.device) -> None:
    """A backend's, or a program's, through a queue: its number, its name and its text stay."""
    class Own(sycl.error_category):
        """One with texts of its own."""

        def message(self, value: int) -> str:
            return f"reason {value}"
    own, seen = Own("mine"), []
    q = sycl.queue(device, lambda errors: seen.extend(errors))

    def task() -> None:
        raise sycl.exception(sycl.error_code(7, own), "told")
    q.submit(lambda h: h.host_task(task))
    q.wait_and_throw()
    code = seen[0].code()
    assert (7, "mine", "reason 7") == (code.value(), code.category().name(), code.message())
    assert code not in list(sycl.errc)
    assert "told" in seen[0].what()


@pytest.mark.row("F-1", "P-8")
def test_error_codes_are_numbers_of_a_category() -> None:
    code = sycl.make_error_code(sycl.errc.nd_range)
    assert (4, "sycl", "nd_range") == (code.value(), code.category().name(), code.message())
    assert code == sycl.errc.nd_range == code
    assert code != sycl.errc.invalid
    assert code != sycl.error_code(4, sycl.error_category("mine"))
    assert hash(code) == hash(sycl.errc.nd_range)
    assert bool(code)
    assert not sycl.error_code()
    assert sycl.errc.nd_range.category() == sycl.sycl_category()
    assert copy.copy(code) == code == pickle.loads(pickle.dumps(code))
    assert sycl.is_error_code_enum(sycl.errc)
    assert not sycl.is_error_code_enum(int)
    assert not sycl.is_error_code_enum(sycl.errc.invalid)


@pytest.mark.row("F-1")
@pytest.mark.parametrize("arguments", [
    (8,), (True,), (sycl.errc.invalid, 5), (sycl.errc.invalid, "a", "b"), ("a", sycl.errc.invalid),
    (object(), sycl.errc.invalid), (sycl.errc.invalid, "a", object())], ids=str)
def test_other_arguments_are_refused_with_the_forms_there_are(arguments: tuple[object]) -> None:
    with pytest.raises(sycl.UsageError, match=r"\[context,\] errc or error_code"):
        sycl.exception(*arguments)
