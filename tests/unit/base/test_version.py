"""Packed versions."""

from __future__ import annotations

import pytest

from unisycl.base.errors import exception
from unisycl.base.version import cl_version, make_version, name_version


def test_parts_come_back() -> None:
    packed = make_version(3, 0, 1)
    assert (3, 0, 1) == (packed.major, packed.minor, packed.patch)
    assert "3.0.1" == str(packed)
    assert "make_version(3, 0, 1)" == repr(packed)
    assert (1023, 1023, 4095) == (cl_version(0xFFFFFFFF).major, cl_version(0xFFFFFFFF).minor,
                                  cl_version(0xFFFFFFFF).patch)


def test_parts_that_do_not_fit_are_refused() -> None:
    for parts in ((1024, 0, 0), (0, -1, 0), (0, 0, 4096)):
        with pytest.raises(exception, match="below"):
            make_version(*parts)


def test_named_versions_are_values() -> None:
    assert name_version(make_version(1, 2), "x") == name_version(make_version(1, 2), "x")
