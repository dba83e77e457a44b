"""``import unisycl``: what it offers, and what it does not do."""

from __future__ import annotations

import subprocess
import sys

import pytest

import unisycl


def test_importing_opens_no_compiler_and_no_driver() -> None:
    program = ("import sys, unisycl; print([m for m in sys.modules if m.startswith(('llvmlite', "
               "'unisycl.backends', 'unisycl.runtime', 'unisycl.api', 'unisycl.passes'))])")
    got = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         check=True)
    assert "[]" == got.stdout.strip()


def test_a_misspelt_name_gets_a_suggestion() -> None:
    with pytest.raises(AttributeError, match="did you mean 'nd_range'"):
        _ = unisycl.nd_rnge


def test_every_public_object_is_documented() -> None:
    assert [] == [n for n in unisycl.__all__ if not getattr(unisycl, n).__doc__]


def test_a_star_import_brings_all_names() -> None:
    program = ("from unisycl import *; "
               "print(queue.__name__, float4(1).x, sqrt(4.0), SYCL_KHR_INCLUDES)")
    got = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         check=True)
    assert got.stdout.split() == ["queue", "1.0", "2.0", "1"]
