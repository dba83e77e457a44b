"""``shorten`` and ``ends_at_call``: which frames an error keeps, and who sees to it."""

from __future__ import annotations

import contextlib
import inspect
import traceback
from types import FunctionType, ModuleType

import pytest

import unisycl
from unisycl import public_names
from unisycl.base import geometry
from unisycl.base.errors import InternalError, UsageError, errc, exception
from unisycl.base.tracebacks import ends_at_call, shorten
from unisycl.ext import intel
from unisycl.ext import unisycl as unisycl_ext
from unisycl.ext.oneapi import experimental

IN_COMMAND_GROUPS = frozenset((
    "handler", "accessor", "local_accessor", "sampled_image_accessor", "unsampled_image_accessor"))
"""Used in command groups, whose submission shortens what leaves them."""
TELL = frozenset(("buffer_allocator", "image_allocator", "bound_kernel", "info", "property", "usm",
                  "default_selector_v", "cpu_selector_v", "gpu_selector_v", "host_selector_v",
                  "accelerator_selector_v", "measurement"))
"""What refuses nothing, or does so where the runtime calls it, or shortens by itself."""


IN_KERNELS = frozenset(("read", "read_nb", "write", "write_nb"))
"""Of I/O pipes: compiled from their source, so the host sees frames of theirs."""


def _caught(call: object) -> exception:
    with pytest.raises(exception) as found:
        call()  # type: ignore[operator]
    return found.value


def _frames(error: BaseException) -> list[str]:
    return [step.name for step in traceback.extract_tb(error.__traceback__)]



def _shown(error: exception) -> exception:
    shorten(error)
    return error


def _raised(whole: pytest.MonkeyPatch) -> exception:
    """Return an error of ours with all its frames."""
    def outer():
        geometry.nd_range(5, 2)
    whole.setenv("UNISYCL_TRACEBACK", "full")
    error = _caught(outer)
    whole.delenv("UNISYCL_TRACEBACK")
    return error


def test_frames_of_the_package_go_and_others_stay_in_order(monkeypatch) -> None:
    error = _raised(monkeypatch)
    assert _frames(error)[-2:] == ["__init__", "_check"]
    assert _frames(_shown(error))[-2:] == ["_caught", "outer"]


def test_causes_are_shown_so_too(monkeypatch) -> None:
    def outer():
        try:
            raise _raised(monkeypatch)
        except exception as cause:
            raise UsageError(errc.invalid, "outer") from cause
    error = _shown(_caught(outer))
    assert error.__cause__ is not None
    assert _frames(error.__cause__)[-1] == "outer"


def test_errors_that_cause_one_another_end_it(monkeypatch) -> None:
    one, other = _raised(monkeypatch), _raised(monkeypatch)
    one.__cause__, other.__cause__ = other, one
    shorten(one)
    assert _frames(one)[-1] == _frames(other)[-1] == "outer"


def test_a_defect_of_ours_is_shown_whole(monkeypatch) -> None:
    def broken(*_: object) -> None:
        raise InternalError(errc.runtime, "broken")
    monkeypatch.setattr(geometry.nd_range, "_check", broken)
    assert "__init__" in _frames(_caught(lambda: geometry.nd_range(4, 3)))


def test_the_call_adds_no_frame() -> None:
    @ends_at_call
    def public():
        raise UsageError(errc.invalid, "wrong")

    def program():
        public()
    assert _frames(_caught(program))[-2:] == ["program", "public"]  # this test is not the package


def test_classes_methods_and_constructors() -> None:
    class Given:
        def __init__(self, size):
            self.view = geometry.as_range(size)

        @classmethod
        def of(cls, size):
            return cls(size)

        @staticmethod
        def kind(size):
            return geometry.as_range(size)

        def _inner(self):
            return self

        def parts(self):
            yield 1

        @property
        def size(self):
            return 1

    before = dict(vars(Given))
    covered = ends_at_call(Given)
    assert covered is Given
    assert {n for n, v in vars(Given).items() if v is not before.get(n)} == {
        "__init__", "of", "kind"}
    assert inspect.signature(Given) == inspect.signature(before["__init__"]).replace(
        parameters=list(inspect.signature(before["__init__"]).parameters.values())[1:])
    assert tuple(Given.of(3).view) == (3,)
    assert tuple(Given.kind(4)) == (4,)
    with contextlib.suppress(TypeError):
        Given.of()


def _ends(member: object) -> bool:
    """Say whether what a function raises ends at its call."""
    code = getattr(member, "__code__", None)
    return hasattr(member, "__wrapped__") or "shorten" in code.co_names or (
        inspect.isgeneratorfunction(member))


CORE = [(unisycl, name) for home, names in public_names.NAMES.items() if home.startswith("api.")
        for name in names.split()]
MORE = [(room, name) for room in (experimental, intel, unisycl_ext) for name in room.__all__
        if getattr(getattr(room, name), "__module__", "").startswith("unisycl.api.")
        and name not in ("pipe", "device_global", "work_group_memory", "save_log")]


@pytest.mark.parametrize(("room", "name"), [
    (room, name) for room, name in CORE + MORE if name not in IN_COMMAND_GROUPS | TELL])
def test_what_programs_call_ends_there(room: ModuleType, name: str) -> None:
    public = getattr(room, name)
    if isinstance(public, FunctionType):
        assert _ends(public)
    elif isinstance(public, type):
        own = [m for k in public.__mro__ if k.__name__ in (name, "_Image", "_Host")
               for m in vars(k).items()]
        assert [n for n, m in own if isinstance(m, FunctionType) and not n.startswith("_")
                and n not in IN_KERNELS and not _ends(m)] == []
        assert all(_ends(m) for n, m in own if n == "__init__")
