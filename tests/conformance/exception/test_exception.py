"""Exceptions by the public API (SYCL 2020 §4.13)."""

from __future__ import annotations

import pickle

import pytest

import unisycl as sycl


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


@pytest.mark.row("F-20")
def test_one_except_clause_catches_everything() -> None:
    for kind in (sycl.UsageError, sycl.UnsupportedError, sycl.DeviceError, sycl.KernelError,
                 sycl.BuildError, sycl.InternalError):
        assert issubclass(kind, sycl.exception)


@pytest.mark.row("F-3")
def test_a_list_of_errors_is_sized_and_iterable() -> None:
    errors = sycl.exception_list([ValueError("a"), ValueError("b")])
    assert 2 == errors.size() == len(errors) == len(list(errors))
